//! A plain host of an open-channel drive: it sends the commands, and knows what its chunks are to hold.

use std::ops::{Deref, DerefMut};

use board::Board;
use machine::Stamp;
use nvme::admin::{AdminCommand, EventAfterRead, GetLogPage, LogPage};
use nvme::command::Entry;
use nvme::open_channel::{
    AddressList, ChunkDescriptor, ChunkState, Geometry, VectorCommand, VectorKind,
};

use crate::placed_host::{Ended, PlacedHost, ADMIN_PAGE};

/// Where lists of addresses begin, a page for each slot; those of destinations in the second half of the page.
const ADDRESS_LISTS: u64 = 0x2_0000;
const DESTINATIONS: u64 = 0x800;
/// Sends commands to chunks.
pub struct ChunkHost {
    plain: PlacedHost,
    /// What the drive says that it is.
    pub geometry: Geometry,
}

impl ChunkHost {
    /// A new drive of this board, brought up.
    pub fn new(board: &Board) -> Self {
        ChunkHost::of(PlacedHost::new(board))
    }

    fn of(plain: PlacedHost) -> Self {
        let mut host = ChunkHost { plain, geometry: Geometry::zeroed() };
        host.bench.admin_for((AdminCommand::Geometry, 1), ADMIN_PAGE);
        host.geometry = Geometry::parse(&host.page());
        host
    }

    /// Cuts the power, and powers a drive on that has the same chips.
    pub fn cut_power(self, board: &Board) -> Self {
        ChunkHost::of(self.plain.cut_power(board))
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

impl Deref for ChunkHost {
    type Target = PlacedHost;

    fn deref(&self) -> &PlacedHost {
        &self.plain
    }
}

impl DerefMut for ChunkHost {
    fn deref_mut(&mut self) -> &mut PlacedHost {
        &mut self.plain
    }
}

/// The state that a descriptor tells.
pub fn state_of(chunk: &ChunkDescriptor) -> ChunkState {
    use ChunkState::{Closed, Free, Offline, Open};
    let states = [Free, Closed, Open, Offline];
    let found = states.into_iter().find(|&state| state as u8 == chunk.state);
    found.expect("a chunk is in one state")
}
