//! The processor's ways out of its memory.

use contract::{Pass, Work};
use core::arch::asm;
use core::ptr;
use driver::trace::{tell, Event, Place};
use driver::{Bus, Note};
use registers::{controller, host, map, Register};

/// Bytes of the data buffer memory that the processor reaches.
const REACH: u64 = 1 << 30;

/// Turns of the main loop that find nothing before the processor sleeps: while anything is under way, it looks.
const TURNS_BEFORE_SLEEP: u32 = 64;

/// Cycles that it sleeps at most, so that what raises no interrupt is seen.
const LONGEST_SLEEP: u32 = 2000;

/// Registers, data buffer memory and trace window, as loads and stores.
pub struct Wires {
    idle_turns: u32,
}

impl Wires {
    /// The ways out. Commands and the alarm may wake the processor from now on.
    pub fn new() -> Self {
        let mut wires = Self { idle_turns: 0 };
        let host_events = host::interrupt_enable::EVENT_WAITS.mask();
        wires.write(map::HOST + host::interrupt_enable::REGISTER.offset, host_events);
        let lines =
            controller::interrupt_enable::HOST.mask() | controller::interrupt_enable::ALARM.mask();
        wires.set(controller::interrupt_enable::REGISTER, lines);
        wires
    }

    /// Whether the last turn of the main loop changed anything.
    pub fn is_busy(&self) -> bool {
        self.idle_turns == 0
    }

    fn set(&mut self, register: Register, value: u32) {
        self.write(map::CONTROLLER + register.offset, value);
    }

    /// Sleeps until a command comes, but not long.
    fn sleep(&mut self) {
        let now = self.read(map::CONTROLLER + controller::time_low::REGISTER.offset);
        self.set(controller::alarm::REGISTER, now.wrapping_add(LONGEST_SLEEP));
        // SAFETY: the instruction waits, and changes nothing.
        unsafe { asm!("wfi", options(nomem, nostack)) };
    }
}

/// Tells an event to whoever watches the trace window.
#[inline(always)]
pub fn trace(event: Event) {
    tell(event, |place: Place, word| {
        let at = map::TRACE + 4 * place as u32;
        // SAFETY: the window takes words at all of its places.
        unsafe { ptr::write_volatile(at as *mut u32, word) };
    });
}

/// Instructions that were retired, modulo 2^32.
#[inline(always)]
fn instructions() -> u32 {
    let count;
    // SAFETY: reading the counter changes nothing.
    unsafe { asm!("csrr {}, minstret", out(reg) count, options(nomem, nostack)) };
    count
}

/// The place of a word of the data buffer memory.
///
/// # Panics
/// If the processor does not reach it, or it is no word's.
fn word_at(address: u64) -> *mut u32 {
    assert!(address < REACH && address % 4 == 0, "no word of memory at {address:#x}");
    (map::MEMORY + address as u32) as *mut u32
}

impl Bus for Wires {
    fn read(&mut self, address: u32) -> u32 {
        // SAFETY: the controller answers at all addresses of registers, and refuses others with an exception.
        unsafe { ptr::read_volatile((map::REGISTERS + address) as *const u32) }
    }

    fn write(&mut self, address: u32, value: u32) {
        // SAFETY: as for reads.
        unsafe { ptr::write_volatile((map::REGISTERS + address) as *mut u32, value) }
    }

    fn load(&mut self, address: u64, into: &mut [u8]) {
        let first = word_at(address);
        for (nth, bytes) in into.chunks_exact_mut(4).enumerate() {
            // SAFETY: words of the data buffer memory, of which hardware keeps no pointers.
            let word = unsafe { ptr::read_volatile(first.add(nth)) };
            bytes.copy_from_slice(&word.to_le_bytes());
        }
    }

    fn store(&mut self, address: u64, bytes: &[u8]) {
        let first = word_at(address);
        for (nth, bytes) in bytes.chunks_exact(4).enumerate() {
            let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            // SAFETY: as for loads.
            unsafe { ptr::write_volatile(first.add(nth), word) };
        }
    }

    fn work(&mut self, work: Work, times: u32) {
        trace(Event::Work { work, times, instructions: instructions() });
    }

    fn note(&mut self, note: Note) {
        trace(Event::Note(note));
    }

    fn end_pass(&mut self, pass: Pass) {
        trace(Event::Pass { pass, instructions: instructions() });
        match pass {
            Pass::Busy => self.idle_turns = 0,
            Pass::Idle if self.idle_turns < TURNS_BEFORE_SLEEP => self.idle_turns += 1,
            Pass::Idle => self.sleep(),
        }
    }
}
