//! Which superblock of a way is collected next. Each policy is a file here and a row in
//! `drive/contract/src/policies.rs`; docs/extending.md walks through one.

mod draws;

use contract::{Configuration, PolicyKey, Settings};

use super::blocks::Blocks;
use crate::chosen_policy::chosen_policy;

/// Chooses what is collected.
pub trait Policy: Sized {
    /// Keys of boards that are its own.
    const KEYS: &'static [PolicyKey] = &[];

    /// The policy of a drive, with the values of these keys.
    fn new(config: &Configuration, settings: &Settings) -> Self;

    /// The superblock of a way that is collected next: a closed one with an invalid mapping unit, of which the way
    /// has at least one. Called once for each collection. What it draws or counts is by way, since nothing
    /// else keeps the order in which ways come.
    fn choose(&mut self, way: &Way<'_>) -> u32;
}

/// What a policy sees of the way that is to be collected.
#[derive(Clone, Copy, Debug)]
pub struct Way<'a> {
    blocks: &'a Blocks,
    die: u32,
    most_invalid: u32,
}

impl<'a> Way<'a> {
    /// A way whose closed superblocks have so many invalid mapping units at most.
    pub(super) fn new(blocks: &'a Blocks, die: u32, most_invalid: u32) -> Self {
        Way { blocks, die, most_invalid }
    }

    /// Its number in the drive, from 0.
    pub fn number(&self) -> u32 {
        self.die
    }

    /// Mapping units of a superblock.
    pub fn units(&self) -> u32 {
        self.blocks.superblock_units()
    }

    /// How many superblocks the way can have, of any role; their numbers are below.
    pub fn superblocks(&self) -> u32 {
        self.blocks.superblocks_per_way()
    }

    /// Most invalid mapping units of a closed superblock, 1 and up.
    pub fn most_invalid(&self) -> u32 {
        self.most_invalid
    }

    /// Of the closed superblocks with so many invalid mapping units, 1 and up, the one that did not change for the
    /// longest time: that lost none and took none.
    pub fn unchanged_longest(&self, invalid: u32) -> Option<u32> {
        self.blocks.unchanged_longest(self.die, invalid)
    }

    /// Invalid mapping units of a superblock; `None` if it is not closed.
    pub fn invalid(&self, superblock: u32) -> Option<u32> {
        self.blocks.invalid_of_closed(self.die, superblock)
    }

    /// How long ago a superblock last changed, in mapping units of the way that became invalid since.
    pub fn age(&self, superblock: u32) -> u64 {
        self.blocks.age(self.die, superblock)
    }
}

macro_rules! dispatch_policies {
    ($($module:ident, $policy:ident, $word:literal, $what:literal;)*) => {
        chosen_policy! { victim, VictimPolicy; $($module, $policy;)* }

        impl Chosen {
            /// As [`Policy::choose`].
            pub fn choose(&mut self, way: &Way<'_>) -> u32 {
                match self {
                    $(Chosen::$policy(policy) => policy.choose(way),)*
                }
            }
        }
    };
}

contract::with_victim_policies!(dispatch_policies);

pub(super) use greedy::emptiest;

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
