//! Registers of the controller as a whole, 32 bits each, on AXI4-Lite.
//!
//! Made by rtl/tools/registers.py of rtl/soc/ssd_top.rdl; `make registers` makes it anew.

use crate::{Field, Register};

/// What the memory engine does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Deed {
    /// Fills TARGET with zeros.
    Zero = 0x00,
    /// Copies SOURCE to TARGET.
    Copy = 0x01,
    /// Compares SOURCE with TARGET.
    Compare = 0x02,
}

impl Deed {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Zero, Self::Copy, Self::Compare];

    /// The value with this number; none if no value has it.
    pub const fn from_bits(bits: u32) -> Option<Self> {
        Some(match bits {
            0x00 => Self::Zero,
            0x01 => Self::Copy,
            0x02 => Self::Compare,
            _ => return None,
        })
    }
}

/// All registers but those of the windows.
pub const REGISTERS: [Register; 14] = [
    identity::REGISTER,
    sizes::REGISTER,
    time_low::REGISTER,
    time_high::REGISTER,
    interrupt_lines::REGISTER,
    interrupt_enable::REGISTER,
    alarm::REGISTER,
    entries::REGISTER,
    entry_base::REGISTER,
    memory_errors::REGISTER,
    source::REGISTER,
    target::REGISTER,
    engine::REGISTER,
    engine_status::REGISTER,
];

/// What this is.
pub mod identity {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "identity",
        offset: 0x000,
        reset: 0x53534401,
        constant: 0xffffffff,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Changes when software has to.
    pub const VERSION: Field = Field::new(0, 0, 8);
    /// `SSD` in ASCII.
    pub const MAGIC: Field = Field::new(0, 8, 24);
}

/// Sizes of this controller.
pub mod sizes {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "sizes",
        offset: 0x004,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Flash channels.
    pub const CHANNELS: Field = Field::new(0, 0, 5);
    /// Ways of a channel.
    pub const WAYS: Field = Field::new(0, 8, 5);
    /// Channels of the data buffer memory.
    pub const MEMORIES: Field = Field::new(0, 16, 4);
    /// Bytes of a beat of the data buffer memory.
    pub const BYTES: Field = Field::new(0, 24, 7);
}

/// Cycles since reset. A read keeps the high word of the same moment in TIME_HIGH.
pub mod time_low {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "time_low",
        offset: 0x008,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Bits 31:0.
    pub const LOW: Field = Field::new(0, 0, 32);
}

/// Of the last read of TIME_LOW.
pub mod time_high {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "time_high",
        offset: 0x00c,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Bits 63:32.
    pub const HIGH: Field = Field::new(0, 0, 32);
}

/// Which interrupt lines are up.
pub mod interrupt_lines {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "interrupt_lines",
        offset: 0x010,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// A bit a channel.
    pub const CHANNELS: Field = Field::new(0, 0, 16);
    /// The host interface.
    pub const HOST: Field = Field::new(0, 16, 1);
    /// An access of the data buffer memory failed (MEMORY_ERRORS).
    pub const MEMORY: Field = Field::new(0, 17, 1);
    /// The time has come (ALARM).
    pub const ALARM: Field = Field::new(0, 18, 1);
}

/// Which of these lines raise the processor's.
pub mod interrupt_enable {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "interrupt_enable",
        offset: 0x014,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x0007ffff,
        sticky: 0x00000000,
    };
    /// As there.
    pub const CHANNELS: Field = Field::new(0, 0, 16);
    /// As there.
    pub const HOST: Field = Field::new(0, 16, 1);
    /// As there.
    pub const MEMORY: Field = Field::new(0, 17, 1);
    /// As there.
    pub const ALARM: Field = Field::new(0, 18, 1);
}

/// When the alarm is due: as long as bits 31:0 of the time are at or after it, by less than 2^31 cycles.
pub mod alarm {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "alarm",
        offset: 0x018,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0xffffffff,
        sticky: 0x00000000,
    };
    /// Bits 31:0 of the time.
    pub const MOMENT: Field = Field::new(0, 0, 32);
}

/// Where the entries of the data buffer are. To be changed while no channel is occupied.
pub mod entries {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "entries",
        offset: 0x01c,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x000001ff,
        sticky: 0x00000000,
    };
    /// Bytes from one entry to the next, in units of 512.
    pub const STRIDE: Field = Field::new(0, 0, 9);
}

/// Where entry 0 begins in the data buffer memory.
pub mod entry_base {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "entry_base",
        offset: 0x020,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x7fffffff,
        sticky: 0x00000000,
    };
    /// Bits 39:9 of the address.
    pub const BASE: Field = Field::new(0, 0, 31);
}

/// Channels with accesses of the data buffer memory that failed; the response to a page says whether its own did. A written one clears a bit, unless it is set at the same time.
pub mod memory_errors {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "memory_errors",
        offset: 0x024,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0xffffffff,
    };
    /// A bit a channel: of a program's data.
    pub const FETCH: Field = Field::new(0, 0, 16);
    /// A bit a channel: of data that were read.
    pub const STORE: Field = Field::new(0, 16, 16);
}

/// What the memory engine copies or compares.
pub mod source {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "source",
        offset: 0x028,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x7fffffff,
        sticky: 0x00000000,
    };
    /// Bits 39:9 of the address.
    pub const ADDRESS: Field = Field::new(0, 0, 31);
}

/// Where it works.
pub mod target {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "target",
        offset: 0x02c,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x7fffffff,
        sticky: 0x00000000,
    };
    /// Bits 39:9 of the address.
    pub const ADDRESS: Field = Field::new(0, 0, 31);
}

/// Has the memory engine do something. Written while it is busy, it is dropped.
pub mod engine {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "engine",
        offset: 0x030,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Units of 512 bytes, at least one.
    pub const UNITS: Field = Field::new(0, 0, 16);
    /// What.
    pub const DEED: Field = Field::new(0, 16, 2);
}

/// How far the memory engine is.
pub mod engine_status {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "engine_status",
        offset: 0x034,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// It is at work.
    pub const BUSY: Field = Field::new(0, 0, 1);
    /// What it compared last differs.
    pub const DIFFERS: Field = Field::new(0, 1, 1);
    /// An access of what it did last failed.
    pub const FAILED: Field = Field::new(0, 2, 1);
}
