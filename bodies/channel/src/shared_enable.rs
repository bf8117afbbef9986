//! LUNs behind one chip enable that overlap.
//!
//! Each LUN is scheduled as a way of its own, a *unit*. R/B# of a chip is low while any of its LUNs is
//! busy, so a LUN that is ready beside a busy one is found by asking for its status (78h), when the bus
//! has nothing else to do. Data and status name their LUN, since another may have been addressed since.

use borsh::{BorshDeserialize, BorshSerialize};

/// Chips whose LUNs overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct SharedEnable {
    /// LUNs behind a chip enable.
    pub luns: u8,
    /// Cycles from the begin of a busy time, or a status that says so still, to the next status.
    pub poll_cycles: u32,
}

/// Which units are asked, and when.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Polls {
    pub shared: SharedEnable,
    /// When a unit may be asked next.
    next: Vec<u64>,
    turn: usize,
}

impl Polls {
    pub fn new(shared: SharedEnable, units: u8) -> Self {
        Self { shared, next: vec![0; usize::from(units)], turn: 0 }
    }

    /// A unit has become busy, or was found so.
    pub fn wait(&mut self, unit: u8, now: u64) {
        self.next[usize::from(unit)] = now + u64::from(self.shared.poll_cycles);
    }

    /// The units of a unit's chip, a bit each.
    pub fn siblings(&self, unit: u8) -> u64 {
        let luns = self.shared.luns;
        let first = unit / luns * luns;
        (u64::MAX >> (64 - luns)) << first
    }

    /// Of these units that wait, those that R/B# tells nothing of: another one is busy too.
    fn unknown(&self, waiting: u64, busy: u64) -> impl Iterator<Item = u8> + '_ {
        let units = (0..self.next.len() as u8).filter(move |unit| waiting >> unit & 1 == 1);
        units.filter(move |unit| (busy & self.siblings(*unit)).count_ones() > 1)
    }

    /// When one of the units that wait is to be asked next.
    pub fn at(&self, waiting: u64, busy: u64) -> u64 {
        let times = self.unknown(waiting, busy).map(|unit| self.next[usize::from(unit)]);
        times.min().unwrap_or(u64::MAX)
    }

    /// The unit to ask now. Units take turns.
    pub fn pick(&mut self, now: u64, waiting: u64, busy: u64) -> Option<u8> {
        let count = self.next.len();
        let due = |unit: &u8| self.next[usize::from(*unit)] <= now;
        let behind = |unit: &u8| (usize::from(*unit) + count - self.turn) % count;
        let unit = self.unknown(waiting, busy).filter(due).min_by_key(behind)?;
        self.turn = (usize::from(unit) + 1) % count;
        Some(unit)
    }
}
