//! Where the data of commands in flight are in host memory, and pointers to them, sound or not.

use machine::{HostMemory, Payload, Stamp};
use nvme::command::DataPointer;
use nvme::dataset::Range;
use nvme::io::IoCommand;

use crate::bench::{Memory, DATA};
use crate::history::Extent;
use crate::plan::{Data, Pointer};
use crate::sizes::{BLOCK, LONGEST};

/// Where the PRP list of each slot stands, 256 bytes each, so that none crosses a page.
const LISTS: u64 = 0x8_0000;
/// Decides the bytes of blocks where a drive keeps bytes.
const SEED: u64 = 3;
/// An address that host memory does not have.
const OUTSIDE: u64 = 1 << 40;

fn buffer(slot: usize) -> u64 {
    DATA + slot as u64 * LONGEST * BLOCK
}

/// What stands for the data of a drive.
pub fn payload(data: Data) -> Payload {
    let block_bytes = BLOCK as u32;
    match data {
        Data::Stamps => Payload::Stamps { block_bytes },
        Data::Bytes => Payload::Bytes { block_bytes, seed: SEED },
    }
}

/// Puts data into a slot's buffer: a stamp at the begin of each block or, where the drive keeps bytes, all bytes of it.
pub fn put(memory: &mut Memory, (slot, data): (usize, Data), stamps: &[Stamp]) {
    for (nth, stamp) in (0..).zip(stamps) {
        let at = buffer(slot) + nth * BLOCK;
        let put = match data {
            Data::Stamps => memory.write(at, &stamp.to_bits().to_le_bytes()),
            Data::Bytes => {
                let mut block = [0; BLOCK as usize];
                stamp.fill(SEED, &mut block);
                memory.write(at, &block)
            }
        };
        assert!(put, "the buffer is host memory");
    }
}

/// Fills a slot's buffer with what no block holds.
pub fn poison(memory: &mut Memory, slot: usize, blocks: u64) {
    for nth in 0..blocks {
        assert!(memory.write(buffer(slot) + nth * BLOCK, &[0xff; 64]));
    }
}

/// The data of a slot's buffer. Where the drive keeps bytes, each byte counts: bytes of no stamp are corrupt.
pub fn get(memory: &mut Memory, (slot, data): (usize, Data), blocks: u64) -> Vec<Stamp> {
    let stamp = |nth| {
        let at = buffer(slot) + nth * BLOCK;
        match data {
            Data::Stamps => {
                let mut bytes = [0; 8];
                assert!(memory.read(at, &mut bytes), "the buffer is host memory");
                Stamp::from_bits(u64::from_le_bytes(bytes))
            }
            Data::Bytes => {
                let mut block = [0; BLOCK as usize];
                assert!(memory.read(at, &mut block), "the buffer is host memory");
                Stamp::of_bytes(SEED, &block).unwrap_or(Stamp::CORRUPT)
            }
        }
    };
    (0..blocks).map(stamp).collect()
}

/// Puts the range of a dataset management command into a slot's buffer.
pub fn put_range(memory: &mut Memory, slot: usize, extent: Extent) {
    let mut bytes = [0; Range::BYTES];
    Range { attributes: 0, blocks: extent.blocks as u32, start: extent.lba }.emit(&mut bytes);
    assert!(memory.write(buffer(slot), &bytes));
}

/// The data pointer of a slot, with a list where it takes more than two pages.
pub fn point(memory: &mut Memory, (slot, blocks): (usize, u64), pointer: Pointer) -> DataPointer {
    let (prp1, list) = (buffer(slot), LISTS + slot as u64 * 256);
    for nth in 1..blocks {
        let is_outside = pointer == Pointer::EntryOutside && nth == blocks / 2;
        let page = if is_outside { OUTSIDE } else { prp1 + nth * BLOCK };
        assert!(memory.write(list + (nth - 1) * 8, &page.to_le_bytes()));
    }
    let prp2 = if blocks == 2 { prp1 + BLOCK } else { list };
    match pointer {
        Pointer::Sound | Pointer::EntryOutside => DataPointer { prp1, prp2 },
        Pointer::Outside => DataPointer { prp1: OUTSIDE, prp2 },
        Pointer::ListOutside => DataPointer { prp1, prp2: OUTSIDE },
        Pointer::Misaligned => DataPointer { prp1: prp1 + 2, prp2 },
    }
}

/// Whether the data of a command cannot be moved with this pointer.
pub fn is_bad(command: &IoCommand, blocks: u64, pointer: Pointer) -> bool {
    let pages = match command {
        IoCommand::Read(..) | IoCommand::Write(..) | IoCommand::Compare(..) => blocks,
        IoCommand::DatasetManagement { .. } => 1,
        IoCommand::Flush | IoCommand::WriteZeroes(..) | IoCommand::Verify(..) => 0,
    };
    match pointer {
        Pointer::Sound => false,
        Pointer::Outside | Pointer::Misaligned => pages > 0,
        Pointer::ListOutside => pages > 1,
        Pointer::EntryOutside => pages > 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_a_block_counts_where_a_drive_keeps_bytes() {
        let mut memory = Memory(vec![0; (DATA + LONGEST * BLOCK) as usize]);
        let stamps = [Stamp::new(7, 2), Stamp::ZERO];
        for data in [Data::Stamps, Data::Bytes] {
            put(&mut memory, (0, data), &stamps);
            assert_eq!(get(&mut memory, (0, data), 2), stamps);
        }
        for at in [0, 8, BLOCK / 2, BLOCK - 1] {
            put(&mut memory, (0, Data::Bytes), &stamps);
            memory.0[(DATA + at) as usize] ^= 1;
            let found = get(&mut memory, (0, Data::Bytes), 2);
            assert_eq!(found[1], stamps[1]);
            assert_ne!(found[0], stamps[0], "byte {at}");
        }
    }
}
