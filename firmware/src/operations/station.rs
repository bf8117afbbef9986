//! Reservation station: the host DMA queue, and a flash queue a way (Cosmos+ figure 11); what channels
//! that schedule by themselves have of each way; and the way back, for operations that have ended and
//! ways that halt.

#[cfg(feature = "state")]
mod sound;

use alloc::vec::Vec;
use contract::{Configuration, Geometry, Grain, Hardware, Lpn, OperationStep, Programming, Span};

use super::apart::OtherCores;
use super::moved::programs;
use super::{Action, Ended, Fifo, Flash, OpId, Operation, Page, Place, Pool, Stage, Task};
use crate::planted::{is_planted, Bug};

/// Operations that wait for their turn. They leave a way's queue strictly in order, and an operation whose data
/// are not there yet holds back the operations behind it. Where the firmware schedules, the first one stays until
/// it is done; where the channels do, they get several, and keep in order what depends on each other.
/// Since the FTL queues in the order in which it changes its map, no read meets a page that is not
/// programmed yet or erased already.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Station {
    /// Every operation, here and in the chains of the dependency checker.
    pub pool: Pool,
    pub(crate) ways: Vec<Fifo>,
    /// The read of each way that is done while the chip suspends the first operation. It stands in no queue.
    pub(super) aside: Vec<Option<OpId>>,
    /// How often an operation may be suspended, and how often the first of each way was.
    pub(super) suspends: u8,
    pub(super) suspended: Vec<u8>,
    /// What was handed over of each way, in order.
    handed: Vec<Handed>,
    /// Operations of a way that the hardware takes.
    way_requests: u32,
    pub(crate) dma: Fifo,
    /// Released operations that need neither flash nor DMA.
    pub(crate) instant: Fifo,
    /// Ways whose first operation changed since the state manager looked, a bit a way, by channel.
    pub(crate) changed: Vec<u64>,
    /// Channels with a bit in `changed`.
    pub(crate) changed_channels: u64,
    /// Ways of which nothing waits and nothing was handed over, a bit a way, by channel.
    pub(crate) idle: Vec<u64>,
    /// Operations that have ended, for the FTL to take.
    pub(super) ended: Fifo,
    /// Ways that halt on a failed program or erase, a bit a way, by channel.
    pub(super) halted: Vec<u64>,
    /// Halted ways that the FTL has to see to, a bit a way, by channel.
    pub(super) to_mend: Vec<u64>,
    pub(super) has_halted: bool,
    /// Ways whose chip no reset brings back, and the ones among these ways of which the FTL does not know yet.
    pub(super) dead: Vec<bool>,
    pub(super) new_dead: Vec<u32>,
    /// What the scheduler met in reads.
    pub(crate) met: Met,
    /// How often the drive has found its map, for the metadata of its pages.
    pub(crate) epoch: u32,
    pub(super) geometry: Geometry,
    /// What other cores than the FTL's do.
    pub(super) apart: OtherCores,
    pub(super) programming: Programming,
    /// Bytes of a mapping unit, and of the smallest part of a page that is read.
    unit_bytes: u32,
    pub(super) read_unit_bytes: u32,
}

/// Operations of a way that its channel has.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Handed {
    queue: Fifo,
    count: u32,
}

/// What operations met on the flash, counted when they met it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Met {
    /// Bits that ECC corrected.
    pub corrected_bits: u64,
    /// Reads repeated.
    pub read_retries: u64,
    /// Chips reset that did not turn ready in time.
    pub chip_resets: u64,
    /// Bits corrected in a chunk from which on a page is weak; 0 where none is.
    weak_bits: u32,
    /// Weak pages that the FTL did not see to yet. Others may be found meanwhile, and are found again.
    weak: [Option<Page>; WEAK_PAGES],
}

/// Weak pages that are kept for the FTL.
const WEAK_PAGES: usize = 4;

