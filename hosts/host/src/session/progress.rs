//! How far the jobs of a session are.

use machine::Machine;

use super::Session;
use crate::fio_host::FioHost;
use crate::request::Progress;

impl<D: Machine<FioHost>> Session<'_, D> {
    /// How far the jobs are, after what was shown last.
    pub(super) fn advanced(&self, shown: &Progress) -> Progress {
        let engine = self.engine();
        let elapsed_ps = self.drive.now_ps() - engine.origin_ps();
        let requests = engine.totals().requests;
        let iops = match elapsed_ps - shown.elapsed_ps {
            0 => shown.iops,
            passed_ps => (requests - shown.requests) as f64 * 1e12 / passed_ps as f64,
        };
        Progress { fraction: self.fraction(elapsed_ps), elapsed_ps, requests, iops }
    }

    /// Share of the work that is done: all stages count alike, and so do the jobs of one.
    fn fraction(&self, elapsed_ps: u64) -> f64 {
        let engine = self.engine();
        let stages = self.specs.last().map_or(1, |spec| spec.stage + 1);
        let (stage, stage_ps) = engine.stage();
        let in_stage_ps = elapsed_ps.saturating_sub(stage_ps) as f64;
        let (mut jobs, mut done) = (0.0, 0.0);
        for (spec, worker) in self.specs.iter().zip(engine.workers()) {
            if spec.stage != stage {
                continue;
            }
            let by_time = spec.stop.runtime_ps.map_or(0.0, |runtime_ps| {
                let all_ps = spec.timing.delay_min_ps + spec.timing.ramp_ps + runtime_ps;
                in_stage_ps / all_ps.max(1) as f64
            });
            let by_bytes = spec
                .stop
                .total_bytes
                .map_or(0.0, |bytes| worker.done_bytes() as f64 / bytes.max(1) as f64);
            done += if worker.is_over() { 1.0 } else { by_time.max(by_bytes).min(1.0) };
            jobs += 1.0;
        }
        let of_stage = if jobs > 0.0 { done / jobs } else { 0.0 };
        ((f64::from(stage) + of_stage) / f64::from(stages)).min(1.0)
    }
}
