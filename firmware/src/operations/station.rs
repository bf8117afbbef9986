//! Reservation station: the host DMA queue, and a flash queue a way (Cosmos+ figure 11); and the way
//! back, for operations that have ended and ways that halt.

use alloc::vec::Vec;
use contract::{Geometry, Hardware, Lpn, OperationStep};

use super::{Action, Ended, Fifo, Flash, OpId, Operation, Page, Pool, Task};

/// Operations that wait for their turn. A way works its queue strictly in order: the first one
/// stays until it is done, and one whose data are not there yet holds back those behind it. Since
/// the FTL queues in the order in which it changes its map, no read meets a page that is not
/// programmed yet or erased already.
#[derive(Debug)]
pub struct Station {
    /// Every operation, here and in the chains of the dependency checker.
    pub pool: Pool,
    pub(crate) ways: Vec<Fifo>,
    pub(crate) dma: Fifo,
    /// Released operations that need neither flash nor DMA.
    pub(crate) instant: Fifo,
    /// Ways whose first operation changed since the state manager looked, a bit a way, by channel.
    pub(crate) changed: Vec<u64>,
    /// Channels with a bit in `changed`.
    pub(crate) changed_channels: u64,
    /// Ways with an empty queue, a bit a way, by channel.
    pub(crate) idle: Vec<u64>,
    /// Operations that have ended, for the FTL to take.
    ended: Fifo,
    /// Ways that halt on a failed program or erase, a bit a way, by channel.
    halted: Vec<u64>,
    has_halted: bool,
    /// What the scheduler met in reads.
    pub(crate) met: Met,
    geometry: Geometry,
}

/// What reads met on the flash, counted when they met it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Met {
    /// Bits that ECC corrected.
    pub corrected_bits: u64,
    /// Reads repeated.
    pub read_retries: u64,
}

