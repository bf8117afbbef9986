//! Reads of blocks: an operation for each page, and a DMA for each block behind it.

use contract::{CommandTag, Hardware, Lpn, Metadata, OperationStep, Work};

use super::commands::Places;
use super::page::{Block, Gathered, Units};
use super::{Placed, Ports};
use crate::nvme::backend::IoOutcome;
use crate::operations::moved::{hull, Moved};
use crate::operations::{Action, Chain, Data, Dma, Ended, Joined, OpId, Operation, Owner, Place};

impl Placed {
    /// The blocks at some places of a command, each with an entry.
    pub fn gather(
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

    /// Plans a read of blocks of a page, with what brings them to the host. `place_of` tells where a block is, if it is written.
    pub fn plan_read(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        (tag, places): (CommandTag, &Places),
        place_of: impl Fn(Lpn) -> Option<Place>,
    ) {
        let mut page = self.gather(ports.hw, tag, places);
        let id = self.read(ports, (Owner::Step(tag), page.all_mut()), place_of);
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

    /// Plans a read of the blocks of a page that are written; the others are zeroes. It is yet to begin.
    pub fn read(
        &self,
        ports: &mut Ports<'_, impl Hardware>,
        (owner, blocks): (Owner, &mut [Block]),
        place_of: impl Fn(Lpn) -> Option<Place>,
    ) -> Option<OpId> {
        let mut first: Option<OpId> = None;
        let whole = ports.station.unit();
        let part = blocks
            .iter()
            .filter_map(|block| place_of(block.lpn))
            .map(|place| ports.station.read_part(place.unit, whole))
            .reduce(hull);
        for block in blocks {
            let Some(place) = place_of(block.lpn) else {
                ports.hw.work_times(Work::Touch, whole.length.div_ceil(4096));
                ports.hw.zero_buffer(block.entry, 0, whole.length);
                continue;
            };
            block.id = Some(match first {
                None => {
                    ports.hw.work(Work::Depend);
                    let part = part.expect("a block is read");
                    let read = (block.entry, block.lpn, part);
                    let id = ports.station.reserve(ports.hw, Operation::read(owner, place, read));
                    first = Some(id);
                    id
                }
                Some(with) => {
                    let own = ports.station.pool.join(owner, block.joined(with, place.unit));
                    ports.station.pool.let_go(with);
                    own
                }
            });
        }
        first
    }

    /// The blocks that an operation moves.
    pub fn units(ports: &Ports<'_, impl Hardware>, id: OpId) -> Units {
        let mut units = [None; Metadata::MOST_BLOCKS];
        let moved = ports.station.pool.moved(id);
        units.iter_mut().zip(moved).for_each(|(to, own)| *to = Some(own));
        units
    }

    /// Data went to the host, or could not.
    pub fn end_to_host(&mut self, tag: CommandTag, data: Data, ended: Ended) {
        if let Ended::Failed(outcome) = ended {
            self.fail_at(tag, data, outcome);
        }
        self.free.push(data.entry);
        self.commands.end(tag);
    }

    /// Counts a read, and lets go what waits for the blocks that it has brought. `lose` takes each of the others.
    pub fn end_read<H: Hardware>(
        &mut self,
        ports: &mut Ports<'_, H>,
        (id, ended): (OpId, Ended),
        mut lose: impl FnMut(&mut Self, &mut Ports<'_, H>, Moved),
    ) {
        if ended == Ended::Well {
            self.counters.reads += 1;
        } else {
            self.counters.unreadable_pages += 1;
        }
        for own in Self::units(ports, id).into_iter().flatten() {
            if ended == Ended::Well && !own.lost {
                Self::release_behind(ports, own.id, id);
            } else {
                lose(self, ports, own);
            }
        }
    }

    /// A block could not be read. If it was to go to the host, it does not; else the operation that waits for it is returned.
    #[cold]
    pub fn lose_for_host(
        &mut self,
        ports: &mut Ports<'_, impl Hardware>,
        tag: CommandTag,
        own: Moved,
    ) -> Option<OpId> {
        self.commands.fail_blocks(tag, IoOutcome::UnrecoveredRead, |lpn| lpn == own.lpn);
        let next = ports.station.pool.next(own.id, Chain::Entry).expect("a block is read for use");
        let Action::Dma(Dma::ToHost(data)) = ports.station.pool[next].action else {
            return Some(next);
        };
        ports.station.pool.release_next(own.id, Chain::Entry);
        next.step(ports.hw, OperationStep::Ended);
        ports.station.pool.remove(next);
        self.free.push(data.entry);
        self.commands.end(tag);
        None
    }

    /// Lets go what waits for what stands for a block in an operation, which is the first of the two.
    pub fn release_behind(ports: &mut Ports<'_, impl Hardware>, id: OpId, by: OpId) {
        let Some(next) = ports.station.pool.release_next(id, Chain::Entry) else { return };
        let released = match ports.station.pool[next].action {
            Action::Joined(Joined { with, .. }) => ports.station.pool.let_go(with).then_some(with),
            _ => Some(next),
        };
        if let Some(next) = released {
            next.released(ports.hw, Some(by));
            ports.station.release(next);
        }
    }
}
