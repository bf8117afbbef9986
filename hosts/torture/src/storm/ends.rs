//! The ends of commands: what the host then knows of the blocks, and whether the drive was permitted to end them so.

use nvme::completion::CompletionEntry;
use nvme::status::Status;

use super::{Change, Expected, Flight, Storm};
use crate::history::{Ended, Extent, Moment};
use crate::plan::unit_blocks;
use crate::sizes::SLOTS;
use crate::slots;

impl Storm {
    /// Takes what has completed.
    pub(super) fn reap(&mut self) {
        while let Some((_, entry)) = self.bench.drive.host_mut().seen.pop_front() {
            if entry.submission_queue == 0 {
                self.formatted(&entry);
                continue;
            }
            let slot = usize::from(entry.cid);
            let flight = self.flights[slot].take().expect("a completion of a command in flight");
            assert_eq!(entry.submission_queue, flight.queue, "slot {slot}");
            let compared = matches!(flight.expected, Expected::Comparison(..));
            if entry.status.is_success() || compared && entry.status.is(Status::COMPARE_FAILURE) {
                self.succeeded(slot, &entry, flight);
            } else {
                self.failed(entry.status, flight);
            }
        }
        // What ends before the next look may have ended before the drive gives up anything more.
        self.history.gave_up(self.given_up());
    }

    fn succeeded(&mut self, slot: usize, entry: &CompletionEntry, flight: Flight) {
        let Flight { extent, expected, bad_pointer, .. } = flight;
        // A compare may find a difference before it comes to what cannot be moved.
        let is_difference = !entry.status.is_success();
        assert!(
            !bad_pointer || is_difference,
            "{extent:?}: a command succeeded whose data cannot be moved"
        );
        self.outcome.done += 1;
        match expected {
            Expected::Values(begun) => {
                let memory = &mut self.bench.drive.host_mut().memory;
                let found = slots::get(memory, (slot, self.data), extent.blocks);
                if let Err(wrong) = self.history.end_read(extent, begun, &found) {
                    panic!("{wrong}");
                }
            }
            Expected::Change(begun, change) => {
                self.history.end(extent, begun, Ended::Well);
                if [Change::Durable, Change::Through(self.switches)].contains(&change) {
                    self.history.keep(extent, begun);
                }
            }
            Expected::Deallocation(begun) => self.deallocated(extent, begun),
            Expected::Comparison(begun, equal) => {
                self.history.abandon_read(begun);
                let found = entry.status.is_success();
                let open = self.history.changed_since(extent, begun);
                assert!(open || found == equal, "compare of {extent:?}: {}", entry.status);
                self.outcome.differed += u64::from(!found);
            }
            Expected::Flush(begun) => self.history.end_flush(begun),
            Expected::Verified(begun) => self.history.abandon_read(begun),
            Expected::Refusal => panic!("{extent:?}: a command succeeded that no drive may take"),
        }
    }

    /// A deallocation has ended well. NVMe 1.4 section 6.7.1.1 lets a drive keep what is no whole mapping unit.
    fn deallocated(&mut self, extent: Extent, begun: Moment) {
        let unit = self.unit();
        let end = extent.lba + extent.blocks;
        let first = extent.lba.next_multiple_of(unit).min(end);
        let last = (end / unit * unit).max(first);
        let parts = [
            (extent.lba..first, Ended::Perhaps),
            (first..last, Ended::Well),
            (last..end, Ended::Perhaps),
        ];
        for (blocks, ended) in parts {
            if !blocks.is_empty() {
                let part = Extent { lba: blocks.start, blocks: blocks.end - blocks.start };
                self.history.end(part, begun, ended);
            }
        }
    }

