use machine::{ChannelWaits, CommandTimes, EntryWaits, LatencySteps};

use super::*;

const A: CommandTag = CommandTag(0);
const B: CommandTag = CommandTag(1);
const FW: Part = Part::Firmware;
const ST: Part = Part::Storage;
const HI: Part = Part::HostInterface;

fn op(number: u32) -> OperationId {
    OperationId(number)
}

fn causes() -> Causes {
    Causes::new(4, 16, 2)
}

/// Where the time of a command went whose completion is handed over.
fn completed(causes: &mut Causes, tag: CommandTag, now: u64) -> Split {
    let mut split = Split::default();
    causes.complete(tag, now, &mut split);
    split
}

/// A command, fetched at `now - 10` and readable at `now - 4`, is taken and cut at once.
fn taken(causes: &mut Causes, tag: CommandTag, now: u64) {
    causes.take(tag, (now - 10, now - 4), now);
}

/// An operation that nothing on its entry comes before.
fn planned(causes: &mut Causes, id: OperationId, plan: (CommandTag, Needs), now: u64) {
    causes.plan(id, (Some(plan.0), plan.1), now);
    if let Needs::Die(die) = plan.1 {
        causes.head(id, die, (now, 0));
    }
    causes.release(id, None, (now, 0));
}

#[test]
fn a_read_is_split_along_its_way() {
    let mut c = causes();
    taken(&mut c, A, 100);
    planned(&mut c, op(0), (A, Needs::Die(1)), 120);
    // The DMA waits for the read; it is cut 5 later.
    c.plan(op(1), (Some(A), Needs::DmaEngine), 125);
    c.leave(125);
    // The bus was others' for 30 of the 60 that pass.
    c.pick(op(0), None, (180, 30));
    c.begin(op(0), 183);
    c.hand_over(187, [(Cause::Bus, 190), (Cause::Transfer, 200), (Cause::Flash, 700)]);
    assert!(c.is_handed(op(0)));
    // Ready at 700, when others had the bus for 40 all told; issued at 800, when it was 90.
    c.pick(op(0), Some(40), (800, 90));
    c.hand_over(804, [(Cause::Bus, 804), (Cause::Transfer, 810)]);
    c.answer(op(0), 812);
    c.answered((814, 95));
    c.leave(815);
    c.pick(op(0), None, (820, 97));
    let end = [(Cause::Bus, 822), (Cause::Transfer, 900), (Cause::Memory, 901), (Cause::Ecc, 911)];
    c.hand_over(822, end);
    c.answer(op(0), 920);
    c.end(op(0), 922);
    c.release(op(1), Some(op(0)), (925, 0));
    c.pick(op(1), None, (930, 2));
    c.begin(op(1), 931);
    c.hand_over(932, [(Cause::DmaEngine, 940), (Cause::HostLink, 950)]);
    c.end(op(1), 955);
    c.attend(Some(A), 960);
    let split = completed(&mut c, A, 963);
    assert_eq!(split.total(), 963 - 90);
    let expected = [
        (HI, Cause::HostLink, 6 + 10),
        (HI, Cause::Processor, 4 + 5),
        (HI, Cause::Processing, 1),
        (HI, Cause::DmaEngine, 8),
        (FW, Cause::Processing, 20 + 3 + 3 + 1 + 3 + 5),
        (FW, Cause::Bus, 30),
        (FW, Cause::Processor, 30 + 3),
        (FW, Cause::DmaEngine, 2),
        (ST, Cause::Bus, 3 + 50 + 2),
        (ST, Cause::Processor, 50 + 2 + 3 + 9),
        (ST, Cause::Processing, 4 + 4 + 2 + 1 + 2 + 2),
        (ST, Cause::Transfer, 10 + 6 + 78),
        (ST, Cause::Flash, 500),
        (ST, Cause::Memory, 1),
        (ST, Cause::Ecc, 10),
    ];
    for (part, cause, time) in expected {
        assert_eq!(split.of(part, cause), time, "{part:?} {cause:?}");
    }
}

#[test]
fn a_wait_for_a_die_is_told_from_one_behind_the_drives_own_work() {
    let mut c = causes();
    // The die collects from 0 to 70, works for B until 100, collects again until 130.
    c.plan(op(0), (None, Needs::Die(0)), 0);
    c.head(op(0), 0, (0, 0));
    taken(&mut c, B, 20);
    c.plan(op(1), (Some(B), Needs::Die(0)), 20);
    c.release(op(1), None, (20, 0));
    c.plan(op(2), (None, Needs::Die(0)), 25);
    taken(&mut c, A, 50);
    c.plan(op(3), (Some(A), Needs::Die(0)), 50);
    c.release(op(3), None, (50, 0));
    c.leave(50);
    c.head(op(1), 0, (70, 0));
    c.head(op(2), 0, (100, 0));
    c.head(op(3), 0, (130, 0));
    c.pick(op(3), None, (130, 0));
    c.end(op(3), 130);
    let split = completed(&mut c, A, 130);
    assert_eq!(split.of(FW, Cause::Internal), 20 + 30);
    assert_eq!(split.of(FW, Cause::Die), 30);
    assert_eq!(split.total(), 90);
}

