//! Garbage collection in the way that runs out of pages (BlueSSD section 3.4).
//!
//! One free superblock of each way is the reserve, or two where the power may cut a collection off. The
//! board's policy ([`super::victim`]) chooses one of the closed ones
//! as the victim: its valid pages move to the open superblock, which the reserve becomes when nothing else is
//! left, and the victim, erased, is free again. As many pages move together as fill a row of all planes.
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

use contract::{Lpn, Streams};

use super::blocks::{Stream, MOST_PLANES};
use super::map::Ppn;
use super::streams::{left_in_all, stream_of_moves};
use super::translate::Translator;
use super::victim::{emptiest, Way};
use crate::operations::Page;

/// Of the pages of a superblock, one in this many has to be invalid for it to be collected before its
/// way is in need: a drive at rest would wear itself out for a page or two otherwise.
const WORTH_COLLECTING: u32 = 32;

/// Where a collection's moves go: the way's queue, or straight to the media.
pub trait Moves {
    /// Ways of a channel that have nothing to do, a bit a way.
    fn idle_ways(&self, channel: usize) -> u64;
    /// A victim was chosen.
    fn victim(&mut self);
    /// A superblock of a way was opened for a stream, at this sequence number.
    fn opened(&mut self, way: (u32, Stream), superblock: u32, sequence: u64);
    /// Copies pages of a way, at most one for each plane of a superblock.
    fn copy(&mut self, die: u32, moved: &[Move]);
    /// Erases a block of a way.
    fn erase(&mut self, die: u32, block: u32);
}

/// A page that moves in its way, from row to row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// What it holds.
    pub lpn: Lpn,
    /// Where it is.
    pub from: u32,
    /// Where it will be.
    pub to: u32,
    /// When that was planned.
    pub sequence: u64,
}

/// Sees to it that a way has an open superblock with a page for new data. False when none of its closed
/// blocks has an invalid page, or the reserve itself was lost.
pub(crate) fn make_room(t: &mut Translator, die: u32, moves: &mut impl Moves) -> bool {
    let reserve = t.reserve;
    let mut refilled = false;
    loop {
        let (left, free) = (t.blocks.left(die, Stream::Host), t.blocks.free_count(die));
        match (left, t.blocks.left_in_victim(die)) {
            // The last free block is full before its victim is empty: a spare stands in for a
            // victim, and none is left for the block that took its pages.
            (_, Some(valid)) if free == 0 && left < valid => return false,
            // The reserve is in use. The victim has to be empty before it is full.
            (_, Some(valid)) if free < reserve && left > valid => {
                move_share(t, die, (left - valid, valid), moves);
                return true;
            }
            (_, Some(_)) if free < reserve => finish(t, die, moves),
            // A power loss has cut off a collection, and the reserve is used up in part.
            (1.., None) if free < reserve && reserve > 1 && !refilled => {
                refilled = true;
                if !refill(t, die, moves) && free == 0 {
                    return false;
                }
            }
            (1.., _) => return true,
            (0, _) if free > reserve => open(t, (die, Stream::Host), moves),
            (0, Some(_)) => open(t, (die, Stream::Host), moves),
            (0, None) if free > 0 && begin(t, die, moves) => {
                if t.free_pages_kept == 0 {
                    open(t, (die, Stream::Host), moves);
                    finish(t, die, moves);
                }
            }
            (0, None) => return false,
        }
    }
}

/// Collects a superblock of a way whose valid pages fit into what is open. False if there is none.
pub(super) fn refill(t: &mut Translator, die: u32, moves: &mut impl Moves) -> bool {
    let invalid = t.blocks.most_invalid(die);
    let fits = t.blocks.superblock_pages() - invalid <= left_in_all(t, die);
    if invalid == 0 || !fits {
        return false;
    }
    let emptiest = emptiest(&Way::new(&t.blocks, die, invalid));
    t.refresh.collected(&t.blocks, die, emptiest);
    t.blocks.begin_collection(die, emptiest);
    moves.victim();
    finish(t, die, moves);
    true
}

/// Moves a placement's share of the `valid` pages of a way's victim, when `room` more can be placed before
/// the reserve is lost. Placements fill rows of all planes, and moves fill others, so that each can be
/// programmed at once: a row's share is moved before its first page is placed.
pub(super) fn move_share(
    t: &mut Translator,
    die: u32,
    (room, valid): (u32, u32),
    moves: &mut impl Moves,
) {
    let planes = t.blocks.planes();
    if t.blocks.left_in_row(die, Stream::Host) % planes != 0 {
        return;
    }
    let share = match room / planes {
        0 => valid,
        rows => valid.div_ceil(rows),
    };
    let rest = valid.saturating_sub(share.max(1));
    while step(t, die, moves) && t.blocks.left_in_victim(die).is_some_and(|left| left > rest) {}
}

