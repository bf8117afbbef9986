//! How the FTL comes to know its drive.

use board::Board;
use machine::Device;
use nvme::admin::Priority;
use nvme::open_channel::{ChunkDescriptor, ChunkState};

use super::collector::Collector;
use super::commands::Commands;
use super::front::Front;
use super::gaps;
use super::gaps::Gaps;
use super::journal::Journal;
use super::journal::Past;
use super::limiter::Limiter;
use super::lines::Lines;
use super::map::Map;
use super::recover::{recover, Flash, Recovered};
use super::ring::Ring;
use super::shape::Shape;
use super::shape::{LineId, Unit};
use super::state::Costs;
use super::state::HostFtl;
use super::stripe::Stripe;
use super::writer::Writer;
use crate::driver::{Driver, DriverError, QueueRequest, COMMAND_LIMIT_PS};
use crate::memory::Memory;
use crate::memory::PAGE_BYTES;
use crate::open_channel::{VectorEnd, VectorQueue, BLOCK_BYTES};
use crate::payload;
use crate::queue::QueuePair;
use machine::Payload;
use nvme::open_channel::VectorKind;
use nvme::open_channel::MOST_ADDRESSES;
use nvme::status::Status;
use std::collections::VecDeque;

/// Most entries of the queue to the drive.
const MOST_ENTRIES: u32 = 1024;

/// A drive as it was found.
#[derive(Debug)]
pub struct Found {
    shape: Shape,
    lines: Lines,
    spare_lines: u32,
    /// What was written before.
    recovered: Option<Recovered>,
}

/// What the FTL is made of beside.
#[derive(Debug)]
pub struct Start<'a> {
    /// The drive's board, for the times that its host takes.
    pub board: &'a Board,
    /// What stands for data.
    pub payload: Payload,
    /// Queues of jobs, identifiers from 1.
    pub front: &'a [QueuePair],
    /// How far doorbells are apart.
    pub stride: u8,
    /// The queue to the drive.
    pub back: QueuePair,
}

impl Found {
    /// Asks a drive what it has, and finds what was written to it before. Returns the queue to the drive, too, which was
    /// created for that.
    ///
    /// # Errors
    /// When a command fails, or the drive is none that this FTL can begin with.
    pub fn ask(
        (driver, device): (&mut Driver, &mut impl Device<Memory = Memory>),
        (block_bytes, payload): (u32, Payload),
        board: &Board,
    ) -> Result<(Self, QueuePair), DriverError> {
        if u64::from(block_bytes) != BLOCK_BYTES {
            return Err(DriverError::Unusable {
                field: "LBAF.LBADS",
                found: block_bytes.ilog2().into(),
                expected: "12, blocks of 4096 bytes, which the host's FTL writes",
            });
        }
        let shape = Shape::new(&driver.geometry(device)?)?;
        let chunks = driver.chunks(device, shape.chunks())?;
        driver.set_queue_count(device, 1)?;
        let entries = driver.queue_entries().min(MOST_ENTRIES);
        let vector = if board.firmware.vectors == 1 { 0 } else { 1 };
        let request = QueueRequest { id: 1, entries, vector, priority: Priority::Medium };
        device.memory().reserve(VectorQueue::memory_bytes(entries, 1));
        let queue = VectorQueue::create((driver, device), request, 1)?;
        let back = queue.pair();
        let [free, offline] = [ChunkState::Free, ChunkState::Offline].map(|state| state as u8);
        let is_good = |line, unit| chunks[shape.chunk_index(line, unit)].state != offline;
        let mut found = Found::of(shape, is_good, board.host.ftl_spare_percent);
        let used = chunks.iter().find(|chunk| chunk.state != free && chunk.state != offline);
        match (used, payload) {
            (None, _) => Ok((found, back)),
            (Some(chunk), Payload::Stamps { .. }) => Err(DriverError::Unusable {
                field: "CS",
                found: chunk.state.into(),
                expected: "1 or 8, a drive that was never written, or --payload=full: lists of the host's FTL are bytes",
            }),
            (Some(_), Payload::Bytes { .. }) => {
                let mut flash = Blocks { queue, device };
                found.look(&mut flash, &chunks)?;
                Ok((found, flash.queue.pair()))
            }
        }
    }

    /// Finds what was written to a drive with these chunks before.
    ///
    /// # Errors
    /// When a command fails, or what is found cannot be right.
    pub(super) fn look(
        &mut self,
        flash: &mut impl Flash,
        chunks: &[ChunkDescriptor],
    ) -> Result<(), DriverError> {
        self.recovered = recover(flash, (&self.shape, chunks), &mut self.lines)?;
        Ok(())
    }

    /// A drive whose chunks are free, where `is_good` says so, and of which so much is kept spare.
    pub(super) fn of(
        shape: Shape,
        is_good: impl Fn(LineId, Unit) -> bool,
        spare_percent: u32,
    ) -> Self {
        let lines = Lines::new(&shape, is_good);
        let spare_lines = Limiter::spare_lines(shape.lines, spare_percent);
        Found { shape, lines, spare_lines, recovered: None }
    }

    /// Logical blocks that jobs have.
    ///
    /// # Errors
    /// When there are none.
    pub fn blocks(&self) -> Result<u64, DriverError> {
        if let Some(Recovered { blocks, .. }) = self.recovered {
            return Ok(blocks);
        }
        let spare = u64::from(self.spare_lines) * u64::from(self.shape.line_blocks());
        let kept = spare + self.shape.overhead_blocks();
        // Of `EACH` blocks and one that speaks of them, all but one are for jobs.
        let left = self.lines.good_blocks().saturating_sub(kept);
        match left - left.div_ceil(gaps::EACH + 1) {
            blocks @ 1.. => Ok(blocks),
            _ => Err(DriverError::Unusable {
                field: "blocks of all chunks that are not offline",
                found: self.lines.good_blocks(),
                expected: "more than the host's FTL keeps spare",
            }),
        }
    }

