//! Writes the pattern and counts.

use std::fmt;

use board::{Board, OnWordLine};
use contract::{Lpn, Medium};
use nand::{Array, PageMut, PageRef, Payload, Prior, Unsuitable};

use crate::cell_load::load::{Load, LoadError};

const PS_PER_HOUR: u64 = 3_600_000_000_000_000;
/// The die whose blocks are used.
const DIE: u32 = 0;

/// What a load measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Pages that were read.
    pub pages: u64,
    /// Bits that error correction found to be wrong in them, as a controller would count them.
    pub wrong_bits: u64,
    /// Pages with a chunk beyond correction, whose wrong bits nobody can count.
    pub uncorrectable: u64,
}

/// Why a load cannot be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunError {
    /// The load does not fit the board.
    Load(LoadError),
    /// The board's chips cannot be modelled.
    Board(Unsuitable),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Load(error) => error.fmt(f),
            Self::Board(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RunError {}

/// Nothing was there before.
struct Erased;

impl Prior for Erased {
    fn logical(&self, _die: u32, _row: u32) -> Option<Lpn> {
        None
    }
}

impl Load {
    /// Checks that a board can do the load.
    ///
    /// # Errors
    /// The option that does not fit, and what would.
    pub fn check(&self, board: &Board) -> Result<(), LoadError> {
        let fault = |option: &str, found: String, expected: String| {
            Err(LoadError { option: option.to_owned(), found, expected })
        };
        let bits = board.flash.cell_mode.bits();
        if board.firmware.medium == Medium::Memory {
            let expected = "a board whose storage.medium is flash".to_owned();
            return fault("pattern", self.pattern.to_string(), expected);
        }
        if board.firmware.programming.flash_pages > 1 {
            let expected = match board.flash.fold.planes() {
                1 => "a board whose flash.program is page".to_owned(),
                _ => "a board whose flash.program is page and channel.merging none".to_owned(),
            };
            return fault("pattern", self.pattern.to_string(), expected);
        }
        if self.pattern.pages() != bits {
            let expected = format!("words of {bits} bits, by flash.cell_mode");
            return fault("pattern", self.pattern.to_string(), expected);
        }
        if self.read_level > board.flash.read_levels {
            let most = board.flash.read_levels;
            let expected = format!("at most {most}, which is flash.read_levels");
            return fault("read_level", self.read_level.to_string(), expected);
        }
        let blocks = board.firmware.geometry.blocks_per_way;
        // Half of them may be bad from the factory.
        if self.blocks > blocks / 2 {
            let expected = format!("at most {}, half of geometry.blocks_per_way", blocks / 2);
            return fault("blocks", self.blocks.to_string(), expected);
        }
        Ok(())
    }
}

/// Does a load on chips of `board`. `seed` decides which cells are weak, and what fails.
///
/// # Errors
/// When the load does not fit the board, or its chips cannot be modelled.
pub fn run(board: &Board, load: &Load, seed: u64) -> Result<Outcome, RunError> {
    load.check(board).map_err(RunError::Load)?;
    let block_bytes = board.firmware.block_formats[usize::from(board.firmware.block_format)];
    let payload = Payload::Bytes { block_bytes, seed };
    let mut chips = Array::<Erased>::new(board, payload, seed).map_err(RunError::Board)?;
    let mut outcome = Outcome::default();
    let all = 0..board.firmware.geometry.blocks_per_way;
    let good: Vec<u32> = all.filter(|&block| !chips.factory_bad(DIE, block)).collect();
    for &block in good.iter().take(load.blocks as usize) {
        for _ in 0..load.cycles {
            chips.wipe(DIE, block);
        }
        chips.tell(0);
        let written = write(&mut chips, (board, load), block);
        chips.tell(u64::from(load.hours) * PS_PER_HOUR);
        read(&mut chips, (board, load), &written, &mut outcome);
    }
    Ok(outcome)
}

/// Writes a block full of the pattern. Gives back the rows whose programs did not fail.
fn write(chips: &mut Array<Erased>, (board, load): (&Board, &Load), block: u32) -> Vec<u32> {
    let geometry = board.firmware.geometry;
    let mut data = vec![0; geometry.page_bytes as usize];
    let first = block * geometry.pages_per_block;
    let word_lines = board.flash.word_lines(geometry.pages_per_block);
    let mut written = Vec::new();
    for page in 0..geometry.pages_per_block {
        let OnWordLine { word_line, page_type } = word_lines.of(page);
        data.fill(load.pattern.byte(word_line, page_type));
        let row = first + page;
        if !chips.program(DIE, row, Lpn(0), PageRef::Bytes(&data)).failed {
            written.push(row);
        }
    }
    written
}

/// Reads rows of one block and counts what is wrong in them.
fn read(
    chips: &mut Array<Erased>,
    (board, load): (&Board, &Load),
    rows: &[u32],
    outcome: &mut Outcome,
) {
    let Some(&first) = rows.first() else { return };
    let mut data = vec![0; board.firmware.geometry.page_bytes as usize];
    chips.set_level(DIE, load.read_level);
    for _ in 0..load.reads {
        chips.read(DIE, first);
    }
    for &row in rows {
        chips.read(DIE, row);
        let found = chips.transfer(DIE, row, PageMut::Bytes(&mut data));
        outcome.pages += 1;
        outcome.wrong_bits += u64::from(found.corrected_bits);
        outcome.uncorrectable += u64::from(found.uncorrectable);
    }
}

impl Outcome {
    /// Wrong bits of a page, on average.
    pub fn wrong_bits_per_page(&self) -> Option<f64> {
        (self.pages > 0).then(|| self.wrong_bits as f64 / self.pages as f64)
    }

    /// Pages beyond correction, in percent.
    pub fn uncorrectable_percent(&self) -> Option<f64> {
        (self.pages > 0).then(|| 100.0 * self.uncorrectable as f64 / self.pages as f64)
    }
}