/// Does a little of the collection of a way that has nothing else to do: moves a page, or a row of all
/// planes, or erases a victim. False when the way has the free pages that it is to have, or no block is worth it.
pub(crate) fn collect_ahead(t: &mut Translator, die: u32, moves: &mut impl Moves) -> bool {
    if t.blocks.victim(die).is_none() {
        let pages = t.blocks.superblock_pages();
        let blocks = t.blocks.free_count(die).saturating_sub(t.reserve);
        let enough = left_in_all(t, die) + blocks * pages >= t.free_pages_kept;
        let worth_it = t.blocks.most_invalid(die) >= pages.div_ceil(WORTH_COLLECTING);
        // A way that lacks a part of its reserve takes what fits into what is open.
        let short = t.streams == Streams::Apart && t.blocks.free_count(die) < t.reserve;
        let due = t.refresh.is_due(die);
        if short || !due && (enough || !worth_it) || !begin(t, die, moves) {
            return false;
        }
    }
    step(t, die, moves)
}

/// Opens the next free superblock of a way for a stream.
pub(super) fn open(t: &mut Translator, (die, stream): (u32, Stream), moves: &mut impl Moves) {
    let superblock = t.blocks.open_next(die, stream);
    if t.blocks.take_unclean(die, superblock) {
        t.blocks.count_erase(die, superblock);
        for &block in t.blocks.members(die, superblock) {
            moves.erase(die, block);
        }
    }
    let sequence = t.next_sequence();
    moves.opened((die, stream), superblock, sequence);
}

/// Chooses a victim, if there is one.
pub(super) fn begin(t: &mut Translator, die: u32, moves: &mut impl Moves) -> bool {
    let most_invalid = t.blocks.most_invalid(die);
    let whole_reserve = t.blocks.free_count(die) >= t.reserve;
    let weak = if whole_reserve { t.refresh.next(&mut t.blocks, die) } else { None };
    if weak.is_none() && most_invalid == 0 {
        return false;
    }
    let due = match weak {
        None if whole_reserve => t.wear.due(&t.blocks, die),
        weak => weak,
    };
    let victim = due.unwrap_or_else(|| t.victims.choose(&Way::new(&t.blocks, die, most_invalid)));
    t.refresh.collected(&t.blocks, die, victim);
    t.blocks.begin_collection(die, victim);
    moves.victim();
    true
}

/// Collects the rest of the victim.
pub(super) fn finish(t: &mut Translator, die: u32, moves: &mut impl Moves) {
    while t.blocks.victim(die).is_some() && step(t, die, moves) {}
}

/// Moves the next valid pages of the victim, as many as the row of the open superblock takes, and frees
/// the victim with its last. False when nothing is left to move them to.
fn step(t: &mut Translator, die: u32, moves: &mut impl Moves) -> bool {
    let Some((victim, first)) = t.blocks.victim(die) else { return false };
    let valid = t.blocks.valid(die, victim);
    if valid > 0 {
        let stream = stream_of_moves(t, die);
        if t.blocks.left(die, stream) == 0 {
            if t.blocks.free_count(die) == 0 {
                return false;
            }
            open(t, (die, stream), moves);
        }
        let count = valid.min(t.blocks.left_in_row(die, stream)) as usize;
        let mut moved = [Move { lpn: Lpn(0), from: 0, to: 0, sequence: 0 }; MOST_PLANES];
        let mut page = first;
        for one in &mut moved[..count] {
            (one.lpn, one.from, page) = next_valid(t, die, (victim, page));
            one.to = t.blocks.take_page(die, stream);
            t.assign(one.lpn, Page { die, row: one.to });
            one.sequence = t.sequence;
        }
        t.blocks.collected_to(die, page);
        moves.copy(die, &moved[..count]);
        t.collected.pages += count as u64;
    }
    if t.blocks.valid(die, victim) == 0 {
        let superblock = t.blocks.reclaim(die);
        t.collected.blocks += u64::from(t.blocks.planes());
        for &block in t.blocks.members(die, superblock) {
            moves.erase(die, block);
        }
    }
    true
}

/// The first valid page of a victim from a page on: what it holds, its row, and the page behind it.
pub(super) fn next_valid(t: &Translator, die: u32, (victim, first): (u32, u32)) -> (Lpn, u32, u32) {
    let base = die * t.geometry().rows_per_way();
    (first..t.blocks.superblock_pages())
        .find_map(|page| {
            let row = t.blocks.row(die, victim, page);
            Some((t.map.owner(Ppn(base + row))?, row, page + 1))
        })
        .expect("a valid page has an owner")
}

#[cfg(test)]
#[path = "collect_tests.rs"]
mod tests;
