//! The chips of a board.

use contract::{Duration, Programming};

use crate::fold::Fold;
use crate::word_lines::{Pairing, WordLines, MOST_CELL_BITS};

/// How many bits each cell holds, which are the pages of a word line. Cells that could hold more leave the others unused
/// (Cosmos+ section 6.1: SLC mode of an MLC chip).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellMode {
    /// One bit: LSB pages.
    Slc,
    /// Two bits: LSB and MSB pages.
    Mlc,
    /// Three bits: LSB, CSB and MSB pages.
    Tlc,
    /// Four bits: LSB, CSB, MSB and TSB pages.
    Qlc,
}

/// Flash chips (Cosmos+ Table 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flash {
    /// Bits of a cell that are used.
    pub cell_mode: CellMode,
    /// Bits that the chips' cells can hold, at least as many.
    pub cell_bits: u32,
    /// In which order the pages of word lines come.
    pub pairing: Pairing,
    /// What a program is about: a flash page or a word line, of each plane that acts with others.
    pub programming: Programming,
    /// Planes that are programmed and erased together where the firmware schedules, so that it sees one of them.
    pub fold: Fold,
    /// Data bytes of a flash page.
    pub page_bytes: u32,
    /// Pages of a physical block of all types that its cells can hold; the usable ones are in the firmware's geometry.
    pub pages_per_physical_block: u32,
    /// Spare bytes of a page, beyond its data.
    pub spare_bytes: u32,
    /// Array read, by page type, the lower page first; zero for types that the cell mode does not have.
    pub t_read: [Duration; MOST_CELL_BITS],
    /// Program, indexed as `t_read`; of word lines that are programmed as a whole, by pass.
    pub t_program: [Duration; MOST_CELL_BITS],
    /// Block erase.
    pub t_erase: Duration,
    /// Largest deviation of one read from its die's mean, either way.
    pub read_deviation: Duration,
    /// Largest deviation of one program from its die's mean, either way.
    pub program_deviation: Duration,
    /// Largest deviation of one erase from its die's mean, either way.
    pub erase_deviation: Duration,
    /// Largest deviation of a die's mean from the board's, either way; constant for a die.
    /// With any of the three above it stays below the latency it is added to.
    pub die_deviation: Duration,
    /// Read levels beside that of power-on.
    pub read_levels: u8,
    /// tFEAT: busy time of a change of the read level.
    pub t_feature: Duration,
    /// How often a program or an erase may be suspended for reads; 0: never.
    pub suspends: u8,
    /// For how long a chip is busy until it has stopped a program or an erase.
    pub t_suspend: Duration,
    /// What going on with it takes beyond what is left of it.
    pub t_resume: Duration,
    /// Planes of a die, a power of two. The lowest bits of a block's number tell its plane.
    pub planes: u32,
    /// tRCBSY and tPCBSY: busy time of a cache command whose array is idle.
    pub t_cache_busy: Duration,
    /// Per mille of its time that a program takes whose successor comes in cache mode.
    pub cached_program_permille: u32,
    /// tPLRBSY, tPLPBSY and tPLEBSY: busy time of a command that waits for another plane's.
    pub t_plane_busy: Duration,
}

impl Flash {
    /// Array read by page type, of the types that there are.
    pub fn read_times(&self) -> &[Duration] {
        &self.t_read[..self.cell_mode.bits() as usize]
    }

    /// Program by page type, of the types that there are; of word lines that are programmed as a whole, by pass.
    pub fn program_times(&self) -> &[Duration] {
        let is_by_page = self.fold.pages() == 1;
        let times = if is_by_page { self.cell_mode.bits() } else { self.programming.passes };
        &self.t_program[..times as usize]
    }

    /// Bytes that a whole flash page takes on the bus: data and spare.
    pub fn page_bus_bytes(&self) -> u32 {
        self.page_bytes + self.spare_bytes
    }

    /// The word lines of a block of so many pages of the firmware, in one plane. Its flash pages are counted. Blocks of drives
    /// over memory have none that are used, and count as one of whole word lines.
    pub fn word_lines(&self, pages_per_block: u32) -> WordLines {
        let flash_pages = (pages_per_block * self.fold.pages())
            .next_multiple_of(self.cell_mode.bits())
            .max(WordLines::fewest(self.cell_mode));
        WordLines::new(self.cell_mode, self.pairing, flash_pages)
    }
}
