//! The firmware as the program of a RISC-V processor inside the controller (`rtl/soc/ssd_soc.sv`).
//!
//! Firmware and driver are those of every other body. What is here is what a processor needs: a start, memory, the
//! way to registers and to the data buffer memory, sleep, and an end.
#![no_std]
#![no_main]

extern crate alloc;

mod bus;
mod end;
mod start;
mod teller;

use arena::{Arena, Room};
use contract::Grain;
use core::slice;
use driver::boot::{place, Boot, MOST_WORDS};
use driver::Controller;
#[cfg(feature = "phases")]
use firmware::sched::PhaseScheduler;
use firmware::sched::{HandOverScheduler, Scheduling};
use firmware::{Firmware, FlashLayers};

use bus::Wires;
use teller::Teller;

/// Bytes of all tables of the firmware.
const TABLE_BYTES: usize = if cfg!(feature = "fpga") { 1536 << 10 } else { 3584 << 10 };

/// For the tables.
#[link_section = ".uninit"]
static ROOM: Room<TABLE_BYTES> = Room::new();

#[global_allocator]
// SAFETY: nothing else uses the room; there is one thread, and interrupts are never taken.
static ARENA: Arena = unsafe { Arena::over(&ROOM) };

/// The program, after its start.
///
/// # Panics
/// If the words of the start are none, or the hardware is not that of them.
#[no_mangle]
extern "C" fn run() -> ! {
    // SAFETY: this stretch of memory belongs to nothing else (memory.ld), and nobody changes it any more.
    let words = unsafe { slice::from_raw_parts(place::BOOT as *const u32, MOST_WORDS) };
    let boot = Boot::parse(words).expect("words of driver::boot in memory");
    match boot.config.grain {
        #[cfg(feature = "phases")]
        Grain::Phases => serve::<PhaseScheduler>(boot),
        #[cfg(not(feature = "phases"))]
        Grain::Phases => panic!("firmware that schedules itself is not in this program"),
        Grain::Operations(_) => serve::<HandOverScheduler>(boot),
    }
}

/// Runs the firmware for ever; `S` is who schedules.
fn serve<S: Scheduling<Controller<Wires>>>(Boot { config, setup }: Boot) -> ! {
    let mut controller = Controller::new(Wires::new(), &config, setup);
    let mut firmware = Firmware::<FlashLayers<S>>::scheduling(&config, &mut controller);
    let mut teller = Teller::default();
    loop {
        firmware.pass(&mut controller);
        if controller.bus().is_busy() {
            teller.tell(&firmware.inspect());
        }
    }
}
