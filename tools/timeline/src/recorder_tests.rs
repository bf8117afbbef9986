//! What the recorder makes of what it is told.

use contract::{FlashOperation, Location};

use crate::calls::ProgramCall;

use super::*;

const ORIGIN: u64 = 1_000;

fn recorder(window: &str) -> Recorder {
    let mut recorder = Recorder::new(window.parse().unwrap(), 1, 1);
    recorder.jobs_begin(ORIGIN);
    recorder
}

fn span(start: u64, end: u64) -> TimeSpan {
    TimeSpan { start: ORIGIN + start, end: ORIGIN + end }
}

fn spans(recorder: &Recorder) -> Vec<(&str, TimeSpan)> {
    recorder.slices.iter().map(|slice| (slice.name, slice.span)).collect()
}

fn read(start: u64, end: u64) -> FlashPhase {
    let location = Location { channel: 0, way: 0, row: 5 };
    FlashPhase {
        operation: FlashOperation::ReadTrigger,
        channel: location.channel,
        way: location.way,
        row: location.row,
        command: Some(CommandTag(2)),
        span: span(start, end),
    }
}

#[test]
fn work_of_one_module_is_one_slice_and_idle_turns_are_gaps() {
    let mut r = recorder("0..1us");
    r.work(Module::Issuer, span(0, 10));
    r.work(Module::Issuer, span(10, 30));
    r.pass(Pass::Busy);
    r.work(Module::Issuer, span(30, 40));
    r.work(Module::StatusChecker, span(40, 50));
    r.work(Module::PriorityManager, span(50, 50));
    r.pass(Pass::Busy);
    r.work(Module::StatusChecker, span(50, 70));
    r.pass(Pass::Idle);
    r.work(Module::StatusChecker, span(70, 80));
    r.pass(Pass::Busy);
    let expected = [
        ("issuer", span(0, 40)),
        ("status checker", span(40, 50)),
        ("status checker", span(70, 80)),
    ];
    assert_eq!(spans(&r), expected);
}

#[test]
fn only_what_touches_the_window_is_recorded() {
    let mut r = recorder("100..200ps");
    for (start, end) in [(0, 100), (50, 101), (150, 160), (199, 300), (200, 210)] {
        r.chip(read(start, end));
    }
    assert_eq!(spans(&r), [(50, 101), (150, 160), (199, 300)].map(|(s, e)| ("tR", span(s, e))));
    let mut before = Recorder::new("0..1us".parse().unwrap(), 1, 1);
    before.chip(read(0, 10));
    assert_eq!(before.slices.len(), 0);
}

#[test]
fn a_command_begins_with_the_doorbell_that_submitted_it() {
    let mut r = recorder("0..1us");
    let rung = |tail| CommandStep::Rung { queue: 1, tail };
    let fetched = |tag, head| CommandStep::Fetched { tag: CommandTag(tag), queue: 1, head };
    r.command(ORIGIN + 10, rung(2));
    r.command(ORIGIN + 20, rung(3));
    r.command(ORIGIN + 30, fetched(2, 1));
    r.command(ORIGIN + 40, fetched(1, 2));
    r.command(ORIGIN + 50, fetched(0, 3));
    r.bus(read(60, 70));
    for (tag, at) in [(2, 80), (0, 90), (1, 95)] {
        r.command(ORIGIN + at, CommandStep::Posted(CommandTag(tag)));
    }
    // Its tag is free: what is still done for it belongs to no command.
    r.bus(read(96, 97));
    let commands: Vec<_> =
        r.commands.iter().map(|command| (command.number, command.span)).collect();
    assert_eq!(commands, [(1, span(10, 80)), (3, span(20, 90)), (2, span(10, 95))]);
    let of_slices: Vec<_> = r.slices.iter().map(|slice| slice.command).collect();
    assert_eq!(of_slices, [Some(1), None]);
    assert_eq!((r.steps.len(), r.steps[0].at), (1, ORIGIN + 60));
}

#[test]
fn a_full_recorder_ends_at_one_time_on_all_tracks() {
    let mut r = recorder("0..1us");
    r.most = 2;
    r.bus(read(0, 10));
    r.chip(read(10, 500));
    assert_eq!(r.cut_short_ps(), None);
    r.bus(read(20, 30));
    r.bus(read(30, 40));
    assert_eq!((r.slices.len(), r.cut_short_ps()), (2, Some(20)));
}

#[test]
fn what_a_chip_suspends_ends_there_and_is_not_recorded_if_that_is_before_the_window() {
    let program =
        |start, end| FlashPhase { operation: FlashOperation::Program, ..read(start, end) };
    let resume = |start, end| FlashPhase { operation: FlashOperation::Resume, ..read(start, end) };
    let recorded = |window: &str| {
        let mut r = recorder(window);
        r.chip(program(10, 150));
        r.bus(read(20, 30));
        r.chip_stops(0, 0, ORIGIN + 30);
        r.chip(resume(60, 180));
        r.chip_stops(0, 0, ORIGIN + 120);
        r.chip(resume(160, 230));
        // It is over already.
        r.chip_stops(0, 0, ORIGIN + 240);
        r.recorded().map(|slice| (slice.name, slice.span)).collect::<Vec<_>>()
    };
    let all = [
        ("tPROG", span(10, 30)),
        ("read trigger", span(20, 30)),
        ("goes on", span(60, 120)),
        ("goes on", span(160, 230)),
    ];
    assert_eq!(recorded("0..1us"), all);
    assert_eq!(recorded("100..200ps"), all[2..]);
}

