//! The map: logical pages, of the size of mapping units, to physical ones, and back.

#[cfg(feature = "state")]
mod sound;

use alloc::vec::Vec;
use contract::{Geometry, Lpn};
use sparse::Clones;

use super::origin::Origin;
use super::paged::{Cache, Paged};
#[cfg(target_pointer_width = "64")]
use super::scattered::Scattered;
use super::table::Table;
#[cfg(not(target_pointer_width = "64"))]
use super::table::Table as Scattered;
use crate::planted::{is_planted, Bug};

/// Physical mapping unit over the whole array: `(die * rows_per_way + row) * units_per_page + unit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ppn(pub u32);

/// An entry that was never written: what the fill says holds.
const AS_FILLED: u32 = 0;
/// A logical page without data.
const UNMAPPED: u32 = 1;
/// A logical page whose data could not be written anywhere.
const LOST: u32 = 2;
/// First code of a physical page.
const MAPPED: u32 = 3;
/// The same in a snapshot.
const SNAPSHOT_MAPPED: u32 = 2;

/// Both directions of the map, 8 bytes a mapping unit as on Cosmos+ (section 6.1). Entries that never
/// changed since the drive was filled read as zero and take their value from the [`Origin`]; an
/// allocator that hands out zero pages on demand then never has to find memory for them.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Map {
    origin: Option<Origin>,
    #[cfg_attr(feature = "state", borsh(skip))]
    to_physical: Scattered,
    #[cfg_attr(feature = "state", borsh(skip))]
    to_logical: Table,
    rows_per_way: u32,
    /// Mapping units of a page.
    units: u32,
    mapped: u32,
    /// Logical pages.
    pages: u32,
    /// Which parts are in `to_physical`, where not all of them are.
    paged: Option<Paged>,
}

impl Map {
    /// An empty map of flash pages, of so many mapping units each.
    pub fn new(geometry: Geometry, logical_pages: u32, units: u32) -> Self {
        let physical_pages = geometry.pages() as usize;
        Map {
            origin: None,
            to_physical: Scattered::new(logical_pages as usize * units as usize),
            to_logical: Table::new(physical_pages * units as usize),
            rows_per_way: geometry.rows_per_way(),
            units,
            mapped: 0,
            pages: logical_pages * units,
            paged: None,
        }
    }

    /// Starts an untouched map from a formula.
    pub fn start_from(&mut self, origin: Origin) {
        assert_eq!(self.mapped, 0, "a formula is the first thing that happens to a map");
        self.mapped = origin.pages() * self.units;
        self.origin = Some(origin);
    }

    /// States what clones are of those tables that grow with the drive.
    pub(super) fn set_clones(&mut self, are: Clones) {
        self.to_logical.set_clones(are);
        if self.paged.is_none() {
            self.to_physical.set_clones(are);
        }
    }

    /// What the map started from.
    pub fn origin(&self) -> Option<&Origin> {
        self.origin.as_ref()
    }

    /// Forgets all data.
    pub fn clear(&mut self) {
        self.origin = None;
        if let Some(paged) = &mut self.paged {
            paged.clear();
        }
        self.to_physical.clear();
        self.to_logical.clear();
        self.mapped = 0;
    }

    /// Logical pages.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// Logical pages that hold data.
    pub fn mapped(&self) -> u32 {
        self.mapped
    }

    /// What the map has for a logical page.
    ///
    /// # Panics
    /// If it is not [known](Map::knows).
    #[inline]
    fn code(&self, Lpn(lpn): Lpn) -> u32 {
        match &self.paged {
            None => self.to_physical.get(lpn as usize),
            Some(paged) => {
                let known = paged.index(lpn).map(|at| self.to_physical.get(at));
                known.or_else(|| paged.changes.get(lpn)).expect("an entry that was made known")
            }
        }
    }

    fn set_code(&mut self, Lpn(lpn): Lpn, code: u32) {
        let Some(paged) = &mut self.paged else {
            self.to_physical.set(lpn as usize, code);
            return;
        };
        if let Some(at) = paged.index(lpn) {
            self.to_physical.set(at, code);
        }
        paged.note_changed(lpn, code);
    }

