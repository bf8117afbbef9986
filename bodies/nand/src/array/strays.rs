//! Programs that go astray: a chip programs another page than it was told to, or none, and reports success.

use std::collections::{BTreeMap, BTreeSet};

use borsh::{BorshDeserialize, BorshSerialize};
use contract::{Lpn, Metadata, PageKind};

use super::Array;
use crate::blocks::{Content, Place};
use crate::spare::metadata_of;
use crate::Prior;

/// Where a program goes in place of its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Astray {
    /// Nowhere: the page stays as it was.
    Nowhere,
    /// To the page of the same block that is so many pages further, or back; nowhere if there is none.
    Page(i32),
    /// To the same page of the block that is so many blocks further on the die; behind the last block the first one
    /// follows.
    Block(u32),
}

/// How many faults may meet on a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum FaultsOfPage {
    /// One: the program of a page to which another came is not lost, and none comes to a page whose own was lost.
    One,
    /// Any number, so that a page may hold other data than it should, and all of them sound.
    Any,
}

/// Programs of a block that are lost at most one after the other. A drive that finds its map again reads so far behind what
/// it takes for the end of a block, and further.
const MOST_IN_A_ROW: u32 = 6;

/// What went astray, and what will.
#[derive(Clone, Debug, Default, BorshSerialize, BorshDeserialize)]
pub(super) struct Strays {
    /// Where the next program of data goes that a die is told.
    next: BTreeMap<u32, (Astray, FaultsOfPage)>,
    /// Dies of which the next page of the drive's log is lost.
    log_next: BTreeSet<u32>,
    /// Pages of the log that were lost.
    log_lost: u64,
    /// Blocks in which a program went elsewhere or came from elsewhere since their erase.
    blocks: BTreeSet<u64>,
    /// Pages that were not to be programmed, by block and number.
    landed: BTreeSet<(u64, u32)>,
    /// Pages whose programs went elsewhere, by block and number.
    left_out: BTreeSet<(u64, u32)>,
    /// Mapping units that were in a page which is not where it should be, or holds nothing any more.
    hit: Vec<Lpn>,
}

/// A page by block and number.
fn key(at: Place) -> (u64, u32) {
    (at.block as u64, at.page)
}

impl Strays {
    /// Whether pages before this one of its block were not lost in so great a number that this one may not be.
    fn may_be_lost(&self, at: Place) -> bool {
        let block = at.block as u64;
        let before = at.page.saturating_sub(MOST_IN_A_ROW)..at.page;
        at.page < MOST_IN_A_ROW
            || before.into_iter().any(|page| !self.left_out.contains(&(block, page)))
    }
}

impl<P: Prior> Array<P> {
    /// The next program of a page of data that a die is told goes astray, and counts as done. In an erased page it is as
    /// if it had been meant for it; what a page held that is not erased is spoilt, and so is what was to come. From then on
    /// the rules of a block hold for the pages alone that were to be programmed.
    ///
    /// # Panics
    /// If the chips are in an image, or do not keep what pages say of themselves, or program in passes.
    pub fn send_astray(&mut self, die: u32, to: Astray, faults: FaultsOfPage) {
        self.check_strays(die);
        self.strays.get_or_insert_default().next.insert(die, (to, faults));
    }

    fn check_strays(&self, die: u32) {
        assert!(self.image.is_none(), "programs go astray on chips in memory");
        assert!(self.blocks.keeps_metadata(), "chips that keep all metadata");
        assert_eq!(self.programming.passes, 1, "programs of one pass");
        assert!((die as usize) < self.dies.len(), "die {die} out of range");
    }

    /// The next program of a page of the drive's log that a die is told is lost, and counts as done. The first page of a block is
    /// left alone: it tells what the others are.
    ///
    /// # Panics
    /// As [`send_astray`](Self::send_astray).
    pub fn lose_log_page(&mut self, die: u32) {
        self.check_strays(die);
        self.strays.get_or_insert_default().log_next.insert(die);
    }

    /// Pages of the log that were lost.
    pub fn log_pages_lost(&self) -> u64 {
        self.strays.as_ref().map_or(0, |strays| strays.log_lost)
    }

