//! What went through each queue, from what the jobs did that used it.

use crate::direction::Direction;
use crate::queues::QueueResult;
use crate::result::JobResult;

impl QueueResult {
    /// What went through queues, of jobs with the number of the queue of each, from 0. Nothing if they all used one.
    pub fn of<'a>(jobs: impl Iterator<Item = (&'a JobResult, usize)> + Clone) -> Vec<Self> {
        let Some(last) = jobs.clone().map(|(_, queue)| queue).max().filter(|&last| last > 0) else {
            return Vec::new();
        };
        let empty = |nth: usize| QueueResult {
            id: nth as u16 + 1,
            jobs: 0,
            bytes: [0; 3],
            latencies: [None, None, None],
        };
        let mut queues: Vec<_> = (0..=last).map(empty).collect();
        for (job, queue) in jobs {
            queues[queue].add(job);
        }
        queues.retain(|queue| queue.jobs > 0);
        queues
    }

    fn add(&mut self, job: &JobResult) {
        self.jobs += 1;
        for direction in Direction::ALL {
            let nth = direction as usize;
            let Some(result) = job.active(direction) else { continue };
            self.bytes[nth] += result.bytes;
            match &mut self.latencies[nth] {
                Some(own) => own.merge(&result.clat),
                own => *own = Some(Box::new(result.clat.clone())),
            }
        }
    }
}