#[test]
fn others_on_an_entry_are_waited_for_and_own_operations_followed() {
    let mut c = causes();
    taken(&mut c, B, 20);
    planned(&mut c, op(0), (B, Needs::DmaEngine), 20);
    taken(&mut c, A, 30);
    // A's page is evicted from an entry that B still reads; A's data follow.
    c.plan(op(1), (Some(A), Needs::Die(0)), 30);
    c.head(op(1), 0, (30, 0));
    c.plan(op(2), (Some(A), Needs::DmaEngine), 30);
    c.pick(op(0), None, (40, 0));
    c.end(op(0), 60);
    c.release(op(1), Some(op(0)), (60, 0));
    c.pick(op(1), None, (60, 0));
    c.begin(op(1), 60);
    c.hand_over(60, [(Cause::Transfer, 70), (Cause::Flash, 300)]);
    c.answer(op(1), 300);
    c.end(op(1), 300);
    c.release(op(2), Some(op(1)), (300, 0));
    c.pick(op(2), None, (300, 0));
    c.end(op(2), 310);
    let split = completed(&mut c, A, 310);
    assert_eq!(split.of(FW, Cause::Entry), 30);
    assert_eq!((split.of(ST, Cause::Transfer), split.of(ST, Cause::Flash)), (10, 230));
    assert_eq!(split.total(), 290);
}

#[test]
fn the_last_of_several_operations_is_what_a_command_waited_for() {
    let mut c = causes();
    taken(&mut c, A, 100);
    planned(&mut c, op(0), (A, Needs::Die(0)), 100);
    planned(&mut c, op(1), (A, Needs::Die(1)), 110);
    for (id, until) in [(op(0), 900), (op(1), 500)] {
        c.pick(id, None, (110, 0));
        c.begin(id, 110);
        c.hand_over(110, [(Cause::Flash, until)]);
    }
    for (id, now) in [(op(1), 500), (op(0), 900)] {
        c.answer(id, now);
        c.end(id, now);
    }
    let split = completed(&mut c, A, 900);
    // The processor was cutting the other one's slice meanwhile.
    assert_eq!((split.of(ST, Cause::Flash), split.of(FW, Cause::Processor)), (790, 10));
    assert_eq!(split.total(), 810);
}

/// A controller reset ends commands whose operations go on.
#[test]
fn an_operation_that_outlives_its_command_is_not_the_next_ones_with_the_tag() {
    let mut c = causes();
    taken(&mut c, A, 100);
    planned(&mut c, op(0), (A, Needs::Die(0)), 100);
    c.plan(op(1), (Some(A), Needs::DmaEngine), 100);
    completed(&mut c, A, 150);
    taken(&mut c, A, 200);
    planned(&mut c, op(2), (A, Needs::DmaEngine), 210);
    c.leave(210);
    c.answer(op(0), 220);
    c.end(op(0), 220);
    c.release(op(1), Some(op(0)), (220, 0));
    c.pick(op(2), None, (230, 0));
    c.end(op(2), 240);
    let split = completed(&mut c, A, 240);
    assert_eq!(split.total(), 50);
    assert_eq!((split.of(FW, Cause::Processor), split.of(FW, Cause::Processing)), (20, 20));
}

#[test]
fn what_a_command_says_it_waited_for_counts_unless_it_was_worked_on() {
    let mut c = causes();
    taken(&mut c, A, 100);
    c.waited(A, Cause::Order, 105);
    c.leave(110);
    c.waited(A, Cause::Order, 150);
    c.attend(Some(A), 160);
    let split = completed(&mut c, A, 170);
    let firmware = [Cause::Processing, Cause::Order, Cause::Processor].map(|it| split.of(FW, it));
    assert_eq!(firmware, [20, 40, 10]);
}

#[test]
fn the_ends_of_a_command_are_the_hosts() {
    let mut inside = Split::default();
    inside.add(Part::Storage, Cause::Flash, 500);
    let times =
        CommandTimes { fetched_ps: 1_000, posted_ps: 1_500, inside, latencies_ps: [100, 200] };
    let split = *times.clone().split(700, 2_000);
    assert_eq!(split.of(HI, Cause::HostLink), 100 + 200);
    assert_eq!((split.of(HI, Cause::Fetch), split.of(HI, Cause::Host)), (200, 300));
    // Seen earlier than an interrupt takes: the host looked by itself.
    assert_eq!(times.clone().split(950, 1_550).of(HI, Cause::HostLink), 50 + 50);
}

