//! Registers of a flash channel, 32 bits each, on AXI4-Lite.
//!
//! Made by rtl/tools/registers.py of rtl/flash/flash_channel.rdl; `make registers` makes it anew.

use crate::{Field, Register};

/// All registers but those of the windows.
pub const REGISTERS: [Register; 20] = [
    identity::REGISTER,
    sizes::REGISTER,
    status::REGISTER,
    room::REGISTER,
    ways::REGISTER,
    interrupt_status::REGISTER,
    interrupt_enable::REGISTER,
    scheduler::REGISTER,
    timeouts::REGISTER,
    bus::REGISTER,
    command_waits::REGISTER,
    phase_waits::REGISTER,
    chip_waits::REGISTER,
    data_waits::REGISTER,
    monitor::REGISTER,
    halts::REGISTER,
    halt::REGISTER,
    resume::REGISTER,
    give_back::REGISTER,
    abort_ways::REGISTER,
];

/// What this is.
pub mod identity {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "identity",
        offset: 0x000,
        reset: 0x464c4301,
        constant: 0xffffffff,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Changes when software has to.
    pub const VERSION: Field = Field::new(0, 0, 8);
    /// `FLC` in ASCII.
    pub const MAGIC: Field = Field::new(0, 8, 24);
}

/// Sizes of this channel.
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
    /// Ways.
    pub const WAYS: Field = Field::new(0, 0, 5);
    /// Streams.
    pub const STREAMS: Field = Field::new(0, 8, 4);
    /// Requests that a stream may have under way.
    pub const DEPTH: Field = Field::new(0, 16, 6);
    /// Bytes of metadata of a page.
    pub const METADATA: Field = Field::new(0, 24, 8);
}

/// What one look at the channel has to tell.
pub mod status {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "status",
        offset: 0x008,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// A bit a way: the channel holds nothing for it, and its chip is ready.
    pub const IDLE: Field = Field::new(0, 0, 16);
    /// A response waits in the window.
    pub const RESPONSE: Field = Field::new(0, 16, 1);
    /// The request window takes a request.
    pub const FREE: Field = Field::new(0, 17, 1);
}

/// Queues with room.
pub mod room {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "room",
        offset: 0x00c,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Two bits a way: its queue of low, then of high priority takes a request.
    pub const QUEUES: Field = Field::new(0, 0, 32);
}

/// Chips and queues, apart.
pub mod ways {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "ways",
        offset: 0x010,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// A bit a way: R/B# is high.
    pub const READY: Field = Field::new(0, 0, 16);
    /// A bit a way: the channel holds an operation for it.
    pub const OCCUPIED: Field = Field::new(0, 16, 16);
}

/// Why the interrupt line is up. A written one clears a bit, unless it is set at the same time.
pub mod interrupt_status {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "interrupt_status",
        offset: 0x014,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000003,
    };
    /// The interrupt of a response is due: it and all before it in its stream are complete.
    pub const RESPONSE: Field = Field::new(0, 0, 1);
    /// A request was written into a window that was not free, and dropped.
    pub const DROPPED: Field = Field::new(0, 1, 1);
}

/// Which bits of INTERRUPT_STATUS raise the line.
pub mod interrupt_enable {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "interrupt_enable",
        offset: 0x018,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000003,
        sticky: 0x00000000,
    };
    /// As there.
    pub const RESPONSE: Field = Field::new(0, 0, 1);
    /// As there.
    pub const DROPPED: Field = Field::new(0, 1, 1);
}

