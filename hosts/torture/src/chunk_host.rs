//! A plain host of an open-channel drive: it sends the commands, and knows what its chunks are to hold.

use board::Board;
use machine::{HostMemory, Payload, Polling, Stamp, Stopped};
use nvme::admin::{AdminCommand, EventAfterRead, GetLogPage, LogPage};
use nvme::command::{DataPointer, Entry, Header};
use nvme::completion::CompletionEntry;
use nvme::open_channel::{
    AddressList, ChunkDescriptor, ChunkState, Geometry, VectorCommand, VectorKind,
};
use nvme::status::Status;

use crate::bench::{Bench, DATA};

/// Bytes of a logical block.
const BLOCK_BYTES: u64 = 4096;
/// Commands that can be under way, each with memory of its own.
pub const SLOTS: u16 = 16;
/// Where lists of data pages begin, a page for each slot.
const DATA_LISTS: u64 = 0x1_0000;
/// Where lists of addresses begin, likewise; those of destinations in the second half of the page.
const ADDRESS_LISTS: u64 = 0x2_0000;
const DESTINATIONS: u64 = 0x800;
/// Bytes of a slot's data.
const SLOT_BYTES: u64 = 64 * BLOCK_BYTES;
/// A page for what admin commands return.
const ADMIN_PAGE: u64 = 0xf_0000;
/// The most that commands may take.
const PATIENCE_PS: u64 = 60_000_000_000_000;

/// How a vector command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Slot that the command had, free again.
    pub slot: u16,
    /// What the drive completed the command with.
    pub status: Status,
    /// A bit for each address that it was not done for.
    pub failed: u64,
}

/// Sends commands to chunks through a [`Bench`].
pub struct ChunkHost {
    /// The drive, and the queues.
    pub bench: Bench,
    /// What the drive says that it is.
    pub geometry: Geometry,
}

impl ChunkHost {
    /// A new drive of this board, brought up.
    pub fn new(board: &Board) -> Self {
        let payload = Payload::Stamps { block_bytes: BLOCK_BYTES as u32 };
        ChunkHost::started(Bench::new(board, payload, Polling::Skip))
    }

    fn started(mut bench: Bench) -> Self {
        bench.start_once();
        let mut host = ChunkHost { bench, geometry: Geometry::zeroed() };
        host.bench.admin_for((AdminCommand::Geometry, 1), ADMIN_PAGE);
        host.geometry = Geometry::parse(&host.page());
        host
    }

    /// Cuts the power, and powers a drive on that has the same chips.
    pub fn cut_power(self, board: &Board) -> Self {
        let payload = Payload::Stamps { block_bytes: BLOCK_BYTES as u32 };
        let mut bench = self.bench.cut_power((board, payload));
        bench.wait_until_ready();
        ChunkHost::started(bench)
    }

    fn page(&mut self) -> [u8; 4096] {
        let mut page = [0; 4096];
        assert!(self.bench.drive.host_mut().memory.read(ADMIN_PAGE, &mut page));
        page
    }

    /// The address of a block.
    pub fn address(&self, [group, unit, chunk, block]: [u32; 4]) -> u64 {
        let g = &self.geometry;
        let above = u64::from(group) << g.unit_bits | u64::from(unit);
        (above << g.chunk_bits | u64::from(chunk)) << g.block_bits | u64::from(block)
    }

    /// Chunks of the drive.
    pub fn chunks(&self) -> u32 {
        u32::from(self.geometry.groups) * u32::from(self.geometry.units) * self.geometry.chunks
    }

    /// The first address of a chunk, counted over all of them.
    pub fn start(&self, chunk: u32) -> u64 {
        let (parallel, nth) = (chunk / self.geometry.chunks, chunk % self.geometry.chunks);
        let units = u32::from(self.geometry.units);
        self.address([parallel / units, parallel % units, nth, 0])
    }

