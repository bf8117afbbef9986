//! Cycles in which nothing changes, so that they need not be run.
//!
//! While dies are busy and buses are not, the firmware's main loop reads the same registers again and again, and finds
//! what it found before. Once no register of the controller has changed for a while, reads are answered from what they
//! found, and time passes without the model, up to the next thing that comes from outside: a chip that turns ready,
//! a doorbell, an interrupt that arrives, the host that acts, or an access of the firmware that is new.

use crate::axi::AddressSpace;
use crate::nvme::Card;
use crate::registers::{Clock, Watch};
use contract::{Medium, Pass};
use machine::Polling;
use std::cell::Cell;
use std::rc::Rc;

/// Registers that count cycles, by parts of their paths.
const CLOCKS: [&str; 3] = [".u_registers.time_q", ".u_dma.tick_q", ".u_latency.now_q"];

/// Cycles after which what goes round is as before.
const TURN: u64 = 256;

/// Registers that change in each cycle, or in some of each [`TURN`], though nothing happens.
const TURNING: [&str; 14] = [
    // They go round in a part of a turn.
    ".u_timer.turn_q",
    ".u_reader.delay_q",
    ".u_order.scan_q",
    ".u_order.announce_stream_q",
    ".u_read_port.scan_q",
    ".u_coalescing.tick_q",
    ".u_coalescing.steps_q",
    ".u_coalescing.visited_q",
    ".u_coalescing.vector_q",
    ".u_coalescing.found_q",
    ".u_coalescing.waiting_q",
    // They count while an access waits, and begin anew with the next.
    ".u_ages.low_q",
    ".u_ages.high_q",
    // They count for whoever reads monitors, which nothing does in a run: times that are left out are not in them.
    ".u_monitor.",
];

/// The same in error correction, which a controller without flash has not. They are loaded when work begins, and go on
/// behind it. No work there lasts a turn and changes nothing else.
const CORRECTING: [&str; 3] = [".u_search.u_chien.", ".u_search.place_q", ".u_search.token_"];

/// Registers of the pins whose sum is their level: where both halves of a cycle differ, they change in each cycle, and
/// are as before in the next but one.
const PINS: [&str; 2] = [".u_pins.u_dq.rise_q", ".u_pins.u_dq.fall_q"];

/// What way timers have counted. It is of no matter where they have no limit.
const WAY_TIMERS: [&str; 1] = [".u_timer.u_counts.memory_q"];

/// A quiet time that is shorter is not worth the while.
const WORTH: u64 = 2 * TURN;

/// Whether a way that is busy for too long is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BusyTimeout {
    /// Never.
    None,
    /// After some time.
    Some,
}

/// A read of a register: where, what was there, and how many cycles it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Read {
    address: u32,
    value: u32,
    cycles: u64,
}

/// What is known of the quiet of a controller.
pub struct Quiet {
    watch: Watch,
    clocks: Vec<Clock>,
    /// Reads of this turn of the main loop, and of the one before.
    reads: Vec<Read>,
    before: Vec<Read>,
    /// The cycle since which no register has changed.
    since: u64,
    /// The first cycle in which something comes from outside, as the last turn of the main loop had it.
    next: Option<u64>,
    /// While time passes without the model: the first cycle that has to be run.
    until: Option<u64>,
    /// Cycles that have passed without it.
    ahead: u64,
    /// Cycles that were never run.
    skipped: Skipped,
}

/// Cycles that were never run, so far. Whoever asked for it sees it grow.
pub type Skipped = Rc<Cell<u64>>;

impl Quiet {
    /// Of a controller that runs; none if each cycle has to be run.
    pub fn new<M>(
        card: &Card<M>,
        (polling, medium): (Polling, Medium),
        timeout: BusyTimeout,
    ) -> Option<Self>
    where
        M: AddressSpace + Default,
    {
        if polling == Polling::Exact || card.model().has_wave() {
            return None;
        }
        let way_timers = match timeout {
            BusyTimeout::None => &WAY_TIMERS[..],
            BusyTimeout::Some => &[],
        };
        let correcting = match medium {
            Medium::Flash => &CORRECTING[..],
            Medium::Memory => &[],
        };
        // A controller of a drive over memory may have flash channels that nothing uses.
        let mut but = [&TURNING[..], &CLOCKS, way_timers, correcting].concat();
        but.extend(PINS.iter().filter(|part| card.model().has_register(part)));
        Some(Self {
            watch: Watch::new(card.model(), &but),
            clocks: Clock::all(card.model(), &CLOCKS),
            reads: Vec::new(),
            before: Vec::new(),
            since: 0,
            next: None,
            until: None,
            ahead: 0,
            skipped: Skipped::default(),
        })
    }

