//! Runs that are interrupted again and again, as wall time has it: what is seen of them stays the same.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use board::Board;
use machine::{Device, Unobserved};
use monitor::Period;

use super::*;
use crate::job::parse_file;

/// What a monitor wrote.
#[derive(Clone, Default)]
struct Lines(Rc<RefCell<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Everything that is seen of a run by and by: looks, lines of the monitor, and moments at which others were told.
fn seen(options: &str, (turns, wall): (u32, Duration)) -> (OverTime, Vec<u8>, Vec<u64>) {
    let board = Board::resolve("small", &[]).unwrap();
    let text = format!("[job]\n{}\n", options.replace(' ', "\n"));
    let jobs = parse_file("job.fio", &text).unwrap();
    let request = RunRequest {
        seed: 9,
        precondition: Preconditioning::Random,
        accounts: Accounts::None,
        ..RunRequest::new(&board, &jobs, "job.fio")
    };
    let mut session = Session::open(request, Unobserved, &mut Control::default()).unwrap();
    session.drive.look_after_turns(turns);
    session.interrupted = (1, wall);
    let lines = Lines::default();
    let period = Period::from_ps(1_000_000_000).expect("a period");
    let mut sampler = Sampler::new(Box::new(lines.clone()), period);
    let mut told = Vec::new();
    let mut tell =
        |session: &Session<'_, Drive<FioHost, Unobserved>>| told.push(session.drive().now_ps());
    let ticks = Ticks { interval_ps: 3_000_000_000, tell: &mut tell };
    session
        .run_jobs(&mut |_| {}, (Some(&mut sampler), Some(ticks)), &Stop::default())
        .expect("the run comes to its end");
    let lines = lines.0.borrow().clone();
    (session.over_time(), lines, told)
}

#[test]
fn where_a_run_is_interrupted_changes_nothing_of_what_is_seen() {
    for options in [
        "rw=randwrite bs=4k iodepth=16 number_ios=2500",
        "rw=randrw bs=16k iodepth=4 number_ios=900",
    ] {
        let never = seen(options, (u32::MAX, Duration::MAX));
        assert!(never.0.spans().count() > 3 && !never.2.is_empty(), "there is something to see");
        for turns in [1, 2, 7, 1 << 12] {
            assert_eq!(
                seen(options, (turns, Duration::ZERO)),
                never,
                "{turns} turns apart, {options}"
            );
        }
    }
}
