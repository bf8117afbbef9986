//! What is stored in a word line and in the one after it.

use super::gray::GrayCode;

/// Pages of a word line, as the chip keeps them; an absent one is erased, all ones.
#[derive(Clone)]
pub(crate) struct Line {
    /// The lower page first.
    pub pages: Vec<Box<[u8]>>,
    /// Whether each is programmed.
    pub programmed: Vec<bool>,
}

/// The word line that a page is read from, and the one that was programmed after it.
#[derive(Clone)]
pub(crate) struct Lines {
    pub own: Line,
    pub next: Line,
}

impl Line {
    /// Erased, of so many pages of `bytes` each.
    fn new(pages: u32, bytes: usize) -> Self {
        let erased = || vec![0xff; bytes].into_boxed_slice();
        Self {
            pages: (0..pages).map(|_| erased()).collect(),
            programmed: vec![false; pages as usize],
        }
    }

    /// Erases it.
    pub fn clear(&mut self) {
        self.pages.iter_mut().for_each(|page| page.fill(0xff));
        self.programmed.fill(false);
    }

    /// Whether its last page is programmed: its cells have their levels.
    pub fn is_complete(&self) -> bool {
        self.programmed.last() == Some(&true)
    }

    /// Its pages up to the last programmed one, at least one.
    pub fn programmed_pages(&self) -> usize {
        self.programmed.iter().rposition(|&programmed| programmed).map_or(1, |last| last + 1)
    }

    /// Cells of the line.
    pub fn cells(&self) -> usize {
        self.pages[0].len() * u8::BITS as usize
    }

    /// The level of a cell; the first bit of a byte is the most significant.
    #[inline]
    pub(super) fn level(&self, code: &GrayCode, cell: usize) -> usize {
        let bit = |page: &[u8]| page[cell / 8] >> (7 - cell % 8) & 1;
        let pages = self.pages.iter().take(code.bits() as usize);
        code.level(pages.enumerate().map(|(nth, page)| bit(page) << nth).sum())
    }
}

impl Lines {
    /// Erased, of so many pages of `bytes` each.
    pub fn new(pages: u32, bytes: usize) -> Self {
        Self { own: Line::new(pages, bytes), next: Line::new(pages, bytes) }
    }
}
