//! The chips of a channel that schedules: the drive's flash array, and the way between it and the buffer.
//!
//! What a page holds is settled when its array is read: its buffer entry belongs to the operation until
//! that has ended. So a chip may read ahead, or read several planes, whatever its registers hold then.

use channel::{Chips, PageRead, Place, Work};
use contract::packet::{PhaseFormat, Request, READ_LEVEL};
use contract::{BufferId, CommandTag, Duration, FlashOperation, Geometry, Instant, Span};
use machine::{FlashPhase, Observer, TimeSpan};
use nand::{Array, Work as ArrayWork, FOREVER};

use super::{Die, Slot};
use crate::data_path::{DataPath, MOST_IN_CHUNK};
use crate::ledger::Ledger;
use crate::log_memory::LogMemory;
use crate::media::Filled;
use crate::memory::{BufferMemory, Extent};

/// Most corrected bits that a response can tell.
const MOST_CORRECTED: u32 = 4095;

/// The chips of the `nth` channel, and what their pages pass through.
pub(super) struct FlashChips<'a, O> {
    /// The processor's time, or the channel's where that is behind. A channel may work ahead of the processor, and a page that
    /// it has then comes late: a DMA that is issued meanwhile goes before it to memory.
    pub now: u64,
    pub nth: usize,
    pub geometry: Geometry,
    pub format: PhaseFormat,
    pub way_requests: usize,
    pub array: &'a mut Array<Filled>,
    pub buffer: &'a mut BufferMemory,
    pub log: &'a mut LogMemory,
    pub dram: &'a mut Ledger,
    pub data_bus: &'a mut Ledger,
    pub solvers: &'a mut [Ledger],
    pub path: &'a DataPath,
    /// How long a chip is busy with a feature.
    pub feature: Duration,
    pub slots: &'a mut [Slot],
    pub dies: &'a mut [Die],
    pub observer: &'a mut O,
}

impl<O: Observer> FlashChips<'_, O> {
    fn die(&self, way: u8) -> u32 {
        u32::from(way) * self.geometry.channels + self.nth as u32
    }

    fn slot(&mut self, request: &Request) -> &mut Slot {
        let die = self.die(request.way) as usize;
        &mut self.slots[die * self.way_requests + usize::from(request.tag)]
    }

    /// The array works on requests from `at` on: the drive notes it. For how long a chip hangs is not known, and not
    /// noted.
    fn work(&mut self, operation: FlashOperation, place: &Place<'_>, length: u64) {
        let Some(first) = place.requests.first() else { return };
        let at = place.at.as_ps();
        let hangs = length == FOREVER.as_ps();
        if hangs {
            self.array.note_hung(self.die(place.way), at);
        }
        let length = if hangs { 0 } else { length };
        for request in place.requests {
            self.slot(request).ready = at + length;
        }
        let command = self.slot(first).command;
        let row = self.format.rows.contract_row(first.row);
        self.occupy(operation, (place.way, row, command), (at, length));
    }

    /// A chip is busy by itself for a length of time, from a moment on.
    fn occupy(
        &mut self,
        operation: FlashOperation,
        (way, row, command): (u8, u32, Option<CommandTag>),
        (at, length): (u64, u64),
    ) {
        let die = &mut self.dies[usize::from(way) * self.geometry.channels as usize + self.nth];
        // An array that reads ahead begins when it has given its last page away.
        let span = TimeSpan { start: at.max(die.array.1), end: (at + length).max(die.array.1) };
        die.busy += span.end - span.start;
        die.array = (span.start, span.end);
        die.until = die.until.max(span.end);
        let channel = self.nth as u8;
        self.observer.chip(FlashPhase { operation, channel, way, row, command, span });
    }

    /// When so many bytes of a page have passed between channel and buffer that have all time up to `at` for it.
    fn pass(&mut self, at: u64, length: u16) -> u64 {
        let (dram, bus) = self.path.passage(length.into());
        let in_dram = self.dram.book(self.now, at.saturating_sub(dram), dram);
        let on_bus = self.data_bus.book(self.now, at.saturating_sub(bus), bus);
        in_dram.max(on_bus).max(at)
    }
}

