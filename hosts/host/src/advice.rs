//! Remarks on a run that is over: what its figures do not mean, and what to do for those that do.

use report::{Bin, JobResult, RunResult};

use crate::drive_state::Preconditioning;
use crate::job::{Access, JobSpec, Load, Passes};

/// Steps of time that a run is looked at in.
const STEPS: usize = 64;
/// Requests without which a run says nothing of its course.
const ENOUGH: u64 = 2_000;
/// By how much the rate of a step may differ from the settled one.
const ALIKE: f64 = 0.15;
/// Share of the requests that a transient has at least to be worth a remark.
const WORTH: f64 = 0.02;

/// What was there before the run.
#[derive(Clone, Copy, Debug)]
pub struct Before {
    /// State of the drive.
    pub state: Preconditioning,
    /// Bytes that the host can write to.
    pub capacity_bytes: u64,
}

/// The remarks on a run of these jobs, whose results are not added together yet.
pub fn remarks(specs: &[JobSpec], run: &RunResult, before: Before) -> Vec<String> {
    let repeated = repeated(specs, &run.jobs, before.capacity_bytes);
    repeated.into_iter().chain(transient(specs, run, before.state)).collect()
}

/// Whether a job has begun to write over all of its range a second time, in the order of the first, and the range is half of the drive
/// or more: of a smaller one the rest of the drive decides what is collected. Nothing is collected of zones.
fn repeats(spec: &JobSpec, job: &JobResult, capacity_bytes: u64) -> bool {
    let moved: u64 = job.directions.iter().flatten().map(|direction| direction.bytes).sum();
    let writes = job.directions[report::Direction::Write as usize].is_some();
    let is_covering = spec.load == Load::Drawn && matches!(spec.access, Access::Covering);
    let is_large = spec.range.len >= capacity_bytes / 2;
    is_large
        && writes
        && is_covering
        && spec.zoned.is_none()
        && spec.seeding.passes == Passes::Alike
        && moved > spec.range.len
}

/// Each pass of a job writes its blocks in the order of the first, so that they become invalid block by block of the flash.
fn repeated(specs: &[JobSpec], jobs: &[JobResult], capacity_bytes: u64) -> Option<String> {
    let all = || specs.iter().zip(jobs).filter(|(spec, job)| repeats(spec, job, capacity_bytes));
    let (first, _) = all().next()?;
    let others = match all().count() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    Some(format!(
        "{}{others}: every pass writes the blocks in the order of the first, as fio does with randrepeat=1. Blocks of the \
         flash become invalid as a whole, and write amplification is near 1 whatever the drive does. randrepeat=0 takes \
         another order for each pass, norandommap draws each block by itself",
        first.name
    ))
}

/// A run on a drive in its steady state that was faster or slower at first than later on.
fn transient(specs: &[JobSpec], run: &RunResult, state: Preconditioning) -> Option<String> {
    let is_steady = matches!(state, Preconditioning::Steady | Preconditioning::SteadyRun);
    let together = specs.iter().all(|spec| {
        spec.stage == 0
            && spec.timing.ramp_ps == 0
            && spec.timing.delay_min_ps == 0
            && spec.steadiness.is_none()
    });
    let (width_ps, bins) = run.series.coarsened(STEPS);
    // The last step may be cut short, and jobs may have ended.
    let end_ps = run.jobs.iter().map(|job| job.end_ps).min()?;
    let whole = ((end_ps / width_ps) as usize).min(bins.len());
    let steps: Vec<_> = bins[..whole].iter().map(done).collect();
    let requests: u64 = steps.iter().sum();
    if !is_steady || !together || steps.len() < STEPS / 4 || requests < ENOUGH {
        return None;
    }
    let mean = |steps: &[u64]| steps.iter().sum::<u64>() as f64 / steps.len().max(1) as f64;
    let settled = mean(&steps[steps.len() / 2..]);
    let third_quarter = mean(&steps[steps.len() / 2..steps.len() * 3 / 4]);
    let differs = |rate: f64| (rate / settled - 1.0).abs() > ALIKE;
    if differs(third_quarter) {
        return None;
    }
    let first = steps.iter().take_while(|&&step| differs(step as f64)).count();
    let share = steps[..first].iter().sum::<u64>() as f64 / requests as f64;
    if first == 0 || first > steps.len() / 2 || share < WORTH {
        return None;
    }
    let ramp_ms = (first as u64 * width_ps).div_ceil(1_000_000_000);
    let a_second = |step: f64| step * 1e12 / width_ps as f64;
    Some(format!(
        "the first {ramp_ms} ms ran at {:.0} requests a second, what followed at {:.0}: a drive in its steady state begins \
         with an empty data buffer. Figures are of both; ramp_time={ramp_ms}ms leaves the beginning out",
        a_second(mean(&steps[..first])),
        a_second(settled)
    ))
}

