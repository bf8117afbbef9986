//! All chips of a drive.

use std::sync::Arc;

use board::{Board, Fold};
use borsh::{BorshDeserialize, BorshSerialize};
use contract::{CommandSet, Duration, Metadata, Programming};
use drive_image::{Image, PageRecord};

use crate::aging::Aging;
use crate::aside::number;
use crate::blocks::{Blocks, Content, Kept, NewContent, Place, REGULAR_END};
use crate::cells::{Cells, Condition};
use crate::die::{Deviations, Die, Register};
use crate::failures::Failures;
use crate::fit::{blocks_per_page, codec};
use crate::hung::Hung;
use crate::outcome::FOREVER;
use crate::passage::{Incoming, Outgoing};
use crate::random::Random;
use crate::raw::{Expansion, RawPages};
use crate::stamps::StampPages;
use crate::wear::Wear;
use crate::wrong_bits::{ChunkLayout, WrongBits};
use crate::{PageMut, PageRef, Payload, Prior, Transferred, Unsuitable, Worked};

mod copied;
mod preconditioned;
mod rules;
mod state;
mod strays;
mod under_way;
mod whole;
mod wrong;

use strays::Strays;
pub use strays::{Astray, FaultsOfPage};
use wrong::{aging, cells};

/// All chips of a drive.
///
/// A die is addressed by its index, `way * channels + channel`, a page by its row on the die, and
/// a block by its number on the die.
///
/// # Panics
/// The chips' rules are asserted, in release builds too. Every operation panics if die, row or
/// block is out of range; what else an operation demands is said there.
pub struct Array<P> {
    dies: Vec<Die>,
    deviations: Deviations,
    blocks: Blocks<P>,
    contents: Contents,
    wear: Wear,
    /// Where wrong bits follow from the voltages of cells.
    cells: Option<Cells>,
    wrong: WrongBits,
    /// Wrong bits at a read level of a million at the first one, by level.
    wrong_per_million: Vec<u64>,
    failures: Failures,
    /// Where chips hang.
    hung: Option<Hung>,
    /// How long controllers wait for a chip.
    timeout: Duration,
    /// Where programs go astray.
    strays: Option<Box<Strays>>,
    /// Where blocks age.
    aging: Option<Aging>,
    /// What a program is about, planes that act together, and bytes of a flash page.
    programming: Programming,
    fold: Fold,
    flash_page_bytes: u32,
    logical_pages: u32,
    /// Mapping units of a page.
    units: u32,
    /// Bytes of a logical block.
    block_bytes: u32,
    /// What each die was told last, where that may be cut off; empty where it may not.
    last_works: Vec<LastWorks>,
    /// What dies do since somebody watches them.
    watched: Option<Vec<(Work, u64, u64)>>,
    /// Where what the chips hold is kept beyond the process.
    image: Option<Arc<Image>>,
}

/// A program or an erase that takes its time on a die.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Work {
    /// A row is programmed.
    Program {
        /// Row in the die, as the firmware counts rows.
        row: u32,
    },
    /// A block is erased.
    Erase {
        /// Number of the block in its die.
        block: u32,
    },
}

/// The last programs or erases of a die, those of joined planes together.
#[derive(Clone, Copy, Default, BorshSerialize, BorshDeserialize)]
struct LastWorks {
    works: [Option<(Work, u64, u64)>; MOST_WORKS],
}

/// Works that a die has at most: of each plane one, and another that waits for it in cache mode.
const MOST_WORKS: usize = 8;

/// What the pages hold beyond what is in the blocks' tables.
#[derive(Clone)]
enum Contents {
    Stamps(StampPages),
    Bytes(Box<RawPages>),
}

/// Wrong bits at each read level, of a million at the first one.
fn wrong_per_million(board: &Board) -> Vec<u64> {
    let left = |&share: &u64| Some(share * board.errors.retry_percent / 100);
    let levels = 1 + usize::from(board.flash.read_levels);
    std::iter::successors(Some(1_000_000), left).take(levels).collect()
}

impl<P: Prior> Array<P> {
    /// Erased chips of `board`. `seed` decides the dies' speeds, the factory-bad blocks and all
    /// that is drawn later.
    ///
    /// # Errors
    /// If the board's error correction or the payload's blocks do not fit its pages.
    pub fn new(board: &Board, payload: Payload, seed: u64) -> Result<Self, Unsuitable> {
        Self::in_image(board, (payload, seed), None)
    }

