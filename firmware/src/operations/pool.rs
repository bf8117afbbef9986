//! The pool of operations, sized at start-up, and the intrusive lists in which they stand: the queue of
//! their way, the DMA queue, the chain of their buffer entry, the queue of those that have ended.

#[cfg(feature = "state")]
mod sound;

use alloc::vec::Vec;
use contract::{Hardware, OperationId, OperationStep};

use super::{Action, Ended, Joined, Operation, Owner};

/// An operation in the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct OpId(u32);

impl From<OperationId> for OpId {
    fn from(OperationId(slot): OperationId) -> Self {
        OpId(slot)
    }
}

impl From<OpId> for OperationId {
    fn from(OpId(slot): OpId) -> Self {
        OperationId(slot)
    }
}

impl OpId {
    /// Its slot of the pool.
    pub(crate) fn slot(self) -> usize {
        self.0 as usize
    }

    /// Tells the body of a step of this operation.
    #[inline]
    pub(crate) fn step(self, hw: &mut impl Hardware, step: OperationStep) {
        hw.step(OperationId(self.0), step);
    }

    /// Tells the body that nothing before this operation is left to do.
    #[inline]
    pub(crate) fn released(self, hw: &mut impl Hardware, by: Option<OpId>) {
        let by = by.map(|id| OperationId(id.0));
        self.step(hw, OperationStep::Released { by });
    }
}

const NONE: u32 = u32::MAX;
/// What a free slot waits for.
const FREE: u8 = u8::MAX;
/// What an operation waits for beside others until another core knows that it may begin. Others are fewer.
const NEWS: u8 = 0x40;

/// Which of its chains an operation is followed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chain {
    /// The chain of its buffer entry.
    Entry = 0,
    /// The chain of the entry that it compares with.
    Second = 1,
}

/// A queue of operations, linked through the pool.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Fifo {
    head: u32,
    tail: u32,
}

impl Fifo {
    /// An empty queue.
    pub const EMPTY: Fifo = Fifo { head: NONE, tail: NONE };

    /// The first operation.
    pub fn head(&self) -> Option<OpId> {
        (self.head != NONE).then_some(OpId(self.head))
    }

    /// Whether nothing stands in it.
    pub fn is_empty(&self) -> bool {
        self.head == NONE
    }
}

#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Slot {
    op: Operation,
    /// Operations before it in its chains that are not done.
    waits: u8,
    /// The next in the chain of its entry, and for a compare in that of the compare entry.
    successors: [u32; 2],
    /// The next in the queue it stands in.
    link: u32,
    /// The next of the further units of its page.
    joined: u32,
    /// How it ended, once it has.
    ended: Ended,
}

/// All operations.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Pool {
    /// Slots that were ever in use. Memory for all is taken at start-up; a copy of the pool has no more to copy than
    /// these.
    slots: Vec<Slot>,
    /// Slots that there may be.
    count: u32,
    /// The free one among the slots that was left last.
    free: u32,
    free_count: u32,
}

impl Pool {
    /// Room for `count` operations.
    pub fn new(count: u32) -> Self {
        Pool { slots: Vec::with_capacity(count as usize), count, free: NONE, free_count: count }
    }

    /// Operations that can still be added.
    pub fn free_count(&self) -> u32 {
        self.free_count
    }

    /// Operations in use.
    pub fn in_use(&self) -> u32 {
        self.count - self.free_count
    }

    /// Adds an operation.
    ///
    /// # Panics
    /// When the pool is full: whoever plans operations asks for room first.
    #[inline]
    pub fn add(&mut self, op: Operation) -> OpId {
        assert_ne!(self.free_count, 0, "the operation pool is full");
        self.free_count -= 1;
        let fresh = Slot {
            op,
            waits: 0,
            successors: [NONE; 2],
            link: NONE,
            joined: NONE,
            ended: Ended::Well,
        };
        let slot = self.free;
        if slot == NONE {
            // What is free and on no list was never in use.
            assert!((self.slots.len() as u32) < self.count, "every slot that was left is free");
            self.slots.push(fresh);
            return OpId(self.slots.len() as u32 - 1);
        }
        self.free = self.slots[slot as usize].link;
        self.slots[slot as usize] = fresh;
        OpId(slot)
    }

