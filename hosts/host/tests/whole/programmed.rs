//! Programs in place of jobs: they are asked for requests, and told of completions.

use std::fmt;
use std::sync::{Arc, Mutex};

use host::job::{Request, RequestKind};
use host::program::{Completion, Program, ProgramLoad, Setting, Step};

use super::*;

const BLOCK: u64 = 4096;
const US: u64 = 1_000_000;

/// What a program says at a time, knowing these completions.
type Script = Box<dyn FnMut(u64, &[Completion]) -> Step>;

/// What a program went through.
#[derive(Clone, Debug, Default, PartialEq)]
struct Diary {
    /// When it was asked, what it knew of then, and what it said.
    asked: Vec<(u64, usize, Step)>,
    /// What it was told.
    told: Vec<Completion>,
}

/// A program that is a function of the time and of what it was told, and keeps a diary.
struct Scripted<F> {
    script: F,
    diary: Arc<Mutex<Diary>>,
}

impl<F> fmt::Debug for Scripted<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scripted")
    }
}

impl<F: FnMut(u64, &[Completion]) -> Step> Program for Scripted<F> {
    fn next(&mut self, now_ps: u64) -> Step {
        let mut diary = self.diary.lock().unwrap();
        let step = (self.script)(now_ps, &diary.told);
        let known = diary.told.len();
        diary.asked.push((now_ps, known, step));
        step
    }

    fn completed(&mut self, completion: &Completion) {
        self.diary.lock().unwrap().told.push(*completion);
    }
}

fn request(tag: u64, kind: RequestKind, block: u64) -> Step {
    let (offset_bytes, length_bytes) = match kind {
        RequestKind::Flush => (0, 0),
        _ => (block * BLOCK, BLOCK),
    };
    Step::Request { tag, request: Request { kind, offset_bytes, length_bytes } }
}

fn read(tag: u64, block: u64) -> Step {
    request(tag, RequestKind::Read, block)
}

impl Run {
    /// Runs a program that `make` makes, with so many requests under way.
    fn attempt_program<F>(
        &self,
        depth: u32,
        make: impl Fn(Setting) -> F + Send + Sync + 'static,
    ) -> (Result<RunResult, RunError>, Diary)
    where
        F: FnMut(u64, &[Completion]) -> Step + 'static,
    {
        let diary = Arc::new(Mutex::new(Diary::default()));
        let kept = diary.clone();
        let begin = move |setting| -> Box<dyn Program> {
            Box::new(Scripted { script: make(setting), diary: kept.clone() })
        };
        let begin = Arc::new(begin);
        let load = ProgramLoad { name: "program".into(), depth, most_bytes: 16 * BLOCK, begin };
        let board = Board::resolve(self.board, &self.set).unwrap();
        let jobs = JobFile::of_program(load);
        let result = host::run(self.request(&board, &jobs), &mut |_| {});
        let diary = diary.lock().unwrap().clone();
        (result, diary)
    }

    fn program<F>(
        &self,
        depth: u32,
        make: impl Fn(Setting) -> F + Send + Sync + 'static,
    ) -> (RunResult, Diary)
    where
        F: FnMut(u64, &[Completion]) -> Step + 'static,
    {
        let (result, diary) = self.attempt_program(depth, make);
        let result = result.unwrap();
        assert_eq!(result.jobs[0].error, None);
        (result, diary)
    }
}

/// A program that issues these steps as soon as it can, waits where there is none yet, and ends after the last.
fn all_of(steps: Vec<Step>) -> impl Fn(Setting) -> Script {
    move |_| {
        let mut left = steps.clone().into_iter();
        Box::new(move |_, _| left.next().unwrap_or(Step::End))
    }
}