impl<O: Observer> Chips for FlashChips<'_, O> {
    fn read(&mut self, place: Place<'_>) -> Duration {
        let mut length = Duration::ZERO;
        self.array.tell(place.at.as_ps());
        for request in place.requests {
            let (die, row) = (self.die(place.way), self.format.rows.contract_row(request.row));
            length = length.max(self.array.read(die, row));
            let part @ Span { offset, .. } = self.format.part(request);
            let entry = BufferId(request.buffer.into());
            let extent = Extent::of(entry, part);
            let (into, metadata) = self.log.incoming(self.buffer, extent);
            let read = self.array.transfer_to((die, row), (offset, into), metadata);
            self.log.arrived(self.buffer, (extent, (die, row)));
            let solving = u64::from(read.chunks_with_errors) * self.path.solve_chunk;
            let slot = self.slot(request);
            slot.solving = solving;
            slot.read = PageRead {
                corrected_bits: read.corrected_bits.min(MOST_CORRECTED) as u16,
                most_bits: read.most_bits.min(MOST_IN_CHUNK) as u8,
                lost_chunks: u8::from(read.uncorrectable),
                erased: read.erased,
                ..PageRead::default()
            };
        }
        self.work(FlashOperation::ReadTrigger, &place, length.as_ps());
        length
    }

    fn program(&mut self, place: Place<'_>) -> Work {
        let at = place.at.as_ps();
        let (mut busy, mut failed, mut fetched) = (Duration::ZERO, 0, at);
        self.array.tell(at);
        for (nth, request) in place.requests.iter().enumerate() {
            // The page streams out of DRAM while it is on the bus.
            fetched = fetched.max(self.pass(at, request.length));
            let (die, row) = (self.die(place.way), self.format.rows.contract_row(request.row));
            let (metadata, page) = self.log.outgoing(self.buffer, BufferId(request.buffer.into()));
            let worked = self.array.program_from(die, row, metadata, page);
            busy = busy.max(worked.busy);
            failed |= u8::from(worked.failed) << nth;
        }
        let busy = place.taken(busy);
        let length = Duration::from_ps((fetched - at).saturating_add(busy.as_ps()));
        for request in place.requests.iter().filter(|_| busy != FOREVER) {
            let row = self.format.rows.contract_row(request.row);
            let until = at + length.as_ps();
            self.array.occupy(self.die(place.way), ArrayWork::Program { row }, (fetched, until));
        }
        self.work(FlashOperation::Program, &place, length.as_ps());
        Work { length, failed }
    }

    fn erase(&mut self, place: Place<'_>) -> Work {
        let (mut length, mut failed) = (Duration::ZERO, 0);
        for (nth, request) in place.requests.iter().enumerate() {
            let block = self.geometry.block_of(self.format.rows.contract_row(request.row));
            let worked = self.array.erase(self.die(place.way), block);
            if worked.busy != FOREVER {
                let times = (place.at.as_ps(), (place.at + worked.busy).as_ps());
                self.array.occupy(self.die(place.way), ArrayWork::Erase { block }, times);
            }
            length = length.max(worked.busy);
            failed |= u8::from(worked.failed) << nth;
        }
        self.work(FlashOperation::Erase, &place, length.as_ps());
        Work { length, failed }
    }

    fn set_feature(&mut self, place: Place<'_>) {
        let [request] = place.requests else { unreachable!("a feature is set by one request") };
        if request.column == u16::from(READ_LEVEL) {
            self.array.set_level(self.die(place.way), request.row as u8);
            // It is of no command, and its row is the level.
            let what = (place.way, self.format.rows.contract_row(request.row), None);
            self.occupy(FlashOperation::SetLevel, what, (place.at.as_ps(), self.feature.as_ps()));
        }
    }

    /// A page, or a part of one, that was on the bus until `at` goes to the buffer, and through the decoder.
    fn transfer(&mut self, _way: u8, at: Instant, request: &Request) -> PageRead {
        let end = at.as_ps();
        let arrived = self.pass(end, request.length);
        let solving = self.slot(request).solving;
        // The solver works while the page comes in; what it has left at the end delays the page.
        let solver = self.nth / self.path.channels_per_solver as usize;
        let solved = self.solvers[solver].book(self.now, end.saturating_sub(solving), solving);
        let decoded = solved.max(arrived) + self.path.decode_latency;
        let slot = self.slot(request);
        (slot.arrived, slot.decoded) = (arrived, decoded);
        slot.read
    }
}