impl Met {
    /// A page was read whose bits, and most of a chunk, were corrected.
    #[inline]
    pub fn read(&mut self, page: Page, corrected_bits: u32, most_bits: u8) {
        self.corrected_bits += u64::from(corrected_bits);
        if self.weak_bits > 0 && u32::from(most_bits) >= self.weak_bits {
            if let Some(free) = self.weak.iter_mut().find(|place| place.is_none()) {
                *free = Some(page);
            }
        }
    }

    /// Takes the next weak page.
    #[inline]
    pub fn next_weak(&mut self) -> Option<Page> {
        if self.weak_bits == 0 {
            return None;
        }
        self.weak.iter_mut().find_map(Option::take)
    }
}

impl Station {
    /// Empty queues over a pool of `operations`, for a drive of this configuration.
    pub fn of(config: &Configuration, operations: u32) -> Self {
        let mut station = Station::new(config.geometry, operations);
        station.met.weak_bits = config.refresh.corrected_bits;
        (station.unit_bytes, station.read_unit_bytes) = (config.unit_bytes, config.read_unit_bytes);
        (station.programming, station.suspends) = (config.programming, config.suspends);
        match config.grain {
            Grain::Phases => station,
            Grain::Operations(grain) => Station { way_requests: grain.way_requests, ..station },
        }
    }

    /// Empty queues over a pool of `operations`, of ways that take one at a time, and whole pages.
    pub fn new(geometry: Geometry, operations: u32) -> Self {
        Station {
            pool: Pool::new(operations),
            ways: alloc::vec![Fifo::EMPTY; geometry.dies() as usize],
            aside: alloc::vec![None; geometry.dies() as usize],
            suspends: 0,
            suspended: alloc::vec![0; geometry.dies() as usize],
            handed: alloc::vec![Handed { queue: Fifo::EMPTY, count: 0 }; geometry.dies() as usize],
            way_requests: 1,
            dma: Fifo::EMPTY,
            instant: Fifo::EMPTY,
            changed: alloc::vec![0; geometry.channels as usize],
            changed_channels: 0,
            idle: alloc::vec![u64::MAX; geometry.channels as usize],
            ended: Fifo::EMPTY,
            has_halted: false,
            halted: alloc::vec![0; geometry.channels as usize],
            to_mend: alloc::vec![0; geometry.channels as usize],
            dead: alloc::vec![false; geometry.dies() as usize],
            new_dead: Vec::with_capacity(geometry.dies() as usize),
            met: Met::default(),
            epoch: 0,
            apart: OtherCores::NONE,
            programming: Programming::SINGLE,
            unit_bytes: geometry.page_bytes,
            read_unit_bytes: geometry.page_bytes,
            geometry,
        }
    }

    /// Takes an operation in. A flash operation enters its way's queue at once, to keep its place;
    /// the others enter a queue when they are released.
    pub fn reserve(&mut self, hw: &mut impl Hardware, op: Operation) -> OpId {
        let id = self.pool.add(op);
        id.step(hw, OperationStep::Planned { command: op.owner.command(), needs: op.needs() });
        if let Some(&Flash { page: Page { die, .. }, .. }) = op.on_flash() {
            let queue = &mut self.ways[die as usize];
            let was_empty = queue.is_empty();
            self.pool.push(queue, id);
            if was_empty {
                if self.has_room(die) {
                    id.step(hw, OperationStep::First { die });
                }
                self.note_idle(die);
                self.mark(die);
            }
        }
        id
    }

    /// Takes in a released operation that became a read of `place` for `lpn`. It goes behind the program
    /// of its page, if that waits, or else before all others that wait for its way, but for the first
    /// where that may have begun: none of them can be something that it waits for.
    pub fn reserve_early(&mut self, hw: &mut impl Hardware, id: OpId, (place, lpn): (Place, Lpn)) {
        let op = self.pool[id];
        id.step(hw, OperationStep::Planned { command: op.owner.command(), needs: op.needs() });
        let page = place.page;
        let program = |&id: &OpId| programs(&self.pool, id, place) == Some(lpn);
        let begun = self.first(page.die).filter(|&first| self.pool.is_released(first));
        let before = {
            let mut queued = self.pool.iter(&self.ways[page.die as usize]);
            queued.find(program).or(begun)
        };
        let queue = &mut self.ways[page.die as usize];
        match before {
            Some(before) => self.pool.push_behind(queue, before, id),
            None => {
                self.pool.push_front(queue, id);
                id.step(hw, OperationStep::First { die: page.die });
            }
        }
        id.released(hw, None);
        self.note_idle(page.die);
        self.may_begin(id, page.die);
    }

