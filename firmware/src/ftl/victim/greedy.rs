//! Greedy: the superblock with the most invalid pages, found without a search (BlueSSD section 3.4).

use contract::{Configuration, Settings};

use super::{Policy, Way};

/// The most invalid pages; of several, the one that did not change for the longest time.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Greedy;

impl Policy for Greedy {
    fn new(_: &Configuration, _: &Settings) -> Self {
        Greedy
    }

    fn choose(&mut self, way: &Way<'_>) -> u32 {
        emptiest(way)
    }
}

/// The superblock of a way with the most invalid pages.
pub(in crate::ftl) fn emptiest(way: &Way<'_>) -> u32 {
    way.unchanged_longest(way.most_invalid()).expect("a superblock has the most invalid pages")
}
