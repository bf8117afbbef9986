//! Wrong bits from the threshold voltages of cells, where a board asks for them (`errors.model`).
//!
//! The cells of a word line have levels, each a normal distribution of voltages that widens with the block's cycles. A
//! cell rises by a share of what its neighbours rise by that are programmed after it or with it: those beside it on the word line, and
//! the one on the next word line. Charge is lost with time, erased cells rise with reads. A page is read at the
//! references between the levels that differ in its bit, lower by a step for each read level.
//!
//! With real bytes the levels are those that are stored. Where a cell lies in its level's distribution is a
//! function of (seed, block, cycles, word line, cell), so that a page that is read again, or at another read level, is of the same cells. With stamps the number of
//! wrong bits is drawn, and its mean is that of the same distributions over all levels alike, as a scrambler makes them.
//!
//! - `gray`: which bits the levels stand for, SLC to QLC
//! - `normal`: the normal distribution in integers
//! - `condition`: what has become of a block, and what that does to voltages
//! - `voltages`: levels, references, and the share of wrong bits
//! - `lines`: the stored bytes

mod condition;
mod gray;
mod lines;
mod normal;
mod voltages;

use board::{Board, CellMode, Cells as Keys, ErrorModel, Fold, InPlane, OnWordLine, WordLines};

pub(crate) use condition::Condition;
pub(crate) use lines::{Line, Lines};

use crate::blocks::Place;
use crate::poisson::{Poisson, MEAN_BITS};
use crate::random::{Purpose, Random};
use condition::Drift;
use gray::MOST_LEVELS;
use voltages::{Levels, Sensing};

const MILLION: i64 = 1_000_000;
/// Cells that share a random number, 16 bits each.
const CELLS_A_DRAW: usize = 4;

/// The cells of all chips.
#[derive(Clone)]
pub(crate) struct Cells {
    /// The word lines of a block.
    word_lines: WordLines,
    /// Which flash pages, in which planes, are programmed together.
    fold: Fold,
    /// Bytes from the start of a flash page to the start of the next flash page in what the chips keep of pages that are
    /// programmed together.
    stride: usize,
    /// Voltage levels of a word line, indexed by the number of its pages that are programmed, less one. The last entry is that of a
    /// word line whose pages are all programmed.
    stages: Vec<Levels>,
    drift: Drift,
    /// Millionths of a neighbour's swing: on the same word line, and on the next.
    couplings: [i64; 2],
    seed: u64,
    /// The bytes around the page that is read, where there are bytes.
    lines: Option<Lines>,
    wrong: Vec<u32>,
    /// The last mean share of wrong bits, of what page in what condition.
    last: Option<((u32, Condition), u64)>,
}

impl Cells {
    /// The cells of a board, `raw_bytes` a page where bytes are stored; none where rates decide.
    pub fn new(board: &Board, seed: u64, raw_bytes: Option<usize>) -> Option<Self> {
        if board.errors.model == ErrorModel::Rates {
            return None;
        }
        let keys = &board.cells;
        let (mode, fold) = (board.flash.cell_mode, board.flash.fold);
        let stages = match mode {
            CellMode::Slc => {
                vec![Levels::of_one_bit(keys, keys.single_mv, keys.single_reference_mv)]
            }
            _ if fold.pages() > 1 => vec![Levels::of_all(keys, mode.bits())],
            CellMode::Mlc | CellMode::Tlc | CellMode::Qlc => Levels::by_pages(keys, mode.bits()),
        };
        let stride = board.ecc.code_words().coded_bytes(board.flash.page_bytes) as usize;
        let word_lines = board.flash.word_lines(board.firmware.geometry.pages_per_block);
        Some(Self {
            word_lines,
            fold,
            stride,
            stages,
            drift: Drift::new(keys),
            couplings: couplings(keys),
            seed,
            lines: raw_bytes.map(|bytes| Lines::new(mode.bits(), bytes)),
            wrong: Vec::new(),
            last: None,
        })
    }

    /// Whether time or reads change anything.
    pub fn ages(&self) -> bool {
        self.drift.ages()
    }

    /// The word lines of a block.
    pub fn word_lines(&self) -> WordLines {
        self.word_lines
    }

    /// Flash pages that are programmed together, in which planes, and bytes after which each follows the one before it.
    pub fn together(&self) -> (Fold, usize) {
        (self.fold, self.stride)
    }

    /// Whether it is known what they hold.
    pub fn have_bytes(&self) -> bool {
        self.lines.is_some()
    }

    /// Room for the bytes of the word line that is read next, where bytes are stored.
    pub fn lines(&mut self) -> Option<&mut Lines> {
        self.lines.as_mut()
    }

    /// A word line all of whose pages are programmed.
    fn complete(&self) -> &Levels {
        self.stages.last().expect("a cell has a bit")
    }

    /// Draws how many bits of a page of this type come out wrong, of `page_bits`, where nobody knows what is stored.
    pub fn draw(&mut self, of: (u32, Condition), page_bits: u32, random: &mut Random) -> u32 {
        let share = match self.last {
            Some((last, share)) if last == of => share,
            _ => self.mean_share(of),
        };
        self.last = Some((of, share));
        let mean = (u128::from(page_bits) * u128::from(share)) >> (u64::BITS - MEAN_BITS);
        let mean = u64::try_from(mean).expect("no more than the bits of a page");
        Poisson::new(mean).draw(random).min(page_bits)
    }

