//! Random mixes of all ways against the scoreboard.

use crate::channel::lanes::{Diet, Lane};
use crate::channel::rig::{policy, strong_top, Found, Harm, Plan, Rig, Times};
use crate::channel::scoreboard::{Ends, Planned};
use crate::channel::world::{Shape, SOURCES, SPEEDS};
use contract::packet::{Answer, Interrupt, Model, Operation, Priority, RequestWords};
use ecc::BchParams;
use nand::onfi::Interface;
use rtl_sim::channel::Policy;
use rtl_sim::{seed, Pace, Paces, Random};

/// What a mix is made of.
#[derive(Clone, Copy, Debug)]
struct Mix {
    model: Model,
    diet: Diet,
    /// Requests at the fastest speed; fewer where a byte takes longer.
    requests: usize,
    code: BchParams,
}

impl Mix {
    fn new(model: Model, diet: Diet, requests: usize) -> Self {
        Self { model, diet, requests, code: BchParams::default() }
    }
}

/// Not so slow that nothing happens.
fn any_pace(random: &mut Random) -> Pace {
    match random.below(4) {
        0 => Pace::Percent(60, random.split()),
        1 => Pace::Percent(90, random.split()),
        2 => Pace::Bursts { longest: 60, state: (0, false), random: random.split() },
        _ => Pace::Always,
    }
}

fn any_policy(model: Model, shape: Shape, random: &mut Random) -> Policy {
    Policy {
        merge_planes: random.percent(75),
        merge_cache_read: random.percent(75),
        merge_cache_program: random.percent(75),
        jedec: random.percent(30),
        low_ways: if random.percent(50) { 8 } else { 1 + random.below(8) as u8 },
        busy_timeout: if random.percent(50) { 0 } else { 1_000 },
        ..policy(shape, model)
    }
}

fn any_plan(mix: Mix, random: &mut Random) -> Plan {
    let speed = SPEEDS[random.below(SPEEDS.len() as u64) as usize];
    let shape = Shape::any(random);
    Plan {
        found: Found::ByPins,
        speed,
        shape,
        policy: any_policy(mix.model, shape, random),
        data_timeout: if random.percent(50) { 0 } else { 1_000 },
        buffer_paces: Paces {
            descriptors: any_pace(random),
            send: any_pace(random),
            receive: any_pace(random),
        },
        paces: (any_pace(random), any_pace(random)),
        entries: SOURCES + mix.requests + 200,
        harm: Harm::Some,
        times: Times::Deviating,
        code: mix.code,
    }
}

/// The lanes of all ways: two where priorities count and order is not firmware's.
fn lanes(mix: Mix, random: &mut Random) -> Vec<(Lane, Option<Priority>)> {
    let mut lanes = vec![];
    for way in 0..8 {
        let mut lane = |share, priority| lanes.push((Lane::new(way, mix.diet, share), priority));
        let alone = mix.diet == Diet::All || mix.diet == Diet::Steps;
        if mix.model != Model::OutOfOrder {
            lane((0, 1), None);
        } else if alone {
            let urgent = random.percent(30);
            lane((0, 1), Some(if urgent { Priority::High } else { Priority::Low }));
        } else {
            lane((0, 2), Some(Priority::Low));
            lane((1, 2), Some(Priority::High));
        }
    }
    lanes
}

/// What of a request does not change what it does.
fn dress(planned: &mut Planned, priority: Option<Priority>, tag: usize, random: &mut Random) {
    let request = &mut planned.request;
    request.tag = tag as u8;
    request.stream = random.below(8) as u8;
    let any_priority = if random.percent(50) { Priority::High } else { Priority::Low };
    request.priority = priority.unwrap_or(any_priority);
    request.interrupt = match random.below(4) {
        0 => Interrupt::Always,
        1 => Interrupt::OnError,
        _ => Interrupt::Never,
    };
    if random.percent(10) {
        request.answer = Answer::Silent;
    }
}

