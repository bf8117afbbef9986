//! What a channel that schedules does of its operations, as accounts and observers are told.

use channel::{BusStep, Completion, NOBODY};
use contract::packet::Outcome;
use contract::{Cause, FlashOperation, Instant};
use machine::{FlashPhase, Observer, TimeSpan};

use super::chips::FlashChips;
use super::{Scheduled, Slot};
use crate::body::Body;
use crate::causes::Causes;
use crate::controller::phase;

impl<O: Observer> Body<O> {
    /// Lets a channel do what it does next.
    pub(crate) fn run_channel(&mut self, nth: usize) {
        let Some(scheduled) = self.scheduled.as_mut() else { return };
        let Scheduled { units, slots, dies, way_requests, format, .. } = &mut *scheduled;
        let unit = &mut units[nth];
        let mut chips = FlashChips {
            now: self.processor.now.min(unit.next),
            nth,
            geometry: self.geometry,
            format: *format,
            way_requests: *way_requests as usize,
            array: &mut self.array,
            buffer: &mut self.buffer,
            log: &mut self.log,
            dram: &mut self.dram,
            data_bus: &mut self.data_bus,
            solvers: &mut self.solvers,
            path: &self.path,
            feature: self.bus_times.feature,
            slots,
            dies,
            observer: &mut self.observer,
        };
        let mut step = None;
        let at = Instant::from_ps(unit.next);
        unit.channel.poll(at, &mut chips, &mut unit.order, |taken| step = Some(taken));
        unit.next = unit.channel.poll_at().as_ps();
        if let Some(step) = step {
            scheduled.note(nth, step, (&mut self.causes, &mut self.observer));
        }
        while let Some(completion) = scheduled.units[nth].order.pop() {
            scheduled.answer(nth, completion, &mut self.causes);
        }
    }
}

impl Scheduled {
    /// A step is on the bus.
    fn note<O: Observer>(
        &mut self,
        nth: usize,
        step: BusStep,
        (causes, observer): (&mut Causes, &mut O),
    ) {
        let (start, end) = (step.at.as_ps(), step.over.as_ps());
        self.units[nth].bus_until = end;
        let Some(operation) = phase(step.operation) else { return };
        let (channel, way) = (nth as u8, step.way);
        let row = self.format.rows.contract_row(step.row);
        let of = |command, span| FlashPhase { operation, channel, way, row, command, span };
        if step.ticket == NOBODY {
            return observer.bus(of(None, TimeSpan { start, end }));
        }
        let die = self.die(nth, way);
        let (die, slot) = (&mut self.dies[die], &mut self.slots[step.ticket as usize]);
        if let Some(id) = slot.id {
            if slot.from.is_none() {
                causes.spend_most(id, Cause::Internal, (die.internal - slot.mark, start));
                causes.spend(id, Cause::Die, start.min(die.until));
            } else {
                causes.spend(id, Cause::Flash, start.min(slot.ready));
            }
            causes.spend(id, Cause::Bus, start);
            causes.spend(id, Cause::Transfer, end);
        }
        slot.from.get_or_insert(start);
        die.until = die.until.max(end);
        let unit = &mut self.units[nth];
        unit.pages[0] += u64::from(operation == FlashOperation::ReadTransfer);
        unit.pages[1] += u64::from(operation == FlashOperation::Program);
        let told = |span| of(slot.command, span);
        let waits = TimeSpan { start: slot.ready.max(die.array.1), end: start };
        if operation == FlashOperation::ReadTransfer && waits.start < start {
            observer.ready(told(waits));
        }
        observer.bus(told(TimeSpan { start, end }));
    }

    /// An operation is complete: the firmware sees it once its page is decoded, behind those before it.
    fn answer(&mut self, nth: usize, completion: Completion, causes: &mut Causes) {
        let response = completion.response;
        let die = self.die(nth, response.way);
        let Slot { id, command, from, arrived, decoded, .. } =
            self.slots[completion.ticket as usize];
        let (die, unit) = (&mut self.dies[die], &mut self.units[nth]);
        let at = completion.at.as_ps();
        let behind = unit.answers.back().map_or(0, |&(at, _)| at);
        let seen = at.max(decoded).max(behind);
        if let (None, Some(from)) = (command, from) {
            die.internal += at.saturating_sub(from.max(die.counted));
            die.counted = at;
        }
        if let Some(id) = id {
            if arrived > 0 {
                causes.spend(id, Cause::Memory, arrived);
                causes.spend(id, Cause::Ecc, seen);
            } else if response.outcome == Outcome::GivenBack {
                causes.spend(id, Cause::Die, seen);
            } else {
                causes.spend(id, Cause::Transfer, seen);
            }
        }
        unit.answers.push_back((seen, response));
    }
}
