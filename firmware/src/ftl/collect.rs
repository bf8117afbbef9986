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
//! Pages of several mapping units are packed with the valid ones of a victim. The last of these rarely fill a page:
//! they wait until new data are placed in the way, and share the page of those. Their map changes then, and the
//! victim is free.
//!
//! Every step changes map and blocks at once; the moves are queued behind what the way has to do
//! already, and each way works its queue in order, so a read that was translated before still finds
//! its page.

use core::ops::Range;

use contract::{Lpn, Metadata};

use super::blocks::{Stream, MOST_PLANES};
use super::moves::{Move, Moves};
use super::streams::{left_in_all, stream_of_moves};
use super::translate::{CollectedFor, Translator};
use super::victim::{emptiest, Way};
use crate::operations::{Page, Place};

/// Of the mapping units of a superblock, one in this many has to be invalid for it to be collected before its
/// way is in need: a drive at rest would wear itself out for a page or two otherwise.
const WORTH_COLLECTING: u32 = 32;

/// Most mapping units of a page of which the channel joins operations over planes: 32 KiB of 4 KiB, and some to spare.
const MOST_JOINED_UNITS: usize = 16;

/// Most mapping units that move together: a row of all planes.
const MOST_MOVES: usize = MOST_PLANES * MOST_JOINED_UNITS;

const _: () = assert!(MOST_MOVES >= Metadata::MOST_UNITS, "a page moves as a whole");

/// What becomes of the last mapping units of a victim, which do not fill a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    /// They wait for new data to share a page with.
    Waits,
    /// They get a page of their own.
    Moves,
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
            (_, Some(valid)) if free == 0 && left < valid + rest_of_victim(t, die) => return false,
            // What is left of the victim waits for a page of new data.
            (0, Some(0)) if rest_of_victim(t, die) > 0 => open(t, (die, Stream::Host), moves),
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

/// Pages, one at most, that the valid mapping units of a way's victim need beyond those that they fill.
pub(super) fn rest_of_victim(t: &Translator, die: u32) -> u32 {
    let units = t.blocks.units_in_victim(die).unwrap_or(0);
    u32::from(units % t.blocks.units_per_page() > 0)
}

/// Collects a superblock of a way whose valid data fit into what is open. False if there is none.
pub(super) fn refill(t: &mut Translator, die: u32, moves: &mut impl Moves) -> bool {
    let invalid = t.blocks.most_invalid(die);
    let valid = t.blocks.superblock_units() - invalid;
    let fits = valid.div_ceil(t.blocks.units_per_page()) <= left_in_all(t, die);
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

/// Moves a placement's share of the `valid` pages that a way's victim fills, when `room` more can be placed before
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
    while step(t, die, Rest::Waits, moves)
        && t.blocks.left_in_victim(die).is_some_and(|left| left > rest)
    {}
}

/// Does a little of the collection of a way that has nothing else to do: moves a page, or a row of all
/// planes, or erases a victim. False when the way has the free pages that it is to have, or no block is worth it.
pub(crate) fn collect_ahead(t: &mut Translator, die: u32, moves: &mut impl Moves) -> bool {
    if t.blocks.victim(die).is_none() {
        let pages = t.blocks.superblock_pages();
        let blocks = t.blocks.free_count(die).saturating_sub(t.reserve);
        let enough = left_in_all(t, die) + blocks * pages >= t.free_pages_kept;
        let worth = t.blocks.superblock_units().div_ceil(WORTH_COLLECTING);
        let worth_it = t.blocks.most_invalid(die) >= worth;
        // A way that lacks a part of its reserve takes what fits into what is open.
        let short = t.streams.is_apart() && t.blocks.free_count(die) < t.reserve;
        let due = t.refresh.is_due(die);
        if short || !due && (enough || !worth_it) || !begin(t, die, moves) {
            return false;
        }
    }
    // Nobody may write to a way whose data go wrong.
    let is_for_that = t.refresh.is_due(die) || t.refresh.is_under_way(die);
    let rest = if is_for_that { Rest::Moves } else { Rest::Waits };
    step(t, die, rest, moves)
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
    if due.is_some() {
        let pages = t.blocks.valid(die, victim).div_ceil(t.blocks.units_per_page());
        note_reason(&mut t.collected_for, pages.into(), weak.is_some());
    }
    t.refresh.collected(&t.blocks, die, victim);
    t.blocks.begin_collection(die, victim);
    moves.victim();
    true
}

/// A superblock with so many pages of valid data is collected because its bits go wrong, or else for the sake of wear.
fn note_reason(of: &mut CollectedFor, pages: u64, is_weak: bool) {
    let (count, sum) = match is_weak {
        true => (&mut of.refresh, &mut of.refresh_pages),
        false => (&mut of.wear, &mut of.wear_pages),
    };
    (*count, *sum) = (*count + 1, *sum + pages);
}

/// Collects what is left of the victim, as far as it fills pages: with fewer invalid mapping units than a page has,
/// nothing would be gained otherwise.
pub(super) fn finish(t: &mut Translator, die: u32, moves: &mut impl Moves) {
    while t.blocks.victim(die).is_some() && step(t, die, Rest::Waits, moves) {}
}

