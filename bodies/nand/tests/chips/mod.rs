//! Boards, priors and pages that the tests share.
#![allow(dead_code, reason = "each test uses a part")]

use board::Board;
use contract::Lpn;
use nand::{Array, PageMut, PageRef, Payload, Prior, Stamp, Transferred, Worked};

/// Bytes of a logical block.
pub const BLOCK_BYTES: usize = 1024;
/// Seed of what stamps expand into.
pub const PAYLOAD_SEED: u64 = 0x5eed;
pub const STAMPS: Payload = Payload::Stamps { block_bytes: BLOCK_BYTES as u32 };
pub const BYTES: Payload = Payload::Bytes { block_bytes: BLOCK_BYTES as u32, seed: PAYLOAD_SEED };
/// Logical blocks of a page.
pub const BLOCKS: usize = 4;
/// Usable pages of a block.
pub const PAGES: u32 = 8;
pub const DIES: u32 = 4;

/// 4 dies of 8 blocks of 8 pages of 4 KiB, without errors, and with some keys changed.
pub fn board(changes: &[(&str, &str)]) -> Board {
    let small = [
        ("geometry.page_bytes", "4096"),
        ("flash.spare_bytes", "1664"),
        ("geometry.blocks_per_way", "8"),
        ("flash.pages_per_physical_block", "16"),
        ("errors.raw_bits_per_terabit", "0"),
        ("errors.raw_bits_per_terabit_per_kilocycle", "0"),
    ];
    let all: Vec<_> =
        small.iter().chain(changes).map(|&(k, v)| (k.to_owned(), v.to_owned())).collect();
    Board::resolve("small", &all).unwrap()
}

/// Logical pages in turn on all dies, up to some row.
#[derive(Clone, Copy, Debug)]
pub struct Striped {
    pub rows: u32,
}

impl Prior for Striped {
    fn logical(&self, die: u32, row: u32) -> Option<Lpn> {
        (row < self.rows).then_some(Lpn(row * DIES + die))
    }
}

/// An array in either payload, driven by stamps.
pub struct Chips {
    pub array: Array<Striped>,
    payload: Payload,
}

impl Chips {
    pub fn new(board: &Board, payload: Payload, seed: u64) -> Self {
        Self { array: Array::new(board, payload, seed).unwrap(), payload }
    }

    pub fn program(&mut self, die: u32, row: u32, page: &Page) -> Worked {
        match self.payload {
            Payload::Stamps { .. } => {
                self.array.program(die, row, page.spare, PageRef::Stamps(&page.stamps))
            }
            Payload::Bytes { .. } => {
                let mut bytes = vec![0; BLOCKS * BLOCK_BYTES];
                for (block, stamp) in bytes.chunks_mut(BLOCK_BYTES).zip(page.stamps) {
                    stamp.fill(PAYLOAD_SEED, block);
                }
                self.array.program(die, row, page.spare, PageRef::Bytes(&bytes))
            }
        }
    }

    /// Reads a page; wrong bytes come as [`Stamp::CORRUPT`].
    pub fn read(&mut self, die: u32, row: u32) -> (Transferred, [Stamp; BLOCKS]) {
        self.array.read(die, row);
        let mut stamps = [Stamp::CORRUPT; BLOCKS];
        let transferred = match self.payload {
            Payload::Stamps { .. } => self.array.transfer(die, row, PageMut::Stamps(&mut stamps)),
            Payload::Bytes { .. } => {
                let mut bytes = vec![0xa5; BLOCKS * BLOCK_BYTES];
                let transferred = self.array.transfer(die, row, PageMut::Bytes(&mut bytes));
                for (block, stamp) in bytes.chunks(BLOCK_BYTES).zip(&mut stamps) {
                    *stamp = Stamp::of_bytes(PAYLOAD_SEED, block).unwrap_or(Stamp::CORRUPT);
                }
                transferred
            }
        };
        (transferred, stamps)
    }

    /// A block of the page that was read last on a die.
    pub fn part(&mut self, die: u32, row: u32, block: usize) -> (Transferred, Stamp) {
        let offset = (block * BLOCK_BYTES) as u32;
        match self.payload {
            Payload::Stamps { .. } => {
                let mut stamp = [Stamp::CORRUPT];
                let into = PageMut::Stamps(&mut stamp);
                (self.array.transfer_part(die, row, (offset, into)), stamp[0])
            }
            Payload::Bytes { .. } => {
                let mut bytes = [0xa5; BLOCK_BYTES];
                let into = PageMut::Bytes(&mut bytes);
                let transferred = self.array.transfer_part(die, row, (offset, into));
                let stamp = Stamp::of_bytes(PAYLOAD_SEED, &bytes).unwrap_or(Stamp::CORRUPT);
                (transferred, stamp)
            }
        }
    }
}

/// The logical page that a page names; the last number of all if it names none.
pub fn lpn(read: &Transferred) -> Lpn {
    let names = read.metadata.and_then(|metadata| metadata.lpns.iter().next());
    names.map_or(Lpn(u32::MAX), |(lpn, _)| lpn)
}

/// What is programmed into a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    pub spare: Lpn,
    pub stamps: [Stamp; BLOCKS],
}

impl Page {
    /// All blocks of a logical page in one version.
    pub fn regular(lpn: u32, version: u32) -> Self {
        let first = u64::from(lpn) * BLOCKS as u64;
        let stamps = std::array::from_fn(|block| Stamp::new(first + block as u64, version));
        Self { spare: Lpn(lpn), stamps }
    }

    /// What an erased page reads as.
    pub const ERASED: Page = Page { spare: Lpn(u32::MAX), stamps: [Stamp::ZERO; BLOCKS] };
}
