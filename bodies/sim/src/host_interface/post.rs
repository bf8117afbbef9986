//! Completions and interrupts.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::{
    Cause, Coalescing, CommandTag, Completion, CompletionQueue, InterruptCoalescing, Split,
};
use machine::{AnyHost, BusMaster, CommandTimes, NEVER};
use nvme::completion::{CompletionEntry, Phase, ENTRY_BYTES};
use nvme::status::Status;

use super::automation::Runner;
use super::{HostInterface, Kept, Latencies, Slot};
use crate::timers::Actor;

/// Picoseconds of a step of the coalescing time (100 us).
const COALESCING_STEP: u64 = 100_000_000;

/// A completion on its way to host memory.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
pub(super) struct Post {
    at: u64,
    pub(super) tag: CommandTag,
    status: u16,
    result: u64,
    turn: Turn,
}

/// Whether the time of a completion has its turn on the link in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
enum Turn {
    /// It waits for that yet: what moves then is not known before.
    Waits,
    /// The turn on the link is in the time already.
    Has,
}

/// An interrupt vector.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
pub(super) struct Vector {
    /// A message is under way, and the host will see all that is posted until it arrives.
    sent: bool,
    coalescing_forbidden: bool,
    /// Completions gathered.
    gathered: u32,
    /// When they are announced at the latest.
    deadline: u64,
}

impl HostInterface {
    /// Where the time of a command goes, to be told before its completion is taken.
    #[inline]
    pub(crate) fn told(&mut self, tag: CommandTag) -> &mut Split {
        &mut self.times[usize::from(tag.0)].inside
    }

    /// The times of a command so far are told until `now`.
    #[inline]
    fn note_times(&mut self, now: u64, tag: CommandTag) {
        let times = &mut self.times[usize::from(tag.0)];
        times.fetched_ps = self.slots[usize::from(tag.0)].times.0;
        times.posted_ps = now;
        times.latencies_ps = [self.latencies.doorbell, self.latencies.interrupt];
    }

    /// Takes a completion from the firmware, up to which [`HostInterface::told`] has all.
    #[inline]
    pub(crate) fn complete(&mut self, now: u64, completion: Completion) {
        let slot = &mut self.slots[usize::from(completion.tag.0)];
        assert!(slot.kept == Kept::No, "the firmware completes what the interface has completed");
        let fault = u32::from(std::mem::take(&mut slot.fault));
        self.faults = self.faults.checked_sub(fault).expect("a fault is taken back once");
        if slot.stale {
            self.free_slots.push(completion.tag);
            return;
        }
        self.note_times(now, completion.tag);
        let Completion { tag, status, result } = completion;
        self.post_behind_data(Post { at: now, tag, status, result, turn: Turn::Waits });
    }

    /// Completes a command by itself, all of whose data will have moved at `moved`, up to which [`HostInterface::told`] has all.
    pub(crate) fn complete_moved(&mut self, moved: u64, tag: CommandTag) {
        let slot = &mut self.slots[usize::from(tag.0)];
        if slot.stale {
            slot.kept = Kept::UntilSeen;
            return;
        }
        slot.kept = Kept::UntilPostedAndSeen;
        self.note_times(moved, tag);
        let (status, turn) = (Status::SUCCESS.bits(), Turn::Waits);
        self.post_behind_data(Post { at: moved, tag, status, result: 0, turn });
    }

    /// Puts a completion on its way that is given at its time. Where it waits for data, what moves is known when it asks for
    /// its turn.
    fn post_behind_data(&mut self, post: Post) {
        let Latencies { completion, completion_interval, completion_behind, .. } = self.latencies;
        let (after, turn) = match (&self.automated, completion_behind) {
            (None, 0) => (completion, Turn::Has),
            (Some(_), _) => (completion, Turn::Waits),
            (None, _) => (completion_interval, Turn::Waits),
        };
        self.post(Post { at: post.at + after, turn, ..post });
    }

    /// When a completion or a message has its turn on the link that comes there now: between two units of data that move.
    fn turn(&self, now: u64) -> u64 {
        let unit = self.latencies.completion_behind;
        match &self.automated {
            _ if unit == 0 => now,
            Some(automated) => automated.between_units(now, unit),
            None => self.between_units(now, self.latencies.completion_unit),
        }
    }

