//! Data buffer manager: a pool of entries of one mapping unit each, in the order of their use. Which one is given away is
//! [`super::replacement`].

#[cfg(feature = "state")]
mod sound;

use alloc::vec::Vec;
use contract::{BufferId, Configuration, Lpn, Reserve, Span};

use super::dirty::Dirty;
use super::replacement::{Candidate, Chosen, Place, Verdict};
use super::units::{Division, Units};
use crate::operations::{Action, Deed, Dma, OpId, Operation, Touch};
use crate::planted::{is_planted, Bug};

const NONE: u32 = u32::MAX;

/// Whether an entry holds data that flash does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Freshness {
    /// Flash has the same.
    Clean,
    /// Flash has older data or none.
    Dirty,
}

/// Whether data are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// They are.
    Yes,
    /// They are as they should be.
    No,
}

#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Entry {
    lpn: u32,
    fresh: Freshness,
    /// The placement handle that the host has said for its page last.
    handle: u8,
    /// Units of its page that are there once the operations planned for it so far have ended. A dirty
    /// entry has all.
    present: Units,
    /// Units that could not be read, as far as its operations have ended; whoever uses them gets an error.
    lost: Units,
    /// Among the oldest, and clean.
    ready: bool,
    /// Last operation of its chain.
    tail: Option<OpId>,
    /// What brings all of its page from the host and has not, while no program of it was planned.
    replacing: Option<OpId>,
    /// What made it dirty last, until that has ended: it does not hold before what is to be programmed.
    filling: Option<OpId>,
    newer: u32,
    older: u32,
    bucket_next: u32,
}

/// The data buffer. Besides the cached entries it knows those that collection moves data through,
/// a page of them a way and joined plane, those in which data wait until they replace older ones, and the compare entry.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Buffer {
    division: Division,
    entries: Vec<Entry>,
    cached: u32,
    /// Entries that collection moves data through, of each way.
    moves: u32,
    buckets: Vec<u32>,
    newest: u32,
    oldest: u32,
    dirty: Dirty,
    /// The policy that chooses the entry that is given away.
    replacement: Chosen,
    /// The oldest entries that are clean and can be recycled at once: how many are known, and the
    /// next one to look at.
    ready: u32,
    frontier: u32,
}

impl Buffer {
    /// The entries that a configuration needs.
    pub fn new(config: &Configuration) -> Self {
        let cached = config.buffer_entries;
        let blank = Entry {
            lpn: NONE,
            fresh: Freshness::Clean,
            handle: 0,
            present: Units::NONE,
            lost: Units::NONE,
            ready: false,
            tail: None,
            replacing: None,
            filling: None,
            newer: NONE,
            older: NONE,
            bucket_next: NONE,
        };
        let mut buffer = Buffer {
            division: Division::new(
                config.unit_bytes,
                config.read_unit_bytes.min(config.unit_bytes),
            ),
            entries: alloc::vec![blank; Self::entries_needed(config) as usize],
            cached,
            moves: Self::move_entries(config),
            buckets: alloc::vec![NONE; cached.next_power_of_two() as usize],
            newest: NONE,
            oldest: NONE,
            dirty: Dirty::new(cached),
            replacement: Chosen::new(config),
            ready: 0,
            frontier: NONE,
        };
        for entry in 0..cached {
            buffer.link_newest(entry);
        }
        buffer
    }

    /// Entries of the buffer memory for pages of the log, behind all others.
    pub fn log_entries(config: &Configuration) -> core::ops::Range<u32> {
        let first = Self::entries_needed(config);
        first..first + config.recovery.map_or(0, |recovery| recovery.log_entries)
    }

    /// Entries of the buffer memory: for host data, for collection on each way, and one for compares, and staging
    /// entries where there is a reserve. Those for pages of the log come on top.
    pub const fn entries_needed(config: &Configuration) -> u32 {
        let staging = if config.reserve.is_some() { Reserve::STAGING_ENTRIES } else { 0 };
        config.buffer_entries + config.geometry.dies() * Self::move_entries(config) + staging + 1
    }

