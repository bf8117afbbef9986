//! Sessions on drives that leave the placing of data to their host: an FTL stands between jobs and drive.

use machine::{Machine, Stopped};

use super::Session;
use crate::error::RunError;
use crate::fio_host::FioHost;
use crate::ftl::{Found, HostFtl, Start};
use crate::power_on::cause;
use crate::queue::{QueuePair, QueueShape};

/// Most virtual time in which such an FTL stores what it holds: a minute.
const CLOSE_PS: u64 = 60_000_000_000_000;

impl<D: Machine<FioHost>> Session<'_, D> {
    /// Puts an FTL between the jobs and a drive that was found like this, with this queue to it, and queues of its own for the
    /// jobs.
    pub(super) fn create_ftl(&mut self, (found, back): (Found, QueuePair)) -> Result<(), RunError> {
        let (terms, board) = (self.terms(), self.request.board);
        let lanes = self.wanted_queues();
        let entries = self.reserve(&terms, lanes, found.memory_bytes(back.entries()))?;
        let stride = self.driver.capabilities().doorbell_stride;
        let memory = self.drive.memory();
        let shape = |id| QueueShape { id, entries, stride };
        let pairs: Vec<_> = (1..=lanes).map(|id| QueuePair::new(shape(id), memory)).collect();
        let payload = self.payload;
        let ftl = found.start(&Start { board, payload, front: &pairs, stride, back }, memory)?;
        self.hand_over(terms, pairs);
        self.drive.host_mut().set_ftl(ftl);
        Ok(())
    }

    /// Lets an FTL in the host store what it holds.
    pub(super) fn close_ftl(&mut self) -> Result<(), RunError> {
        let Some(ftl) = self.drive.host_mut().ftl_mut() else { return Ok(()) };
        ftl.close();
        self.drive.wake_host();
        let due_ps = self.drive.now_ps().saturating_add(CLOSE_PS);
        let is_idle = |host: &FioHost| host.ftl().is_some_and(HostFtl::is_idle);
        while !is_idle(self.drive.host()) {
            let stopped = self.drive.run_to(due_ps, is_idle);
            if let Some(error) = self.failure() {
                return Err(error);
            }
            if stopped != Stopped::Host {
                return Err(cause(&self.drive, self.stalled()));
            }
        }
        Ok(())
    }

    /// What an FTL in the host did until now.
    pub fn host_ftl(&self) -> Option<Box<report::HostFtl>> {
        self.drive.host().ftl().map(|ftl| Box::new(ftl.counts().clone()))
    }
}
