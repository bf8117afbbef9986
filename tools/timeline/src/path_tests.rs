//! Paths of commands that a recorder was told of.

use contract::{CommandTag, DmaDirection, FlashOperation};
use machine::{CommandStep, DmaTransfer, FlashPhase, Observer};

use super::*;
use crate::around::Around;

const ORIGIN: u64 = 1_000;
const MINE: Option<CommandTag> = Some(CommandTag(2));

fn phase(operation: FlashOperation, way: u8, span: (u64, u64)) -> FlashPhase {
    let span = TimeSpan { start: ORIGIN + span.0, end: ORIGIN + span.1 };
    FlashPhase { operation, channel: 0, way, row: 5, command: None, span }
}

fn mine(phase: FlashPhase) -> FlashPhase {
    FlashPhase { command: MINE, ..phase }
}

/// A read of way 1, submitted at 100 and completed at 1000, which an erase holds up that began at 50; and a short one on way 0.
fn recorded() -> Recorder {
    recorded_with(true)
}

/// The same, where the firmware hands its completion over or hardware does.
fn recorded_with(completes: bool) -> Recorder {
    let mut r = Recorder::of_all(1, 2);
    r.jobs_begin(ORIGIN);
    let tag = CommandTag(2);
    let command = contract::HostCommand { tag, ..host_command() };
    r.chip(phase(FlashOperation::Erase, 1, (50, 600)));
    r.command(ORIGIN + 100, CommandStep::Rung { queue: 1, tail: 1 });
    r.command(ORIGIN + 110, CommandStep::Fetched { tag, queue: 1, head: 1 });
    r.command(ORIGIN + 120, CommandStep::Taken(&command));
    r.work(Module::Issuer, TimeSpan { start: ORIGIN + 600, end: ORIGIN + 640 });
    r.pass(contract::Pass::Busy);
    r.bus(mine(phase(FlashOperation::ReadTrigger, 1, (640, 650))));
    r.chip(mine(phase(FlashOperation::ReadTrigger, 1, (650, 700))));
    // Another chip has the bus for most of the time until this one's turn.
    r.bus(phase(FlashOperation::Program, 0, (690, 760)));
    r.bus(mine(phase(FlashOperation::ReadTransfer, 1, (770, 850))));
    let span = TimeSpan { start: ORIGIN + 850, end: ORIGIN + 900 };
    let direction = DmaDirection::ToHost;
    r.dma(DmaTransfer { command: tag, direction, bytes: 4096, span });
    if completes {
        r.command(ORIGIN + 980, CommandStep::Completed(tag));
    }
    r.command(ORIGIN + 1000, CommandStep::Posted(tag));
    r
}

fn host_command() -> contract::HostCommand {
    contract::HostCommand {
        tag: CommandTag(0),
        queue: 1,
        entry: [u32::from(nvme::io::opcode::READ); 16],
    }
}

fn request(start_ps: u64, end_ps: u64) -> Request {
    Request { start_ps, end_ps }
}

fn legs(r: &Recorder) -> Vec<(String, u64, u64)> {
    let path = r.path.as_ref().expect("it is marked");
    let leg = |leg: &Leg| (leg.name(), leg.span.start - ORIGIN, leg.span.end - ORIGIN);
    path.legs.iter().map(leg).collect()
}

#[test]
fn each_moment_of_a_request_has_what_it_went_through_or_waited_for() {
    let mut r = recorded();
    let sight = Around::Slowest.sight(&[request(90, 1010), request(0, 30)], None).unwrap();
    let marked = r.mark(&sight).unwrap();
    let expected = [
        ("host", 100, 120),
        ("behind tBERS", 120, 600),
        ("firmware", 600, 640),
        ("read trigger", 640, 650),
        ("tR", 650, 700),
        ("waiting for the bus", 700, 770),
        ("read transfer", 770, 850),
        ("DMA to host", 850, 900),
        ("waiting", 900, 980),
        ("host", 980, 1000),
    ];
    assert_eq!(legs(&r), expected.map(|(what, start, end)| (what.to_owned(), start, end)));
    assert_eq!((marked.start_ps, marked.end_ps), (100, 1000));
    let longest = "behind tBERS of the drive's own on channel 0, way 1".to_owned();
    assert_eq!(marked.longest, (longest, 480));
}

/// Hardware posts the completion with the last data: it is the host's from there on.
#[test]
fn a_completion_that_the_firmware_does_not_see_follows_the_last_data() {
    let mut r = recorded_with(false);
    let sight = Around::Slowest.sight(&[request(90, 1010)], None).unwrap();
    r.mark(&sight).unwrap();
    let last: Vec<_> = legs(&r).into_iter().skip(7).collect();
    let expected = [("DMA to host", 850, 900), ("host", 900, 1000)];
    assert_eq!(last, expected.map(|(what, start, end)| (what.to_owned(), start, end)));
}

