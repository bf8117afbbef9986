//! By writes: new data that are seldom written go where collection puts what it moves, so that superblocks of new data
//! lose their pages together.
//!
//! Writes are counted, and the counts halved in turn, so that they tell of the last ones (J.-W. Hsieh, T.-W. Kuo, L.-P.
//! Chang, "Efficient Identification of Hot Data for Flash Memory Storage Systems", ACM Transactions on Storage 2(1), 2006,
//! who find a counter by hashing; here each has its own group of logical pages). Nothing of them outlives a power loss:
//! all data count as seldom written at first.

use alloc::vec::Vec;
use contract::{Configuration, Lpn, PolicyKey, Settings};

use super::{Policy, Stream};

/// Most counters, each of a byte.
const MOST_COUNTERS: u32 = 1 << 20;

/// New data that are often written in one superblock, all others in the other one.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct ByWrites {
    counts: Vec<u8>,
    /// Mapping units that share a counter.
    units_each: u32,
    /// The counter that is halved next.
    next: u32,
    /// The count from which on data are hot.
    hot: u8,
}

impl Policy for ByWrites {
    const KEYS: &'static [PolicyKey] = &[PolicyKey {
        name: "hot_writes",
        least: 1,
        most: 255,
        default: 4,
        unit: "writes",
        what: "Count from which on new data are kept apart from what collection moves; every count is halved once while as many pages are written as there are counts.",
    }];
    const APART: bool = true;

    fn new(config: &Configuration, &Settings([hot, ..]): &Settings) -> Self {
        let units_each = config.logical_units().div_ceil(MOST_COUNTERS).max(1);
        let counters = config.logical_units().div_ceil(units_each).max(1);
        ByWrites { counts: alloc::vec![0; counters as usize], units_each, next: 0, hot: hot as u8 }
    }

    fn of_new(&mut self, lpn: Lpn, _: u8) -> Stream {
        let oldest = &mut self.counts[self.next as usize];
        *oldest /= 2;
        self.next = (self.next + 1) % self.counts.len() as u32;
        let own = &mut self.counts[(lpn.0 / self.units_each) as usize];
        *own = own.saturating_add(1);
        if *own >= self.hot {
            Stream::Host
        } else {
            Stream::Moved
        }
    }

    fn came_before(&mut self, lpns: impl Iterator<Item = Lpn>) {
        lpns.for_each(|lpn| _ = self.of_new(lpn, 0));
    }
}

#[cfg(test)]
#[path = "by_writes_tests.rs"]
mod tests;
