//! Random of Cosmos+ section 6.5: channel and way are drawn.

use contract::{Configuration, PolicyKey, Settings};

use super::{Policy, Ways};
use crate::ftl::moves::Moves;

/// Each way with the same chance.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Random {
    state: u64,
}

impl Policy for Random {
    const KEYS: &'static [PolicyKey] = &[PolicyKey::SEED];

    fn new(_: &Configuration, &Settings([seed, ..]): &Settings) -> Self {
        Random { state: seed }
    }

    fn next<M: Moves>(&mut self, ways: &Ways<'_, M>) -> u32 {
        let dies = u64::from(ways.geometry().dies());
        (((random::next(&mut self.state) >> 32) * dies) >> 32) as u32
    }
}
