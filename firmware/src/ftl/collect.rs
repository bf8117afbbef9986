//! Garbage collection: greedy, in the way that runs out of pages (BlueSSD section 3.4).
//!
//! One free block of each way is the reserve. The closed block with the most invalid pages is the
//! victim: its valid pages move to the open block, which the reserve becomes when nothing else is
//! left, and the victim, erased, is free again.
//!
//! There are two policies. On demand, a way that has no page for new data collects a whole victim
//! before it takes any. Ahead of need, each way keeps some free pages: victims are collected page by
//! page while the way has nothing else to do. New data that come faster than that find the reserve
//! opened, and collection goes on by as many pages a write as it takes to empty the victim before
//! the reserve is full.
//!
//! Every step changes map and blocks at once; the moves are queued behind what the way has to do
//! already, and each way works its queue in order, so a read that was translated before still finds
//! its page.

use contract::Lpn;

use super::map::Ppn;
use super::translate::Translator;
use crate::operations::Page;

/// Of the pages of a block, one in this many has to be invalid for the block to be collected before
/// its way is in need: a drive at rest would wear itself out for a page or two otherwise.
const WORTH_COLLECTING: u32 = 32;

/// Where a collection's moves go: the way's queue, or straight to the media.
pub trait Moves {
    /// Ways of a channel that have nothing to do, a bit a way.
    fn idle_ways(&self, channel: usize) -> u64;
    /// A victim was chosen.
    fn victim(&mut self);
    /// Copies the page that holds `lpn`.
    fn copy(&mut self, lpn: Lpn, from: Page, to: Page);
    /// Erases a block of a way.
    fn erase(&mut self, die: u32, block: u32);
}

/// Sees to it that a way has an open block with a page for new data. False when none of its closed
/// blocks has an invalid page, or the reserve itself was lost.
pub(crate) fn make_room(t: &mut Translator, die: u32, moves: &mut impl Moves) -> bool {
    loop {
        let (left, free) = (t.blocks.left(die), t.blocks.free_count(die));
        match (left, free, t.blocks.left_in_victim(die)) {
            // The last free block is full before its victim is empty: a spare stands in for a
            // victim, and none is left for the block that took its pages.
            (_, 0, Some(valid)) if left < valid => return false,
            // The reserve is in use. The victim has to be empty before it is full.
            (_, 0, Some(valid)) if left > valid => {
                for _ in 0..valid.div_ceil(left - valid).max(1) {
                    step(t, die, moves);
                }
                return true;
            }
            (_, 0, Some(_)) => finish(t, die, moves),
            (1.., _, _) => return true,
            (0, 2.., _) => t.blocks.open_next(die),
            (0, 1, Some(_)) => t.blocks.open_next(die),
            (0, 1, None) if begin(t, die, moves) => {
                if t.free_pages_kept == 0 {
                    t.blocks.open_next(die);
                    finish(t, die, moves);
                }
            }
            (0, 0 | 1, None) => return false,
        }
    }
}

/// Does a little of the collection of a way that has nothing else to do: moves a page, or erases a
/// victim. False when the way has the free pages that it is to have, or no block is worth it.
pub(crate) fn collect_ahead(t: &mut Translator, die: u32, moves: &mut impl Moves) -> bool {
    if t.blocks.victim(die).is_none() {
        let pages = t.geometry().pages_per_block;
        let blocks = t.blocks.free_count(die).saturating_sub(1);
        let enough = t.blocks.left(die) + blocks * pages >= t.free_pages_kept;
        let worth_it = t.blocks.most_invalid(die) >= pages.div_ceil(WORTH_COLLECTING);
        if enough || !worth_it || !begin(t, die, moves) {
            return false;
        }
    }
    step(t, die, moves)
}

/// Chooses a victim, if there is one.
fn begin(t: &mut Translator, die: u32, moves: &mut impl Moves) -> bool {
    let begun = t.blocks.begin_collection(die).is_some();
    if begun {
        moves.victim();
    }
    begun
}

/// Collects the rest of the victim.
fn finish(t: &mut Translator, die: u32, moves: &mut impl Moves) {
    while t.blocks.victim(die).is_some() && step(t, die, moves) {}
}

/// Moves the next valid page of the victim, and frees the victim with its last. False when no
/// block is left to move it to.
fn step(t: &mut Translator, die: u32, moves: &mut impl Moves) -> bool {
    let Some((victim, first)) = t.blocks.victim(die) else { return false };
    let g = t.geometry();
    if t.blocks.valid(die, victim) > 0 {
        if t.blocks.left(die) == 0 {
            if t.blocks.free_count(die) == 0 {
                return false;
            }
            t.blocks.open_next(die);
        }
        let at = |page| Page { die, row: victim * g.pages_per_block + page };
        let owner = |page| t.map.owner(Ppn(die * g.rows_per_way() + at(page).row));
        let (page, lpn) = (first..g.pages_per_block)
            .find_map(|page| Some((page, owner(page)?)))
            .expect("a valid page has an owner");
        let to = Page { die, row: t.blocks.take_page(die) };
        t.blocks.collected_to(die, page + 1);
        t.assign(lpn, to);
        moves.copy(lpn, at(page), to);
        t.collected.pages += 1;
    }
    if t.blocks.valid(die, victim) == 0 {
        let block = t.blocks.reclaim(die);
        t.collected.blocks += 1;
        moves.erase(die, block);
    }
    true
}

#[cfg(test)]
#[path = "collect_tests.rs"]
mod tests;
