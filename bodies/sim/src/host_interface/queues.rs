//! Submission and completion queues as the controller sees them.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::{CompletionQueue, SubmissionQueue};
use nvme::register::AdminQueueAttributes;

/// Why a doorbell write was refused: the event information of NVMe 1.4 figure 147.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum BadDoorbell {
    /// No such queue.
    Register = 0,
    /// A value out of range.
    Value = 1,
}

#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
pub(super) struct Submission {
    pub base: u64,
    pub entries: u32,
    pub head: u32,
    pub tail: u32,
    pub completion_queue: u16,
    pub priority: u8,
}

#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
pub(super) struct Completion {
    pub base: u64,
    pub entries: u32,
    pub head: u32,
    pub tail: u32,
    pub phase: bool,
    pub vector: Option<u16>,
}

/// All queues, by identifier.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub(super) struct Queues {
    submission: Vec<Option<Submission>>,
    completion: Vec<Option<Completion>>,
}

impl Queues {
    pub(super) fn new(io_queues: u32) -> Self {
        let count = io_queues as usize + 1;
        Queues { submission: vec![None; count], completion: vec![None; count] }
    }

    /// Queues that there can be, the admin queue included.
    pub(super) fn count(&self) -> usize {
        self.submission.len()
    }

    pub(super) fn clear(&mut self) {
        self.submission.fill(None);
        self.completion.fill(None);
    }

    pub(super) fn create_admin(
        &mut self,
        sizes: AdminQueueAttributes,
        submission: u64,
        completion: u64,
    ) {
        self.create_completion(CompletionQueue {
            id: 0,
            entries: sizes.completion,
            base: completion,
            vector: Some(0),
        });
        self.create_submission(SubmissionQueue {
            id: 0,
            entries: sizes.submission,
            base: submission,
            completion_queue: 0,
            priority: 0,
        });
    }

    pub(super) fn create_completion(&mut self, queue: CompletionQueue) {
        self.completion[usize::from(queue.id)] = Some(Completion {
            base: queue.base,
            entries: queue.entries,
            head: 0,
            tail: 0,
            phase: true,
            vector: queue.vector,
        });
    }

    pub(super) fn create_submission(&mut self, queue: SubmissionQueue) {
        self.submission[usize::from(queue.id)] = Some(Submission {
            base: queue.base,
            entries: queue.entries,
            head: 0,
            tail: 0,
            completion_queue: queue.completion_queue,
            priority: queue.priority,
        });
    }

    pub(super) fn delete_completion(&mut self, id: u16) {
        self.completion[usize::from(id)] = None;
    }

    pub(super) fn delete_submission(&mut self, id: u16) {
        self.submission[usize::from(id)] = None;
    }

    pub(super) fn submission(&mut self, id: u16) -> Option<&mut Submission> {
        self.submission.get_mut(usize::from(id))?.as_mut()
    }

    pub(super) fn completion(&mut self, id: u16) -> Option<&mut Completion> {
        self.completion.get_mut(usize::from(id))?.as_mut()
    }

    /// Moves a tail. Returns the queue's priority class where entries wait.
    pub(super) fn ring_tail(&mut self, id: u16, tail: u32) -> Result<Option<u8>, BadDoorbell> {
        let queue = self.submission(id).ok_or(BadDoorbell::Register)?;
        if tail >= queue.entries {
            return Err(BadDoorbell::Value);
        }
        queue.tail = tail;
        Ok((queue.head != tail).then_some(queue.priority))
    }

    /// Moves a head, over entries that were posted only.
    pub(super) fn ring_head(&mut self, id: u16, head: u32) -> Result<(), BadDoorbell> {
        let queue = self.completion(id).ok_or(BadDoorbell::Register)?;
        let posted = (queue.tail + queue.entries - queue.head) % queue.entries;
        if head >= queue.entries || (head + queue.entries - queue.head) % queue.entries > posted {
            return Err(BadDoorbell::Value);
        }
        queue.head = head;
        Ok(())
    }
}
