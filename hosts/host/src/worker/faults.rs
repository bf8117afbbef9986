//! What ends a worker's job before it is done.

use std::sync::Arc;

use nvme::status::Status;
use report::{Direction, JobError, LatencySearch};

use super::{Life, Worker};
use crate::error_number::{self, error_number};
use crate::job::{AfterFault, Flow, JobSpec, PerDirection, RequestKind, Workload};

impl Worker {
    /// The job ends because a request has failed.
    #[cold]
    pub(super) fn fail(&mut self, kind: RequestKind, (status, failed_lba): (Status, u64)) {
        let what = kind.name();
        let message = match kind {
            RequestKind::Flush => format!("{what}: {status}"),
            _ => format!("{what} of LBA {failed_lba}: {status}"),
        };
        self.end_with(error_number(status), message);
    }

    /// Ends the job if a request took longer than it may.
    #[inline]
    pub(super) fn check_latency(&mut self, direction: Direction, latency_ps: u64) {
        if latency_ps > of(&self.bound_ps, direction) {
            self.take_late(direction, latency_ps);
        }
    }

    /// A request took longer than the job takes, or than the latency that it searches a depth for.
    #[cold]
    fn take_late(&mut self, direction: Direction, latency_ps: u64) {
        let most_ps = of(&self.faults.most_latency_ps, direction);
        let fault = if latency_ps > most_ps {
            Some(("max_latency", most_ps))
        } else {
            let workload = self.workload.job_mut();
            let is_hopeless = workload.is_some_and(|workload| workload.is_hopeless_after_late());
            is_hopeless.then(|| ("latency_target", of(&self.bound_ps, direction)))
        };
        if let Some((key, most_ps)) = fault {
            let [found, most] = [latency_ps, most_ps].map(|ps| ps / 1000);
            let message = format!("latency of {found} nsec exceeds {key} of {most} nsec");
            self.end_with(error_number::ETIMEDOUT, message);
        }
    }

    /// What the job's search for a queue depth has come to.
    pub(super) fn latency_search(&self) -> Option<LatencySearch> {
        let depth = self.workload.job().and_then(Workload::found_depth);
        self.measure
            .result()
            .latency_search
            .zip(depth)
            .map(|(search, depth)| LatencySearch { depth, ..search })
    }

    /// The job is over: its search for a depth is told, and others of its flow go on without it.
    #[cold]
    pub(super) fn leave_search_and_flow(&mut self) {
        self.measure.set_latency_search(self.latency_search());
        if let Some(workload) = self.workload.job_mut() {
            workload.leave_flow();
        }
    }

    /// Shares the tokens of a flow with other jobs, before the job starts.
    pub fn share_flow(&mut self, flow: Arc<Flow>) {
        if let Some(workload) = self.workload.job_mut() {
            workload.share_flow(flow);
        }
    }

    /// The job ends because a block holds what nobody has written.
    #[cold]
    pub(super) fn fail_proof(&mut self, lba: u64) {
        self.end_with(error_number::EILSEQ, format!("verify: bad magic header at LBA {lba}"));
    }

    /// The job ends with an error.
    #[cold]
    fn end_with(&mut self, number: u32, mut message: String) {
        if self.faults.after == AfterFault::GoOn {
            message +=
                "; the job ends there, as going on after it (continue_on_error) is not modelled";
        }
        self.measure.fail(JobError { number, message });
        self.life = Life::Ending;
    }
}

/// The latencies above which a job has something to say.
pub(super) fn bound(spec: &JobSpec) -> PerDirection<u64> {
    let PerDirection { read, write, trim } = spec.faults.most_latency_ps;
    let target_ps = spec.steering.target.map_or(u64::MAX, |target| target.target_ps);
    let [read, write, trim] = [read, write, trim].map(|most_ps| most_ps.min(target_ps));
    PerDirection { read, write, trim }
}

fn of(bounds_ps: &PerDirection<u64>, direction: Direction) -> u64 {
    match direction {
        Direction::Read => bounds_ps.read,
        Direction::Write => bounds_ps.write,
        Direction::Trim => bounds_ps.trim,
    }
}
