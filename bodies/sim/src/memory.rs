//! Data buffer memory, and how user data crosses between it and the host.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::state::{expect, Sound};
use contract::{BufferId, Span};
use machine::{HostMemory, STAMP_BYTES};
use nand::{PageMut, PageRef, Payload, Stamp};
use nvme::prp::Segment;

use crate::store::Store;

/// What stands where data were cut off: a stamp that no block ever holds.
const SPOILT: u64 = u64::MAX >> 1;

/// The entries of the data buffer. Where they are the medium of a drive, they are made when they are first
/// touched.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub enum BufferMemory {
    /// A stamp a logical block.
    Stamps {
        /// All entries' stamps.
        stamps: Store<Stamp>,
        /// Bytes a logical block.
        block_bytes: u32,
        /// What entries hold that nobody touched.
        untouched: Untouched,
    },
    /// All bytes.
    Bytes {
        /// All entries' bytes.
        bytes: Store<u8>,
        /// Bytes a logical block, and the seed that stamps are expanded with.
        block: (usize, u64),
        /// What entries hold that nobody touched.
        untouched: Untouched,
    },
}

/// What memory holds that nobody touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Untouched {
    /// Bytes of 0, or [`Stamp::ZERO`].
    Zeroes,
    /// The first version of each logical block.
    Fresh,
}

/// A part of an entry.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
pub struct Extent {
    /// Entry of the data buffer that the part belongs to.
    pub entry: BufferId,
    /// First byte.
    pub offset: u32,
    /// Bytes.
    pub length: u32,
}

impl Extent {
    /// This part of an entry.
    pub fn of(entry: BufferId, part: Span) -> Self {
        Extent { entry, offset: part.offset, length: part.length }
    }

    /// Its bytes.
    pub fn part(&self) -> Span {
        Span { offset: self.offset, length: self.length }
    }
}

impl Sound for BufferMemory {
    fn sound(&self, new: &Self) -> borsh::io::Result<()> {
        let alike = match (self, new) {
            (
                BufferMemory::Stamps { stamps: own, block_bytes, .. },
                BufferMemory::Stamps { stamps, block_bytes: expected, .. },
            ) => own.is_like(stamps) && block_bytes == expected,
            (
                BufferMemory::Bytes { bytes: own, block, .. },
                BufferMemory::Bytes { bytes, block: expected, .. },
            ) => own.is_like(bytes) && block == expected,
            _ => false,
        };
        expect(alike, "a data buffer of another board")
    }
}

impl BufferMemory {
    /// Memory of `entries` entries of `page_bytes`, all zero.
    pub fn new(payload: Payload, entries: u32, page_bytes: u32) -> Self {
        let shape = shape(payload, (entries, page_bytes));
        let untouched = Untouched::Zeroes;
        match payload {
            Payload::Stamps { block_bytes } => {
                let stamps = Store::whole(shape, Stamp::ZERO);
                BufferMemory::Stamps { stamps, block_bytes, untouched }
            }
            Payload::Bytes { block_bytes, seed } => {
                let block = (block_bytes as usize, seed);
                BufferMemory::Bytes { bytes: Store::whole(shape, 0), block, untouched }
            }
        }
    }

    /// The same for a medium, which may be large: it is made as it is touched.
    pub fn medium(payload: Payload, entries: u32, page_bytes: u32) -> Self {
        let shape = shape(payload, (entries, page_bytes));
        let untouched = Untouched::Zeroes;
        match payload {
            Payload::Stamps { block_bytes } => {
                BufferMemory::Stamps { stamps: Store::parts(shape), block_bytes, untouched }
            }
            Payload::Bytes { block_bytes, seed } => {
                let block = (block_bytes as usize, seed);
                BufferMemory::Bytes { bytes: Store::parts(shape), block, untouched }
            }
        }
    }

    /// States what a medium holds that nobody touched.
    pub fn set_untouched(&mut self, what: Untouched) {
        let (BufferMemory::Stamps { untouched, .. } | BufferMemory::Bytes { untouched, .. }) = self;
        *untouched = what;
    }

