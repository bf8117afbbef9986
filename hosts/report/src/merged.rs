//! Jobs that are added together.

use crate::direction::Direction;
use crate::result::RunResult;

impl RunResult {
    /// Adds the jobs of `group` together under the name of its first, as `group_reporting` does.
    pub fn merge_group(&mut self, group: u32) {
        let Some(first) = self.jobs.iter().position(|job| job.group == group) else {
            return;
        };
        let mut index = first + 1;
        while index < self.jobs.len() {
            if self.jobs[index].group == group {
                let job = self.jobs.remove(index);
                self.jobs[first].merge(&job);
            } else {
                index += 1;
            }
        }
    }

    /// Adds all jobs together under the name of the first. The times of jobs that ran side by side count once, as in a group; those of
    /// jobs that ran one behind the other add up.
    pub fn merge_all(&mut self) {
        let runtimes_ps = Direction::ALL.map(|direction| self.runtime_ps(direction));
        self.jobs.iter_mut().for_each(|job| job.group = 0);
        self.merge_group(0);
        let directions = self.jobs.iter_mut().flat_map(|job| &mut job.directions);
        for (direction, runtime_ps) in directions.zip(runtimes_ps) {
            if let Some(direction) = direction {
                direction.runtime_ps = runtime_ps;
            }
        }
    }

    /// For how long jobs went in a direction.
    fn runtime_ps(&self, direction: Direction) -> u64 {
        let mut spans: Vec<(u64, u64, u64)> = self
            .jobs
            .iter()
            .filter_map(|job| {
                let result = job.directions[direction as usize].as_deref()?;
                Some((job.start_ps, job.end_ps, result.runtime_ps))
            })
            .collect();
        spans.sort_unstable();
        let (mut until_ps, mut longest_ps, mut all_ps) = (0, 0, 0);
        for (start_ps, end_ps, runtime_ps) in spans {
            if start_ps >= until_ps {
                all_ps += std::mem::take(&mut longest_ps);
            }
            until_ps = end_ps.max(until_ps);
            longest_ps = runtime_ps.max(longest_ps);
        }
        all_ps + longest_ps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::{JobResult, Workload};

    fn job(start_ps: u64, end_ps: u64, ios: u64) -> JobResult {
        let workload = Workload {
            pattern: "randread".into(),
            block_bytes: [(4096, 4096); 3],
            engine: "libaio".into(),
            depth: 1,
        };
        let mut job = JobResult::new("a", workload);
        job.open(Direction::Read, start_ps);
        (job.start_ps, job.end_ps, job.runtime_ps) = (start_ps, end_ps, end_ps - start_ps);
        let reads = job.directions[Direction::Read as usize].as_mut().expect("it was opened");
        (reads.ios, reads.runtime_ps) = (ios, end_ps - start_ps);
        job
    }

    #[test]
    fn times_of_jobs_one_behind_the_other_add_up() {
        let second = 1_000_000_000_000;
        for (spans, seconds) in [
            (vec![(0, 2)], 2),
            (vec![(0, 2), (0, 1)], 2),
            (vec![(0, 2), (2, 5)], 5),
            // In whatever order, and with a pause between.
            (vec![(7, 9), (0, 2), (0, 1), (2, 5)], 7),
        ] {
            let spans = spans.into_iter().map(|(from, to)| (from * second, to * second));
            let jobs: Vec<JobResult> = spans.map(|(from, to)| job(from, to, 600)).collect();
            let count = jobs.len() as u64;
            let mut run = RunResult { jobs, ..RunResult::default() };
            run.merge_all();
            let reads = run.jobs[0].active(Direction::Read).expect("reads");
            assert_eq!((run.jobs.len(), reads.ios), (1, 600 * count));
            assert_eq!(reads.runtime_ps, seconds * second);
        }
    }
}
