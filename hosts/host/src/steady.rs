//! Ends jobs whose rate has settled (fio's `steadystate`).
//!
//! Requests and bytes are counted by seconds of virtual time from the start of the job. A second is
//! closed by the first completion after it, so a watch needs no events of its own.

use report::{JobResult, SteadyState};

use crate::job::{Grouping, JobSpec, Steadiness};

/// Seconds of virtual time, in picoseconds.
const SECOND_PS: u64 = 1_000_000_000_000;

/// What is watched of one job, or of the jobs of a group that are reported together.
#[derive(Debug)]
pub struct Watch {
    state: SteadyState,
    /// Rates that the window holds when it is full.
    seconds: usize,
    /// End of the second that runs; none before the first completion.
    until_ps: Option<u64>,
    /// End of the ramp.
    ramped_ps: u64,
    requests: u64,
    bytes: u64,
}

/// What a completion told a watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The jobs go on.
    Unsettled,
    /// The rate has settled just now: the jobs end.
    Settled,
}

impl Watch {
    fn new(steadiness: &Steadiness) -> Self {
        let Steadiness { criterion, limit, duration_ps, ramp_ps } = *steadiness;
        let seconds = (duration_ps / SECOND_PS) as usize;
        let mut state = SteadyState::new(criterion, limit);
        (state.duration_ps, state.ramp_ps) = (duration_ps, ramp_ps);
        state.iops.reserve_exact(seconds);
        state.bandwidth.reserve_exact(seconds);
        Self { state, seconds, until_ps: None, ramped_ps: ramp_ps, requests: 0, bytes: 0 }
    }

    /// Counts a request that completed at `now_ps`. The first one starts the watch, at `start_ps`.
    pub fn record(&mut self, start_ps: u64, now_ps: u64, bytes: u64) -> Verdict {
        let mut until_ps = self.until_ps.unwrap_or_else(|| {
            self.ramped_ps += start_ps;
            start_ps + SECOND_PS
        });
        let mut verdict = Verdict::Unsettled;
        while now_ps >= until_ps && !self.state.attained {
            verdict = self.close(until_ps);
            until_ps += SECOND_PS;
        }
        self.until_ps = Some(until_ps);
        self.requests += 1;
        self.bytes += bytes;
        verdict
    }

    /// Takes the rates of the second that ends at `until_ps` into the window.
    fn close(&mut self, until_ps: u64) -> Verdict {
        let (requests, bytes) =
            (std::mem::take(&mut self.requests), std::mem::take(&mut self.bytes));
        if until_ps < self.ramped_ps + SECOND_PS {
            return Verdict::Unsettled;
        }
        let SteadyState { iops, bandwidth, .. } = &mut self.state;
        if iops.len() == self.seconds {
            iops.remove(0);
            bandwidth.remove(0);
        }
        iops.push(requests);
        bandwidth.push(bytes);
        self.state.attained = self.state.iops.len() == self.seconds && self.state.is_steady();
        match self.state.attained {
            true => Verdict::Settled,
            false => Verdict::Unsettled,
        }
    }
}

/// All watches of a run.
#[derive(Debug, Default)]
pub struct Watches {
    watches: Vec<Watch>,
    /// Index of each job's watch.
    of_job: Vec<Option<usize>>,
}

impl Watches {
    /// The watches that jobs ask for. Jobs of a group share one if they are reported together.
    pub fn new(specs: &[JobSpec]) -> Self {
        let mut watches = Vec::new();
        let mut shared: Vec<(u32, usize)> = Vec::new();
        let mut watch = |spec: &JobSpec| {
            let steadiness = spec.steadiness.as_ref()?;
            let together = spec.report.grouping == Grouping::Summed;
            let there = shared.iter().find(|(group, _)| together && *group == spec.group);
            if let Some((_, watch)) = there {
                return Some(*watch);
            }
            watches.push(Watch::new(steadiness));
            if together {
                shared.push((spec.group, watches.len() - 1));
            }
            Some(watches.len() - 1)
        };
        let of_job = specs.iter().map(&mut watch).collect();
        Self { watches, of_job }
    }

