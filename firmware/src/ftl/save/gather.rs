//! After power came back: what was saved is read, goes to where it belongs, and the area is erased.
//!
//! Nothing of the area is erased before all of it is in flash elsewhere and the log says so: whenever the power
//! goes away again, the drive begins anew. What is still there although it was put back is older than what it was
//! put back as, and loses.

use alloc::vec::Vec;
use contract::{BufferId, Hardware, Lpn, Metadata, PageKind, UnitState, Work};

use super::page::SavedPage;
use super::Phase;
use crate::ftl::log::page;
use crate::ftl::log::record::Record;
use crate::ftl::program::Sake;
use crate::ftl::{Ftl, Ports};
use crate::operations::{Ended, Operation, Owner, Page, Place, Task};
use crate::planted::{is_planted, Bug};

impl Ftl {
    /// Reads the area, a page of each way at a time.
    pub(super) fn gather(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        let (Some(save), Some(log)) = (&mut self.save, &mut self.log) else { return false };
        let Phase::Gather(gathering) = &mut save.phase else { return false };
        if gathering.free.is_empty() && gathering.under_way == 0 {
            gathering.free = log.all_entries().collect();
        }
        let mut busy = false;
        for die in 0..save.geometry.dies() {
            if gathering.reads[die as usize] {
                continue;
            }
            let Some(page) = save.area.to_read(die) else { continue };
            let Some(entry) = gathering.free.pop() else { break };
            gathering.under_way += 1;
            gathering.reads[die as usize] = true;
            log.counters.recovery_reads += 1;
            let op = Operation::flash(Owner::Drive, page, Task::Probe { entry, retries: 0 });
            let id = ports.station.reserve(ports.hw, op);
            id.released(ports.hw, None);
            ports.station.release(id);
            busy = true;
        }
        if gathering.under_way == 0 {
            let pages = core::mem::take(&mut gathering.pages);
            let records = core::mem::take(&mut gathering.records);
            log.take_saved((pages, records), gathering.epoch);
            save.phase = Phase::PutBack(0);
            busy = true;
        }
        busy
    }

    /// A page of the area was read.
    pub(in crate::ftl) fn gathered(
        &mut self,
        hw: &mut impl Hardware,
        (page, entry): (Page, BufferId),
        ended: Ended,
    ) {
        let Some(save) = &mut self.save else { return };
        let Phase::Gather(gathering) = &mut save.phase else {
            unreachable!("the area is read while it is gathered")
        };
        gathering.free.push(entry);
        gathering.reads[page.die as usize] = false;
        gathering.under_way -= 1;
        let metadata = hw.metadata(entry);
        let erased = &mut gathering.erased[page.die as usize];
        if ended == Ended::Well && metadata.is_none() {
            *erased = save.area.pass_erased(page.die, *erased);
            return;
        }
        *erased = 0;
        save.area.go_on(page.die);
        let Some(&Metadata { kind, epoch, sequence, lpns }) = metadata else { return };
        gathering.epoch = gathering.epoch.max(epoch);
        match kind {
            PageKind::Journal if ended == Ended::Well => {
                hw.work_times(Work::Touch, self.geometry.page_bytes.div_ceil(4096));
                let all = page::records(hw.log_page(entry)).into_iter().flat_map(|(all, _)| all);
                gathering.records.extend(all.filter(is_worth_saving));
            }
            PageKind::Data | PageKind::Saved => {
                let units = (0..).zip(lpns.iter().zip(lpns.ages()));
                let saved = units.map(|(unit, ((lpn, state), &age))| {
                    let (place, lost) = (Place { page, unit }, state == UnitState::Lost);
                    let age = if is_planted(Bug::GatheredAgesIgnored) { 0 } else { age };
                    SavedPage { lpn, sequence: sequence - u64::from(age), place, lost }
                });
                gathering.pages.extend(saved);
            }
            PageKind::Journal | PageKind::Snapshot => {}
        }
    }

    /// Puts what was saved back: as many mapping units as fill a page are read into the buffer and programmed together.
    /// What was saved and is lost stays lost.
    pub(super) fn put_back(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        let (Some(save), Some(log)) = (&mut self.save, &mut self.log) else { return false };
        let Phase::PutBack(mut next) = save.phase else { return false };
        if !log.is_ready() {
            return false;
        }
        // The log gives it once, and the first page may have to wait for room.
        if save.found.is_empty() {
            save.found = log.found_saved();
        }
        let first = next;
        while self.save.as_ref().is_some_and(|save| next < save.found.len()) {
            let has_room = self.log.as_ref().is_some_and(|log| log.has_room());
            if !has_room || ports.station.pool.free_count() < 2 * self.slice_operations {
                break;
            }
            next = self.put_back_page(ports, next);
        }
        let Some(save) = &mut self.save else { return false };
        let over = next == save.found.len();
        save.phase = if over { Phase::Settle } else { Phase::PutBack(next) };
        over || next > first
    }