    /// Where a logical page is.
    #[inline]
    pub fn lookup(&self, lpn: Lpn) -> Option<Ppn> {
        match self.code(lpn) {
            AS_FILLED => self.filled(lpn),
            UNMAPPED | LOST => None,
            code => Some(Ppn(code - MAPPED)),
        }
    }

    /// Where a logical page was when the drive was filled.
    #[inline]
    fn filled(&self, Lpn(lpn): Lpn) -> Option<Ppn> {
        let page = self.origin.as_ref()?.physical(Lpn(lpn / self.units))?;
        Some(Ppn(page * self.units + lpn % self.units))
    }

    /// Whether the data of a logical page are lost.
    pub fn is_lost(&self, lpn: Lpn) -> bool {
        self.code(lpn) == LOST
    }

    /// The logical page whose present data are at `ppn`.
    pub fn owner(&self, ppn: Ppn) -> Option<Lpn> {
        if self.paged.as_ref().is_some_and(|paged| !paged.is_valid(ppn.0)) {
            return None;
        }
        let lpn = self.last_owner(ppn)?;
        if self.paged.is_some() {
            return Some(lpn);
        }
        if is_planted(Bug::StaleCopyMoved) {
            return self.lookup(lpn).map(|_| lpn);
        }
        (self.lookup(lpn) == Some(ppn)).then_some(lpn)
    }

    /// Whether the present data of a logical page are at `ppn`.
    pub fn holds(&self, ppn: Ppn, lpn: Lpn) -> bool {
        match &self.paged {
            None => self.lookup(lpn) == Some(ppn),
            Some(_) => self.owner(ppn) == Some(lpn),
        }
    }

    /// Points `lpn` at `ppn` and returns where it was.
    pub fn assign(&mut self, lpn: Lpn, ppn: Ppn) -> Option<Ppn> {
        let old = self.lookup(lpn);
        self.point(lpn, (old, ppn));
        old
    }

    /// Points `lpn`, the owner of `from`, at `to`, and returns where it was.
    pub fn relocate(&mut self, lpn: Lpn, (from, to): (Ppn, Ppn)) -> Option<Ppn> {
        if self.paged.is_none() {
            return self.assign(lpn, to);
        }
        self.point(lpn, (Some(from), to));
        Some(from)
    }

    fn point(&mut self, lpn: Lpn, (old, ppn): (Option<Ppn>, Ppn)) {
        self.mapped += u32::from(old.is_none());
        if let Some(paged) = &mut self.paged {
            if let Some(Ppn(old)) = old {
                paged.set_invalid(old);
            }
            paged.set_valid(ppn.0);
        }
        self.set_code(lpn, ppn.0 + MAPPED);
        self.to_logical[ppn.0 as usize] = lpn.0 + 1;
    }

    /// Takes the data of `lpn` away and returns where they were.
    pub fn unmap(&mut self, lpn: Lpn) -> Option<Ppn> {
        let old = self.lookup(lpn);
        self.take_away(lpn, (old, UNMAPPED));
        old
    }

    /// Notes that the data of `lpn` are lost, and returns where they were to be.
    pub fn lose(&mut self, lpn: Lpn) -> Option<Ppn> {
        let old = self.lookup(lpn);
        self.take_away(lpn, (old, LOST));
        old
    }

    /// Notes that the data of `lpn`, the owner of `ppn`, are lost.
    pub fn lose_at(&mut self, lpn: Lpn, ppn: Ppn) {
        self.take_away(lpn, (Some(ppn), LOST));
    }

    fn take_away(&mut self, lpn: Lpn, (old, code): (Option<Ppn>, u32)) {
        self.mapped -= u32::from(old.is_some());
        if let (Some(paged), Some(Ppn(old))) = (&mut self.paged, old) {
            paged.set_invalid(old);
        }
        self.set_code(lpn, code);
    }

    /// What a snapshot says of a logical page: 0 without data, 1 for data that are lost, or 2 and more for a
    /// physical page.
    pub(super) fn snapshot_code(&self, lpn: Lpn) -> u32 {
        match self.lookup(lpn) {
            Some(Ppn(ppn)) => ppn + SNAPSHOT_MAPPED,
            None => u32::from(self.is_lost(lpn)),
        }
    }

