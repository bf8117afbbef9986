//! The monitors beside what was asked for and what was seen.

use crate::channel::rig::{policy, Harm, Plan, Rig};
use crate::channel::scoreboard::{Ends, Planned};
use crate::channel::world::{step, Shape, NV_DDR2_333, SDR_50};
use ::registers::flash::monitors as at;
use contract::packet::{Coding, Model, Operation, Request};
use rtl_sim::seed;
use Operation::*;

const SHAPE: Shape = Shape { plane_bits: 1, luns: 1 };

/// The counters of all monitors, by their place.
pub fn counters(rig: &mut Rig) -> Vec<u64> {
    capture(rig, true);
    rig.run(1);
    capture(rig, false);
    rig.run(100);
    copied(rig)
}

/// Whether the monitors are to be copied, which takes a cycle and then some.
pub fn capture(rig: &mut Rig, now: bool) {
    let capture = rig.channel.bench().input("monitor_capture_i");
    rig.channel.bench().set(capture, now.into());
}

/// The counters as they were copied last.
pub fn copied(rig: &mut Rig) -> Vec<u64> {
    let bench = rig.channel.bench();
    let (busy, word, data) = (
        bench.output("monitor_busy_o"),
        bench.input("monitor_word_i"),
        bench.output("monitor_data_o"),
    );
    assert_eq!(bench.get(busy), 0);
    let mut half = |index| {
        bench.set(word, index);
        bench.get(data)
    };
    (0..32).map(|counter| half(2 * counter) | half(2 * counter + 1) << 32).collect()
}

pub fn counter(counters: &[u64], address: u32) -> u64 {
    counters[((address - at::OFFSET) / 8) as usize]
}

#[test]
fn monitors_count_what_was_done() {
    seed::each(1, |random| {
        for (speed, model) in [(NV_DDR2_333, Model::OutOfOrder), (SDR_50, Model::InOrder)] {
            let plan = Plan {
                policy: policy(SHAPE, model),
                entries: 400,
                harm: Harm::Some,
                ..Plan::new(speed, SHAPE)
            };
            let mut rig = Rig::new(plan, random);
            // By group: status, other, read, program.
            let mut steps = [0; 4];
            let mut bytes = [0; 2];
            for _ in 0..150 {
                let way = random.below(8) as u8;
                let block = random.below(32) as u32;
                let row = rig.world.config.rows.row(0, block, 0);
                let coding = Coding {
                    ecc: random.percent(70),
                    scrambler: true,
                    metadata: random.percent(50),
                };
                let length = 2 * (1 + random.below(256)) as u16;
                let request = Request { coding, length, ..Request::new(Read, way, row) };
                let moved = rig.world.golden.bus_bytes(&step(&request)) as u64;
                let planned = match random.below(4) {
                    0 => {
                        steps[1] += 1;
                        steps[0] += 1;
                        let failed = rig.world.erase(way, row);
                        let request = Request { operation: Erase, ..request };
                        Planned::new(request, Ends::Checked { failed })
                    }
                    1 if rig.world.next_page(way, 0, block) == 0 => {
                        steps[3] += 1;
                        steps[0] += 1;
                        bytes[0] += moved;
                        let request = Request { operation: Program, ..request };
                        let mut page = rig.world.empty_page();
                        rig.world.load(&request, &mut page);
                        let failed = rig.world.program(way, row, page);
                        Planned::new(request, Ends::Checked { failed })
                    }
                    2 => Planned::new(Request { length: 1, ..request }, Ends::Refused),
                    _ => {
                        steps[1] += 1;
                        steps[2] += 1;
                        bytes[1] += moved;
                        let request = Request { buffer: rig.free_entry(), ..request };
                        let found = rig.world.verdict(&request, &rig.world.seen(way, row));
                        Planned::read(request, found)
                    }
                };
                rig.ask(planned);
            }
            rig.finish();
            rig.check();
            let idle = rig.channel.watch.cycles;
            let found = counters(&mut rig);
            let found = |address| counter(&found, address);
            assert_eq!(at::STEPS.map(found), steps, "steps");
            assert_eq!([found(at::BYTES_OUT), found(at::BYTES_IN)], bytes, "bytes");
            assert_eq!(found(at::CORRECTED), rig.board.corrected, "corrected bits");
            assert_eq!(found(at::LOST), rig.board.lost, "lost chunks");
            assert_eq!(found(at::REFUSED), rig.board.refused, "refused");
            assert_eq!(found(at::TIMED_OUT), 0, "timed out");
            assert_eq!(found(at::GIVEN_UP), 0, "given up");
            let watch = &rig.channel.watch;
            assert_eq!(found(at::BUS_BUSY), watch.bus_busy, "bus busy");
            assert_eq!(watch.words.map(|words| 2 * words), bytes, "words");
            for (way, cycles) in watch.way_busy.iter().enumerate() {
                // Two cycles of reset are before the first one that a watch sees.
                let found = found(at::WAY_BUSY[way]);
                assert!(
                    found.abs_diff(*cycles) <= 2,
                    "way {way} busy {found} cycles, not {cycles}"
                );
            }
            assert!((idle..watch.cycles + 40).contains(&found(at::CYCLES)), "cycles");
            assert!(rig.board.corrected > 0 && rig.board.lost > 0 && rig.board.refused > 0);
        }
    });
}
