//! ChPrev of Cosmos+ section 6.5: the channel counts up first, then the way, so that pages which follow each other
//! go over different buses.

use contract::{Configuration, Settings};

use super::{Order, Policy, Ways};
use crate::ftl::moves::Moves;

/// Ways in turn.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct ChannelFirst {
    /// Placements so far.
    turn: u64,
}

impl Policy for ChannelFirst {
    const ORDER: Option<Order> = Some(Order::ChannelFirst);

    fn new(_: &Configuration, _: &Settings) -> Self {
        ChannelFirst { turn: 0 }
    }

    fn next<M: Moves>(&mut self, ways: &Ways<'_, M>) -> u32 {
        let nth = self.turn;
        self.turn += 1;
        Order::ChannelFirst.way(ways.geometry(), nth)
    }

    fn came_before(&mut self, pages: u64) {
        self.turn = pages;
    }
}
