//! An FTL in the host, for drives that leave the placing of data to it (Open-Channel SSD 2.0), in the manner of pblk.
//!
//! Jobs use queues as those of a drive of logical blocks, which this serves in place of one ([`front`]). What they write
//! goes into a ring of blocks in host memory ([`ring`]) and is done; from there one write after the other goes to the drive
//! ([`writer`]), to the parallel units in turn ([`stripe`]), and never two at a time to the same. Reads are served out of the
//! ring, or by a command that names places of the flash ([`requests`]). What is not valid any more is collected a line at a
//! time ([`collector`], [`lines`]), and the ring is divided between jobs and collector by the lines that are free
//! ([`limiter`]). All of it is in memory; lists among the data ([`journal`], [`durable`]) and blocks that say what was
//! deallocated ([`gaps`]) are what another start finds it by ([`recover`]). See `docs/design/host-ftl.md`.

mod collect;
mod collector;
mod commands;
mod durable;
mod front;
mod gaps;
mod journal;
mod limiter;
mod lines;
mod list_form;
mod map;
mod recover;
mod requests;
mod ring;
mod shape;
mod start;
mod state;
mod stripe;
mod write;
mod writer;

use machine::CommandTimes;

use commands::{Ended, Purpose};
use map::Where;
use ring::Origin;

pub use start::{Found, Start};
pub(crate) use state::Port;
pub use state::{Broken, HostFtl};

use crate::memory::{Memory, PAGE_BYTES};
use crate::queue::Ring as Doorbell;

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
}

#[cfg(test)]
mod tests;