    /// Puts a logical page where a snapshot says that it is. [`Map::rebuild`] follows.
    pub(super) fn restore(&mut self, lpn: u32, code: u32) {
        match code {
            0 => self.restore_unmapped(lpn),
            1 => self.restore_lost(lpn),
            code => self.restore_at(lpn, code - SNAPSHOT_MAPPED),
        }
    }

    /// Puts a logical page to a physical one.
    pub(super) fn restore_at(&mut self, lpn: u32, ppn: u32) {
        self.to_physical.set(lpn as usize, ppn + MAPPED);
    }

    /// Takes the data of a logical page away.
    pub(super) fn restore_unmapped(&mut self, lpn: u32) {
        self.to_physical.set(lpn as usize, UNMAPPED);
    }

    /// Notes that the data of a logical page are lost.
    pub(super) fn restore_lost(&mut self, lpn: u32) {
        self.to_physical.set(lpn as usize, LOST);
    }

    /// Whether a logical page is at a physical one.
    pub(super) fn is_at(&self, lpn: u32, ppn: u32) -> bool {
        self.to_physical.get(lpn as usize) == ppn + MAPPED
    }

    /// Makes the way back anew, and tells of every physical page with present data. A page whose program a chip lost may be
    /// programmed for another logical page behind the next erase, while the former one seems to be there still, since an older
    /// place is all that is known of it: it is lost. `is_older(one, other)` tells which of two that is. Returns those lost.
    pub(super) fn rebuild(
        &mut self,
        is_older: impl Fn(u32, u32) -> bool,
        mut held: impl FnMut(Ppn),
    ) -> Vec<u32> {
        self.mapped = 0;
        let mut lost = Vec::new();
        for lpn in 0..self.pages() {
            let Some(ppn) = self.lookup(Lpn(lpn)) else { continue };
            let back = &mut self.to_logical[ppn.0 as usize];
            if *back == AS_FILLED {
                *back = lpn + 1;
                self.mapped += 1;
                held(ppn);
                continue;
            }
            let other = *back - 1;
            let older = if is_older(other, lpn) { other } else { lpn };
            *back = if older == other { lpn + 1 } else { other + 1 };
            self.restore_lost(older);
            lost.push(older);
        }
        lost
    }

    /// Keeps only some parts in memory from now on, of so many entries each. Flash holds all of them as they are, but
    /// those that are `void`, which are without data.
    pub(super) fn page_out(&mut self, (cache, entries): (Cache, u32), void: Vec<bool>) {
        let mut paged = Paged::new((cache, entries), (self.to_logical.len(), void));
        for lpn in 0..self.pages {
            if let Some(Ppn(ppn)) = self.lookup(Lpn(lpn)) {
                paged.set_valid(ppn);
            }
        }
        let kept = (cache.parts * entries) as usize;
        self.to_physical.truncate(kept);
        self.paged = Some(paged);
    }

    /// Which parts are in memory, where not all of them are.
    pub(super) fn paged(&mut self) -> Option<&mut Paged> {
        self.paged.as_mut()
    }

    /// Whether all of the map is in memory.
    pub(super) fn is_whole(&self) -> bool {
        self.paged.is_none()
    }

    /// Whether the entry of a logical page is in memory.
    pub(super) fn knows(&self, Lpn(lpn): Lpn) -> bool {
        let Some(paged) = &self.paged else { return true };
        paged.index(lpn).is_some() || paged.changes.get(lpn).is_some()
    }

    /// Keeps the entry of a logical page, which is known, until [`Map::unpin`].
    pub(super) fn pin(&mut self, lpn: Lpn) {
        if self.paged.is_some() {
            let code = self.code(lpn);
            if let Some(paged) = &mut self.paged {
                paged.changes.pin(lpn.0, code);
            }
        }
    }

