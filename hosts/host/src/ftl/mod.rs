//! An FTL in the host, for drives that leave the placing of data to it (Open-Channel SSD 2.0), in the manner of pblk.
//!
//! Jobs use queues as those of a drive of logical blocks, which this serves in place of one ([`front`]). What they write
//! goes into a ring of blocks in host memory ([`ring`]) and is done; from there one write after the other goes to the drive
//! ([`writer`]), to the parallel units in turn ([`stripe`]), and never two at a time to the same. Reads are served out of the
//! ring, or by a command that names places of the flash ([`requests`]). What is not valid any more is collected a line at a
//! time ([`collector`], [`lines`]), and the ring is divided between jobs and collector by the lines that are free
//! ([`limiter`]). All of it is in memory; lists among the data ([`journal`], [`durable`]) and blocks that say what was
//! deallocated ([`gaps`]) are what another start finds it by ([`recover`]). See `docs/design/host-ftl.md`.

mod collector;
mod commands;
mod durable;
mod front;
mod gaps;
mod journal;
mod limiter;
mod lines;
mod map;
mod recover;
mod requests;
mod ring;
mod shape;
mod start;
mod stripe;
mod writer;

use std::collections::VecDeque;

use contract::{Cause, Part, Split};
use machine::{CommandTimes, Payload};
use nvme::open_channel::{VectorKind, MOST_ADDRESSES};
use nvme::status::Status;

use collector::Collector;
use commands::{Command, Commands, Ended, Purpose};
use front::Front;
use gaps::Gaps;
use journal::Journal;
use limiter::Limiter;
use lines::Lines;
use map::{Map, Where};
use ring::{Entry, Origin, Ring};
use shape::Shape;
use stripe::Stripe;
use writer::Writer;

pub use start::{Found, Start};

use crate::memory::{Memory, PAGE_BYTES};
use crate::payload;
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
struct Costs {
    /// Of a request, or a command to the drive.
    request_ps: u64,
    /// Of a block into the ring, or out of it.
    block_ps: u64,
}

/// Places blocks of jobs on the chunks of a drive, and finds them again.
#[derive(Debug)]
pub struct HostFtl {
    shape: Shape,
    costs: Costs,
    /// Bytes of a block that stand for it in memory.
    copied_bytes: usize,
    map: Map,
    lines: Lines,
    limiter: Limiter,
    front: Front,
    commands: Commands,
    ring: Ring,
    /// Where in host memory the blocks of the ring are.
    ring_at: u64,
    stripe: Stripe,
    writer: Writer,
    collector: Collector,
    /// Position in the ring up to which everything is to be written, though it fills no unit.
    flush_to: u64,
    /// What of the ring outlives the power.
    journal: Journal,
    /// What of the map the ring does not tell.
    gaps: Gaps,
    /// Requests that wait until the ring is durable up to a position, in the order of positions.
    unstored: VecDeque<(u64, u32)>,
    /// Flushes that wait for blocks of gaps to come into the ring.
    flushes: VecDeque<u32>,
    /// Writes that wait for room, in the order in which they came.
    writes: VecDeque<u32>,
    /// Reads that wait for a command.
    reads: VecDeque<u32>,
    /// Doorbells that jobs have rung.
    rung: Vec<Doorbell>,
    /// Requests that are done and not announced.
    done: VecDeque<u32>,
    is_closing: bool,
    /// Too many chunks went bad for what the drive promises to hold, or no line was left at the start.
    is_read_only: bool,
    broken: Option<Broken>,
    counts: report::HostFtl,
}

impl HostFtl {
    /// Counters so far.
    pub fn counts(&self) -> &report::HostFtl {
        &self.counts
    }

    /// What the drive did that the FTL cannot go on with.
    pub fn broken(&self) -> Option<Broken> {
        self.broken
    }

    /// Makes everything durable that was written, and collects no more than that takes from now on.
    pub fn close(&mut self) {
        self.is_closing = true;
    }

    /// Whether nothing is under way, and everything is stored.
    pub fn is_idle(&self) -> bool {
        self.commands.outstanding() == 0
            && self.ring.synced() == self.ring.head()
            && self.journal.listed() >= self.ring.data_end()
            && self.gaps.is_clean()
            && self.collector.is_idle()
    }

    /// When something is to be done without an interrupt.
    pub fn next_ps(&self) -> u64 {
        self.front.due().1.min(self.writer.due_ps())
    }

    /// A job rings the doorbell of one of its queues.
    pub fn rung(&mut self, ring: Doorbell) {
        self.rung.push(ring);
    }

    /// Takes the requests that doorbells have announced.
    pub fn take_rung(&mut self, now: u64, memory: &Memory) {
        for nth in 0..self.rung.len() {
            if let Some(lane) = self.front.ring((now, memory), self.rung[nth]) {
                self.set_due(lane, now);
            }
        }
        self.rung.clear();
    }

    /// Whether a request is done that was not announced.
    pub fn has_done(&self) -> bool {
        !self.done.is_empty()
    }

