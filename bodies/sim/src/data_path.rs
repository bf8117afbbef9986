//! How long data take between buffer and channels.

use board::{Bandwidth, Board};

/// Most wrong bits of a chunk that a response can tell.
pub(crate) const MOST_IN_CHUNK: u32 = u8::MAX as u32;

/// Times of the data path between buffer and channels, in picoseconds.
#[derive(Clone, Debug)]
pub(crate) struct DataPath {
    /// DRAM and its interconnect, the slower of the two.
    pub(crate) dram_ps_per_kib: u64,
    /// The bus to the channels.
    bus: Bandwidth,
    /// Bytes of a flash page, and of the metadata, which go with the last one of a page.
    page: u32,
    metadata: u32,
    pub(crate) decode_latency: u64,
    pub(crate) solve_chunk: u64,
    pub(crate) channels_per_solver: u32,
}

impl DataPath {
    pub(crate) fn new(board: &Board) -> Self {
        let memory = &board.memory;
        let dram_ps_per_kib = memory.dram.ps_per_kib().max(memory.interconnect.ps_per_kib());
        DataPath {
            dram_ps_per_kib,
            bus: memory.data_bus,
            page: board.firmware.flash_page_bytes(),
            metadata: board.ecc.metadata_bytes,
            decode_latency: board.ecc.decode_latency.as_ps()
                + memory.channel_bus.time_of(u64::from(board.ecc.chunk_bytes)).as_ps(),
            solve_chunk: board.ecc.solve_per_chunk.as_ps(),
            channels_per_solver: board.ecc.channels_per_solver,
        }
    }

    /// Time of so many bytes of a page on DRAM, and on the bus to the channels.
    #[inline]
    pub(crate) fn passage(&self, length: u32) -> (u64, u64) {
        let metadata = if length == self.page { self.metadata } else { 0 };
        let length = u64::from(length + metadata);
        ((length * self.dram_ps_per_kib).div_ceil(1024), self.bus.time_of(length).as_ps())
    }

    /// The same of a page.
    #[inline]
    pub(crate) fn page_passage(&self) -> (u64, u64) {
        self.passage(self.page)
    }
}