#[test]
fn each_request_of_a_chain_follows_the_completion_of_the_one_before() {
    use RequestKind::{Flush, Read, Trim, Write};
    let kinds = [Write, Read, Flush, Trim, Read, Write, Flush, Read];
    let (result, diary) = Run::new().program(8, move |_| {
        let mut issued = 0;
        move |_, told| {
            if issued == kinds.len() {
                return Step::End;
            }
            if told.len() < issued {
                return Step::Wait;
            }
            issued += 1;
            request(100 + issued as u64, kinds[issued - 1], 5)
        }
    });
    let found: Vec<_> = diary.told.iter().map(|told| (told.tag, told.request.kind)).collect();
    let expected: Vec<_> = (101..).zip(kinds).collect();
    assert_eq!(found, expected);
    for pair in diary.told.windows(2) {
        assert!(pair[1].submitted_ps > pair[0].completed_ps, "{pair:?}");
    }
    let of = |kind| diary.told.iter().filter(|told| told.request.kind == kind).count() as u64;
    let job = &result.jobs[0];
    assert_eq!(job.workload.pattern, "program");
    for (kind, way) in [(Read, Direction::Read), (Write, Direction::Write), (Trim, Direction::Trim)]
    {
        assert_eq!(direction(job, way).ios, of(kind), "{way:?}");
    }
    assert_eq!(job.sync.moments_ps().count(), of(Flush));
}

#[test]
fn what_is_told_is_what_the_report_measures() {
    let (result, diary) = Run::new().program(4, |_| {
        let mut issued = 0;
        move |_, _| {
            issued += 1;
            if issued > 64 {
                Step::End
            } else {
                read(issued, issued * 37 % 512)
            }
        }
    });
    let clat = direction(&result.jobs[0], Direction::Read).clat.moments_ps();
    let latencies: Vec<u64> = diary.told.iter().map(Completion::latency_ps).collect();
    assert_eq!(latencies.len(), 64);
    assert_eq!(clat.min(), *latencies.iter().min().unwrap());
    assert_eq!(clat.max(), *latencies.iter().max().unwrap());
    assert_eq!(clat.mean(), latencies.iter().sum::<u64>() as f64 / 64.0);
    let ends: Vec<u64> = diary.told.iter().map(|told| told.completed_ps).collect();
    assert!(ends.is_sorted());
    assert_eq!(
        *ends.last().unwrap(),
        result.jobs[0].end_ps,
        "times count from the start of the run"
    );
    for told in &diary.told {
        let asked =
            diary.asked.iter().find(|(.., step)| *step == read(told.tag, told.tag * 37 % 512));
        let (asked_ps, ..) = asked.unwrap();
        let submission_ps = Board::resolve("small", &[]).unwrap().host.submit_latency.as_ps();
        assert_eq!(told.submitted_ps, asked_ps + submission_ps);
        assert!(told.status.is_success());
    }
}

#[test]
fn a_program_that_does_what_a_job_does_measures_the_same() {
    let by_job = Run::new().go(&job("rw=read bs=4k iodepth=4 size=2m"));
    let (by_program, _) = Run::new().program(4, |_| {
        let mut issued = 0;
        move |_, _| {
            issued += 1;
            if issued > 512 {
                Step::End
            } else {
                read(0, issued - 1)
            }
        }
    });
    let read = |result: &RunResult| format!("{:?}", direction(&result.jobs[0], Direction::Read));
    assert_eq!(read(&by_program), read(&by_job));
    assert_eq!(by_program.jobs[0].end_ps, by_job.jobs[0].end_ps);
    assert_eq!(by_program.jobs[0].depths.percentages(), by_job.jobs[0].depths.percentages());
}

#[test]
fn as_many_are_under_way_as_the_depth_says_and_no_more() {
    for depth in [1, 3, 16] {
        let (_, diary) = Run::new().program(depth, |_| {
            let mut issued = 0;
            move |_, _| {
                issued += 1;
                if issued > 200 {
                    Step::End
                } else {
                    read(issued, issued)
                }
            }
        });
        let under_way = |time_ps: u64| {
            let is_under_way =
                |told: &&Completion| told.submitted_ps <= time_ps && time_ps < told.completed_ps;
            diary.told.iter().filter(is_under_way).count() as u32
        };
        let most = diary.told.iter().map(|told| under_way(told.submitted_ps)).max();
        assert_eq!(most, Some(depth));
    }
}

