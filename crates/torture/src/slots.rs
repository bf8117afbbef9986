//! Where the data of commands in flight are in host memory, and pointers to them, sound or not.

use nvme::command::DataPointer;
use nvme::dataset::Range;
use nvme::io::IoCommand;
use sim::{HostMemory, Stamp};

use crate::bench::{Memory, DATA};
use crate::history::Extent;
use crate::plan::{Data, Pointer};
use crate::storm::LONGEST;

/// Commands in flight at most.
pub const SLOTS: usize = 48;
/// Bytes of a logical block.
pub const BLOCK: u64 = 4096;
/// Where the PRP list of each slot stands, 256 bytes each, so that none crosses a page.
const LISTS: u64 = 0x8_0000;
/// An address that host memory does not have.
const OUTSIDE: u64 = 1 << 40;

fn buffer(slot: usize) -> u64 {
    DATA + slot as u64 * LONGEST * BLOCK
}

/// Puts data into a slot's buffer, a stamp at the begin of each block, and behind it nothing but zeroes where the
/// drive keeps bytes.
pub fn put(memory: &mut Memory, (slot, data): (usize, Data), stamps: &[Stamp]) {
    for (nth, stamp) in (0..).zip(stamps) {
        let at = buffer(slot) + nth * BLOCK;
        if data == Data::Bytes {
            assert!(memory.write(at, &[0; BLOCK as usize]));
        }
        assert!(memory.write(at, &stamp.to_bits().to_le_bytes()));
    }
}

/// The data of a slot's buffer.
pub fn get(memory: &mut Memory, slot: usize, blocks: u64) -> Vec<Stamp> {
    let stamp = |nth| {
        let mut bytes = [0; 8];
        assert!(memory.read(buffer(slot) + nth * BLOCK, &mut bytes));
        Stamp::from_bits(u64::from_le_bytes(bytes))
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
        IoCommand::Flush | IoCommand::WriteZeroes(..) => 0,
    };
    match pointer {
        Pointer::Sound => false,
        Pointer::Outside | Pointer::Misaligned => pages > 0,
        Pointer::ListOutside => pages > 1,
        Pointer::EntryOutside => pages > 2,
    }
}