/// Moves the next valid mapping units of the victim, as many as the row of the open superblock takes, and frees
/// the victim with its last. False when nothing is left that is to move, or to move it to.
fn step(t: &mut Translator, die: u32, rest: Rest, moves: &mut impl Moves) -> bool {
    let Some((victim, _)) = t.blocks.victim(die) else { return false };
    let valid = t.blocks.valid(die, victim);
    let units = t.blocks.units_per_page();
    if 0 < valid && valid < units && rest == Rest::Waits {
        return false;
    }
    if valid > 0 {
        let stream = stream_of_moves(t, die);
        if t.blocks.left(die, stream) == 0 {
            if t.blocks.free_count(die) == 0 {
                return false;
            }
            open(t, (die, stream), moves);
        }
        let whole = valid / units;
        let pages = whole.max(1).min(t.blocks.left_in_row(die, stream));
        let mut moved = [NO_MOVE; MOST_MOVES];
        let mut count = 0;
        for _ in 0..pages {
            let of_page = units.min(valid - count as u32);
            let row = t.blocks.take_page((die, stream), of_page);
            t.next_sequence();
            let next = &mut moved[count..count + of_page as usize];
            move_to(t, (Page { die, row }, 0), next);
            count += next.len();
        }
        if let Some(handles) = &mut t.handles {
            handles.moved(t.blocks.stream(die, victim), count as u32);
        }
        moves.copy(die, &moved[..count]);
        t.collected.pages += u64::from(pages);
    }
    free_empty(t, die, moves);
    true
}

const NO_MOVE: Move = {
    let nowhere = Place { page: Page { die: 0, row: 0 }, unit: 0 };
    Move { lpn: Lpn(0), from: nowhere, to: nowhere, sequence: 0 }
};

/// Gives the next valid mapping units of a way's victim these places in a page, from one unit on, as was planned just
/// now.
#[inline]
fn move_to(t: &mut Translator, (page, first): (Page, u32), moved: &mut [Move]) {
    let die = page.die;
    let (victim, mut from) = t.blocks.victim(die).expect("a way that is collected has a victim");
    let sequence = t.sequence;
    for (one, unit) in moved.iter_mut().zip(first..) {
        (one.lpn, one.from, from) = next_valid(t, die, (victim, from));
        (one.to, one.sequence) = (Place { page, unit: unit as u8 }, sequence);
        t.relocate(one.lpn, (one.from, one.to));
    }
    t.blocks.collected_to(die, from);
}

/// The victim of a way is free if it holds nothing valid any more.
pub(super) fn free_empty(t: &mut Translator, die: u32, moves: &mut impl Moves) {
    if t.blocks.units_in_victim(die) == Some(0) {
        let superblock = t.blocks.reclaim(die);
        if let Some(handles) = &mut t.handles {
            handles.emptied(t.blocks.stream(die, superblock));
        }
        t.collected.blocks += u64::from(t.blocks.planes());
        for &block in t.blocks.members(die, superblock) {
            moves.erase(die, block);
        }
    }
}

/// The last mapping units of a victim, which share a page with new data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carried {
    moved: [Move; Metadata::MOST_UNITS],
    count: usize,
}

impl Carried {
    /// The units.
    pub fn moved(&self) -> &[Move] {
        &self.moved[..self.count]
    }
}

/// Moves what is left of a way's victim, if it is no more than fits there, to a page from one unit on.
pub(crate) fn carry(t: &mut Translator, (page, first): (Page, u32)) -> Carried {
    let mut carried = Carried { moved: [NO_MOVE; Metadata::MOST_UNITS], count: 0 };
    let left = t.blocks.units_in_victim(page.die).unwrap_or(0);
    if left > 0 && left <= t.blocks.units_per_page() - first {
        t.blocks.add_valid(page.die, t.geometry().block_of(page.row), left);
        carried.count = left as usize;
        move_to(t, (page, first), &mut carried.moved[..left as usize]);
        if let (Some(handles), Some((victim, _))) = (&mut t.handles, t.blocks.victim(page.die)) {
            handles.moved(t.blocks.stream(page.die, victim), left);
        }
    }
    carried
}

/// The first valid mapping unit of a victim from one on: what it holds, its place, and the unit behind it.
pub(super) fn next_valid(
    t: &Translator,
    die: u32,
    (victim, first): (u32, u32),
) -> (Lpn, Place, u32) {
    let row = |page| t.blocks.row(die, victim, page);
    let found = next_owned(t, (die, row), first..t.blocks.superblock_units());
    found.expect("valid data have an owner")
}

/// The same of a block that failed, if there is one.
pub(super) fn next_valid_in_failed(
    t: &Translator,
    die: u32,
    (block, first): (u32, u32),
) -> Option<(Lpn, Place, u32)> {
    let pages = t.geometry().pages_per_block;
    let row = |page| block * pages + page;
    next_owned(t, (die, row), first..pages * t.blocks.units_per_page())
}

/// The first of some mapping units of a way that is valid, whose pages are in these rows.
fn next_owned(
    t: &Translator,
    (die, row): (u32, impl Fn(u32) -> u32),
    mut units: Range<u32>,
) -> Option<(Lpn, Place, u32)> {
    let per_page = t.blocks.units_per_page();
    units.find_map(|nth| {
        let page = Page { die, row: row(nth / per_page) };
        let place = Place { page, unit: (nth % per_page) as u8 };
        Some((t.map.owner(t.ppn(place))?, place, nth + 1))
    })
}

#[cfg(test)]
#[path = "collect_tests.rs"]
mod tests;
