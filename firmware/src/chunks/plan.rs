//! From commands to operations, a page at a time.
//!
//! A read is a flash operation, and a DMA for each block behind it. A write is a DMA for each block, and a flash operation
//! that waits for them in its place of the way's queue. A copy is reads and a program behind them. As operations are planned
//! in the order of commands, each waits for none that was planned later.

use contract::{Cause, CommandTag, Hardware, Lpn, Metadata, Work};

use super::address::Addresses;
use super::table::Table;
use super::{Chunks, PAGES_A_TURN};
use crate::nvme::backend::IoOutcome;
use crate::operations::{Chain, Dma, OpId, Operation, Owner, Page, Place, Sequence, Task};
use crate::placed::commands::{Kind, Places};
use crate::placed::{Block, Each, Gathered, Ports, NOTHING};

/// Where a block is, if it is written once all that stands in its way's queue is done.
fn written(addresses: &Addresses, table: &Table, lpn: Lpn) -> Option<Place> {
    if lpn == NOTHING {
        return None;
    }
    let (chunk, nth) = addresses.in_chunk(lpn);
    table.is_planned(chunk, nth).then(|| addresses.place(lpn))
}

impl Chunks {
    /// Works on commands as much as a turn may. True when something was done.
    pub(super) fn advance(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool {
        if self.scan.is_some() {
            return self.look_for_pages(ports);
        }
        let (mut busy, mut left) = (false, PAGES_A_TURN);
        while let (1.., Some((tag, kind, waited))) = (left, self.placed.commands.front()) {
            if !self.has_room(ports, kind) {
                break;
            }
            (busy, left) = (true, left - 1);
            if waited {
                ports.hw.waited(tag, Cause::Order);
            }
            ports.hw.attend(Some(tag));
            self.plan_next(ports, (tag, kind));
            if self.placed.commands.next(tag).is_none() {
                self.placed.commands.pop();
            }
        }
        self.placed.commands.rest();
        busy
    }

    /// Whether a page of a command can be planned: it takes an entry a block and two operations for each, one for the way
    /// and one for the DMA or another way.
    fn has_room(&self, ports: &Ports<'_, impl Hardware>, kind: Kind) -> bool {
        let units = self.addresses.units();
        let entries = if kind == Kind::Reset { 0 } else { units as usize };
        self.placed.free.len() >= entries && ports.station.pool.free_count() > 2 * units
    }

    fn plan_next(&mut self, ports: &mut Ports<'_, impl Hardware>, (tag, kind): (CommandTag, Kind)) {
        ports.hw.work(Work::Slice);
        let places = self.placed.commands.next_page(tag, self.addresses.units());
        match kind {
            Kind::Read => {
                let Chunks { placed, addresses, table, .. } = self;
                placed.plan_read(ports, (tag, &places), |lpn| written(addresses, table, lpn));
            }
            Kind::Write | Kind::Copy => self.plan_write(ports, (tag, kind), &places),
            Kind::Reset => self.plan_reset(ports, tag),
            Kind::Finish | Kind::Flush => unreachable!("nothing of it is to plan"),
        }
        let one = ([0; Metadata::MOST_BLOCKS], 1);
        self.placed.commands.note_planned(tag, if kind == Kind::Reset { &one } else { &places });
    }

    fn plan_write(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        (tag, kind): (CommandTag, Kind),
        places: &Places,
    ) {
        let next = self.placed.commands.next(tag).expect("it has blocks to plan");
        let first = self.placed.commands.target(tag, next);
        let (chunk, block) = self.addresses.in_chunk(first);
        if !self.table.plan_write(chunk, block) {
            let units = self.addresses.units();
            let page = first.0 / units;
            self.placed
                .commands
                .fail_blocks(tag, IoOutcome::ClosedEarly, |lpn| lpn.0 / units == page);
            return;
        }
        assert_eq!(places.1 as u32, self.addresses.units(), "whole pages were accepted");
        let mut page = self.placed.gather(ports.hw, tag, places);
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
                    let dma = self.placed.dma(ports, tag, block, from_host);
                    ports.station.pool.chain((dma, Chain::Entry), own);
                    self.placed.begin(ports, dma);
                }
                Some(sources) => match sources.0[nth] {
                    Some(source) => ports.station.pool.chain((source, Chain::Entry), own),
                    None if own != program => drop(ports.station.pool.let_go(program)),
                    None => {}
                },
            }
        }
        if let Some((_, reads)) = sources {
            reads.into_iter().flatten().for_each(|read| self.placed.begin(ports, read));
            if ports.station.pool.is_released(program) {
                self.placed.begin(ports, program);
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
        self.placed.commands.expect(tag);
        let op = Operation::flash(Owner::Counts(tag), at, program);
        let id = ports.station.reserve(ports.hw, op);
        first.id = Some(id);
        for block in rest {
            let unit = self.addresses.place(block.lpn).unit;
            block.id = Some(ports.station.pool.join(Owner::Step(tag), block.joined(id, unit)));
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
        let from = |block: &Block| self.placed.commands.source(tag, block.nth);
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
            let Chunks { placed, addresses, table, .. } = &*self;
            let place_of = |lpn| written(addresses, table, lpn);
            reads[nth] = placed.read(ports, (Owner::Step(tag), run), place_of);
            for (to, block) in sources[begin..].iter_mut().zip(run.iter()) {
                *to = block.id;
            }
            (begin, nth) = (begin + count, nth + 1);
        }
        (sources, reads)
    }

    fn plan_reset(&mut self, ports: &mut Ports<'_, impl Hardware>, tag: CommandTag) {
        let next = self.placed.commands.next(tag).expect("it has chunks to plan");
        let first = self.placed.commands.target(tag, next);
        let (chunk, _) = self.addresses.in_chunk(first);
        if !self.table.plan_reset(chunk) {
            self.placed.commands.fail_blocks(tag, IoOutcome::Offline, |lpn| lpn == first);
            return;
        }
        ports.hw.work(Work::Depend);
        self.placed.commands.expect(tag);
        let page = self.addresses.page(chunk, 0);
        let op = Operation::flash(Owner::Counts(tag), page, Task::Erase);
        let id = ports.station.reserve(ports.hw, op);
        self.placed.begin(ports, id);
    }
}