    /// Mapping units whose data may be lost because a program went astray; some more than once.
    pub fn hit_by_strays(&self) -> &[Lpn] {
        self.strays.as_ref().map_or(&[], |strays| &strays.hit)
    }

    /// The page that a program of a page changes; `None` if it ends well and no page holds what it was to.
    #[inline]
    pub(super) fn lands(&mut self, at: Place, metadata: &Metadata) -> Option<Place> {
        match self.strays {
            None => Some(at),
            Some(_) => self.lands_astray(at, metadata),
        }
    }

    #[cold]
    fn lands_astray(&mut self, at: Place, metadata: &Metadata) -> Option<Place> {
        let strays = self.strays.as_mut().expect("programs go astray");
        let is_taken =
            strays.landed.contains(&key(at)) && self.blocks.content(at) != Content::Erased;
        let is_log = matches!(metadata.kind, PageKind::Journal | PageKind::Snapshot);
        let may_be_lost = strays.may_be_lost(at);
        if is_log && at.page > 0 && may_be_lost && strays.log_next.remove(&at.die) {
            strays.blocks.insert(at.block as u64);
            strays.left_out.insert(key(at));
            strays.log_lost += 1;
            return None;
        }
        let goes = strays.next.get(&at.die).copied().filter(|&(_, faults)| {
            metadata.kind == PageKind::Data
                && may_be_lost
                && (faults == FaultsOfPage::Any || !is_taken)
        });
        let Some((astray, faults)) = goes else {
            strays.landed.remove(&key(at));
            if is_taken {
                self.spoil(at, metadata);
                return None;
            }
            return Some(at);
        };
        strays.next.remove(&at.die);
        strays.blocks.insert(at.block as u64);
        strays.left_out.insert(key(at));
        strays.hit.extend(metadata.lpns.iter().map(|(lpn, _)| lpn));
        let to = self.blocks.beside(at, astray)?;
        let is_second = faults == FaultsOfPage::One && strays.left_out.contains(&key(to));
        if is_second || self.is_bad(to.block) {
            return None;
        }
        if self.blocks.content(to) != Content::Erased {
            self.spoil(to, metadata);
            return None;
        }
        let strays = self.strays.as_mut().expect("programs go astray");
        strays.blocks.insert(to.block as u64);
        strays.landed.insert(key(to));
        Some(to)
    }

    /// A page is programmed that is not erased.
    fn spoil(&mut self, at: Place, metadata: &Metadata) {
        self.note_hit(at);
        self.blocks.spoil(at);
        let hit = &mut self.strays.as_mut().expect("programs go astray").hit;
        hit.extend(metadata.lpns.iter().map(|(lpn, _)| lpn));
    }

    /// What a page holds will be there no more.
    fn note_hit(&mut self, at: Place) {
        let held = match self.blocks.content(at) {
            Content::Fresh(lpn) => Some(metadata_of(lpn, self.units)),
            _ => self.blocks.metadata(at),
        };
        let hit = &mut self.strays.as_mut().expect("programs go astray").hit;
        hit.extend(held.iter().flat_map(|held| held.lpns.iter()).map(|(lpn, _)| lpn));
    }

    /// Lets a page be programmed below those that came to its block astray. Returns how far the block was programmed, to
    /// which [`Blocks::reach`](crate::blocks::Blocks::reach) brings it back.
    #[inline]
    pub(super) fn make_way(&mut self, at: Place) -> u32 {
        match &self.strays {
            Some(strays) if strays.blocks.contains(&(at.block as u64)) => self.make_way_below(at),
            _ => 0,
        }
    }

    #[cold]
    fn make_way_below(&mut self, at: Place) -> u32 {
        if self.blocks.content(at) != Content::Erased {
            let strays = self.strays.as_mut().expect("programs go astray");
            if !strays.landed.remove(&(at.block as u64, at.page)) {
                return 0;
            }
            self.note_hit(at);
        }
        self.blocks.go_back(at)
    }

    /// A block is erased.
    #[inline]
    pub(super) fn forget_strays(&mut self, block: usize) {
        if let Some(strays) = &mut self.strays {
            strays.blocks.remove(&(block as u64));
            for pages in [&mut strays.landed, &mut strays.left_out] {
                pages.retain(|&(own, _)| own != block as u64);
            }
        }
    }
}