#[test]
fn tags_come_back_with_their_own_requests() {
    let place = |tag: u64| tag * 977 % 4096;
    let (_, diary) = Run::new().program(16, move |_| {
        let mut issued = 0;
        move |_, _| {
            issued += 1;
            if issued > 60 {
                Step::End
            } else {
                read(1000 - issued, place(1000 - issued))
            }
        }
    });
    assert_eq!(diary.told.len(), 60);
    for told in &diary.told {
        assert_eq!(told.request.offset_bytes, place(told.tag) * BLOCK);
    }
    let tags: Vec<u64> = diary.told.iter().map(|told| told.tag).collect();
    assert!(!tags.is_sorted_by(|a, b| a > b), "none has overtaken another");
}

#[test]
fn a_wait_ends_at_its_time_or_with_a_completion() {
    let (_, diary) = Run::new().program(4, |_| {
        let (mut issued, mut mark_ps) = (0, 0);
        move |now_ps, told| match (told.len(), issued) {
            _ if now_ps < 50 * US => Step::WaitUntil(50 * US),
            (known, _) if known == issued && issued < 2 => {
                issued += 1;
                mark_ps = now_ps + 3 * US;
                read(issued as u64, issued as u64)
            }
            // Far beyond the end of the read.
            (0, _) => Step::WaitUntil(1_000_000 * US),
            // Long before it.
            (1, _) if now_ps < mark_ps => Step::WaitUntil(mark_ps),
            (1, _) => Step::Wait,
            _ => Step::End,
        }
    });
    let [first, second] = [&diary.told[0], &diary.told[1]];
    let submission_ps = first.submitted_ps - 50 * US;
    assert!((1..2 * US).contains(&submission_ps), "a wait with nothing under way ends at its time");
    let asked =
        |at: (u64, usize)| diary.asked.iter().any(|&(at_ps, known, _)| (at_ps, known) == at);
    assert!(asked((first.completed_ps, 1)), "a completion ends a wait");
    assert_eq!(second.submitted_ps, first.completed_ps + submission_ps);
    let mark_ps = first.completed_ps + 3 * US;
    assert!(
        mark_ps < second.completed_ps && asked((mark_ps, 1)),
        "a wait ends before a completion"
    );
    assert!(asked((second.completed_ps, 2)));
}

#[test]
fn a_program_ends_when_it_says_so_or_waits_for_nothing() {
    let (nothing, diary) = Run::new().program(4, all_of(vec![]));
    assert!(nothing.jobs[0].active(Direction::Read).is_none() && diary.asked.len() == 1);
    let (nothing, _) = Run::new().program(4, all_of(vec![Step::Wait]));
    assert_eq!(nothing.jobs[0].end_ps, 0);
    // What is under way at the end is awaited, and told.
    let (result, diary) = Run::new().program(4, all_of((0..3).map(|nth| read(nth, nth)).collect()));
    assert_eq!(direction(&result.jobs[0], Direction::Read).ios, 3);
    assert_eq!(diary.told.len(), 3);
    assert_eq!(diary.asked.len(), 4, "it was asked again after its end");
    assert_eq!(result.jobs[0].end_ps, diary.told.last().unwrap().completed_ps);
}

#[test]
fn a_wait_that_no_clock_reaches_is_refused() {
    let (result, _) = Run::new().attempt_program(4, all_of(vec![Step::WaitUntil(u64::MAX)]));
    let line = result.unwrap_err().to_string();
    assert!(line.starts_with("program: found no request before the end of virtual time"), "{line}");
}

#[test]
fn what_cannot_be_issued_ends_the_job_with_a_line() {
    let odd = |kind, offset_bytes, length_bytes| Step::Request {
        tag: 0,
        request: Request { kind, offset_bytes, length_bytes },
    };
    let capacity = 4096 * BLOCK * 4096;
    let rows = [
        (odd(RequestKind::Read, 1, BLOCK), "read: offset: found 1, expected a multiple of 4096"),
        (
            odd(RequestKind::Write, 0, 17 * BLOCK),
            "write: size: found 69632, expected at most 65536",
        ),
        (
            odd(RequestKind::Trim, capacity, BLOCK),
            "trim: offset: found 68719476736, expected at most",
        ),
        (Step::WaitUntil(0), "wait: until: found 0 ps, expected a time after now"),
    ];
    for (step, line) in rows {
        let steps = vec![read(1, 1), read(2, 2), step, read(3, 3)];
        let (result, diary) = Run::new().attempt_program(8, all_of(steps));
        let result = result.unwrap();
        let error = result.jobs[0].error.as_ref().unwrap();
        assert!(error.message.starts_with(line), "{}", error.message);
        assert_eq!(error.number, 22);
        assert_eq!(direction(&result.jobs[0], Direction::Read).ios, 2);
        assert_eq!(diary.told.len(), 2, "what was under way is awaited");
    }
}

