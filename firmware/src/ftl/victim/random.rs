//! Random: any superblock with an invalid page. The policy to compare others with (B. Van Houdt, SIGMETRICS 2013).

use contract::{Configuration, PolicyKey, Settings};

use super::draws::Draws;
use super::greedy::emptiest;
use super::{Policy, Way};

/// Draws that find full superblocks only, before the emptiest of all is taken.
const MOST_IN_VAIN: u32 = 256;

/// Each with the same chance.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Random {
    draws: Draws,
}

impl Policy for Random {
    const KEYS: &'static [PolicyKey] = &[PolicyKey::SEED];

    fn new(config: &Configuration, &Settings([seed, ..]): &Settings) -> Self {
        Random { draws: Draws::new(config, seed) }
    }

    fn choose(&mut self, way: &Way<'_>) -> u32 {
        for _ in 0..MOST_IN_VAIN {
            match self.draws.closed(way) {
                Some((superblock, 1..)) => return superblock,
                Some(_) => {}
                None => break,
            }
        }
        emptiest(way)
    }
}
