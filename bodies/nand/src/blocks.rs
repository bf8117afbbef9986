//! What every block and page holds, in short, and the rules of programming and erasing.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::{Geometry, Lpn, Metadata};
use drive_image::{BlockRecord, Image, ImageError, PageRecord};
use sparse::{Clones, Parts};

use crate::spare::{metadata_words, of_words, put_words};
use crate::states::{Pages, State, States};
use crate::Prior;

mod strays;
mod tables;
#[cfg(test)]
mod tests;

/// The code of a page that the prior decides. Tables start as zeroes.
const PRIOR: u32 = 0;
/// The code of a page below the last programmed one that was left out.
const SKIPPED: u32 = 1;
/// The code of a page whose program failed.
const UNDEFINED: u32 = 2;
/// The code of a page that is kept aside.
const ASIDE: u32 = 3;
/// Whether a page with these words of an image has data beside them.
pub fn is_aside(words: &[u32]) -> bool {
    words[0] == ASIDE
}

/// The code of a page that holds logical page 0 in the regular way.
const FIRST_REGULAR: u32 = 4;

/// Logical pages below this have a code.
pub(crate) const REGULAR_END: u32 = u32::MAX - FIRST_REGULAR;

/// A page of the array, within range.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub die: u32,
    pub row: u32,
    /// Its block, counted over the whole array.
    pub block: usize,
    /// Its number in the block.
    pub page: u32,
}

/// What a page holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content<'a> {
    /// Nothing since the last erase.
    Erased,
    /// What a failed program left.
    Undefined,
    /// Version 1 of each block of the logical pages from this one on.
    Fresh(Lpn),
    /// These versions of the blocks of the logical pages from this one on, 0 for zeroes.
    Versions(Lpn, &'a [u32]),
    /// What is kept aside for the page.
    Aside,
}

/// What a program lets a page hold.
#[derive(Clone, Copy)]
pub(crate) enum NewContent {
    Undefined,
    Aside,
    /// Blocks of the logical pages from this one on, below [`REGULAR_END`], whose versions the caller fills in.
    Regular(Lpn),
}

/// What tables keep of the metadata of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// All.
    Yes,
    /// Nothing but the logical page.
    No,
}

/// All blocks of the array.
///
/// A block that the run has not touched is as the prior says. The first program gives it a table
/// of one code a page, each with the versions of its logical blocks; the block keeps the table until an
/// erase of it is cut off. Pages from `next` on are erased whatever the table says, so that erasing writes nothing.
#[derive(Clone, BorshSerialize, BorshDeserialize)]
pub(crate) struct Blocks<P> {
    prior: Option<P>,
    geometry: Geometry,
    states: States,
    /// A part a table.
    #[borsh(skip)]
    tables: Parts<u32>,
    /// Tables that blocks have left whose erase was cut off.
    left: Vec<u32>,
    versions_per_page: usize,
    words_per_page: usize,
    /// Mapping units of a page, a logical page each.
    units: u32,
}

impl<P: Prior> Blocks<P> {
    /// Untouched blocks whose tables take `versions_per_page` versions a page, and its metadata where
    /// pages have them.
    pub fn new(
        geometry: Geometry,
        (versions_per_page, units): (usize, u32),
        metadata: Kept,
    ) -> Self {
        let blocks = geometry.dies() as usize * geometry.blocks_per_way as usize;
        let metadata_words = if metadata == Kept::Yes { metadata_words(units) } else { 0 };
        let words_per_page = 1 + versions_per_page + metadata_words;
        Self {
            prior: None,
            geometry,
            states: States::new(blocks),
            tables: Parts::new(geometry.pages_per_block as usize * words_per_page, vec![]),
            left: vec![],
            versions_per_page,
            words_per_page,
            units,
        }
    }

    /// States what untouched blocks hold.
    ///
    /// # Panics
    /// If it was stated before.
    pub fn set_prior(&mut self, prior: P) {
        assert!(self.prior.is_none(), "what the chips held is stated once");
        self.prior = Some(prior);
    }

