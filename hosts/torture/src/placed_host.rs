//! What hosts of chunks and of zones send commands by: slots that each have memory of their own, and how commands in them ended.

use board::Board;
use machine::{HostMemory, Payload, Polling, Stamp, Stopped};
use nvme::command::{DataPointer, Entry, Header};
use nvme::completion::CompletionEntry;
use nvme::status::Status;

use crate::bench::{Bench, DATA};

/// Bytes of a logical block.
pub const BLOCK_BYTES: u64 = 4096;
/// Commands that can be under way, each with memory of its own.
pub const SLOTS: u16 = 16;
/// A page for what admin commands return.
pub const ADMIN_PAGE: u64 = 0xf_0000;
/// Where lists of data pages begin, a page for each slot.
const DATA_LISTS: u64 = 0x1_0000;
/// Bytes of a slot's data.
const SLOT_BYTES: u64 = 64 * BLOCK_BYTES;
/// The most that commands may take.
const PATIENCE_PS: u64 = 60_000_000_000_000;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Slot that the command had, free again.
    pub slot: u16,
    /// What the drive completed the command with.
    pub status: Status,
    /// Dwords 0 and 1: of a vector command a bit for each address that it was not done for, of an append the first of its blocks.
    pub result: u64,
}

/// A drive whose commands stand in slots.
pub struct PlacedHost {
    /// The drive, and the queues.
    pub bench: Bench,
}

impl PlacedHost {
    /// A new drive of this board, brought up.
    pub fn new(board: &Board) -> Self {
        let payload = Payload::Stamps { block_bytes: BLOCK_BYTES as u32 };
        PlacedHost::started(Bench::new(board, payload, Polling::Skip))
    }

    fn started(mut bench: Bench) -> Self {
        bench.start_once();
        PlacedHost { bench }
    }

    /// Cuts the power, and powers a drive on that has the same chips.
    pub fn cut_power(self, board: &Board) -> Self {
        let payload = Payload::Stamps { block_bytes: BLOCK_BYTES as u32 };
        let mut bench = self.bench.cut_power((board, payload));
        bench.wait_until_ready();
        PlacedHost::started(bench)
    }

    /// The page that an admin command wrote.
    pub fn page(&mut self) -> [u8; 4096] {
        let mut page = [0; 4096];
        assert!(self.bench.drive.host_mut().memory.read(ADMIN_PAGE, &mut page));
        page
    }

    /// Writes 8 bytes of memory.
    pub fn put(&mut self, at: u64, number: u64) {
        assert!(self.bench.drive.host_mut().memory.write(at, &number.to_le_bytes()));
    }

    /// Puts stamps into the memory of a slot.
    pub fn put_data(&mut self, slot: u16, stamps: &[Stamp]) {
        for (nth, stamp) in stamps.iter().enumerate() {
            self.put(data_at(slot) + nth as u64 * BLOCK_BYTES, stamp.to_bits());
        }
    }

    /// The stamps in the memory of a slot.
    pub fn data(&mut self, slot: u16, count: usize) -> Vec<Stamp> {
        let memory = &mut self.bench.drive.host_mut().memory;
        let stamp = |nth| {
            let mut bytes = [0; 8];
            assert!(memory.read(data_at(slot) + nth as u64 * BLOCK_BYTES, &mut bytes));
            Stamp::from_bits(u64::from_le_bytes(bytes))
        };
        (0..count).map(stamp).collect()
    }

    /// Identifier, namespace and pointers to the data of a slot, whose identifier is its number.
    pub fn header(&mut self, slot: u16, blocks: usize) -> Header {
        let (first, list) = (data_at(slot), DATA_LISTS + u64::from(slot) * 4096);
        for nth in 1..blocks as u64 {
            self.put(list + (nth - 1) * 8, first + nth * BLOCK_BYTES);
        }
        let prp2 = match blocks {
            0 | 1 => 0,
            2 => first + BLOCK_BYTES,
            _ => list,
        };
        Header { cid: slot, nsid: 1, data: DataPointer { prp1: first, prp2 } }
    }

    /// Sends I/O commands.
    pub fn submit(&mut self, commands: &[Entry]) {
        self.bench.submit(1, commands);
    }

    /// Waits until some command has ended, and takes how all of those ended that have.
    pub fn wait(&mut self) -> Vec<Ended> {
        let due = self.bench.drive.now() + PATIENCE_PS;
        let stopped = self.bench.drive.run_to(due, |host| !host.seen.is_empty());
        assert_eq!(stopped, Stopped::Host, "the drive forgot a command");
        self.seen()
    }

    /// How those commands ended that have.
    pub fn seen(&mut self) -> Vec<Ended> {
        let seen = &mut self.bench.drive.host_mut().seen;
        seen.drain(..).map(|(_, entry)| ended(&entry)).collect()
    }

    /// Runs one I/O command to its end.
    pub fn run(&mut self, entry: Entry) -> Ended {
        self.run_on(1, entry)
    }

    /// Runs one command of a queue to its end.
    pub fn run_on(&mut self, queue: usize, entry: Entry) -> Ended {
        self.bench.submit(queue, &[entry]);
        let all = self.wait();
        assert_eq!(all.len(), 1);
        all[0]
    }
}

/// Where the data of a slot are.
pub const fn data_at(slot: u16) -> u64 {
    DATA + slot as u64 * SLOT_BYTES
}

fn ended(entry: &CompletionEntry) -> Ended {
    let result = u64::from(entry.result_high) << 32 | u64::from(entry.result);
    Ended { slot: entry.cid, status: entry.status, result }
}
