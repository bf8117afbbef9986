//! Static levelling: data that stay too long in a block with few erases are moved out of it.
//!
//! With each collection one superblock of the way is looked at, around and around. One that is too far behind the most
//! worn one of its way is emptied whatever it holds (the threshold of the static levelling of M-Systems' TrueFFS, as L.-P. Chang
//! describes it in "On efficient wear leveling for large-scale flash-memory storage systems", SAC 2007).

use alloc::vec::Vec;
use contract::{Configuration, PolicyKey, Settings};

use super::{Policy, Way};

/// How far levelling has come in a way.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Round {
    /// The superblock that is looked at next.
    next: u32,
    /// Erases of the way's most worn superblock when the round began.
    most: u32,
}

/// The superblock whose turn it is, if it is too far behind.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Threshold {
    /// Erases that a superblock may be behind.
    spread: u32,
    rounds: Vec<Round>,
}

impl Policy for Threshold {
    const KEYS: &'static [PolicyKey] = &[PolicyKey {
        name: "spread",
        least: 1,
        most: 1_000_000_000,
        default: 20,
        unit: "erases",
        what: "How far a superblock may be behind the most worn one of its way before it is emptied.",
    }];
    const LEAST_WORN_FIRST: bool = true;
    const EMPTIES: bool = true;

    fn new(config: &Configuration, &Settings([spread, ..]): &Settings) -> Self {
        let rounds = alloc::vec![Round::default(); config.geometry.dies() as usize];
        Threshold { spread: spread as u32, rounds }
    }

    fn due(&mut self, way: &Way<'_>) -> Option<u32> {
        let round = &mut self.rounds[way.number() as usize];
        if round.next == 0 {
            round.most = way.most_erases();
        }
        let superblock = round.next;
        round.next = (superblock + 1) % way.superblocks();
        let behind = way.is_closed(superblock)
            && way.erases(superblock).saturating_add(self.spread) < round.most;
        behind.then_some(superblock)
    }
}

#[cfg(test)]
#[path = "threshold_tests.rs"]
mod tests;
