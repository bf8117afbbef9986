//! Pages of zones in the data buffer: what hosts have written and flash does not hold yet. A page is held from the first block that a write
//! plans for it until it is programmed; a page of which only a part is written is held as long as its zone is active.

use alloc::vec;
use alloc::vec::Vec;
use contract::{BufferId, Metadata};

/// No page, or none behind it.
pub const NONE: u32 = u32::MAX;

/// How far a page has come on its way to flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Progress {
    /// Blocks of it are still to be written, or on their way from the host.
    Filling,
    /// Its program was planned.
    Programming,
    /// Flash has it, or it is lost.
    Done,
}

/// A page in the data buffer.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Held {
    pub zone: u32,
    /// Page of the zone.
    pub page: u32,
    entries: [BufferId; Metadata::MOST_BLOCKS],
    /// Blocks that have an entry.
    pub count: u8,
    /// Transfers from the host under way.
    pub pending: u8,
    /// A bit for each block whose data are there.
    pub arrived: u16,
    pub progress: Progress,
    /// It is programmed though blocks are left, as the last one of its zone.
    pub is_last: bool,
    /// Nothing but the place of the write pointer is in it.
    pub is_blank: bool,
    /// It goes to the log of pages written in part.
    pub logging: bool,
    /// Transfers to the host under way.
    pub readers: u16,
    /// Its zone was reset, or has lost it.
    pub is_dropped: bool,
    /// The next page of its zone that is held.
    pub next: u32,
}

impl Held {
    /// Entries of its blocks.
    pub fn entries(&self) -> &[BufferId] {
        &self.entries[..usize::from(self.count)]
    }

    /// Blocks from the first on whose data are there.
    pub const fn ready(&self) -> u32 {
        self.arrived.trailing_ones()
    }

    /// Whether nothing uses its entries.
    const fn is_idle(&self) -> bool {
        self.pending == 0
            && self.readers == 0
            && !self.logging
            && !matches!(self.progress, Progress::Programming)
    }
}

/// What of a zone is held: its pages, in order.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Window {
    first: u32,
    last: u32,
    /// Its place in the list of zones of which something is held.
    place: u32,
}

/// All pages in the data buffer, and the zones of which there are some.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct HeldPages {
    pages: Vec<Held>,
    unused: Vec<u32>,
    windows: Vec<Window>,
    /// Zones of which something is held.
    zones: Vec<u32>,
    /// The page whose block is in an entry, and which one.
    by_entry: Vec<(u32, u8)>,
}

impl HeldPages {
    /// No page is held.
    pub fn new(zones: u32, entries: u32) -> Self {
        HeldPages {
            pages: Vec::with_capacity(entries as usize),
            unused: Vec::with_capacity(entries as usize),
            windows: vec![Window { first: NONE, last: NONE, place: NONE }; zones as usize],
            zones: Vec::with_capacity(zones.min(entries) as usize),
            by_entry: vec![(NONE, 0); entries as usize],
        }
    }

    /// One of them.
    pub fn of(&self, held: u32) -> &Held {
        &self.pages[held as usize]
    }

    /// One of them.
    pub fn of_mut(&mut self, held: u32) -> &mut Held {
        &mut self.pages[held as usize]
    }

    /// The page whose block is in an entry, and which block of the page.
    pub fn by_entry(&self, BufferId(entry): BufferId) -> Option<(u32, u8)> {
        let found = self.by_entry[entry as usize];
        (found.0 != NONE).then_some(found)
    }

    /// The first page of a zone that is held.
    pub fn first(&self, zone: u32) -> Option<u32> {
        let first = self.windows[zone as usize].first;
        (first != NONE).then_some(first)
    }

    /// The last page of a zone that is held.
    pub fn last(&self, zone: u32) -> Option<u32> {
        let last = self.windows[zone as usize].last;
        (last != NONE).then_some(last)
    }