    /// An entry, to be written to flash.
    pub fn page(&self, entry: BufferId) -> PageRef<'_> {
        let nth = entry.0 as usize;
        match self {
            BufferMemory::Stamps { stamps, .. } => PageRef::Stamps(stamps.entry(nth)),
            BufferMemory::Bytes { bytes, .. } => PageRef::Bytes(bytes.entry(nth)),
        }
    }

    /// A part of an entry, to be filled from flash.
    #[inline]
    pub fn part_mut(&mut self, extent: Extent) -> PageMut<'_> {
        match self {
            BufferMemory::Stamps { .. } => PageMut::Stamps(self.stamps_of(extent)),
            BufferMemory::Bytes { .. } => PageMut::Bytes(self.bytes_of(extent)),
        }
    }

    /// Fills part of an entry with zeroes.
    pub fn zero(&mut self, extent: Extent) {
        match self {
            BufferMemory::Stamps { .. } => self.stamps_of(extent).fill(Stamp::ZERO),
            BufferMemory::Bytes { .. } => self.bytes_of(extent).fill(0),
        }
    }

    /// Data were cut off on their way to a part of an entry, which holds nothing of use.
    pub fn spoil(&mut self, extent: Extent) {
        match self {
            BufferMemory::Stamps { .. } => {
                self.stamps_of(extent).fill(Stamp::from_bits(SPOILT));
            }
            BufferMemory::Bytes { .. } => {
                let spoilt = SPOILT.to_le_bytes();
                self.bytes_of(extent).chunks_mut(spoilt.len()).for_each(|part| {
                    part.copy_from_slice(&spoilt[..part.len()]);
                });
            }
        }
    }

    /// Copies the same part of another entry.
    pub fn copy(&mut self, from: BufferId, to: Extent) {
        let source = Extent { entry: from, ..to };
        match self {
            BufferMemory::Stamps { .. } => {
                let stamps = self.stamps_of(source).to_vec();
                self.stamps_of(to).copy_from_slice(&stamps);
            }
            BufferMemory::Bytes { .. } => {
                let bytes = self.bytes_of(source).to_vec();
                self.bytes_of(to).copy_from_slice(&bytes);
            }
        }
    }

    /// Copies a part of an entry of another memory of the same payload to an offset of the first entry.
    pub fn gather(&mut self, offset: u32, other: &mut BufferMemory, from: Extent) {
        let to = Extent { entry: BufferId(0), offset, length: from.length };
        match self {
            BufferMemory::Stamps { .. } => {
                self.stamps_of(to).copy_from_slice(other.stamps_of(from));
            }
            BufferMemory::Bytes { .. } => self.bytes_of(to).copy_from_slice(other.bytes_of(from)),
        }
    }

    /// Copies from an offset of the first entry of another memory of the same payload to a part of an entry.
    pub fn scatter(&mut self, to: Extent, other: &mut BufferMemory, offset: u32) {
        let from = Extent { entry: BufferId(0), offset, length: to.length };
        match self {
            BufferMemory::Stamps { .. } => {
                self.stamps_of(to).copy_from_slice(other.stamps_of(from));
            }
            BufferMemory::Bytes { .. } => self.bytes_of(to).copy_from_slice(other.bytes_of(from)),
        }
    }

    /// Whether the same part of two entries is equal.
    pub fn equal(&mut self, a: BufferId, extent: Extent) -> bool {
        let (first, last) = (extent.offset as usize, (extent.offset + extent.length) as usize);
        for entry in [a, extent.entry] {
            self.part_mut(Extent { entry, ..extent });
        }
        match (self.page(a), self.page(extent.entry)) {
            (PageRef::Stamps(a), PageRef::Stamps(b)) => {
                let block = self.block_bytes() as usize;
                a[first / block..last / block] == b[first / block..last / block]
            }
            (PageRef::Bytes(a), PageRef::Bytes(b)) => a[first..last] == b[first..last],
            _ => unreachable!("both are of the same memory"),
        }
    }

    /// Moves a part of an entry to host memory. False when an address was bad.
    pub fn send(
        &mut self,
        extent: Extent,
        segments: &[Segment],
        host: &mut dyn HostMemory,
    ) -> bool {
        match self {
            BufferMemory::Stamps { block_bytes, .. } => {
                let block = *block_bytes;
                let stamps = self.stamps_of(extent);
                each_stamp(segments, block, |nth, part, address| {
                    let bytes = stamps[nth].to_bits().to_le_bytes();
                    match part.len() {
                        STAMP_BYTES => host.write_word(address, &bytes),
                        _ => host.write(address, &bytes[part]),
                    }
                })
            }
            BufferMemory::Bytes { .. } => {
                let mut bytes: &[u8] = self.bytes_of(extent);
                for segment in segments {
                    let (now, rest) = bytes.split_at(segment.length as usize);
                    if !host.write(segment.address, now) {
                        return false;
                    }
                    bytes = rest;
                }
                true
            }
        }
    }

    /// Moves host memory to a part of an entry. False when an address was bad.
    pub fn receive(
        &mut self,
        extent: Extent,
        segments: &[Segment],
        host: &mut dyn HostMemory,
    ) -> bool {
        match self {
            BufferMemory::Stamps { block_bytes, .. } => {
                let block = *block_bytes;
                let stamps = self.stamps_of(extent);
                let mut bytes = [0; STAMP_BYTES];
                each_stamp(segments, block, |nth, part, address| {
                    let last = part.end == STAMP_BYTES;
                    let good = match part.len() {
                        STAMP_BYTES => host.read_word(address, &mut bytes),
                        _ => host.read(address, &mut bytes[part]),
                    };
                    if good && last {
                        stamps[nth] = Stamp::from_bits(u64::from_le_bytes(bytes));
                    }
                    good
                })
            }
            BufferMemory::Bytes { .. } => {
                let mut bytes: &mut [u8] = self.bytes_of(extent);
                for segment in segments {
                    let (now, rest) = bytes.split_at_mut(segment.length as usize);
                    if !host.read(segment.address, now) {
                        return false;
                    }
                    bytes = rest;
                }
                true
            }
        }
    }

    fn block_bytes(&self) -> u32 {
        match self {
            BufferMemory::Stamps { block_bytes, .. } => *block_bytes,
            BufferMemory::Bytes { .. } => 1,
        }
    }

    #[inline]
    fn stamps_of(&mut self, extent: Extent) -> &mut [Stamp] {
        let BufferMemory::Stamps { stamps, block_bytes, untouched } = self else {
            unreachable!("asked of stamps only")
        };
        let untouched = *untouched;
        let (offset, length) = (extent.offset / *block_bytes, extent.length / *block_bytes);
        let entry = stamps.touch(extent.entry.0 as usize, |first, count| {
            (first..first + count).map(|lba| untouched.stamp(lba)).collect()
        });
        &mut entry[offset as usize..][..length as usize]
    }

    #[inline]
    fn bytes_of(&mut self, extent: Extent) -> &mut [u8] {
        let BufferMemory::Bytes { bytes, block, untouched } = self else {
            unreachable!("asked of bytes only")
        };
        let (untouched, (block_bytes, seed)) = (*untouched, *block);
        let entry = bytes.touch(extent.entry.0 as usize, |first, count| {
            let mut made = vec![0; count];
            for (nth, block) in made.chunks_exact_mut(block_bytes).enumerate() {
                untouched.stamp(first / block_bytes + nth).fill(seed, block);
            }
            made.into()
        });
        &mut entry[extent.offset as usize..][..extent.length as usize]
    }
}