#[test]
fn a_command_is_at_no_slice_that_ended_before_the_window() {
    let mut r = recorder("100..200ps");
    r.command(ORIGIN, CommandStep::Rung { queue: 1, tail: 1 });
    r.command(ORIGIN, CommandStep::Fetched { tag: CommandTag(2), queue: 1, head: 1 });
    r.chip(FlashPhase { operation: FlashOperation::Program, ..read(10, 150) });
    r.chip(read(160, 170));
    assert_eq!(r.steps.len(), 2);
    let mut r = recorder("100..200ps");
    r.command(ORIGIN, CommandStep::Rung { queue: 1, tail: 1 });
    r.command(ORIGIN, CommandStep::Fetched { tag: CommandTag(2), queue: 1, head: 1 });
    r.chip(FlashPhase { operation: FlashOperation::Program, ..read(10, 150) });
    r.chip_stops(0, 0, ORIGIN + 30);
    r.chip(read(160, 170));
    assert_eq!(r.steps.iter().map(|step| step.at).collect::<Vec<_>>(), [ORIGIN + 160]);
}

/// What was recorded is in the trace that is written, in the one that is read from it, and in the rows.
#[test]
fn every_form_of_a_recording_has_all_of_it() {
    let mut r = Recorder::of_all(1, 1);
    r.jobs_begin(ORIGIN);
    r.command(ORIGIN, CommandStep::Rung { queue: 1, tail: 1 });
    r.command(ORIGIN, CommandStep::Fetched { tag: CommandTag(2), queue: 1, head: 1 });
    r.work(Module::Issuer, span(0, 10));
    r.pass(Pass::Busy);
    r.bus(read(10, 20));
    r.chip(read(20, 500));
    r.command(ORIGIN + 600, CommandStep::Posted(CommandTag(2)));
    let rows: Vec<_> =
        r.spans().map(|row| (row.what, row.begin_ps, row.end_ps, row.command)).collect();
    let expected =
        [("issuer", 0, 10, None), ("read trigger", 10, 20, Some(1)), ("tR", 20, 500, Some(1))];
    assert_eq!(rows, expected);
    let trace = r.trace();
    let mut slices: Vec<_> = trace.tracks.iter().flat_map(|track| &track.slices).collect();
    slices.sort_by(|a, b| a.start_ps.total_cmp(&b.start_ps));
    let read: Vec<_> = slices
        .iter()
        .map(|slice| (&*slice.name, slice.start_ps as u64, slice.length_ps as u64))
        .collect();
    assert_eq!(read, expected.map(|(what, begin, end, _)| (what, begin, end - begin)));
    let mut text = Vec::new();
    r.write(&mut text).expect("memory takes what is written");
    let text = String::from_utf8(text).expect("it is text");
    for (phase, count) in [("X", 3), ("b", 1), ("e", 1), ("s", 1), ("f", 1)] {
        assert_eq!(text.matches(&format!("\"ph\":\"{phase}\"")).count(), count, "{phase}");
    }
}

/// A call of a guest's program, whose names are whatever the guest says.
fn call(process: u32, during: TimeSpan, posted: &[u64]) -> ProgramCall {
    ProgramCall {
        process,
        program: "a \"db\"".to_owned(),
        call: "fsync".to_owned(),
        file: "log\n".to_owned(),
        span: during,
        posted_ps: posted.iter().map(|at| ORIGIN + at).collect(),
    }
}

#[test]
fn calls_stand_above_the_commands_that_they_waited_for() {
    let mut r = recorder("0..100ps");
    r.command(ORIGIN + 10, CommandStep::Rung { queue: 1, tail: 1 });
    r.command(ORIGIN + 20, CommandStep::Fetched { tag: CommandTag(2), queue: 1, head: 1 });
    r.chip(read(30, 40));
    r.command(ORIGIN + 50, CommandStep::Posted(CommandTag(2)));
    // One that ended before the window, two threads of a process at a time, and one of another process that met no command.
    r.set_calls(vec![
        call(7, span(100, 120), &[]),
        call(7, span(5, 60), &[50]),
        call(7, span(55, 70), &[]),
        call(8, span(62, 65), &[49]),
        call(7, span(80, 130), &[]),
    ]);
    let rows: Vec<_> = r.calls.iter().map(|own| (own.row, own.call.span)).collect();
    assert_eq!(rows, [(1, span(5, 60)), (2, span(55, 70)), (3, span(62, 65)), (1, span(80, 130))]);
    let arrows: Vec<_> =
        r.call_arrows().iter().map(|arrow| (arrow.row, arrow.from, arrow.to.at)).collect();
    assert_eq!(arrows, [(1, ORIGIN + 10, ORIGIN + 30)], "from the doorbell to the chip");
    let mut text = Vec::new();
    r.write(&mut text).unwrap();
    let file: serde_json::Value = serde_json::from_slice(&text).unwrap();
    let of = |phase: &str, name: &str| {
        let events = file["traceEvents"].as_array().unwrap().iter();
        let is_its = |event: &&serde_json::Value| event["ph"] == phase && event["name"] == name;
        events.filter(is_its).cloned().collect::<Vec<_>>()
    };
    let calls = of("X", "fsync");
    assert_eq!((calls.len(), &calls[0]["args"]["file"]), (4, &"log\n".into()));
    assert_eq!(
        of("M", "thread_name").iter().filter(|own| own["args"]["name"] == "a \"db\" 7").count(),
        2
    );
    assert_eq!((of("s", "system call").len(), of("f", "system call").len()), (1, 1));
    // Whoever reads the trace again finds chips and buses where they were.
    assert!(Trace::read(&*text).is_ok());
}
