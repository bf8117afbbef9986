//! Cost-benefit: what it frees, times how long that is likely to stay free, by what it costs (A. Kawaguchi,
//! S. Nishioka, H. Motoda, "A Flash-Memory Based File System", USENIX 1995, section 3.5, after Rosenblum and
//! Ousterhout).
//!
//! A superblock with a share `u` of valid pages that last changed `age` ago scores `age (1 - u) / 2u`: it is read
//! and written, and frees the rest. A superblock that loses pages at the moment will soon lose more, so it can
//! wait; what it holds is moved when that is all that is ever going to stay.

use contract::{Configuration, Settings};

use super::{Policy, Way};

/// The highest score; of equals, the one with the most invalid pages.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct CostBenefit;

/// `age (1 - u) / 2u` as a fraction of whole numbers, without the 2 that all have.
#[derive(Clone, Copy)]
struct Score {
    benefit: u128,
    cost: u128,
}

impl Score {
    fn is_above(self, other: Score) -> bool {
        self.benefit * other.cost > other.benefit * self.cost
    }
}

impl Policy for CostBenefit {
    fn new(_: &Configuration, _: &Settings) -> Self {
        CostBenefit
    }

    /// Of those with the same number of invalid pages, the one that did not change for the longest time
    /// scores highest, so one of each number is looked at: at most as many as a superblock has pages.
    fn choose(&mut self, way: &Way<'_>) -> u32 {
        let mut best = None;
        for invalid in (1..=way.most_invalid()).rev() {
            let Some(superblock) = way.unchanged_longest(invalid) else { continue };
            if invalid == way.units() {
                return superblock;
            }
            let benefit = u128::from(way.age(superblock)) * u128::from(invalid);
            let score = Score { benefit, cost: u128::from(way.units() - invalid) };
            if best.is_none_or(|(_, known)| score.is_above(known)) {
                best = Some((superblock, score));
            }
        }
        best.expect("a way that is collected has an invalid page").0
    }
}
