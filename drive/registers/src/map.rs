//! Where everything is for the processor.
//!
//! Made by rtl/tools/registers.py of rtl/soc/address_map.rdl; `make registers` makes it anew.

// Blocks of registers on the processor's bus, which has 20 address bits.

/// The host interface.
pub const HOST: u32 = 0x0;

/// The controller as a whole.
pub const CONTROLLER: u32 = 0x8000;

/// Flash channels, one behind the other.
pub const fn channel(number: u8) -> u32 {
    0x10000 + 0x200 * number as u32
}

// What a processor in the controller finds at its 32-bit addresses.

/// The controller's registers, as above.
pub const REGISTERS: u32 = 0x40000000;

/// The trace window, whose words are written and leave the controller.
pub const TRACE: u32 = 0x50000000;

/// Program memory: code, tables, stack.
pub const PROGRAM: u32 = 0x80000000;

/// The first GiB of the data buffer memory.
pub const MEMORY: u32 = 0xc0000000;
