//! How the FTL comes to know its drive.

use board::Board;

use super::shape::{LineId, Unit};
use super::*;
use crate::device::Device;
use crate::driver::{Driver, DriverError};
use crate::open_channel::BLOCK_BYTES;
use crate::queue::QueuePair;
use nvme::open_channel::ChunkState;

/// A drive as it was found.
#[derive(Debug)]
pub struct Found {
    shape: Shape,
    lines: Lines,
    spare_lines: u32,
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
    /// Asks a drive what it has.
    ///
    /// # Errors
    /// When a command fails, or the drive is none that this FTL can begin with.
    pub fn ask(
        (driver, device): (&mut Driver, &mut impl Device),
        block_bytes: u32,
        board: &Board,
    ) -> Result<Self, DriverError> {
        if u64::from(block_bytes) != BLOCK_BYTES {
            return Err(DriverError::Unusable {
                field: "LBAF.LBADS",
                found: block_bytes.ilog2().into(),
                expected: "12, blocks of 4096 bytes, which the host's FTL writes",
            });
        }
        let shape = Shape::new(&driver.geometry(device)?)?;
        let chunks = driver.chunks(device, shape.chunks())?;
        let [free, offline] = [ChunkState::Free, ChunkState::Offline].map(|state| state as u8);
        if let Some(other) =
            chunks.iter().find(|chunk| chunk.state != free && chunk.state != offline)
        {
            return Err(DriverError::Unusable {
                field: "CS",
                found: other.state.into(),
                expected: "1 or 8, a drive that was never written, as the host's FTL keeps its map in memory alone",
            });
        }
        let is_good = |line, unit| chunks[shape.chunk_index(line, unit)].state == free;
        Ok(Found::of(shape, is_good, board.host.ftl_spare_percent))
    }

    /// A drive whose chunks are free, where `is_good` says so, and of which so much is kept spare.
    pub(super) fn of(
        shape: Shape,
        is_good: impl Fn(LineId, Unit) -> bool,
        spare_percent: u32,
    ) -> Self {
        let lines = Lines::new(&shape, is_good);
        Found { shape, lines, spare_lines: Limiter::spare_lines(shape.lines, spare_percent) }
    }

    /// Logical blocks that jobs have.
    ///
    /// # Errors
    /// When there are none.
    pub fn blocks(&self) -> Result<u64, DriverError> {
        let spare = u64::from(self.spare_lines) * u64::from(self.shape.line_blocks());
        match self.lines.good_blocks().checked_sub(spare) {
            Some(blocks @ 1..) => Ok(blocks),
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
        let Found { shape, lines, spare_lines } = self;
        let ring = Ring::new(&shape);
        let front = Front::new(start.front, start.stride, blocks);
        let capacity = front.capacity();
        let costs = Costs {
            request_ps: start.board.host.ftl_request.as_ps(),
            block_ps: start.board.host.ftl_block.as_ps(),
        };
        Ok(HostFtl {
            shape,
            costs,
            copied_bytes: payload::copied_bytes(start.payload),
            map: Map::new(blocks, shape.places()),
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
            unstored: VecDeque::with_capacity(capacity),
            writes: VecDeque::with_capacity(capacity),
            reads: VecDeque::with_capacity(capacity),
            rung: Vec::with_capacity(capacity),
            done: VecDeque::with_capacity(capacity),
            is_closing: false,
            is_read_only: false,
            broken: None,
            counts: Counts::default(),
        })
    }
}
