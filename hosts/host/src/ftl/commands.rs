//! The queue to the drive: vector commands, each with a slot that has lists of addresses and of data pages.

use machine::CommandTimes;
use nvme::command::{DataPointer, Header};
use nvme::open_channel::{AddressList, VectorCommand, VectorKind, ADDRESS_BYTES, MOST_ADDRESSES};
use nvme::status::Status;

use super::shape::{LineId, Unit};
use crate::driver::NAMESPACE;
use crate::memory::{Memory, PAGE_BYTES};
use crate::queue::{QueuePair, Ring};

/// Bytes of a list of addresses, and of one of data pages.
const LIST_BYTES: u64 = MOST_ADDRESSES as u64 * ADDRESS_BYTES;

/// What a command is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Writes a unit of the buffer.
    Write {
        /// Its number in the ring.
        unit: u32,
        /// Where it is written.
        place: u32,
    },
    /// Reads for a request.
    Read {
        /// Its number.
        request: u32,
    },
    /// Reads what is to be moved into a buffer of the collector.
    Collect {
        /// Its number.
        buffer: u32,
    },
    /// Resets a chunk.
    Reset {
        /// Number of the line that has the chunk.
        line: LineId,
        /// Its parallel unit.
        unit: Unit,
    },
}

/// A command under way.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// What it is for.
    pub purpose: Purpose,
    /// When it was handed to the drive.
    pub sent_ps: u64,
    /// Where its time went, as far as the drive knows.
    pub times: CommandTimes,
}

/// How a command ended.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    /// What was sent, and when.
    pub command: Command,
    /// What the drive completed the command with.
    pub status: Status,
    /// A bit for each address that it was not done for, the first the lowest.
    pub failed: u64,
}

/// A completion that no command waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The identifier that it names.
    pub cid: u16,
}

/// The queue and its slots.
#[derive(Debug)]
pub struct Commands {
    pair: QueuePair,
    slots: Vec<Option<Command>>,
    free: Vec<u16>,
    lists: u64,
}

impl Commands {
    /// Host memory that slots for a queue of so many entries take, beside the queue.
    pub const fn memory_bytes(entries: u32) -> u64 {
        Memory::rounded(entries as u64 * 2 * LIST_BYTES)
    }

    /// Slots for a queue that was created.
    pub fn new(pair: QueuePair, memory: &mut Memory) -> Self {
        // One entry less than the ring has: a full ring cannot be told from an empty one.
        let count = pair.entries() - 1;
        let lists = memory.allocate(u64::from(pair.entries()) * 2 * LIST_BYTES);
        Commands {
            pair,
            slots: vec![None; count as usize],
            free: (0..count as u16).rev().collect(),
            lists,
        }
    }

    /// The queue's identifier.
    pub fn queue(&self) -> u16 {
        self.pair.id()
    }

    /// Whether a command can be sent.
    #[inline]
    pub fn has_room(&self) -> bool {
        !self.free.is_empty()
    }

    /// Commands under way.
    pub fn outstanding(&self) -> u32 {
        (self.slots.len() - self.free.len()) as u32
    }

    /// Sends a command. `pages` has the page of each block's data in host memory, and is empty where no data move.
    ///
    /// # Panics
    /// Without room, and without addresses.
    pub fn send(
        &mut self,
        (now, memory): (u64, &mut Memory),
        (purpose, kind): (Purpose, VectorKind),
        addresses: &[u64],
        pages: &[u64],
    ) -> Ring {
        let slot = self.free.pop().expect("there was room");
        self.slots[usize::from(slot)] =
            Some(Command { purpose, sent_ps: now, times: CommandTimes::default() });
        let at = self.lists + u64::from(slot) * 2 * LIST_BYTES;
        let count = addresses.len();
        assert!((1..=MOST_ADDRESSES).contains(&count), "1 to 64 addresses");
        let list = match addresses {
            [address] => AddressList::Single(*address),
            _ => {
                put_list(memory, at, addresses);
                AddressList::At(at)
            }
        };
        let data = match *pages {
            [] => DataPointer::default(),
            [prp1] => DataPointer { prp1, prp2: 0 },
            [prp1, prp2] => DataPointer { prp1, prp2 },
            [prp1, ref others @ ..] => {
                put_list(memory, at + LIST_BYTES, others);
                DataPointer { prp1, prp2: at + LIST_BYTES }
            }
        };
        let destinations = AddressList::Single(0);
        let command = VectorCommand { kind, count: count as u8, addresses: list, destinations };
        let entry = command.emit(Header { cid: slot, nsid: NAMESPACE, data });
        self.pair.push(memory, &entry);
        self.pair.ring_tail()
    }

    /// Notes where a command's time went.
    #[inline]
    pub fn set_times(&mut self, cid: u16, times: &CommandTimes) {
        if let Some(Some(command)) = self.slots.get_mut(usize::from(cid)) {
            command.times = *times;
        }
    }

    /// Takes the next command that has ended.
    ///
    /// # Errors
    /// When a completion names none that is under way.
    pub fn receive(&mut self, memory: &Memory) -> Result<Option<Ended>, Unknown> {
        let Some(done) = self.pair.pop(memory) else { return Ok(None) };
        let own = self.slots.get_mut(usize::from(done.cid)).and_then(Option::take);
        match own.filter(|_| done.submission_queue == self.pair.id()) {
            Some(command) => {
                self.free.push(done.cid);
                let failed = u64::from(done.result_high) << 32 | u64::from(done.result);
                Ok(Some(Ended { command, status: done.status, failed }))
            }
            None => Err(Unknown { cid: done.cid }),
        }
    }

    /// The doorbell that frees the completions that were taken.
    pub fn ring_head(&self) -> Ring {
        self.pair.ring_head()
    }
}

/// The page of each block from an address on.
pub fn pages_from(first: u64, pages: &mut [u64]) {
    for (nth, page) in (0..).zip(pages) {
        *page = first + nth * PAGE_BYTES;
    }
}

fn put_list(memory: &mut Memory, at: u64, words: &[u64]) {
    for (nth, word) in (0..).zip(words) {
        memory.at_mut(at + nth * 8, 8).copy_from_slice(&word.to_le_bytes());
    }
}