    /// Entries that collection moves data through, of each way.
    const fn move_entries(config: &Configuration) -> u32 {
        config.joined_planes * config.units_per_page()
    }

    /// The entry that collection on a way uses for the `nth` of the mapping units that it moves together.
    pub fn move_entry(&self, die: u32, nth: u32) -> BufferId {
        BufferId(self.cached + die * self.moves + nth)
    }

    /// A staging entry of a drive that has them.
    pub fn staging_entry(&self, nth: u32) -> BufferId {
        BufferId(self.entries.len() as u32 - 1 - Reserve::STAGING_ENTRIES + nth)
    }

    /// Whether an entry is for data of the drive's pages.
    pub fn is_cached(&self, id: BufferId) -> bool {
        id.0 < self.cached
    }

    /// The entry that takes the host's side of a compare.
    pub fn compare_entry(&self) -> BufferId {
        BufferId(self.entries.len() as u32 - 1)
    }

    /// Entries for host data.
    pub fn cached(&self) -> u32 {
        self.cached
    }

    /// Dirty entries.
    pub fn dirty(&self) -> u32 {
        self.dirty.count()
    }

    /// The entry that holds `lpn`, without counting as a use.
    pub fn find(&self, lpn: Lpn) -> Option<BufferId> {
        let mut at = self.buckets[self.bucket(lpn.0)];
        while at != NONE {
            let entry = &self.entries[at as usize];
            if entry.lpn == lpn.0 {
                return Some(BufferId(at));
            }
            at = entry.bucket_next;
        }
        None
    }

    /// The page of an entry is read once more.
    pub fn note_read(&mut self, id: BufferId) {
        if self.replacement.read(id) == Place::Newest {
            self.touch(id);
        }
    }

    /// Makes an entry the newest.
    #[inline]
    pub fn touch(&mut self, id: BufferId) {
        if self.newest != id.0 {
            self.unlink(id.0);
            self.link_newest(id.0);
            if self.freshness(id) == Freshness::Dirty {
                self.dirty.remove(id);
                self.dirty.add(id);
            }
        }
    }

    /// The next entry to be recycled: the oldest one, unless the board's policy chooses another.
    #[inline]
    pub fn next_out(&mut self) -> BufferId {
        let (mut at, mut passed, mut renewed) = (self.oldest, 0, 0);
        while at != NONE && renewed < self.cached {
            let Entry { fresh, newer, .. } = self.entries[at as usize];
            let candidate = Candidate { entry: BufferId(at), freshness: fresh, passed };
            match self.replacement.judge(candidate) {
                Verdict::Take => return BufferId(at),
                Verdict::TakeOldest => break,
                Verdict::Pass => passed += 1,
                Verdict::Renew => {
                    self.touch(BufferId(at));
                    renewed += 1;
                }
            }
            at = newer;
        }
        BufferId(self.oldest)
    }

