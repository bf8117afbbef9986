//! The guest as the drive sees it: the host at the other end of the link.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use machine::{CommandTimes, Host, Registers, Wake, NEVER};

use crate::clock::Clock;
use crate::function::Bus;
use crate::memory::GuestMemory;
use crate::meter::Meter;

/// A doorbell that was rung and has not been heard.
#[derive(Clone, Copy, Debug)]
struct Rung {
    at_ps: u64,
    offset: u64,
    value: u32,
}

/// The guest: memory, interrupts, and doorbells on their way.
#[derive(Debug)]
pub struct Guest {
    /// Memory and interrupts.
    pub bus: Bus,
    /// Wall time, where the drive keeps to it.
    pub clock: Option<Clock>,
    meter: Rc<RefCell<Meter>>,
    rung: VecDeque<Rung>,
}

impl Guest {
    /// A guest that is not there yet, for so many vectors. With a clock, the meter is told how late
    /// interrupts come.
    pub fn new(vectors: u32, clock: Option<Clock>, meter: Rc<RefCell<Meter>>) -> Self {
        Guest { bus: Bus::new(vectors), clock, meter, rung: VecDeque::new() }
    }

    /// Rings a doorbell at a time to come; the host has to be woken. Doorbells stay in order.
    pub fn ring(&mut self, at_ps: u64, (offset, value): (u64, u32)) {
        let at_ps = self.rung.back().map_or(at_ps, |last| last.at_ps.max(at_ps));
        self.rung.push_back(Rung { at_ps, offset, value });
    }

    /// Lets every doorbell be heard that rang until `now`.
    pub fn hear(&mut self, now: u64, registers: &mut Registers<'_>) {
        while let Some(&Rung { at_ps, offset, value }) = self.rung.front() {
            if at_ps > now {
                return;
            }
            self.rung.pop_front();
            registers.write32(offset, value);
        }
    }
}

impl Host for Guest {
    type Memory = GuestMemory;

    fn memory(&mut self) -> &mut GuestMemory {
        &mut self.bus.memory
    }

    fn wake(&mut self, now: u64, wake: Wake, registers: &mut Registers<'_>) -> u64 {
        if let Wake::Interrupt(vector) = wake {
            // Never before its time, should a turn have gone further than could be expected.
            let late_ps = self.clock.as_mut().map(|clock| clock.wait(now) - now);
            self.meter.borrow_mut().interrupted(late_ps);
            self.bus.interrupts.raise(vector.into());
        }
        self.hear(now, registers);
        self.rung.front().map_or(NEVER, |rung| rung.at_ps)
    }

    fn posted(&mut self, _queue: u16, _id: u16, times: &CommandTimes) {
        self.meter.borrow_mut().note_times(times);
    }
}
