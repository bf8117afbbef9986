//! From commands to operations, a page at a time.
//!
//! A read is a flash operation, and a DMA for each block behind it. A write is a DMA for each block, and a flash operation
//! that waits for them in its place of the way's queue. A copy is reads and a program behind them. As operations are planned
//! in the order of commands, each waits for none that was planned later.

use contract::{BufferId, Cause, CommandTag, Hardware, Lpn, Metadata, OperationStep, Work};

use super::commands::{Kind, Places};
use super::{Chunks, Ports, NOTHING, PAGES_A_TURN};
use crate::nvme::backend::IoOutcome;
use crate::operations::moved::hull;
use crate::operations::{
    Action, Chain, Data, Dma, Joined, OpId, Operation, Owner, Page, Sequence, Task,
};

/// A block on its way between a page and an entry, and the place of its address in the command.
#[derive(Clone, Copy, Debug)]
struct Block {
    lpn: Lpn,
    nth: u32,
    entry: BufferId,
    /// What stands for it in an operation on the flash; none for one that nothing is written of.
    id: Option<OpId>,
}

/// An operation for each block of a page, where it has one.
type Each = [Option<OpId>; Metadata::MOST_BLOCKS];

/// Blocks of a page.
struct Gathered {
    blocks: [Block; Metadata::MOST_BLOCKS],
    count: usize,
}

impl Gathered {
    fn all(&self) -> &[Block] {
        &self.blocks[..self.count]
    }

    fn all_mut(&mut self) -> &mut [Block] {
        &mut self.blocks[..self.count]
    }
}

impl Chunks {
    /// Works on commands as much as a turn may. True when something was done.
    pub(super) fn advance(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        if self.scan.is_some() {
            return self.look_for_pages(ports);
        }
        let (mut busy, mut left) = (false, PAGES_A_TURN);
        while let (1.., Some((tag, kind, waited))) = (left, self.commands.front()) {
            if !self.has_room(ports, kind) {
                break;
            }
            (busy, left) = (true, left - 1);
            if waited {
                ports.hw.waited(tag, Cause::Order);
            }
            ports.hw.attend(Some(tag));
            self.plan_next(ports, (tag, kind));
            if self.commands.next(tag).is_none() {
                self.commands.pop();
            }
        }
        self.commands.rest();
        busy
    }

    /// Whether a page of a command can be planned: it takes an entry a block and two operations for each, one for the way
    /// and one for the DMA or another way.
    fn has_room(&self, ports: &Ports<'_, impl Hardware>, kind: Kind) -> bool {
        let units = self.addresses.units();
        let entries = if kind == Kind::Reset { 0 } else { units as usize };
        self.free.len() >= entries && ports.station.pool.free_count() > 2 * units
    }

    fn plan_next(&mut self, ports: &mut Ports<'_, impl Hardware>, (tag, kind): (CommandTag, Kind)) {
        ports.hw.work(Work::Slice);
        let places = self.commands.next_page(tag, self.addresses.units());
        match kind {
            Kind::Read => self.plan_read(ports, tag, &places),
            Kind::Write | Kind::Copy => self.plan_write(ports, (tag, kind), &places),
            Kind::Reset => self.plan_reset(ports, tag),
            Kind::Flush => unreachable!("a flush has nothing to plan"),
        }
        let one = ([0; Metadata::MOST_BLOCKS], 1);
        self.commands.note_planned(tag, if kind == Kind::Reset { &one } else { &places });
    }

    /// The blocks at some places of a command, each with an entry.
    fn gather(
        &mut self,
        hw: &mut impl Hardware,
        tag: CommandTag,
        (offsets, count): &Places,
    ) -> Gathered {
        hw.work(Work::Allocate);
        let next = self.commands.next(tag).expect("it has blocks to plan");
        let mut block = |offset: u8| {
            let nth = next + u32::from(offset);
            let entry = self.free.pop().expect("there was room");
            Block { lpn: self.commands.target(tag, nth), nth, entry, id: None }
        };
        let mut rest = offsets[..*count].iter().map(|&offset| block(offset));
        let first = rest.next().expect("a page has blocks");
        let mut blocks = [first; Metadata::MOST_BLOCKS];
        blocks[1..].iter_mut().zip(rest).for_each(|(to, block)| *to = block);
        Gathered { blocks, count: *count }
    }

