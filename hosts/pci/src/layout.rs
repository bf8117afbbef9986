//! What is where in BAR 0: registers, doorbells, MSI-X table and pending bits.

use contract::Configuration;
use nvme::register::offset;

/// Parts begin at a multiple of this, so that a client can trap one and not another.
const PART_BYTES: u64 = 4096;
/// Bytes of a queue's two doorbells, with CAP.DSTRD 0.
const DOORBELL_PAIR_BYTES: u64 = 8;
/// Bytes of an MSI-X table entry (PCI 3.0 section 6.8.2).
const TABLE_ENTRY_BYTES: u64 = 16;

/// Offsets in BAR 0, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarLayout {
    /// End of registers and doorbells, which begin at 0.
    pub registers_end: u64,
    /// Start of the MSI-X table.
    pub table: u64,
    /// Start of the pending bits.
    pub pending: u64,
    /// Bytes of the BAR, a power of two.
    pub size: u64,
    /// MSI-X vectors, 1 to 2,048.
    pub vectors: u32,
}

impl BarLayout {
    /// The layout of a drive with this configuration.
    pub fn new(config: &Configuration) -> Self {
        let vectors = u64::from(config.vectors);
        let registers_end =
            offset::DOORBELLS + (u64::from(config.io_queues) + 1) * DOORBELL_PAIR_BYTES;
        let table = registers_end.next_multiple_of(PART_BYTES);
        let pending = (table + vectors * TABLE_ENTRY_BYTES).next_multiple_of(PART_BYTES);
        let end = pending + vectors.div_ceil(64) * 8;
        let size = end.next_multiple_of(PART_BYTES).next_power_of_two();
        BarLayout { registers_end, table, pending, size, vectors: config.vectors }
    }

    /// Bytes of the MSI-X table.
    pub fn table_bytes(&self) -> u64 {
        u64::from(self.vectors) * TABLE_ENTRY_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use board::Board;

    fn layout(io_queues: u32, vectors: u32) -> BarLayout {
        let mut config = Board::resolve("small", &[]).unwrap().firmware;
        (config.io_queues, config.vectors) = (io_queues, vectors);
        BarLayout::new(&config)
    }

    #[test]
    fn parts_do_not_share_pages_and_the_bar_holds_them() {
        for (queues, vectors, table, pending, size) in [
            (16, 17, 0x2000, 0x3000, 0x4000),
            (511, 512, 0x2000, 0x4000, 0x8000),
            (512, 2048, 0x3000, 0xb000, 0x10000),
            (65_535, 1, 0x81000, 0x82000, 0x10_0000),
        ] {
            let found = layout(queues, vectors);
            assert_eq!((found.table, found.pending, found.size), (table, pending, size));
            assert!(found.registers_end <= found.table);
            assert!(found.table + found.table_bytes() <= found.pending);
        }
    }
}
