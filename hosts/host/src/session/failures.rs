//! Why a session ends before its jobs do.

use machine::Machine;

use super::Session;
use crate::engine::Failure;
use crate::error::{DataError, RunError};
use crate::fio_host::FioHost;

impl<D: Machine<FioHost>> Session<'_, D> {
    /// What has failed, if something has.
    pub(super) fn failure(&self) -> Option<RunError> {
        let (engine, seed) = (self.engine(), self.request.seed);
        Some(match engine.failure()? {
            Failure::Data { worker, mismatch, byte, time_ps } => {
                let block_bytes = u64::from(self.identity.block_bytes);
                let first = self.specs[*worker].namespace.first_block;
                RunError::Data(Box::new(DataError {
                    job: engine.workers()[*worker].name().to_string(),
                    byte: (mismatch.lba - first) * block_bytes + u64::from(*byte),
                    mismatch: mismatch.as_ref().clone(),
                    time_ps: *time_ps,
                    seed,
                }))
            }
            Failure::Broken { broken, time_ps } => {
                RunError::Ftl { broken: *broken, time_ps: *time_ps, seed }
            }
            Failure::Stray { stray, time_ps } => {
                RunError::Stray { queue: stray.queue, cid: stray.cid, time_ps: *time_ps, seed }
            }
        })
    }

    /// Why nothing happens any more.
    pub(super) fn stalled(&self) -> RunError {
        let workers = self.engine().workers();
        let waiting = || workers.iter().filter(|worker| worker.in_flight() > 0);
        if waiting().next().is_none() {
            let left = workers.iter().filter(|worker| !worker.is_over());
            return RunError::Clock {
                jobs: left.map(|worker| worker.name().to_string()).collect(),
            };
        }
        RunError::Stalled {
            jobs: waiting().map(|worker| worker.name().to_string()).collect(),
            outstanding: waiting().map(|worker| u64::from(worker.in_flight())).sum(),
            time_ps: self.drive.now_ps(),
            seed: self.request.seed,
        }
    }
}
