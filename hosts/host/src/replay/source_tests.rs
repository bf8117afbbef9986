use std::io::Write;

use tempfile::NamedTempFile;
use trace::{Strictness, Survey, Trace};

use super::*;
use crate::job::ByteRange;
use crate::replay::{Placement, Remap, Replay, Speed};

const PS_PER_US: u64 = 1_000_000;

/// A source of SYSTOR records: arrival and response in microseconds.
fn source(records: &[(u64, u64)], (timing, speed): (Timing, f64)) -> (TraceSource, NamedTempFile) {
    let mut file = NamedTempFile::new().unwrap();
    for (arrival, response) in records {
        writeln!(
            file,
            "{}.{:06},0.{response:06},R,0,0,4096",
            arrival / 1_000_000,
            arrival % 1_000_000
        )
        .unwrap();
    }
    let trace = Trace::open(file.path(), None).unwrap();
    let survey = Survey::gather(&mut trace.reader().unwrap(), Strictness::Strict).unwrap();
    let replay = Replay {
        timing,
        speed: Speed::of(speed).unwrap(),
        remap: Remap::None,
        limit: 8,
        assumed_ns: 100_000,
    };
    let part = ByteRange { start: 0, len: 1 << 20 };
    let fitted = FittedTrace {
        replay,
        placement: Placement::new(part, 4096, (Remap::None, &survey.ends)),
        requests: survey.all(),
        directions: [survey.all(), 0, 0],
        rounded: 0,
        weight: None,
        window_ps: (0, None),
        path: trace.path.clone(),
        trace,
    };
    (TraceSource::new(&Arc::new(fitted)), file)
}

const READ: Request = Request { kind: RequestKind::Read, offset_bytes: 0, length_bytes: 4096 };

/// When a source wants to go on, in microseconds; none if it waits for a completion.
fn until(source: &mut TraceSource, now: u64, slot: u32) -> Option<u64> {
    match source.next(now * PS_PER_US, slot) {
        Next::Wait { until_ps } => Some(until_ps / PS_PER_US),
        Next::Drain => None,
        other => panic!("{other:?}"),
    }
}

fn issues(source: &mut TraceSource, now: u64, slot: u32) {
    assert_eq!(source.next(now * PS_PER_US, slot), Next::Io(READ));
}

fn ends(source: &mut TraceSource, now: u64, slot: u32) {
    source.completed(&READ, (slot, now * PS_PER_US));
}

#[test]
fn a_request_waits_for_those_that_had_completed_and_then_for_the_pause() {
    // The second overlaps the first; the third came 200 us after the end of the first; the fourth 500 us after that of
    // the second, when the third had ended, too.
    let records = [(0, 1000), (500, 2000), (1200, 300), (3000, 10)];
    let (mut source, _file) = source(&records, (Timing::Dependency, 1.0));
    issues(&mut source, 100, 0);
    // Nothing had completed before the second: its time counts from the start of the job.
    assert_eq!(until(&mut source, 101, 1), Some(600));
    issues(&mut source, 600, 1);
    // The third waits for the first.
    assert_eq!(until(&mut source, 601, 2), None);
    ends(&mut source, 5000, 0);
    assert_eq!(until(&mut source, 5000, 0), Some(5200));
    issues(&mut source, 5200, 0);
    // The fourth waits for the second and the third, and the pause counts from the second, which had ended last.
    assert_eq!(until(&mut source, 5201, 2), None);
    ends(&mut source, 5300, 1);
    assert_eq!(until(&mut source, 5300, 1), None);
    ends(&mut source, 6000, 0);
    // 500 us after 5300 have passed long ago.
    issues(&mut source, 6000, 0);
    ends(&mut source, 6100, 0);
    assert_eq!(source.next(6100 * PS_PER_US, 0), Next::Done);
    assert_eq!(source.failure(), None);
}

#[test]
fn one_that_completes_early_is_remembered_until_it_had() {
    // The second comes while the first is under way in the trace, though here it has ended: it does not wait for it, and
    // the third pauses from the end of the first here.
    let records = [(0, 1000), (400, 100), (1500, 10)];
    let (mut source, _file) = source(&records, (Timing::Dependency, 2.0));
    issues(&mut source, 0, 0);
    ends(&mut source, 20, 0);
    assert_eq!(until(&mut source, 20, 0), Some(200));
    issues(&mut source, 200, 0);
    ends(&mut source, 230, 0);
    // The first had ended last, at 1000; here at 20. Half of 500 us later.
    assert_eq!(until(&mut source, 230, 0), Some(270));
}

#[test]
fn an_open_loop_waits_for_nothing_but_time() {
    let (mut source, _file) = source(&[(0, 1), (500, 1), (500, 1)], (Timing::Arrival, 0.5));
    issues(&mut source, 7, 0);
    assert_eq!(source.due_ps(), Some(7 * PS_PER_US));
    assert_eq!(until(&mut source, 8, 1), Some(1007));
    // It comes late, and its time is that of the trace.
    issues(&mut source, 2000, 1);
    assert_eq!(source.due_ps(), Some(1007 * PS_PER_US));
    issues(&mut source, 2000, 2);
    assert_eq!(source.in_flight(), 3);
    assert_eq!(source.next(2001 * PS_PER_US, 3), Next::Drain);
}

#[test]
fn a_source_that_is_stopped_gives_nothing_more() {
    let (mut source, _file) = source(&[(0, 1), (0, 1), (0, 1)], (Timing::Depth(2), 1.0));
    issues(&mut source, 0, 0);
    source.stop();
    assert_eq!(source.next(0, 1), Next::Drain);
    ends(&mut source, 5, 0);
    assert_eq!((source.next(5, 1), source.failure()), (Next::Done, None));
}
