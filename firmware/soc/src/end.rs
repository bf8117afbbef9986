//! How the program ends: it says why, and stops.

use core::arch::asm;
use core::fmt::{self, Write};
use core::panic::PanicInfo;
use driver::trace::Event;

use crate::bus::trace;

/// Why the program stopped.
#[derive(Clone, Copy)]
#[repr(u32)]
enum Reason {
    /// A panic of the firmware: an invariant is broken.
    Panic = 1,
    /// An exception of the processor.
    Exception = 2,
}

/// The trace window as a printer.
struct Printer;

impl Write for Printer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.bytes().for_each(|byte| trace(Event::Text(byte)));
        Ok(())
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    let _ = write!(Printer, "{info}");
    stop(Reason::Panic)
}

/// Where exceptions end.
#[no_mangle]
extern "C" fn except(cause: u32, at: u32, value: u32) -> ! {
    let _ = write!(Printer, "exception {cause} at {at:#010x}, value {value:#010x}");
    stop(Reason::Exception)
}

fn stop(reason: Reason) -> ! {
    trace(Event::Stopped(reason as u32));
    // SAFETY: the instructions change nothing but which interrupts wake the processor.
    unsafe { asm!("csrw mie, zero", options(nomem, nostack)) };
    loop {
        // SAFETY: as above.
        unsafe { asm!("wfi", options(nomem, nostack)) };
    }
}
