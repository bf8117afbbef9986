//! What has ended: operations tell their commands and let go what waits for them; a page that cannot be programmed closes
//! its chunk, a block that cannot be erased is one that is offline.

use contract::{BufferId, CommandTag, Hardware, Lpn, Metadata, OperationStep, Work};

use super::{Chunks, Ports};
use crate::nvme::backend::IoOutcome;
use crate::operations::moved::Moved;
use crate::operations::{
    Action, Chain, Data, Dma, Ended, Flash, Joined, OpId, Owner, Page, Stage, Task,
};

/// Blocks of a page that an operation moves.
type Units = [Option<Moved>; Metadata::MOST_BLOCKS];

impl Chunks {
    /// Takes what the scheduler has ended, and sees to the ways that halt.
    pub(super) fn settle(&mut self, ports: &mut Ports<'_, impl Hardware>) {
        while ports.station.has_news() {
            while let Some((id, ended)) = ports.station.next_ended() {
                self.finish(ports, id, ended);
            }
            while let Some(die) = ports.station.next_halted() {
                self.mend(ports, die);
            }
        }
        while ports.station.next_dead().is_some() {}
    }

    /// The first operation of a way, a program or an erase, failed, and the way halts.
    #[cold]
    fn mend(&mut self, ports: &mut Ports<'_, impl Hardware>, die: u32) {
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
        self.counters.bad_blocks += 1;
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
    fn finish(&mut self, ports: &mut Ports<'_, impl Hardware>, id: OpId, ended: Ended) {
        id.step(ports.hw, OperationStep::Ended);
        ports.hw.work(Work::Depend);
        let op = ports.station.pool[id];
        match op.action {
            Action::Dma(Dma::Control(_)) => {
                self.control = Some(match ended {
                    Ended::Well => IoOutcome::Success,
                    Ended::Failed(outcome) => outcome,
                });
            }
            Action::Dma(Dma::ToHost(data)) => self.end_to_host((op.owner, data), ended),
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

    fn end_to_host(&mut self, (owner, data): (Owner, Data), ended: Ended) {
        let tag = owner.command().expect("data are moved for a command");
        if let Ended::Failed(outcome) = ended {
            self.fail_at(tag, data, outcome);
        }
        self.free.push(data.entry);
        self.commands.end(tag);
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
            self.fail_at(tag, data, outcome);
            self.give_up_program(ports, next);
        }
        self.release_behind(ports, id);
    }

    /// Something went wrong for the block whose data these are.
    #[cold]
    fn fail_at(&mut self, tag: CommandTag, data: Data, outcome: IoOutcome) {
        let own = self.commands.target(tag, data.host_offset / self.block_bytes);
        self.commands.fail_blocks(tag, outcome, |lpn| lpn == own);
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

    /// Lets go what waits for an operation, or for what stands for a block in one.
    fn release_behind(&mut self, ports: &mut Ports<'_, impl Hardware>, id: OpId) {
        let Some(next) = ports.station.pool.release_next(id, Chain::Entry) else { return };
        let released = match ports.station.pool[next].action {
            Action::Joined(Joined { with, .. }) => ports.station.pool.let_go(with).then_some(with),
            _ => Some(next),
        };
        if let Some(next) = released {
            next.released(ports.hw, Some(id));
            ports.station.release(next);
        }
    }

    /// The blocks that an operation moves.
    fn units(ports: &Ports<'_, impl Hardware>, id: OpId) -> Units {
        let mut units = [None; Metadata::MOST_BLOCKS];
        let moved = ports.station.pool.moved(id);
        units.iter_mut().zip(moved).for_each(|(to, own)| *to = Some(own));
        units
    }

    fn end_read(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        (id, owner): (OpId, Owner),
        ended: Ended,
    ) {
        let tag = owner.command().expect("pages are read for a command");
        if ended == Ended::Well {
            self.counters.reads += 1;
        } else {
            self.counters.unreadable_pages += 1;
        }
        for own in Self::units(ports, id).into_iter().flatten() {
            if ended == Ended::Well && !own.lost {
                self.release_behind(ports, own.id);
            } else {
                self.lose(ports, (tag, own));
            }
        }
    }

    /// A block could not be read: it does not go to the host, and is not copied.
    #[cold]
    fn lose(&mut self, ports: &mut Ports<'_, impl Hardware>, (tag, own): (CommandTag, Moved)) {
        self.commands.fail_blocks(tag, IoOutcome::UnrecoveredRead, |lpn| lpn == own.lpn);
        let next = ports.station.pool.next(own.id, Chain::Entry).expect("a block is read for use");
        if let Action::Dma(Dma::ToHost(data)) = ports.station.pool[next].action {
            ports.station.pool.release_next(own.id, Chain::Entry);
            next.step(ports.hw, OperationStep::Ended);
            ports.station.pool.remove(next);
            self.free.push(data.entry);
            self.commands.end(tag);
            return;
        }
        self.give_up_program(ports, next);
        self.release_behind(ports, own.id);
    }

    fn end_program(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        (id, owner, page): (OpId, Owner, Page),
        (of_host, ended): (bool, Ended),
    ) {
        let tag = owner.command().expect("pages are programmed for a command");
        match ended {
            Ended::Well if of_host => self.counters.programs += 1,
            Ended::Well => self.counters.moves += 1,
            Ended::Failed(_) => {
                self.counters.lost_writes += 1;
                let addresses = self.addresses;
                let in_page = |lpn: Lpn| addresses.place(lpn).page == page;
                self.commands.fail_blocks(tag, IoOutcome::ClosedEarly, in_page);
            }
        }
        let entries = Self::units(ports, id).into_iter().flatten().map(|own| own.entry);
        self.free.extend(entries);
        self.commands.end(tag);
    }

    fn end_erase(&mut self, (owner, page): (Owner, Page), ended: Ended) {
        let tag = owner.command().expect("chunks are reset for a command");
        if ended == Ended::Well {
            self.counters.erases += 1;
        } else {
            let (addresses, chunk) = (self.addresses, self.addresses.chunk_of(page));
            let of_chunk = |lpn: Lpn| addresses.in_chunk(lpn).0 == chunk;
            self.commands.fail_blocks(tag, IoOutcome::Offline, of_chunk);
        }
        self.commands.end(tag);
    }

    /// An entry that a page was read to for its metadata is free.
    pub(super) fn give_back(&mut self, entry: BufferId) {
        self.free.push(entry);
    }
}