/// Policies of the scheduler. To be changed while no way is occupied.
pub mod scheduler {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "scheduler",
        offset: 0x050,
        reset: 0x101f2000,
        constant: 0x00000000,
        storage: 0xff1f7fff,
        sticky: 0x00000000,
    };
    /// Execution model.
    pub const MODEL: Field = Field::new(0, 0, 2);
    /// Whole operations on other planes go together.
    pub const MERGE_PLANES: Field = Field::new(0, 2, 1);
    /// Reads that follow each other use cache mode.
    pub const MERGE_CACHE_READ: Field = Field::new(0, 3, 1);
    /// Programs likewise.
    pub const MERGE_CACHE_PROGRAM: Field = Field::new(0, 4, 1);
    /// JEDEC instead of ONFI multi-plane commands.
    pub const JEDEC: Field = Field::new(0, 5, 1);
    /// Planes of a LUN, as a power of two: 0 to 2.
    pub const PLANE_BITS: Field = Field::new(0, 6, 2);
    /// Lowest bit of the plane in a row, or of the block if there is one plane.
    pub const PLANE_SHIFT: Field = Field::new(0, 8, 5);
    /// A request whose queue is full is given back, and holds nobody up; otherwise it waits, and all behind it.
    pub const FULL_GIVES_BACK: Field = Field::new(0, 13, 1);
    /// A way halts when a program or erase of it has failed, or something of it has timed out.
    pub const HALT_ON_FAILURE: Field = Field::new(0, 14, 1);
    /// Lowest bit of the LUN in a row.
    pub const LUN_SHIFT: Field = Field::new(0, 16, 5);
    /// F-RSVP(l): ways that requests of low priority may occupy.
    pub const LOW_WAYS: Field = Field::new(0, 24, 5);
    /// How often somebody is passed over by those who go first, before it is his turn; at least three. Zero is for ever.
    pub const AGE: Field = Field::new(0, 29, 3);
}

/// Longest waits. Zero is for ever.
pub mod timeouts {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "timeouts",
        offset: 0x054,
        reset: 0xffffffff,
        constant: 0x00000000,
        storage: 0xffffffff,
        sticky: 0x00000000,
    };
    /// Longest busy time of a way, in units of 256 cycles.
    pub const BUSY_TIMEOUT: Field = Field::new(0, 0, 16);
    /// Longest pause of a data stream, in units of 16 cycles.
    pub const DATA_TIMEOUT: Field = Field::new(0, 16, 16);
}

/// The bus. It and the waits are to be changed while no way is occupied.
pub mod bus {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "bus",
        offset: 0x058,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x0000ff03,
        sticky: 0x00000000,
    };
    /// NV-DDR2 or toggle; otherwise asynchronous SDR.
    pub const DDR: Field = Field::new(0, 0, 1);
    /// Rows of four bytes instead of three.
    pub const LONG_ROW: Field = Field::new(0, 1, 1);
    /// SDR: from the end of RE# low to the sample of DQ, in cycles.
    pub const SAMPLE_DELAY: Field = Field::new(0, 8, 8);
}

/// Waits around commands, in cycles beyond what the state machines need anyway, as in all waits.
pub mod command_waits {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "command_waits",
        offset: 0x05c,
        reset: 0x0f0f0f0f,
        constant: 0x00000000,
        storage: 0xffffffff,
        sticky: 0x00000000,
    };
    /// CE# low to the first pulse.
    pub const CE_SETUP: Field = Field::new(0, 0, 8);
    /// Last pulse to CE# high.
    pub const CE_HOLD: Field = Field::new(0, 8, 8);
    /// WE# low; also of data in SDR.
    pub const WE_LOW: Field = Field::new(0, 16, 8);
    /// WE# high.
    pub const WE_HIGH: Field = Field::new(0, 24, 8);
}

/// Waits between phases.
pub mod phase_waits {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "phase_waits",
        offset: 0x060,
        reset: 0x3f1f7f3f,
        constant: 0x00000000,
        storage: 0xffffffff,
        sticky: 0x00000000,
    };
    /// tADL.
    pub const ADL: Field = Field::new(0, 0, 8);
    /// tCCS.
    pub const CCS: Field = Field::new(0, 8, 8);
    /// tWHR.
    pub const WHR: Field = Field::new(0, 16, 8);
    /// tRHW.
    pub const RHW: Field = Field::new(0, 24, 8);
}

/// Waits for the chip, and the pulses of reads in SDR.
pub mod chip_waits {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "chip_waits",
        offset: 0x064,
        reset: 0x0f0f0f3f,
        constant: 0x00000000,
        storage: 0xffffffff,
        sticky: 0x00000000,
    };
    /// tWB.
    pub const WB: Field = Field::new(0, 0, 8);
    /// tRR.
    pub const RR: Field = Field::new(0, 8, 8);
    /// RE# low in SDR.
    pub const RE_LOW: Field = Field::new(0, 16, 8);
    /// RE# high in SDR.
    pub const RE_HIGH: Field = Field::new(0, 24, 8);
}