    fn plan_read(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        tag: CommandTag,
        places: &Places,
    ) {
        let mut page = self.gather(ports.hw, tag, places);
        let id = self.read(ports, tag, page.all_mut());
        for block in page.all() {
            self.commands.expect(tag);
            let dma = self.dma(ports, tag, block, Dma::ToHost);
            match block.id {
                Some(own) => ports.station.pool.chain((own, Chain::Entry), dma),
                None => self.begin(ports, dma),
            }
        }
        if let Some(id) = id {
            self.begin(ports, id);
        }
    }

    /// Plans a read of those blocks of a page that are written; the others are zeroes. It is yet to begin.
    fn read(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        tag: CommandTag,
        blocks: &mut [Block],
    ) -> Option<OpId> {
        let mut first: Option<OpId> = None;
        let whole = ports.station.unit();
        let is_written = |chunks: &Self, block: &Block| {
            if block.lpn == NOTHING {
                return false;
            }
            let (chunk, nth) = chunks.addresses.in_chunk(block.lpn);
            chunks.table.is_planned(chunk, nth)
        };
        let part = blocks
            .iter()
            .filter(|block| is_written(self, block))
            .map(|block| ports.station.read_part(self.addresses.place(block.lpn).unit, whole))
            .reduce(hull);
        for block in blocks {
            if !is_written(self, block) {
                ports.hw.work_times(Work::Touch, whole.length.div_ceil(4096));
                ports.hw.zero_buffer(block.entry, 0, whole.length);
                continue;
            }
            let place = self.addresses.place(block.lpn);
            block.id = Some(match first {
                None => {
                    ports.hw.work(Work::Depend);
                    let part = part.expect("a block is read");
                    let read = (block.entry, block.lpn, part);
                    let op = Operation::read(Owner::Step(tag), place, read);
                    let id = ports.station.reserve(ports.hw, op);
                    first = Some(id);
                    id
                }
                Some(with) => {
                    let own = self.join(ports, (tag, with), block);
                    ports.station.pool.let_go(with);
                    own
                }
            });
        }
        first
    }

    /// Adds a block to an operation on its page, which waits for it.
    fn join(
        &self,
        ports: &mut Ports<'_, impl Hardware>,
        (tag, with): (CommandTag, OpId),
        block: &Block,
    ) -> OpId {
        let unit = self.addresses.place(block.lpn).unit;
        let Block { lpn, entry, .. } = *block;
        let joined = Joined { with, entry, lpn, unit, lost: false, moved: false, age: 0 };
        ports.station.pool.join(Owner::Step(tag), joined)
    }

    /// A transfer of a block between its entry and the host, which is yet to begin.
    fn dma(
        &self,
        ports: &mut Ports<'_, impl Hardware>,
        tag: CommandTag,
        block: &Block,
        way: impl Fn(Data) -> Dma,
    ) -> OpId {
        let (command_bytes, completer) = self.commands.data(tag, self.block_bytes);
        let dma = way(Data {
            entry: block.entry,
            span: ports.station.unit(),
            host_offset: block.nth * self.block_bytes,
            command_bytes,
            completer,
        });
        let owner = match dma {
            Dma::ToHost(_) => Owner::Counts(tag),
            Dma::FromHost { .. } | Dma::Control(_) => Owner::Step(tag),
        };
        ports.station.reserve(ports.hw, Operation { owner, action: Action::Dma(dma) })
    }

    /// Nothing is left that a new operation waits for.
    fn begin(&self, ports: &mut Ports<'_, impl Hardware>, id: OpId) {
        id.step(ports.hw, OperationStep::Released { by: None });
        ports.station.release(id);
    }

