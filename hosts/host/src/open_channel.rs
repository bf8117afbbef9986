//! A driver's side of open-channel drives (Open-Channel SSD 2.0): what a drive says of its chunks, and a queue of commands
//! that name blocks by their addresses.

use machine::Device;
use nvme::admin::{AdminCommand, EventAfterRead, GetLogPage, LogPage};
use nvme::command::{DataPointer, Header};
use nvme::open_channel::{
    AddressList, ChunkDescriptor, Geometry, VectorCommand, VectorKind, ADDRESS_BYTES,
    MOST_ADDRESSES,
};
use nvme::status::Status;

use crate::driver::{Driver, DriverError, QueueRequest, NAMESPACE};
use crate::memory::{Memory, PAGE_BYTES};
use crate::prp::{BufferShape, Buffers};
use crate::queue::QueuePair;

/// Bytes of a logical block of open-channel drives that this driver uses.
pub const BLOCK_BYTES: u64 = 4096;
/// Bytes of both lists of a command.
const LIST_BYTES: u64 = 2 * MOST_ADDRESSES as u64 * ADDRESS_BYTES;

impl Driver {
    /// Asks an open-channel drive how many chunks it has.
    ///
    /// # Errors
    /// When the command fails, as with a drive of logical blocks.
    pub fn geometry(
        &mut self,
        device: &mut impl Device<Memory = Memory>,
    ) -> Result<Geometry, DriverError> {
        let page = self.admin_page(device, AdminCommand::Geometry, "Geometry")?;
        Ok(Geometry::parse(&page))
    }

    /// Asks it what its first `count` chunks are: those of a parallel unit one after the other.
    ///
    /// # Errors
    /// When a command fails.
    pub fn chunks(
        &mut self,
        device: &mut impl Device<Memory = Memory>,
        count: u64,
    ) -> Result<Vec<ChunkDescriptor>, DriverError> {
        let mut chunks = Vec::new();
        while (chunks.len() as u64) < count {
            let each = ChunkDescriptor::BYTES as u64;
            let left = (count - chunks.len() as u64) * each;
            let log = GetLogPage {
                page: LogPage::ChunkInformation,
                event: EventAfterRead::Retained,
                offset: chunks.len() as u64 * each,
                length: left.min(PAGE_BYTES),
            };
            let command = AdminCommand::GetLogPage(log);
            let page = self.admin_page(device, command, "Get Log Page, Chunk Information")?;
            let (all, _) = page[..log.length as usize].as_chunks();
            chunks.extend(all.iter().map(ChunkDescriptor::parse));
        }
        Ok(chunks)
    }
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorEnd {
    /// The slot that the command had, free again.
    pub slot: u16,
    /// What the drive completed the command with.
    pub status: Status,
    /// A bit for each address that it was not done for, the first the lowest.
    pub failed: u64,
}

/// A queue pair for commands that name blocks by their addresses. Each command under way has a slot, with memory for its
/// data and its lists.
#[derive(Clone, Copy, Debug)]
pub struct VectorQueue {
    pair: QueuePair,
    data: Buffers,
    lists: u64,
    slots: u16,
}

impl VectorQueue {
    /// Host memory that a queue of so many entries and slots takes.
    pub fn memory_bytes(entries: u32, slots: u16) -> u64 {
        let data = Self::shape(slots).memory_bytes() as u64;
        QueuePair::memory_bytes(entries) + data + Memory::rounded(u64::from(slots) * LIST_BYTES)
    }

    fn shape(slots: u16) -> BufferShape {
        let bytes = MOST_ADDRESSES as u64 * BLOCK_BYTES;
        BufferShape { slots: slots.into(), bytes, stretch_bytes: bytes }
    }

    /// Creates the queue pair, in memory that was reserved. There are fewer slots than entries.
    ///
    /// # Errors
    /// When a command fails.
    pub fn create(
        (driver, device): (&mut Driver, &mut impl Device<Memory = Memory>),
        request: QueueRequest,
        slots: u16,
    ) -> Result<Self, DriverError> {
        let pair = driver.create_queue(device, request)?;
        let data = Buffers::new(Self::shape(slots), device.memory());
        let lists = device.memory().allocate(u64::from(slots) * LIST_BYTES);
        Ok(VectorQueue { pair, data, lists, slots })
    }

    /// The queue pair. Whoever goes on with it leaves these slots alone.
    pub(crate) fn pair(&self) -> QueuePair {
        self.pair
    }

    /// Commands that may be under way at once, a slot each.
    pub fn slots(&self) -> u16 {
        self.slots
    }

    /// Where in host memory the data of a slot's nth block are.
    pub fn data(&self, slot: u16, nth: usize) -> u64 {
        self.data.address(slot.into(), nth as u64 * BLOCK_BYTES)
    }

    /// Sends a command of a slot that none is under way of; `destinations` are those of a copy, as many as `addresses`.
    ///
    /// # Panics
    /// If there are no addresses, or more than [`MOST_ADDRESSES`].
    pub fn send(
        &mut self,
        device: &mut impl Device<Memory = Memory>,
        (slot, kind): (u16, VectorKind),
        addresses: &[u64],
        destinations: &[u64],
    ) {
        assert!((1..=MOST_ADDRESSES).contains(&addresses.len()), "1 to 64 addresses");
        let bytes = addresses.len() as u64 * BLOCK_BYTES;
        let data = match kind {
            VectorKind::Read | VectorKind::Write => self.data.pointer(slot.into(), 0, bytes),
            VectorKind::Copy | VectorKind::Reset => DataPointer::default(),
        };
        let at = self.lists + u64::from(slot) * LIST_BYTES;
        let memory = device.memory();
        let mut put = |at: u64, addresses: &[u64]| {
            if let [address] = addresses {
                return AddressList::Single(*address);
            }
            for (nth, address) in (0..).zip(addresses) {
                let own = memory.at_mut(at + nth * ADDRESS_BYTES, ADDRESS_BYTES as usize);
                own.copy_from_slice(&address.to_le_bytes());
            }
            AddressList::At(at)
        };
        let count = addresses.len() as u8;
        let addresses = put(at, addresses);
        let destinations = match kind {
            VectorKind::Copy => put(at + LIST_BYTES / 2, destinations),
            _ => AddressList::Single(0),
        };
        let command = VectorCommand { kind, count, addresses, destinations };
        let entry = command.emit(Header { cid: slot, nsid: NAMESPACE, data });
        self.pair.push(memory, &entry);
        let ring = self.pair.ring_tail();
        device.write32(ring.offset, ring.value);
    }

    /// Takes the next command that has ended, if one has by now.
    pub fn receive(&mut self, device: &mut impl Device<Memory = Memory>) -> Option<VectorEnd> {
        let done = self.pair.pop(device.memory())?;
        let ring = self.pair.ring_head();
        device.write32(ring.offset, ring.value);
        let failed = u64::from(done.result_high) << 32 | u64::from(done.result);
        Some(VectorEnd { slot: done.cid, status: done.status, failed })
    }
}