    /// Pages of a zone that are held, in order.
    pub fn of_zone(&self, zone: u32) -> impl Iterator<Item = u32> + '_ {
        core::iter::successors(self.first(zone), |&held| {
            let next = self.of(held).next;
            (next != NONE).then_some(next)
        })
    }

    /// A page of a zone, if it is held.
    pub fn find(&self, zone: u32, page: u32) -> Option<u32> {
        let first = self.first(zone)?;
        if page < self.of(first).page {
            return None;
        }
        self.of_zone(zone).find(|&held| self.of(held).page == page)
    }

    /// The nth of the zones of which something is held.
    pub fn nth_zone(&self, nth: usize) -> Option<u32> {
        self.zones.get(nth).copied()
    }

    /// Holds a page, behind all others of its zone.
    pub fn add(&mut self, zone: u32, page: u32) -> u32 {
        let fresh = Held {
            zone,
            page,
            entries: [BufferId(0); Metadata::MOST_BLOCKS],
            count: 0,
            pending: 0,
            arrived: 0,
            progress: Progress::Filling,
            is_last: false,
            is_blank: false,
            logging: false,
            readers: 0,
            is_dropped: false,
            next: NONE,
        };
        let held = match self.unused.pop() {
            Some(held) => {
                self.pages[held as usize] = fresh;
                held
            }
            None => {
                self.pages.push(fresh);
                self.pages.len() as u32 - 1
            }
        };
        let window = &mut self.windows[zone as usize];
        match window.last {
            NONE => {
                (window.first, window.place) = (held, self.zones.len() as u32);
                self.zones.push(zone);
            }
            last => self.pages[last as usize].next = held,
        }
        self.windows[zone as usize].last = held;
        held
    }

    /// The next block of a page is in an entry, or will be. Returns which block it is.
    pub fn push(&mut self, held: u32, entry: BufferId) -> u8 {
        let own = &mut self.pages[held as usize];
        let unit = own.count;
        own.entries[usize::from(unit)] = entry;
        own.count += 1;
        self.by_entry[entry.0 as usize] = (held, unit);
        unit
    }

    /// Takes the first page off its zone.
    fn unlink_first(&mut self, zone: u32) {
        let window = &mut self.windows[zone as usize];
        window.first = self.pages[window.first as usize].next;
        if window.first != NONE {
            return;
        }
        let place = core::mem::replace(window, Window { first: NONE, last: NONE, place: NONE });
        self.zones.swap_remove(place.place as usize);
        if let Some(&moved) = self.zones.get(place.place as usize) {
            self.windows[moved as usize].place = place.place;
        }
    }

    /// Gives the entries of a page back, which stands in no zone's list.
    fn release(&mut self, held: u32, free: &mut Vec<BufferId>) {
        let own = self.pages[held as usize];
        for &entry in own.entries() {
            self.by_entry[entry.0 as usize] = (NONE, 0);
            free.push(entry);
        }
        self.unused.push(held);
    }

    /// Gives back what nothing needs any more from the front of a zone's list on.
    pub fn trim(&mut self, zone: u32, free: &mut Vec<BufferId>) {
        while let Some(first) = self.first(zone) {
            let own = self.of(first);
            if own.progress != Progress::Done || !own.is_idle() {
                return;
            }
            self.unlink_first(zone);
            self.release(first, free);
        }
    }

    /// A page that was dropped may be given back.
    pub fn release_dropped(&mut self, held: u32, free: &mut Vec<BufferId>) {
        let own = self.of(held);
        if own.is_dropped && own.is_idle() {
            self.release(held, free);
        }
    }

    /// Drops all pages of a zone. Entries that something still uses are given back later.
    pub fn drop_zone(&mut self, zone: u32, free: &mut Vec<BufferId>) {
        while let Some(first) = self.first(zone) {
            self.unlink_first(zone);
            self.of_mut(first).is_dropped = true;
            self.release_dropped(first, free);
        }
    }

    /// Pages with data of hosts that flash has still to take.
    pub fn to_program(&self) -> u32 {
        let is_to_come = |held: &Held| {
            held.count > 0 && !held.is_blank && !held.is_dropped && held.progress != Progress::Done
        };
        let of_zone = |zone: &u32| {
            let next = |held: &u32| Some(self.of(*held).next).filter(|&next| next != NONE);
            core::iter::successors(self.first(*zone), next)
        };
        let all = self.zones.iter().flat_map(of_zone);
        all.filter(|&held| is_to_come(self.of(held))).count() as u32
    }

    /// Blocks that are in entries, and pages that are held and dropped, for a look at a drive at rest.
    pub fn in_use(&self) -> u32 {
        self.by_entry.iter().filter(|(held, _)| *held != NONE).count() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_leave_their_zone_in_order_and_dropped_ones_when_nothing_uses_them() {
        let mut pages = HeldPages::new(3, 8);
        let mut free: Vec<BufferId> = (0..8).map(BufferId).collect();
        let mut add = |pages: &mut HeldPages, zone, page| {
            let held = pages.add(zone, page);
            let entry = free.pop().expect("there are enough");
            assert_eq!(pages.push(held, entry), 0);
            held
        };
        let ids = [(1, 4), (1, 5), (2, 0), (1, 6)].map(|(z, p)| add(&mut pages, z, p));
        assert_eq!(pages.of_zone(1).collect::<Vec<_>>(), [ids[0], ids[1], ids[3]]);
        assert_eq!(
            (pages.find(1, 5), pages.find(1, 3), pages.find(0, 0)),
            (Some(ids[1]), None, None)
        );
        pages.of_mut(ids[1]).progress = Progress::Done;
        pages.trim(1, &mut free);
        assert_eq!((pages.first(1), free.len()), (Some(ids[0]), 4));
        pages.of_mut(ids[0]).progress = Progress::Done;
        pages.of_mut(ids[0]).readers = 1;
        pages.trim(1, &mut free);
        assert_eq!(free.len(), 4, "a host reads the first");
        pages.of_mut(ids[0]).readers = 0;
        pages.trim(1, &mut free);
        assert_eq!((pages.first(1), pages.last(1), free.len()), (Some(ids[3]), Some(ids[3]), 6));
        pages.of_mut(ids[3]).pending = 1;
        pages.drop_zone(1, &mut free);
        assert_eq!((pages.first(1), free.len()), (None, 6));
        pages.of_mut(ids[3]).pending = 0;
        pages.release_dropped(ids[3], &mut free);
        assert_eq!((free.len(), pages.in_use()), (7, 1));
        assert_eq!((pages.nth_zone(0), pages.nth_zone(1)), (Some(2), None));
        assert_eq!(pages.by_entry(pages.of(ids[2]).entries()[0]), Some((ids[2], 0)));
    }
}
