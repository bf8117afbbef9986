//! Preconditioning: the state that writing the drive would have left, without the time it takes.
//!
//! A fill is a formula and costs nothing. The steady state comes from overwrites that go through
//! the same placement and collection as the host's writes, with the moves done on the spot: of a small drive,
//! from which the whole one is drawn ([`super::draw`]), or of the drive itself.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use contract::{Lpn, Metadata};

use super::blocks::Stream;
use super::draw::Whole;
use super::fill::FillOrder;
use super::moves::{Move, Moves};
use super::origin::Origin;
use super::translate::Translator;
use crate::operations::Page;

/// The state to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// As new.
    None,
    /// All written once, in order.
    Sequential,
    /// All written once, a flash page at a time, in the order of a permutation.
    Random(u64),
    /// As what follows leaves, drawn from a small drive that really went through it, where that is possible.
    Steady(u64),
    /// As `Sequential`, then single mapping units overwritten at random until write amplification settles.
    SteadyRun(u64),
}

/// What preconditioning does to the flash chips.
pub trait Media {
    /// Whether a block is bad from the factory.
    fn factory_bad(&self, die: u32, block: u32) -> bool;
    /// Whether they can start from a state that is drawn.
    fn takes_drawn(&self) -> bool;
    /// They start from a formula.
    fn start(&mut self, origin: &Origin);
    /// A block was erased so often before.
    fn worn(&mut self, die: u32, block: u32, erases: u32);
    /// A page is programmed with the preconditioned data of logical pages, its mapping units.
    fn program(&mut self, page: Page, lpns: &[Lpn]);
    /// A block is erased.
    fn erase(&mut self, die: u32, block: u32);
    /// A page of the log is programmed.
    fn log(&mut self, page: Page, metadata: Metadata, bytes: &[u8]);
}

/// The sequence of pages that `Steady` overwrites.
#[derive(Clone, Debug)]
pub struct Overwrites {
    pages: u64,
    state: u64,
    /// Pages of it that came so far.
    count: u64,
}

impl Overwrites {
    /// The sequence for a drive of `pages` logical pages.
    pub fn new(pages: u32, seed: u64) -> Self {
        Overwrites { pages: u64::from(pages), state: seed, count: 0 }
    }
}

impl Iterator for Overwrites {
    type Item = Lpn;
    fn next(&mut self) -> Option<Lpn> {
        let draw = random::next(&mut self.state) >> 32;
        self.count += 1;
        Some(Lpn(((draw * self.pages) >> 32) as u32))
    }
}

/// Random draws, the same ones for a seed.
#[derive(Clone, Debug)]
pub(super) struct Draws(u64);

impl Draws {
    /// The draws of a seed.
    pub fn new(seed: u64) -> Self {
        Draws(seed)
    }

    /// Any number.
    pub fn next(&mut self) -> u64 {
        random::next(&mut self.0)
    }

    /// A number below another one.
    pub fn below(&mut self, end: u32) -> u32 {
        (((self.next() >> 32) * u64::from(end)) >> 32) as u32
    }

    /// A number around 0 with this standard deviation, as the sum of twelve draws has it.
    pub fn around(&mut self, deviation: i64) -> i64 {
        let sum: i64 = (0..12).map(|_| i64::from(self.below(1 << 16))).sum();
        (deviation * (sum - (6 << 16))) >> 16
    }

    /// Puts numbers into an order.
    pub fn shuffle(&mut self, all: &mut [u32]) {
        for end in (2..=all.len()).rev() {
            all.swap(end - 1, self.below(end as u32) as usize);
        }
    }
}

struct Direct<'a, M>(&'a mut M);

impl<M: Media> Direct<'_, M> {
    fn program(&mut self, page: Page, lpns: impl Iterator<Item = Lpn>) {
        let mut units = [Lpn(0); Metadata::MOST_UNITS];
        let mut count = 0;
        for (unit, lpn) in units.iter_mut().zip(lpns) {
            *unit = lpn;
            count += 1;
        }
        self.0.program(page, &units[..count]);
    }
}

impl<M: Media> Moves for Direct<'_, M> {
    fn idle_ways(&self, _channel: usize) -> u64 {
        u64::MAX
    }
    fn victim(&mut self) {}
    fn opened(&mut self, _way: (u32, Stream), _superblock: u32, _sequence: u64) {}
    fn copy(&mut self, _die: u32, moved: &[Move]) {
        for page in moved.chunk_by(|a, b| a.to.page == b.to.page) {
            self.program(page[0].to.page, page.iter().map(|one| one.lpn));
        }
    }
    fn erase(&mut self, die: u32, block: u32) {
        self.0.erase(die, block);
    }
}

/// Windows of overwrites after which the write amplification is compared.
const WINDOWS_A_DRIVE: u32 = 4;
/// Most windows: five times the drive.
const MOST_WINDOWS: u32 = 20;
/// Windows whose write amplification differs by less than 1 part in this many are equal.
const SETTLED: u64 = 50;
/// Page writes between two looks of who watches.
const WRITES_A_LOOK: u64 = 4096;

/// How far preconditioning has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preconditioned {
    /// Pages written so far; a fill that is a formula writes none.
    pub written: u64,
    /// Pages that are written at most. The steady state may be reached long before.
    pub most: u64,
    /// Why the pages of the drive itself are overwritten; none if they are those of a small one, or the state is no steady
    /// one.
    pub whole: Option<Whole>,
}

/// Writes pages at once, and tells who watches.
pub(super) struct Writer<'a, M, W> {
    media: &'a mut M,
    watch: &'a mut W,
    pub progress: Preconditioned,
    /// Logical pages that wait until they fill a page, in the order in which they were written last.
    waiting: Vec<Lpn>,
}

