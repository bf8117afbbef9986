//! Requests of jobs: reads, writes, deallocations, flushes.

use nvme::io::UnitAccess;

use super::commands::Ended;
use super::commands::Purpose;
use super::front::{Request, What};
use super::map::Where;
use super::ring::Origin;
use super::state::Costs;
use super::state::{HostFtl, Port};
use crate::memory::PAGE_BYTES;
use crate::queue::Ring as Doorbell;
use nvme::open_channel::VectorKind;
use nvme::open_channel::MOST_ADDRESSES;
use nvme::status::Status;

/// Addresses and data pages of a command that is made.
struct List {
    addresses: [u64; MOST_ADDRESSES],
    pages: [u64; MOST_ADDRESSES],
    count: usize,
}

impl HostFtl {
    /// The first request of a lane, if there is one, is seen to once the host has worked for it.
    pub(super) fn set_due(&mut self, lane: usize, now: u64) {
        if let Some(number) = self.front.first(lane) {
            let cost = self.cost(self.front.request(number));
            self.front.set_due(lane, now + cost);
        }
    }

    /// How long the host works for a request.
    fn cost(&self, request: &Request) -> u64 {
        let Costs { request_ps, block_ps } = self.costs;
        let copied = match request.what {
            What::Write(_) => u64::from(request.blocks),
            What::Read => {
                let blocks = request.start..request.start + u64::from(request.blocks);
                let held = |&lba: &u64| matches!(self.map.find(lba as u32), Where::Buffer(_));
                blocks.filter(held).count() as u64
            }
            What::Flush | What::Trim | What::Refuse(_) => 0,
        };
        request_ps + copied * block_ps
    }

    /// The host has worked for a request.
    pub(super) fn serve(&mut self, port: &mut Port<'_, impl FnMut(Doorbell)>, number: u32) {
        let Request { what, start, blocks, .. } = *self.front.request(number);
        match what {
            What::Read => self.reads.push_back(number),
            What::Write(_) => self.writes.push_back(number),
            What::Flush => self.flush(number),
            What::Trim if self.is_read_only => {
                self.front.request_mut(number).status = Status::WRITE_TO_READ_ONLY;
                self.finish(number, port.now);
            }
            What::Trim => {
                for lba in start..start + u64::from(blocks) {
                    if self.map.find(lba as u32) != Where::Nowhere {
                        self.forget(lba as u32);
                        self.map.put(lba as u32, Where::Nowhere);
                        self.gaps.note(lba as u32);
                    }
                }
                self.finish(number, port.now);
            }
            What::Refuse(status) => {
                self.front.request_mut(number).status = status;
                self.finish(number, port.now);
            }
        }
    }

    /// Goes on with reads, as far as there are commands.
    pub(super) fn read_on(&mut self, port: &mut Port<'_, impl FnMut(Doorbell)>) {
        while let Some(&number) = self.reads.front() {
            if !self.read(port, number) {
                return;
            }
            self.reads.pop_front();
        }
    }

    /// Goes on with a read. False if it waits for a command.
    fn read(&mut self, port: &mut Port<'_, impl FnMut(Doorbell)>, number: u32) -> bool {
        loop {
            let request = self.front.request(number);
            if request.done == request.blocks {
                if request.outstanding == 0 {
                    self.finish(number, port.now);
                }
                return true;
            }
            if !self.commands.has_room() {
                return false;
            }
            let list = self.gather(port, number);
            if list.count > 0 {
                let purpose = (Purpose::Read { request: number }, VectorKind::Read);
                let (addresses, pages) = (&list.addresses[..list.count], &list.pages[..list.count]);
                let ring = self.commands.send((port.now, port.memory), purpose, addresses, pages);
                (port.ring)(ring);
                self.front.request_mut(number).outstanding += 1;
                self.counts.read_commands += 1;
                self.counts.flash_blocks += list.count as u64;
            }
        }
    }

    /// Goes through the blocks of a read until as many are on the flash as a command names. The others are seen to.
    fn gather(&mut self, port: &mut Port<'_, impl FnMut(Doorbell)>, number: u32) -> List {
        let (addresses, pages) = ([0; MOST_ADDRESSES], [0; MOST_ADDRESSES]);
        let mut list = List { addresses, pages, count: 0 };
        let request = *self.front.request(number);
        let bytes = self.copied_bytes;
        let mut nth = request.done;
        while nth < request.blocks && list.count < MOST_ADDRESSES {
            let page = request.page(port.memory, nth);
            match self.map.find((request.start + u64::from(nth)) as u32) {
                Where::Flash(place) => {
                    list.addresses[list.count] = self.shape.address(place);
                    list.pages[list.count] = page;
                    list.count += 1;
                }
                Where::Buffer(slot) => {
                    let from = self.ring_at + u64::from(slot) * PAGE_BYTES;
                    port.memory.copy(from, page, bytes);
                    self.counts.buffer_blocks += 1;
                }
                Where::Nowhere => port.memory.at_mut(page, bytes).fill(0),
                Where::Lost => {
                    self.front.request_mut(number).status = Status::UNRECOVERED_READ;
                }
            }
            nth += 1;
        }
        self.front.request_mut(number).done = nth;
        list
    }

    /// A command of a read has ended.
    pub(super) fn end_read(&mut self, now: u64, ended: &Ended, number: u32) {
        self.counts.read_times.record(now - ended.command.sent_ps);
        let request = self.front.request_mut(number);
        request.outstanding -= 1;
        if !ended.status.is_success() && request.status.is_success() {
            request.status = ended.status;
        }
        if request.outstanding == 0 && request.done == request.blocks {
            self.finish_after(number, &ended.command, now);
        }
    }

    /// Takes blocks of writes into the ring, as far as there is room and jobs may have it.
    pub(super) fn admit_writes(&mut self, port: &mut Port<'_, impl FnMut(Doorbell)>) {
        while let Some(&number) = self.writes.front() {
            let request = *self.front.request(number);
            let mut nth = request.done;
            while nth < request.blocks && self.may_come(Origin::User) {
                let lba = (request.start + u64::from(nth)) as u32;
                let to = self.push(port.memory, lba, Origin::User);
                let from = request.page(port.memory, nth);
                port.memory.copy(from, to, self.copied_bytes);
                nth += 1;
            }
            self.front.request_mut(number).done = nth;
            if nth < request.blocks {
                return;
            }
            self.writes.pop_front();
            match request.what {
                What::Write(UnitAccess::Forced) => self.store(number, port.now),
                _ => self.finish(number, port.now),
            }
        }
    }

    /// Whether a block of jobs, or of the collector, may come into the ring.
    pub(super) fn may_come(&self, origin: Origin) -> bool {
        let free = self.free_lines();
        let most = match origin {
            Origin::User => self.limiter.user_blocks(free),
            Origin::Collector => self.limiter.collector_blocks(free),
            Origin::Pad | Origin::List => return self.ring.has_room(),
        };
        self.ring.waiting(origin) < most && self.ring.has_room()
    }

    /// Ends writes of a drive that takes no more: too many of its chunks went bad.
    pub(super) fn refuse_writes(&mut self, now: u64) {
        if !self.is_read_only {
            return;
        }
        while let Some(number) = self.writes.pop_front() {
            self.front.request_mut(number).status = Status::WRITE_TO_READ_ONLY;
            self.finish(number, now);
        }
    }
}
