//! Garbage collection: greedy, in the way that ran out of pages (BlueSSD section 3.4).
//!
//! One free block of each way is the reserve. When a way has no page for new data, the closed
//! block with the most invalid pages is the victim: its valid pages move to the reserve, the
//! reserve becomes the open block, and the victim, erased, becomes the next reserve.
//!
//! The plan changes map and blocks at once; the moves are queued behind what the way has to do
//! already, and each way works its queue in order, so a read that was translated before still finds
//! its page.

use contract::Lpn;

use super::map::Ppn;
use super::translate::{Page, Translator};

/// Where a collection's moves go: the way's queue, or straight to the media.
pub trait Moves {
    /// A victim was chosen.
    fn victim(&mut self);
    /// Copies the page that holds `lpn`.
    fn copy(&mut self, lpn: Lpn, from: Page, to: Page);
    /// Erases a block of a way.
    fn erase(&mut self, die: u32, block: u32);
}

/// Frees at least one page of a way whose only free block is the reserve. False when no closed
/// block has an invalid page, or the reserve itself was lost.
pub(crate) fn collect(t: &mut Translator, die: u32, moves: &mut impl Moves) -> bool {
    if t.blocks.free_count(die) == 0 {
        return false;
    }
    let Some(victim) = t.blocks.victim(die) else { return false };
    moves.victim();
    let g = t.geometry();
    t.blocks.open_next(die);
    for page in 0..g.pages_per_block {
        let from = Page { die, row: victim * g.pages_per_block + page };
        if let Some(lpn) = t.map.owner(Ppn(die * g.rows_per_way() + from.row)) {
            let to = Page { die, row: t.blocks.take_page(die) };
            t.assign(lpn, to);
            moves.copy(lpn, from, to);
            t.collected.pages += 1;
        }
    }
    t.blocks.reclaim(die, victim);
    t.collected.blocks += 1;
    moves.erase(die, victim);
    true
}