    /// The watch of a job.
    #[inline]
    pub fn of(&mut self, job: usize) -> Option<&mut Watch> {
        self.of_job[job].map(|watch| &mut self.watches[watch])
    }

    /// Whether two jobs share a watch.
    pub fn are_shared(&self, job: usize, other: usize) -> bool {
        self.of_job[job].is_some() && self.of_job[job] == self.of_job[other]
    }

    /// Results of the jobs, in their order, with what their watches saw.
    pub fn tell(&self, mut results: Vec<JobResult>) -> Vec<JobResult> {
        for (result, watch) in results.iter_mut().zip(&self.of_job) {
            result.steady_state = watch.map(|watch| self.watches[watch].state.clone());
        }
        results
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use report::{SteadyCriterion, SteadyLimit};

    fn watch(criterion: SteadyCriterion, limit: SteadyLimit) -> Watch {
        let (duration_ps, ramp_ps) = (3 * SECOND_PS, 2 * SECOND_PS);
        Watch::new(&Steadiness { criterion, limit, duration_ps, ramp_ps })
    }

    /// Feeds so many requests of 4 KiB in each second; the second in which the rate settles.
    fn settles(watch: &mut Watch, seconds: &[u64]) -> Option<usize> {
        let start_ps = 7 * SECOND_PS;
        for (second, &requests) in seconds.iter().enumerate() {
            for nth in 0..requests {
                let within = SECOND_PS * nth / requests;
                let now_ps = start_ps + second as u64 * SECOND_PS + within;
                if watch.record(start_ps, now_ps, 4096) == Verdict::Settled {
                    return Some(second);
                }
            }
        }
        None
    }

    #[test]
    fn a_job_ends_with_the_first_window_within_the_limit() {
        use SteadyCriterion::{Bandwidth, Iops, IopsSlope};
        let (percent, absolute) = (SteadyLimit::PercentOfMean, SteadyLimit::Absolute);
        // Two seconds of ramp, then windows of three; a window is judged once its last second is over.
        let even = [9, 9, 100, 100, 100, 100];
        let late = [9, 9, 100, 150, 100, 101, 102, 102];
        let rising = [9, 9, 100, 110, 120, 130, 140, 150];
        let rows = [
            (Iops, percent(1.0), &even[..], Some(5)),
            (Iops, percent(10.0), &late, Some(7)),
            (Iops, absolute(40.0), &late, Some(5)),
            (Iops, percent(5.0), &rising, None),
            (Iops, percent(10.0), &rising, Some(5)),
            (IopsSlope, percent(5.0), &rising, None),
            (IopsSlope, absolute(10.0), &rising, Some(5)),
            (IopsSlope, absolute(9.9), &rising, None),
            (Bandwidth, absolute(4096.0), &late, Some(7)),
        ];
        for (criterion, limit, seconds, expected) in rows {
            let mut watch = watch(criterion, limit);
            assert_eq!(settles(&mut watch, seconds), expected, "{criterion:?} {limit:?}");
            assert_eq!(watch.state.attained, expected.is_some());
            if let Some(second) = expected {
                assert_eq!(watch.state.iops, seconds[second - 3..second]);
                assert_eq!(watch.state.bandwidth[0], 4096 * seconds[second - 3]);
            }
        }
    }

    #[test]
    fn seconds_without_requests_count() {
        let mut watch = watch(SteadyCriterion::Iops, SteadyLimit::PercentOfMean(50.0));
        assert_eq!(settles(&mut watch, &[9, 9, 100, 0, 100, 0, 100, 0, 100]), None);
        assert_eq!(watch.state.iops, [0, 100, 0]);
    }
}
