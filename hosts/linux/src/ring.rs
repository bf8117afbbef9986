//! A split virtqueue, seen from the device (Virtual I/O Device 1.2, section 2.7).

use machine::HostMemory;
use pci::GuestMemory;

/// Bytes of a descriptor: address, length, flags, next.
const DESCRIPTOR_BYTES: u64 = 16;
/// Bytes of an entry of the used ring: head of the chain, bytes written.
const USED_BYTES: u64 = 8;
/// Flag of a descriptor: the chain goes on.
const NEXT: u16 = 1;
/// Flag of a descriptor: the device writes it.
const WRITES: u16 = 2;
/// Flag of the used ring: the driver need not tell of new buffers.
const NO_NOTIFY: u16 = 1;

/// A part of a buffer in the guest's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its first address.
    pub address: u64,
    /// How many bytes it has.
    pub bytes: u32,
    /// Whether it is for the device to write.
    pub is_for_device: bool,
}

/// The rings of a queue; all zero while the driver has not told where they are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ring {
    /// Descriptors, at most 32,768.
    pub size: u16,
    /// Address of the descriptors.
    pub descriptors: u64,
    /// Address of the ring by which the driver offers buffers.
    pub available: u64,
    /// Address of the ring by which the device gives them back.
    pub used: u64,
    /// Buffers taken so far, modulo 65,536.
    pub taken: u16,
    given: u16,
}

impl Ring {
    /// The next buffer that the driver offers, by the descriptor at the head of its chain.
    pub fn take(&mut self, memory: &mut GuestMemory) -> Option<u16> {
        if self.size == 0 {
            return None;
        }
        let offered = read16(memory, self.available + 2)?;
        if offered == self.taken {
            return None;
        }
        let slot = u64::from(self.taken % self.size);
        self.taken = self.taken.wrapping_add(1);
        read16(memory, self.available + 4 + 2 * slot)
    }

    /// The parts of a buffer, in order. A chain that is longer than the queue ends there.
    pub fn parts(&self, memory: &mut GuestMemory, head: u16) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut at = head;
        for _ in 0..self.size {
            let mut bytes = [0; DESCRIPTOR_BYTES as usize];
            if at >= self.size
                || !memory.read(self.descriptors + DESCRIPTOR_BYTES * u64::from(at), &mut bytes)
            {
                break;
            }
            let [low, high] =
                [8, 12].map(|at| u32::from_le_bytes([0, 1, 2, 3].map(|n| bytes[at + n])));
            let flags = high as u16;
            let address = u64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|n| bytes[n]));
            parts.push(Part { address, bytes: low, is_for_device: flags & WRITES != 0 });
            if flags & NEXT == 0 {
                break;
            }
            at = (high >> 16) as u16;
        }
        parts
    }

    /// Gives a buffer back with so many bytes written.
    pub fn give(&mut self, memory: &mut GuestMemory, head: u16, written: u32) {
        if self.size == 0 {
            return;
        }
        let slot = u64::from(self.given % self.size);
        let entry = u64::from(head) | u64::from(written) << 32;
        memory.write(self.used + 4 + USED_BYTES * slot, &entry.to_le_bytes());
        self.given = self.given.wrapping_add(1);
        memory.write(self.used + 2, &self.given.to_le_bytes());
    }

    /// Says whether the driver has to tell of the buffers that it offers.
    pub fn set_wants_notice(&self, memory: &mut GuestMemory, wants: bool) {
        memory.write(self.used, &if wants { 0 } else { NO_NOTIFY }.to_le_bytes());
    }
}

fn read16(memory: &mut GuestMemory, address: u64) -> Option<u16> {
    let mut bytes = [0; 2];
    memory.read(address, &mut bytes).then(|| u16::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pci::{Access, Offer};
    use rustix::fs::{ftruncate, memfd_create, MemfdFlags};

    const USED: u64 = 0x2000;
    const AVAILABLE: u64 = 0x1000;

    /// Memory of four pages from address 0 on, and a queue of four descriptors in it.
    fn queue() -> (GuestMemory, Ring) {
        let file = memfd_create("test", MemfdFlags::CLOEXEC).unwrap();
        ftruncate(&file, 4 * 4096).unwrap();
        let mut memory = GuestMemory::default();
        let offer = Offer { address: 0, size: 4 * 4096, offset: 0, access: Access::Both };
        memory.map(offer, Some(file)).unwrap();
        (
            memory,
            Ring { size: 4, descriptors: 0, available: AVAILABLE, used: USED, ..Ring::default() },
        )
    }

    /// Writes the descriptor of a part; `next` is the one behind it in its chain.
    fn describe(memory: &mut GuestMemory, nth: u64, part: Part, next: Option<u16>) {
        let flags =
            if part.is_for_device { WRITES } else { 0 } | if next.is_some() { NEXT } else { 0 };
        let mut descriptor = part.address.to_le_bytes().to_vec();
        descriptor.extend(part.bytes.to_le_bytes());
        descriptor.extend(flags.to_le_bytes());
        descriptor.extend(next.unwrap_or(0).to_le_bytes());
        assert!(memory.write(nth * 16, &descriptor));
    }

    fn offer(memory: &mut GuestMemory, index: u16, head: u16) {
        let slot = AVAILABLE + 4 + 2 * u64::from(index % 4);
        assert!(memory.write(slot, &head.to_le_bytes()));
        assert!(memory.write(AVAILABLE + 2, &index.wrapping_add(1).to_le_bytes()));
    }

    #[test]
    fn buffers_are_taken_in_order_over_the_end_of_the_ring() {
        let (mut memory, mut ring) = queue();
        assert_eq!(ring.take(&mut memory), None, "nothing is offered");
        // Indices wrap at 65,536.
        ring.taken = u16::MAX - 1;
        for (index, head) in [(u16::MAX - 1, 3), (u16::MAX, 1), (0, 2)] {
            offer(&mut memory, index, head);
            assert_eq!(ring.take(&mut memory), Some(head));
            assert_eq!(ring.take(&mut memory), None);
        }
    }

    #[test]
    fn a_chain_is_followed_to_its_end_and_no_further_than_the_queue_is_long() {
        let (mut memory, ring) = queue();
        let expected = [
            Part { address: 0x3000, bytes: 16, is_for_device: false },
            Part { address: 0x3100, bytes: 8, is_for_device: true },
        ];
        describe(&mut memory, 0, expected[0], Some(2));
        describe(&mut memory, 2, expected[1], None);
        assert_eq!(ring.parts(&mut memory, 0), expected);
        describe(&mut memory, 1, expected[0], Some(1));
        assert_eq!(ring.parts(&mut memory, 1).len(), 4, "a chain that is a circle");
        assert_eq!(ring.parts(&mut memory, 4).len(), 0, "a descriptor that is not there");
    }

    #[test]
    fn buffers_are_given_back_with_what_was_written() {
        let (mut memory, mut ring) = queue();
        for nth in 0..5 {
            ring.give(&mut memory, nth % 4, 100 + u32::from(nth));
        }
        let mut bytes = [0; 12];
        assert!(memory.read(USED, &mut bytes));
        assert_eq!(bytes[2..4], 5u16.to_le_bytes());
        assert_eq!(bytes[4..8], 0u32.to_le_bytes());
        assert_eq!(bytes[8..12], 104u32.to_le_bytes(), "the fifth took the place of the first");
        ring.set_wants_notice(&mut memory, false);
        assert!(memory.read(USED, &mut bytes));
        assert_eq!(bytes[0], 1);
    }
}