    /// The same where the firmware moves data. They come to the link as much later than the engine begins with them as their
    /// fixed time is longer than what an answer of host memory takes, which a completion has behind its turn, too.
    fn between_units(&self, now: u64, bytes: u64) -> u64 {
        let later = self.to_host.latency.saturating_sub(self.answer()).min(now);
        self.to_host.between_units(now - later, bytes) + later
    }

    /// From a completion's turn on the link until its entry is in host memory.
    fn answer(&self) -> u64 {
        self.latencies.completion.saturating_sub(self.latencies.completion_interval)
    }

    /// A completion asks for its turn. One has it at a time, and the next one asks when it had that.
    fn ask(&mut self, now: u64, post: Post) {
        let (at, turn) = if self.automated.is_some() {
            (self.turn(now), Turn::Has)
        } else if self.post_free > now {
            (self.post_free, Turn::Waits)
        } else {
            let turn = self.turn(now);
            self.post_free = turn + self.latencies.completion_interval;
            (turn + self.answer(), Turn::Has)
        };
        self.post(Post { at, turn, ..post });
    }

    /// Puts a completion on its way, behind those that arrive no later.
    fn post(&mut self, post: Post) {
        let later = self.posts.iter().rev().take_while(|other| other.at > post.at).count();
        self.posts.insert(self.posts.len() - later, post);
        self.timers.set(Actor::Post, self.posts[0].at);
    }

    /// The first completion on its way arrives. Returns the command whose completion was posted, which
    /// is none where the queue has no room.
    pub(crate) fn on_post(&mut self, now: u64, host: &mut dyn AnyHost) -> Option<CommandTag> {
        let post = self.posts.pop_front()?;
        let next = self.posts.front().map_or(NEVER, |post| post.at);
        self.timers.set(Actor::Post, next);
        if post.turn == Turn::Waits && (self.automated.is_none() || self.turn(now) > now) {
            self.ask(now, post);
            return None;
        }
        let slot = &mut self.slots[usize::from(post.tag.0)];
        if std::mem::replace(&mut slot.runner, Runner::Firmware) == Runner::Interface {
            let queue = slot.queue;
            self.automated_ended(now, queue);
        }
        if self.master == BusMaster::Disabled {
            self.blocked.push_back(post);
            return None;
        }
        let slot = &self.slots[usize::from(post.tag.0)];
        let head = self.queues.submission(slot.queue).map(|queue| queue.head);
        let (head, is_orphan) = (head.unwrap_or(0), head.is_none());
        let Some(queue) = self.queues.completion(slot.completion_queue) else {
            self.slots[usize::from(post.tag.0)].is_posted(&mut self.free_slots, post.tag);
            self.resume_fetch(now);
            return None;
        };
        let next = if queue.tail + 1 == queue.entries { 0 } else { queue.tail + 1 };
        if next == queue.head {
            if is_orphan {
                self.slots[usize::from(post.tag.0)].is_posted(&mut self.free_slots, post.tag);
                self.resume_fetch(now);
            } else {
                self.blocked.push_back(post);
            }
            return None;
        }
        let entry = CompletionEntry {
            result: post.result as u32,
            result_high: (post.result >> 32) as u32,
            submission_head: head as u16,
            submission_queue: slot.queue,
            cid: slot.id,
            status: Status::from_bits(post.status),
            phase: if queue.phase { Phase::One } else { Phase::Zero },
        };
        let address = queue.base.checked_add(u64::from(queue.tail) * ENTRY_BYTES as u64);
        queue.phase ^= next == 0;
        queue.tail = next;
        let vector = queue.vector;
        let slot = &mut self.slots[usize::from(post.tag.0)];
        slot.is_posted(&mut self.free_slots, post.tag);
        let written = address.is_some_and(|at| host.any_memory().write(at, &entry.emit()));
        if !written {
            self.set_fatal();
            return None;
        }
        let Slot { queue, id, completion_queue, .. } = *slot;
        host.any_posted(queue, id, self.times_posted(post.tag, now));
        if let Some(vector) = vector {
            self.announce(now, vector, completion_queue == 0);
        }
        self.resume_fetch(now);
        Some(post.tag)
    }

    /// The times of a command whose completion is posted now. Nobody asks for them again.
    fn times_posted(&mut self, tag: CommandTag, now: u64) -> &CommandTimes {
        let times = &mut self.times[usize::from(tag.0)];
        let arrival = times.posted_ps + self.latencies.completion;
        times.charge(Cause::HostLink, arrival.min(now));
        times.charge(Cause::Host, now);
        times
    }

