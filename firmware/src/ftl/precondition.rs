//! Preconditioning: the state that writing the drive would have left, without the time it takes.
//!
//! A fill is a formula and costs nothing. The steady state comes from overwrites that go through
//! the same placement and collection as the host's writes, with the moves done on the spot.

use contract::Lpn;

use super::collect::Moves;
use super::fill::{next_random, Fill, FillOrder};
use super::translate::{Page, Translator};

/// The state to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// As new.
    None,
    /// Every logical page written once, in order.
    Sequential,
    /// Every logical page written once, in the order of a permutation.
    Random(u64),
    /// As `Sequential`, then single pages overwritten at random until write amplification settles.
    Steady(u64),
}

/// What preconditioning does to the flash chips.
pub trait Media {
    /// They start from a fill.
    fn fill(&mut self, fill: &Fill);
    /// A page is programmed with the preconditioned data of `lpn`.
    fn program(&mut self, page: Page, lpn: Lpn);
    /// A block is erased.
    fn erase(&mut self, die: u32, block: u32);
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

impl<M: Media> Moves for Direct<'_, M> {
    fn victim(&mut self) {}
    fn copy(&mut self, lpn: Lpn, _from: Page, to: Page) {
        self.0.program(to, lpn);
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

impl Translator {
    /// Brings an untouched drive into a state. Returns the overwrites done.
    pub fn precondition(&mut self, state: Precondition, media: &mut impl Media) -> u64 {
        let pages = self.map.pages();
        match state {
            Precondition::None => return 0,
            Precondition::Sequential | Precondition::Steady(_) => {
                self.fill_with(FillOrder::Sequential, media);
            }
            Precondition::Random(seed) => self.fill_with(FillOrder::Permuted(seed), media),
        }
        let Precondition::Steady(seed) = state else { return 0 };
        let mut overwrites = Overwrites::new(pages, seed);
        let window = (pages / WINDOWS_A_DRIVE).max(1);
        let mut before = None;
        for nth in 1..=MOST_WINDOWS {
            let moved = self.collected.pages;
            for lpn in overwrites.by_ref().take(window as usize) {
                self.write_now(lpn, media);
            }
            let moved = self.collected.pages - moved;
            let settled = before.is_some_and(|before| {
                moved > 0 && moved.abs_diff(before) * SETTLED < moved + u64::from(window)
            });
            if settled {
                return u64::from(nth) * u64::from(window);
            }
            before = Some(moved);
        }
        u64::from(MOST_WINDOWS) * u64::from(window)
    }

    /// Writes one page at once.
    fn write_now(&mut self, lpn: Lpn, media: &mut impl Media) {
        let page = self.place(lpn, &mut Direct(media)).expect("an unworn drive takes every page");
        media.program(page, lpn);
    }

    fn fill_with(&mut self, order: FillOrder, media: &mut impl Media) {
        let pages = self.map.pages();
        if let Some(fill) = self.start_filled(pages, order) {
            media.fill(fill);
            return;
        }
        let permutation = match order {
            FillOrder::Sequential => None,
            FillOrder::Permuted(seed) => Some(super::fill::Permutation::new(pages, seed)),
        };
        for rank in 0..pages {
            let lpn = permutation.map_or(rank, |p| p.backward(rank));
            self.write_now(Lpn(lpn), media);
        }
    }
}
