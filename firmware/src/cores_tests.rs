//! The order of what cores tell each other.

use contract::{BufferId, Span};

use super::*;
use crate::nvme::tests::mock::{configuration, MockHardware};
use crate::operations::{Action, Data, Dma, Ended, OpId, Operation, Owner, Page, Task};

const HOST: u8 = 0;
const FTL: u8 = 1;
const CHANNELS: u8 = 2;

/// Layers whose host side and FTL are on two cores, and whose channels are on one of these or on a third.
fn layers_with(channels: u8) -> (FlashLayers<CoreSchedulers>, MockHardware) {
    let config = configuration();
    let cores = Cores { count: channels + 1, host: HOST, ftl: FTL, channels: [channels; 64] };
    let mut hw = MockHardware::new(&config);
    let mut layers = FlashLayers::new(&config, &mut hw, CoreSchedulers::new(&config, cores));
    layers.station.divide(cores);
    (layers, hw)
}

fn layers() -> (FlashLayers<CoreSchedulers>, MockHardware) {
    layers_with(FTL)
}

fn flush(tag: u16) -> IoCommand {
    IoCommand {
        tag: CommandTag(tag),
        kind: IoKind::Flush,
        start: 0,
        blocks: 0,
        durability: Durability::Cached,
        handle: 0,
    }
}

/// Tags that do not follow each other.
const TAGS: [u16; 4] = [3, 1, 7, 2];

#[test]
fn the_ftl_is_told_of_commands_in_the_order_in_which_they_came() {
    let (mut layers, mut hw) = layers();
    assert!(layers.scheduler.is_clear());
    for tag in TAGS {
        let FlashLayers { scheduler, ftl, .. } = &mut layers;
        assert_eq!(scheduler.submit(ftl, flush(tag)), Completer::Firmware);
    }
    layers.tell_submitted(&mut hw);
    assert_eq!(hw.sent, TAGS.map(|tag| (FTL, Message::Command(CommandTag(tag)))));
    assert!(!layers.scheduler.is_clear(), "they are on their way");
    hw.sent.clear();
    layers.tell_submitted(&mut hw);
    assert_eq!(hw.sent, [], "each is told once");
}

/// Flushes of a drive at rest end at once, one after the other.
#[test]
fn the_host_side_is_told_of_what_is_done_in_its_order_and_takes_it_so() {
    let (mut layers, mut hw) = layers();
    for tag in TAGS {
        let FlashLayers { scheduler, ftl, .. } = &mut layers;
        scheduler.submit(ftl, flush(tag));
    }
    hw.inbox.extend(TAGS.map(|tag| Message::Command(CommandTag(tag))));
    assert!(layers.take_messages(&mut hw));
    for _ in 0..100 {
        let FlashLayers { ftl, station, .. } = &mut layers;
        ftl.advance(&mut Ports { hw: &mut hw, station });
        layers.tell_planned(FTL, &mut hw);
    }
    assert_eq!(hw.sent, TAGS.map(|tag| (HOST, Message::Done(CommandTag(tag)))));
    let FlashLayers { scheduler, ftl, .. } = &mut layers;
    assert_eq!(scheduler.next_done(ftl), None, "the messages are on their way");
    assert!(!scheduler.is_clear());
    let told = [2, 0, 3, 1].map(|nth| TAGS[nth]);
    hw.inbox.extend(told.map(|tag| Message::Done(CommandTag(tag))));
    assert!(layers.take_messages(&mut hw));
    let FlashLayers { scheduler, ftl, .. } = &mut layers;
    let taken = told.map(|_| scheduler.next_done(ftl));
    assert_eq!(taken, told.map(|tag| Some((CommandTag(tag), IoOutcome::Success))));
    assert!(scheduler.next_done(ftl).is_none() && scheduler.is_clear());
}

/// A turn takes so many messages at most, and leaves the others where they are.
#[test]
fn a_turn_takes_the_first_messages_and_no_more_than_its_share() {
    let (mut layers, mut hw) = layers();
    assert!(!layers.take_messages(&mut hw), "there is none");
    let count = MESSAGES_A_TURN as usize + 2;
    hw.inbox.extend((0..count).map(|nth| Message::Done(CommandTag(nth as u16 % 8))));
    layers.scheduler.on_the_way = count as u32;
    assert!(layers.take_messages(&mut hw));
    let left: Vec<_> = hw.inbox.iter().copied().collect();
    assert_eq!(left, [0, 1].map(|nth| Message::Done(CommandTag(nth))));
    assert_eq!(layers.scheduler.done.len(), MESSAGES_A_TURN as usize);
}

