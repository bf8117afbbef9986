//! Where the log's next page goes, and what is erased before it gets there.

use contract::{BufferId, Hardware, Lpns, Metadata, PageKind, Work};

use super::area::Condition;
use super::Log;
use crate::ftl::Ports;
use crate::operations::{Operation, Owner, Page, Sequence, Task};
use crate::planted::{is_planted, Bug};

impl Log {
    /// Writes a page of the log from an entry. Returns its position; none if the next block is not erased
    /// yet.
    pub(super) fn write(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        (entry, kind, lpns): (BufferId, PageKind, Lpns),
    ) -> Option<u64> {
        let position = self.place()?;
        let page = self.area.page(position);
        ports.hw.work(Work::Place);
        ports.hw.work_times(Work::Touch, self.geometry.page_bytes.div_ceil(4096));
        let (epoch, sequence) = (ports.station.epoch, position);
        ports.hw.set_metadata(entry, Metadata { kind, epoch, sequence, lpns });
        let op = Operation::flash(
            Owner::Drive,
            page,
            Task::Log { entry, position: Sequence::new(position) },
        );
        ports.station.reserve_log(ports.hw, op);
        Some(position)
    }

    /// The position of the next page that can be written.
    fn place(&mut self) -> Option<u64> {
        loop {
            let position = self.next;
            let stripe = self.area.stripe(position);
            let Page { die, .. } = self.area.page(position);
            let condition = self.area.condition(die, stripe);
            if matches!(condition, Condition::Used | Condition::Wiping) {
                return None;
            }
            self.next += 1;
            if position % self.area.stripe_pages() == 0 {
                self.area.leave((stripe + self.area.stripes() - 1) % self.area.stripes());
                self.to_wipe = Some((stripe + 1) % self.area.stripes());
                self.keep_ahead();
            }
            if condition == Condition::Ready {
                return Some(position);
            }
        }
    }

    /// Makes snapshots due that would be the newest of their parts still when the second next stripe is to be
    /// erased. Nothing more is planned until flash holds them. There are none unless power losses, or journal pages of few
    /// records each, use up the log faster than snapshots are taken.
    pub(in crate::ftl::log) fn keep_ahead(&mut self) {
        let next = self.next.div_ceil(self.area.stripe_pages()) * self.area.stripe_pages();
        let end = (next + 2 * self.area.stripe_pages()).saturating_sub(self.area.pages());
        let needed = if end > 0 { self.snapshots.needed_before(end) } else { 0 };
        self.is_short |= needed > 0 && !is_planted(Bug::ShortLogPlannedOn);
        self.snapshots.at_least(needed);
    }

    /// The position that is to be written next.
    pub(in crate::ftl::log) fn position(&self) -> u64 {
        self.next
    }

    /// Erases the next stripe once nothing in it is needed. True when it was begun.
    pub(super) fn wipe_next(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        let Some(stripe) = self.to_wipe else { return false };
        // Pages of it are older than all others, if it was ever written: they end before `end`.
        let start = self.next.div_ceil(self.area.stripe_pages()) * self.area.stripe_pages();
        let end = (start + self.area.stripe_pages()).saturating_sub(self.area.pages());
        if end > 0 && self.snapshots.needed_before(end) > 0 {
            return false;
        }
        self.to_wipe = None;
        for die in 0..self.area.dies() {
            if self.area.condition(die, stripe) != Condition::Used {
                continue;
            }
            self.area.set_condition(die, stripe, Condition::Wiping);
            let row = self.area.block(die, stripe) * self.area.rows();
            let op = Operation::flash(Owner::Drive, Page { die, row }, Task::Wipe);
            ports.station.reserve_log(ports.hw, op);
        }
        true
    }
}
