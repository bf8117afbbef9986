//! d-choices: of some superblocks drawn at random, the one with the most invalid pages (B. Van Houdt, "A Mean
//! Field Model for a Class of Garbage Collection Algorithms in Flash-based Solid State Drives", SIGMETRICS
//! 2013). It needs no lists, and with ten it is close to greedy.

use contract::{Configuration, PolicyKey, Settings};

use super::draws::Draws;
use super::greedy::emptiest;
use super::{Policy, Way};

/// Rounds of draws that find full superblocks only, before the emptiest of all is taken.
const MOST_IN_VAIN: u32 = 16;

/// The most invalid pages of so many drawn, perhaps twice; the first of equals.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct DChoices {
    draws: Draws,
    choices: u32,
}

impl Policy for DChoices {
    const KEYS: &'static [PolicyKey] = &[
        PolicyKey {
            name: "choices",
            least: 1,
            most: 1024,
            default: 10,
            unit: "superblocks",
            what: "How many are drawn.",
        },
        PolicyKey::SEED,
    ];

    fn new(config: &Configuration, &Settings([choices, seed, ..]): &Settings) -> Self {
        DChoices { draws: Draws::new(config, seed), choices: choices as u32 }
    }

    fn choose(&mut self, way: &Way<'_>) -> u32 {
        for _ in 0..MOST_IN_VAIN {
            let mut best = (0, 0);
            for _ in 0..self.choices {
                let Some((superblock, invalid)) = self.draws.closed(way) else { break };
                if invalid > best.1 {
                    best = (superblock, invalid);
                }
            }
            if best.1 > 0 {
                return best.0;
            }
        }
        emptiest(way)
    }
}

#[cfg(test)]
#[path = "d_choices_tests.rs"]
mod tests;
