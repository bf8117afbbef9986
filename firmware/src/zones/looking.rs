//! The look at all blocks after a power loss, and at pages whose order in time is in question.

use contract::{BufferId, Hardware};

use super::blocks::Use;
use super::label::Label;
use super::log::parse_sequence;
use super::scan::{LogPage, Scan, Way, ZoneBlock};
use super::Zones;
use crate::operations::{Ended, Page};
use crate::placed::look::Seen;
use crate::placed::Ports;

impl Zones {
    /// Goes on to look for what the chips hold. True when something was done.
    pub(super) fn look(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        let Some(mut scan) = self.scan.take() else { return false };
        if scan.restoring > 0 {
            self.scan = Some(scan);
            return false;
        }
        if scan.verify.is_some() {
            return self.go_on_to_verify(ports, scan);
        }
        let (mut busy, mut left) = (false, false);
        for die in 0..self.shape.dies() {
            if scan.ways[die as usize].reading.is_some() {
                left = true;
                continue;
            }
            let row = self.next_row(&mut scan, die);
            left |= row.is_some();
            let Some(row) = row.filter(|_| !self.placed.free.is_empty()) else { continue };
            let way = &mut scan.ways[die as usize];
            way.reading = Some(row);
            self.placed.probe(ports, self.shape.page(die, way.block, row));
            busy = true;
        }
        if left {
            self.scan = Some(scan);
            return busy;
        }
        self.all_looked_at(ports, scan);
        true
    }

    /// The row of a way that is to be looked at next; blocks of which all is known are noted.
    fn next_row(&mut self, scan: &mut Scan, die: u32) -> Option<u32> {
        let rows = self.shape.rows();
        while scan.ways[die as usize].block < self.shape.blocks_per_way() {
            let way = scan.ways[die as usize];
            if self.blocks.used(die, way.block) != Use::Bad {
                if let Some(row) = way.next(rows) {
                    return Some(row);
                }
                self.note_block(scan, die);
            }
            scan.ways[die as usize] = Way::at(way.block + 1, rows);
        }
        None
    }

    /// All is known of a block.
    fn note_block(&mut self, scan: &mut Scan, die: u32) {
        let Way { block, look, labels, log_row, is_first_unreadable, .. } = scan.ways[die as usize];
        match (look.last, labels) {
            (None, _) => {}
            _ if log_row.is_some() => self.blocks.take_written(die, block, Use::Log),
            (Some((last, Seen::Written)), Some((first, own)))
                if last > 0 || !is_first_unreadable =>
            {
                let is_torn = look.is_torn;
                let rows = last + 1;
                let found = ZoneBlock { die, block, rows, is_torn, first, last: own };
                scan.zone_blocks.push(found);
                self.blocks.take_written(die, block, Use::Doomed(None));
            }
            _ => {
                scan.garbage.push((die, block));
                self.blocks.take_written(die, block, Use::Doomed(None));
            }
        }
    }

    /// A page was read.
    pub(super) fn looked(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        page: Page,
        entry: BufferId,
        ended: Ended,
    ) {
        self.placed.free.push(entry);
        self.placed.counters.marks_read += 1;
        let metadata = ports.hw.metadata(entry);
        let seen = Seen::of(ended, metadata);
        let label = metadata.and_then(Label::of);
        let Some(scan) = &mut self.scan else { return };
        if let Some(verify) = &mut scan.verify {
            verify.take(label);
            return;
        }
        let way = &mut scan.ways[page.die as usize];
        let row = way.reading.take().expect("a page of the way is read");
        // What names no block is nothing that a drive with zones has written. And data that cannot be read may be of a program that
        // the power cut off, behind metadata that can be.
        let is_unreadable = ended != Ended::Well;
        let is_torn = label.is_none() || is_unreadable && row > 0;
        let seen = if is_torn && seen == Seen::Written { Seen::Torn } else { seen };
        way.is_first_unreadable |= row == 0 && is_unreadable;
        let of_log = label.filter(|label| parse_sequence(label.sequence).is_some());
        if way.log_row.is_some() || row == 0 && of_log.is_some() {
            if let Some(label) = of_log.filter(|_| !is_unreadable) {
                scan.log_pages.push(LogPage { page, label });
            }
            if row == 0 {
                way.look.take(row, seen);
            }
            way.log_row = Some(if seen == Seen::Written { row + 1 } else { self.shape.rows() });
            return;
        }
        if let Some(label) = label.filter(|_| seen == Seen::Written) {
            let is_last =
                way.look.last.is_none_or(|(last, seen)| row >= last || seen == Seen::Torn);
            match &mut way.labels {
                None => way.labels = Some((label, label)),
                Some((_, last)) if is_last => *last = label,
                Some(_) => {}
            }
        }
        way.look.take(row, seen);
    }
}

impl Zones {
    /// Looks at the next page. True when something was done.
    pub(super) fn go_on_to_verify(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        mut scan: Scan,
    ) -> bool {
        let Some(verify) = &mut scan.verify else { return false };
        let next = verify.next();
        if verify.is_over() {
            let ends = core::mem::take(&mut verify.ends);
            self.zones_found(ports, scan, &ends);
            return true;
        }
        let busy = next.is_some();
        if let Some((zone, page)) = next {
            let (slot, row) = self.shape.slot_of(page);
            let (block, row) = self.blocks.place(zone, slot, row).expect("the page is there");
            self.placed.probe(ports, self.shape.page(self.shape.die(zone, slot), block, row));
        }
        self.scan = Some(scan);
        busy
    }
}
