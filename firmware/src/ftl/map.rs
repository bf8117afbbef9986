//! The map: logical pages, of the size of mapping units, to physical ones, and back.

use alloc::vec::Vec;
use contract::{Geometry, Lpn};

use super::fill::Fill;
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
/// changed since the drive was filled read as zero and take their value from the [`Fill`]; an
/// allocator that hands out zero pages on demand then never has to find memory for them.
#[derive(Clone, Debug)]
pub struct Map {
    fill: Option<Fill>,
    to_physical: Vec<u32>,
    to_logical: Vec<u32>,
    rows_per_way: u32,
    /// Mapping units of a page.
    units: u32,
    mapped: u32,
}

impl Map {
    /// An empty map of flash pages, of so many mapping units each.
    pub fn new(geometry: Geometry, logical_pages: u32, units: u32) -> Self {
        let physical_pages = geometry.pages() as usize;
        Map {
            fill: None,
            to_physical: alloc::vec![AS_FILLED; logical_pages as usize * units as usize],
            to_logical: alloc::vec![AS_FILLED; physical_pages * units as usize],
            rows_per_way: geometry.rows_per_way(),
            units,
            mapped: 0,
        }
    }

    /// Starts an untouched map from a fill.
    pub fn start_from(&mut self, fill: Fill) {
        assert_eq!(self.mapped, 0, "a fill is the first thing that happens to a map");
        self.mapped = fill.pages() * self.units;
        self.fill = Some(fill);
    }

    /// What the map started from.
    pub fn fill(&self) -> Option<&Fill> {
        self.fill.as_ref()
    }

    /// Forgets all data.
    pub fn clear(&mut self) {
        self.fill = None;
        self.to_physical.fill(AS_FILLED);
        self.to_logical.fill(AS_FILLED);
        self.mapped = 0;
    }

    /// Logical pages.
    pub fn pages(&self) -> u32 {
        self.to_physical.len() as u32
    }

    /// Logical pages that hold data.
    pub fn mapped(&self) -> u32 {
        self.mapped
    }

    /// Where a logical page is.
    pub fn lookup(&self, lpn: Lpn) -> Option<Ppn> {
        match self.to_physical[lpn.0 as usize] {
            AS_FILLED => self.filled(lpn),
            UNMAPPED | LOST => None,
            code => Some(Ppn(code - MAPPED)),
        }
    }

    /// Where a logical page was when the drive was filled.
    fn filled(&self, Lpn(lpn): Lpn) -> Option<Ppn> {
        let page = self.fill.as_ref()?.physical(Lpn(lpn / self.units))?;
        Some(Ppn(page * self.units + lpn % self.units))
    }

    /// Whether the data of a logical page are lost.
    pub fn is_lost(&self, lpn: Lpn) -> bool {
        self.to_physical[lpn.0 as usize] == LOST
    }

    /// The logical page whose present data are at `ppn`.
    pub fn owner(&self, ppn: Ppn) -> Option<Lpn> {
        let lpn = self.last_owner(ppn)?;
        if is_planted(Bug::StaleCopyMoved) {
            return self.lookup(lpn).map(|_| lpn);
        }
        (self.lookup(lpn) == Some(ppn)).then_some(lpn)
    }

    /// Points `lpn` at `ppn` and returns where it was.
    pub fn assign(&mut self, lpn: Lpn, ppn: Ppn) -> Option<Ppn> {
        let old = self.lookup(lpn);
        self.mapped += u32::from(old.is_none());
        self.to_physical[lpn.0 as usize] = ppn.0 + MAPPED;
        self.to_logical[ppn.0 as usize] = lpn.0 + 1;
        old
    }

    /// Takes the data of `lpn` away and returns where they were.
    pub fn unmap(&mut self, lpn: Lpn) -> Option<Ppn> {
        self.take_away(lpn, UNMAPPED)
    }

    /// Notes that the data of `lpn` are lost, and returns where they were to be.
    pub fn lose(&mut self, lpn: Lpn) -> Option<Ppn> {
        self.take_away(lpn, LOST)
    }

    fn take_away(&mut self, lpn: Lpn, code: u32) -> Option<Ppn> {
        let old = self.lookup(lpn);
        self.mapped -= u32::from(old.is_some());
        self.to_physical[lpn.0 as usize] = code;
        old
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
        self.to_physical[lpn as usize] = ppn + MAPPED;
    }

    /// Takes the data of a logical page away.
    pub(super) fn restore_unmapped(&mut self, lpn: u32) {
        self.to_physical[lpn as usize] = UNMAPPED;
    }

    /// Notes that the data of a logical page are lost.
    pub(super) fn restore_lost(&mut self, lpn: u32) {
        self.to_physical[lpn as usize] = LOST;
    }

    /// Whether a logical page is at a physical one.
    pub(super) fn is_at(&self, lpn: u32, ppn: u32) -> bool {
        self.to_physical[lpn as usize] == ppn + MAPPED
    }

    /// Makes the way back anew, and tells of every physical page with present data.
    ///
    /// # Panics
    /// If two logical pages are at one physical page.
    pub(super) fn rebuild(&mut self, mut held: impl FnMut(Ppn)) {
        self.mapped = 0;
        for lpn in 0..self.pages() {
            let Some(ppn) = self.lookup(Lpn(lpn)) else { continue };
            let back = &mut self.to_logical[ppn.0 as usize];
            assert_eq!(*back, AS_FILLED, "pages {lpn} and {back} minus 1 are both at {ppn:?}");
            *back = lpn + 1;
            self.mapped += 1;
            held(ppn);
        }
    }

    /// The logical page last written to `ppn`, whether or not it moved since.
    fn last_owner(&self, ppn: Ppn) -> Option<Lpn> {
        match self.to_logical[ppn.0 as usize] {
            AS_FILLED => {
                let (page, unit) = (ppn.0 / self.units, ppn.0 % self.units);
                let (die, row) = (page / self.rows_per_way, page % self.rows_per_way);
                let Lpn(page) = self.fill.as_ref()?.logical(die, row)?;
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
