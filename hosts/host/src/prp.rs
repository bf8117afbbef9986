//! Data buffers in host memory and their PRP lists (NVMe 1.4 section 4.3).
//!
//! A slot's buffer is contiguous and starts on a page, and a command covers at most one *stretch*
//! of it, a power of two of pages. So all lists can be written once, at start-up: they hold an
//! entry for every page, and a command points behind the entry of its own first page. A stretch's
//! entries lie in one page of memory, so no list ever leads on to another.

use nvme::command::DataPointer;

use crate::memory::{Memory, PAGE_BYTES};

const ENTRY_BYTES: u64 = 8;

/// Most bytes that one command moves: as many pages as one page of list entries can name.
pub const MAX_STRETCH_BYTES: u64 = PAGE_BYTES / ENTRY_BYTES * PAGE_BYTES;

/// How many buffers and how large.
#[derive(Clone, Copy, Debug)]
pub struct BufferShape {
    /// Number of slots.
    pub slots: u32,
    /// Bytes of the longest request; 0 where no data is moved.
    pub bytes: u64,
    /// Most bytes of a command: a power of two from [`PAGE_BYTES`] to [`MAX_STRETCH_BYTES`].
    pub stretch_bytes: u64,
}

/// The data buffers of one job.
#[derive(Clone, Copy, Debug)]
pub struct Buffers {
    base: u64,
    /// Bytes from one slot to the next.
    slot_bytes: u64,
    /// Address of the list entries of slot 0, where requests are long enough to need them.
    lists: Option<u64>,
    /// Bytes from one slot's list entries to the next.
    list_bytes: u64,
}

impl BufferShape {
    fn slot_bytes(&self) -> u64 {
        Memory::rounded(self.bytes)
    }

    /// List entries a slot, or none if PRP1 and PRP2 always suffice.
    fn list_entries(&self) -> Option<u64> {
        let pages = self.slot_bytes() / PAGE_BYTES;
        let stretch = self.stretch_bytes / PAGE_BYTES;
        (pages > 2).then(|| pages.next_multiple_of(stretch).min(pages.next_power_of_two()))
    }

    /// Host memory that the buffers and their lists take.
    pub fn memory_bytes(&self) -> u128 {
        let lists = self.list_entries().unwrap_or(0) * ENTRY_BYTES;
        let rounded = |bytes: u64| {
            (u128::from(self.slots) * u128::from(bytes)).next_multiple_of(u128::from(PAGE_BYTES))
        };
        rounded(self.slot_bytes()) + rounded(lists)
    }
}

impl Buffers {
    /// Allocates the buffers and writes their lists.
    pub fn new(shape: BufferShape, memory: &mut Memory) -> Self {
        let (slots, slot_bytes) = (u64::from(shape.slots), shape.slot_bytes());
        let base = memory.allocate(slots * slot_bytes);
        let list_bytes = shape.list_entries().unwrap_or(0) * ENTRY_BYTES;
        let lists = (list_bytes > 0).then(|| memory.allocate(slots * list_bytes));
        if let Some(lists) = lists {
            for slot in 0..slots {
                for page in 0..slot_bytes / PAGE_BYTES {
                    let entry = base + slot * slot_bytes + page * PAGE_BYTES;
                    let at = lists + slot * list_bytes + page * ENTRY_BYTES;
                    memory.at_mut(at, 8).copy_from_slice(&entry.to_le_bytes());
                }
            }
        }
        Buffers { base, slot_bytes, lists, list_bytes }
    }

    /// Address of byte `offset` of a slot's buffer.
    #[inline]
    pub fn address(&self, slot: u32, offset: u64) -> u64 {
        self.base + u64::from(slot) * self.slot_bytes + offset
    }

    /// The data pointer of a command that moves `length` bytes from `offset` of a slot's buffer on.
    /// The offset is a multiple of the stretch, and the length at most a stretch.
    #[inline]
    pub fn pointer(&self, slot: u32, offset: u64, length: u64) -> DataPointer {
        let prp1 = self.address(slot, offset);
        let prp2 = match (length.div_ceil(PAGE_BYTES), self.lists) {
            (0 | 1, _) => 0,
            (2, _) | (_, None) => prp1 + PAGE_BYTES,
            (_, Some(lists)) => {
                let page = offset / PAGE_BYTES;
                lists + u64::from(slot) * self.list_bytes + (page + 1) * ENTRY_BYTES
            }
        };
        DataPointer { prp1, prp2 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nvme::prp::Transfer;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_drive_finds_every_byte_of_every_command(
            slots in 1_u32..5,
            bytes in 1_u64..6 << 20,
            stretch in 0_u32..10,
        ) {
            let stretch_bytes = PAGE_BYTES << stretch;
            let shape = BufferShape { slots, bytes, stretch_bytes };
            let mut memory = Memory::default();
            memory.reserve(shape.memory_bytes() as u64);
            let buffers = Buffers::new(shape, &mut memory);
            for slot in 0..slots {
                for offset in (0..bytes).step_by(stretch_bytes as usize) {
                    let length = stretch_bytes.min(bytes - offset);
                    let data = buffers.pointer(slot, offset, length);
                    let transfer = Transfer { data, length: length as u32, page_bytes: 4096 };
                    let read = |at| Some(u64::from_le_bytes(*memory.array(at)));
                    let mut expected = buffers.address(slot, offset);
                    for segment in transfer.segments(read) {
                        let segment = segment.unwrap();
                        prop_assert_eq!(segment.address, expected);
                        expected += u64::from(segment.length);
                    }
                    prop_assert_eq!(expected, buffers.address(slot, offset) + length);
                }
            }
        }
    }

    #[test]
    fn buffers_of_slots_do_not_overlap() {
        let shape = BufferShape { slots: 3, bytes: 5000, stretch_bytes: PAGE_BYTES };
        let mut memory = Memory::default();
        memory.reserve(shape.memory_bytes() as u64);
        let buffers = Buffers::new(shape, &mut memory);
        assert_eq!(buffers.address(1, 0) - buffers.address(0, 0), 2 * PAGE_BYTES);
        assert_eq!(buffers.address(2, 0) - buffers.address(1, 0), 2 * PAGE_BYTES);
    }
}