fn done(bin: &Bin) -> u64 {
    bin.ios.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{parse_file, DriveShape, Zoned};
    use report::{Completion, Direction, Series, Served, Workload};

    const MS: u64 = 1_000_000_000;

    fn specs(text: &str) -> Vec<JobSpec> {
        let drive = DriveShape {
            capacity_bytes: 1 << 30,
            block_bytes: 4096,
            placement_handles: 0,
            zones: None,
        };
        parse_file("job.fio", text).unwrap().resolve(drive).unwrap()
    }

    /// A job that writes 4 KiB at these times.
    fn ran(times_ps: impl Iterator<Item = u64>) -> RunResult {
        let workload = Workload {
            pattern: "randwrite".into(),
            block_bytes: [(4096, 4096); 3],
            engine: "psync".into(),
            depth: 1,
        };
        let mut job = JobResult::new("a", workload);
        job.open(Direction::Write, 0);
        let mut series = Series::new();
        for at_ps in times_ps {
            let completion = Completion { at_ps, bytes: 4096, submission_ps: 0, completion_ps: MS };
            job.record(Direction::Write, &completion, None);
            series
                .record(at_ps, Served { direction: Direction::Write, bytes: 4096, latency_ps: MS });
            job.end_ps = at_ps;
        }
        RunResult { jobs: vec![job], series, ..RunResult::default() }
    }

    #[test]
    fn a_second_pass_in_the_order_of_the_first_is_told_once() {
        let told_of = |options: &str, requests: u64, capacity_bytes: u64| {
            let specs = specs(&format!("[a]\nrw=randwrite\nsize=4m\nloops=2\n{options}"));
            let mut run = ran((0..requests).map(|nth| nth * MS));
            run.jobs = vec![run.jobs[0].clone(); specs.len()];
            remarks(&specs, &run, Before { state: Preconditioning::None, capacity_bytes })
        };
        let told = |options: &str, requests: u64| told_of(options, requests, 8 << 20);
        assert!(told_of("", 1025, 9 << 20).is_empty());
        for (options, requests, expected) in [
            ("", 1024, 0),
            ("", 1025, 1),
            ("numjobs=3", 1025, 1),
            ("randrepeat=0", 2048, 0),
            ("norandommap", 2048, 0),
        ] {
            assert_eq!(told(options, requests).len(), expected, "{options} {requests}");
        }
        let mut zoned = specs("[a]\nrw=randwrite\nsize=4m\nloops=2");
        let before = Before { state: Preconditioning::None, capacity_bytes: 8 << 20 };
        let run = ran((0..1025).map(|nth| nth * MS));
        assert_eq!(remarks(&zoned, &run, before).len(), 1);
        zoned[0].zoned = Some(Zoned { most_open: None, most_own: None, appends: false });
        assert!(remarks(&zoned, &run, before).is_empty(), "nothing is collected of zones");
        let line = &told("numjobs=3", 1025)[0];
        assert!(line.starts_with("a (and 2 more): every pass") && line.contains("randrepeat=0"));
    }

    #[test]
    fn a_transient_names_the_ramp_that_leaves_it_out() {
        // 1,000 requests in 50 ms, then 4,000 in 400 ms.
        let fast = || (0..1_000).map(|nth| nth * MS / 20);
        let slow = || (0..4_000).map(|nth| 50 * MS + nth * MS / 10);
        let told = |options: &str, times: Vec<u64>, state| {
            let specs =
                specs(&format!("[a]\nrw=randwrite\nnorandommap\ntime_based\nruntime=1\n{options}"));
            remarks(&specs, &ran(times.into_iter()), Before { state, capacity_bytes: 1 << 30 })
        };
        let both: Vec<_> = fast().chain(slow()).collect();
        let lines = told("", both.clone(), Preconditioning::Steady);
        assert_eq!(lines.len(), 1);
        let ramp = lines[0].split("ramp_time=").nth(1).and_then(|rest| rest.split("ms").next());
        let ramp: u64 = ramp.unwrap().parse().unwrap();
        assert!((45..=60).contains(&ramp), "{}", lines[0]);
        assert!(told("", both.clone(), Preconditioning::Random).is_empty());
        assert!(told("ramp_time=60ms", both, Preconditioning::Steady).is_empty());
        assert!(told("", slow().collect(), Preconditioning::Steady).is_empty());
    }
}