impl Station {
    /// Empty queues over a pool of `operations`.
    pub fn new(geometry: Geometry, operations: u32) -> Self {
        Station {
            pool: Pool::new(operations),
            ways: alloc::vec![Fifo::EMPTY; geometry.dies() as usize],
            dma: Fifo::EMPTY,
            instant: Fifo::EMPTY,
            changed: alloc::vec![0; geometry.channels as usize],
            changed_channels: 0,
            idle: alloc::vec![u64::MAX; geometry.channels as usize],
            ended: Fifo::EMPTY,
            has_halted: false,
            halted: alloc::vec![0; geometry.channels as usize],
            met: Met::default(),
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
                id.step(hw, OperationStep::First { die });
                self.note_idle(die);
                self.mark(die);
            }
        }
        id
    }

    /// Takes in a released operation that became a read of `page` for `lpn`. It goes behind the program
    /// of its page, if that is still to come, or else before all others of its way, but for the first
    /// where that may have begun: none of them can be something that it waits for.
    pub fn reserve_early(&mut self, hw: &mut impl Hardware, id: OpId, (page, lpn): (Page, Lpn)) {
        let op = self.pool[id];
        id.step(hw, OperationStep::Planned { command: op.owner.command(), needs: op.needs() });
        let program = |op: &Operation| programs(op, page) == Some(lpn);
        let begun = self.first(page.die).filter(|&first| self.pool.is_released(first));
        let before = {
            let mut queued = self.pool.iter(&self.ways[page.die as usize]);
            queued.find(|&id| program(&self.pool[id])).or(begun)
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
        self.mark(page.die);
    }

    /// Hands a released operation on.
    pub fn release(&mut self, id: OpId) {
        match self.pool[id].action {
            Action::Flash(Flash { page, .. }) => self.mark(page.die),
            Action::Dma(_) => self.pool.push(&mut self.dma, id),
            Action::Touch(_) => self.pool.push(&mut self.instant, id),
        }
    }

    /// Puts a released operation where the FTL looks at it again before it does anything.
    pub fn set_aside(&mut self, id: OpId) {
        self.pool.push(&mut self.instant, id);
    }

    /// Pages a block.
    pub fn pages_per_block(&self) -> u32 {
        self.geometry.pages_per_block
    }

    /// Bytes a mapping unit.
    pub fn page_bytes(&self) -> u32 {
        self.geometry.page_bytes
    }

    /// The first operation of a way.
    pub fn first(&self, die: u32) -> Option<OpId> {
        self.ways[die as usize].head()
    }

    /// The operations of a way, first to last.
    pub fn queued(&self, die: u32) -> impl Iterator<Item = &Operation> {
        self.pool.iter(&self.ways[die as usize]).map(|id| &self.pool[id])
    }

    /// Takes the first operation of a way off, done.
    pub fn retire(&mut self, hw: &mut impl Hardware, die: u32) {
        self.mark(die);
        let queue = &mut self.ways[die as usize];
        self.pool.pop(queue);
        if let Some(next) = queue.head() {
            next.step(hw, OperationStep::First { die });
        }
        self.note_idle(die);
    }

    /// An operation, which stands in no queue any more, has ended. The FTL takes it before anything else
    /// is done.
    pub fn end(&mut self, id: OpId, ended: Ended) {
        self.pool.set_ended(id, ended);
        self.pool.push(&mut self.ended, id);
    }

    /// Takes the next operation that has ended.
    pub fn next_ended(&mut self) -> Option<(OpId, Ended)> {
        let id = self.pool.pop(&mut self.ended)?;
        Some((id, self.pool.ended(id)))
    }

    /// Whether operations have ended, or ways halt, that the FTL did not see to yet.
    #[inline]
    pub fn has_news(&self) -> bool {
        !self.ended.is_empty() || self.has_halted
    }

    /// The first operation of a way, a program or an erase, failed. Nothing of the way is begun until
    /// [`Station::resume`]. What was handed to the hardware behind it comes back first: all that is not
    /// done stands in the way's queue, in order.
    pub fn halt(&mut self, die: u32) {
        self.halted[(die % self.geometry.channels) as usize] |= 1 << (die / self.geometry.channels);
        self.has_halted = true;
    }

    /// A way that halts, if one does.
    pub fn next_halted(&mut self) -> Option<u32> {
        let channels = self.geometry.channels;
        let first = self.halted.iter().zip(0..).find(|(&ways, _)| ways != 0);
        self.has_halted = first.is_some();
        first.map(|(ways, channel)| ways.trailing_zeros() * channels + channel)
    }

    /// A way that halts goes on, with whatever is first in its queue now.
    pub fn resume(&mut self, die: u32) {
        let bit = 1 << (die / self.geometry.channels);
        self.halted[(die % self.geometry.channels) as usize] &= !bit;
        self.mark(die);
    }

    /// Ways of a channel that halt.
    #[inline]
    pub fn halted(&self, channel: u32) -> u64 {
        self.halted[channel as usize]
    }

    /// Brings the way's bit up to date.
    fn note_idle(&mut self, die: u32) {
        let (channel, bit) = (die % self.geometry.channels, 1 << (die / self.geometry.channels));
        let ways = &mut self.idle[channel as usize];
        *ways = *ways & !bit | if self.ways[die as usize].is_empty() { bit } else { 0 };
    }

    /// Says that the first operation of a way may have become ready or another.
    pub fn mark(&mut self, die: u32) {
        let channel = die % self.geometry.channels;
        self.changed[channel as usize] |= 1 << (die / self.geometry.channels);
        self.changed_channels |= 1 << channel;
    }

    /// Whether no operation is left.
    pub fn is_empty(&self) -> bool {
        self.pool.in_use() == 0
    }
}

/// The logical page that an operation programs to `page`, if it does.
pub fn programs(op: &Operation, page: Page) -> Option<Lpn> {
    match op.on_flash()? {
        Flash { page: to, task: Task::Program { lpn, .. }, .. } if *to == page => Some(*lpn),
        _ => None,
    }
}
