//! The hardware's channel against the simulator's: random requests into both, the same commands on the
//! bus in the same order, and responses within 1 % of their time.

use crate::channel::lanes::{Diet, Lane};
use crate::channel::rig::{policy, Found, Harm, Plan, Rig, Times};
use crate::channel::scoreboard::{Ends, Planned};
use crate::channel::twin::Twin;
use crate::channel::world::{Shape, Speed, SOURCES, SPEEDS};
use contract::packet::{Answer, Interrupt, Model, Operation, Outcome, Priority, Request};
use contract::WayOrder;
use rtl_sim::channel::{FullQueue, Policy};
use rtl_sim::{seed, Random};

/// What a stream of requests is made of.
#[derive(Clone, Copy, Debug)]
struct Mix {
    model: Model,
    diet: Diet,
    requests: usize,
    priorities: Priorities,
}

/// Who is urgent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Priorities {
    /// Requests of a priority have blocks of their own.
    Apart,
    /// Any request, so that urgent ones depend on others.
    Mixed,
}

fn any_policy(model: Model, shape: Shape, random: &mut Random) -> Policy {
    Policy {
        merge_planes: random.percent(75),
        merge_cache_read: random.percent(75),
        merge_cache_program: random.percent(75),
        jedec: random.percent(30),
        low_ways: if random.percent(50) { 8 } else { 1 + random.below(8) as u8 },
        age: if random.percent(50) { 0 } else { 1 + random.below(7) as u8 },
        ..policy(shape, model)
    }
}

/// Lanes of all ways: one for each priority, where priorities count and order is not firmware's.
fn lanes(mix: Mix, random: &mut Random) -> Vec<(Lane, Priority)> {
    let mut lanes = vec![];
    for way in 0..8 {
        let mut lane = |share, priority| lanes.push((Lane::new(way, mix.diet, share), priority));
        match (mix.model, mix.diet, mix.priorities) {
            (Model::OutOfOrder, Diet::Pages, Priorities::Apart) => {
                lane((0, 2), Priority::Low);
                lane((1, 2), Priority::High);
            }
            _ => lane((0, 1), if random.percent(30) { Priority::High } else { Priority::Low }),
        }
    }
    lanes
}

/// A time between two requests: mostly none, sometimes long enough for the channel to run empty.
fn gap(random: &mut Random) -> u64 {
    match random.below(20) {
        0 => random.below(4_000),
        1..5 => random.below(200),
        _ => 0,
    }
}

fn dress(planned: &mut Planned, priority: Priority, tag: usize, random: &mut Random) {
    let request = &mut planned.request;
    request.tag = tag as u8;
    request.stream = random.below(8) as u8;
    request.priority = priority;
    request.interrupt = if random.percent(30) { Interrupt::Always } else { Interrupt::Never };
    if random.percent(10) {
        request.answer = Answer::Silent;
    }
}

fn run(mix: Mix, speed: Speed, found: Found, random: &mut Random) -> Twin {
    let shape = Shape::any(random);
    let policy = any_policy(mix.model, shape, random);
    let plan = Plan {
        policy,
        entries: SOURCES + mix.requests + 200,
        harm: Harm::Some,
        times: Times::Exact,
        found,
        ..Plan::new(speed, shape)
    };
    let mut twin = Twin::new(Rig::new(plan, random), policy, speed.period);
    let mut lanes = lanes(mix, random);
    let mut at = 0;
    for tag in 0.. {
        if tag >= mix.requests {
            match lanes.iter().position(|(lane, _)| lane.is_in_burst()) {
                Some(lane) => at = lane,
                None => break,
            }
        } else if !lanes[at].0.is_in_word_line() && random.percent(15) {
            at = random.below(lanes.len() as u64) as usize;
        }
        let (lane, priority) = &mut lanes[at];
        if mix.priorities == Priorities::Mixed && !lane.is_in_word_line() {
            *priority = if random.percent(40) { Priority::High } else { Priority::Low };
        }
        let mut planned = lane.next(&mut twin.rig.world, random);
        dress(&mut planned, *priority, tag, random);
        if planned.stored.is_some() || matches!(planned.ends, Ends::Page(_)) {
            planned.request.buffer = twin.rig.free_entry();
        }
        twin.ask(planned);
        let gap = gap(random);
        twin.run(gap);
    }
    twin.finish();
    twin.rig.check();
    twin.check();
    twin
}

/// Runs a mix at any speed, for so many seeds.
fn compare(mix: Mix, seeds: u64) {
    seed::each(seeds, |random| {
        let speed = SPEEDS[random.below(SPEEDS.len() as u64) as usize];
        run(mix, speed, Found::ByPins, random);
    });
}

/// The same where ways are asked for their status.
fn compare_asked(mix: Mix, seeds: u64) {
    seed::each(seeds, |random| {
        let speed = SPEEDS[random.below(SPEEDS.len() as u64) as usize];
        let twin = run(mix, speed, Found::ByStatus, random);
        let asked = twin.statuses();
        assert!(asked > mix.requests, "{asked} statuses of {} requests", mix.requests);
    });
}

#[test]
fn everything_out_of_order_of_ways_that_are_asked() {
    let mix = Mix {
        model: Model::OutOfOrder,
        diet: Diet::All,
        requests: 300,
        priorities: Priorities::Apart,
    };
    compare_asked(mix, 4);
}

#[test]
fn steps_of_firmware_of_ways_that_are_asked() {
    let mix = Mix {
        model: Model::InOrder,
        diet: Diet::Steps,
        requests: 200,
        priorities: Priorities::Apart,
    };
    compare_asked(mix, 2);
}

