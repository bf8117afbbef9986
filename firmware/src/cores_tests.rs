//! The order of what cores tell each other.

use super::*;
use crate::nvme::tests::mock::{configuration, MockHardware};

const HOST: u8 = 0;
const FTL: u8 = 1;

/// Layers whose host side and FTL are on two cores.
fn layers() -> (FlashLayers<CoreSchedulers>, MockHardware) {
    let config = configuration();
    let cores = Cores { count: 2, host: HOST, ftl: FTL, channels: [FTL; 64] };
    let mut hw = MockHardware::new(&config);
    let layers = FlashLayers::new(&config, &mut hw, CoreSchedulers::new(&config, cores));
    (layers, hw)
}

fn flush(tag: u16) -> IoCommand {
    IoCommand {
        tag: CommandTag(tag),
        namespace: NamespaceId::ONLY,
        kind: IoKind::Flush,
        start: 0,
        blocks: 0,
        durability: Durability::Cached,
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
