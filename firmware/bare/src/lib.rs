//! The firmware on nothing: no standard library, no operating system, no device that answers.
//!
//! Building this library is the proof. It brings the panic handler that every program without a
//! standard library must bring, and there can be only one: were `std` linked by `firmware`,
//! `contract`, `nvme` or anything that they come to depend on, the compiler would find the
//! handler of `std` as well and refuse. All generic code of the firmware is instantiated, so what
//! is compiled is what a board would run.
#![no_std]

mod drive;
mod silence;

use core::panic::PanicInfo;

use arena::{Arena, Room};
use firmware::Firmware;
use silence::Silence;

/// Enough for the tables of the drive in [`drive`].
static ROOM: Room<{ 4 << 20 }> = Room::new();

#[global_allocator]
// SAFETY: nothing else uses the room; there is one thread, and no interrupt.
static ARENA: Arena = unsafe { Arena::over(&ROOM) };

/// Powers a small drive on, runs `passes` turns of the firmware's main loop on hardware that stays
/// silent. Memory is given out once and never taken back, so this is to be called once.
#[no_mangle]
pub extern "C" fn firmament_run(passes: u32) {
    let mut hardware = Silence::new();
    let mut firmware = Firmware::new(&drive::configuration(), &mut hardware);
    for _ in 0..passes {
        firmware.pass(&mut hardware);
    }
}

/// There is nobody to tell, and nothing to go back to.
#[panic_handler]
fn halt(_: &PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}
