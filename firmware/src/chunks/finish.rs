//! What has ended: operations tell their commands and let go what waits for them; a page that cannot be programmed closes
//! its chunk, a block that cannot be erased is one that is offline.

use contract::{Hardware, Lpn, Metadata, OperationStep, Work};

use super::Chunks;
use crate::nvme::backend::IoOutcome;
use crate::operations::{
    Action, Chain, Data, Dma, Ended, Flash, Joined, OpId, Owner, Page, Stage, Task,
};
use crate::placed::{Placed, Ports};

impl Chunks {
    /// The first operation of a way, a program or an erase, failed, and the way halts.
    #[cold]
    pub(super) fn mend(&mut self, ports: &mut Ports<'_, impl Hardware>, die: u32) {
        let id = ports.station.first(die).expect("the failed operation stays first in its way");
        let Some(&Flash { page, task, .. }) = ports.station.pool[id].on_flash() else {
            unreachable!("what stands in a way's queue is for the flash")
        };
        ports.hw.work(Work::Victim);
        ports.station.retire(ports.hw, die);
        match task {
            Task::Erase => {
                let chunk = self.addresses.chunk_of(page);
                self.table.take_offline(chunk);
                self.doom(ports, (die, chunk), 0);
            }
            _ => self.give_up(ports, page),
        }
        self.placed.counters.bad_blocks += 1;
        self.finish(ports, id, Ended::Failed(IoOutcome::WriteFault));
        ports.station.resume(die);
    }

    /// A page is not programmed, and neither is what stands behind it in its chunk.
    #[cold]
    fn give_up(&mut self, ports: &mut Ports<'_, impl Hardware>, page: Page) {
        let chunk = self.addresses.chunk_of(page);
        let (_, block) = self.addresses.block_of(chunk);
        // What was planned since a reset that waits is for what the chunk is then.
        if ports.station.erases_queued(page.die, block) == 0 {
            self.table.close_early(chunk, self.addresses.first_block(page));
        }
        self.doom(ports, (page.die, chunk), page.row % self.addresses.pages());
    }

    /// What stands in a way's queue for the pages of a chunk from this one on can only fail, up to the next erase of it;
    /// if the chunk is offline, all of it.
    fn doom(&mut self, ports: &mut Ports<'_, impl Hardware>, (die, chunk): (u32, u32), first: u32) {
        let (pages, (_, block)) = (self.addresses.pages(), self.addresses.block_of(chunk));
        let is_offline = self.table.of(chunk).state == nvme::open_channel::ChunkState::Offline;
        let queue = ports.station.ways[die as usize];
        let mut is_over = false;
        ports.station.pool.for_each(&queue, |op| {
            let Some(Flash { page, task, stage, doomed, .. }) = op.on_flash_mut() else { return };
            if page.row / pages != block {
                return;
            }
            is_over |= *task == Task::Erase && !is_offline;
            if !is_over && page.row % pages >= first {
                // Several may have failed in the block; they are all seen to with it.
                if *stage == Stage::Failed {
                    *stage = Stage::Begun;
                }
                *doomed = true;
            }
        });
    }

    /// An operation is done.
    pub(super) fn finish(&mut self, ports: &mut Ports<'_, impl Hardware>, id: OpId, ended: Ended) {
        id.step(ports.hw, OperationStep::Ended);
        ports.hw.work(Work::Depend);
        let op = ports.station.pool[id];
        match op.action {
            Action::Dma(Dma::Control(_)) => {
                self.placed.end_control(ended);
            }
            Action::Dma(Dma::ToHost(data)) => {
                let tag = op.owner.command().expect("data are moved for a command");
                self.placed.end_to_host(tag, data, ended);
            }
            Action::Dma(Dma::FromHost { data, .. }) => {
                self.end_from_host(ports, (id, op.owner, data), ended);
            }
            Action::Flash(Flash { page, task, .. }) => match task {
                Task::Read { .. } => self.end_read(ports, (id, op.owner), ended),
                Task::Program { epoch, .. } => {
                    self.end_program(ports, (id, op.owner, page), (epoch.is_some(), ended));
                }
                Task::Erase => self.end_erase((op.owner, page), ended),
                Task::Probe { entry, .. } => self.probed(ports.hw, (page, entry), ended),
                Task::Mark { .. } | Task::Log { .. } | Task::Wipe => {
                    unreachable!("a drive with chunks keeps no log")
                }
            },
            Action::Touch(_) | Action::Joined(_) => {
                unreachable!("what stands for a block ends with its page")
            }
        }
        ports.station.pool.remove(id);
    }

    /// Data of the host are in their entry, or will never be. Then their page is not programmed.
    fn end_from_host(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        (id, owner, data): (OpId, Owner, Data),
        ended: Ended,
    ) {
        let tag = owner.command().expect("data are moved for a command");
        let next = ports.station.pool.next(id, Chain::Entry).expect("a page is programmed");
        if let Ended::Failed(outcome) = ended {
            self.placed.fail_at(tag, data, outcome);
            self.give_up_program(ports, next);
        }
        Placed::release_behind(ports, id, id);
    }

    /// A page is not to be programmed, whose operation, or what stands for one of its blocks, is this.
    #[cold]
    fn give_up_program(&mut self, ports: &mut Ports<'_, impl Hardware>, id: OpId) {
        let id = match ports.station.pool[id].action {
            Action::Joined(Joined { with, .. }) => with,
            _ => id,
        };
        let flash = ports.station.pool[id].on_flash_mut().expect("a page is programmed");
        flash.doomed = true;
        let page = flash.page;
        self.give_up(ports, page);
    }

    fn end_read(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        (id, owner): (OpId, Owner),
        ended: Ended,
    ) {
        let tag = owner.command().expect("pages are read for a command");
        let mut copies = [None; Metadata::MOST_BLOCKS];
        let mut count = 0;
        self.placed.end_read(ports, (id, ended), |placed, ports, own| {
            if let Some(next) = placed.lose_for_host(ports, tag, own) {
                copies[count] = Some((own.id, next));
                count += 1;
            }
        });
        // A block that could not be read is not copied.
        for (own, next) in copies.into_iter().flatten() {
            self.give_up_program(ports, next);
            Placed::release_behind(ports, own, id);
        }
    }

    fn end_program(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        (id, owner, page): (OpId, Owner, Page),
        (of_host, ended): (bool, Ended),
    ) {
        let tag = owner.command().expect("pages are programmed for a command");
        match ended {
            Ended::Well if of_host => self.placed.counters.programs += 1,
            Ended::Well => self.placed.counters.moves += 1,
            Ended::Failed(_) => {
                self.placed.counters.lost_writes += 1;
                let addresses = self.addresses;
                let in_page = |lpn: Lpn| addresses.place(lpn).page == page;
                self.placed.commands.fail_blocks(tag, IoOutcome::ClosedEarly, in_page);
            }
        }
        let entries = Placed::units(ports, id).into_iter().flatten().map(|own| own.entry);
        self.placed.free.extend(entries);
        self.placed.commands.end(tag);
    }

    fn end_erase(&mut self, (owner, page): (Owner, Page), ended: Ended) {
        let tag = owner.command().expect("chunks are reset for a command");
        if ended == Ended::Well {
            self.placed.counters.erases += 1;
        } else {
            let (addresses, chunk) = (self.addresses, self.addresses.chunk_of(page));
            let of_chunk = |lpn: Lpn| addresses.in_chunk(lpn).0 == chunk;
            self.placed.commands.fail_blocks(tag, IoOutcome::Offline, of_chunk);
        }
        self.placed.commands.end(tag);
    }
}
