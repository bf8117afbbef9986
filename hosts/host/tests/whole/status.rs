//! Reports while jobs run.

use host::{Status, Watchers};
use report::{Direction, RunResult};

use crate::{direction, printed, Run};

const MS: u64 = 1_000_000_000;
const JOBS: &str = "[a]\nrw=randread\nbs=4k\niodepth=4\ntime_based\nruntime=10ms\n\
                    [b]\nstonewall\nrw=write\nbs=16k\ntime_based\nruntime=7ms\n";

#[test]
fn a_status_tells_the_run_until_its_moment_and_changes_nothing() {
    let mut told: Vec<RunResult> = Vec::new();
    let mut tell = |result: &RunResult| told.push(result.clone());
    let status = Some(Status { interval_ps: 4 * MS, tell: &mut tell });
    let watchers = Watchers { status, ..Watchers::default() };
    let result = Run::new().watched(JOBS, watchers).unwrap();
    assert_eq!(told.len(), 4, "at 4, 8, 12 and 16 of 17 ms");
    let read = |result: &RunResult| direction(&result.jobs[0], Direction::Read).clone();
    for (nth, status) in (1..).zip(&told) {
        let now_ms = (status.speed.simulated_s * 1e3).round() as u64;
        assert_eq!(now_ms, 4 * nth, "virtual time of report {nth}");
        assert_eq!(status.jobs.len(), 2);
    }
    let [first, second] = [read(&told[0]), read(&told[1])];
    assert_eq!((first.runtime_ps / MS, second.runtime_ps / MS), (4, 8));
    assert!(first.ios > 0 && second.ios > first.ios && read(&result).ios > second.ios);
    // The first job is over at the third, and the second has begun.
    assert_eq!(read(&told[2]).ios, read(&result).ios);
    assert_eq!(read(&told[2]).runtime_ps, read(&result).runtime_ps);
    assert!(told[1].jobs[1].active(Direction::Write).is_none());
    assert!(direction(&told[2].jobs[1], Direction::Write).ios > 0);
    assert!(told[2].drive.host_bytes_written > told[1].drive.host_bytes_written);
    assert_eq!(printed(result), printed(Run::new().go(JOBS)));
}