    /// Takes an operation out, which stands in no queue any more, with all that are joined with it.
    pub fn remove(&mut self, id: OpId) {
        let mut at = id.0;
        while at != NONE {
            let slot = &mut self.slots[at as usize];
            (slot.link, slot.waits) = (self.free, FREE);
            self.free = at;
            self.free_count += 1;
            at = core::mem::replace(&mut slot.joined, NONE);
        }
    }

    /// Adds a further unit of an operation's page, behind those that it has. The operation waits for it, too.
    pub fn join(&mut self, owner: Owner, joined: Joined) -> OpId {
        let id = self.add(Operation { owner, action: Action::Joined(joined) });
        let mut last = joined.with.0;
        while self.slots[last as usize].joined != NONE {
            last = self.slots[last as usize].joined;
        }
        self.slots[last as usize].joined = id.0;
        self.hold(joined.with, 1);
        id
    }

    /// The operation that stands for the next of the further units of an operation's page.
    pub fn next_joined(&self, id: OpId) -> Option<OpId> {
        let next = self.slots[id.0 as usize].joined;
        (next != NONE).then_some(OpId(next))
    }

    /// Takes the further units from an operation: they are operations of their own from then on.
    pub fn part(&mut self, id: OpId) {
        self.slots[id.0 as usize].joined = NONE;
    }

    /// Slots, in use or not.
    pub fn slots(&self) -> u32 {
        self.count
    }

    /// The operation in a slot, if one is there.
    pub fn in_slot(&self, slot: u32) -> Option<OpId> {
        self.slots.get(slot as usize).filter(|slot| slot.waits != FREE).map(|_| OpId(slot))
    }

    /// The operation that follows in a chain.
    pub fn next(&self, id: OpId, chain: Chain) -> Option<OpId> {
        let next = self.slots[id.0 as usize].successors[chain as usize];
        (next != NONE).then_some(OpId(next))
    }

    /// Chains `next` behind `previous`: it waits for it.
    #[inline]
    pub fn chain(&mut self, (previous, chain): (OpId, Chain), next: OpId) {
        let slot = &mut self.slots[previous.0 as usize].successors[chain as usize];
        assert_eq!(*slot, NONE, "a chain does not fork");
        *slot = next.0;
        self.slots[next.0 as usize].waits += 1;
    }

    /// Lets an operation wait for so many things besides the operations before it in its chains.
    pub fn hold(&mut self, id: OpId, things: u8) {
        self.slots[id.0 as usize].waits += things;
    }

    /// One of the things that an operation waits for is there. True once it waits for nothing more.
    pub fn let_go(&mut self, id: OpId) -> bool {
        self.slots[id.0 as usize].waits -= 1;
        self.is_released(id)
    }

    /// A released operation waits until another core knows that it may begin.
    pub(super) fn hold_for_news(&mut self, id: OpId) {
        self.slots[id.0 as usize].waits |= NEWS;
    }

    /// The other core knows. True if the operation waits for nothing more; not if it has ended before, or was made to wait
    /// for something else.
    pub(super) fn take_news(&mut self, id: OpId) -> bool {
        let waits = &mut self.slots[id.0 as usize].waits;
        let awaited = *waits != FREE && *waits & NEWS != 0;
        if awaited {
            *waits &= !NEWS;
        }
        awaited && *waits == 0
    }

    /// Whether nothing before an operation in its chains is left to do.
    pub fn is_released(&self, id: OpId) -> bool {
        self.slots[id.0 as usize].waits == 0
    }

    /// Takes the operation that follows `done` in a chain, if any; returns it once it waits for
    /// nothing more.
    pub fn release_next(&mut self, done: OpId, chain: Chain) -> Option<OpId> {
        let slot = &mut self.slots[done.0 as usize].successors[chain as usize];
        let next = core::mem::replace(slot, NONE);
        if next == NONE {
            return None;
        }
        self.slots[next as usize].waits -= 1;
        let next = OpId(next);
        self.is_released(next).then_some(next)
    }