    fn failed(&mut self, status: Status, flight: Flight) {
        let one_of = |some: &[Status]| some.iter().any(|&one| status.is(one));
        if matches!(flight.expected, Expected::Refusal) {
            self.outcome.refused += 1;
        } else if one_of(&[Status::FORMAT_IN_PROGRESS]) {
            assert!(self.outcome.formats > 0, "{status}: there was no format");
            self.outcome.refused += 1;
        } else if one_of(&[Status::UNRECOVERED_READ]) {
            self.lose(flight.extent);
        } else if one_of(&[Status::WRITE_FAULT, Status::WRITE_TO_READ_ONLY]) {
            assert!(self.may_refuse(), "{status}: no block and no chip of the drive has failed");
            self.outcome.read_only += 1;
        } else if flight.bad_pointer {
            let expected = [Status::DATA_TRANSFER_ERROR, Status::INVALID_PRP_OFFSET];
            let ended = [Status::ABORTED_SQ_DELETION, Status::ABORT_REQUESTED];
            assert!(one_of(&expected) || one_of(&ended), "{status}");
            self.outcome.refused += 1;
        } else if one_of(&[Status::ABORT_REQUESTED]) {
            self.outcome.aborted += 1;
        } else {
            assert!(one_of(&[Status::ABORTED_SQ_DELETION]), "{status}");
        }
        self.abandon(flight);
    }

    /// Nothing is known of a command's end but that it is over.
    pub(super) fn abandon(&mut self, Flight { extent, expected, .. }: Flight) {
        match expected {
            Expected::Values(begun)
            | Expected::Comparison(begun, _)
            | Expected::Verified(begun) => {
                self.history.abandon_read(begun);
            }
            Expected::Change(begun, _) | Expected::Deallocation(begun) => {
                self.history.end(extent, begun, Ended::Perhaps);
            }
            Expected::Flush(_) | Expected::Refusal => {}
        }
    }

    /// Commands that match will not complete any more.
    pub(super) fn abandon_all(&mut self, of: impl Fn(&Flight) -> bool) {
        for slot in 0..SLOTS {
            if let Some(flight) = self.flights[slot].take_if(|flight| of(flight)) {
                self.abandon(flight);
            }
        }
    }

    /// A command failed because data are lost.
    pub(super) fn lose(&mut self, extent: Extent) {
        let no_spares = self.history.may_be_lost(self.units(extent), self.given_up());
        // Without a log an erase does not wait for programs: a write that a reset overtakes may have lost its page.
        let no_log = self.board.firmware.recovery.is_none();
        let may_lose = self.may_lose || no_spares || no_log || self.is_hit(extent);
        assert!(may_lose, "{extent:?}: data are lost, and nothing explains it");
        self.outcome.lost += 1;
    }

    /// Whether a program that went astray may have cost data of any of some blocks.
    fn is_hit(&self, extent: Extent) -> bool {
        let Extent { lba, blocks } = self.units(extent);
        let units = lba / self.unit()..(lba + blocks).div_ceil(self.unit());
        self.bench.drive.hit_by_strays().iter().any(|lpn| units.contains(&u64::from(lpn.0)))
    }

    /// Whether the drive may have no block left for what is written.
    fn may_refuse(&self) -> bool {
        let counters = self.bench.drive.firmware().counters();
        let before = self.outcome.bad_blocks + self.outcome.chip_resets;
        before + counters.bad_blocks + counters.chip_resets > 0
    }

    /// Programs and erases that the drive has given up.
    pub(super) fn given_up(&self) -> u64 {
        self.outcome.lost_writes + self.bench.drive.firmware().counters().lost_writes
    }

    /// The mapping units of some blocks, whole.
    pub(super) fn units(&self, Extent { lba, blocks }: Extent) -> Extent {
        let unit = self.unit();
        let first = lba / unit * unit;
        let end = (lba + blocks).next_multiple_of(unit).min(self.history.logical_blocks());
        Extent { lba: first, blocks: end - first }
    }

    /// Blocks of a mapping unit.
    pub(super) fn unit(&self) -> u64 {
        unit_blocks(&self.board)
    }
}
