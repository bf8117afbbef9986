//! Closed superblocks drawn at random, the same ones whenever a drive does the same.

use alloc::vec::Vec;
use contract::Configuration;

use super::Way;

/// Draws in vain before there is taken to be no closed superblock: a way that needs collection has few others.
const MOST_IN_VAIN: u32 = 64;

/// A stream of draws for each way.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Draws {
    states: Vec<u64>,
}

impl Draws {
    /// The streams of a seed.
    pub fn new(config: &Configuration, mut seed: u64) -> Self {
        let states = (0..config.geometry.dies()).map(|_| random::next(&mut seed)).collect();
        Draws { states }
    }

    /// A closed superblock and its invalid pages, each with the same chance.
    pub fn closed(&mut self, way: &Way<'_>) -> Option<(u32, u32)> {
        let state = &mut self.states[way.number() as usize];
        (0..MOST_IN_VAIN).find_map(|_| {
            let draw = random::next(state) >> 32;
            let superblock = ((draw * u64::from(way.superblocks())) >> 32) as u32;
            Some((superblock, way.invalid(superblock)?))
        })
    }
}