    /// The share of a page's bits that come out wrong, in 2^-64, where all levels come alike and all word lines
    /// are programmed.
    fn mean_share(&self, (page_type, condition): (u32, Condition)) -> u64 {
        let complete = self.complete();
        let sensing = complete.after(&self.drift, condition).sensing(page_type);
        let pull = self.couplings.map(|coupling| pulls(&complete.swings, coupling));
        sensing.mean_share(&pull)
    }

    /// The bits of a flash page, counted over all bytes of its page, that come out wrong with what is in [`Cells::lines`].
    pub fn wrong_bits(&mut self, (at, nth): (Place, u32), condition: Condition) -> &[u32] {
        let Self { word_lines, stages, drift, couplings, seed, lines, wrong, .. } = self;
        let is_last = nth + 1 == self.fold.planes() * self.fold.pages();
        let InPlane { plane, page: flash_page } = self.fold.of(at.page, nth);
        let block = self.fold.block(at.block, plane) as u64;
        let first = nth * self.stride as u32 * u8::BITS;
        let end = if is_last { u32::MAX } else { self.stride as u32 * u8::BITS };
        let lines = lines.as_ref().expect("there are bytes");
        let OnWordLine { word_line, page_type: page } = word_lines.of(flash_page);
        let levels = &stages[lines.own.programmed_pages().min(stages.len()) - 1];
        let complete = stages.last().expect("a cell has a bit");
        // The first program of the next word line is over before this one's last.
        let is_pulled = lines.next.is_complete();
        let beside = pulls(&levels.swings, couplings[0]);
        let above = pulls(&complete.swings, if is_pulled { couplings[1] } else { 0 });
        let most = 2 * levels.widest_swing() * couplings[0] / MILLION
            + complete.widest_swing() * couplings[1] / MILLION;
        let sensing = levels.after(drift, condition).sensing(page);
        let line = Random::stream(*seed, Purpose::Cells, block << 20 | u64::from(word_line));
        let ranks = Ranks::new(line, condition.cycles);
        wrong.clear();
        let around = Around { lines, levels, complete, beside, above };
        ranks.outside(sensing.safe_ranks(most), lines.own.cells(), |cell, rank| {
            if (cell as u32) < end && around.is_wrong(&sensing, cell, rank) {
                wrong.push(first + cell as u32);
            }
        });
        wrong
    }
}

/// What a cell and its neighbours hold.
struct Around<'a> {
    lines: &'a Lines,
    levels: &'a Levels,
    complete: &'a Levels,
    /// What a cell rises by for the level of a neighbour on its word line, and of that on the next.
    beside: [i64; MOST_LEVELS],
    above: [i64; MOST_LEVELS],
}

impl Around<'_> {
    fn is_wrong(&self, sensing: &Sensing, cell: usize, rank: u64) -> bool {
        let (own, code) = (&self.lines.own, self.levels.code());
        let pull = |cell: usize| self.beside[own.level(code, cell)];
        let left = cell.checked_sub(1).map_or(0, pull);
        let right = if cell + 1 < own.cells() { pull(cell + 1) } else { 0 };
        let above = self.above[self.lines.next.level(self.complete.code(), cell)];
        sensing.is_wrong(rank, (own.level(code, cell), left + right + above))
    }
}

/// Where the cells of a word line lie in their levels' distributions.
struct Ranks(Random);

impl Ranks {
    /// Those of a word line, which each cycle deals anew.
    fn new(mut line: Random, cycles: u32) -> Self {
        Self(Random::stream(line.next(), Purpose::Cells, u64::from(cycles)))
    }

    /// Calls `look` with each of the first `cells` cells whose rank is not between these two.
    fn outside(mut self, (low, high): (u64, u64), cells: usize, mut look: impl FnMut(usize, u64)) {
        const COARSE: u32 = u64::BITS / CELLS_A_DRAW as u32;
        let of = |rank: u64| (rank >> (u64::BITS - COARSE)) as u16;
        let (low, high) = (of(low), of(high));
        for first in (0..cells).step_by(CELLS_A_DRAW) {
            let draw = self.0.next();
            for nth in 0..CELLS_A_DRAW {
                let coarse = (draw >> (nth as u32 * COARSE)) as u16;
                if coarse <= low || coarse >= high {
                    let fine = Random::starting_at(draw.wrapping_add(nth as u64)).next();
                    look(first + nth, u64::from(coarse) << (u64::BITS - COARSE) | fine >> COARSE);
                }
            }
        }
    }
}

fn couplings(keys: &Keys) -> [i64; 2] {
    [keys.bit_line_coupling_per_million, keys.word_line_coupling_per_million].map(i64::from)
}

/// What a cell rises by for each level of a neighbour.
fn pulls(swings: &[i64; MOST_LEVELS], coupling: i64) -> [i64; MOST_LEVELS] {
    swings.map(|swing| swing * coupling / MILLION)
}