#[test]
fn collection_shows_the_request_that_waits_for_it() {
    let mut r = recorded();
    let erase = request(50, 600);
    let sight = Around::Collection.sight(&[request(90, 1010)], Some(erase)).unwrap();
    assert_eq!(r.mark(&sight).map(|marked| marked.end_ps), Some(1000));
    // Nobody waits for one of another time.
    let sight = Around::Collection.sight(&[], Some(request(2000, 2100))).unwrap();
    assert_eq!(recorded().mark(&sight), None);
}

#[test]
fn a_request_that_was_not_recorded_is_not_marked() {
    let mut r = recorded();
    let sight = Around::Slowest.sight(&[request(300, 700)], None).unwrap();
    assert_eq!((r.mark(&sight), r.path.is_none()), (None, true));
}

/// The trace has the path as a track, as arrows from firmware to chip to host, and as a mark on the operations, and all of it is
/// drawn.
#[test]
fn the_path_is_in_the_trace_and_in_the_picture() {
    let mut r = recorded();
    let sight = Around::Slowest.sight(&[request(90, 1010)], None).unwrap();
    r.mark(&sight).unwrap();
    let mut text = Vec::new();
    r.write(&mut text).unwrap();
    let events: serde_json::Value = serde_json::from_slice(&text).unwrap();
    let events = events["traceEvents"].as_array().unwrap();
    let arrows: Vec<_> = events
        .iter()
        .filter(|event| event["cat"] == "critical path")
        .map(|event| (event["ph"].as_str().unwrap(), event["pid"].as_u64().unwrap()))
        .collect();
    let expected =
        [("s", 3), ("t", 10), ("t", 10), ("t", 10), ("t", 10), ("t", 10), ("t", 2), ("f", 3)];
    assert_eq!(arrows, expected);
    let critical: Vec<_> = events
        .iter()
        .filter(|event| event["args"]["critical"] == true)
        .map(|event| event["name"].as_str().unwrap())
        .collect();
    assert_eq!(critical, ["tBERS", "read trigger", "tR", "read transfer", "DMA to host"]);

    let trace = r.trace();
    assert_eq!(trace.path.len(), 8);
    let mut picture = Vec::new();
    crate::Gantt::new(&trace, None).unwrap().write(&mut picture).unwrap();
    let picture = String::from_utf8(picture).unwrap();
    for part in ["the line is the critical path", "behind tBERS", "read 1", "#0B0D10"] {
        assert!(picture.contains(part), "{part}");
    }
    let plain = recorded().trace();
    let mut picture = Vec::new();
    crate::Gantt::new(&plain, None).unwrap().write(&mut picture).unwrap();
    let picture = String::from_utf8(picture).unwrap();
    assert!(!picture.contains("critical path") && !picture.contains("#0B0D10"));
}

/// A write has to wait until what stands in its buffer entry is programmed, on a chip that erases first. The firmware sees the end
/// of the program a little later, and then issues the DMA.
#[test]
fn a_write_that_waits_for_its_buffer_entry_waits_for_what_holds_the_entry_up() {
    let mut r = Recorder::of_all(1, 2);
    r.jobs_begin(ORIGIN);
    let tag = CommandTag(2);
    r.chip(phase(FlashOperation::Erase, 0, (50, 300)));
    r.command(ORIGIN + 100, CommandStep::Rung { queue: 1, tail: 1 });
    r.command(ORIGIN + 110, CommandStep::Fetched { tag, queue: 1, head: 1 });
    let entry = [u32::from(nvme::io::opcode::WRITE); 16];
    r.command(ORIGIN + 120, CommandStep::Taken(&contract::HostCommand { tag, queue: 1, entry }));
    r.chip(phase(FlashOperation::Program, 0, (300, 700)));
    // Another chip has nothing to do with it, and nor has another command's entry.
    r.chip(phase(FlashOperation::Program, 1, (120, 740)));
    r.entry_freed(ORIGIN + 730, CommandTag(3), Some((0, 1)));
    r.entry_freed(ORIGIN + 720, tag, Some((0, 0)));
    let span = TimeSpan { start: ORIGIN + 750, end: ORIGIN + 800 };
    let direction = DmaDirection::FromHost;
    r.dma(DmaTransfer { command: tag, direction, bytes: 4096, span });
    r.command(ORIGIN + 850, CommandStep::Completed(tag));
    r.command(ORIGIN + 900, CommandStep::Posted(tag));
    let sight = Around::Slowest.sight(&[request(90, 1010)], None).unwrap();
    let marked = r.mark(&sight).unwrap();
    let expected = [
        ("host", 100, 120),
        ("behind tBERS", 120, 300),
        ("behind tPROG", 300, 700),
        ("waiting for a buffer entry", 700, 720),
        ("waiting", 720, 750),
        ("DMA from host", 750, 800),
        ("waiting", 800, 850),
        ("host", 850, 900),
    ];
    assert_eq!(legs(&r), expected.map(|(what, start, end)| (what.to_owned(), start, end)));
    let longest = "behind tPROG of the drive's own on channel 0, way 0".to_owned();
    assert_eq!(marked.longest, (longest, 400));
}
