//! Runs that a signal ends.

use std::sync::atomic::Ordering;

use host::{Control, Preconditioned, RunError, Stop, Stopped, Watchers};
use monitor::{Period, Sampler};
use report::Cut;

use super::*;

/// Two stages, of which the first ends when somebody ends it.
const ENDLESS: &str = "[global]\nrw=randrw\nbs=4k\niodepth=8\ntime_based\nruntime=100000s\n\
                       [first]\n[second]\nstonewall\n";

fn raise(stop: &Stop) {
    stop.flag().store(2, Ordering::Relaxed);
}

/// A run with `text`, ended by signal 2 when its progress is told for the first time.
fn cut(run: &Run, text: &str, monitor: Option<&mut Sampler>) -> RunResult {
    let board = Board::resolve(run.board, &run.set).unwrap();
    let jobs = parse_file("job.fio", text).unwrap();
    let request = run.request(&board, &jobs);
    let stop = Stop::default();
    let control = Control { stop: stop.clone(), preparing: None };
    let watchers = Watchers { monitor, control, ..Watchers::default() };
    host::run_watched(request, watchers, &mut |_| raise(&stop)).unwrap()
}

#[test]
fn what_was_done_is_reported_and_marked() {
    let result = cut(&Run::new(), ENDLESS, None);
    let Some(Cut { signal: 2, at_ps }) = result.cut else { panic!("{:?}", result.cut) };
    assert!(at_ps > 0);
    let [first, second] = &result.jobs[..] else { panic!("two jobs") };
    let read = direction(first, Direction::Read);
    assert!(read.ios > 0 && first.error.is_none());
    // What was under way was awaited, and took milliseconds, not hours.
    assert!(first.end_ps >= at_ps && first.end_ps < at_ps + 1_000_000_000_000);
    assert_eq!(result.speed.requests, read.ios + direction(first, Direction::Write).ios);
    assert!(second.active(Direction::Read).is_none(), "the second stage did not begin");
    assert_eq!(Run::new().go(&job("rw=randread size=1m")).cut, None);
}

#[test]
fn the_monitor_comes_to_its_end() {
    let mut sampler = Sampler::new(Box::new(std::io::sink()), "1ms".parse::<Period>().unwrap());
    let result = cut(&Run::new(), ENDLESS, Some(&mut sampler));
    let seen: u64 = result.monitored.iter().map(|interval| interval.counts.requests).sum();
    assert_eq!(seen, result.speed.requests, "every request lies in an interval");
}

#[test]
fn preconditioning_is_told_and_can_be_ended() {
    let run = Run { precondition: Preconditioning::Steady, ..Run::new() }
        .set("geometry.blocks_per_way", "512");
    let board = Board::resolve(run.board, &run.set).unwrap();
    let jobs = parse_file("job.fio", &job("rw=randread size=1m")).unwrap();
    let attempt = |most_looks: usize| {
        let stop = Stop::default();
        let mut told: Vec<Preconditioned> = Vec::new();
        let mut preparing = |preconditioned| {
            told.push(preconditioned);
            if told.len() == most_looks {
                raise(&stop);
            }
        };
        let control = Control { stop: stop.clone(), preparing: Some(&mut preparing) };
        let watchers = Watchers { control, ..Watchers::default() };
        let result = host::run_watched(run.request(&board, &jobs), watchers, &mut |_| {});
        (result, told)
    };
    let (whole, told) = attempt(usize::MAX);
    assert_eq!(whole.unwrap().cut, None);
    assert!(told.len() > 5, "{} looks", told.len());
    assert!(told.windows(2).all(|pair| pair[0].written < pair[1].written));
    assert!(told.iter().all(|p| p.written <= p.most && p.most == told[0].most));
    let (ended, told) = attempt(3);
    assert_eq!(ended.unwrap_err(), RunError::Stopped(Stopped { signal: 2 }));
    assert_eq!(told.len(), 3, "it ended at once");
}
