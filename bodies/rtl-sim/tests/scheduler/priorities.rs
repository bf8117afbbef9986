//! Urgent requests, turns, and F-RSVP.

use crate::scheduler::channel::{Channel, Outcome, Policy, Request, OUT_OF_ORDER, WAYS};
use crate::scheduler::operation::*;
use rtl_sim::{seed, Random};

/// Reads of low priority on all ways, so many each.
fn low_reads(channel: &mut Channel, each: u32) {
    for page in 0..each {
        channel.send_all((0..WAYS as u32).map(|way| Request::new(READ, way, page)));
    }
}

#[test]
fn low_priority_never_occupies_more_ways_than_reserved() {
    for low_ways in 1..=WAYS as u32 {
        let policy = Policy { low_ways: u64::from(low_ways), ..Policy::plain(OUT_OF_ORDER) };
        let mut channel = Channel::new(policy);
        low_reads(&mut channel, 4);
        channel.finish(200_000);
        assert_eq!(channel.bus.most_occupied, low_ways);
    }
}

#[test]
fn no_new_operation_begins_beyond_a_lower_reservation() {
    let mut channel = Channel::new(Policy::plain(OUT_OF_ORDER));
    low_reads(&mut channel, 14);
    for low_ways in [8, 2, 5, 0, 1] {
        channel.set_low_ways(low_ways);
        // Operations that began before run to their end.
        for _ in 0..12_000 {
            channel.cycle();
        }
        channel.bus.most_occupied = 0;
        for _ in 0..6000 {
            channel.cycle();
        }
        assert_eq!(u64::from(channel.bus.most_occupied), low_ways);
    }
    channel.set_low_ways(8);
    channel.finish(400_000);
}

#[test]
fn urgent_requests_need_no_reservation() {
    let mut channel = Channel::new(Policy { low_ways: 0, ..Policy::plain(OUT_OF_ORDER) });
    low_reads(&mut channel, 1);
    let urgent: Vec<u32> =
        (0..WAYS as u32).map(|way| channel.send(Request::new(READ, way, 7).urgent())).collect();
    for _ in 0..20_000 {
        channel.cycle();
    }
    let done: Vec<u32> = channel.outcomes.keys().copied().collect();
    assert_eq!(done, urgent);
    channel.set_low_ways(1);
    channel.finish(50_000);
}

#[test]
fn urgent_requests_go_before_others_at_the_border_of_operations() {
    let mut channel = Channel::new(Policy::plain(OUT_OF_ORDER));
    channel.bus.keep_busy(0, 2000);
    let low: Vec<u32> = (0..4).map(|page| channel.send(Request::new(PROGRAM, 0, page))).collect();
    let urgent: Vec<u32> =
        (4..8).map(|page| channel.send(Request::new(READ, 0, page).urgent())).collect();
    channel.finish(200_000);
    let mut first: Vec<u32> = channel.log().iter().map(|step| step.2).collect();
    first.dedup();
    let reads = urgent.iter().copied();
    assert_eq!(first, reads.chain(low).collect::<Vec<u32>>());
}

#[test]
fn classes_go_in_order_and_ways_in_turn() {
    let mut channel = Channel::new(Policy::plain(OUT_OF_ORDER));
    // While way 7 has the bus, the others get what they are to do.
    let first = channel.send(Request::new(PROGRAM, 7, 0));
    while channel.log().is_empty() {
        channel.cycle();
    }
    let low_data = [5, 6].map(|way| channel.send(Request::new(PROGRAM, way, 1)));
    let urgent_data = [0, 1].map(|way| channel.send(Request::new(PROGRAM, way, 2).urgent()));
    let low = channel.send(Request::new(ERASE, 2, 3));
    let urgent = [3, 4].map(|way| channel.send(Request::new(ERASE, way, 4).urgent()));
    channel.finish(200_000);
    let begun: Vec<u32> = channel.log().iter().take(8).map(|step| step.2).collect();
    let expected =
        [&[first], urgent.as_slice(), &[low], urgent_data.as_slice(), low_data.as_slice()];
    assert_eq!(begun, expected.concat());
}

#[test]
fn data_of_all_ways_come_in_turn() {
    let mut policy = Policy::plain(OUT_OF_ORDER);
    policy.times.read = 100;
    let mut channel = Channel::new(policy);
    low_reads(&mut channel, 10);
    channel.finish(200_000);
    let transfers: Vec<u32> = channel
        .log()
        .iter()
        .filter(|(operation, ..)| *operation == READ_TRANSFER)
        .map(|(_, way, _)| *way)
        .collect();
    // Once all ways have pages, none waits for more than one page of each other.
    for window in transfers[16..64].windows(WAYS) {
        let mut ways = window.to_vec();
        ways.sort_unstable();
        ways.dedup();
        assert_eq!(ways.len(), WAYS, "{transfers:?}");
    }
}

#[test]
fn reservation_holds_in_mixes() {
    seed::each(3, |random| {
        let mut channel = Channel::new(Policy { low_ways: 3, ..Policy::merging(1) });
        let mut low = 0;
        for _ in 0..600 {
            let request = any_page(random);
            low += u32::from(!request.urgent);
            channel.send(request);
        }
        while channel.outcomes.len() < 600 {
            channel.cycle();
            let operations = channel.bus.begun.iter().flatten();
            let of_low = operations.filter(|id| !channel.requests()[**id as usize].urgent);
            assert!(of_low.count() <= 3);
            assert!(channel.cycles() < 4_000_000, "stuck");
        }
        assert!(low > 100);
        assert!(channel.outcomes.values().all(|outcome| *outcome == Outcome::Success));
    });
}

fn any_page(random: &mut Random) -> Request {
    let operation = [READ, READ, PROGRAM, ERASE][random.below(4) as usize];
    let urgent = random.percent(40);
    // Urgent requests have blocks of their own, so that they may overtake.
    let row = random.next() as u32 & 0x3ff | u32::from(urgent) << 12;
    Request { urgent, ..Request::new(operation, random.below(WAYS as u64) as u32, row) }
}
