//! CFLRU, clean-first LRU (S. Park, D. Jung, J. Kang, J. Kim, J. Lee, "CFLRU: A Replacement Algorithm for Flash Memory",
//! CASES 2006): of the least recently used entries the oldest one that is clean, since what is dirty costs a program;
//! the oldest one where none of them is.

use contract::{BufferId, Configuration, PolicyKey, Settings};

use super::{Candidate, Place, Policy, Verdict};
use crate::ftl::buffer::Freshness;

/// The oldest clean entry of the clean-first region, as the paper calls it.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct CleanFirst {
    window: u32,
}

impl Policy for CleanFirst {
    const KEYS: &'static [PolicyKey] = &[PolicyKey {
        name: "window",
        least: 1,
        most: 1024,
        default: 64,
        unit: "entries",
        what: "Entries, the oldest ones, among which a clean one goes first.",
    }];

    fn new(_: &Configuration, &Settings([window, ..]): &Settings) -> Self {
        CleanFirst { window: window as u32 }
    }

    fn judge(&mut self, candidate: Candidate) -> Verdict {
        match candidate.freshness {
            Freshness::Clean => Verdict::Take,
            Freshness::Dirty if candidate.passed + 1 < self.window => Verdict::Pass,
            Freshness::Dirty => Verdict::TakeOldest,
        }
    }

    fn read(&mut self, _: BufferId) -> Place {
        Place::Newest
    }
}

#[cfg(test)]
#[path = "clean_first_tests.rs"]
mod tests;