    /// Puts back as many units as fill a page, from one on. Returns the one behind them.
    fn put_back_page(&mut self, ports: &mut Ports<'_, impl Hardware>, mut next: usize) -> usize {
        let mut entries = [BufferId(0); Metadata::MOST_UNITS];
        let mut count = 0;
        while count < self.translator.units_per_page() as usize {
            let saved = self.save.as_ref().and_then(|save| save.found.get(next).copied());
            let Some(SavedPage { lpn, place, lost, .. }) = saved else { break };
            next += 1;
            if lost {
                self.translator.next_sequence();
                self.translator.lose(lpn);
                self.note_lost(ports, lpn);
            } else if let Some(entry) = self.bring_anew(ports, lpn, place) {
                entries[count] = entry;
                count += 1;
            }
        }
        let mut left = &entries[..count];
        while !left.is_empty() {
            let programmed = self.program(ports, left, Sake::Ahead);
            left = &left[programmed..];
        }
        next
    }

    /// Waits until flash holds all of it, and the records of what was freed.
    pub(super) fn settle_saved(&mut self) -> bool {
        let (Some(save), Some(log)) = (&mut self.save, &mut self.log) else { return false };
        let under_way = self.buffer.dirty() + self.flushes.under_way() > 0;
        if (under_way || log.keep_all()) && !is_planted(Bug::AreaErasedTooEarly) {
            return false;
        }
        save.found.clear();
        save.phase = Phase::Erase { next: 0, under_way: 0 };
        true
    }

    /// Erases the area, some blocks at a time.
    pub(super) fn erase_area(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        let Some(save) = &mut self.save else { return false };
        let Phase::Erase { mut next, mut under_way } = save.phase else { return false };
        let (dies, began) = (save.geometry.dies(), next);
        let all = dies * save.area.per_way();
        while next < all && under_way < dies {
            let page = save.area.head(next % dies, next / dies);
            ports.station.reserve_log(ports.hw, Operation::flash(Owner::Drive, page, Task::Wipe));
            (next, under_way) = (next + 1, under_way + 1);
        }
        if next == all && under_way == 0 {
            save.phase = Phase::Ready;
            save.pages = save.pages_to_save();
            return true;
        }
        save.phase = Phase::Erase { next, under_way };
        next > began
    }

    /// The erase of a block of the area has ended.
    pub(in crate::ftl) fn area_erased(&mut self, page: Page, ended: Ended) {
        let Some(save) = &mut self.save else { return };
        save.area.erased(page, ended == Ended::Well || is_planted(Bug::FailedSaveBlockUsed));
        if let Phase::Erase { under_way, .. } = &mut save.phase {
            *under_way -= 1;
        }
    }
}

/// Records that are worth saving: others can be found out again from what flash holds.
fn is_worth_saving(record: &Record) -> bool {
    matches!(record, Record::Unmapped { .. } | Record::Lost { .. })
}

/// Of pages that were saved, the newest of each logical page, without those of which records that are `needed`
/// tell something newer.
pub(in crate::ftl) fn newest(mut pages: Vec<SavedPage>, needed: &[Record]) -> Vec<SavedPage> {
    pages.sort_unstable_by_key(|saved| (saved.lpn.0, core::cmp::Reverse(saved.sequence)));
    pages.dedup_by_key(|saved| saved.lpn);
    let mut newer = alloc::vec![0; pages.len()];
    for record in needed {
        let (first, count) = match *record {
            Record::Placed { lpn, .. } | Record::Lost { lpn, .. } => (lpn, 1),
            Record::Unmapped { lpn, count, .. } => (lpn, count),
            Record::Cleared { .. } => (0, u32::MAX),
            _ => continue,
        };
        let start = pages.partition_point(|saved| saved.lpn < Lpn(first));
        for (newer, saved) in newer[start..].iter_mut().zip(&pages[start..]) {
            let Some(nth) = saved.lpn.0.checked_sub(first).filter(|&nth| nth < count) else {
                break;
            };
            // A record of several has a number for each.
            let nth = if matches!(record, Record::Unmapped { .. }) { nth } else { 0 };
            *newer = record.sequence().max(*newer).max(record.sequence() + u64::from(nth));
        }
    }
    let mut newer = newer.into_iter();
    pages.retain(|saved| newer.next().is_some_and(|newer| newer <= saved.sequence));
    pages
}

