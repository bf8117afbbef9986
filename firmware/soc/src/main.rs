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

use arena::{Arena, Room};
use contract::Grain;
use core::slice;
use driver::boot::{place, Boot, MOST_WORDS};
use driver::trace::Event;
use driver::Controller;
use firmware::ftl::Counters;
#[cfg(feature = "phases")]
use firmware::sched::PhaseScheduler;
use firmware::sched::{HandOverScheduler, Scheduling};
use firmware::{Firmware, FlashLayers, Told};

use bus::{trace, Wires};

/// For the tables of the firmware.
#[link_section = ".uninit"]
static ROOM: Room<{ 1536 << 10 }> = Room::new();

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
    let mut told = Told::default();
    loop {
        firmware.pass(&mut controller);
        if controller.bus().is_busy() {
            tell_changes(&mut told, firmware.inspect().told());
        }
    }
}

/// Tells which counters have changed, in the order in which `Told` has them.
fn tell_changes(told: &mut Told, mut now: Told) {
    let changes = now.counters.each().into_iter().zip(told.counters.each());
    for (which, (now, before)) in (0..).zip(changes) {
        if *now != *before {
            trace(Event::Count(which, now.wrapping_sub(*before) as u32));
        }
    }
    let entries =
        [(now.dirty_entries, told.dirty_entries), (now.pages_to_program, told.pages_to_program)];
    for (which, (now, before)) in (Counters::COUNT as u8..).zip(entries) {
        if now != before {
            trace(Event::Count(which, now.wrapping_sub(before)));
        }
    }
    *told = now;
}
