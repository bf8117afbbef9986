//! Bad block manager: a spare takes the place of a block that fails.
//!
//! No data is moved when a program fails. Pages programmed before stay readable where they are,
//! and the block is retired once all of them have newer copies. From the failed page on, a spare
//! block stands in: the operations that wait in the way's queue are pointed at it, the failed one
//! is done again there, and the map follows. Where a way has no spare left, what was to be written
//! is lost and noted as such in the map, and the drive turns read-only.

use contract::{Hardware, Work};

use super::Ftl;
use crate::operation::Kind;
use crate::sched::reservation::Station;

/// What becomes of the operation that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Do it again: it now points at the stand-in.
    Again,
    /// The stand-in is erased already.
    Done,
    /// The way has no spare block left.
    Lost,
}

impl Ftl {
    /// The first operation of a way, a program or an erase, failed.
    pub fn block_failed(
        &mut self,
        hw: &mut impl Hardware,
        station: &mut Station,
        die: u32,
    ) -> Remedy {
        hw.work(Work::Victim);
        self.counters.bad_blocks += 1;
        let id = station.first(die).expect("the failed operation stays first in its way");
        let (kind, row) = (station.pool[id].kind, station.pool[id].page.row);
        let pages = self.geometry.pages_per_block;
        let (bad, first) = (row / pages, row % pages);
        let queue = station.ways[die as usize];
        let mut erased = false;
        station.pool.for_each(&queue, |op| {
            erased |= op.kind == Kind::Erase && op.page.row / pages == bad;
        });
        let t = &mut self.translator;
        let spare = if erased {
            // Nothing of what the block held before the erase is wanted.
            t.blocks.replace(die, bad)
        } else {
            let moved = t.valid_from(die, bad, first);
            t.blocks.split(die, bad, moved)
        };
        // From this page on, what the block is to hold is not in it.
        let first_moved = if erased { 0 } else { first };
        match spare {
            Some(spare) => t.repoint(die, (bad, spare), first_moved),
            None => t.lose_from(die, bad, first_moved),
        }
        let mut reused = false;
        station.pool.for_each(&queue, |op| {
            if op.page.row / pages != bad {
                return;
            }
            reused |= op.kind == Kind::Erase;
            if reused || op.page.row % pages >= first {
                match spare {
                    Some(spare) => op.page.row = spare * pages + op.page.row % pages,
                    None => op.doomed = true,
                }
            }
        });
        if spare.is_none() {
            self.read_only = true;
            self.counters.lost_writes += 1;
            return Remedy::Lost;
        }
        if kind == Kind::Erase {
            Remedy::Done
        } else {
            Remedy::Again
        }
    }
}
