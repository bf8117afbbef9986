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

use crate::ftl::blocks::Stream;
use crate::ftl::collect::{begin, finish, move_share, open, refill, rest_of_victim};
use crate::ftl::moves::Moves;
use crate::ftl::translate::Translator;

/// Sees to it that a way has a page for new data, and tells in which stream. `None` when none of its closed
/// superblocks has an invalid page, or the reserve itself was lost.
pub(in crate::ftl) fn make_room_apart(
    t: &mut Translator,
    die: u32,
    moves: &mut impl Moves,
) -> Option<Stream> {
    let pages = t.blocks.superblock_pages();
    let reserve = t.reserve;
    let (mut refilled, mut collected) = (false, false);
    loop {
        let (free, left) = (t.blocks.free_count(die), t.blocks.left(die, Stream::Host));
        let moved = t.blocks.left(die, Stream::Moved);
        // Pages beyond the reserve, those of the superblock of new data aside, and how many there should be.
        let (gained, due) = (moved + free * pages, (1 + reserve) * pages - left);
        match t.blocks.left_in_victim(die) {
            // A spare stands in for a victim, and none is left for the block that took its pages.
            Some(valid) if free == 0 && left_in_all(t, die) < valid + rest_of_victim(t, die) => {
                return None
            }
            // What is left of it shares a page with the new data.
            Some(0) if rest_of_victim(t, die) > 0 => {
                if left > 0 {
                    return Some(Stream::Host);
                } else if free > reserve {
                    open(t, (die, Stream::Host), moves);
                } else if moved > 0 {
                    return Some(Stream::Moved);
                } else {
                    open(t, (die, Stream::Moved), moves);
                }
            }
            Some(valid) => {
                let room = (gained + pages).saturating_sub(valid + due);
                if left > 0 && room > 0 {
                    move_share(t, die, (room, valid), moves);
                    return Some(Stream::Host);
                }
                finish(t, die, moves);
                collected = true;
            }
            // A power loss has cut off a collection, and the reserve is used up in part.
            None if free < reserve && reserve > 1 && !refilled => {
                refilled = true;
                if !refill(t, die, moves) && free == 0 {
                    return None;
                }
            }
            None if left > 0 => {
                let enough = collected || free < reserve || gained >= due;
                if enough || !begin(t, die, moves) {
                    return Some(Stream::Host);
                }
            }
            None if free > reserve => open(t, (die, Stream::Host), moves),
            None if collected && moved > 0 => return Some(Stream::Moved),
            None if free > 0 && begin(t, die, moves) => {}
            None => return (moved > 0).then_some(Stream::Moved),
        }
    }
}

/// Where the next page goes that is moved in a way. One that lacks a part of its reserve opens nothing as long as
/// anything is open.
pub(in crate::ftl) fn stream_of_moves(t: &Translator, die: u32) -> Stream {
    let moved = t.blocks.left(die, Stream::Moved) > 0;
    let short = t.blocks.free_count(die) < t.reserve && t.blocks.left(die, Stream::Host) > 0;
    if t.streams.is_apart() && (moved || !short) {
        Stream::Moved
    } else {
        Stream::Host
    }
}

/// Pages left in all open superblocks of a way.
pub(in crate::ftl) fn left_in_all(t: &Translator, die: u32) -> u32 {
    Stream::ALL.iter().map(|&stream| t.blocks.left(die, stream)).sum()
}

#[cfg(test)]
#[path = "room_tests.rs"]
mod tests;
