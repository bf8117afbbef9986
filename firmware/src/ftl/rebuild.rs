//! Blocks and map as the log tells them: what recovery puts back, and what it works out from that.

use alloc::vec::Vec;
use contract::Lpn;

use super::blocks::{Block, Blocks, Role, State, Stream, MOST_PLANES};
use super::log::page::BlockPlace;
use super::map::Ppn;
use super::translate::Translator;
use crate::operations::Page;
use crate::planted::{is_planted, Bug};

/// A superblock that was open when the power went away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resumed {
    /// Its way.
    pub die: u32,
    /// It.
    pub superblock: u32,
    /// Pages of it that cannot be programmed any more.
    pub used: u32,
    /// What it stays open for, if it does.
    pub goes_on: Option<Stream>,
}

impl Blocks {
    /// The superblock that a block is in.
    pub fn superblock_of(&self, die: u32, block: u32) -> Option<u32> {
        match self.at(die, block).state {
            State::In(superblock) => Some(superblock),
            State::Spare | State::Failed(_) | State::Bad | State::Apart => None,
        }
    }

    /// Where a block is, as the log tells it.
    pub fn place_of(&self, die: u32, block: u32) -> BlockPlace {
        match self.at(die, block).state {
            State::In(superblock) => BlockPlace::In(superblock),
            State::Spare => BlockPlace::Spare,
            State::Failed(_) => BlockPlace::Failed,
            State::Bad => BlockPlace::Bad,
            State::Apart => BlockPlace::Apart,
        }
    }

    /// The number of a page in its superblock.
    pub fn number_in(&self, superblock: u32, Page { die, row }: Page) -> u32 {
        let pages = self.geometry.pages_per_block;
        let members = self.members(die, superblock).iter();
        let plane = (0..).zip(members).find(|(_, &block)| block == row / pages);
        (row % pages) * self.planes() + plane.map_or(0, |(plane, _)| plane)
    }

    /// A block of a superblock, if it has any.
    pub fn any_member(&self, die: u32, superblock: u32) -> Option<u32> {
        self.members(die, superblock).iter().copied().find(|&block| block != u32::MAX)
    }

    /// Puts a block where it was.
    pub(super) fn restore(&mut self, die: u32, block: u32, (place, erases): (BlockPlace, u32)) {
        let state = match place {
            BlockPlace::In(superblock) => State::In(superblock),
            BlockPlace::Spare => State::Spare,
            BlockPlace::Failed => State::Failed(0),
            BlockPlace::Bad => State::Bad,
            BlockPlace::Apart => State::Apart,
        };
        *self.at_mut(die, block) = Block { state, erases };
        self.take_place(die, block);
    }

    /// All blocks were put where they were, in any order: superblocks have the blocks that are in them in the end.
    pub(super) fn restored(&mut self) {
        for die in 0..self.geometry.dies() {
            for block in 0..self.geometry.blocks_per_way {
                self.take_place(die, block);
            }
        }
    }

    /// The superblock that a block is in, if it is in one, has it for its plane.
    fn take_place(&mut self, die: u32, block: u32) {
        if let State::In(superblock) = self.at(die, block).state {
            let planes = self.planes();
            let first = self.index(die, superblock) * planes as usize;
            self.members[first + (block & (planes - 1)) as usize] = block;
        }
    }

    /// Works out roles and lists. `valid` has the mapping units with present data of each block of each way.
    pub(super) fn rebuild(&mut self, valid: &[u32], resumed: &[Resumed]) {
        for die in 0..self.geometry.dies() {
            self.rebuild_way(die, valid);
            let of_way = || resumed.iter().filter(move |resumed| resumed.die == die);
            for superblock in 0..self.superblocks_per_way() {
                if !self.is_whole(die, superblock) {
                    continue;
                }
                let own = of_way().find(|resumed| resumed.superblock == superblock);
                let held = self.valid(die, superblock);
                match own {
                    Some(Resumed { used, goes_on: Some(stream), .. }) => {
                        self.reopen((die, *stream), superblock, *used)
                    }
                    _ if held > 0 => self.push(die, superblock, Role::Closed),
                    _ => {
                        let blank = own.is_some_and(|own| own.used == 0);
                        let index = self.index(die, superblock);
                        self.unclean[index] = !blank && !is_planted(Bug::FreeNotErased);
                        self.push(die, superblock, Role::Free);
                    }
                }
            }
        }
        self.erases = self.all_erases();
    }