/// Makes a request that no channel can run.
fn spoil(planned: &mut Planned, random: &mut Random) -> RequestWords {
    planned.ends = Ends::Refused;
    planned.stored = None;
    let request = &mut planned.request;
    match random.below(4) {
        0 => request.length |= 1,
        1 => {
            request.operation = Operation::Read;
            request.length = 0;
        }
        2 => request.way += 8,
        _ => {
            let mut words = request.emit();
            match random.below(3) {
                0 => words[0] |= 1 << 7,
                1 => words[0] = words[0] & !0x7f | 0x46,
                _ => words[0] = words[0] & !0x7f | 0x35,
            }
            return words;
        }
    }
    request.emit()
}

/// Sends a mix, and checks all that comes of it.
fn run(mix: Mix, random: &mut Random) -> Rig {
    let plan = any_plan(mix, random);
    let slow = plan.speed.interface == Interface::Sdr;
    let requests = if slow { mix.requests / 4 } else { mix.requests };
    let mut rig = Rig::new(plan, random);
    let mut lanes = lanes(mix, random);
    // A lane goes on for a while, so that its requests meet in its queue.
    let mut at = 0;
    for tag in 0.. {
        if tag >= requests {
            // What was begun is brought to its end.
            match lanes.iter().position(|(lane, _)| lane.is_in_burst()) {
                Some(lane) => at = lane,
                None => break,
            }
        } else if !lanes[at].0.is_in_word_line() && random.percent(15) {
            // The pages of a word line come together: what waits for its partner holds up its stream.
            at = random.below(lanes.len() as u64) as usize;
        }
        let (lane, priority) = &mut lanes[at];
        if !lane.is_in_word_line() && random.percent(2) {
            let mut planned = Planned::new(lane.request(Operation::Erase, 0), Ends::Refused);
            dress(&mut planned, *priority, tag, random);
            let words = spoil(&mut planned, random);
            rig.ask_words(words, planned);
            continue;
        }
        let mut planned = lane.next(&mut rig.world, random);
        dress(&mut planned, *priority, tag, random);
        if planned.stored.is_some() || matches!(planned.ends, Ends::Page(_)) {
            planned.request.buffer = rig.free_entry();
        }
        rig.ask(planned);
    }
    rig.finish();
    rig.check();
    if mix.model == Model::Sequential || mix.model == Model::InOrder {
        assert!(rig.channel.watch.most_occupied <= 1, "operations at a time");
    }
    rig
}

#[test]
fn pages_out_of_order() {
    let mix = Mix::new(Model::OutOfOrder, Diet::Pages, 2_000);
    seed::each(2, |random| drop(run(mix, random)));
}

#[test]
fn whole_operations_out_of_order() {
    let mix = Mix::new(Model::OutOfOrder, Diet::Wholes, 2_000);
    seed::each(1, |random| drop(run(mix, random)));
}

#[test]
fn everything_out_of_order() {
    let mix = Mix::new(Model::OutOfOrder, Diet::All, 2_000);
    seed::each(2, |random| drop(run(mix, random)));
}

#[test]
fn everything_decoupled() {
    let mix = Mix::new(Model::Decoupled, Diet::All, 1_000);
    seed::each(1, |random| drop(run(mix, random)));
}

#[test]
fn everything_one_after_the_other() {
    let mix = Mix::new(Model::Sequential, Diet::All, 500);
    seed::each(1, |random| drop(run(mix, random)));
}

#[test]
fn firmware_that_schedules_by_itself() {
    let mix = Mix::new(Model::InOrder, Diet::Steps, 1_000);
    seed::each(1, |random| drop(run(mix, random)));
}

/// Everything between requests and pins, where a chunk is larger and more of its bits can be wrong. The channel of 40 bits takes
/// long to compile: `make ecc-codes` has it.
#[test]
fn everything_with_strong_codes() {
    let codes = [(512, 24), (1024, 40)].map(|(chunk_bytes, t)| BchParams { chunk_bytes, t });
    for code in codes.into_iter().filter(|code| strong_top(*code).is_some()) {
        let mix = Mix { code, ..Mix::new(Model::OutOfOrder, Diet::All, 1_000) };
        seed::each(1, |random| {
            let rig = run(mix, random);
            assert!(rig.board.most > 15, "a page had at most {} bits corrected", rig.board.most);
        });
        println!("{code:?}: everything as the scoreboard says");
    }
}