    /// Takes in an operation of the log, which waits for nothing. It goes before all others that wait for
    /// its way, but for those of the log and for the first where that may have begun: others may wait for it.
    pub fn reserve_log(&mut self, hw: &mut impl Hardware, op: Operation) -> OpId {
        let id = self.pool.add(op);
        id.step(hw, OperationStep::Planned { command: None, needs: op.needs() });
        let Some(&Flash { page: Page { die, .. }, .. }) = op.on_flash() else {
            unreachable!("operations of the log are for the flash")
        };
        let begun = self.first(die).filter(|&first| self.pool.is_released(first));
        let of_log = |id: &OpId| self.pool[*id].on_flash().is_some_and(|f| f.task.is_of_log());
        let before = self.pool.iter(&self.ways[die as usize]).filter(of_log).last().or(begun);
        let queue = &mut self.ways[die as usize];
        match before {
            Some(before) => self.pool.push_behind(queue, before, id),
            None => {
                self.pool.push_front(queue, id);
                id.step(hw, OperationStep::First { die });
            }
        }
        id.released(hw, None);
        self.note_idle(die);
        self.may_begin(id, die);
        id
    }

    /// Hands a released operation on.
    #[inline]
    pub fn release(&mut self, id: OpId) {
        match self.pool[id].action {
            Action::Flash(Flash { page, .. }) => self.may_begin(id, page.die),
            Action::Dma(_) => self.may_move(id),
            Action::Touch(_) => self.pool.push(&mut self.instant, id),
            Action::Joined(_) => unreachable!("what is joined with an operation goes with it"),
        }
    }

    /// Puts a released operation where the FTL looks at it again before it does anything.
    pub fn set_aside(&mut self, id: OpId) {
        self.pool.push(&mut self.instant, id);
    }

    /// Ways.
    pub fn dies(&self) -> u32 {
        self.ways.len() as u32
    }

    /// Usable pages of a block.
    pub fn pages_per_block(&self) -> u32 {
        self.geometry.pages_per_block
    }

    /// All data of a page.
    pub fn page(&self) -> Span {
        self.geometry.page()
    }

    /// All bytes of a mapping unit.
    pub fn unit(&self) -> Span {
        Span { offset: 0, length: self.unit_bytes }
    }

    /// The first operation that waits for a way.
    pub fn first(&self, die: u32) -> Option<OpId> {
        self.ways[die as usize].head()
    }

    /// The first operation that waits for a way and is not the log's.
    pub fn first_of_data(&self, die: u32) -> Option<OpId> {
        let of_log = |id: &OpId| self.pool[*id].on_flash().is_some_and(|f| f.task.is_of_log());
        self.pool.iter(&self.ways[die as usize]).find(|id| !of_log(id))
    }

    /// The operations that wait for a way, first to last.
    pub fn queued(&self, die: u32) -> impl Iterator<Item = &Operation> {
        self.all_queued(die).map(|id| &self.pool[id])
    }

