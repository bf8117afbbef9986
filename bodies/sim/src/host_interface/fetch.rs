//! Doorbells and command fetch: from submission queues into the host command queue.

use contract::{CommandTag, HostCommand, HostEvent, QueueWeights, SubmissionQueue};
use machine::{BusMaster, HostMemory, NEVER};
use nvme::command::{DataPointer, Entry, ENTRY_BYTES};
use nvme::register::Doorbell;

use super::automation::{Runner, Task};
use super::queues::BadDoorbell;
use super::{HostInterface, Kept, Slot};
use crate::timers::Actor;

/// An entry that was fetched.
pub(crate) struct Fetched {
    /// The slot that it got.
    pub tag: CommandTag,
    /// Submission queue.
    pub queue: u16,
    /// The queue's head behind it.
    pub head: u32,
    /// What is to be done for it without firmware, which was not told of it then.
    pub task: Option<(HostCommand, Task)>,
}

impl HostInterface {
    /// The first doorbell write on its way arrives. Returns the submission queue whose tail moved, and
    /// where to.
    #[inline]
    pub(crate) fn on_doorbell(&mut self, now: u64) -> Option<(u16, u32)> {
        let (_, at, value) = self.doorbells.pop_front()?;
        let next = self.doorbells.front().map_or(NEVER, |&(at, ..)| at);
        self.timers.set(Actor::Doorbell, next);
        let mut tail = None;
        let rung = match Self::doorbell_at(at) {
            Some(Doorbell::SubmissionTail(queue)) => {
                tail = Some((queue, value));
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
            Ok(()) => {
                self.resume_fetch(now);
                tail
            }
            Err(bad) => {
                self.tell_once(now, HostEvent::DoorbellError(bad as u8));
                None
            }
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
            && self.master == BusMaster::Enabled
            && !self.free_slots.is_empty()
            && self.commands.len() < self.command_depth
            && self.arbiter.has_waiting()
    }

    /// Fetches one entry, and tells which.
    pub(crate) fn on_fetch(&mut self, now: u64, memory: &mut dyn HostMemory) -> Option<Fetched> {
        if !self.can_fetch() {
            return None;
        }
        let id = self.arbiter.next()?;
        let Some(queue) = self.queues.submission(id) else {
            self.arbiter.remove(id);
            return None;
        };
        let mut bytes = [0; ENTRY_BYTES];
        let address = queue.base.checked_add(u64::from(queue.head) * ENTRY_BYTES as u64);
        if !address.is_some_and(|address| memory.read(address, &mut bytes)) {
            // The host took its queue away: nothing sensible can follow.
            self.set_fatal();
            return None;
        }
        queue.head = if queue.head + 1 == queue.entries { 0 } else { queue.head + 1 };
        let (head, completion_queue) = (queue.head, queue.completion_queue);
        if queue.head == queue.tail {
            self.arbiter.remove(id);
        }
        let tag = self.free_slots.pop()?;
        let entry = Entry::from_bytes(&bytes);
        self.pages[usize::from(tag.0)].clear();
        self.slots[usize::from(tag.0)] = Slot {
            queue: id,
            completion_queue,
            id: entry.cid(),
            data: entry.data(),
            times: (now, 0),
            runner: Runner::Firmware,
            fault: false,
            stale: false,
            moved: 0,
            kept: Kept::No,
        };
        let command = HostCommand { tag, queue: id, entry: entry.0 };
        let task = self.automated.as_ref().and_then(|automated| automated.task_of(id, &entry));
        if task.is_none() {
            let arrival = now + self.latencies.fetch + self.from_host.data_ahead(now);
            self.slots[usize::from(tag.0)].times.1 =
                self.tell(arrival, HostEvent::Command(command));
        }
        self.fetch_free = now + self.latencies.fetch_interval;
        self.resume_fetch(now);
        Some(Fetched { tag, queue: id, head, task: task.map(|task| (command, task)) })
    }

    pub(crate) fn create_submission_queue(&mut self, queue: SubmissionQueue) {
        self.queues.create_submission(queue);
    }

    /// Deletes a queue; returns how many commands fetched from it the firmware has yet to take.
    pub(crate) fn delete_submission_queue(&mut self, now: u64, id: u16) -> u32 {
        self.queues.delete_submission(id);
        self.arbiter.remove(id);
        // What waits for room is completed implicitly: nobody has to read it (NVMe 1.4 section 5.6).
        if self.is_master() {
            self.drop_blocked(now, |slot| slot.queue == id);
        }
        let of_queue = |event: &HostEvent| matches!(event, HostEvent::Command(c) if c.queue == id);
        self.commands.iter().filter(|(_, event)| of_queue(event)).count() as u32
    }

    pub(crate) fn set_queue_weights(&mut self, weights: QueueWeights) {
        self.arbiter.set_weights(weights);
    }

    /// The data pointer of a command whose data may be moved.
    pub(super) fn data_of(&self, tag: CommandTag) -> Option<DataPointer> {
        let slot = &self.slots[usize::from(tag.0)];
        (!slot.stale).then_some(slot.data)
    }
}
