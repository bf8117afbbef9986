//! An I/O queue pair with the commands that are outstanding in it.

use nvme::completion::CompletionEntry;
use nvme::dataset::Range;
use nvme::status::Status;

use crate::memory::Memory;
use crate::oracle::Watch;
use crate::queue::QueuePair;

/// Stands for no worker: the command identifier is free.
const NOBODY: u32 = u32::MAX;

/// A command that was handed out: which part of which request it carries.
#[derive(Clone, Debug)]
pub struct Command {
    worker: u32,
    /// Slot of the request.
    pub slot: u32,
    /// First block, from the start of the request.
    pub first: u64,
    /// Blocks, 0 for a flush.
    pub blocks: u32,
    /// What the oracle knew when it began, for a read.
    pub watch: Watch,
}

/// What is to become of a command.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Worker that takes it.
    pub worker: u32,
    /// As in [`Command`].
    pub slot: u32,
    /// As in [`Command`].
    pub first: u64,
    /// As in [`Command`].
    pub blocks: u32,
}

/// A queue pair and its commands. A command's identifier is its index.
#[derive(Debug)]
pub struct Lane {
    /// The rings.
    pub pair: QueuePair,
    commands: Vec<Command>,
    free: Vec<u16>,
    /// Address of the range lists, one a command.
    ranges: u64,
    /// Workers that wait for a free command.
    starved: Vec<usize>,
}

/// A completion that stands for no outstanding command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stray {
    /// Queue that it came in.
    pub queue: u16,
    /// The identifier that it names.
    pub cid: u16,
}

impl Lane {
    /// Host memory that a lane takes beside its rings.
    pub const fn memory_bytes(entries: u32) -> u64 {
        Memory::rounded(entries as u64 * Range::BYTES as u64)
    }

    /// A lane for `workers` workers with nothing outstanding.
    pub fn new(pair: QueuePair, workers: usize, memory: &mut Memory) -> Self {
        // One entry less than the ring has: a full ring cannot be told from an empty one.
        let commands = pair.entries() - 1;
        let free =
            Command { worker: NOBODY, slot: 0, first: 0, blocks: 0, watch: Watch::default() };
        Lane {
            pair,
            commands: vec![free; commands as usize],
            free: (0..commands as u16).rev().collect(),
            ranges: memory.allocate(u64::from(pair.entries()) * Range::BYTES as u64),
            starved: Vec::with_capacity(workers),
        }
    }

    /// Whether a command can be taken.
    #[inline]
    pub fn has_room(&self) -> bool {
        !self.free.is_empty()
    }

    /// Commands that are taken.
    pub fn outstanding(&self) -> u64 {
        (self.commands.len() - self.free.len()) as u64
    }

    /// Takes a command for a part of a request.
    #[inline]
    pub fn take(&mut self, part: Part) -> Option<u16> {
        let cid = self.free.pop()?;
        let command = &mut self.commands[usize::from(cid)];
        command.worker = part.worker;
        command.slot = part.slot;
        command.first = part.first;
        command.blocks = part.blocks;
        Some(cid)
    }

    /// A command that was taken.
    #[inline]
    pub fn command(&mut self, cid: u16) -> &mut Command {
        &mut self.commands[usize::from(cid)]
    }

    /// Worker and slot that an outstanding command is for, if there is such a command.
    #[inline]
    pub fn user_of(&self, cid: u16) -> Option<(usize, u32)> {
        let command = self.commands.get(usize::from(cid))?;
        (command.worker != NOBODY).then_some((command.worker as usize, command.slot))
    }

    /// Address of a command's range list of one range.
    pub fn range_address(&self, cid: u16) -> u64 {
        self.ranges + u64::from(cid) * Range::BYTES as u64
    }

    /// Takes the next completion: worker, identifier and status.
    ///
    /// # Errors
    /// When it names no outstanding command of this queue.
    #[inline]
    pub fn pop(&mut self, memory: &Memory) -> Result<Option<(usize, u16, Status)>, Stray> {
        let Some(CompletionEntry { submission_queue, cid, status, .. }) = self.pair.pop(memory)
        else {
            return Ok(None);
        };
        match self.commands.get(usize::from(cid)) {
            Some(command) if command.worker != NOBODY && submission_queue == self.pair.id() => {
                Ok(Some((command.worker as usize, cid, status)))
            }
            _ => Err(Stray { queue: submission_queue, cid }),
        }
    }

    /// Gives a completed command back.
    #[inline]
    pub fn give(&mut self, cid: u16) {
        self.commands[usize::from(cid)].worker = NOBODY;
        self.free.push(cid);
    }

    /// A worker found no room and waits.
    pub fn starve(&mut self, worker: usize) {
        if !self.starved.contains(&worker) {
            self.starved.push(worker);
        }
    }

    /// The next worker that waits for room, if there is some.
    #[inline]
    pub fn next_starved(&mut self) -> Option<usize> {
        self.starved.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::QueueShape;
    use machine::HostMemory;
    use nvme::completion::Phase;

    fn lane(entries: u32) -> (Lane, Memory) {
        let mut memory = Memory::default();
        memory.reserve(QueuePair::memory_bytes(entries) + Lane::memory_bytes(entries));
        let pair = QueuePair::new(QueueShape { id: 1, entries, stride: 0 }, &mut memory);
        (Lane::new(pair, 1, &mut memory), memory)
    }

    fn post(lane: &Lane, memory: &mut Memory, (slot, queue, cid): (u64, u16, u16)) {
        let entry = CompletionEntry {
            result: 0,
            result_high: 0,
            submission_head: 0,
            submission_queue: queue,
            cid,
            phase: Phase::One,
            status: Status::SUCCESS,
        };
        assert!(memory.write(lane.pair.completion_address() + slot * 16, &entry.emit()));
    }

    #[test]
    fn one_command_less_than_entries_can_be_outstanding() {
        let (mut lane, _) = lane(4);
        let part = Part { worker: 0, slot: 5, first: 8, blocks: 2 };
        let taken: Vec<_> = (0..3).map(|_| lane.take(part).unwrap()).collect();
        assert_eq!(taken, [0, 1, 2]);
        assert!(!lane.has_room() && lane.take(part).is_none());
        lane.give(1);
        assert_eq!(lane.take(part), Some(1));
        assert_eq!(
            (lane.command(1).slot, lane.command(1).first, lane.command(1).blocks),
            (5, 8, 2)
        );
        assert_eq!(lane.range_address(2) - lane.range_address(0), 32);
    }

    #[test]
    fn completions_of_nothing_are_strays() {
        let (mut lane, mut memory) = lane(4);
        let cid = lane.take(Part { worker: 0, slot: 0, first: 0, blocks: 1 }).unwrap();
        // Another queue's, one never taken, one that cannot be, and the right one.
        for (slot, queue, named) in [(0, 2, cid), (1, 1, 1), (2, 1, 900)] {
            post(&lane, &mut memory, (slot, queue, named));
            assert_eq!(lane.pop(&memory), Err(Stray { queue, cid: named }));
        }
        post(&lane, &mut memory, (3, 1, cid));
        assert_eq!(lane.pop(&memory), Ok(Some((0, cid, Status::SUCCESS))));
        assert_eq!(lane.pop(&memory), Ok(None));
    }
}