    /// What the drive says of its chunks, from this one on: as many as a page names.
    pub fn some_descriptors(&mut self, first: u32) -> Vec<ChunkDescriptor> {
        let left = u64::from(self.chunks() - first) * ChunkDescriptor::BYTES as u64;
        let log = GetLogPage {
            page: LogPage::ChunkInformation,
            event: EventAfterRead::Retained,
            offset: u64::from(first) * ChunkDescriptor::BYTES as u64,
            length: left.min(4096),
        };
        self.bench.admin_for((AdminCommand::GetLogPage(log), 1), ADMIN_PAGE);
        let page = self.page();
        let (all, _) = page[..log.length as usize].as_chunks();
        all.iter().map(ChunkDescriptor::parse).collect()
    }

    /// What the drive says of all of its chunks.
    pub fn descriptors(&mut self) -> Vec<ChunkDescriptor> {
        let mut all = Vec::new();
        while (all.len() as u32) < self.chunks() {
            let some = self.some_descriptors(all.len() as u32);
            all.extend(some);
        }
        all
    }

    /// What the drive says of a chunk: its state, and the blocks that are written.
    pub fn state(&mut self, chunk: u32) -> (ChunkState, u32) {
        let found = self.some_descriptors(chunk)[0];
        assert_eq!(found.start, self.start(chunk));
        (state_of(&found), found.written as u32)
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

    /// Puts addresses where a slot has them; one stands in the command.
    fn list(&mut self, at: u64, addresses: &[u64]) -> AddressList {
        if let [address] = addresses {
            return AddressList::Single(*address);
        }
        for (nth, &address) in addresses.iter().enumerate() {
            self.put(at + nth as u64 * 8, address);
        }
        AddressList::At(at)
    }

    /// A vector command of a slot.
    pub fn command(
        &mut self,
        (slot, kind): (u16, VectorKind),
        addresses: &[u64],
        destinations: &[u64],
    ) -> Entry {
        let at = ADDRESS_LISTS + u64::from(slot) * 4096;
        let moves = matches!(kind, VectorKind::Read | VectorKind::Write);
        let header = self.header(slot, if moves { addresses.len() } else { 0 });
        let destinations = match kind {
            VectorKind::Copy => self.list(at + DESTINATIONS, destinations),
            _ => AddressList::Single(0),
        };
        let addresses_at = self.list(at, addresses);
        let count = addresses.len() as u8;
        VectorCommand { kind, count, addresses: addresses_at, destinations }.emit(header)
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

    /// Runs one command to its end.
    pub fn run(&mut self, entry: Entry) -> Ended {
        self.submit(&[entry]);
        let all = self.wait();
        assert_eq!(all.len(), 1);
        all[0]
    }

    /// Writes stamps to addresses.
    pub fn write(&mut self, addresses: &[u64], stamps: &[Stamp]) -> Ended {
        self.put_data(0, stamps);
        let entry = self.command((0, VectorKind::Write), addresses, &[]);
        self.run(entry)
    }

    /// Reads the stamps at addresses.
    pub fn read(&mut self, addresses: &[u64]) -> (Ended, Vec<Stamp>) {
        let count = addresses.len();
        self.put_data(0, &vec![Stamp::CORRUPT; count]);
        let entry = self.command((0, VectorKind::Read), addresses, &[]);
        (self.run(entry), self.data(0, count))
    }

    /// Resets chunks.
    pub fn reset(&mut self, addresses: &[u64]) -> Ended {
        let entry = self.command((0, VectorKind::Reset), addresses, &[]);
        self.run(entry)
    }

    /// Copies blocks.
    pub fn copy(&mut self, from: &[u64], to: &[u64]) -> Ended {
        let entry = self.command((0, VectorKind::Copy), from, to);
        self.run(entry)
    }
}

/// Where the data of a slot are.
pub const fn data_at(slot: u16) -> u64 {
    DATA + slot as u64 * SLOT_BYTES
}

fn ended(entry: &CompletionEntry) -> Ended {
    let failed = u64::from(entry.result_high) << 32 | u64::from(entry.result);
    Ended { slot: entry.cid, status: entry.status, failed }
}

/// The state that a descriptor tells.
pub fn state_of(chunk: &ChunkDescriptor) -> ChunkState {
    use ChunkState::{Closed, Free, Offline, Open};
    let states = [Free, Closed, Open, Offline];
    let found = states.into_iter().find(|&state| state as u8 == chunk.state);
    found.expect("a chunk is in one state")
}
