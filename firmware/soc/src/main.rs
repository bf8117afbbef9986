//! The firmware as the program of a RISC-V processor inside the controller (`rtl/soc/ssd_soc.sv`).
//!
//! Firmware and driver are those of every other body. What is here is what a processor needs: a start, memory, the
//! way to registers and to the data buffer memory, sleep, and an end.
#![no_std]
#![no_main]

extern crate alloc;

mod bus;
mod end;
mod memory;
mod start;
mod teller;

use contract::Grain;
use driver::boot::Boot;
use driver::Controller;
use firmware::sched::{HandOverScheduler, PhaseScheduler, Scheduling};
use firmware::{Firmware, FlashLayers};

use bus::Wires;
use teller::Teller;

/// The program, after its start.
///
/// # Panics
/// If the words of the start are none, or the hardware is not that of them.
#[no_mangle]
extern "C" fn run() -> ! {
    let boot = memory::boot();
    match boot.config.grain {
        Grain::Phases => serve::<PhaseScheduler>(boot),
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