    /// Dirty entries, the oldest first.
    pub fn dirty_from_oldest(&self) -> impl Iterator<Item = BufferId> + '_ {
        self.dirty.iter()
    }

    /// Entries at the old end that are known to be clean.
    pub fn ready(&self) -> u32 {
        self.ready
    }

    /// The oldest entry that does not count as ready, if any does not.
    pub fn frontier(&self) -> Option<BufferId> {
        (self.frontier != NONE).then_some(BufferId(self.frontier))
    }

    /// The entry at the frontier is clean: it counts as ready until it is used.
    pub fn count_ready(&mut self) {
        let entry = &mut self.entries[self.frontier as usize];
        entry.ready = true;
        self.frontier = entry.newer;
        self.ready += 1;
    }

    /// What an entry holds.
    pub fn lpn(&self, id: BufferId) -> Option<Lpn> {
        let lpn = self.entries[id.0 as usize].lpn;
        (lpn != NONE).then_some(Lpn(lpn))
    }

    /// The placement handle that the host has said for an entry's page last, since the entry has it; 0 if none.
    pub fn handle(&self, id: BufferId) -> u8 {
        self.entries[id.0 as usize].handle
    }

    /// The host has said a placement handle for an entry's page.
    #[inline]
    pub fn set_handle(&mut self, id: BufferId, handle: u8) {
        self.entries[id.0 as usize].handle = handle;
    }

    /// Whether an entry has to be written before it is recycled.
    pub fn freshness(&self, id: BufferId) -> Freshness {
        self.entries[id.0 as usize].fresh
    }

    /// Marks an entry.
    pub fn set_freshness(&mut self, id: BufferId, fresh: Freshness) {
        let entry = &mut self.entries[id.0 as usize];
        let is_changed = fresh == Freshness::Dirty && !is_planted(Bug::NewestTakenForClean);
        if is_changed && core::mem::take(&mut entry.ready) {
            // Used again as the newest one, of entries that were all clean: it kept its place.
            assert_eq!((self.newest, self.frontier), (id.0, NONE), "what is used is the newest");
            self.ready -= 1;
            self.frontier = id.0;
        }
        let before = core::mem::replace(&mut entry.fresh, fresh);
        match (before, fresh) {
            (Freshness::Clean, Freshness::Dirty) => self.dirty.add(id),
            (Freshness::Dirty, Freshness::Clean) => self.dirty.remove(id),
            _ => {}
        }
    }

    /// Gives a clean entry to another page, of which nothing is there yet, as the most recently used.
    #[inline]
    pub fn recycle(&mut self, id: BufferId, lpn: Lpn) {
        assert_eq!(self.freshness(id), Freshness::Clean, "a dirty entry is written first");
        self.forget(id);
        let bucket = self.bucket(lpn.0);
        let head = core::mem::replace(&mut self.buckets[bucket], id.0);
        let entry = &mut self.entries[id.0 as usize];
        (entry.lpn, entry.bucket_next) = (lpn.0, head);
        (entry.present, entry.handle) = (Units::NONE, 0);
        self.touch(id);
    }

    /// Drops a clean entry's page: nobody finds it any more.
    pub fn forget(&mut self, id: BufferId) {
        let Entry { lpn, bucket_next, .. } = self.entries[id.0 as usize];
        if lpn == NONE {
            return;
        }
        let bucket = self.bucket(lpn);
        if self.buckets[bucket] == id.0 {
            self.buckets[bucket] = bucket_next;
        } else {
            let mut at = self.buckets[bucket];
            while self.entries[at as usize].bucket_next != id.0 {
                at = self.entries[at as usize].bucket_next;
            }
            self.entries[at as usize].bucket_next = bucket_next;
        }
        self.entries[id.0 as usize].lpn = NONE;
    }

    /// Last operation of an entry's chain.
    pub fn tail(&self, id: BufferId) -> Option<OpId> {
        self.entries[id.0 as usize].tail
    }

    /// Sets the last operation of an entry's chain; none once the chain is over.
    pub fn set_tail(&mut self, id: BufferId, tail: Option<OpId>) {
        self.entries[id.0 as usize].tail = tail;
    }

    /// Takes what brings all of an entry's page from the host, if it has not and no program was planned since.
    pub fn take_replacing(&mut self, id: BufferId) -> Option<OpId> {
        self.entries[id.0 as usize].replacing.take()
    }

    /// Notes the operation that brings all of an entry's page from the host.
    pub fn set_replacing(&mut self, id: BufferId, replacing: OpId) {
        self.entries[id.0 as usize].replacing = Some(replacing);
    }

    /// What made an entry dirty last and has not ended.
    pub fn filling(&self, id: BufferId) -> Option<OpId> {
        self.entries[id.0 as usize].filling
    }

    /// Notes the operation that makes an entry dirty.
    pub fn set_filling(&mut self, id: BufferId, filling: OpId) {
        self.entries[id.0 as usize].filling = Some(filling);
    }

    /// An operation on an entry has ended.
    #[inline]
    pub fn filled(&mut self, id: BufferId, by: OpId) {
        self.entries[id.0 as usize].filling.take_if(|filling| *filling == by);
    }

    /// How pages are divided.
    pub fn division(&self) -> Division {
        self.division
    }

    /// Units of `wanted` that are neither there nor about to come.
    pub fn missing(&self, id: BufferId, wanted: Units) -> Units {
        wanted - self.entries[id.0 as usize].present
    }

    /// Whether all of an entry's page is there or about to come.
    pub fn is_complete(&self, id: BufferId) -> bool {
        self.missing(id, self.division.all()).is_empty()
    }

    /// An operation was planned that brings units of its page into an entry.
    pub fn expect(&mut self, id: BufferId, units: Units) {
        let entry = &mut self.entries[id.0 as usize];
        entry.present = entry.present | units;
    }

    /// Whether units of an entry are lost.
    pub fn has_lost(&self, id: BufferId) -> bool {
        !self.entries[id.0 as usize].lost.is_empty()
    }

    /// An operation that brings units has ended, and says whether they are lost.
    pub fn set_lost(&mut self, id: BufferId, units: Units, lost: Lost) {
        let entry = &mut self.entries[id.0 as usize];
        entry.lost = match lost {
            Lost::Yes => entry.lost | units,
            Lost::No => entry.lost - units,
        };
    }

    /// The units that an operation replaces as a whole. A change of an entry needs all others.
    pub fn replaced(&self, op: &Operation) -> Units {
        match &op.action {
            Action::Dma(Dma::FromHost { data, .. }) => self.division.covered(data.span),
            Action::Touch(Touch { deed: Deed::Zero | Deed::Copy { .. }, span, .. }) => {
                self.division.covered(*span)
            }
            _ => Units::NONE,
        }
    }

    /// Whether an operation uses data of its entry that are lost.
    #[inline]
    pub fn uses_lost(&self, op: &Operation) -> bool {
        let Some(entry) = op.entry() else { return false };
        let lost = self.entries[entry.0 as usize].lost;
        if lost.is_empty() {
            return false;
        }
        let touched = |span: Span| self.division.touched(span);
        let used = match &op.action {
            Action::Dma(Dma::ToHost(data)) => touched(data.span),
            Action::Touch(Touch { deed: Deed::Compare | Deed::Look, span, .. }) => touched(*span),
            Action::Dma(Dma::FromHost { .. })
            | Action::Touch(Touch { deed: Deed::Zero | Deed::Copy { .. }, .. }) => {
                self.division.all() - self.replaced(op)
            }
            Action::Dma(Dma::Control(_)) | Action::Flash(_) | Action::Joined(_) => Units::NONE,
        };
        !(lost & used).is_empty()
    }

    fn bucket(&self, lpn: u32) -> usize {
        lpn as usize & (self.buckets.len() - 1)
    }

    fn unlink(&mut self, at: u32) {
        let Entry { newer, older, ready, .. } = self.entries[at as usize];
        if ready {
            self.entries[at as usize].ready = false;
            self.ready -= 1;
        } else if self.frontier == at {
            self.frontier = newer;
        }
        match newer {
            NONE => self.newest = older,
            newer => self.entries[newer as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            older => self.entries[older as usize].newer = newer,
        }
    }

    fn link_newest(&mut self, at: u32) {
        let before = core::mem::replace(&mut self.newest, at);
        let entry = &mut self.entries[at as usize];
        (entry.newer, entry.older) = (NONE, before);
        if self.frontier == NONE {
            self.frontier = at;
        }
        match before {
            NONE => self.oldest = at,
            before => self.entries[before as usize].newer = at,
        }
    }
}

#[cfg(test)]
#[path = "buffer_tests.rs"]
mod tests;
