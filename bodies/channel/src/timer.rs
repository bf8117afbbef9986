//! Tells which ways have been waiting for too long, as `rtl/flash/way_timer.sv`: ways are looked at in
//! turn, each once in 256 cycles.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::Duration;

/// A time that never comes.
const NEVER: u64 = u64::MAX;
/// Cycles from one look at a way to the next.
const ROUND: u64 = 256;
/// Cycles that a way has of them.
const SHARE: u64 = 16;

/// The waits of all ways, in cycles.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct WayTimer {
    timeout: u64,
    waiting: u64,
    expired: u64,
    /// When the wait of a way becomes too long.
    due: Vec<u64>,
}

impl WayTimer {
    /// A wait in rounds, rounded up, of a controller of this period; 0, which is for ever, where it is none.
    pub fn rounds(wait: Duration, period_ps: u64) -> u16 {
        wait.as_ps().div_ceil(ROUND * period_ps).min(u16::MAX.into()) as u16
    }

    /// `timeout` is in rounds; 0 is for ever.
    pub fn new(ways: u8, timeout: u16) -> Self {
        Self {
            timeout: timeout.into(),
            waiting: 0,
            expired: 0,
            due: vec![NEVER; usize::from(ways)],
        }
    }

    /// Ways whose wait is too long.
    pub fn expired(&self) -> u64 {
        self.expired
    }

    /// The next cycle in which a wait becomes too long.
    pub fn at(&self) -> u64 {
        if self.timeout == 0 {
            return NEVER;
        }
        self.due.iter().copied().min().unwrap_or(NEVER)
    }

    /// The end of a cycle in which these ways wait, and the wait of one begins anew.
    pub fn advance(&mut self, now: u64, waiting: u64, restart: Option<u8>) {
        if self.timeout == 0 {
            return;
        }
        let restart = restart.map_or(0, |way| 1 << way);
        let fresh = waiting & (!self.waiting | restart);
        for way in 0..self.due.len() {
            let bit = 1 << way;
            if fresh & bit != 0 {
                self.due[way] = self.next_look(now, way) + ROUND * self.timeout;
            } else if waiting & bit == 0 {
                self.due[way] = NEVER;
            } else if self.due[way] == now {
                self.expired |= bit;
                self.due[way] = NEVER;
            }
        }
        self.waiting = waiting;
        self.expired &= waiting & !restart;
    }

    /// The first cycle from `now` on in which a way is looked at.
    fn next_look(&self, now: u64, way: usize) -> u64 {
        let place = (way as u64 * SHARE + SHARE - 1) % ROUND;
        now + (place + ROUND - now % ROUND) % ROUND
    }
}
