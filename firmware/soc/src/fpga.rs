//! The firmware of `examples/tiny-firmware` as the program of the processor, on an FPGA board (`rtl/boards/ulx3s`). It is small enough for
//! the block RAM that the rest of the controller leaves.
#![no_std]
#![no_main]

extern crate alloc;

#[expect(dead_code, reason = "nothing is told of this firmware beside its events")]
mod bus;
mod end;
mod memory;
mod start;

use contract::{Firmware, Grain, Start};
use driver::boot::Boot;
use driver::Controller;
use tiny_firmware::TinyFirmware;

use bus::Wires;

/// The program, after its start.
///
/// # Panics
/// If the words of the start are none, the hardware is not that of them, or the channels are to schedule.
#[no_mangle]
extern "C" fn run() -> ! {
    let Boot { config, setup } = memory::boot();
    assert_eq!(config.grain, Grain::Phases, "this firmware schedules itself");
    let mut controller = Controller::new(Wires::new(), &config, setup);
    let mut firmware = TinyFirmware::power_on(&config, Start::New, &mut controller);
    loop {
        firmware.pass(&mut controller);
    }
}