impl Untouched {
    fn stamp(self, lba: usize) -> Stamp {
        match self {
            Untouched::Zeroes => Stamp::ZERO,
            Untouched::Fresh => Stamp::new(lba as u64, 1),
        }
    }
}

/// Entries, and stamps or bytes of each.
fn shape(payload: Payload, (entries, page_bytes): (u32, u32)) -> (usize, usize) {
    let per_entry = match payload {
        Payload::Stamps { block_bytes } => page_bytes / block_bytes,
        Payload::Bytes { .. } => page_bytes,
    };
    (entries as usize, per_entry as usize)
}

/// Calls `visit(block, bytes of the stamp, address)` for the stamp at the start of every block that
/// the segments cover; in two calls where a stamp lies across two segments.
#[inline]
fn each_stamp(
    segments: &[Segment],
    block_bytes: u32,
    mut visit: impl FnMut(usize, std::ops::Range<usize>, u64) -> bool,
) -> bool {
    // The next block, and how far it starts behind the start of the segment.
    let (mut block, mut at) = (0, 0);
    let mut carried = 0;
    for segment in segments {
        if carried > 0 {
            if !visit(block - 1, carried..STAMP_BYTES, segment.address) {
                return false;
            }
            carried = 0;
        }
        while at < segment.length {
            let here = ((segment.length - at) as usize).min(STAMP_BYTES);
            if !visit(block, 0..here, segment.address + u64::from(at)) {
                return false;
            }
            carried = here % STAMP_BYTES;
            block += 1;
            at += block_bytes;
        }
        at -= segment.length;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Plain(Vec<u8>);

    impl HostMemory for Plain {
        fn read(&mut self, address: u64, bytes: &mut [u8]) -> bool {
            let at = address as usize;
            let Some(from) = self.0.get(at..at + bytes.len()) else { return false };
            bytes.copy_from_slice(from);
            true
        }
        fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
            let at = address as usize;
            let Some(to) = self.0.get_mut(at..at + bytes.len()) else { return false };
            to.copy_from_slice(bytes);
            true
        }
    }

    fn round_trip(segments: &[Segment]) {
        let payload = Payload::Stamps { block_bytes: 512 };
        let mut memory = BufferMemory::new(payload, 2, 4096);
        let extent = Extent { entry: BufferId(1), offset: 1024, length: 1536 };
        for (nth, stamp) in memory.stamps_of(extent).iter_mut().enumerate() {
            *stamp = Stamp::new(nth as u64 + 7, 3);
        }
        let before = memory.stamps_of(extent).to_vec();
        let mut host = Plain(vec![0xee; 16_384]);
        assert!(memory.send(extent, segments, &mut host));
        memory.zero(extent);
        assert!(memory.receive(extent, segments, &mut host));
        assert_eq!(memory.stamps_of(extent), before);
        host.0.truncate(5000);
        assert!(!memory.send(extent, segments, &mut host));
    }

    #[test]
    fn stamps_cross_to_the_host_and_back_at_any_offset() {
        round_trip(&[Segment { address: 8192, length: 1536 }]);
        // The second block's stamp lies half in the first page, half in the second.
        round_trip(&[
            Segment { address: 4096 - 516 + 4096, length: 516 },
            Segment { address: 12_288, length: 1020 },
        ]);
    }
}
