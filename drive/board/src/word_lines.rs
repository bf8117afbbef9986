//! Which page of a block is on which word line, and of which type it is there.

use crate::CellMode;

/// Most bits of a cell, which are the most pages of a word line.
pub const MOST_CELL_BITS: usize = 4;

/// The order in which the pages of a block come, which is the order in which they are programmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// All pages of a word line, the lower first, before those of the next.
    Adjacent,
    /// The lower page of a word line, then the next higher page of the word line before it, and so on: each word line has one page
    /// more than the word line behind it until all word lines are full. A word line therefore gets its last page after its neighbour
    /// got the first page and before the neighbour gets its last page. What the neighbour's later pages still change disturbs it less.
    Shifted,
}

/// The word lines of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordLines {
    pairing: Pairing,
    bits: u32,
    pages: u32,
}

/// A page's place on its word line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnWordLine {
    /// The word line, from 0.
    pub word_line: u32,
    /// The page's type: 0 for the lower page.
    pub page_type: u32,
}

impl CellMode {
    /// Bits of a cell, which are the pages of a word line.
    pub const fn bits(self) -> u32 {
        match self {
            CellMode::Slc => 1,
            CellMode::Mlc => 2,
            CellMode::Tlc => 3,
            CellMode::Qlc => 4,
        }
    }
}

impl WordLines {
    /// The word lines of a block of so many pages. The pages are whole word lines: with [`Pairing::Shifted`] at least
    /// [`WordLines::fewest`].
    ///
    /// # Panics
    /// If they are not.
    pub fn new(mode: CellMode, pairing: Pairing, pages: u32) -> Self {
        let bits = mode.bits();
        let enough = pairing == Pairing::Adjacent || pages >= Self::fewest(mode);
        assert!(pages % bits == 0 && enough, "{pages} pages of {mode:?}");
        Self { pairing, bits, pages }
    }

    /// Fewest pages of a block whose pairing is shifted.
    pub const fn fewest(mode: CellMode) -> u32 {
        mode.bits() * (mode.bits() - 1)
    }

    /// Pages of a word line.
    pub const fn bits(&self) -> u32 {
        self.bits
    }

    /// Word lines of the block.
    pub const fn count(&self) -> u32 {
        self.pages / self.bits
    }

    /// Where a page of the block is.
    #[inline]
    pub fn of(&self, page: u32) -> OnWordLine {
        match self.pairing {
            Pairing::Adjacent => {
                OnWordLine { word_line: page / self.bits, page_type: page % self.bits }
            }
            Pairing::Shifted => self.of_shifted(page),
        }
    }

    /// The page of the block that is there.
    pub fn page(&self, at: OnWordLine) -> u32 {
        match self.pairing {
            Pairing::Adjacent => at.word_line * self.bits + at.page_type,
            Pairing::Shifted => self.page_shifted(at),
        }
    }

    /// Pages come in rounds. Each has the lower page of a word line, where there is one left, and the next page of each one before it that
    /// is not full. The first rounds are short of full word lines, and the last of new ones: they are each other's mirror image.
    fn of_shifted(&self, page: u32) -> OnWordLine {
        let first = Self::in_short_rounds(self.bits - 1);
        if page >= self.pages - first {
            return self.mirrored(self.of_shifted(self.pages - 1 - page));
        }
        let (round, page_type) = match page.checked_sub(first) {
            Some(behind) => (self.bits - 1 + behind / self.bits, behind % self.bits),
            None => {
                let round =
                    (0..self.bits).take_while(|&n| Self::in_short_rounds(n) <= page).count() - 1;
                (round as u32, page - Self::in_short_rounds(round as u32))
            }
        };
        OnWordLine { word_line: round - page_type, page_type }
    }

    fn page_shifted(&self, at: OnWordLine) -> u32 {
        let round = at.word_line + at.page_type;
        let short = self.bits - 1;
        if round >= self.count() {
            return self.pages - 1 - self.page_shifted(self.mirrored(at));
        }
        match round.checked_sub(short) {
            Some(behind) => Self::in_short_rounds(short) + behind * self.bits + at.page_type,
            None => Self::in_short_rounds(round) + at.page_type,
        }
    }

