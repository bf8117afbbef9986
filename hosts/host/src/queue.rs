//! Queue pairs: rings in host memory and their doorbells (NVMe 1.4 sections 4.1 and 4.6).

use nvme::command::{self, Entry};
use nvme::completion::{self, CompletionEntry, Phase};
use nvme::register::Doorbell;

use crate::memory::Memory;

/// A doorbell write that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    /// Offset in BAR 0.
    pub offset: u64,
    /// The new tail or head.
    pub value: u32,
}

/// A submission queue and its own completion queue, seen from the host.
#[derive(Clone, Copy, Debug)]
pub struct QueuePair {
    id: u16,
    entries: u32,
    submission: u64,
    completion: u64,
    tail: u32,
    head: u32,
    phase: Phase,
    tail_doorbell: u64,
    head_doorbell: u64,
}

/// Which queue pair, how large, and how far doorbells are apart (CAP.DSTRD).
#[derive(Clone, Copy, Debug)]
pub struct QueueShape {
    /// Identifier; 0 is the admin queue.
    pub id: u16,
    /// Entries of each ring, 2 to 65,536.
    pub entries: u32,
    /// Doorbell stride.
    pub stride: u8,
}

impl QueuePair {
    /// Host memory that the rings of `entries` take.
    pub const fn memory_bytes(entries: u32) -> u64 {
        Memory::rounded(entries as u64 * command::ENTRY_BYTES as u64)
            + Memory::rounded(entries as u64 * completion::ENTRY_BYTES as u64)
    }

    /// An empty pair, its rings allocated.
    pub fn new(shape: QueueShape, memory: &mut Memory) -> Self {
        let QueueShape { id, entries, stride } = shape;
        QueuePair {
            id,
            entries,
            submission: memory.allocate(u64::from(entries) * command::ENTRY_BYTES as u64),
            completion: memory.allocate(u64::from(entries) * completion::ENTRY_BYTES as u64),
            tail: 0,
            head: 0,
            phase: Phase::One,
            tail_doorbell: Doorbell::SubmissionTail(id).offset(stride),
            head_doorbell: Doorbell::CompletionHead(id).offset(stride),
        }
    }

    /// Identifier.
    pub fn id(&self) -> u16 {
        self.id
    }

    /// Entries of each ring.
    pub fn entries(&self) -> u32 {
        self.entries
    }

    /// Address of the submission ring.
    pub fn submission_address(&self) -> u64 {
        self.submission
    }

    /// Address of the completion ring.
    pub fn completion_address(&self) -> u64 {
        self.completion
    }

    /// Writes an entry at the tail. The caller keeps fewer commands outstanding than there are
    /// entries, so there is room, in both rings.
    #[inline]
    pub fn push(&mut self, memory: &mut Memory, entry: &Entry) {
        let at = self.submission + u64::from(self.tail) * command::ENTRY_BYTES as u64;
        memory.at_mut(at, command::ENTRY_BYTES).copy_from_slice(&entry.to_bytes());
        self.tail = self.next(self.tail);
    }

    /// The doorbell write that hands all pushed entries over.
    pub fn ring_tail(&self) -> Ring {
        Ring { offset: self.tail_doorbell, value: self.tail }
    }

    /// Takes the next completion.
    #[inline]
    pub fn pop(&mut self, memory: &Memory) -> Option<CompletionEntry> {
        let entry = self.front(memory);
        if entry.phase != self.phase {
            return None;
        }
        self.head = self.next(self.head);
        if self.head == 0 {
            self.phase = self.phase.flipped();
        }
        Some(entry)
    }

    /// The doorbell write that frees all popped entries.
    pub fn ring_head(&self) -> Ring {
        Ring { offset: self.head_doorbell, value: self.head }
    }

    #[inline]
    fn front(&self, memory: &Memory) -> CompletionEntry {
        let at = self.completion + u64::from(self.head) * completion::ENTRY_BYTES as u64;
        CompletionEntry::parse(memory.array(at))
    }

    #[inline]
    fn next(&self, index: u32) -> u32 {
        if index + 1 == self.entries {
            0
        } else {
            index + 1
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::HostMemory;
    use nvme::command::Header;
    use nvme::status::Status;

    fn pair(entries: u32) -> (QueuePair, Memory) {
        let mut memory = Memory::default();
        memory.reserve(QueuePair::memory_bytes(entries));
        (QueuePair::new(QueueShape { id: 3, entries, stride: 0 }, &mut memory), memory)
    }

    #[test]
    fn entries_stand_in_the_ring_and_the_tail_wraps() {
        let (mut pair, mut memory) = pair(4);
        for nth in 0..6_u16 {
            let entry = Entry::new(2, Header { cid: nth, nsid: 1, ..Header::default() });
            let at = pair.submission_address() + u64::from(nth % 4) * 64;
            pair.push(&mut memory, &entry);
            assert_eq!(memory.array(at), &entry.to_bytes());
            let ring = pair.ring_tail();
            assert_eq!((ring.offset, ring.value), (0x1018, u32::from(nth + 1) % 4));
        }
    }

    #[test]
    fn completions_are_told_apart_by_their_phase_over_several_turns() {
        let (mut pair, mut memory) = pair(3);
        assert_eq!(pair.pop(&memory), None);
        for nth in 0..8_u16 {
            let (turn, slot) = (nth / 3, nth % 3);
            let posted = CompletionEntry {
                result: 0,
                result_high: 0,
                submission_head: 0,
                submission_queue: 3,
                cid: nth,
                phase: if turn % 2 == 0 { Phase::One } else { Phase::Zero },
                status: Status::SUCCESS,
            };
            memory.write(pair.completion_address() + u64::from(slot) * 16, &posted.emit());
            assert_eq!(pair.pop(&memory), Some(posted));
            assert_eq!(pair.pop(&memory), None);
            assert_eq!(pair.ring_head(), Ring { offset: 0x101c, value: u32::from(slot + 1) % 3 });
        }
    }
}
