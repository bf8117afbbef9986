//! Bad block manager: a spare takes the place of a block that fails.
//!
//! No data is moved when a program fails. Pages programmed before stay readable where they are,
//! and the block is retired once all of them have newer copies. From the failed page on, a spare
//! block stands in: the operations that wait in the way's queue are pointed at it, the failed one
//! is done again there, and the map follows. Where a way has no spare left, what was to be written
//! is lost and noted as such in the map, and the drive turns read-only.
//!
//! The way halts meanwhile, with the failed operation first in its queue and behind it, in order, all
//! that did not run. It goes on with what the queue holds once that is right.

use contract::{Hardware, Lpn, Work};

use super::log::record::Record;
use super::{Ftl, Ports};
use crate::nvme::backend::IoOutcome;
use crate::operations::{Action, Dma, Ended, Flash, Former, Page, Stage, Station, Task};
use crate::planted::{is_planted, Bug};

impl Ftl {
    /// The first operation of a way, a program or an erase, failed, and the way halts.
    pub(super) fn repair(&mut self, ports: &mut Ports<'_, impl Hardware>, die: u32) {
        let id = ports.station.first(die).expect("the failed operation stays first in its way");
        let Some(&failed) = ports.station.pool[id].on_flash() else {
            unreachable!("what stands in a way's queue is for the flash")
        };
        if failed.task.is_of_log() {
            ports.station.retire(ports.hw, die);
            self.finish(ports, id, Ended::Failed(IoOutcome::WriteFault));
            return ports.station.resume(die);
        }
        let replaced = self.replace_block(ports, failed);
        if !replaced || failed.task == Task::Erase {
            // A stand-in is erased already, and without one there is nothing to try again.
            let lost = Ended::Failed(IoOutcome::WriteFault);
            let ended = if replaced { Ended::Well } else { lost };
            ports.station.retire(ports.hw, die);
            self.count(&ports.station.pool[id], ended);
            self.finish(ports, id, ended);
        }
        self.hold_way(ports, die);
        ports.station.resume(die);
    }

    /// Puts a spare in the place of a block from the page of this failed operation on, and points at it what is
    /// to find it there: the way's queue, and writes that may have to bring back what they replace. False when
    /// the way has no spare left.
    fn replace_block(&mut self, ports: &mut Ports<'_, impl Hardware>, failed: Flash) -> bool {
        ports.hw.work(Work::Victim);
        self.counters.bad_blocks += 1;
        let Page { die, row } = failed.page;
        let (bad, first) = (self.geometry.block_of(row), row % self.geometry.pages_per_block);
        let erases = ports.station.erases_queued(die, bad);
        let t = &mut self.translator;
        // Nothing of what the block held before an erase is wanted, and from this page on it does not hold what it should.
        let kept = if erases > 0 { 0 } else { t.valid_before(die, bad, first) };
        let first_moved = if erases > 0 { 0 } else { first };
        let spare = t.blocks.stand_in(die, bad, kept);
        match spare {
            Some(spare) => t.repoint(die, (bad, spare), first_moved),
            None => {
                let log = &mut self.log;
                t.lose_from((die, bad), first_moved, |Lpn(lpn), sequence| {
                    if let Some(log) = log {
                        log.freed(ports.hw, Record::Lost { lpn, sequence });
                    }
                });
                self.read_only = true;
                self.counters.lost_writes += 1;
            }
        }
        let replacement = Replacement { failed, bad, first, spare, erases };
        self.follow_former(ports, &replacement);
        self.note_blocks(ports.hw, die, [Some(bad), spare]);
        replacement.redirect_queue(ports.station);
        spare.is_some()
    }

    /// Writes that wait for the host's data know where their pages were before. What of that is to be in the block's
    /// stand-in, is looked for there.
    fn follow_former(&mut self, ports: &mut Ports<'_, impl Hardware>, replacement: &Replacement) {
        let blocks = &mut self.translator.blocks;
        let die = replacement.failed.page.die;
        let counted = blocks.erases_of(die, replacement.bad);
        let change = (replacement.bad, replacement.spare);
        blocks.erase_instead(die, change, replacement.erases_left());
        let count = replacement.spare.map_or(0, |spare| blocks.erases_of(die, spare));
        let pages = self.geometry.pages_per_block;
        ports.station.pool.for_all(|op| {
            let Action::Dma(Dma::FromHost { replaced: Some(replaced), .. }) = &mut op.action else {
                return;
            };
            let Former::InFlash { page, unit, erases } = replaced.former else { return };
            let is_elsewhere = (page.die, page.row / pages) != (die, replacement.bad);
            if is_elsewhere || is_planted(Bug::FormerStaysInFailedBlock) {
                return;
            }
            // Erases of the block that were planned since.
            let Some(since) = counted.checked_sub(erases) else { return };
            if replacement.takes_over(page.row % pages, since) {
                replaced.former = match replacement.spare {
                    Some(spare) => Former::InFlash {
                        page: Page { die, row: spare * pages + page.row % pages },
                        unit,
                        erases: count - since,
                    },
                    None => Former::Lost,
                };
            }
        });
    }
}

/// A block that failed, and what stands in for it.
struct Replacement {
    /// The operation that failed.
    failed: Flash,
    bad: u32,
    /// The page of the block from which on its stand-in is used.
    first: u32,
    /// None if the plane has no spare left.
    spare: Option<u32>,
    /// Erases of the block that its way's queue holds, the failed one included.
    erases: u32,
}

impl Replacement {
    /// Erases of them that are still to be done: a stand-in is erased already.
    fn erases_left(&self) -> u32 {
        self.erases - u32::from(self.failed.task == Task::Erase)
    }

    /// Whether the stand-in is to hold what the block was to hold in a page, after which `since` erases of it
    /// were planned.
    fn takes_over(&self, page_in_block: u32, since: u32) -> bool {
        let unwritten = self.failed.task != Task::Erase && page_in_block >= self.first;
        since < self.erases || since == self.erases && unwritten
    }

    /// Points the operations that wait for the block at its stand-in.
    fn redirect_queue(&self, station: &mut Station) {
        let pages = station.pages_per_block();
        let queue = station.ways[self.failed.page.die as usize];
        let mut reused = false;
        station.pool.for_each(&queue, |op| {
            let Some(Flash { page, task, stage, doomed, .. }) = op.on_flash_mut() else { return };
            if page.row / pages != self.bad {
                return;
            }
            reused |= *task == Task::Erase;
            if reused || page.row % pages >= self.first {
                // Several may have failed in the block; they are all seen to with it.
                if *stage == Stage::Failed {
                    *stage = Stage::Begun;
                }
                match self.spare {
                    Some(spare) => page.row = spare * pages + page.row % pages,
                    None => *doomed = true,
                }
            }
        });
    }
}
