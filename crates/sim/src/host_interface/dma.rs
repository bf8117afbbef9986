//! Host DMA engine: walks PRPs, moves 4 KiB units over the link.

use std::collections::VecDeque;

use contract::{CommandTag, DmaDirection, DmaMemory, DmaProgress, DmaRequest, Duration};
use nvme::prp::{Segment, Transfer};

use super::HostInterface;
use crate::ledger::Ledger;
use crate::memory::{BufferMemory, Extent, HostMemory};
use crate::observe::TimeSpan;
use crate::NEVER;

/// Bytes of a DMA unit (Cosmos+ section 3.1).
const UNIT_BYTES: u32 = 4096;

/// One direction of the engine.
#[derive(Debug)]
pub(super) struct Engine {
    ps_per_kib: u64,
    unit_overhead: u64,
    latency: u64,
    free: u64,
    /// When the requests under way end, in order.
    ends: VecDeque<u64>,
    last_end: u64,
    finished: u32,
}

impl Engine {
    pub(super) fn new(host: &board::HostInterface, latency: Duration, requests: u32) -> Self {
        Engine {
            ps_per_kib: host.link.ps_per_kib().max(host.bus.ps_per_kib()),
            unit_overhead: host.dma_unit_overhead.as_ps(),
            latency: latency.as_ps(),
            free: 0,
            ends: VecDeque::with_capacity(requests as usize),
            last_end: 0,
            finished: 0,
        }
    }

    /// Takes a request of `length` bytes; returns when its data begin and end to move.
    fn begin(&mut self, now: u64, length: u32) -> (u64, u64) {
        let start = now.max(self.free);
        let units = u64::from(length.div_ceil(UNIT_BYTES));
        let moving = (u64::from(length) * self.ps_per_kib).div_ceil(1024);
        self.free = start + units * self.unit_overhead + moving;
        (start, self.free)
    }

    fn end(&mut self, at: u64) {
        self.last_end = self.last_end.max(at + self.latency);
        self.ends.push_back(self.last_end);
    }

    fn finished(&mut self, now: u64) -> u32 {
        while self.ends.front().is_some_and(|&end| end <= now) {
            self.ends.pop_front();
            self.finished = self.finished.wrapping_add(1);
        }
        self.finished
    }

    pub(super) fn change(&self) -> u64 {
        self.ends.front().copied().unwrap_or(NEVER)
    }
}

/// What the engine moves data between.
pub(crate) struct DmaContext<'a, M> {
    /// Host memory.
    pub host: &'a mut M,
    /// The data buffer.
    pub buffer: &'a mut BufferMemory,
    /// The control page.
    pub control: &'a mut [u8; 4096],
    /// The bus to DRAM.
    pub dram: &'a mut Ledger,
    /// Picoseconds a KiB of it.
    pub dram_ps_per_kib: u64,
    /// Where segments are listed; empty between requests.
    pub segments: &'a mut Vec<Segment>,
}

impl HostInterface {
    /// Takes a DMA request. The data move at once: the buffer entry is the request's until its end
    /// is seen, and the host may not touch its memory either. Returns when the link carries them.
    pub(crate) fn issue_dma<M: HostMemory>(
        &mut self,
        now: u64,
        request: DmaRequest,
        context: DmaContext<'_, M>,
    ) -> TimeSpan {
        let engine = match request.direction {
            DmaDirection::FromHost => &mut self.from_host,
            DmaDirection::ToHost => &mut self.to_host,
        };
        let (start, end) = engine.begin(now, request.length);
        let dram = (u64::from(request.length) * context.dram_ps_per_kib).div_ceil(1024);
        engine.end(end.max(context.dram.book(now, start, dram)));
        let moved = match self.data_of(request.tag) {
            Some(data) => {
                let length = request.command_length;
                move_data(Transfer { data, length, page_bytes: UNIT_BYTES }, request, context)
            }
            // Nothing comes from a host that reset the controller, and whoever waits has to know.
            None => request.direction == DmaDirection::ToHost,
        };
        if !moved {
            let slot = &mut self.slots[usize::from(request.tag.0)];
            self.faults += u32::from(!std::mem::replace(&mut slot.fault, true));
        }
        TimeSpan { start, end }
    }

    pub(crate) fn dma_progress(&mut self, now: u64) -> DmaProgress {
        DmaProgress {
            from_host: self.from_host.finished(now),
            to_host: self.to_host.finished(now),
            fault: self.faults > 0,
        }
    }

    pub(crate) fn dma_fault(&self, tag: CommandTag) -> bool {
        self.slots[usize::from(tag.0)].fault
    }
}

/// Moves the bytes of a request. False when an address or a PRP entry was bad.
fn move_data<M: HostMemory>(
    transfer: Transfer,
    request: DmaRequest,
    context: DmaContext<'_, M>,
) -> bool {
    let DmaContext { host, buffer, control, segments, .. } = context;
    segments.clear();
    let range = request.host_offset..request.host_offset + request.length;
    let read = |address| {
        let mut entry = [0; 8];
        host.read(address, &mut entry).then(|| u64::from_le_bytes(entry))
    };
    for segment in transfer.segments_of(range, read) {
        let Ok(segment) = segment else { return false };
        segments.push(segment);
    }
    match (request.memory, request.direction) {
        (DmaMemory::Buffer { entry, offset }, direction) => {
            let extent = Extent { entry, offset, length: request.length };
            match direction {
                DmaDirection::ToHost => buffer.send(extent, segments, host),
                DmaDirection::FromHost => buffer.receive(extent, segments, host),
            }
        }
        (DmaMemory::Control, direction) => {
            let mut bytes = &mut control[..request.length as usize];
            segments.iter().all(|segment| {
                let (now, rest) = std::mem::take(&mut bytes).split_at_mut(segment.length as usize);
                bytes = rest;
                match direction {
                    DmaDirection::ToHost => host.write(segment.address, now),
                    DmaDirection::FromHost => host.read(segment.address, now),
                }
            })
        }
    }
}
