//! Idle first: a way that has nothing to do, the next one in the order of [`super::channel_first`] if there are several; that order alone
//! while all are busy. Such dynamic allocation is compared with fixed orders by A. Tavakkol, P. Mehrvarzy, M. Arjomand, H.
//! Sarbazi-Azad, "Performance Evaluation of Dynamic Page Allocation Strategies in SSDs", ACM TOMPECS 1(2), 2016.

use contract::{Configuration, Settings};

use super::{Order, Policy, Ways};
use crate::ftl::moves::Moves;

/// An idle way, of a channel as near as possible to the one whose turn it is.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct IdleFirst {
    /// Placements so far.
    turn: u64,
}

impl Policy for IdleFirst {
    /// A drive that is filled before a run is idle.
    const ORDER: Option<Order> = Some(Order::ChannelFirst);

    fn new(_: &Configuration, _: &Settings) -> Self {
        IdleFirst { turn: 0 }
    }

    fn next<M: Moves>(&mut self, ways: &Ways<'_, M>) -> u32 {
        let channels = ways.geometry().channels;
        let first = Order::ChannelFirst.way(ways.geometry(), self.turn);
        self.turn += 1;
        let (channel, way) = (first % channels, first / channels);
        let idle = (channel..channel + channels).find_map(|channel| {
            let (channel, idle) = (channel % channels, ways.idle(channel % channels));
            let behind = idle >> way << way;
            let chosen = if behind == 0 { idle } else { behind };
            (chosen != 0).then(|| chosen.trailing_zeros() * channels + channel)
        });
        idle.unwrap_or(first)
    }

    fn came_before(&mut self, pages: u64) {
        self.turn = pages;
    }
}

#[cfg(test)]
#[path = "idle_first_tests.rs"]
mod tests;
