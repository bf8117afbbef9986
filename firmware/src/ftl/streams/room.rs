//! Room for new data in a way that has an open superblock for them and one for what collection moves.
//!
//! Pages that are valid when their superblock is collected have not been overwritten for long, and are likely to
//! stay. Where they do not share superblocks with new data, those of new data lose their pages together.
//!
//! Beyond the reserve, new data need a free superblock when theirs is full. So a way is collected as new data
//! come: by the time that the superblock of new data has no page left, collection has gained as many pages as a
//! superblock has. A way that is behind that, after a power loss or with hardly a page to spare, puts new data into
//! the superblock of collection. So it can use every page that one with a single open superblock can, and a write
//! never waits for more than the victim that is being collected, or a new one.
//!
//! Where the host places its data, new data of each handle have an open superblock. A way that is behind collects up to
//! [`MOST_VICTIMS`] for a page of one, before it mixes them with others.

use crate::ftl::blocks::Stream;
use crate::ftl::collect::{begin, finish, move_share, open, refill, rest_of_victim};
use crate::ftl::moves::Moves;
use crate::ftl::translate::Translator;

/// Most victims that are collected for a page of new data that the host wants apart from others.
const MOST_VICTIMS: u32 = 4;

/// Sees to it that a way has a page for new data of a stream, and tells in which stream. `None` when none of its closed
/// superblocks has an invalid page, or the reserve itself was lost.
pub(in crate::ftl) fn make_room_apart(
    t: &mut Translator,
    die: u32,
    new: Stream,
    moves: &mut impl Moves,
) -> Option<Stream> {
    let pages = t.blocks.superblock_pages();
    let reserve = t.reserve;
    let most = if t.blocks.streams().len() > Stream::PLAIN.len() { MOST_VICTIMS } else { 1 };
    let (mut refilled, mut victims) = (false, 0);
    loop {
        let (free, left) = (t.blocks.free_count(die), t.blocks.left(die, new));
        let moved = t.blocks.left(die, Stream::Moved);
        // Pages beyond the reserve, those of the superblock of new data aside, and how many there should be.
        let (gained, due) = (moved + free * pages, reserve * pages + taken(t, die, new));
        match t.blocks.left_in_victim(die) {
            // A spare stands in for a victim, and none is left for the block that took its pages.
            Some(valid) if free == 0 && left_in_all(t, die) < valid + rest_of_victim(t, die) => {
                return None
            }
            // What is left of it shares a page with the new data.
            Some(0) if rest_of_victim(t, die) > 0 => {
                if left > 0 {
                    return Some(new);
                } else if free > reserve {
                    open(t, (die, new), moves);
                } else if moved > 0 {
                    return Some(Stream::Moved);
                } else if free > 0 {
                    open(t, (die, Stream::Moved), moves);
                } else {
                    return any_with_room(t, die);
                }
            }
            Some(valid) => {
                let room = (gained + pages).saturating_sub(valid + due);
                if left > 0 && room > 0 {
                    move_share(t, die, (room, valid), moves);
                    return Some(new);
                }
                finish(t, die, moves);
                victims += 1;
            }
            // A power loss has cut off a collection, and the reserve is used up in part.
            None if free < reserve && reserve > 1 && !refilled => {
                refilled = true;
                if !refill(t, die, moves) && free == 0 {
                    return None;
                }
            }
            None if left > 0 => {
                let enough = victims > 0 || free < reserve || gained >= due;
                if enough || !begin(t, die, moves) {
                    return Some(new);
                }
            }
            None if free > reserve => open(t, (die, new), moves),
            None if victims >= most && moved > 0 => return Some(Stream::Moved),
            None if free > 0 && begin(t, die, moves) => {}
            None if moved > 0 => return Some(Stream::Moved),
            None => return any_with_room(t, die),
        }
    }
}

/// Where the next page goes that is moved in a way. One that lacks a part of its reserve opens nothing as long as
/// anything is open.
#[inline]
pub(in crate::ftl) fn stream_of_moves(t: &Translator, die: u32) -> Stream {
    if !t.streams.is_apart() {
        return Stream::Host;
    }
    let moved = t.blocks.left(die, Stream::Moved) > 0;
    let is_short = t.blocks.free_count(die) < t.reserve;
    match any_with_room(t, die) {
        Some(open) if is_short && !moved => open,
        _ => Stream::Moved,
    }
}

/// Pages that new data have taken of superblocks that are open for them, and of one that a stream wants: so many have to be
/// gained until all of these are full.
fn taken(t: &Translator, die: u32, new: Stream) -> u32 {
    let pages = t.blocks.superblock_pages();
    let is_for_new = |&stream: &Stream| {
        stream == new || stream != Stream::Moved && t.blocks.open(die, stream).is_some()
    };
    let of = |stream| pages - t.blocks.left(die, stream);
    t.blocks.streams().iter().copied().filter(is_for_new).map(of).sum()
}

/// A stream of a way whose open superblock has a page left.
fn any_with_room(t: &Translator, die: u32) -> Option<Stream> {
    t.blocks.streams().iter().copied().find(|&stream| t.blocks.left(die, stream) > 0)
}

/// Pages left in all open superblocks of a way.
#[inline]
pub(in crate::ftl) fn left_in_all(t: &Translator, die: u32) -> u32 {
    t.blocks.streams().iter().map(|&stream| t.blocks.left(die, stream)).sum()
}

#[cfg(test)]
#[path = "room_tests.rs"]
mod tests;
