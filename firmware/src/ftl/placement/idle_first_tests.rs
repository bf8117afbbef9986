//! Which way is taken, of ways of which some have something to do.

use contract::Geometry;

use super::*;
use crate::ftl::blocks::Stream;
use crate::ftl::moves::Move;
use crate::nvme::tests::mock::configuration;

/// Ways that have nothing to do, by channel.
struct Idle([u64; 3]);

impl Moves for Idle {
    fn idle_ways(&self, channel: usize) -> u64 {
        self.0[channel]
    }
    fn victim(&mut self) {}
    fn opened(&mut self, _: (u32, Stream), _: u32, _: u64) {}
    fn copy(&mut self, _: u32, _: &[Move]) {}
    fn erase(&mut self, _: u32, _: u32) {}
}

const GEOMETRY: Geometry =
    Geometry { channels: 3, ways: 2, blocks_per_way: 4, pages_per_block: 4, page_bytes: 4096 };

/// Channel and way of placements in a drive that stays as it is.
fn taken<const N: usize>(idle: [u64; 3]) -> [(u32, u32); N] {
    let mut policy = IdleFirst::new(&configuration(), &Settings::of([]));
    let idle = Idle(idle);
    core::array::from_fn(|_| {
        let die = policy.next(&Ways::new(&GEOMETRY, &idle));
        (die % GEOMETRY.channels, die / GEOMETRY.channels)
    })
}

#[test]
fn channels_come_first_while_all_ways_are_idle_or_none_is() {
    let order = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (0, 0)];
    assert_eq!(taken([u64::MAX; 3]), order);
    assert_eq!(taken([0; 3]), order);
}

#[test]
fn an_idle_way_of_the_same_channel_is_taken_and_then_of_the_next_ones() {
    // The first way of channel 0 is busy, and all of channel 1.
    let order = [(0, 1), (2, 0), (2, 0), (0, 1), (2, 1), (2, 1), (0, 1)];
    assert_eq!(taken([0b10, 0b00, 0b11]), order);
    // Bits above those of its ways are no way's.
    assert_eq!(taken([0b100, 0b01, 0]), [(1, 0); 7]);
}
