//! Resets: a zone gives its flash blocks up, and the reset ends once they are erased.

use contract::{CommandTag, Hardware, Work};
use nvme::zones::ZoneState;

use super::blocks::Use;
use super::{Awaited, ZoneData, Zones, ERASES_A_WAY};
use crate::nvme::backend::IoOutcome;
use crate::operations::{Operation, Owner, Page, Task};
use crate::placed::Ports;
use crate::planted::{is_planted, Bug};

impl Zones {
    /// Plans the reset of a zone. Commands that were planned for it before end as they would have.
    pub(super) fn plan_reset(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        tag: CommandTag,
        zone: u32,
    ) {
        let data = &mut self.data[zone as usize];
        data.resets[1] += 1;
        if data.planned > 0 || data.is_sealed {
            // Neither is left by a reset. One of all zones is counted of them, too, and several may be under way.
            match self.states.of(zone).state {
                ZoneState::Offline | ZoneState::ReadOnly => {}
                _ => self.empty(ports, zone),
            }
        }
        self.turn_waiters(zone, |awaited| awaited == Awaited::Reset);
        let data = &self.data[zone as usize];
        if data.erasing + data.marks > 0 && !is_planted(Bug::ResetTooEarly) {
            self.await_zone(ports, tag, zone, Awaited::Clean);
        }
        self.wake(ports.hw, zone);
    }

    /// A zone holds nothing any more.
    fn empty(&mut self, ports: &mut Ports<'_, impl Hardware>, zone: u32) {
        self.drop_records(zone, |_| true);
        self.held.drop_zone(zone, &mut self.placed.free);
        self.turn_waiters(zone, |_| true);
        self.generations += 1;
        let old = self.data[zone as usize];
        self.data[zone as usize] = ZoneData {
            generation: self.generations,
            resets: old.resets,
            erasing: old.erasing,
            marks: old.marks,
            ..ZoneData::EMPTY
        };
        for slot in 0..self.shape.slots() {
            let die = self.shape.die(zone, slot);
            while let Some(block) = self.blocks.take_off(zone, slot) {
                self.blocks.doom(die, block, Some(zone));
                self.data[zone as usize].erasing += 1;
            }
        }
        self.mark_resets(zone, old.first_logged);
        ports.hw.work(Work::Victim);
    }

    /// What waited for data to be durable that a reset takes away, or for this reset, waits for them to be gone: what was there before them is
    /// not to come back.
    fn turn_waiters(&mut self, zone: u32, turns: impl Fn(Awaited) -> bool) {
        let own = self.waiters.iter_mut().filter(|waiter| waiter.zone == zone);
        own.filter(|own| turns(own.awaited)).for_each(|own| own.awaited = Awaited::Clean);
    }

    /// Plans erases that wait. True when something was done.
    pub(super) fn plan_erases(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        if !self.blocks.any_doomed() {
            return self.let_log_go();
        }
        let mut busy = false;
        for die in 0..self.shape.dies() {
            while self.erases[die as usize] < ERASES_A_WAY {
                let Some(block) = self.blocks.next_doomed(die) else { break };
                busy = true;
                self.erases[die as usize] += 1;
                ports.hw.work(Work::Depend);
                let page = self.shape.page(die, block, 0);
                let op = Operation::flash(Owner::Drive, page, Task::Erase);
                let id = ports.station.reserve(ports.hw, op);
                self.placed.begin(ports, id);
            }
        }
        busy
    }

    /// Once everything is erased that did not count at the start, blocks of the log may go.
    fn let_log_go(&mut self) -> bool {
        if !self.log.is_held || self.erases.iter().any(|&erases| erases > 0) {
            return false;
        }
        self.log.is_held = false;
        (0..self.shape.dies()).for_each(|die| self.drop_log_blocks(die));
        true
    }

    /// A block was erased, or could not be.
    pub(super) fn erased(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        page: Page,
        is_done: bool,
    ) {
        let (die, (block, _)) = (page.die, self.shape.block_of(page));
        self.erases[die as usize] -= 1;
        let zone = self.blocks.zone_of_doomed(die, block);
        if is_done {
            self.placed.counters.erases += 1;
            self.blocks.erased(die, block);
        } else {
            self.blocks.take_bad(die, block);
            self.placed.counters.bad_blocks += 1;
        }
        let Some(zone) = zone else {
            if !is_done {
                self.mark_floor(die);
            }
            return;
        };
        self.data[zone as usize].erasing -= 1;
        if !is_done {
            self.mark_stale(die, zone);
        }
        self.wake(ports.hw, zone);
    }

    /// The block of a failed operation, if a zone or the log uses it.
    pub(super) fn used(&self, page: Page) -> Use {
        let (block, _) = self.shape.block_of(page);
        self.blocks.used(page.die, block)
    }

    /// A command of which a zone could not do its part.
    pub(super) fn fail_waiters(&mut self, zone: u32, outcome: IoOutcome) {
        for waiter in self.waiters.iter().filter(|waiter| waiter.zone == zone) {
            if waiter.awaited == Awaited::Clean {
                self.placed.commands.fail(waiter.tag, outcome);
            }
        }
    }
}
