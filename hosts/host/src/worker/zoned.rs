//! Requests of jobs on drives with zones: where they go, and the resets that come before them.

use nvme::command::{DataPointer, Entry, Header};
use nvme::io::BlockRange;
use nvme::zones::{Selected, ZoneAction, ZoneCommand};

use super::{Desk, Finished, Wait, Worker};
use crate::job::{Request, RequestKind};
use crate::source::Seen;
use crate::zone_book::Placed;

/// When a worker asks again that waits for a zone of another one: as soon as another one has done something.
const UNTIL_OTHERS: u64 = u64::MAX;

impl Worker {
    /// The request that waits for a zone, if one does.
    #[inline]
    pub(super) fn unplaced(&mut self) -> Option<Request> {
        self.zoned.and_then(|_| self.unplaced.take())
    }

    /// Moves a request of a job on zones to where it goes.
    ///
    /// # Errors
    /// What the worker waits for, or nothing if it is to go on without this request.
    #[inline(never)]
    pub(super) fn place(
        &mut self,
        request: &mut Request,
        now: u64,
        slot: u32,
        desk: &mut Desk<'_>,
    ) -> Result<(), Option<Wait>> {
        let (Some(zoned), Some(book)) = (&self.zoned, &mut desk.zones) else { return Ok(()) };
        match book.place(*request, self.index, zoned) {
            Placed::At(placed) => {
                *request = placed;
                Ok(())
            }
            Placed::AfterReset(reset) => {
                self.unplaced = Some(*request);
                self.free.pop();
                self.slots[slot as usize].open(reset, now);
                self.partial = Some(slot);
                Err(None)
            }
            Placed::Wait => {
                self.unplaced = Some(*request);
                Err(Some(Wait::Held(UNTIL_OTHERS)))
            }
            Placed::Nowhere => {
                self.workload.stop();
                let status = nvme::status::Status::SUCCESS;
                let seen = Seen { slot, now_ps: now, submitted_ps: now, status };
                self.workload.completed(request, seen);
                Err(None)
            }
        }
    }

    /// The job sees that a zone was reset, or was not: then it fails.
    pub(super) fn see_reset(&mut self, slot: u32, now: u64, desk: &Desk<'_>) -> Finished {
        let state = &self.slots[slot as usize];
        let (status, lba, latency_ps) = (state.status, state.failed_lba, now - state.submitted_ps);
        match status.is_success() {
            true => self.measure.reset_zone(),
            false => self.fail(RequestKind::ZoneReset, (status, lba)),
        }
        let at_ps = now - desk.origin_ps;
        Finished { at_ps, direction: None, bytes: 0, latency_ps, is_measured: false }
    }

    /// The entry of a write on a drive with zones, which may be an append to its zone.
    pub(super) fn append(&self, entry: Entry, request: &Request, desk: &Desk<'_>) -> Entry {
        let (Some(zoned), Some(book)) = (&self.zoned, &desk.zones) else { return entry };
        if !zoned.appends {
            return entry;
        }
        let start = book.start_of(request) / desk.terms.block_bytes;
        let range = BlockRange { start, blocks: (entry.dword(12) & 0xffff) + 1 };
        ZoneCommand::Append(range, self.unit_access.write).emit(entry.header())
    }

    /// The reset of a zone begins.
    pub(super) fn begin_reset(&self, cid: u16, request: &Request, desk: &mut Desk<'_>) -> Entry {
        let block_bytes = desk.terms.block_bytes;
        let start = request.offset_bytes / block_bytes;
        if let Some(book) = &mut desk.zones {
            let tickets = book.tickets(request, request.length_bytes / block_bytes);
            desk.oracle.begin_zeroes(self.namespace.first_block + start, tickets);
        }
        let header = Header { cid, nsid: self.namespace.id, data: DataPointer::default() };
        ZoneCommand::Send(ZoneAction::Reset, Selected::One(start)).emit(header)
    }
}
