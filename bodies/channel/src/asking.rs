//! Status reads that no request asked for, and READ MODE behind them.

use contract::packet::Operation;

use crate::channel::Channel;
use crate::former::{Chosen, Former};
use crate::setup::{BusStep, NOBODY};

/// A time that never comes.
const NEVER: u64 = u64::MAX;

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
        self.last =
            Some(BusStep { at, over, operation, next_plane: false, way, row, ticket: NOBODY });
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