    /// Whether the controller may reach host memory.
    pub(crate) fn is_master(&self) -> bool {
        self.master == BusMaster::Enabled
    }

    pub(crate) fn set_bus_master(&mut self, now: u64, master: BusMaster) {
        self.master = master;
        if master == BusMaster::Enabled {
            while let Some(post) = self.blocked.pop_front() {
                self.post(Post { at: post.at.max(now), ..post });
            }
            self.resume_fetch(now);
        }
    }

    /// A completion queue has room again.
    pub(super) fn unblock(&mut self, now: u64, queue: u16) {
        for _ in 0..self.blocked.len() {
            let Some(post) = self.blocked.pop_front() else { return };
            if self.slots[usize::from(post.tag.0)].completion_queue == queue {
                self.post(Post { at: post.at.max(now), ..post });
            } else {
                self.blocked.push_back(post);
            }
        }
    }

    /// A completion was posted: an interrupt now, or with others.
    fn announce(&mut self, now: u64, vector: u16, admin: bool) {
        let InterruptCoalescing { threshold, time } = self.coalescing;
        let Some(v) = self.vectors.get_mut(usize::from(vector)) else { return };
        if admin || time == 0 || v.coalescing_forbidden {
            return self.send(now, vector);
        }
        v.gathered += 1;
        if v.gathered > u32::from(threshold) {
            return self.send(now, vector);
        }
        if v.gathered == 1 {
            v.deadline = now + u64::from(time) * COALESCING_STEP;
            let first = self.timers.of(Actor::Coalesce).min(v.deadline);
            self.timers.set(Actor::Coalesce, first);
        }
    }

    /// The coalescing time of some vectors has run out.
    pub(crate) fn on_coalesce(&mut self, now: u64) {
        let mut next = NEVER;
        for vector in 0..self.vectors.len() {
            let v = &self.vectors[vector];
            if v.gathered > 0 && v.deadline <= now {
                self.send(now, vector as u16);
            } else if v.gathered > 0 {
                next = next.min(v.deadline);
            }
        }
        self.timers.set(Actor::Coalesce, next);
    }

    fn send(&mut self, now: u64, vector: u16) {
        let v = &mut self.vectors[usize::from(vector)];
        v.gathered = 0;
        if std::mem::replace(&mut v.sent, true) {
            return;
        }
        self.interrupts_sent += 1;
        let at = self.turn(now) + self.latencies.interrupt;
        self.interrupts.push_back((at, vector));
        if self.interrupts.len() == 1 {
            self.timers.set(Actor::Interrupt, at);
        }
    }

    /// The first interrupt on its way arrives; returns its vector.
    pub(crate) fn on_interrupt(&mut self) -> Option<u16> {
        let (_, vector) = self.interrupts.pop_front()?;
        self.vectors[usize::from(vector)].sent = false;
        let next = self.interrupts.front().map_or(NEVER, |&(at, _)| at);
        self.timers.set(Actor::Interrupt, next);
        Some(vector)
    }

    pub(crate) fn create_completion_queue(&mut self, queue: CompletionQueue) {
        self.queues.create_completion(queue);
    }

    pub(crate) fn delete_completion_queue(&mut self, now: u64, id: u16) {
        self.queues.delete_completion(id);
        // What waits for room in it will never be posted.
        self.drop_blocked(now, |slot| slot.completion_queue == id);
    }

    /// Frees the slots of completions that wait and are not to be posted any more.
    pub(super) fn drop_blocked(&mut self, now: u64, is_dropped: impl Fn(&Slot) -> bool) {
        for _ in 0..self.blocked.len() {
            let Some(post) = self.blocked.pop_front() else { break };
            let slot = &mut self.slots[usize::from(post.tag.0)];
            if is_dropped(slot) {
                slot.is_posted(&mut self.free_slots, post.tag);
            } else {
                self.blocked.push_back(post);
            }
        }
        self.resume_fetch(now);
    }

    pub(crate) fn set_coalescing(&mut self, coalescing: InterruptCoalescing) {
        self.coalescing = coalescing;
    }

    pub(crate) fn set_vector_coalescing(&mut self, vector: u16, allowed: Coalescing) {
        if let Some(v) = self.vectors.get_mut(usize::from(vector)) {
            v.coalescing_forbidden = allowed == Coalescing::Forbidden;
        }
    }
}
