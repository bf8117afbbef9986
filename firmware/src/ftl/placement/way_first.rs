//! WayPrev of Cosmos+ section 6.5: the way counts up first, then the channel.

use contract::{Configuration, Settings};

use super::{Order, Policy, Ways};
use crate::ftl::moves::Moves;

/// Ways in turn.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct WayFirst {
    /// Placements so far.
    turn: u64,
}

impl Policy for WayFirst {
    const ORDER: Option<Order> = Some(Order::WayFirst);

    fn new(_: &Configuration, _: &Settings) -> Self {
        WayFirst { turn: 0 }
    }

    fn next<M: Moves>(&mut self, ways: &Ways<'_, M>) -> u32 {
        let nth = self.turn;
        self.turn += 1;
        Order::WayFirst.way(ways.geometry(), nth)
    }

    fn came_before(&mut self, pages: u64) {
        self.turn = pages;
    }
}
