//! Programs and erases that fail. What was to go to a flash block from the failed page on goes to another one of the way; the pages
//! before it stay where they are.

use contract::{Hardware, Work};

use super::blocks::Use;
use super::Zones;
use crate::operations::{Flash, Page, Stage, Task};
use crate::placed::Ports;

impl Zones {
    /// The first operation of a way, a program or an erase, failed, and the way halts.
    #[cold]
    pub(super) fn mend(&mut self, ports: &mut Ports<'_, impl Hardware>, die: u32) {
        let id = ports.station.first(die).expect("the failed operation stays first in its way");
        let Some(&Flash { page, task, .. }) = ports.station.pool[id].on_flash() else {
            unreachable!("what stands in a way's queue is for the flash")
        };
        ports.hw.work(Work::Victim);
        let (block, row) = self.shape.block_of(page);
        let spare = match (task, self.used(page)) {
            (Task::Erase, _) => None,
            (_, Use::Zone(zone)) => self.follow_zone(ports, die, zone, block, row),
            (_, Use::Log) => self.follow_log(ports, die),
            // A zone that was reset since needs it no more.
            _ => None,
        };
        if task != Task::Erase {
            self.blocks.note_failed(die, block);
        }
        let moved = self.redirect(ports, page, spare);
        if self.used(page) == Use::Log {
            match spare {
                Some(spare) => {
                    self.move_log(die, block, spare, moved);
                    self.renew_marks(die);
                    self.renew_records(ports, die);
                }
                None => self.stop_log(die),
            }
        }
        if spare.is_none() {
            ports.station.retire(ports.hw, die);
            self.give_up(ports, id);
        }
        ports.station.resume(die);
    }

    /// A block in which a zone goes on from a failed row on, if the way has one left.
    fn follow_zone(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        die: u32,
        zone: u32,
        block: u32,
        row: u32,
    ) -> Option<u32> {
        if !self.blocks.can_split() {
            return None;
        }
        let spare = self.take_block(ports, die, Use::Zone(zone))?;
        self.placed.counters.bad_blocks += 1;
        self.blocks.go_on(die, block, row, spare);
        Some(spare)
    }

    /// Programs that wait for a block from a page on go to the first pages of another block; without one they fail. How many they are.
    fn redirect(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        failed: Page,
        spare: Option<u32>,
    ) -> u32 {
        let (shape, queue) = (self.shape, ports.station.ways[failed.die as usize]);
        let (block, first) = shape.block_of(failed);
        let mut count = 0;
        ports.station.pool.for_each(&queue, |op| {
            let Some(Flash { page, task, stage, doomed, .. }) = op.on_flash_mut() else { return };
            let (own, row) = shape.block_of(*page);
            let is_meant = matches!(task, Task::Program { .. }) && own == block && row >= first;
            if !is_meant {
                return;
            }
            // Several may have failed in the block; they are all seen to with it.
            if *stage == Stage::Failed {
                *stage = Stage::Begun;
            }
            count += 1;
            match spare {
                Some(spare) => *page = shape.page(failed.die, spare, row - first),
                None => *doomed = true,
            }
        });
        count
    }
}