    /// States what clones are.
    pub fn set_clones(&mut self, are: Clones) {
        self.states.set_clones(are);
        self.tables.set_clones(are);
    }

    /// The place of a row.
    ///
    /// # Panics
    /// If die or row is out of range.
    #[inline]
    pub fn place(&self, die: u32, row: u32) -> Place {
        let block = row / self.geometry.pages_per_block;
        let page = row % self.geometry.pages_per_block;
        Place { die, row, block: self.index(die, block), page }
    }

    /// The number of a block over the whole array.
    ///
    /// # Panics
    /// If die or block is out of range.
    #[inline]
    pub fn index(&self, die: u32, block: u32) -> usize {
        let Geometry { blocks_per_way, .. } = self.geometry;
        assert!(die < self.geometry.dies(), "die {die} out of range");
        assert!(block < blocks_per_way, "die {die}: block {block} out of range");
        die as usize * blocks_per_way as usize + block as usize
    }

    /// What a page holds.
    #[inline]
    pub fn content(&self, place: Place) -> Content<'_> {
        let state = self.states.of(place.block);
        let from_prior =
            || self.prior.logical(place.die, place.row).map_or(Content::Erased, Content::Fresh);
        match state.pages {
            Pages::Prior => from_prior(),
            Pages::Table(table) if place.page < state.next => {
                let words = self.words(table, place.page);
                match words[0] {
                    PRIOR => from_prior(),
                    SKIPPED => Content::Erased,
                    UNDEFINED => Content::Undefined,
                    ASIDE => Content::Aside,
                    code if self.versions_per_page == 0 => {
                        Content::Fresh(Lpn(code - FIRST_REGULAR))
                    }
                    code => {
                        let versions = &words[1..=self.versions_per_page];
                        Content::Versions(Lpn(code - FIRST_REGULAR), versions)
                    }
                }
            }
            Pages::Torn => Content::Undefined,
            Pages::Table(_) | Pages::Erased => Content::Erased,
        }
    }

    /// Whether tables keep all metadata.
    #[inline]
    pub fn keeps_metadata(&self) -> bool {
        1 + self.versions_per_page < self.words_per_page
    }

    /// What a page says of itself, where tables keep all of that.
    pub fn metadata(&self, place: Place) -> Option<Metadata> {
        let mut metadata = None;
        self.put_metadata(place, &mut metadata);
        metadata
    }

    /// The same, put in a place.
    pub fn put_metadata(&self, place: Place, into: &mut Option<Metadata>) {
        let state = self.states.of(place.block);
        let first = 1 + self.versions_per_page;
        match state.pages {
            Pages::Table(table) if place.page < state.next && first < self.words_per_page => {
                let words = self.words(table, place.page);
                match words[0] {
                    PRIOR => self.put_prior(place, into),
                    SKIPPED | UNDEFINED => *into = None,
                    _ => *into = of_words(&words[first..]),
                }
            }
            Pages::Prior if first < self.words_per_page => self.put_prior(place, into),
            _ => *into = None,
        }
    }

    /// What was there before the run is older than all that is planned in it.
    fn put_prior(&self, place: Place, into: &mut Option<Metadata>) {
        match self.prior.logical(place.die, place.row) {
            Some(first) => Metadata::put_run(into, first, self.units),
            None => *into = None,
        }
    }

    /// Notes what the spare area of a page, just programmed, says.
    pub fn set_metadata(&mut self, place: Place, metadata: Option<&Metadata>) {
        let first = 1 + self.versions_per_page;
        if let Pages::Table(table) = self.states.of(place.block).pages {
            if first < self.words_per_page {
                put_words(&mut self.words_mut(table, place.page)[first..], metadata);
            }
        }
    }

    /// A program was cut off: the page holds something else than it did or was to.
    pub fn tear(&mut self, place: Place) {
        if let Pages::Table(table) = self.states.of(place.block).pages {
            self.words_mut(table, place.page)[0] = UNDEFINED;
        }
        self.set_metadata(place, None);
    }

    /// What a page is, in the words of its block's table, if the block has one.
    pub fn page_words(&self, place: Place) -> Option<&[u32]> {
        match self.states.of(place.block).pages {
            Pages::Table(table) => Some(self.words(table, place.page)),
            Pages::Prior | Pages::Erased | Pages::Torn => None,
        }
    }

    /// The last program of a block was not begun, and neither were the pages left out for it.
    pub fn take_back(&mut self, place: Place) {
        let State { pages, next, .. } = self.states.of(place.block);
        let Pages::Table(table) = pages else { return };
        let is_skipped = |page: u32| self.words(table, page)[0] == SKIPPED;
        let programmed = (0..next.min(place.page)).rev().find(|&page| !is_skipped(page));
        self.states.of_mut(place.block).next = programmed.map_or(0, |page| page + 1);
    }

    /// An erase was cut off: every page holds something else than it did.
    pub fn tear_all(&mut self, block: usize) {
        let state = self.states.of_mut(block);
        if let Pages::Table(table) = state.pages {
            self.left.push(table);
        }
        (state.pages, state.next) = (Pages::Torn, self.geometry.pages_per_block);
    }

    /// Programs a page and returns the versions of its blocks, to be filled in.
    ///
    /// # Panics
    /// If the page is not erased, or if a higher page of the block was programmed.
    pub fn program(&mut self, at: Place, content: NewContent) -> &mut [u32] {
        if matches!(self.states.of(at.block).pages, Pages::Prior) {
            self.adopt(at);
        }
        let state = self.states.of(at.block);
        if at.page < state.next {
            self.refuse(at);
        }
        let table = match state.pages {
            Pages::Table(table) => table,
            Pages::Erased | Pages::Prior => self.add_table(at.block),
            Pages::Torn => self.refuse(at),
        };
        for skipped in state.next..at.page {
            self.words_mut(table, skipped)[0] = SKIPPED;
        }
        self.states.of_mut(at.block).next = at.page + 1;
        let (code, versions) = self.words_mut(table, at.page).split_at_mut(1);
        code[0] = match content {
            NewContent::Undefined => UNDEFINED,
            NewContent::Aside => ASIDE,
            NewContent::Regular(lpn) => FIRST_REGULAR + lpn.0,
        };
        versions
    }

    /// Erases a block.
    pub fn erase(&mut self, block: usize) {
        let state = self.states.of_mut(block);
        state.cycles += 1;
        state.next = 0;
        if matches!(state.pages, Pages::Prior | Pages::Torn) {
            state.pages = Pages::Erased;
        }
    }

    /// What an image keeps of a block.
    pub fn record(&self, block: usize) -> BlockRecord {
        let State { pages, cycles, .. } = self.states.of(block);
        BlockRecord { erases: cycles, torn: matches!(pages, Pages::Torn) }
    }

    /// Takes all blocks from an image. The prior was stated, if there is one.
    ///
    /// # Errors
    /// The first part that is damaged, or the system's reason.
    pub fn restore(&mut self, image: &Image) -> Result<(), ImageError> {
        for (block, record) in image.blocks()?.into_iter().enumerate() {
            if record.erases == 0 && !record.torn {
                continue;
            }
            let state = self.states.of_mut(block);
            state.cycles = record.erases;
            if record.torn {
                (state.pages, state.next) = (Pages::Torn, self.geometry.pages_per_block);
            } else {
                state.pages = Pages::Erased;
            }
        }
        let mut astray = None;
        image.each_page(|record| {
            if !self.restore_page(record) {
                astray = astray.or(Some(record.page));
            }
        })?;
        match astray {
            None => Ok(()),
            Some(page) => {
                let what =
                    ("it below another that was programmed before", "an undamaged drive image");
                Err(ImageError::new(image.path(), &format!("page {page}"), what))
            }
        }
    }

    /// A page from an image; those of a block come in order. False if it cannot have been programmed.
    fn restore_page(&mut self, record: PageRecord<'_>) -> bool {
        let (per_block, per_way) = (self.geometry.pages_per_block, self.geometry.blocks_per_way);
        let block = (record.page / u64::from(per_block)) as u32;
        let page = (record.page % u64::from(per_block)) as u32;
        let at = self.place(block / per_way, block % per_way * per_block + page);
        let state = self.states.of(at.block);
        if record.erases != state.cycles || matches!(state.pages, Pages::Torn) {
            return true;
        }
        if matches!(state.pages, Pages::Prior) {
            self.adopt(at);
        }
        if page < self.states.of(at.block).next {
            return false;
        }
        self.program(at, NewContent::Undefined);
        if let Pages::Table(table) = self.states.of(at.block).pages {
            self.words_mut(table, page).copy_from_slice(record.words);
        }
        true
    }

    /// A block that the run has not touched went through so many erases before.
    pub fn set_cycles(&mut self, block: usize, cycles: u32) {
        assert!(self.is_untouched(block), "block {block} has counted its own erases");
        self.states.of_mut(block).cycles = cycles;
    }

    /// The most erases that any block went through.
    pub fn most_cycles(&self) -> u32 {
        self.states.iter().map(|state| state.cycles).max().unwrap_or(0)
    }

    /// Pages of a block that are kept aside.
    pub fn aside(&self, block: usize) -> impl Iterator<Item = u32> + '_ {
        let State { pages, next, .. } = self.states.of(block);
        let table = match pages {
            Pages::Table(table) => Some(table),
            Pages::Prior | Pages::Erased | Pages::Torn => None,
        };
        let is_aside = |table, page| self.words(table, page)[0] == ASIDE;
        (0..next).filter(move |&page| table.is_some_and(|table| is_aside(table, page)))
    }

    /// Erases that a block went through.
    #[inline]
    pub fn cycles(&self, block: usize) -> u32 {
        self.states.of(block).cycles
    }

    /// Whether a block has not been programmed or erased in the run.
    #[inline]
    pub fn is_untouched(&self, block: usize) -> bool {
        matches!(self.states.of(block).pages, Pages::Prior)
    }

    /// Whether the block of a place is erased.
    #[inline]
    pub fn is_blank(&self, at: Place) -> bool {
        match self.states.of(at.block).pages {
            Pages::Prior => self.prior.logical(at.die, at.row - at.page).is_none(),
            _ => self.states.of(at.block).next == 0,
        }
    }

    /// Gives a block that the prior has filled in part, or not at all, a state of its own.
    #[inline(never)]
    fn adopt(&mut self, at: Place) {
        let first = at.row - at.page;
        let held = (0..self.geometry.pages_per_block)
            .rev()
            .find(|page| self.prior.logical(at.die, first + page).is_some());
        match held {
            None => self.states.of_mut(at.block).pages = Pages::Erased,
            Some(last) => {
                self.add_table(at.block);
                self.states.of_mut(at.block).next = last + 1;
            }
        }
    }

    #[inline(never)]
    fn add_table(&mut self, block: usize) -> u32 {
        let table = match self.left.pop() {
            Some(table) => {
                self.tables.part_mut(table as usize, 0..self.tables.each()).fill(PRIOR);
                table
            }
            None => {
                self.tables.push(PRIOR);
                self.tables.count() as u32 - 1
            }
        };
        self.states.of_mut(block).pages = Pages::Table(table);
        table
    }

    #[cold]
    fn refuse(&self, at: Place) -> ! {
        let Place { die, row, .. } = at;
        match self.content(at) {
            Content::Erased => panic!("die {die}, row {row}: program below a programmed page"),
            _ => panic!("die {die}, row {row}: program of a page that is not erased"),
        }
    }

    #[inline]
    fn words(&self, table: u32, page: u32) -> &[u32] {
        let start = page as usize * self.words_per_page;
        self.tables.part(table as usize, start..start + self.words_per_page)
    }

    #[inline]
    fn words_mut(&mut self, table: u32, page: u32) -> &mut [u32] {
        let start = page as usize * self.words_per_page;
        self.tables.part_mut(table as usize, start..start + self.words_per_page)
    }
}
