//! Figure 32 of the Cosmos+ paper on the channel in hardware: how busy its bus is over ways, while pages of MLC are programmed
//! and while word lines of three pages are (section 7.4). The channel of the simulator gets the same requests.

use crate::channel::rig::{policy, Plan, Programs, Rig, Times};
use crate::channel::scoreboard::{Ends, Planned};
use crate::channel::twin::Twin;
use crate::channel::world::{Shape, CODE_WORD, METADATA_BYTES, NV_DDR2_333, SOURCES};
use contract::packet::{Coding, Model, Operation, Request};
use contract::Duration;
use rtl_sim::{seed, Random};

const SHAPE: Shape = Shape { plane_bits: 0, luns: 1 };
const CODING: Coding = Coding { ecc: true, scrambler: true, metadata: true };

/// A page of the paper on its bus: 18,048 bytes at 200 MB/s.
const PAPER_PAGE_NS: u64 = 90_240;
/// Programs of LSB and MSB pages (Table 5), and of a word line of TLC (section 7.4).
const PAPER_MLC_NS: [u64; 2] = [481_000, 2_295_000];
const PAPER_TLC_NS: u64 = 1_600_000;

/// Words of two bytes that a page of the test is, each of which takes the bus for a cycle.
const PAGE_CYCLES: u64 = (2 * CODE_WORD + METADATA_BYTES) as u64 / 2;

/// What the chips are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cells {
    Mlc,
    Tlc,
}

impl Cells {
    /// What is asked for, page by page, and how many pages a program has.
    fn operation(self) -> (Operation, usize) {
        match self {
            Cells::Mlc => (Operation::Program, 1),
            Cells::Tlc => (Operation::ProgramOneShot, 3),
        }
    }

    /// How much of the time the data alone take the bus of a channel with so many ways, which program all the time; 1 is all of it.
    fn ceiling(self, ways: u8) -> f64 {
        let programs = match self {
            Cells::Mlc => PAPER_MLC_NS.iter().sum::<u64>() as f64 / 2.0,
            Cells::Tlc => PAPER_TLC_NS as f64,
        };
        let data = self.operation().1 as f64 * PAPER_PAGE_NS as f64;
        (f64::from(ways) * data / (data + programs)).min(1.0)
    }
}

/// How long the test's chips program, whose pages are smaller: as long, beside a page on the bus, as those of the paper.
fn scaled(paper_ns: u64) -> Duration {
    let page_ps = PAGE_CYCLES * NV_DDR2_333.period.as_ps();
    Duration::from_ps(paper_ns * page_ps / PAPER_PAGE_NS)
}

/// Requests of a way, which has two programs outstanding all the time.
struct Feed {
    way: u8,
    asked: usize,
}

impl Feed {
    fn next(&mut self, cells: Cells, twin: &mut Twin) {
        let world = &mut twin.rig.world;
        let pages = world.config.rows.pages as usize;
        let row =
            world.config.rows.row(0, (self.asked / pages) as u32, (self.asked % pages) as u32);
        let request = Request {
            stream: self.way,
            tag: self.asked as u8,
            length: 512,
            buffer: (self.asked % SOURCES) as u16,
            coding: CODING,
            ..Request::new(cells.operation().0, self.way, row)
        };
        let mut page = world.empty_page();
        world.load(&request, &mut page);
        world.program(self.way, row, page);
        self.asked += 1;
        twin.ask(Planned::new(request, Ends::Checked { failed: false }));
    }
}

/// How much of the time the bus is busy, in hardware and in the simulator's channel.
fn busy(cells: Cells, ways: u8, random: &mut Random) -> [f64; 2] {
    let policy = policy(SHAPE, Model::OutOfOrder);
    let programs = Programs { page: PAPER_MLC_NS.map(scaled), word_line: scaled(PAPER_TLC_NS) };
    let plan = Plan { policy, times: Times::Programs(programs), ..Plan::new(NV_DDR2_333, SHAPE) };
    let mut twin = Twin::new(Rig::new(plan, random), policy, NV_DDR2_333.period);
    let mut feeds: Vec<Feed> = (0..ways).map(|way| Feed { way, asked: 0 }).collect();
    let mut tally = |twin: &mut Twin, pages: usize| {
        let outstanding = 2 * cells.operation().1;
        while feeds.iter().any(|feed| feed.asked < pages) {
            for feed in &mut feeds {
                while feed.asked < twin.answered(feed.way) + outstanding {
                    feed.next(cells, twin);
                }
            }
            twin.run(20);
        }
        (twin.rig.channel.cycles(), twin.busy_cycles())
    };
    let before = tally(&mut twin, 12);
    let after = tally(&mut twin, 60);
    twin.finish();
    twin.rig.check();
    twin.check();
    let cycles = (after.0 - before.0) as f64;
    [0, 1].map(|body| (after.1[body] - before.1[body]) as f64 / cycles)
}

#[test]
fn one_shot_programs_keep_the_bus_busier_than_programs_of_a_page() {
    seed::each(1, |random| {
        println!(
            "ways  MLC: hardware  simulator  data alone  TLC: hardware  simulator  data alone"
        );
        for ways in [1, 2, 4, 8] {
            let [mlc, tlc] = [Cells::Mlc, Cells::Tlc].map(|cells| {
                let [hardware, simulated] = busy(cells, ways, random);
                let apart = (hardware - simulated).abs() / hardware;
                assert!(apart < 0.01, "{cells:?}, {ways} ways: {hardware} and {simulated}");
                let data = cells.ceiling(ways);
                [hardware, simulated, data].map(|share| 100.0 * share)
            });
            let line = |[hardware, simulated, data]: [f64; 3]| {
                format!("{hardware:13.1}  {simulated:9.1}  {data:10.1}")
            };
            println!("{ways:4}  {}  {}", line(mlc), line(tlc));
            assert!(tlc[0] > 1.2 * mlc[0], "{ways} ways: {tlc:?}, {mlc:?}");
        }
    });
}