/// Ends of data transfers in DDR.
pub mod data_waits {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "data_waits",
        offset: 0x068,
        reset: 0x0f0f0f0f,
        constant: 0x00000000,
        storage: 0xffffffff,
        sticky: 0x00000000,
    };
    /// RE# low before the first edge.
    pub const READ_PREAMBLE: Field = Field::new(0, 0, 8);
    /// After the last edge.
    pub const READ_POSTAMBLE: Field = Field::new(0, 8, 8);
    /// DQS low before the first edge.
    pub const WRITE_PREAMBLE: Field = Field::new(0, 16, 8);
    /// DQS low after the last edge.
    pub const WRITE_POSTAMBLE: Field = Field::new(0, 24, 8);
}

/// Copies the monitors.
pub mod monitor {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "monitor",
        offset: 0x06c,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// A written one copies all counters.
    pub const CAPTURE: Field = Field::new(0, 0, 1);
    /// They are not copied yet.
    pub const BUSY: Field = Field::new(0, 1, 1);
}

/// Ways that begin no operation.
pub mod halts {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "halts",
        offset: 0x070,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// A bit a way: it halts.
    pub const HALTED: Field = Field::new(0, 0, 16);
    /// A bit a way: what has not begun comes back.
    pub const GIVING_BACK: Field = Field::new(0, 16, 16);
}

/// Has ways halt: they begin no operation.
pub mod halt {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "halt",
        offset: 0x074,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// A bit a way. What is under way goes on.
    pub const WAYS: Field = Field::new(0, 0, 16);
}

/// Lets ways that halt go on.
pub mod resume {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "resume",
        offset: 0x078,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// A bit a way.
    pub const WAYS: Field = Field::new(0, 0, 16);
}

/// Has ways that halt give back what has not begun, and what comes for them, until they resume.
pub mod give_back {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "give_back",
        offset: 0x07c,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// A bit a way.
    pub const WAYS: Field = Field::new(0, 0, 16);
}

/// Has ways halt, and gives the operation up that is under way: its requests time out.
pub mod abort_ways {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "abort_ways",
        offset: 0x080,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// A bit a way.
    pub const WAYS: Field = Field::new(0, 0, 16);
}

/// A request, word by word. The write of the last word sends it.
pub mod request {
    /// Byte offset.
    pub const OFFSET: u32 = 0x020;
    /// Bytes.
    pub const SIZE: u32 = 0x10;
    /// Word of a request.
    pub const WORD: [u32; 4] = [0x020, 0x024, 0x028, 0x02c];
}

/// The oldest response, word by word. The read of the last word takes it.
pub mod response {
    /// Byte offset.
    pub const OFFSET: u32 = 0x040;
    /// Bytes.
    pub const SIZE: u32 = 0xc;
    /// Word of a response.
    pub const WORD: [u32; 3] = [0x040, 0x044, 0x048];
}

/// Counters since reset, of 48 bits, as they were copied last; the low word first.
pub mod monitors {
    /// Byte offset.
    pub const OFFSET: u32 = 0x100;
    /// Bytes.
    pub const SIZE: u32 = 0x100;
    /// Cycles.
    pub const CYCLES: u32 = 0x100;
    /// Cycles in which the bus was busy.
    pub const BUS_BUSY: u32 = 0x108;
    /// Bytes of data that went to chips.
    pub const BYTES_OUT: u32 = 0x110;
    /// Bytes of data that came from chips.
    pub const BYTES_IN: u32 = 0x118;
    /// Steps of each command group: status, other, read, program.
    pub const STEPS: [u32; 4] = [0x120, 0x128, 0x130, 0x138];
    /// Corrected bits.
    pub const CORRECTED: u32 = 0x140;
    /// Chunks beyond correction.
    pub const LOST: u32 = 0x148;
    /// Refused requests.
    pub const REFUSED: u32 = 0x150;
    /// Requests that timed out.
    pub const TIMED_OUT: u32 = 0x158;
    /// Steps whose data did not come or go in time, or came with an error; those of silent requests too.
    pub const GIVEN_UP: u32 = 0x160;
    /// Cycles in which a way held an operation or its chip was busy.
    pub const WAY_BUSY: [u32; 16] = [
        0x180, 0x188, 0x190, 0x198, 0x1a0, 0x1a8, 0x1b0, 0x1b8, 0x1c0, 0x1c8, 0x1d0, 0x1d8, 0x1e0,
        0x1e8, 0x1f0, 0x1f8,
    ];
}
