//! I/O queues: which exist, who uses whom, and what is still to be completed.

use alloc::vec;
use alloc::vec::Vec;
use contract::{CommandTag, CompletionQueue, Configuration, Hardware, SubmissionQueue};
use nvme::admin::{CreateCompletionQueue, CreateSubmissionQueue};
use nvme::status::{Fault, Status};

/// Queues have to start on a page of the smallest size; the interface checks larger ones.
const PAGE_MASK: u64 = 4095;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
enum State {
    Absent,
    Live,
    Deleting,
}

#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Submission {
    state: State,
    completion_queue: u16,
    /// Commands fetched from it and not completed.
    outstanding: u32,
}

#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct CompletionState {
    state: State,
    /// Submission queues that complete to it.
    users: u32,
}

/// A submission queue whose deletion was asked for.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Deletion {
    id: u16,
    tag: CommandTag,
    /// Commands fetched from it that the interface has yet to give.
    behind: u32,
}

/// Tables of the queues; index 0 is the admin queue.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Queues {
    submission: Vec<Submission>,
    completion: Vec<CompletionState>,
    deletions: Vec<Deletion>,
    /// Highest identifiers that may be created: (submission, completion).
    granted: (u16, u16),
    limits: Limits,
}

#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Limits {
    queues: u16,
    entries: u32,
    vectors: u32,
}

impl Queues {
    /// Tables for the queues that the configuration allows.
    pub fn new(config: &Configuration) -> Self {
        let queues = config.io_queues.min(u32::from(u16::MAX)) as u16;
        let count = usize::from(queues) + 1;
        let absent = Submission { state: State::Absent, completion_queue: 0, outstanding: 0 };
        Queues {
            submission: vec![absent; count],
            completion: vec![CompletionState { state: State::Absent, users: 0 }; count],
            deletions: Vec::with_capacity(count),
            granted: (queues, queues),
            limits: Limits { queues, entries: config.queue_entries, vectors: config.vectors },
        }
    }

    /// Forgets all I/O queues, as on a controller reset. What was fetched is still counted.
    pub fn reset(&mut self) {
        for queue in &mut self.submission {
            queue.state = State::Absent;
        }
        self.completion.fill(CompletionState { state: State::Absent, users: 0 });
        self.granted = (self.limits.queues, self.limits.queues);
    }

    /// Whether commands of a queue are to be carried out.
    pub fn is_live(&self, id: u16) -> bool {
        id == 0 || self.submission[usize::from(id)].state == State::Live
    }

    /// Counts a fetched command.
    #[inline]
    pub fn fetched(&mut self, id: u16) {
        self.submission[usize::from(id)].outstanding += 1;
        for deletion in self.deletions.iter_mut().filter(|deletion| deletion.id == id) {
            deletion.behind = deletion.behind.saturating_sub(1);
        }
    }

    /// Counts a completed command.
    #[inline]
    pub fn completed(&mut self, id: u16) {
        let outstanding = &mut self.submission[usize::from(id)].outstanding;
        *outstanding = outstanding.checked_sub(1).expect("more commands completed than fetched");
    }

    /// Grants numbers of queues: no more than asked for, no more than there are.
    ///
    /// # Errors
    /// Command Sequence Error once a queue was created.
    pub fn grant(&mut self, submission: u16, completion: u16) -> Result<(u16, u16), Fault> {
        let none = self.submission.iter().all(|queue| queue.state == State::Absent)
            && self.completion.iter().all(|queue| queue.state == State::Absent);
        if !none {
            return Err(Fault::at(Status::COMMAND_SEQUENCE_ERROR, 10, 0));
        }
        self.granted = (submission.min(self.limits.queues), completion.min(self.limits.queues));
        Ok(self.granted)
    }

    /// Creates a completion queue at `base`.
    ///
    /// # Errors
    /// As NVMe 1.4 section 5.3 names them.
    pub fn create_completion(
        &mut self,
        hw: &mut impl Hardware,
        queue: CreateCompletionQueue,
        base: u64,
    ) -> Result<(), Fault> {
        let taken = |state: &CompletionState| state.state != State::Absent;
        if queue.id > self.granted.1 || taken(&self.completion[usize::from(queue.id)]) {
            return Err(Fault::at(Status::INVALID_QUEUE_IDENTIFIER, 10, 0));
        }
        self.check_place(queue.entries, base)?;
        if queue.vector.is_some_and(|vector| u32::from(vector) >= self.limits.vectors) {
            return Err(Fault::at(Status::INVALID_INTERRUPT_VECTOR, 11, 16));
        }
        self.completion[usize::from(queue.id)].state = State::Live;
        hw.create_completion_queue(CompletionQueue {
            id: queue.id,
            entries: queue.entries,
            base,
            vector: queue.vector,
        });
        Ok(())
    }

