//! Ways that are asked for their status, on boards whose R/B# pins lead nowhere, as `rtl/flash/status_poller.sv`.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::packet::Operation;

/// A time that never comes.
const NEVER: u64 = u64::MAX;

/// How ways are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct StatusPolls {
    /// Cycles from tWB, or from an answer that says busy, to the next status.
    pub cycles: u32,
    /// READ STATUS ENHANCED (78h) with the row of the way's last step, for chips of several LUNs, instead of READ STATUS (70h).
    pub enhanced: bool,
}

/// Which ways are to be asked, and when.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Asking {
    pub how: StatusPolls,
    /// When each way is to be asked next; never if it is ready.
    pub next: Vec<u64>,
    /// The row of the last step of each.
    pub rows: Vec<u32>,
    turn: usize,
    /// Ways whose chip gives status where it is read from, a bit each.
    pub gives_status: u64,
    /// When the status that is under way is sampled, in picoseconds.
    pub sampled_ps: u64,
    /// The cycle behind the last one that was looked at.
    since: u64,
}

impl Asking {
    pub fn new(how: StatusPolls, ways: u8) -> Self {
        let ways = usize::from(ways);
        Self {
            how,
            next: vec![NEVER; ways],
            rows: vec![0; ways],
            turn: 0,
            gives_status: 0,
            sampled_ps: 0,
            since: 0,
        }
    }

    /// A way is busy; its tWB is over in this cycle.
    pub fn wait(&mut self, way: u8, shown: u64) {
        self.next[usize::from(way)] = shown + u64::from(self.how.cycles);
    }

    /// When a way is to be asked at the earliest.
    pub fn at(&self) -> u64 {
        self.next.iter().min().map_or(NEVER, |at| (*at).max(self.since))
    }

    /// A cycle was looked at.
    pub fn looked(&mut self, now: u64) {
        self.since = now + 1;
    }

    /// The way to ask now. Ways take turns.
    pub fn pick(&mut self, now: u64) -> Option<u8> {
        let count = self.next.len();
        let due = (0..count).filter(|way| self.next[*way] <= now);
        let way = due.min_by_key(|way| (way + count - self.turn) % count)?;
        self.turn = (way + 1) % count;
        Some(way as u8)
    }

    /// What they are asked by.
    pub fn operation(&self) -> Operation {
        if self.how.enhanced {
            Operation::ReadStatusEnhanced
        } else {
            Operation::ReadStatus
        }
    }

    /// A step of a way goes to the chip.
    pub fn pass(&mut self, way: u8, row: u32, operation: Operation) {
        self.rows[usize::from(way)] = row;
        if !crate::operation::is_status(operation) {
            self.gives_status &= !(1 << way);
        }
    }

    /// Whether READ MODE has to come before a step.
    pub fn needs_mode(&self, way: u8, operation: Operation) -> bool {
        let begins = matches!(operation, Operation::ReadTransfer | Operation::FeaturesTransfer);
        begins && self.gives_status >> way & 1 == 1
    }
}