    /// Pages of the first rounds: one, two, and so on.
    const fn in_short_rounds(rounds: u32) -> u32 {
        rounds * (rounds + 1) / 2
    }

    fn mirrored(&self, at: OnWordLine) -> OnWordLine {
        OnWordLine {
            word_line: self.count() - 1 - at.word_line,
            page_type: self.bits - 1 - at.page_type,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODES: [CellMode; 4] = [CellMode::Slc, CellMode::Mlc, CellMode::Tlc, CellMode::Qlc];

    fn order(mode: CellMode, pairing: Pairing, word_lines: u32) -> Vec<(u32, u32)> {
        let pages = word_lines * mode.bits();
        let lines = WordLines::new(mode, pairing, pages);
        (0..pages).map(|page| lines.of(page)).map(|at| (at.word_line, at.page_type)).collect()
    }

    #[test]
    fn adjacent_pages_fill_a_word_line_after_the_other() {
        let tlc = order(CellMode::Tlc, Pairing::Adjacent, 2);
        assert_eq!(tlc, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]);
        assert_eq!(order(CellMode::Slc, Pairing::Adjacent, 2), [(0, 0), (1, 0)]);
    }

    #[test]
    fn shifted_pages_of_mlc_are_those_of_data_sheets() {
        // Lower pages 0, 1, 3, 5, ..., upper pages 2, 4, 6, ..., and the last.
        let mlc = order(CellMode::Mlc, Pairing::Shifted, 4);
        assert_eq!(mlc, [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (3, 0), (2, 1), (3, 1)]);
        let tlc = order(CellMode::Tlc, Pairing::Shifted, 4);
        let expected = [
            (0, 0),
            (1, 0),
            (0, 1),
            (2, 0),
            (1, 1),
            (0, 2),
            (3, 0),
            (2, 1),
            (1, 2),
            (3, 1),
            (2, 2),
            (3, 2),
        ];
        assert_eq!(tlc, expected);
    }

    #[test]
    fn a_drive_over_memory_has_word_lines_whatever_its_cells_are() {
        for (mode, bits) in [("slc", "2"), ("mlc", "2"), ("tlc", "3"), ("qlc", "4")] {
            for pairing in ["adjacent", "shifted"] {
                let set = [
                    ("storage.medium", "memory"),
                    ("flash.cell_mode", mode),
                    ("flash.cell_bits", bits),
                    ("flash.pairing", pairing),
                    ("flash.pages_per_physical_block", "48"),
                ];
                let owned = set.map(|(key, value)| (key.to_owned(), value.to_owned()));
                let board = crate::Board::resolve("small", &owned).expect("a board");
                let pages = board.firmware.geometry.pages_per_block;
                assert_eq!(board.flash.word_lines(pages).of(0).word_line, 0, "{mode}");
            }
        }
    }

    #[test]
    fn each_page_has_a_place_of_its_own_behind_the_lower_pages_of_its_word_line() {
        for (mode, pairing) in
            MODES.into_iter().flat_map(|mode| [(mode, Pairing::Adjacent), (mode, Pairing::Shifted)])
        {
            for word_lines in mode.bits().max(2) - 1..9 {
                let what = format!("{mode:?}, {pairing:?}, {word_lines} word lines");
                let order = order(mode, pairing, word_lines);
                let lines = WordLines::new(mode, pairing, order.len() as u32);
                for (page, &(word_line, page_type)) in order.iter().enumerate() {
                    assert!(word_line < word_lines && page_type < mode.bits(), "{what}: {page}");
                    let there = OnWordLine { word_line, page_type };
                    assert_eq!(lines.page(there), page as u32, "{what}");
                    let lower = page_type.checked_sub(1);
                    assert!(
                        lower.is_none_or(|lower| order[..page].contains(&(word_line, lower))),
                        "{what}: page {page} is programmed before a lower one"
                    );
                }
            }
        }
    }
}