#[cfg(test)]
mod tests {
    use contract::{Configuration, Recovery};

    use super::*;
    use crate::ftl::save::tests::{new_ftl, with_capacitor};
    use crate::nvme::backend::IoOutcome;
    use crate::nvme::tests::mock::MockHardware;
    use crate::operations::Station;
    use crate::planted::plant;

    fn saved(lpn: u32, sequence: u64) -> SavedPage {
        let place = Place { page: Page { die: 0, row: 0 }, unit: 0 };
        SavedPage { lpn: Lpn(lpn), sequence, place, lost: false }
    }

    #[test]
    fn the_newest_of_what_was_saved_is_put_back_unless_something_newer_is_known() {
        let pages = alloc::vec![saved(3, 10), saved(1, 4), saved(3, 12), saved(5, 20), saved(9, 7)];
        let needed = [
            Record::Placed { lpn: 1, ppn: 0, sequence: 5 },
            Record::Placed { lpn: 3, ppn: 0, sequence: 12 },
            Record::Unmapped { lpn: 4, count: 3, sequence: 20 },
            Record::Unmapped { lpn: 8, count: 1, sequence: 9 },
        ];
        assert_eq!(newest(pages.clone(), &needed), [saved(3, 12), saved(9, 7)]);
        let cleared = [Record::Cleared { block_bytes: 4096, sequence: 12 }];
        assert_eq!(newest(pages, &cleared), [saved(3, 12), saved(5, 20)]);
    }
    /// Rows that a way is written to, in order, when the second of its three blocks could not be erased.
    fn written_rows() -> Vec<u32> {
        let mut ftl = new_ftl(&with_capacitor());
        let die = 1;
        let heads =
            [0, 1, 2].map(|nth| ftl.save.as_ref().expect("a capacitor").area.head(die, nth));
        ftl.save.as_mut().expect("a capacitor").phase = Phase::Erase { next: 3, under_way: 3 };
        for (nth, page) in heads.into_iter().enumerate() {
            let failed = Ended::Failed(IoOutcome::WriteFault);
            ftl.area_erased(page, if nth == 1 { failed } else { Ended::Well });
        }
        let save = ftl.save.as_mut().expect("a capacitor");
        core::iter::from_fn(|| save.area.take(die)).map(|page| page.row).collect()
    }

    /// What the block held may still be there, and no page above it can be programmed.
    #[test]
    fn nothing_is_saved_to_a_block_that_could_not_be_erased() {
        let config = with_capacitor();
        let pages = config.geometry.pages_per_block;
        let ftl = new_ftl(&config);
        let area = &ftl.save.as_ref().expect("a capacitor").area;
        let rows = |nth| {
            let Page { row, .. } = area.head(1, nth);
            row..row + pages
        };
        let expected: Vec<u32> = rows(0).chain(rows(2)).collect();
        assert_eq!(written_rows(), expected);
        plant(Some(Bug::FailedSaveBlockUsed));
        let with_bug = written_rows();
        plant(None);
        assert_ne!(with_bug, expected);
    }
    /// Nothing is read of it, and the journal tells it: the save area is about to be erased.
    #[test]
    fn what_was_saved_as_lost_is_lost_at_once() {
        let recovery = Recovery {
            log_blocks_per_way: 3,
            snapshots_per_journal_page: 1,
            log_entries: 4,
            map_cache_parts: None,
        };
        let config = Configuration { recovery: Some(recovery), ..with_capacitor() };
        let (mut ftl, mut hw) = (new_ftl(&config), MockHardware::new(&config));
        hw.log_page = alloc::vec![0; config.geometry.page_bytes as usize];
        let mut station = Station::of(&config, 16);
        let lost = SavedPage { lost: true, ..saved(5, 20) };
        ftl.save.as_mut().expect("a capacitor").found = alloc::vec![lost];
        ftl.translator.sequence = 30;
        let mut ports = Ports { hw: &mut hw, station: &mut station };
        assert_eq!(ftl.put_back_page(&mut ports, 0), 1);
        assert!(ftl.translator.map.is_lost(Lpn(5)) && station.is_empty());
        let noted = Record::parse(&hw.log_page[page::HEADER..]);
        let sequence = ftl.translator.sequence;
        assert!(sequence > 30);
        assert_eq!(noted, Some(Record::Lost { lpn: 5, sequence }));
    }
}
