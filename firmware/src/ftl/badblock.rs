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
use crate::operations::{Ended, Flash, Page, Stage, Task};

impl Ftl {
    /// The first operation of a way, a program or an erase, failed, and the way halts.
    pub(super) fn repair(&mut self, ports: &mut Ports<'_, impl Hardware>, die: u32) {
        let id = ports.station.first(die).expect("the failed operation stays first in its way");
        let Some(&Flash { page, task, .. }) = ports.station.pool[id].on_flash() else {
            unreachable!("what stands in a way's queue is for the flash")
        };
        if task.is_of_log() {
            ports.station.retire(ports.hw, die);
            self.finish(ports, id, Ended::Failed(IoOutcome::WriteFault));
            return ports.station.resume(die);
        }
        let erase = task == Task::Erase;
        let replaced = self.replace_block(ports, page);
        if !replaced || erase {
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

    /// Puts a spare in the place of a block from this page on, and points the way's queue at it.
    /// False when the way has no spare left.
    fn replace_block(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        Page { die, row }: Page,
    ) -> bool {
        ports.hw.work(Work::Victim);
        self.counters.bad_blocks += 1;
        let pages = self.geometry.pages_per_block;
        let (bad, first) = (row / pages, row % pages);
        let queue = ports.station.ways[die as usize];
        let mut erased = false;
        ports.station.pool.for_each(&queue, |op| {
            let flash = op.on_flash();
            erased |= flash.is_some_and(|f| f.task == Task::Erase && f.page.row / pages == bad);
        });
        let t = &mut self.translator;
        // Nothing of what the block held before an erase is wanted.
        let kept = if erased { 0 } else { t.valid_before(die, bad, first) };
        let spare = t.blocks.stand_in(die, bad, kept);
        // From this page on, what the block is to hold is not in it.
        let first_moved = if erased { 0 } else { first };
        match spare {
            Some(spare) => t.repoint(die, (bad, spare), first_moved),
            None => {
                let log = &mut self.log;
                t.lose_from((die, bad), first_moved, |Lpn(lpn), sequence| {
                    if let Some(log) = log {
                        log.freed(ports.hw, Record::Lost { lpn, sequence });
                    }
                });
            }
        }
        self.note_blocks(ports.hw, die, [Some(bad), spare]);
        let mut reused = false;
        ports.station.pool.for_each(&queue, |op| {
            let Some(Flash { page, task, stage, doomed }) = op.on_flash_mut() else { return };
            if page.row / pages != bad {
                return;
            }
            reused |= *task == Task::Erase;
            if reused || page.row % pages >= first {
                // Several may have failed in the block; they are all seen to with it.
                if *stage == Stage::Failed {
                    *stage = Stage::Begun;
                }
                match spare {
                    Some(spare) => page.row = spare * pages + page.row % pages,
                    None => *doomed = true,
                }
            }
        });
        if spare.is_none() {
            self.read_only = true;
            self.counters.lost_writes += 1;
        }
        spare.is_some()
    }
}
