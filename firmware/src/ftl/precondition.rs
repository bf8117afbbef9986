//! Preconditioning: the state that writing the drive would have left, without the time it takes.
//!
//! A fill is a formula and costs nothing. The steady state comes from overwrites that go through
//! the same placement and collection as the host's writes, with the moves done on the spot.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use contract::{Lpn, Metadata};

use super::blocks::Stream;
use super::collect::{Move, Moves};
use super::fill::{next_random, Fill, FillOrder};
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
    /// As `Sequential`, then single mapping units overwritten at random until write amplification settles.
    Steady(u64),
}

/// What preconditioning does to the flash chips.
pub trait Media {
    /// Whether a block is bad from the factory.
    fn factory_bad(&self, die: u32, block: u32) -> bool;
    /// They start from a fill.
    fn fill(&mut self, fill: &Fill);
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
}

impl Overwrites {
    /// The sequence for a drive of `pages` logical pages.
    pub fn new(pages: u32, seed: u64) -> Self {
        Overwrites { pages: u64::from(pages), state: seed }
    }
}

impl Iterator for Overwrites {
    type Item = Lpn;
    fn next(&mut self) -> Option<Lpn> {
        let draw = next_random(&mut self.state) >> 32;
        Some(Lpn(((draw * self.pages) >> 32) as u32))
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
}

/// Writes pages at once, and tells who watches.
struct Writer<'a, M, W> {
    media: &'a mut M,
    watch: &'a mut W,
    progress: Preconditioned,
    /// Logical pages that wait until they fill a page, in the order in which they were written last.
    waiting: Vec<Lpn>,
}

impl<M: Media, W: FnMut(Preconditioned) -> ControlFlow<()>> Writer<'_, M, W> {
    /// Writes one logical page. If it fills a page with others, that is programmed, and the drive then has the time that
    /// it takes to collect ahead of need.
    fn write(&mut self, t: &mut Translator, lpn: Lpn) -> ControlFlow<()> {
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
    /// Brings an untouched drive into a state. Returns the overwrites done, unless `watch` broke it
    /// off, which leaves a drive of no use.
    pub fn precondition<M: Media, W: FnMut(Preconditioned) -> ControlFlow<()>>(
        &mut self,
        state: Precondition,
        media: &mut M,
        watch: &mut W,
    ) -> ControlFlow<(), u64> {
        let (order, seed) = match state {
            Precondition::None => return ControlFlow::Continue(0),
            Precondition::Sequential => (FillOrder::Sequential, None),
            Precondition::Random(seed) => (FillOrder::Permuted(seed), None),
            Precondition::Steady(seed) => (FillOrder::Sequential, Some(seed)),
        };
        let pages = self.map.pages();
        let window = (pages / WINDOWS_A_DRIVE).max(1);
        let overwrites =
            if seed.is_some() { u64::from(MOST_WINDOWS) * u64::from(window) } else { 0 };
        let progress = Preconditioned { written: 0, most: overwrites };
        let mut writer = Writer { media, watch, progress, waiting: Vec::new() };
        if let Some(fill) = self.start_filled(pages / self.units_per_page(), order) {
            writer.media.fill(fill);
        } else {
            writer.progress.most += u64::from(pages);
            self.fill_page_by_page(order, &mut writer)?;
        }
        match seed {
            None => ControlFlow::Continue(0),
            Some(seed) => self.settle((Overwrites::new(pages, seed), window), &mut writer),
        }
    }

    /// Overwrites pages, a window at a time, until collection has as much to do in one as in the one
    /// before.
    fn settle<M: Media, W: FnMut(Preconditioned) -> ControlFlow<()>>(
        &mut self,
        (mut overwrites, window): (Overwrites, u32),
        writer: &mut Writer<'_, M, W>,
    ) -> ControlFlow<(), u64> {
        let mut before = None;
        for nth in 1..=MOST_WINDOWS {
            let moved = self.collected.pages;
            for lpn in overwrites.by_ref().take(window as usize) {
                writer.write(self, lpn)?;
            }
            let moved = (self.collected.pages - moved) * u64::from(self.units_per_page());
            let settled = before.is_some_and(|before| {
                moved > 0 && moved.abs_diff(before) * SETTLED < moved + u64::from(window)
            });
            if settled {
                return ControlFlow::Continue(u64::from(nth) * u64::from(window));
            }
            before = Some(moved);
        }
        ControlFlow::Continue(u64::from(MOST_WINDOWS) * u64::from(window))
    }

    fn fill_page_by_page<M: Media, W: FnMut(Preconditioned) -> ControlFlow<()>>(
        &mut self,
        order: FillOrder,
        writer: &mut Writer<'_, M, W>,
    ) -> ControlFlow<()> {
        let units = self.units_per_page();
        let pages = self.map.pages() / units;
        let permutation = match order {
            FillOrder::Sequential => None,
            FillOrder::Permuted(seed) => Some(super::fill::Permutation::new(pages, seed)),
        };
        for rank in 0..pages {
            let page = permutation.map_or(rank, |p| p.backward(rank));
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