    /// Creates a submission queue at `base`.
    ///
    /// # Errors
    /// As NVMe 1.4 section 5.4 names them.
    pub fn create_submission(
        &mut self,
        hw: &mut impl Hardware,
        queue: CreateSubmissionQueue,
        base: u64,
    ) -> Result<(), Fault> {
        let taken = |state: &Submission| state.state != State::Absent;
        if queue.id > self.granted.0 || taken(&self.submission[usize::from(queue.id)]) {
            return Err(Fault::at(Status::INVALID_QUEUE_IDENTIFIER, 10, 0));
        }
        if queue.completion_queue > self.granted.1 {
            return Err(Fault::at(Status::INVALID_QUEUE_IDENTIFIER, 11, 16));
        }
        let completion = &mut self.completion[usize::from(queue.completion_queue)];
        if completion.state == State::Absent {
            return Err(Fault::at(Status::COMPLETION_QUEUE_INVALID, 11, 16));
        }
        self.check_place(queue.entries, base)?;
        self.completion[usize::from(queue.completion_queue)].users += 1;
        let state = &mut self.submission[usize::from(queue.id)];
        state.state = State::Live;
        state.completion_queue = queue.completion_queue;
        hw.create_submission_queue(SubmissionQueue {
            id: queue.id,
            entries: queue.entries,
            base,
            completion_queue: queue.completion_queue,
            priority: queue.priority as u8,
        });
        Ok(())
    }

    fn check_place(&self, entries: u32, base: u64) -> Result<(), Fault> {
        if entries > self.limits.entries {
            return Err(Fault::at(Status::INVALID_QUEUE_SIZE, 10, 16));
        }
        if base & PAGE_MASK != 0 {
            return Err(Fault::at(Status::INVALID_PRP_OFFSET, 6, 0));
        }
        Ok(())
    }

    /// Deletes a completion queue.
    ///
    /// # Errors
    /// Invalid Queue Identifier, or Invalid Queue Deletion while a submission queue uses it.
    pub fn delete_completion(&mut self, hw: &mut impl Hardware, id: u16) -> Result<(), Fault> {
        let queue = match self.completion.get_mut(usize::from(id)) {
            Some(queue) if queue.state == State::Live => queue,
            _ => return Err(Fault::at(Status::INVALID_QUEUE_IDENTIFIER, 10, 0)),
        };
        if queue.users > 0 {
            return Err(Fault::at(Status::INVALID_QUEUE_DELETION, 10, 0));
        }
        queue.state = State::Absent;
        hw.delete_completion_queue(id);
        Ok(())
    }

    /// Stops a submission queue. It is gone once [`Queues::next_deleted`] returns the tag.
    ///
    /// # Errors
    /// Invalid Queue Identifier.
    pub fn delete_submission(
        &mut self,
        hw: &mut impl Hardware,
        id: u16,
        tag: CommandTag,
    ) -> Result<(), Fault> {
        let queue = match self.submission.get_mut(usize::from(id)) {
            Some(queue) if queue.state == State::Live => queue,
            _ => return Err(Fault::at(Status::INVALID_QUEUE_IDENTIFIER, 10, 0)),
        };
        queue.state = State::Deleting;
        let behind = hw.delete_submission_queue(id);
        self.deletions.push(Deletion { id, tag, behind });
        Ok(())
    }

    /// Whether a deletion is under way.
    pub fn is_deleting(&self) -> bool {
        !self.deletions.is_empty()
    }

    /// Submission queues of which commands may be under way, without the admin queue.
    pub fn live(&self) -> impl Iterator<Item = u16> + '_ {
        let present = |(_, queue): &(u16, &Submission)| queue.state != State::Absent;
        (0..).zip(&self.submission).skip(1).filter(present).map(|(id, _)| id)
    }

    /// Takes a Delete command that is done because all commands of its queue are done, including the commands that the host
    /// interface has yet to give or runs by itself. How long these take, the host decides.
    pub fn next_deleted(&mut self, hw: &mut impl Hardware) -> Option<CommandTag> {
        let done = |deletion: &Deletion| {
            deletion.behind == 0
                && self.submission[usize::from(deletion.id)].outstanding == 0
                && hw.unread_commands(deletion.id) == 0
                && hw.automated_commands(deletion.id) == 0
        };
        let index = self.deletions.iter().position(done)?;
        let deletion = self.deletions.remove(index);
        let queue = &mut self.submission[usize::from(deletion.id)];
        queue.state = State::Absent;
        let users = &mut self.completion[usize::from(queue.completion_queue)].users;
        *users = users.checked_sub(1).expect("more submission queues deleted than created");
        Some(deletion.tag)
    }

    /// Takes a Delete command that a controller reset overtook.
    pub fn drop_deletion(&mut self) -> Option<CommandTag> {
        self.deletions.pop().map(|deletion| deletion.tag)
    }
}