    /// Appends to a queue.
    pub fn push(&mut self, queue: &mut Fifo, id: OpId) {
        self.slots[id.0 as usize].link = NONE;
        if queue.tail == NONE {
            queue.head = id.0;
        } else {
            self.slots[queue.tail as usize].link = id.0;
        }
        queue.tail = id.0;
    }

    /// Puts an operation before the first of a queue.
    pub fn push_front(&mut self, queue: &mut Fifo, id: OpId) {
        self.slots[id.0 as usize].link = queue.head;
        queue.head = id.0;
        if queue.tail == NONE {
            queue.tail = id.0;
        }
    }

    /// Puts an operation behind `before`, which stands in the queue.
    pub fn push_behind(&mut self, queue: &mut Fifo, before: OpId, id: OpId) {
        let next = core::mem::replace(&mut self.slots[before.0 as usize].link, id.0);
        self.slots[id.0 as usize].link = next;
        if next == NONE {
            queue.tail = id.0;
        }
    }

    /// Takes an operation out of a queue that it stands in.
    pub fn take_out(&mut self, queue: &mut Fifo, id: OpId) {
        let next = self.slots[id.0 as usize].link;
        if queue.head == id.0 {
            queue.head = next;
            if next == NONE {
                queue.tail = NONE;
            }
            return;
        }
        let before = self.iter(queue).find(|before| self.slots[before.0 as usize].link == id.0);
        let before = before.expect("it stands in the queue");
        self.slots[before.0 as usize].link = next;
        if next == NONE {
            queue.tail = before.0;
        }
    }

    /// Puts all of one queue before the first of another.
    pub fn prepend(&mut self, queue: &mut Fifo, first: Fifo) {
        if first.is_empty() {
            return;
        }
        self.slots[first.tail as usize].link = queue.head;
        *queue =
            Fifo { head: first.head, tail: if queue.is_empty() { first.tail } else { queue.tail } };
    }

    /// The operations of a queue, first to last.
    pub fn iter(&self, queue: &Fifo) -> impl Iterator<Item = OpId> + '_ {
        core::iter::successors(queue.head(), |&id| self.behind(id))
    }

    /// The operation behind another in the queue that it stands in.
    pub fn behind(&self, id: OpId) -> Option<OpId> {
        let next = self.slots[id.0 as usize].link;
        (next != NONE).then_some(OpId(next))
    }

    /// Takes the first of a queue.
    pub fn pop(&mut self, queue: &mut Fifo) -> Option<OpId> {
        let head = queue.head()?;
        queue.head = self.slots[head.0 as usize].link;
        if queue.head == NONE {
            queue.tail = NONE;
        }
        Some(head)
    }

    /// Notes how an operation ended.
    pub(super) fn set_ended(&mut self, id: OpId, ended: Ended) {
        self.slots[id.0 as usize].ended = ended;
    }

    /// How an operation ended.
    pub(crate) fn ended(&self, id: OpId) -> Ended {
        self.slots[id.0 as usize].ended
    }

    /// Calls `change` on every operation of a queue, first to last.
    pub fn for_each(&mut self, queue: &Fifo, mut change: impl FnMut(&mut Operation)) {
        let mut at = queue.head;
        while at != NONE {
            let slot = &mut self.slots[at as usize];
            change(&mut slot.op);
            at = slot.link;
        }
    }

    /// Calls `change` on every operation, in no order of time. What was in a slot that is empty now may be among
    /// them, which changes nothing.
    pub fn for_all(&mut self, mut change: impl FnMut(&mut Operation)) {
        self.slots.iter_mut().for_each(|slot| change(&mut slot.op));
    }
}

impl core::ops::Index<OpId> for Pool {
    type Output = Operation;
    fn index(&self, id: OpId) -> &Operation {
        &self.slots[id.0 as usize].op
    }
}

