//! What a chip is.

use contract::Duration;

use super::{Interface, RowLayout, Timing};

/// Everything about a chip that stays. Fields may be changed before a chip is made of it.
#[derive(Clone, Debug)]
pub struct Config {
    /// How data move.
    pub interface: Interface,
    /// What the pins are held to.
    pub timing: Timing,
    /// How rows are numbered.
    pub rows: RowLayout,
    /// Bytes of data of a page.
    pub data_bytes: usize,
    /// Bytes of the spare area of a page.
    pub spare_bytes: usize,
    /// Pages of a word line, programmed at one go with 1Ah; 1 if the chip does not know 1Ah.
    pub word_line_pages: u32,
    /// How long operations take.
    pub times: Times,
    /// How far single operations deviate; none by default.
    pub deviations: Deviations,
    /// What goes wrong by chance; nothing by default.
    pub errors: Errors,
    /// Decides what is drawn, with the number of the chip. Different drives should have different ones.
    pub seed: u64,
    /// The number of the chip among those of its seed. Its times are those of the die of that number in [`crate::Array`].
    pub die: u32,
    /// Who the chip says it is.
    pub identity: Identity,
    /// The volume that the chip is, for VOLUME SELECT.
    pub volume: u8,
}

/// How long a chip is busy, counted from the last cycle of the command. What is shorter than tWB
/// cannot be seen.
#[derive(Clone, Debug)]
pub struct Times {
    /// tR of a page: that of page `p` is entry `p` modulo their number, which is not zero.
    pub read: Vec<Duration>,
    /// tPROG of a page, likewise.
    pub program: Vec<Duration>,
    /// A word line at one go.
    pub program_word_line: Duration,
    /// tBERS.
    pub erase: Duration,
    /// tRCBSY, when the array is idle: from page register to cache register.
    pub read_cache: Duration,
    /// tPCBSY, likewise: from cache register to page register.
    pub program_cache: Duration,
    /// Per mille of its time that a program takes whose successor comes in cache mode: tPCBSY of an array at work.
    pub cached_program_permille: u32,
    /// tPLRBSY.
    pub read_plane: Duration,
    /// tPLPBSY; also between the pages of a word line.
    pub program_plane: Duration,
    /// tPLEBSY.
    pub erase_plane: Duration,
    /// tFEAT.
    pub feature: Duration,
    /// tRST of an idle chip, or one that reads.
    pub reset: Duration,
    /// tRST within a program.
    pub reset_program: Duration,
    /// tRST within an erase.
    pub reset_erase: Duration,
}

/// The most by which single operations deviate from their times, either way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deviations {
    /// Of tR.
    pub read: Duration,
    /// Of tPROG.
    pub program: Duration,
    /// Of tBERS.
    pub erase: Duration,
    /// All of one chip, alike.
    pub die: Duration,
}

/// What goes wrong by chance.
#[derive(Clone, Copy, Debug, Default)]
pub struct Errors {
    /// Wrong bits of a page that is read: a thousandth of the mean of a Poisson distribution.
    pub wrong_bits_per_1000_pages: u32,
    /// Wrong bits at a read level, in percent of those at the level before it (feature 89h).
    pub retry_percent: u8,
    /// Programs of a page that fail.
    pub program_failures_per_billion: u32,
    /// Erases of a block that fail.
    pub erase_failures_per_billion: u32,
    /// Blocks that are bad from the factory. They read as zeros; programs and erases fail.
    pub factory_bad_per_million: u32,
}

/// Who a chip says it is.
#[derive(Clone, Debug)]
pub struct Identity {
    /// READ ID of address 00h.
    pub id: [u8; 8],
    /// Device manufacturer of the parameter page, at most 12 characters.
    pub manufacturer: String,
    /// Device model, at most 20 characters.
    pub model: String,
    /// Bits that a cell holds, which byte 102 of the parameter page tells: 3 for TLC.
    pub cell_bits: u8,
    /// The unique ID.
    pub unique: [u8; 16],
}

impl Config {
    /// A small chip, for tests: 2 LUNs of 2 planes, 16 blocks of 24 pages each, a page of 2,048
    /// and 128 bytes, word lines of three pages. It is as fast as `timing`; the array takes times
    /// that are typical but for their size.
    pub fn small(interface: Interface, timing: Timing) -> Self {
        Self {
            interface,
            timing,
            rows: RowLayout {
                page_bits: 5,
                pages: 24,
                block_bits: 4,
                blocks: 16,
                plane_bits: 1,
                luns: 2,
                cycles: 3,
            },
            data_bytes: 2048,
            spare_bytes: 128,
            word_line_pages: 3,
            times: Times {
                read: vec![Duration::from_us(5)],
                program: vec![Duration::from_us(20)],
                program_word_line: Duration::from_us(50),
                erase: Duration::from_us(50),
                read_cache: Duration::from_us(1),
                program_cache: Duration::from_us(1),
                cached_program_permille: 1000,
                read_plane: Duration::from_ns(500),
                program_plane: Duration::from_ns(500),
                erase_plane: Duration::from_ns(500),
                feature: Duration::from_us(1),
                reset: Duration::from_us(5),
                reset_program: Duration::from_us(10),
                reset_erase: Duration::from_us(20),
            },
            deviations: Deviations::default(),
            errors: Errors::default(),
            seed: 0,
            die: 0,
            identity: Identity {
                id: [0x7f, 0xa5, 0x00, 0x11, 0x22, 0x33, 0x44, 0x55],
                manufacturer: "FIRMAMENT".to_string(),
                model: "GOLDEN CHIP".to_string(),
                cell_bits: 3,
                unique: *b"golden chip no 1",
            },
            volume: 0,
        }
    }

    /// Bytes of a page, the spare area included.
    pub fn page_bytes(&self) -> usize {
        self.data_bytes + self.spare_bytes
    }
}