impl<'a, M: Media, W: FnMut(Preconditioned) -> ControlFlow<()>> Writer<'a, M, W> {
    /// Nothing is written yet.
    pub fn new(media: &'a mut M, watch: &'a mut W, whole: Option<Whole>) -> Self {
        let progress = Preconditioned { written: 0, most: 0, whole };
        Writer { media, watch, progress, waiting: Vec::new() }
    }

    /// Writes one logical page. If it fills a page with others, that is programmed, and the drive then has the time that
    /// it takes to collect ahead of need.
    pub fn write(&mut self, t: &mut Translator, lpn: Lpn) -> ControlFlow<()> {
        self.waiting.retain(|&waiting| waiting != lpn);
        self.waiting.push(lpn);
        if self.waiting.len() == t.units_per_page() as usize {
            self.program(t);
        }
        self.progress.written += 1;
        if self.progress.written % WRITES_A_LOOK == 0 {
            (self.watch)(self.progress)?;
        }
        ControlFlow::Continue(())
    }

    /// Programs the first of what waits.
    fn program(&mut self, t: &mut Translator) {
        let program = |direct: &mut Direct<'_, M>, page, (lpns, moved): (&[Lpn], &[Move])| {
            let moved = moved.iter().map(|one| one.lpn);
            direct.program(page, lpns.iter().copied().chain(moved));
        };
        let count = t.place_some(&self.waiting, &mut Direct(self.media), program);
        self.waiting.drain(..count.expect("an unworn drive takes every page"));
        while t.collect_ahead(&mut Direct(self.media)) {}
    }
}

impl Translator {
    /// Brings an untouched drive into a state. Returns the overwrites done to it, unless `watch` broke it
    /// off, which leaves a drive of no use.
    pub fn precondition<M: Media, W: FnMut(Preconditioned) -> ControlFlow<()>>(
        &mut self,
        state: Precondition,
        media: &mut M,
        watch: &mut W,
    ) -> ControlFlow<(), u64> {
        let (seed, whole) = match state {
            Precondition::None => return ControlFlow::Continue(0),
            Precondition::Sequential => {
                self.fill(FillOrder::Sequential, &mut Writer::new(media, watch, None))?;
                return ControlFlow::Continue(0);
            }
            Precondition::Random(seed) => {
                self.fill(FillOrder::Permuted(seed), &mut Writer::new(media, watch, None))?;
                return ControlFlow::Continue(0);
            }
            Precondition::Steady(seed) if !media.takes_drawn() => (seed, Whole::Kept),
            Precondition::Steady(seed) => match self.small() {
                Ok(small) if self.draw((&small, seed), media, watch)? => {
                    return ControlFlow::Continue(0);
                }
                Ok(_) => (seed, Whole::Ways),
                Err(whole) => (seed, whole),
            },
            Precondition::SteadyRun(seed) => (seed, Whole::Asked),
        };
        let mut writer = Writer::new(media, watch, Some(whole));
        let overwritten = self.overwrite(seed, &mut writer)?;
        ControlFlow::Continue(overwritten.count)
    }

    /// Writes every page once.
    fn fill<M: Media, W: FnMut(Preconditioned) -> ControlFlow<()>>(
        &mut self,
        order: FillOrder,
        writer: &mut Writer<'_, M, W>,
    ) -> ControlFlow<()> {
        let pages = self.map.pages();
        if let Some(origin) = self.start_filled(pages / self.units_per_page(), order) {
            writer.media.start(origin);
            return ControlFlow::Continue(());
        }
        writer.progress.most += u64::from(pages);
        self.fill_page_by_page(order, writer)
    }

    /// Writes every page once, then overwrites pages, a window at a time, until collection has as much to do in one as in
    /// the one before. Returns the overwrites that would follow.
    pub(super) fn overwrite<M: Media, W: FnMut(Preconditioned) -> ControlFlow<()>>(
        &mut self,
        seed: u64,
        writer: &mut Writer<'_, M, W>,
    ) -> ControlFlow<(), Overwrites> {
        let pages = self.map.pages();
        let window = (pages / WINDOWS_A_DRIVE).max(1);
        let mut overwrites = Overwrites::new(pages, seed);
        writer.progress.most = u64::from(MOST_WINDOWS) * u64::from(window);
        self.fill(FillOrder::Sequential, writer)?;
        let mut before = None;
        for _ in 0..MOST_WINDOWS {
            let moved = self.collected.pages;
            for lpn in overwrites.by_ref().take(window as usize) {
                writer.write(self, lpn)?;
            }
            let moved = (self.collected.pages - moved) * u64::from(self.units_per_page());
            let settled = before.is_some_and(|before| {
                moved > 0 && moved.abs_diff(before) * SETTLED < moved + u64::from(window)
            });
            if settled {
                break;
            }
            before = Some(moved);
        }
        ControlFlow::Continue(overwrites)
    }

    fn fill_page_by_page<M: Media, W: FnMut(Preconditioned) -> ControlFlow<()>>(
        &mut self,
        order: FillOrder,
        writer: &mut Writer<'_, M, W>,
    ) -> ControlFlow<()> {
        let units = self.units_per_page();
        let pages = self.map.pages() / units;
        for page in order.pages(pages) {
            for unit in 0..units {
                writer.write(self, Lpn(page * units + unit))?;
            }
        }
        while !writer.waiting.is_empty() {
            writer.program(self);
        }
        ControlFlow::Continue(())
    }
}