    /// Cycles that have passed without the model.
    pub fn ahead(&self) -> u64 {
        self.ahead
    }

    /// Cycles that were never run.
    pub fn skipped(&self) -> Skipped {
        Rc::clone(&self.skipped)
    }

    /// Whether time passes without the model.
    #[inline]
    pub fn lasts(&self) -> bool {
        self.until.is_some()
    }

    /// Lets up to so many cycles pass without the model that is at cycle `at`. Returns how many did.
    pub fn pass(&mut self, at: u64, most: u64) -> u64 {
        let Some(until) = self.until else { return 0 };
        let passed = most.min(until - (at + self.ahead));
        self.ahead += passed;
        passed
    }

    /// The value of a register, if that is known and there is time to read it.
    pub fn read(&mut self, at: u64, address: u32) -> Option<u32> {
        let until = self.until?;
        let read = self.reads.iter().find(|read| read.address == address)?;
        if at + self.ahead + read.cycles > until {
            return None;
        }
        self.ahead += read.cycles;
        Some(read.value)
    }

    /// A register was read.
    pub fn has_read(&mut self, address: u32, value: u32, cycles: u64) {
        self.reads.push(Read { address, value, cycles });
    }

    /// A register was written.
    pub fn has_written(&mut self, at: u64) {
        self.since = at;
    }

    /// A turn of the main loop ends. The controller is at rest as far as its ports tell if `next` is there, the first
    /// cycle in which something comes from outside.
    pub fn end_pass<M>(&mut self, card: &Card<M>, pass: Pass, next: Option<u64>)
    where
        M: AddressSpace + Default,
    {
        if self.lasts() {
            return;
        }
        let is_same = pass == Pass::Idle && self.reads == self.before && !self.reads.is_empty();
        let now = card.cycles();
        // What came in this turn, such as a chip that turned ready, takes cycles to the first register that shows it.
        let has_come = std::mem::replace(&mut self.next, next) != next;
        match next {
            Some(next) if is_same && !has_come && !self.watch.has_changed(card.model()) => {
                if now - self.since >= TURN && next > now + WORTH {
                    self.until = Some(next);
                    return;
                }
            }
            _ => self.since = now,
        }
        std::mem::swap(&mut self.reads, &mut self.before);
        self.reads.clear();
    }

    /// Has the model run what it lacks.
    pub fn end<M>(&mut self, card: &mut Card<M>)
    where
        M: AddressSpace + Default,
    {
        self.until = None;
        let ahead = std::mem::take(&mut self.ahead);
        // The last cycle is run in any case: what depends on clocks follows them then.
        let skipped = ahead.saturating_sub(1) / TURN * TURN;
        card.skip(skipped, &self.clocks);
        (skipped..ahead).for_each(|_| card.cycle());
        self.skipped.set(self.skipped.get() + skipped);
        self.reads.clear();
        self.before.clear();
        self.since = card.cycles();
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Processor, RtlDrive};
    use super::*;
    use board::Board;
    use machine::Device;

    /// After so many times in which nothing changes, between accesses of the host, all registers hold what they do when
    /// each cycle is run, but for those that nothing depends on.
    #[test]
    fn registers_are_as_if_each_cycle_had_been_run() {
        let board = Board::resolve("small", &[]).expect("a board");
        let run = |polling| {
            let mut drive =
                RtlDrive::new(&board, (Processor::Beside, polling), 1).expect("a drive");
            for limit_us in [40, 33, 71] {
                drive.settle(limit_us * 1_000_000);
                drive.read32(0);
            }
            drive.seat().catch_up();
            let card = &drive.seat().card;
            let registers = card.model().registers().iter().zip(card.model().places());
            let held: Vec<_> = registers
                .filter(|((path, _), _)| {
                    ![".u_monitor.", ".u_search.", ".u_ages."]
                        .iter()
                        .any(|part| path.contains(part))
                })
                .map(|((path, _), place)| (*path, card.model().kept(place).to_vec()))
                .collect();
            (card.cycles(), held, drive.skipped().get())
        };
        let (exact, skipping) = (run(Polling::Exact), run(Polling::Skip));
        assert!(exact.2 == 0 && skipping.2 > 5000, "{} cycles skipped", skipping.2);
        assert_eq!(exact.0, skipping.0, "cycles");
        let pairs = exact.1.iter().zip(&skipping.1);
        let others: Vec<_> = pairs.filter(|(exact, skipping)| exact != skipping).collect();
        assert!(others.is_empty(), "{others:?}");
    }
}