    /// Takes what the drive has done.
    pub(crate) fn receive(&mut self, port: &mut Port<'_, impl FnMut(Doorbell)>) {
        let mut received = false;
        loop {
            match self.commands.receive(port.memory) {
                Ok(Some(ended)) => {
                    received = true;
                    self.end(port, &ended);
                }
                Ok(None) => break,
                Err(commands::Unknown { cid }) => {
                    let queue = self.commands.queue();
                    self.broken.get_or_insert(Broken::Unknown { queue, cid });
                    break;
                }
            }
        }
        if received {
            (port.ring)(self.commands.ring_head());
            self.advance(port);
        }
    }

    /// Notes where the time of a command went, before its completion is taken.
    pub fn set_times(&mut self, queue: u16, cid: u16, times: &CommandTimes) {
        if queue == self.commands.queue() {
            self.commands.set_times(cid, times);
        }
    }

    /// Does what is due now.
    pub(crate) fn act(&mut self, port: &mut Port<'_, impl FnMut(Doorbell)>) {
        loop {
            let (lane, due_ps) = self.front.due();
            if due_ps <= port.now {
                let request = self.front.take(lane);
                self.serve(port, request);
                self.set_due(lane, port.now);
            } else if self.writer.due_ps() <= port.now {
                self.writer.prepared();
            } else {
                break;
            }
            self.advance(port);
        }
        if self.is_closing {
            self.want_all(port);
            self.advance(port);
        }
    }

    /// The next request that is done: its lane, its identifier, and where its time went. Its completion is in its queue.
    pub fn next_done(&mut self, memory: &mut Memory) -> Option<(usize, u16, CommandTimes)> {
        let number = self.done.pop_front()?;
        self.front.post(memory, number);
        let request = self.front.request(number);
        Some((usize::from(request.lane), request.cid, request.times))
    }

    /// Goes on with whatever can.
    fn advance(&mut self, port: &mut Port<'_, impl FnMut(Doorbell)>) {
        self.read_on(port);
        self.collect(port);
        self.push_gaps(port);
        self.refuse_writes(port.now);
        self.admit_writes(port);
        self.write_on(port);
    }

    /// A command to the drive has ended.
    fn end(&mut self, port: &mut Port<'_, impl FnMut(Doorbell)>, ended: &Ended) {
        match ended.command.purpose {
            Purpose::Write { unit, place } => self.end_write(port.now, ended, (unit, place)),
            Purpose::Read { request } => self.end_read(port.now, ended, request),
            Purpose::Collect { buffer } => self.end_collect(ended, buffer),
            Purpose::Reset { line, unit } => self.end_reset(ended, (line, unit)),
        }
    }

    /// The drive refused something that it cannot.
    fn refused(&mut self, asked: &'static str, status: Status) {
        self.broken.get_or_insert(Broken::Refused { asked, status });
    }

    /// Lines that can be written.
    fn free_lines(&self) -> u32 {
        self.lines.free() + self.writer.has_next_line()
    }

    /// Whether nothing can be written, and so nothing be collected.
    fn has_no_line(&self) -> bool {
        self.free_lines() == 0 && self.stripe.line().is_none()
    }

    /// Good blocks without which too few lines would ever be free.
    fn least_blocks(&self) -> u64 {
        let lines = Limiter::LEAST_LEFT * self.shape.line_blocks();
        self.map.blocks() + u64::from(lines) + self.shape.overhead_blocks()
    }

    /// A block comes into the ring. Its data are put at the address that is returned.
    fn push(&mut self, memory: &mut Memory, lba: u32, origin: Origin) -> u64 {
        let (slot, old) = self.ring.push(lba, origin);
        if let Some(old) = old {
            self.release(slot, &old);
        }
        match origin {
            Origin::User => self.counts.user_blocks += 1,
            Origin::Collector => self.counts.collector_blocks += 1,
            Origin::Pad => self.counts.pad_blocks += 1,
            Origin::List => unreachable!("lists have a way of their own"),
        }
        if origin.is_data() {
            self.forget(lba);
            self.map.put(lba, Where::Buffer(slot));
        }
        if !self.ring.is_partial() {
            self.push_list(memory);
        }
        self.ring_at + u64::from(slot) * PAGE_BYTES
    }

    /// The ring lets go of a block that is stored: it is read from the flash from now on.
    fn release(&mut self, slot: u32, old: &Entry) {
        if old.origin.is_data() && self.map.find(old.lba) == Where::Buffer(slot) {
            self.map.put(old.lba, Where::Flash(old.place));
        }
    }

    /// What a block holds is needed no more.
    fn forget(&mut self, lba: u32) {
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
    fn finish(&mut self, number: u32, now: u64) {
        let request = self.front.request(number);
        let mut inside = Split::default();
        inside.add(Part::HostInterface, Cause::Host, now - request.came_ps);
        self.finish_with(number, inside, now);
    }

    /// A request is done with the end of a command.
    fn finish_after(&mut self, number: u32, command: &Command, now: u64) {
        let request = self.front.request(number);
        let mut times = command.times;
        let mut inside = *times.split(command.sent_ps, now);
        inside.add(Part::HostInterface, Cause::Host, command.sent_ps - request.came_ps);
        self.finish_with(number, inside, now);
    }

    fn finish_with(&mut self, number: u32, inside: Split, now: u64) {
        let request = self.front.request_mut(number);
        let fetched_ps = request.came_ps;
        request.times = CommandTimes { fetched_ps, posted_ps: now, inside, latencies_ps: [0, 0] };
        self.done.push_back(number);
    }
}

#[cfg(test)]
mod tests;