    /// The chips of an image as they are there, or erased ones where it was just made. Of a drive that was
    /// preconditioned, `prior` is what the chips held before.
    ///
    /// # Errors
    /// As [`Array::new`], and when the image is damaged.
    pub fn kept(
        board: &Board,
        (payload, seed): (Payload, u64),
        (image, prior): (Arc<Image>, Option<P>),
    ) -> Result<Self, Unsuitable> {
        let mut array = Self::in_image(board, (payload, seed), Some(image.clone()))?;
        if let Some(prior) = prior {
            array.set_prior(prior);
        }
        array.blocks.restore(&image)?;
        array.wear.reach_all(array.blocks.most_cycles());
        Ok(array)
    }

    fn in_image(
        board: &Board,
        (payload, seed): (Payload, u64),
        image: Option<Arc<Image>>,
    ) -> Result<Self, Unsuitable> {
        let blocks_per_page = blocks_per_page(board, payload)?;
        let geometry = board.firmware.geometry;
        let codec = codec(board)?;
        let layout = ChunkLayout::new(&codec, board.flash.programming.flash_pages);
        let (logical_pages, units) =
            (board.firmware.logical_units(), board.firmware.units_per_page());
        // Drives that find again after a power loss what is on their chips.
        let of_host = board.firmware.command_set != CommandSet::Block;
        let (dies, recovers) = (geometry.dies(), board.firmware.recovery.is_some() || of_host);
        let powered = image.as_ref().map_or(0, |image| image.opened());
        let (versions_per_page, contents) = match payload {
            Payload::Stamps { .. } => {
                let pages =
                    StampPages::new((blocks_per_page, units), logical_pages, image.as_ref());
                (blocks_per_page, Contents::Stamps(pages))
            }
            Payload::Bytes { block_bytes, seed } => {
                let expansion = Expansion { block_bytes: block_bytes as usize, seed };
                let how = (board.ecc.scrambler, expansion);
                let pages = RawPages::new((codec, units), how, image.as_ref());
                (0, Contents::Bytes(Box::new(pages)))
            }
        };
        let cells = cells(board, payload, seed)?;
        Ok(Self {
            aging: aging(board, cells.as_ref(), layout.page_bits()),
            cells,
            dies: (0..geometry.dies())
                .map(|die| Die::new(&board.flash, (seed, powered), die))
                .collect(),
            deviations: Deviations::new(&board.flash, geometry.pages_per_block),
            blocks: Blocks::new(
                geometry,
                (versions_per_page, units),
                if recovers { Kept::Yes } else { Kept::No },
            ),
            contents,
            wear: Wear::new(board, layout.page_bits()),
            wrong: WrongBits::new(layout),
            wrong_per_million: wrong_per_million(board),
            failures: Failures::new(&board.errors, seed),
            timeout: board.channel.scheduling.busy_timeout,
            hung: (board.errors.hangs_per_billion > 0)
                .then(|| Hung::new(dies, board.channel.scheduling.busy_timeout)),
            strays: None,
            programming: board.flash.programming,
            fold: board.flash.fold,
            flash_page_bytes: board.firmware.flash_page_bytes(),
            logical_pages: logical_pages.min(REGULAR_END),
            units,
            block_bytes: payload.block_bytes(),
            watched: None,
            last_works: if recovers { vec![LastWorks::default(); dies as usize] } else { vec![] },
            image,
        })
    }

    /// States what the chips held before the run. Blocks that were programmed or erased already
    /// keep what they hold.
    ///
    /// # Panics
    /// If it was stated before.
    pub fn set_prior(&mut self, prior: P) {
        self.blocks.set_prior(prior);
    }

    /// States the time, in picoseconds, by which blocks age. Needed before what reads or programs, where they do.
    #[inline]
    pub fn tell(&mut self, now: u64) {
        if let Some(aging) = &mut self.aging {
            aging.tell(now);
        }
    }

    /// A die reads at this level from now on.
    ///
    /// # Panics
    /// If chips have no such level.
    pub fn set_level(&mut self, die: u32, level: u8) {
        assert!(usize::from(level) < self.wrong_per_million.len(), "die {die}: read level {level}");
        self.dies[die as usize].level = level;
    }

    /// Reads a row into the die's page register, and returns tR, or [`FOREVER`]. Of several flash pages it is the first.
    #[inline]
    pub fn read(&mut self, die: u32, row: u32) -> Duration {
        self.read_at(die, row, 0)
    }

