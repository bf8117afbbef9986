//! Random mixes of all ways, with the chips watching every step.

use crate::scheduler::channel::{Channel, Outcome, Policy, Request, OUT_OF_ORDER, WAYS};
use crate::scheduler::operation::*;
use rtl_sim::{seed, Pace, Random};

/// Kinds of mixes.
#[derive(Clone, Copy)]
struct Mix {
    operations: &'static [u8],
    /// Requests in a hundred that are urgent, and that are silent.
    urgent: u32,
    silent: u32,
    /// Requests in a hundred that continue on the next plane or page of the one before.
    sequel: u32,
}

const PAGES: &[u8] = &[READ, READ, PROGRAM, PROGRAM, ERASE];
const ALL: &[u8] = &[
    READ,
    READ,
    READ,
    PROGRAM,
    PROGRAM,
    PROGRAM,
    ERASE,
    ERASE,
    READ_PARAMETER_PAGE,
    READ_UNIQUE_ID,
    GET_FEATURES,
    GET_FEATURES_LUN,
    READ_STATUS,
    READ_STATUS_ENHANCED,
    RESET,
    SET_FEATURES,
    COPYBACK_READ,
    READ_ID,
    SYNCHRONOUS_RESET,
    RESET_LUN,
    FEATURES_TRANSFER,
    PROGRAM_ONE_SHOT,
];

/// What firmware that knows its chips could send. Requests of a word line come together.
fn requests(random: &mut Random, mix: Mix, count: usize) -> Vec<Request> {
    let mut made: Vec<Request> = Vec::new();
    while made.len() < count {
        let way = random.below(WAYS as u64) as u32;
        let last = made.iter().rev().find(|request| request.way == way);
        let request = match last {
            Some(last) if last.operation != PROGRAM_ONE_SHOT && random.percent(mix.sequel) => {
                let step = if random.percent(60) { 1 << 8 } else { 1 };
                Request { row: last.row ^ step, ..last.clone() }
            }
            _ => {
                let operation = mix.operations[random.below(mix.operations.len() as u64) as usize];
                let row = random.next() as u32 & 0x30_03ff;
                // Urgent requests have blocks of their own, so that they may overtake.
                let column = if random.percent(50) { 0 } else { random.below(8) as u32 * 552 };
                let urgent = random.percent(mix.urgent);
                let row = row | u32::from(urgent) << 12;
                Request { column, urgent, ..Request::new(operation, way, row) }
            }
        };
        let request = Request { silent: random.percent(mix.silent), ..request };
        if request.operation == PROGRAM_ONE_SHOT {
            for page in 1..3 {
                made.push(Request { row: request.row ^ page, ..request.clone() });
            }
        }
        made.push(request);
    }
    made
}

fn any_policy(random: &mut Random, model: u64) -> Policy {
    let mut policy = Policy { model, ..Policy::merging(1 + random.below(2) as u32) };
    policy.merge_planes = random.percent(75);
    policy.merge_cache_read = random.percent(75);
    policy.merge_cache_program = random.percent(75);
    policy.jedec = random.percent(30);
    policy.request_pace = Pace::any(random);
    policy.step_pace = Pace::any(random);
    policy.completion_pace = Pace::any(random);
    policy.slot_pace = Pace::any(random);
    policy.times.data = 60 + random.below(400);
    policy.times.program = 500 + random.below(4000);
    policy.times.erase = policy.times.program * 2;
    policy.times.jitter = Some(random.split());
    policy
}

/// Sends a mix, lets some programs and erases fail, and checks how each request ended.
fn run(random: &mut Random, policy: Policy, mix: Mix, count: usize) -> Channel {
    let mut channel = Channel::new(policy);
    let mut failing = Vec::new();
    for request in requests(random, mix, count) {
        let can_fail = [PROGRAM, ERASE, PROGRAM_ONE_SHOT].contains(&request.operation);
        let way = request.way as usize;
        let fails = can_fail && random.percent(8);
        let id = channel.send(request);
        if fails {
            channel.bus.chips[way].failing.insert(id);
            failing.push(id);
        }
    }
    channel.finish(30_000 + 12_000 * count as u64);
    for (id, request) in channel.requests().iter().enumerate() {
        check_end(&channel, id as u32, request, &failing);
    }
    channel
}

fn check_end(channel: &Channel, id: u32, request: &Request, failing: &[u32]) {
    let chip = &channel.bus.chips[request.way as usize];
    let is_page = [READ, PROGRAM, ERASE, PROGRAM_ONE_SHOT].contains(&request.operation);
    assert!(!is_page || chip.served.contains(&id), "request {id} did not reach the chip");
    let outcome = channel.outcome(id);
    if request.silent {
        assert_eq!(outcome, None, "{request:?}");
        return;
    }
    match request.operation {
        // The pages of a word line fail together. A status tells what the last program did.
        PROGRAM_ONE_SHOT | READ_STATUS | READ_STATUS_ENHANCED => {
            assert!([Some(Outcome::Success), Some(Outcome::Failed)].contains(&outcome));
        }
        _ => {
            let wanted = if failing.contains(&id) { Outcome::Failed } else { Outcome::Success };
            assert_eq!(outcome, Some(wanted), "{id}: {request:?}");
        }
    }
}

#[test]
fn pages_of_all_ways_are_merged_as_chips_allow() {
    seed::each(6, |random| {
        let policy = any_policy(random, OUT_OF_ORDER);
        let mix = Mix { operations: PAGES, urgent: 20, silent: 0, sequel: 80 };
        run(random, policy, mix, 2500);
    });
    seed::each(2, |random| {
        let policy = Policy { busy_timeout: 1000, ..Policy::merging(2) };
        let mix = Mix { operations: PAGES, urgent: 10, silent: 0, sequel: 90 };
        let channel = run(random, policy, mix, 1500);
        multi_plane_and_cache(&channel);
    });
}

fn multi_plane_and_cache(channel: &Channel) {
    let chips = &channel.bus.chips;
    assert!(chips.iter().map(|chip| chip.multi_plane).sum::<u32>() > 100);
    assert!(chips.iter().map(|chip| chip.cache_mode).sum::<u32>() > 100);
}

#[test]
fn everything_in_every_model() {
    seed::each(8, |random| {
        let model = random.below(4);
        let policy = any_policy(random, model);
        let mix = Mix { operations: ALL, urgent: 30, silent: 20, sequel: 40 };
        run(random, policy, mix, 1200);
    });
}

/// A way's step may be spoiled just when it was to be chosen, or another way be under visit: then it
/// takes a visit, of up to five requests, before the bus has something to do.
const VISIT_CYCLES: u64 = 11 + 4 * 5;

#[test]
fn the_bus_does_not_idle_while_a_way_could_go_on() {
    seed::each(3, |random| {
        for operations in [&[READ][..], PAGES] {
            let policy = Policy::merging(1);
            let mix = Mix { operations, urgent: 20, silent: 0, sequel: 50 };
            let channel = run(random, policy, mix, 800);
            let steps = channel.bus.log.len();
            let beyond = |cycles| channel.bus.log.iter().filter(|step| step.idle > cycles).count();
            assert!(beyond(4) * 250 <= steps, "{} of {steps} steps", beyond(4));
            assert_eq!(beyond(4 + VISIT_CYCLES), 0);
        }
    });
}