#[test]
fn a_program_that_does_not_fit_a_drive_is_refused() {
    let rows = [
        (0, BLOCK, "iodepth: found 0"),
        (1, 100, "max_bytes: found 100"),
        (1, 1 << 50, "max_bytes: found 1125899906842624"),
    ];
    for (depth, most_bytes, expected) in rows {
        let begin = |_| -> Box<dyn Program> { unreachable!("it does not begin") };
        let load = ProgramLoad { name: "p".into(), depth, most_bytes, begin: Arc::new(begin) };
        let board = Board::resolve("small", &[]).unwrap();
        let jobs = JobFile::of_program(load);
        let line =
            host::run(Run::new().request(&board, &jobs), &mut |_| {}).unwrap_err().to_string();
        assert!(line.starts_with(&format!("p: {expected}, expected ")), "{line}");
    }
}

#[test]
fn requests_that_fail_are_told_and_the_program_goes_on() {
    let run = Run::new().set("errors.raw_bits_per_terabit", "100000000000");
    let (result, diary) = run.program(2, |_| {
        let mut issued = 0;
        move |_, told| {
            issued += 1;
            match told.len() {
                16.. => Step::End,
                _ if issued <= 16 => read(issued, issued),
                _ => Step::Wait,
            }
        }
    });
    assert_eq!(diary.told.len(), 16);
    let failed = diary.told.iter().filter(|told| !told.status.is_success()).count() as u64;
    assert!(failed > 0);
    let counted = result.jobs[0].active(Direction::Read).map_or(0, |reads| reads.ios);
    assert_eq!(counted, 16 - failed, "only what succeeded is measured");
    // Of what fails after its end nobody does anything, and so it is the job's.
    let (result, _) = run.attempt_program(2, all_of(vec![read(1, 1)]));
    let error = result.unwrap().jobs[0].error.clone().unwrap();
    assert_eq!((error.number, error.message.split(':').next()), (61, Some("read of LBA 1")));
}

/// A closed loop of writes, of which each is followed by a read of the same place, until so many have completed.
fn writes_and_reads(setting: Setting) -> impl FnMut(u64, &[Completion]) -> Step {
    let blocks = setting.limits.capacity_bytes / BLOCK;
    let (mut place, mut issued) = (setting.seed, 0);
    move |_, told| {
        if issued == 400 {
            return Step::End;
        }
        issued += 1;
        let known = told.len();
        match told.last() {
            Some(last) if last.request.kind == RequestKind::Write => {
                read(last.tag, last.request.offset_bytes / BLOCK)
            }
            _ => {
                place =
                    place.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(known as u64 | 1);
                request(place, RequestKind::Write, (place >> 33) % blocks)
            }
        }
    }
}

#[test]
fn the_same_program_board_and_seed_give_the_same_bytes() {
    let placed = Run { precondition: Preconditioning::None, ..Run::new() };
    let placed = placed.set("nvme.command_set", "open-channel").set("flash.metadata_bytes", "36");
    for run in [Run::new(), Run { payload: PayloadForm::Bytes, ..Run::new() }, placed] {
        let (first, diary) = run.program(8, writes_and_reads);
        let (again, diary_again) = run.program(8, writes_and_reads);
        assert_eq!(diary, diary_again);
        assert_eq!(printed(first.clone()), printed(again));
        let other = Run { seed: 2, ..run.clone() };
        assert_ne!(printed(first), printed(other.program(8, writes_and_reads).0));
    }
}
