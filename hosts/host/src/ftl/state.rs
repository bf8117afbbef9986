//! What the FTL in the host keeps of its rooms, and small acts that all its steps share.

use std::collections::VecDeque;

use contract::{Cause, Part, Split};
use machine::CommandTimes;
use nvme::status::Status;

use super::collector::Collector;
use super::commands::{Command, Commands};
use super::front::Front;
use super::gaps::Gaps;
use super::journal::Journal;
use super::limiter::Limiter;
use super::lines::Lines;
use super::map::{Map, Where};
use super::ring::{Entry, Ring};
use super::shape::Shape;
use super::stripe::Stripe;
use super::writer::Writer;
use crate::memory::Memory;
use crate::queue::Ring as Doorbell;

/// The outside at one moment.
pub(crate) struct Port<'a, R> {
    /// Time in picoseconds.
    pub now: u64,
    /// Host memory.
    pub memory: &'a mut Memory,
    /// Rings a doorbell of the drive.
    pub ring: R,
}

/// What the drive did that the FTL cannot go on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// It completed a command that was not under way.
    Unknown {
        /// The queue of the completion.
        queue: u16,
        /// The identifier that it named.
        cid: u16,
    },
    /// It refused what is right.
    Refused {
        /// What was asked for.
        asked: &'static str,
        /// What it said.
        status: Status,
    },
}

/// Times that the host takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Costs {
    /// Of a request, or a command to the drive.
    pub(super) request_ps: u64,
    /// Of a block into the ring, or out of it.
    pub(super) block_ps: u64,
}

/// Places blocks of jobs on the chunks of a drive, and finds them again.
#[derive(Debug)]
pub struct HostFtl {
    pub(super) shape: Shape,
    pub(super) costs: Costs,
    /// Bytes of a block that stand for it in memory.
    pub(super) copied_bytes: usize,
    pub(super) map: Map,
    pub(super) lines: Lines,
    pub(super) limiter: Limiter,
    pub(super) front: Front,
    pub(super) commands: Commands,
    pub(super) ring: Ring,
    /// Where in host memory the blocks of the ring are.
    pub(super) ring_at: u64,
    pub(super) stripe: Stripe,
    pub(super) writer: Writer,
    pub(super) collector: Collector,
    /// Position in the ring up to which everything is to be written, though it fills no unit.
    pub(super) flush_to: u64,
    /// What of the ring outlives the power.
    pub(super) journal: Journal,
    /// What of the map the ring does not tell.
    pub(super) gaps: Gaps,
    /// Requests that wait until the ring is durable up to a position, in the order of positions.
    pub(super) unstored: VecDeque<(u64, u32)>,
    /// Flushes that wait for blocks of gaps to come into the ring.
    pub(super) flushes: VecDeque<u32>,
    /// Writes that wait for room, in the order in which they came.
    pub(super) writes: VecDeque<u32>,
    /// Reads that wait for a command.
    pub(super) reads: VecDeque<u32>,
    /// Doorbells that jobs have rung.
    pub(super) rung: Vec<Doorbell>,
    /// Requests that are done and not announced.
    pub(super) done: VecDeque<u32>,
    pub(super) is_closing: bool,
    /// Too many chunks went bad for what the drive promises to hold, or no line was left at the start.
    pub(super) is_read_only: bool,
    pub(super) broken: Option<Broken>,
    pub(super) counts: report::HostFtl,
}

impl HostFtl {
    /// The drive refused something that it cannot.
    pub(super) fn refused(&mut self, asked: &'static str, status: Status) {
        self.broken.get_or_insert(Broken::Refused { asked, status });
    }

    /// Lines that can be written.
    pub(super) fn free_lines(&self) -> u32 {
        self.lines.free() + self.writer.has_next_line()
    }

    /// Whether nothing can be written, and so nothing be collected.
    pub(super) fn has_no_line(&self) -> bool {
        self.free_lines() == 0 && self.stripe.line().is_none()
    }

    /// Good blocks without which too few lines would ever be free.
    pub(super) fn least_blocks(&self) -> u64 {
        let lines = Limiter::LEAST_LEFT * self.shape.line_blocks();
        self.map.blocks() + u64::from(lines) + self.shape.overhead_blocks()
    }

    /// The ring lets go of a block that is stored: it is read from the flash from now on.
    pub(super) fn release(&mut self, slot: u32, old: &Entry) {
        if old.origin.is_data() && self.map.find(old.lba) == Where::Buffer(slot) {
            self.map.put(old.lba, Where::Flash(old.place));
        }
    }

    /// What a block holds is needed no more.
    pub(super) fn forget(&mut self, lba: u32) {
        let place = match self.map.find(lba) {
            Where::Flash(place) => Some(place),
            Where::Buffer(slot) => self.ring.is_placed(slot).then(|| self.ring.entry(slot).place),
            Where::Nowhere | Where::Lost => None,
        };
        if let Some(place) = place {
            self.lines.of_mut(self.shape.line_of(place)).valid -= 1;
            self.collector.look_again();
        }
    }

    /// A request is done; its time was spent in the host.
    pub(super) fn finish(&mut self, number: u32, now: u64) {
        let request = self.front.request(number);
        let mut inside = Split::default();
        inside.add(Part::HostInterface, Cause::Host, now - request.came_ps);
        self.finish_with(number, inside, now);
    }

    /// A request is done with the end of a command.
    pub(super) fn finish_after(&mut self, number: u32, command: &Command, now: u64) {
        let request = self.front.request(number);
        let mut times = command.times;
        let mut inside = *times.split(command.sent_ps, now);
        inside.add(Part::HostInterface, Cause::Host, command.sent_ps - request.came_ps);
        self.finish_with(number, inside, now);
    }

    pub(super) fn finish_with(&mut self, number: u32, inside: Split, now: u64) {
        let request = self.front.request_mut(number);
        let fetched_ps = request.came_ps;
        request.times = CommandTimes { fetched_ps, posted_ps: now, inside, latencies_ps: [0, 0] };
        self.done.push_back(number);
    }
}
