//! How blocks are worn evenly. Each policy is a file here and a row in `drive/contract/src/policies.rs`;
//! docs/extending.md walks through one.
//!
//! Blocks with data that nobody overwrites are never chosen as victims, so the others wear out for them. A policy may
//! have such a block emptied. It is opened next where free superblocks are opened in the order of their erases, and new
//! data wear it.

use alloc::vec::Vec;
use contract::{Configuration, PolicyKey, Settings};

use super::blocks::{Blocks, Role, State};
use crate::chosen_policy::chosen_policy;

/// Chooses what is emptied for the sake of wear.
pub trait Policy: Sized {
    /// Keys of boards that are its own.
    const KEYS: &'static [PolicyKey] = &[];

    /// Whether the free superblock with the fewest erases is opened first; the one that was erased first otherwise.
    const LEAST_WORN_FIRST: bool;

    /// Whether it ever has a superblock emptied. A drive keeps room for the moves of it.
    const EMPTIES: bool;

    /// The policy of a drive, with the values of its keys.
    fn new(config: &Configuration, settings: &Settings) -> Self;

    /// A closed superblock of a way that is to be emptied now, whatever it holds, in place of the victim for room. Called
    /// with every other collection of the way at most, so that a write never waits for two of them.
    fn due(&mut self, way: &Way<'_>) -> Option<u32>;
}

/// What a policy sees of a way.
#[derive(Clone, Copy, Debug)]
pub struct Way<'a> {
    blocks: &'a Blocks,
    die: u32,
}

impl Way<'_> {
    /// Its number in the drive, from 0.
    pub fn number(&self) -> u32 {
        self.die
    }

    /// How many superblocks the way can have, of any role; their numbers are below.
    pub fn superblocks(&self) -> u32 {
        self.blocks.superblocks_per_way()
    }

    /// Most erases of a block of a superblock.
    pub fn erases(&self, superblock: u32) -> u32 {
        self.blocks.worn(self.die, superblock)
    }

    /// Most erases of a superblock that is in use. It takes a look at each of them.
    pub fn most_erases(&self) -> u32 {
        self.blocks.most_worn(self.die)
    }

    /// Whether a superblock is closed: full, and not being collected.
    pub fn is_closed(&self, superblock: u32) -> bool {
        self.blocks.invalid_of_closed(self.die, superblock).is_some()
    }
}

macro_rules! dispatch_policies {
    ($($module:ident, $policy:ident, $word:literal, $what:literal;)*) => {
        chosen_policy! { wear, WearPolicy; $($module, $policy;)* }

        impl Chosen {
            /// As [`Policy::LEAST_WORN_FIRST`], of a drive of this configuration.
            pub const fn opens_least_worn_in(config: &Configuration) -> bool {
                match config.policies.wear.policy {
                    $(contract::WearPolicy::$policy => $module::$policy::LEAST_WORN_FIRST,)*
                }
            }

            /// As [`Policy::EMPTIES`], of a drive of this configuration.
            pub const fn empties_in(config: &Configuration) -> bool {
                match config.policies.wear.policy {
                    $(contract::WearPolicy::$policy => $module::$policy::EMPTIES,)*
                }
            }

            fn due(&mut self, way: &Way<'_>) -> Option<u32> {
                match self {
                    $(Chosen::$policy(policy) => policy.due(way),)*
                }
            }
        }
    };
}

contract::with_wear_policies!(dispatch_policies);

/// Looks for what is to be moved for the sake of wear.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Wear {
    policy: Chosen,
    /// By way, whether the last collection was for wear: the next one is for room.
    was_due: Vec<bool>,
}

impl Wear {
    /// At the start of a drive.
    pub fn new(config: &Configuration) -> Self {
        let was_due = alloc::vec![false; config.geometry.dies() as usize];
        Wear { policy: Chosen::new(config), was_due }
    }

    /// A closed superblock of a way that is to be emptied now.
    pub fn due(&mut self, blocks: &Blocks, die: u32) -> Option<u32> {
        let was_due = &mut self.was_due[die as usize];
        if core::mem::take(was_due) {
            return None;
        }
        let way = Way { blocks, die };
        let due = self.policy.due(&way)?;
        assert!(way.is_closed(due), "superblock {due} of way {die} is not closed");
        *was_due = true;
        Some(due)
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
#[path = "tests.rs"]
mod tests;
