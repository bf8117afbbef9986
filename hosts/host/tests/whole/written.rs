//! Write amplification of jobs: pages that wait in the buffer count, and jobs are told apart.

use super::*;

fn amplification(result: &RunResult, job: usize) -> Option<f64> {
    result.jobs[job].writes.unwrap().write_amplification(result.page_bytes)
}

#[test]
fn what_fits_into_the_buffer_is_written_once_all_the_same() {
    let run = Run { precondition: Preconditioning::None, ..Run::new() };
    let page = run.go(&job("rw=write bs=16k size=64k"));
    assert_eq!((page.drive.pages_programmed, page.drive.dirty_bytes), (0, [0, 65_536]));
    assert_eq!(page.drive.write_amplification(), Some(1.0));
    assert_eq!(amplification(&page, 0), Some(1.0));
}

#[test]
fn whole_pages_written_in_order_cost_a_page_each_however_much_waits() {
    let run = Run { precondition: Preconditioning::None, ..Run::new() };
    for size in ["1m", "3m", "8m"] {
        let result = run.go(&job(&format!("rw=write bs=128k iodepth=4 size={size}")));
        assert_eq!(result.drive.write_amplification(), Some(1.0), "{size}");
    }
}

#[test]
fn jobs_one_after_another_have_factors_of_their_own() {
    let text = "[global]\nsize=4m\nbs=16k\n[whole]\nrw=write\n\
                [parts]\nstonewall\nrw=randwrite\nbs=4k\n[reader]\nstonewall\nrw=read\n";
    let run = Run { precondition: Preconditioning::None, ..Run::new() };
    let result = run.go(text);
    assert_eq!(amplification(&result, 0), Some(1.0));
    assert!(amplification(&result, 1).unwrap() > 1.5, "{:?}", amplification(&result, 1));
    assert_eq!(amplification(&result, 2), None, "a reader writes nothing");
    let windows: Vec<_> = result.jobs.iter().map(|job| job.writes.unwrap()).collect();
    for pair in windows.windows(2) {
        assert_eq!(pair[0].to, pair[1].from, "no page falls between two jobs");
    }
    let bytes = windows.iter().map(|w| w.to.host_bytes - w.from.host_bytes);
    assert_eq!(bytes.sum::<u64>(), result.drive.host_bytes_written);
}