    /// Host memory that the FTL takes for a queue of so many entries to the drive, beside all queues.
    pub fn memory_bytes(&self, entries: u32) -> u64 {
        let ring = u64::from(Ring::entries_for(&self.shape)) * PAGE_BYTES;
        Commands::memory_bytes(entries) + ring + Collector::MEMORY_BYTES
    }

    /// The FTL, in memory that was reserved.
    ///
    /// # Errors
    /// As [`Found::blocks`].
    pub fn start(self, start: &Start<'_>, memory: &mut Memory) -> Result<HostFtl, DriverError> {
        let blocks = self.blocks()?;
        let Found { shape, lines, spare_lines, recovered } = self;
        let (map, past) = match recovered {
            Some(Recovered { map, past, .. }) => (map, past),
            None => {
                let map = Map::new(blocks + gaps::blocks_for(blocks), shape.places());
                (map, Past::default())
            }
        };
        let ring = Ring::new(&shape);
        let front = Front::new(start.front, start.stride, blocks);
        let capacity = front.capacity();
        let costs = Costs {
            request_ps: start.board.host.ftl_request.as_ps(),
            block_ps: start.board.host.ftl_block.as_ps(),
        };
        let mut ftl = HostFtl {
            shape,
            costs,
            copied_bytes: payload::copied_bytes(start.payload),
            map,
            lines,
            limiter: Limiter::new((ring.len(), shape.write_blocks), spare_lines),
            front,
            commands: Commands::new(start.back, memory),
            ring_at: memory.allocate(u64::from(ring.len()) * PAGE_BYTES),
            ring,
            stripe: Stripe::new(&shape),
            writer: Writer::new(&shape),
            collector: Collector::new(memory),
            flush_to: 0,
            journal: Journal::new(&shape, blocks, past),
            gaps: Gaps::new(blocks),
            flushes: VecDeque::with_capacity(capacity),
            unstored: VecDeque::with_capacity(capacity),
            writes: VecDeque::with_capacity(capacity),
            reads: VecDeque::with_capacity(capacity),
            rung: Vec::with_capacity(capacity),
            done: VecDeque::with_capacity(capacity),
            is_closing: false,
            is_read_only: false,
            broken: None,
            counts: report::HostFtl::default(),
        };
        ftl.is_read_only = ftl.has_no_line() || ftl.lines.good_blocks() < ftl.least_blocks();
        Ok(ftl)
    }
}

/// The blocks of a drive, by a queue that has one command at a time.
struct Blocks<'a, D> {
    queue: VectorQueue,
    device: &'a mut D,
}

impl<D: Device<Memory = Memory>> Blocks<'_, D> {
    /// Sends a command and waits for its end: its status, and a bit for each address that it was not done for.
    fn execute(
        &mut self,
        kind: VectorKind,
        addresses: &[u64],
    ) -> Result<(Status, u64), DriverError> {
        self.queue.send(self.device, (0, kind), addresses, &[]);
        self.device.settle(COMMAND_LIMIT_PS);
        let ended = self.queue.receive(self.device);
        let VectorEnd { status, failed, .. } =
            ended.ok_or(DriverError::Silent { command: "a vector command" })?;
        let failed = match (status.is_success(), failed) {
            (true, _) => 0,
            // A command that names no block failed for all.
            (false, 0) => u64::MAX >> (MOST_ADDRESSES - addresses.len()),
            (false, failed) => failed,
        };
        Ok((status, failed))
    }
}

fn refused<T>(command: &'static str, status: Status) -> Result<T, DriverError> {
    Err(DriverError::Failed { command, status })
}

impl<D: Device<Memory = Memory>> Flash for Blocks<'_, D> {
    fn read(
        &mut self,
        addresses: &[u64],
        take: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), DriverError> {
        let (status, failed) = self.execute(VectorKind::Read, addresses)?;
        if !status.is_success() && !status.is(Status::UNRECOVERED_READ) {
            return refused("Vector Chunk Read", status);
        }
        for nth in (0..addresses.len()).filter(|nth| failed >> nth & 1 == 0) {
            let at = self.queue.data(0, nth);
            take(nth, self.device.memory().at(at, BLOCK_BYTES as usize));
        }
        Ok(())
    }

    fn fill(&mut self, addresses: &[u64]) -> Result<u64, DriverError> {
        for nth in 0..addresses.len() {
            let at = self.queue.data(0, nth);
            self.device.memory().at_mut(at, BLOCK_BYTES as usize).fill(0);
        }
        match self.execute(VectorKind::Write, addresses)? {
            (status, _) if status.is_success() => Ok(0),
            (status, failed)
                if status.is(Status::CHUNK_EARLY_CLOSE) || status.is(Status::WRITE_FAULT) =>
            {
                Ok(failed)
            }
            (status, _) => refused("Vector Chunk Write", status),
        }
    }

    fn reset(&mut self, address: u64) -> Result<bool, DriverError> {
        match self.execute(VectorKind::Reset, &[address])? {
            (status, _) if status.is_success() => Ok(true),
            (status, _) if status.is(Status::OFFLINE_CHUNK) => Ok(false),
            (status, _) => refused("Vector Chunk Reset", status),
        }
    }
}