/// Plans operations that may begin at once: erases of two ways, with a DMA behind each.
fn plan(layers: &mut FlashLayers<CoreSchedulers>, hw: &mut MockHardware) -> Vec<(u8, OpId)> {
    let span = Span { offset: 0, length: 4096 };
    let data = |row| Data {
        entry: BufferId(row),
        span,
        host_offset: 0,
        command_bytes: span.length,
        completer: Completer::Firmware,
    };
    let mut planned = Vec::new();
    for (die, row) in [(1, 0), (0, 32), (1, 64), (1, 96), (0, 0)] {
        let erase = Operation::flash(Owner::Drive, Page { die, row }, Task::Erase);
        let action = Action::Dma(Dma::ToHost(data(row)));
        let dma = Operation { owner: Owner::Counts(CommandTag(0)), action };
        for (core, op) in [(CHANNELS, erase), (HOST, dma)] {
            let id = layers.station.reserve(hw, op);
            layers.station.release(id);
            planned.push((core, id));
        }
    }
    planned
}

/// What the FTL tells of operations of one way must not overtake each other: they begin in the order of its messages.
#[test]
fn others_are_told_what_may_begin_in_the_order_in_which_it_was_planned() {
    let (mut layers, mut hw) = layers_with(CHANNELS);
    let planned = plan(&mut layers, &mut hw);
    layers.tell_planned(FTL, &mut hw);
    let told = planned.iter().map(|&(core, id)| match core {
        HOST => (core, Message::Move(id.into())),
        _ => (core, Message::Begin(id.into())),
    });
    assert_eq!(hw.sent, told.collect::<Vec<_>>());
    hw.sent.clear();
    layers.tell_planned(FTL, &mut hw);
    assert_eq!(hw.sent, [], "each is told once");
}

/// A transfer goes to the DMA engine, and an end to the FTL, in the order of its message.
#[test]
fn what_moves_and_what_has_ended_is_taken_in_the_order_of_messages() {
    let (mut layers, mut hw) = layers_with(CHANNELS);
    let planned = plan(&mut layers, &mut hw);
    let of = |own: u8| planned.iter().filter(move |(core, _)| *core == own).map(|&(_, id)| id);
    let (moves, erases): (Vec<_>, Vec<_>) = (of(HOST).collect(), of(CHANNELS).rev().collect());
    hw.inbox.extend(moves.iter().map(|&id| Message::Move(id.into())));
    hw.inbox.extend(erases.iter().map(|&id| Message::Ended(id.into())));
    assert!(layers.take_messages(&mut hw));
    let station = &mut layers.station;
    assert_eq!(station.pool.iter(&station.dma).collect::<Vec<_>>(), moves);
    let ended: Vec<_> = core::iter::from_fn(|| station.next_ended()).map(|(id, _)| id).collect();
    assert_eq!(ended, erases);
}

/// The FTL learns of ends in the order in which the core of a channel met them, and of ways that halt likewise.
#[test]
fn the_ftl_is_told_of_ends_and_of_ways_in_the_order_in_which_they_came() {
    let (mut layers, mut hw) = layers_with(CHANNELS);
    let planned = plan(&mut layers, &mut hw);
    let ended = [planned[4].1, planned[0].1, planned[6].1];
    layers.tell_planned(FTL, &mut hw);
    hw.sent.clear();
    ended.iter().for_each(|&id| layers.station.end(id, Ended::Well));
    [3, 0, 1].into_iter().for_each(|die| layers.station.halt(die));
    layers.tell_ended(CHANNELS, &mut hw);
    layers.tell_planned(CHANNELS, &mut hw);
    let ends = ended.map(|id| (FTL, Message::Ended(id.into())));
    let halts = [3, 0, 1].map(|die| (FTL, Message::Halted(die)));
    assert_eq!(hw.sent, [ends, halts].concat());
    hw.sent.clear();
    [1, 3, 0].into_iter().for_each(|die| layers.station.resume(die));
    layers.tell_planned(FTL, &mut hw);
    assert_eq!(hw.sent, [1, 3, 0].map(|die| (CHANNELS, Message::Resumed(die))));
}
