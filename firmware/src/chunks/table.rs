//! What the drive knows of each chunk (Open-Channel SSD 2.0 section 1.2.4).

use alloc::vec;
use alloc::vec::Vec;
use nvme::open_channel::ChunkState;

use super::address::Addresses;
use crate::nvme::backend::IoOutcome;

/// A chunk. Commands that were accepted count for what the host is told, and for the commands behind them; operations
/// that stand in the way's queue for what is done next.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Chunk {
    /// Free, open, closed or offline, as the log of chunks tells the host.
    pub state: ChunkState,
    /// Blocks that are written once all accepted commands are carried out.
    pub accepted: u32,
    /// Blocks that are written once all that stands in the way's queue is done.
    pub(super) planned: u32,
    /// A page of it could not be programmed: nothing more is until it is reset.
    pub(super) broken: bool,
    /// Resets that were accepted and do not stand in the way's queue yet.
    pub(super) resets: u16,
    /// Erases that were begun or wait.
    pub erases: u32,
}

/// All chunks.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Table {
    chunks: Vec<Chunk>,
    chunk_blocks: u32,
    units: u32,
    offline: u32,
    erases: u64,
}

impl Table {
    /// All of them free.
    pub fn new(addresses: &Addresses) -> Self {
        let free = Chunk {
            state: ChunkState::Free,
            accepted: 0,
            planned: 0,
            broken: false,
            resets: 0,
            erases: 0,
        };
        Table {
            chunks: vec![free; addresses.chunks() as usize],
            chunk_blocks: addresses.chunk_blocks(),
            units: addresses.units(),
            offline: 0,
            erases: 0,
        }
    }

    /// One of them.
    pub fn of(&self, chunk: u32) -> &Chunk {
        &self.chunks[chunk as usize]
    }

    fn of_mut(&mut self, chunk: u32) -> &mut Chunk {
        &mut self.chunks[chunk as usize]
    }

    /// All of them, by group, parallel unit and chunk.
    pub fn iter(&self) -> impl Iterator<Item = &Chunk> {
        self.chunks.iter()
    }

    /// Blocks that are written.
    pub fn written_blocks(&self) -> u64 {
        self.chunks.iter().map(|chunk| u64::from(chunk.accepted)).sum()
    }

    /// Chunks that are of no use.
    pub fn offline(&self) -> u32 {
        self.offline
    }

    /// Erases of all chunks.
    pub fn erases(&self) -> u64 {
        self.erases
    }

    /// A chunk is of no use any more.
    pub fn take_offline(&mut self, chunk: u32) {
        let own = self.of_mut(chunk);
        let was = core::mem::replace(&mut own.state, ChunkState::Offline);
        (own.accepted, own.planned, own.broken) = (0, 0, true);
        self.offline += u32::from(was != ChunkState::Offline);
    }

    /// Accepts the write of a block, which has to be the next of its chunk.
    pub fn accept_write(&mut self, chunk: u32, block: u32) -> Result<(), IoOutcome> {
        let end = self.chunk_blocks;
        let own = self.of_mut(chunk);
        let takes = matches!(own.state, ChunkState::Free | ChunkState::Open);
        if !takes || own.accepted != block {
            return Err(IoOutcome::OutOfOrder);
        }
        own.accepted += 1;
        own.state = if own.accepted == end { ChunkState::Closed } else { ChunkState::Open };
        Ok(())
    }

    /// The last write of a chunk that was accepted is none.
    pub fn take_back_write(&mut self, chunk: u32) {
        let own = self.of_mut(chunk);
        own.accepted -= 1;
        own.state = if own.accepted == 0 { ChunkState::Free } else { ChunkState::Open };
    }

    /// Whether the writes of a chunk that were accepted end with a page of it.
    pub fn ends_with_page(&self, chunk: u32) -> bool {
        self.of(chunk).accepted % self.units == 0
    }

    /// Accepts a reset. Returns the blocks that were written.
    pub fn accept_reset(&mut self, chunk: u32) -> Result<u32, IoOutcome> {
        let own = self.of_mut(chunk);
        match own.state {
            ChunkState::Offline => Err(IoOutcome::Offline),
            ChunkState::Free | ChunkState::Open => Err(IoOutcome::InvalidReset),
            ChunkState::Closed => {
                own.state = ChunkState::Free;
                own.resets += 1;
                Ok(core::mem::take(&mut own.accepted))
            }
        }
    }

    /// A reset that was accepted is none.
    pub fn take_back_reset(&mut self, chunk: u32, written: u32) {
        let own = self.of_mut(chunk);
        (own.state, own.accepted) = (ChunkState::Closed, written);
        own.resets -= 1;
    }

    /// Plans the program of the page whose first block this is. False if its chunk takes none.
    pub fn plan_write(&mut self, chunk: u32, block: u32) -> bool {
        let units = self.units;
        let own = self.of_mut(chunk);
        if own.broken {
            return false;
        }
        assert_eq!(
            own.planned, block,
            "writes are planned in the order in which they were accepted"
        );
        own.planned += units;
        true
    }

    /// Plans a reset that was accepted. False if the chunk went offline meanwhile.
    pub fn plan_reset(&mut self, chunk: u32) -> bool {
        let own = self.of_mut(chunk);
        own.resets -= 1;
        if own.state == ChunkState::Offline {
            return false;
        }
        (own.planned, own.broken) = (0, false);
        own.erases += 1;
        self.erases += 1;
        true
    }

    /// Whether a block is written once all that stands in the way's queue is done.
    pub fn is_planned(&self, chunk: u32, block: u32) -> bool {
        block < self.of(chunk).planned
    }

    /// A page of a chunk, and with it all behind, is not programmed. No reset of it stands in the way's queue.
    pub fn close_early(&mut self, chunk: u32, block: u32) {
        let own = self.of_mut(chunk);
        own.broken = true;
        own.planned = own.planned.min(block);
        if own.resets == 0 && own.state != ChunkState::Offline {
            (own.state, own.accepted) = (ChunkState::Closed, own.accepted.min(block));
        }
    }

    /// What was found of a chunk on the chips: so many blocks, and whether more can be written.
    pub fn found(&mut self, chunk: u32, (written, state): (u32, ChunkState), erases: u32) {
        let own = self.of_mut(chunk);
        (own.state, own.accepted, own.planned) = (state, written, written);
        own.broken = state == ChunkState::Closed;
        own.erases = erases;
        self.erases += u64::from(erases);
    }
}
