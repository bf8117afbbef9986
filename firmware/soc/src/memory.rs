//! The memory that the firmware takes, and the words that it is started with.

use arena::{Arena, Room};
use core::slice;
use driver::boot::{Boot, MOST_WORDS, PLACE};

/// Bytes of all tables of the firmware.
const TABLE_BYTES: usize = if cfg!(feature = "fpga") { 1536 << 10 } else { 3584 << 10 };

/// For the tables.
#[link_section = ".uninit"]
static ROOM: Room<TABLE_BYTES> = Room::new();

#[global_allocator]
// SAFETY: nothing else uses the room; there is one thread, and interrupts are never taken.
static ARENA: Arena = unsafe { Arena::over(&ROOM) };

/// What the firmware is told of the drive.
///
/// # Panics
/// If the words of the start are none.
pub fn boot() -> Boot {
    // SAFETY: this stretch of memory belongs to nothing else (sections.ld), and nobody changes it any more.
    let words = unsafe { slice::from_raw_parts(PLACE as *const u32, MOST_WORDS) };
    Boot::parse(words).expect("words of driver::boot in memory")
}
