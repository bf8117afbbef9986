//! Wear levelling: data that stay too long in a block with few erases are moved out of it.
//!
//! Blocks with data that nobody overwrites are never chosen as victims, so the others wear out for them. With
//! each collection one superblock of the way is looked at, around and around. One that is too far behind the
//! most worn one of its way is collected whatever it holds. It is opened next, since free superblocks are opened in the
//! order of their erases, and new data wear it.

use alloc::vec::Vec;
use contract::{Configuration, Levelling};

use super::blocks::{Blocks, Role, State};

/// How far levelling has come in a way.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Round {
    /// The superblock that is looked at next.
    next: u32,
    /// Erases of the way's most worn superblock when the round began.
    most: u32,
    /// The last collection was for levelling: the next one is for room.
    levelled: bool,
}

/// Looks for what is to be moved for the sake of wear.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Wear {
    /// Erases that a superblock may be behind; `None` where nothing is moved.
    spread: Option<u32>,
    rounds: Vec<Round>,
}

impl Wear {
    /// At the start of a drive.
    pub fn new(config: &Configuration) -> Self {
        let moves = config.wear_levelling.levelling == Levelling::Static;
        let spread = moves.then_some(config.wear_levelling.spread);
        Wear { spread, rounds: alloc::vec![Round::default(); config.geometry.dies() as usize] }
    }

    /// A closed superblock of a way that is too far behind, if the one whose turn it is is so.
    pub fn due(&mut self, blocks: &Blocks, die: u32) -> Option<u32> {
        let spread = self.spread?;
        let round = &mut self.rounds[die as usize];
        if core::mem::take(&mut round.levelled) {
            return None;
        }
        if round.next == 0 {
            round.most = blocks.most_worn(die);
        }
        let superblock = round.next;
        round.next = (superblock + 1) % blocks.superblocks_per_way();
        blocks.invalid_of_closed(die, superblock)?;
        round.levelled = blocks.worn(die, superblock).saturating_add(spread) < round.most;
        round.levelled.then_some(superblock)
    }
}

impl Blocks {
    /// Most erases of a block of a superblock.
    pub(super) fn worn(&self, die: u32, superblock: u32) -> u32 {
        let erases = |&block: &u32| self.erases_of(die, block);
        self.members(die, superblock).iter().map(erases).max().unwrap_or(0)
    }

    /// Most erases of a superblock of a way that is in use.
    fn most_worn(&self, die: u32) -> u32 {
        let used = (0..self.superblocks_per_way()).filter(|&s| self.of(die, s).role != Role::Bad);
        used.map(|superblock| self.worn(die, superblock)).max().unwrap_or(0)
    }

    /// Blocks of all dies.
    pub fn count(&self) -> u32 {
        self.geometry.dies() * self.geometry.blocks_per_way
    }

    /// Erases of a block that takes data: neither a spare nor a bad one. Blocks are counted die after die.
    pub fn erases_in_use(&self, block: u32) -> Option<u32> {
        let per_way = self.geometry.blocks_per_way;
        let (die, block) = (block / per_way, block % per_way);
        let own = self.at(die, block);
        let State::In(superblock) = own.state else { return None };
        (self.of(die, superblock).role != Role::Bad).then_some(own.erases)
    }
}

#[cfg(test)]
#[path = "wear_tests.rs"]
mod tests;