    /// States and counts of the blocks of a way; no superblock is in a list.
    fn rebuild_way(&mut self, die: u32, valid: &[u32]) {
        self.forget_lists(die);
        let mut spares = [0; MOST_PLANES];
        for superblock in 0..self.superblocks_per_way() {
            let fresh = self.of_mut(die, superblock);
            (fresh.role, fresh.valid) = (Role::Bad, 0);
        }
        for block in 0..self.geometry.blocks_per_way {
            let held = valid[(die * self.geometry.blocks_per_way + block) as usize];
            match self.at(die, block).state {
                State::In(superblock) => self.of_mut(die, superblock).valid += held,
                State::Spare => spares[(block & (self.planes() - 1)) as usize] += 1,
                // What was to make the last pages of a block out of use needless may not have been programmed.
                State::Bad if is_planted(Bug::BadBlockStaysEmpty) => {}
                State::Failed(_) | State::Bad => {
                    let state = if held == 0 { State::Bad } else { State::Failed(held) };
                    self.at_mut(die, block).state = state;
                }
                State::Apart => {}
            }
        }
        self.dies[die as usize].spares = spares;
        self.dies[die as usize].spares_at_start = self.first_spares(die);
    }

    /// Whether a superblock has a block of each plane.
    pub fn is_whole(&self, die: u32, superblock: u32) -> bool {
        let is_own =
            |&block: &u32| block != u32::MAX && self.superblock_of(die, block) == Some(superblock);
        self.members(die, superblock).iter().all(is_own)
    }
}

impl Translator {
    /// What goes on in superblocks of a way that were open when the power went away, in the one that was written last first: new data,
    /// and what collection moves, where that has one of its own; where the host places its data, the latter alone, as they may be of
    /// several handles.
    ///
    /// Were a way with two streams to go on with one of its superblocks, each power loss would cost it what is left of the other,
    /// and a few in a row all that collection needs to begin.
    pub(super) fn streams_of_resumed(&self) -> &'static [Stream] {
        match (self.streams.is_apart(), self.blocks.streams().len()) {
            (false, _) => &[Stream::Host],
            (true, 0..=2) => &[Stream::Host, Stream::Moved],
            (true, _) => &[Stream::Moved],
        }
    }

    /// The next sequence number.
    pub(super) fn next_sequence(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }

    /// Of each of some superblocks, by way and number, the pages up to the last one that the map says holds data; 0 of one that
    /// has not all of its blocks.
    pub(super) fn claimed(&self, superblocks: &[(u32, u32)]) -> Vec<u32> {
        let geometry = self.geometry();
        let (rows, units) = (geometry.rows_per_way(), self.units_per_page());
        let blocks = (geometry.dies() * geometry.blocks_per_way) as usize;
        let mut nth_of: Vec<u32> = alloc::vec![u32::MAX; blocks];
        for (nth, &(die, superblock)) in (0..).zip(superblocks) {
            if self.blocks.is_whole(die, superblock) {
                for &block in self.blocks.members(die, superblock) {
                    nth_of[(die * geometry.blocks_per_way + block) as usize] = nth;
                }
            }
        }
        let mut used = alloc::vec![0; superblocks.len()];
        for lpn in 0..self.map.pages() {
            let Some(Ppn(ppn)) = self.map.lookup(Lpn(lpn)) else { continue };
            let (die, row) = (ppn / units / rows, ppn / units % rows);
            let block = die * geometry.blocks_per_way + geometry.block_of(row);
            let nth = nth_of[block as usize] as usize;
            if let Some(&(die, superblock)) = superblocks.get(nth) {
                let number = self.blocks.number_in(superblock, Page { die, row });
                used[nth] = used[nth].max(number + 1);
            }
        }
        used
    }

    /// Works out what follows from the map and from where the blocks are. Of logical pages that are at one physical page one has
    /// its data still: the others, whose places `is_older(one, other)` tells to be older, are lost and returned.
    pub(super) fn rebuild(
        &mut self,
        resumed: &[Resumed],
        is_older: impl Fn(u32, u32) -> bool,
    ) -> Vec<u32> {
        let geometry = self.geometry();
        let (rows, units) = (geometry.rows_per_way(), self.units_per_page());
        let blocks = (geometry.dies() * geometry.blocks_per_way) as usize;
        let mut valid: Vec<u32> = alloc::vec![0; blocks];
        let lost = self.map.rebuild(is_older, |Ppn(ppn)| {
            let page = ppn / units;
            let (die, block) = (page / rows, geometry.block_of(page % rows));
            valid[(die * geometry.blocks_per_way + block) as usize] += 1;
        });
        self.blocks.rebuild(&valid, resumed);
        for die in 0..geometry.dies() {
            self.disturb(die);
        }
        lost
    }
}