    /// The same of the flash page in which byte `offset` of the row's data is.
    #[inline]
    pub fn read_at(&mut self, die: u32, row: u32, offset: u32) -> Duration {
        let at = self.blocks.place(die, row);
        let nth = offset / self.flash_page_bytes;
        let in_plane = self.fold.of(at.page, nth);
        let (wrong_bits, condition) = match self.cells {
            None => (self.drawn_by_rates((at, in_plane), die), Condition::default()),
            Some(_) => self.drawn_by_cells((at, in_plane), die),
        };
        let number = die;
        let die = &mut self.dies[die as usize];
        let register = &mut die.register;
        *register = Register { row: Some(row), nth, wrong_bits, condition, ..Register::default() };
        if wrong_bits > 0 {
            register.noise = Random::starting_at(die.faults.next());
        }
        let busy = die.read_time(in_plane.page, &self.deviations);
        let drawn = self.failures.hang(&mut die.faults);
        if self.hung.as_mut().is_some_and(|hung| hung.told(number, drawn)) {
            return FOREVER;
        }
        busy
    }

    /// As [`Array::transfer_part`], with the metadata to a place of their own.
    ///
    /// # Panics
    /// As there.
    #[inline]
    pub fn transfer_to(
        &mut self,
        (die, row): (u32, u32),
        (offset, into): (u32, PageMut<'_>),
        metadata: &mut Option<Metadata>,
    ) -> Transferred<()> {
        let at = self.blocks.place(die, row);
        let register = self.dies[die as usize].register;
        assert!(
            register.row == Some(row),
            "die {die}, row {row}: transfer of a row that is not in the page register"
        );
        let nth = offset / self.flash_page_bytes;
        assert_eq!(register.nth, nth, "die {die}, row {row}: transfer of another flash page");
        let content = self.blocks.content(at);
        let holds = !matches!(content, Content::Erased | Content::Undefined);
        let wrong_bits = if holds { register.wrong_bits } else { 0 };
        let length = match &into {
            PageMut::Stamps(out) => out.len() as u32 * self.block_bytes,
            PageMut::Bytes(out) | PageMut::Log(out) => out.len() as u32,
        };
        let end = (nth + 1) * self.flash_page_bytes;
        assert!(offset + length <= end, "die {die}, row {row}: a part ends in its flash page");
        let seen = self.wrong.layout().chunks_of(offset, length);
        match (&mut self.cells, &mut self.contents) {
            (Some(cells), Contents::Bytes(pages)) if holds => {
                pages.put_lines(&self.blocks, (at, self.fold.of(at.page, nth)), cells);
                self.wrong.set(cells.wrong_bits((at, nth), register.condition), seen);
            }
            _ => self.wrong.draw(wrong_bits, register.noise, seen),
        }
        let erases = self.blocks.cycles(at.block);
        let page = Outgoing { at, erases, content, offset, wrong: &self.wrong };
        let read = match (&mut self.contents, into) {
            (Contents::Stamps(pages), PageMut::Stamps(out)) => pages.transfer(page, out, metadata),
            (Contents::Stamps(pages), PageMut::Log(out)) => pages.transfer_log(page, out, metadata),
            (Contents::Bytes(pages), PageMut::Bytes(out) | PageMut::Log(out)) => {
                return pages.transfer(page, out, metadata);
            }
            _ => panic!("a page not in the form of the payload"),
        };
        if metadata.is_some() && self.blocks.keeps_metadata() {
            self.blocks.put_metadata(at, metadata);
        }
        read
    }

    /// As [`Array::program`], with metadata that stay where they are.
    ///
    /// # Panics
    /// As there.
    #[inline]
    pub fn program_from(
        &mut self,
        die: u32,
        row: u32,
        metadata: &Metadata,
        page: PageRef<'_>,
    ) -> Worked {
        let pass = self.pass_of(die, row);
        let at = self.open(die, row);
        if pass > 0 {
            self.blocks.take_back(at);
        }
        if let Some(aging) = &mut self.aging {
            if self.blocks.is_blank(at) {
                self.fold.blocks(at.block).for_each(|block| aging.begin(block));
            }
        }
        let nth = die;
        let die = &mut self.dies[die as usize];
        let time = match self.fold.pages() {
            1 => self.deviations.page_type(at.page),
            _ => pass as usize,
        };
        let busy = die.program_time(time, &self.deviations);
        let drawn = self.failures.hang(&mut die.faults);
        let hangs = self.hung.as_mut().is_some_and(|hung| hung.told(nth, drawn));
        let busy = if hangs { FOREVER } else { busy };
        let planes = self.fold.planes();
        let failed = (0..planes).fold(hangs, |any, _| self.failures.program(&mut die.faults) | any);
        let is_last = pass + 1 == self.programming.passes;
        if self.programming.passes > 1 {
            die.passes = (!failed).then_some((row, pass + 1));
        }
        if failed || !is_last {
            let programmed = self.make_way(at);
            self.blocks.program(at, NewContent::Undefined);
            self.blocks.set_metadata(at, None);
            self.blocks.reach(at.block, programmed);
            self.keep_page(at);
            return Worked { busy, failed };
        }
        let Some(at) = self.lands(at, metadata) else { return Worked { busy, failed } };
        let programmed = self.make_way(at);
        let blocks = &mut self.blocks;
        match (&mut self.contents, page) {
            (Contents::Stamps(pages), PageRef::Stamps(stamps)) => {
                pages.program(blocks, Incoming { at, metadata, data: stamps });
            }
            (Contents::Stamps(pages), PageRef::Log(data)) => {
                pages.program_log(blocks, Incoming { at, metadata, data });
            }
            (Contents::Bytes(pages), PageRef::Bytes(data) | PageRef::Log(data)) => {
                pages.program(blocks, Incoming { at, metadata, data });
            }
            _ => panic!("a page not in the form of the payload"),
        }
        self.blocks.set_metadata(at, Some(metadata));
        self.blocks.reach(at.block, programmed);
        self.keep_page(at);
        Worked { busy, failed }
    }

    /// The pass that a program of a row is, from 0.
    #[inline]
    fn pass_of(&self, die: u32, row: u32) -> u32 {
        let passes = self.dies[die as usize].passes;
        passes
            .filter(|&(own, done)| own == row && done < self.programming.passes)
            .map_or(0, |of| of.1)
    }

    /// Erases a block. If it fails, the block is as it was, its cycles included; if the chip hangs, its pages are undefined.
    ///
    /// # Panics
    /// If the block is bad from the factory.
    pub fn erase(&mut self, die: u32, block: u32) -> Worked {
        let index = self.good(die, block);
        let state = &mut self.dies[die as usize];
        (state.register, state.passes) = (Register::default(), None);
        let busy = state.erase_time(&self.deviations);
        let drawn = self.failures.hang(&mut state.faults);
        let hangs = self.hung.as_mut().is_some_and(|hung| hung.told(die, drawn));
        let planes = self.fold.planes();
        let failed = (0..planes).fold(false, |any, _| self.failures.erase(&mut state.faults) | any);
        if hangs {
            self.blocks.tear_all(index);
            self.keep_block(index);
            return Worked { busy: FOREVER, failed: true };
        }
        if !failed {
            self.clear(index);
        }
        Worked { busy, failed }
    }

    /// Mapping units of a page.
    pub fn units(&self) -> u32 {
        self.units
    }

    /// Erases that a block went through.
    pub fn cycles(&self, die: u32, block: u32) -> u32 {
        self.blocks.cycles(self.blocks.index(die, block))
    }

    /// A page is what it is now in the image too.
    #[inline]
    fn keep_page(&self, at: Place) {
        let Some(image) = &self.image else { return };
        if let Some(words) = self.blocks.page_words(at) {
            let (page, erases) = (number(image, at), self.blocks.cycles(at.block));
            image.put_page(PageRecord { page, erases, words });
        }
    }

    /// A block is what it is now in the image too.
    fn keep_block(&self, block: usize) {
        if let Some(image) = &self.image {
            image.put_block(block as u32, self.blocks.record(block));
        }
    }

    /// The image that the chips are in.
    pub fn image(&self) -> Option<&Image> {
        self.image.as_deref()
    }

    /// Whether the image could not be written: what the chips are told is not kept any more.
    #[inline]
    pub fn is_lost(&self) -> bool {
        self.image.as_ref().is_some_and(|image| image.has_fault())
    }

    fn clear(&mut self, block: usize) {
        match &mut self.contents {
            Contents::Stamps(pages) => pages.forget(&self.blocks, block),
            Contents::Bytes(pages) => pages.forget(&self.blocks, block),
        }
        self.blocks.erase(block);
        self.forget_strays(block);
        if let Some(aging) = &mut self.aging {
            self.fold.blocks(block).for_each(|one| aging.erase(one));
        }
        self.keep_block(block);
        self.wear.reach(self.blocks.cycles(block));
    }
}