    fn plan_write(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        (tag, kind): (CommandTag, Kind),
        places: &Places,
    ) {
        let next = self.commands.next(tag).expect("it has blocks to plan");
        let first = self.commands.target(tag, next);
        let (chunk, block) = self.addresses.in_chunk(first);
        if !self.table.plan_write(chunk, block) {
            let units = self.addresses.units();
            let page = first.0 / units;
            self.commands.fail_blocks(tag, IoOutcome::ClosedEarly, |lpn| lpn.0 / units == page);
            return;
        }
        assert_eq!(places.1 as u32, self.addresses.units(), "whole pages were accepted");
        let mut page = self.gather(ports.hw, tag, places);
        let mut sources = None;
        if kind == Kind::Copy {
            sources = Some(self.plan_sources(ports, tag, &page));
        }
        ports.hw.work(Work::Depend);
        let at = self.addresses.page(chunk, block / self.addresses.units());
        let program = self.program(ports, (tag, kind), at, page.all_mut());
        for (nth, block) in page.all().iter().enumerate() {
            let own = block.id.expect("all of a page is programmed");
            match &sources {
                None => {
                    let from_host = |data| Dma::FromHost { data, replaced: None };
                    let dma = self.dma(ports, tag, block, from_host);
                    ports.station.pool.chain((dma, Chain::Entry), own);
                    self.begin(ports, dma);
                }
                Some(sources) => match sources.0[nth] {
                    Some(source) => ports.station.pool.chain((source, Chain::Entry), own),
                    None if own != program => drop(ports.station.pool.let_go(program)),
                    None => {}
                },
            }
        }
        if let Some((_, reads)) = sources {
            reads.into_iter().flatten().for_each(|read| self.begin(ports, read));
            if ports.station.pool.is_released(program) {
                self.begin(ports, program);
            }
        }
    }

    /// Plans the program of a page. It waits for each of its blocks but the first, beside what comes before that one.
    fn program(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        (tag, kind): (CommandTag, Kind),
        at: Page,
        blocks: &mut [Block],
    ) -> OpId {
        let chunk = self.addresses.chunk_of(at);
        // How worn a chunk is stands in its pages, since nothing else outlasts the power.
        let sequence = Sequence::new(self.table.of(chunk).erases.into());
        let epoch = (kind == Kind::Write).then_some(0);
        let (first, rest) = blocks.split_first_mut().expect("a page has blocks");
        let Block { entry, lpn, .. } = *first;
        let program = Task::Program { entry, lpn, epoch, lost: false, sequence };
        self.commands.expect(tag);
        let op = Operation::flash(Owner::Counts(tag), at, program);
        let id = ports.station.reserve(ports.hw, op);
        first.id = Some(id);
        for block in rest {
            block.id = Some(self.join(ports, (tag, id), block));
        }
        id
    }

    /// Plans the reads of what a copy writes to a page: what stands for each block in them, and the reads, which are yet
    /// to begin. Blocks of one page are read together.
    fn plan_sources(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        tag: CommandTag,
        page: &Gathered,
    ) -> (Each, Each) {
        let (mut sources, mut reads) =
            ([None; Metadata::MOST_BLOCKS], [None; Metadata::MOST_BLOCKS]);
        let from = |block: &Block| self.commands.source(tag, block.nth);
        let mut all = page.blocks;
        let all = &mut all[..page.count];
        all.iter_mut().for_each(|block| block.lpn = from(block));
        let units = self.addresses.units();
        let (mut begin, mut nth) = (0, 0);
        while begin < all.len() {
            let like = all[begin].lpn;
            let (mut seen, mut count) = (0_u32, 0);
            // A block that is copied twice is read twice.
            for block in &all[begin..] {
                let bit = 1 << (block.lpn.0 % units);
                if block.lpn.0 / units != like.0 / units || seen & bit != 0 {
                    break;
                }
                (seen, count) = (seen | bit, count + 1);
            }
            let run = &mut all[begin..begin + count];
            reads[nth] = self.read(ports, tag, run);
            for (to, block) in sources[begin..].iter_mut().zip(run.iter()) {
                *to = block.id;
            }
            (begin, nth) = (begin + count, nth + 1);
        }
        (sources, reads)
    }

    fn plan_reset(&mut self, ports: &mut Ports<'_, impl Hardware>, tag: CommandTag) {
        let next = self.commands.next(tag).expect("it has chunks to plan");
        let first = self.commands.target(tag, next);
        let (chunk, _) = self.addresses.in_chunk(first);
        if !self.table.plan_reset(chunk) {
            self.commands.fail_blocks(tag, IoOutcome::Offline, |lpn| lpn == first);
            return;
        }
        ports.hw.work(Work::Depend);
        self.commands.expect(tag);
        let page = self.addresses.page(chunk, 0);
        let op = Operation::flash(Owner::Counts(tag), page, Task::Erase);
        let id = ports.station.reserve(ports.hw, op);
        self.begin(ports, id);
    }
}