/// The chip of an operation is told to suspend it: what it was to do later is charged again.
#[test]
fn what_was_charged_ahead_is_taken_back() {
    for (now, bus, transfer, flash) in
        [(450, 10, 40, 250), (170, 10, 10, 0), (155, 5, 0, 0), (900, 10, 40, 600)]
    {
        let mut c = causes();
        taken(&mut c, A, 150);
        planned(&mut c, op(0), (A, Needs::Die(0)), 150);
        c.pick(op(0), None, (150, 0));
        c.begin(op(0), 150);
        c.hand_over(150, [(Cause::Bus, 160), (Cause::Transfer, 200), (Cause::Flash, 800)]);
        c.pick(op(0), None, (now, 0));
        c.end(op(0), now);
        let split = completed(&mut c, A, now);
        let told = [Cause::Bus, Cause::Transfer, Cause::Flash].map(|cause| split.of(ST, cause));
        assert_eq!((told, split.total()), ([bus, transfer, flash], now - 140), "at {now}");
    }
}

#[test]
fn nothing_is_kept_where_nobody_asks() {
    let mut c = causes();
    c.set_asked(Accounts::None, 4, 2);
    taken(&mut c, A, 100);
    planned_for_nobody(&mut c);
    let mut split = Split::default();
    c.complete(A, 300, &mut split);
    assert_eq!((split, c.operations.len(), c.needs(op(0))), (Split::default(), 0, None));
    c.set_asked(Accounts::Kept, 4, 2);
    taken(&mut c, A, 400);
    assert_eq!(completed(&mut c, A, 500).total(), 110);
}

/// An operation of a command is planned and becomes the first of its die.
fn planned_for_nobody(causes: &mut Causes) {
    causes.plan(op(0), (Some(A), Needs::Die(0)), 120);
    causes.head(op(0), 0, (130, 0));
    causes.attend(Some(A), 140);
    causes.waited(A, Cause::Order, 150);
    assert_eq!(causes.hand_over(160, [(Cause::Flash, 200)]), None);
}

/// A command's data wait for an entry whose page is being programmed: for 30 the die erased before that, for 50 it moved
/// pages, for 15 it worked for another command.
#[test]
fn a_wait_for_an_entry_tells_what_was_waited_for() {
    let mut c = causes();
    // The die erases from 0 to 40, collects until 90, and works for B until 105.
    c.plan(op(0), (None, Needs::Die(0)), 0);
    c.head(op(0), 0, (0, 0));
    taken(&mut c, B, 10);
    c.plan(op(1), (None, Needs::Die(0)), 10);
    c.plan(op(2), (Some(B), Needs::Die(0)), 10);
    c.release(op(2), None, (10, 0));
    // The drive writes a page back, whose entry A wants.
    c.plan(op(3), (None, Needs::Die(0)), 10);
    taken(&mut c, A, 10);
    c.plan(op(4), (Some(A), Needs::DmaEngine), 10);
    c.leave(10);
    c.erases(0, 30);
    c.head(op(1), 0, (40, 0));
    c.head(op(2), 0, (90, 0));
    c.head(op(3), 0, (105, 0));
    c.release(op(4), Some(op(3)), (400, 0));
    let expected = EntryWaits {
        erase_ps: 30,
        internal_ps: 50,
        die_ps: 15,
        flash_ps: 295,
        ..EntryWaits::default()
    };
    assert_eq!(c.entry_waits(), expected);
    // An entry that the host still reads.
    taken(&mut c, B, 500);
    c.plan(op(5), (Some(B), Needs::DmaEngine), 500);
    c.release(op(5), Some(op(4)), (520, 0));
    assert_eq!(c.entry_waits(), EntryWaits { host_ps: 20, ..expected });
}

/// Of two channels with two dies each, a die of the second reads for A and then for B, which waits until A's page is there. The
/// drive's own operations are not counted.
#[test]
fn a_channel_tells_how_long_its_operations_took() {
    let mut c = Causes::new(4, 16, 4);
    c.set_asked(Accounts::Kept, 4, 2);
    taken(&mut c, A, 100);
    planned(&mut c, op(0), (A, Needs::Die(3)), 100);
    taken(&mut c, B, 110);
    c.plan(op(1), (Some(B), Needs::Die(3)), 110);
    c.release(op(1), None, (110, 0));
    c.plan(op(2), (None, Needs::Die(0)), 110);
    c.leave(110);
    c.end(op(0), 150);
    c.head(op(1), 3, (150, 0));
    c.end(op(1), 210);
    let busy = ChannelWaits { operations: 2, queued_ps: 40, served_ps: 50 + 60 };
    assert_eq!(c.channel_waits(2), [ChannelWaits::default(), busy]);
    let counted =
        c.channel_latencies().iter().map(|one| one.counted().collect()).collect::<Vec<Vec<_>>>();
    assert_eq!(counted, [vec![], vec![(LatencySteps::step_of(100), 2)]]);
}
