//! Ways that are asked for their status, on boards whose R/B# pins lead nowhere, as `rtl/flash/status_poller.sv`.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::packet::Operation;

use crate::channel::Channel;
use crate::former::{Chosen, Former};
use crate::setup::BusStep;

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
    how: StatusPolls,
    /// When each way is to be asked next; never if it is ready.
    next: Vec<u64>,
    /// The row of the last step of each.
    rows: Vec<u32>,
    turn: usize,
    /// Ways whose chip gives status where it is read from, a bit each.
    gives_status: u64,
    /// When the status that is under way is sampled, in picoseconds.
    sampled_ps: u64,
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
    fn pick(&mut self, now: u64) -> Option<u8> {
        let count = self.next.len();
        let due = (0..count).filter(|way| self.next[*way] <= now);
        let way = due.min_by_key(|way| (way + count - self.turn) % count)?;
        self.turn = (way + 1) % count;
        Some(way as u8)
    }

    fn operation(&self) -> Operation {
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

impl Channel {
    /// Asks a way for its status in the next cycle, if one is to be asked.
    pub(crate) fn ask_way(&mut self, now: u64) {
        let Some(asking) = &mut self.asking else { return };
        let Some(way) = asking.pick(now) else { return };
        let (operation, row) = (asking.operation(), asking.rows[usize::from(way)]);
        let (over, sampled) = self.ask_bus(now + 1, way, row, operation);
        if let Some(asking) = &mut self.asking {
            asking.sampled_ps = sampled * self.setup.period_ps / 4;
        }
        self.former = Former::Poll(way, over + 1);
    }

    /// A turn that no request asked for: its last cycle, and when what is read is sampled, in quarters of a cycle.
    fn ask_bus(&mut self, at: u64, way: u8, row: u32, operation: Operation) -> (u64, u64) {
        let turn = self.bus.turn(at, operation, 0);
        self.busy_ps += (turn.over - at) * self.setup.period_ps;
        let (at, over) = (self.time(at), self.time(turn.over + 1));
        self.last = Some(BusStep { at, over, operation, next_plane: false, way, row, ticket: 0 });
        (turn.over, turn.sampled)
    }

    /// READ MODE in front of a step that begins with data.
    pub(crate) fn set_mode(&mut self, now: u64, chosen: Chosen) {
        let row = chosen.entry.request.row;
        let (over, _) = self.ask_bus(now + 1, chosen.way, row, Operation::ReadMode);
        self.former = Former::Mode(chosen, over + 1);
        if let Some(asking) = &mut self.asking {
            asking.gives_status &= !(1 << chosen.way);
        }
    }

    /// The status of a way has come. Whether it is ready.
    pub(crate) fn hear_status(&mut self, way: u8, now: u64) -> bool {
        let luns = usize::from(self.setup.luns);
        let first = usize::from(way) * luns;
        let Some(asking) = &mut self.asking else { return false };
        asking.gives_status |= 1 << way;
        let lun = if asking.how.enhanced {
            self.setup.policy.planes.lun(asking.rows[usize::from(way)]) as usize
        } else {
            usize::from(self.selected[usize::from(way)])
        };
        let ready = self.luns[first + lun.min(luns - 1)].ready_at().as_ps();
        let is_ready = ready <= asking.sampled_ps;
        let next = if is_ready { NEVER } else { now + 1 + u64::from(asking.how.cycles) };
        asking.next[usize::from(way)] = next;
        is_ready
    }
}