    /// The same by their places in the pool.
    pub fn all_queued(&self, die: u32) -> impl Iterator<Item = OpId> + '_ {
        self.pool.iter(&self.ways[die as usize])
    }

    /// The same but for the first where that may have begun.
    pub fn not_begun(&self, die: u32) -> impl Iterator<Item = OpId> + '_ {
        let is_begun = |first| self.pool.is_released(first) || is_planted(Bug::HeldEraseCounted);
        let begun = self.first(die).is_some_and(is_begun);
        self.all_queued(die).skip(usize::from(begun))
    }

    /// The queues of what waits for a way, and of what was handed over.
    pub(super) fn queues(&self, die: u32) -> [Fifo; 2] {
        [self.ways[die as usize], self.handed[die as usize].queue]
    }

    /// Erases of a block that wait for its way, begun or not.
    pub fn erases_queued(&self, die: u32, block: u32) -> u32 {
        self.queued(die).filter(|op| self.erases(op, block)).count() as u32
    }

    /// Whether an operation is an erase of a block of its way.
    pub fn erases(&self, op: &Operation, block: u32) -> bool {
        let flash = op.on_flash().filter(|flash| flash.task == Task::Erase);
        flash.is_some_and(|flash| self.geometry.block_of(flash.page.row) == block)
    }

    /// Takes the operation of a way that is being done off, done: a read aside, or the first.
    pub fn retire(&mut self, hw: &mut impl Hardware, die: u32) {
        self.mark(die);
        if self.aside[die as usize].take().is_some() {
            return;
        }
        self.suspended[die as usize] = 0;
        let queue = &mut self.ways[die as usize];
        self.pool.pop(queue);
        if let Some(next) = queue.head() {
            next.step(hw, OperationStep::First { die });
        }
        self.note_idle(die);
    }

    /// Whether the channel of a way takes another operation of it.
    pub fn has_room(&self, die: u32) -> bool {
        self.handed[die as usize].count < self.way_requests
    }

    /// The channel of a way gets the first operation that waits for it.
    pub fn hand_over(&mut self, hw: &mut impl Hardware, die: u32) {
        let Station { pool, ways, handed, .. } = self;
        let handed = &mut handed[die as usize];
        let id = pool.pop(&mut ways[die as usize]).expect("an operation waits");
        pool.push(&mut handed.queue, id);
        handed.count += 1;
        self.announce(hw, die);
    }

    /// An operation that was handed over is done.
    pub fn leave(&mut self, hw: &mut impl Hardware, die: u32, id: OpId) {
        self.mark(die);
        let had_room = self.has_room(die);
        let handed = &mut self.handed[die as usize];
        self.pool.take_out(&mut handed.queue, id);
        handed.count -= 1;
        if !had_room {
            self.announce(hw, die);
        }
        self.note_idle(die);
    }

    /// What was handed over of a way, first to last.
    pub fn handed(&self, die: u32) -> impl Iterator<Item = &Operation> {
        self.pool.iter(&self.handed[die as usize].queue).map(|id| &self.pool[id])
    }

    /// What was handed over of a way and is not done waits again, before all others and in order; but for
    /// the first of those that failed, if one did, which goes to the front.
    pub fn take_back(&mut self, hw: &mut impl Hardware, die: u32) -> Option<OpId> {
        let handed = core::mem::replace(&mut self.handed[die as usize].queue, Fifo::EMPTY);
        self.handed[die as usize].count = 0;
        self.pool.prepend(&mut self.ways[die as usize], handed);
        let failed = self.bring_failed(die);
        self.announce(hw, die);
        self.mark(die);
        failed
    }

    /// Brings the first operation of those that wait for a way and have failed to the front.
    pub fn bring_failed(&mut self, die: u32) -> Option<OpId> {
        let Station { pool, ways, .. } = self;
        let queue = &mut ways[die as usize];
        let failed = |id: &OpId| pool[*id].on_flash().is_some_and(|f| f.stage == Stage::Failed);
        let id = pool.iter(queue).find(failed)?;
        pool.take_out(queue, id);
        pool.push_front(queue, id);
        Some(id)
    }

    /// Brings the operations of the log that wait for a way, of which nothing has begun, to the front.
    pub fn bring_log(&mut self, die: u32) {
        let Station { pool, ways, .. } = self;
        let queue = &mut ways[die as usize];
        let mut of_log = Fifo::EMPTY;
        let is_of_log =
            |pool: &Pool, id: OpId| pool[id].on_flash().is_some_and(|flash| flash.task.is_of_log());
        let next = |pool: &Pool, queue: &Fifo| pool.iter(queue).find(|&id| is_of_log(pool, id));
        while let Some(id) = next(pool, queue) {
            pool.take_out(queue, id);
            pool.push(&mut of_log, id);
        }
        pool.prepend(queue, of_log);
        self.mark(die);
    }

    /// Tells of the operation that is the next to be handed over.
    fn announce(&mut self, hw: &mut impl Hardware, die: u32) {
        if let Some(next) = self.first(die).filter(|_| self.has_room(die)) {
            next.step(hw, OperationStep::First { die });
        }
    }

    /// An operation, which stands in no queue any more, has ended. The FTL takes it before anything else
    /// is done.
    #[inline]
    pub fn end(&mut self, id: OpId, ended: Ended) {
        self.pool.set_ended(id, ended);
        self.pool.push(&mut self.ended, id);
    }

    /// Takes the next operation that has ended.
    #[inline]
    pub fn next_ended(&mut self) -> Option<(OpId, Ended)> {
        let id = self.pool.pop(&mut self.ended)?;
        Some((id, self.pool.ended(id)))
    }

    /// Whether operations have ended, or ways halt, that the FTL did not see to yet.
    #[inline]
    pub fn has_news(&self) -> bool {
        !self.ended.is_empty() || self.has_halted
    }

    /// Brings the way's bit up to date.
    #[inline]
    fn note_idle(&mut self, die: u32) {
        let (channel, bit) = (die % self.geometry.channels, 1 << (die / self.geometry.channels));
        let ways = &mut self.idle[channel as usize];
        let idle = self.ways[die as usize].is_empty() && self.handed[die as usize].count == 0;
        *ways = *ways & !bit | if idle { bit } else { 0 };
    }

    /// Says that the first operation of a way may have become ready or another.
    pub fn mark(&mut self, die: u32) {
        let channel = die % self.geometry.channels;
        self.changed[channel as usize] |= 1 << (die / self.geometry.channels);
        self.changed_channels |= 1 << channel;
    }

    /// Nothing of a way is begun any more, but for the first operation where that may have begun.
    pub fn keep_first(&mut self, die: u32) {
        let first = self.first(die).filter(|&first| self.pool.is_released(first));
        self.clear(die);
        if let Some(first) = first {
            self.pool.push(&mut self.ways[die as usize], first);
        }
    }

    /// Nothing waits for a way any more. The operations stay in the pool.
    pub fn clear(&mut self, die: u32) {
        self.ways[die as usize] = Fifo::EMPTY;
        self.note_idle(die);
    }

    /// Nothing waits for the DMA engine any more. The operations stay in the pool.
    pub fn clear_dma(&mut self) {
        self.dma = Fifo::EMPTY;
    }

    /// Whether nothing waits for a way and nothing was handed over.
    pub fn is_idle(&self, die: u32) -> bool {
        let way = die / self.geometry.channels;
        self.idle[(die % self.geometry.channels) as usize] >> way & 1 == 1
    }

    /// Whether an operation may have begun: it is the first of its way, or its channel has it.
    pub fn may_have_begun(&self, id: OpId) -> bool {
        let Some(&Flash { page: Page { die, .. }, .. }) = self.pool[id].on_flash() else {
            return false;
        };
        let mut handed = self.pool.iter(&self.handed[die as usize].queue);
        self.first(die) == Some(id)
            || self.aside[die as usize] == Some(id)
            || handed.any(|own| own == id)
    }

    /// An operation of the pool that waits for nothing and stands in no queue waits for its way, behind all others.
    pub fn put(&mut self, hw: &mut impl Hardware, id: OpId) {
        let Some(&Flash { page: Page { die, .. }, .. }) = self.pool[id].on_flash() else {
            unreachable!("what waits for a way is for the flash")
        };
        let queue = &mut self.ways[die as usize];
        let was_empty = queue.is_empty();
        self.pool.push(queue, id);
        if was_empty {
            id.step(hw, OperationStep::First { die });
        }
        self.note_idle(die);
        self.may_begin(id, die);
    }

    /// Whether no operation is left.
    pub fn is_empty(&self) -> bool {
        self.pool.in_use() == 0
    }
}