impl core::ops::IndexMut<OpId> for Pool {
    fn index_mut(&mut self, id: OpId) -> &mut Operation {
        &mut self.slots[id.0 as usize].op
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::{Deed, Touch};
    use contract::{BufferId, Span};

    /// An operation on no byte of an entry.
    fn nothing(entry: u32) -> Operation {
        let span = Span { offset: 0, length: 0 };
        let touch = Touch { entry: BufferId(entry), span, deed: Deed::Zero };
        Operation { owner: Owner::Drive, action: Action::Touch(touch) }
    }

    #[test]
    fn queues_keep_order_and_chains_release_one_by_one() {
        let mut pool = Pool::new(4);
        let zero = nothing(0);
        let (a, b, c) = (pool.add(zero), pool.add(zero), pool.add(zero));
        let mut queue = Fifo::EMPTY;
        pool.push(&mut queue, a);
        pool.push(&mut queue, b);
        assert_eq!([pool.pop(&mut queue), pool.pop(&mut queue)], [Some(a), Some(b)]);
        assert_eq!(pool.pop(&mut queue), None);
        pool.chain((a, Chain::Entry), b);
        pool.chain((c, Chain::Second), b);
        assert_eq!(pool.release_next(a, Chain::Entry), None);
        assert_eq!(pool.release_next(c, Chain::Second), Some(b));
        pool.remove(a);
        assert_eq!((pool.free_count(), pool.in_use()), (2, 2));
    }

    #[test]
    fn operations_go_before_others_and_the_queue_keeps_its_end() {
        let mut pool = Pool::new(6);
        let ids: Vec<OpId> = (0..6).map(|n| pool.add(nothing(n))).collect();
        let mut queue = Fifo::EMPTY;
        pool.push_front(&mut queue, ids[1]);
        pool.push_behind(&mut queue, ids[1], ids[3]);
        pool.push(&mut queue, ids[4]);
        pool.push_behind(&mut queue, ids[1], ids[2]);
        assert_eq!(pool.iter(&queue).collect::<Vec<_>>(), ids[1..5]);
        pool.push_front(&mut queue, ids[0]);
        pool.push(&mut queue, ids[5]);
        let order: Vec<OpId> = core::iter::from_fn(|| pool.pop(&mut queue)).collect();
        assert_eq!(order, ids);
        assert!(queue.is_empty());
    }

    #[test]
    fn operations_leave_a_queue_from_anywhere_and_a_queue_goes_before_another() {
        for taken in 0..4 {
            let mut pool = Pool::new(6);
            let mut ids: Vec<OpId> = (0..6).map(|n| pool.add(nothing(n))).collect();
            let (mut first, mut queue) = (Fifo::EMPTY, Fifo::EMPTY);
            ids[..4].iter().for_each(|&id| pool.push(&mut first, id));
            pool.take_out(&mut first, ids.remove(taken));
            pool.push(&mut queue, ids[3]);
            pool.prepend(&mut queue, first);
            pool.prepend(&mut queue, Fifo::EMPTY);
            pool.push(&mut queue, ids[4]);
            assert_eq!(pool.iter(&queue).collect::<Vec<_>>(), ids);
            let mut empty = Fifo::EMPTY;
            pool.prepend(&mut empty, queue);
            ids.iter().for_each(|&id| pool.take_out(&mut empty, id));
            assert!(empty.is_empty());
            pool.push(&mut empty, ids[0]);
            assert_eq!(empty.head(), Some(ids[0]));
        }
    }

    #[test]
    fn a_pool_holds_as_many_as_it_says_whenever_it_is_empty() {
        let mut pool = Pool::new(5);
        for _ in 0..3 {
            let mut ids = Vec::new();
            for left in (0..5).rev() {
                ids.push(pool.add(nothing(left)));
                assert_eq!((pool.free_count(), pool.in_use()), (left, 5 - left));
            }
            for (left, &id) in (0..5).rev().zip(&ids) {
                assert_eq!(pool[id], nothing(left), "each has a slot of its own");
            }
            ids.into_iter().for_each(|id| pool.remove(id));
        }
    }

    #[test]
    #[should_panic(expected = "the operation pool is full")]
    fn a_full_pool_takes_no_more() {
        let mut pool = Pool::new(2);
        for _ in 0..3 {
            pool.add(nothing(0));
        }
    }
}