#[test]
fn pages_out_of_order() {
    let mix = Mix {
        model: Model::OutOfOrder,
        diet: Diet::Pages,
        requests: 400,
        priorities: Priorities::Apart,
    };
    compare(mix, 4);
}

/// An urgent request overtakes what it does not depend on, and all pages are as they were asked for.
#[test]
fn urgent_pages_that_depend_on_others() {
    let mix = Mix {
        model: Model::OutOfOrder,
        diet: Diet::Pages,
        requests: 400,
        priorities: Priorities::Mixed,
    };
    compare(mix, 3);
}

/// More reads than queues hold: those for which there is no room come back, others go on.
#[test]
fn full_queues_give_back() {
    seed::each(1, |random| {
        let shape = Shape::any(random);
        let policy = Policy {
            full_queue: FullQueue::GivesBack,
            ..any_policy(Model::OutOfOrder, shape, random)
        };
        let plan = Plan {
            policy,
            entries: SOURCES + 800,
            times: Times::Exact,
            ..Plan::new(SPEEDS[0], shape)
        };
        let mut twin = Twin::new(Rig::new(plan, random), policy, SPEEDS[0].period);
        for tag in 0..500_u32 {
            // Half of them for one way.
            let way = if random.percent(50) { 3 } else { random.below(8) as u8 };
            let row = twin.rig.world.config.rows.row(0, random.below(32) as u32, 0);
            let priority = if random.percent(30) { Priority::High } else { Priority::Low };
            let request = Request {
                priority,
                tag: tag as u8,
                stream: random.below(8) as u8,
                length: 512,
                buffer: twin.rig.free_entry(),
                ..Request::new(Operation::Read, way, row)
            };
            twin.ask(Planned::new(request, Ends::Somehow));
            let gap = if random.percent(3) { random.below(3_000) } else { random.below(20) };
            twin.run(gap);
        }
        twin.finish();
        twin.check();
        let given_back = twin.outcomes(Outcome::GivenBack);
        assert!(given_back > 20, "{given_back} came back");
    });
}

/// Ways that fail, halt, give back, are aborted and go on at any time.
#[test]
fn ways_that_halt() {
    seed::each(2, |random| {
        let shape = Shape::any(random);
        let policy = Policy {
            halt_on_failure: random.percent(70),
            ..any_policy(Model::OutOfOrder, shape, random)
        };
        let speed = SPEEDS[random.below(SPEEDS.len() as u64) as usize];
        let plan = Plan {
            policy,
            entries: SOURCES + 800,
            harm: Harm::Some,
            times: Times::Exact,
            ..Plan::new(speed, shape)
        };
        let mut twin = Twin::new(Rig::new(plan, random), policy, speed.period);
        for tag in 0..400_u32 {
            let request = any_erase(tag, &mut twin, random);
            twin.ask(Planned::new(request, Ends::Somehow));
            if random.percent(15) {
                let orders =
                    [WayOrder::Halt, WayOrder::Resume, WayOrder::GiveBack, WayOrder::Abort];
                let order = orders[random.below(4) as usize];
                twin.order(order, random.below(8) as u8);
            }
            let gap = if random.percent(20) { random.below(3_000) } else { random.below(20) };
            twin.run(gap);
        }
        for way in 0..8 {
            twin.order(WayOrder::GiveBack, way);
            twin.run(3_000);
            twin.order(WayOrder::Resume, way);
            twin.run(3_000);
        }
        // What failed since halts again.
        while twin.rig.board.open() > 0 {
            (0..8).for_each(|way| {
                twin.order(WayOrder::Resume, way);
                twin.run(1);
            });
            twin.run(2_000);
        }
        twin.finish();
        twin.check();
        for outcome in [Outcome::Success, Outcome::Failed, Outcome::GivenBack] {
            assert!(twin.outcomes(outcome) > 0, "{outcome:?}");
        }
    });
}

/// An erase or a read of an erased page, in blocks some of which fail.
fn any_erase(tag: u32, twin: &mut Twin, random: &mut Random) -> Request {
    let rows = twin.rig.world.config.rows;
    let lun = random.below(rows.luns.into()) as u32;
    let row = rows.row(lun, random.below(32) as u32, 0);
    let way = random.below(8) as u8;
    let operation = if random.percent(60) { Operation::Erase } else { Operation::Read };
    Request {
        priority: if random.percent(30) { Priority::High } else { Priority::Low },
        tag: tag as u8,
        stream: random.below(8) as u8,
        length: if operation == Operation::Read { 512 } else { 0 },
        buffer: twin.rig.free_entry(),
        ..Request::new(operation, way, row)
    }
}

#[test]
fn everything_out_of_order() {
    let mix = Mix {
        model: Model::OutOfOrder,
        diet: Diet::All,
        requests: 400,
        priorities: Priorities::Apart,
    };
    compare(mix, 2);
}

#[test]
fn everything_decoupled() {
    let mix = Mix {
        model: Model::Decoupled,
        diet: Diet::All,
        requests: 300,
        priorities: Priorities::Apart,
    };
    compare(mix, 2);
}

#[test]
fn everything_one_after_the_other() {
    let mix = Mix {
        model: Model::Sequential,
        diet: Diet::All,
        requests: 120,
        priorities: Priorities::Apart,
    };
    compare(mix, 1);
}

#[test]
fn steps_of_firmware_that_schedules_by_itself() {
    let mix = Mix {
        model: Model::InOrder,
        diet: Diet::Steps,
        requests: 200,
        priorities: Priorities::Apart,
    };
    compare(mix, 1);
}