    /// The same of one whose part need not be known, since the way back tells where its data are.
    pub(super) fn pin_at(&mut self, lpn: Lpn, Ppn(ppn): Ppn) {
        if let Some(paged) = &mut self.paged {
            paged.changes.pin(lpn.0, ppn + MAPPED);
        }
    }

    /// The entry need not be kept.
    pub(super) fn unpin(&mut self, lpn: Lpn) {
        if let Some(paged) = &mut self.paged {
            paged.changes.unpin(lpn.0);
        }
    }

    /// A part that has a slot is there, as a snapshot says: `None` if it cannot be read.
    pub(super) fn arrive(&mut self, part: u32, codes: Option<impl Iterator<Item = u32>>) {
        let Some(paged) = &mut self.paged else { return };
        let (at, entries) = (paged.arrive(part), paged.entries as usize);
        let first = part * paged.entries;
        let entry = |code| match code {
            0 => UNMAPPED,
            1 => LOST,
            code => code - SNAPSHOT_MAPPED + MAPPED,
        };
        let is_void = paged.is_void(part);
        let is_anew = codes.is_none() && !is_void;
        let slot = self.to_physical.flat(at..at + entries);
        slot.fill(UNMAPPED);
        match codes {
            _ if is_void => {}
            Some(codes) => slot.iter_mut().zip(codes).for_each(|(to, code)| *to = entry(code)),
            None => self.find_by_way_back(part, at),
        }
        let Some(paged) = &mut self.paged else { return };
        let slot = self.to_physical.flat(at..at + entries);
        if paged.changes.take_over(first, slot) | is_anew {
            paged.note_taken_over(part);
        }
    }

    /// Makes a part of which the snapshot cannot be read anew. What has no data may have lost them: it counts as lost.
    fn find_by_way_back(&mut self, part: u32, at: usize) {
        let Some(paged) = &self.paged else { return };
        let (first, entries) = (part * paged.entries, paged.entries);
        self.to_physical.flat(at..at + entries as usize).fill(LOST);
        for ppn in 0..self.to_logical.len() as u32 {
            if let Some(Lpn(lpn)) = self.owner(Ppn(ppn)).filter(|lpn| lpn.0 / entries == part) {
                self.to_physical.set(at + (lpn - first) as usize, ppn + MAPPED);
            }
        }
    }

    /// The logical page last written to `ppn`, whether or not it moved since.
    fn last_owner(&self, ppn: Ppn) -> Option<Lpn> {
        match self.to_logical[ppn.0 as usize] {
            AS_FILLED => {
                let (page, unit) = (ppn.0 / self.units, ppn.0 % self.units);
                let (die, row) = (page / self.rows_per_way, page % self.rows_per_way);
                let Lpn(page) = self.origin.as_ref()?.logical(die, row)?;
                Some(Lpn(page * self.units + unit))
            }
            code => Some(Lpn(code - 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_move_and_unmapping_forgets() {
        let geometry = Geometry {
            channels: 2,
            ways: 1,
            blocks_per_way: 2,
            pages_per_block: 2,
            page_bytes: 4096,
        };
        let mut map = Map::new(geometry, 4, 1);
        assert_eq!(map.lookup(Lpn(2)), None);
        assert_eq!(map.assign(Lpn(2), Ppn(5)), None);
        assert_eq!(map.owner(Ppn(5)), Some(Lpn(2)));
        assert_eq!(map.assign(Lpn(2), Ppn(0)), Some(Ppn(5)));
        assert_eq!(map.owner(Ppn(5)), None);
        assert_eq!(map.owner(Ppn(0)), Some(Lpn(2)));
        assert_eq!(map.mapped(), 1);
        assert_eq!(map.unmap(Lpn(2)), Some(Ppn(0)));
        assert_eq!(map.unmap(Lpn(2)), None);
        assert_eq!((map.owner(Ppn(0)), map.mapped()), (None, 0));
        assert!(!map.is_lost(Lpn(2)));
        assert_eq!(map.lose(Lpn(2)), None);
        assert!(map.is_lost(Lpn(2)) && map.lookup(Lpn(2)).is_none());
        assert_eq!(map.assign(Lpn(2), Ppn(1)), None);
        assert!(!map.is_lost(Lpn(2)));
    }
}
