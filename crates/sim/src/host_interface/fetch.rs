//! Doorbells and command fetch: from submission queues into the host command queue.

use contract::{HostCommand, HostEvent, QueueWeights, SubmissionQueue};
use nvme::command::{DataPointer, Entry, ENTRY_BYTES};
use nvme::register::Doorbell;

use super::queues::BadDoorbell;
use super::{HostInterface, Slot};
use crate::memory::HostMemory;
use crate::parts::Parts;
use crate::timers::{Actor, NEVER};

impl HostInterface {
    /// The first doorbell write on its way arrives.
    pub(crate) fn on_doorbell(&mut self, now: u64) {
        let Some((_, at, value)) = self.doorbells.pop_front() else { return };
        let next = self.doorbells.front().map_or(NEVER, |&(at, ..)| at);
        self.timers.set(Actor::Doorbell, next);
        let rung = match Self::doorbell_at(at) {
            Some(Doorbell::SubmissionTail(queue)) => {
                self.queues.ring_tail(queue, value).map(|waiting| match waiting {
                    Some(priority) => self.arbiter.insert(queue, priority),
                    None => self.arbiter.remove(queue),
                })
            }
            Some(Doorbell::CompletionHead(queue)) => {
                let moved = self.queues.ring_head(queue, value);
                if moved.is_ok() {
                    self.unblock(now, queue);
                }
                moved
            }
            None => Err(BadDoorbell::Register),
        };
        match rung {
            Ok(()) => self.resume_fetch(now),
            Err(bad) => self.tell(now, HostEvent::DoorbellError(bad as u8)),
        }
    }

    /// Fetches when the engine is free, if there is anything to fetch and room for it.
    pub(super) fn resume_fetch(&mut self, now: u64) {
        if self.timers.of(Actor::Fetch) == NEVER && self.can_fetch() {
            self.timers.set(Actor::Fetch, now.max(self.fetch_free));
        }
    }

    fn can_fetch(&self) -> bool {
        self.registers.running()
            && !self.free_slots.is_empty()
            && self.commands.len() < self.command_depth
            && self.arbiter.has_waiting()
    }

    /// Fetches one entry.
    pub(crate) fn on_fetch(&mut self, now: u64, memory: &mut impl HostMemory, parts: &mut Parts) {
        if !self.can_fetch() {
            return;
        }
        let Some(id) = self.arbiter.next() else { return };
        let Some(queue) = self.queues.submission(id) else { return self.arbiter.remove(id) };
        let mut bytes = [0; ENTRY_BYTES];
        if !memory.read(queue.base + u64::from(queue.head) * ENTRY_BYTES as u64, &mut bytes) {
            // The host took its queue away: nothing sensible can follow.
            return self.set_fatal();
        }
        queue.head = if queue.head + 1 == queue.entries { 0 } else { queue.head + 1 };
        let completion_queue = queue.completion_queue;
        if queue.head == queue.tail {
            self.arbiter.remove(id);
        }
        let Some(tag) = self.free_slots.pop() else { return };
        let entry = Entry::from_bytes(&bytes);
        self.slots[usize::from(tag.0)] = Slot {
            queue: id,
            completion_queue,
            id: entry.cid(),
            data: entry.data(),
            fault: false,
            stale: false,
        };
        let arrival = now + self.latencies.fetch;
        self.tell(arrival, HostEvent::Command(HostCommand { tag, queue: id, entry: entry.0 }));
        parts.arrive(tag, arrival);
        self.fetch_free = now + self.latencies.fetch_interval;
        self.resume_fetch(now);
    }

    pub(crate) fn create_submission_queue(&mut self, queue: SubmissionQueue) {
        self.queues.create_submission(queue);
    }

    /// Deletes a queue; returns how many commands fetched from it the firmware has yet to take.
    pub(crate) fn delete_submission_queue(&mut self, id: u16) -> u32 {
        self.queues.delete_submission(id);
        self.arbiter.remove(id);
        let of_queue = |event: &HostEvent| matches!(event, HostEvent::Command(c) if c.queue == id);
        self.commands.iter().filter(|(_, event)| of_queue(event)).count() as u32
    }

    pub(crate) fn set_queue_weights(&mut self, weights: QueueWeights) {
        self.arbiter.set_weights(weights);
    }

    /// The data pointer of a command whose data may be moved.
    pub(super) fn data_of(&self, tag: contract::CommandTag) -> Option<DataPointer> {
        let slot = &self.slots[usize::from(tag.0)];
        (!slot.stale).then_some(slot.data)
    }
}
