//! Registers of the NVMe host interface for the processor, 32 bits each, on AXI4-Lite.
//!
//! Made by rtl/tools/registers.py of rtl/host/nvme_host.rdl; `make registers` makes it anew.

use crate::{Field, Register};

/// What the host did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Event {
    /// CC.EN fell. Queues are gone, commands of before are stale.
    Disable = 0x00,
    /// CC.SHN asks for a shutdown.
    Shutdown = 0x01,
    /// CC.EN rose.
    Enable = 0x02,
    /// A doorbell was written wrongly. The tag is the event information: 0 register, 1 value.
    Doorbell = 0x03,
    /// A command was fetched.
    Command = 0x04,
}

impl Event {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Disable, Self::Shutdown, Self::Enable, Self::Doorbell, Self::Command];

    /// The value with this number; none if no value has it.
    pub const fn from_bits(bits: u32) -> Option<Self> {
        Some(match bits {
            0x00 => Self::Disable,
            0x01 => Self::Shutdown,
            0x02 => Self::Enable,
            0x03 => Self::Doorbell,
            0x04 => Self::Command,
            _ => return None,
        })
    }
}

/// What was wrong with a command's DMA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum DmaFault {
    /// All went well so far.
    None = 0x00,
    /// PRP offset invalid.
    Offset = 0x01,
    /// An access of host or memory was refused.
    Bus = 0x02,
    /// No answer.
    TimedOut = 0x03,
    /// A PRP list that loops or is too long.
    List = 0x04,
}

impl DmaFault {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::None, Self::Offset, Self::Bus, Self::TimedOut, Self::List];

    /// The value with this number; none if no value has it.
    pub const fn from_bits(bits: u32) -> Option<Self> {
        Some(match bits {
            0x00 => Self::None,
            0x01 => Self::Offset,
            0x02 => Self::Bus,
            0x03 => Self::TimedOut,
            0x04 => Self::List,
            _ => return None,
        })
    }
}

/// All registers but those of the windows.
pub const REGISTERS: [Register; 36] = [
    identity::REGISTER,
    sizes::REGISTER,
    queues::REGISTER,
    status::REGISTER,
    host_event::REGISTER,
    completion_result::REGISTER,
    completion::REGISTER,
    dma_host_offset::REGISTER,
    dma_length::REGISTER,
    dma_command_length::REGISTER,
    dma_memory_low::REGISTER,
    dma_memory_high::REGISTER,
    dma::REGISTER,
    dma_progress::REGISTER,
    interrupt_status::REGISTER,
    interrupt_enable::REGISTER,
    queue_base_low::REGISTER,
    queue_base_high::REGISTER,
    queue_shape::REGISTER,
    submission_queue::REGISTER,
    completion_queue::REGISTER,
    ready::REGISTER,
    controller::REGISTER,
    weights::REGISTER,
    coalescing::REGISTER,
    vector_coalescing::REGISTER,
    counted_queue::REGISTER,
    queue_commands::REGISTER,
    automation::REGISTER,
    transfer_blocks::REGISTER,
    blocks_low::REGISTER,
    blocks_high::REGISTER,
    memory_base_low::REGISTER,
    memory_base_high::REGISTER,
    monitor::REGISTER,
    completion_result_high::REGISTER,
];

/// What this is.
pub mod identity {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "identity",
        offset: 0x000,
        reset: 0x4e564801,
        constant: 0xffffffff,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Changes when software has to.
    pub const VERSION: Field = Field::new(0, 0, 8);
    /// `NVH` in ASCII.
    pub const MAGIC: Field = Field::new(0, 8, 24);
}

/// Sizes of this interface.
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
    /// Commands that may be fetched and not complete.
    pub const TAGS: Field = Field::new(0, 0, 9);
    /// It can run commands by itself.
    pub const AUTOMATED: Field = Field::new(0, 12, 1);
    /// It counts what it does; otherwise all monitors are 0.
    pub const MONITORED: Field = Field::new(0, 13, 1);
    /// Its commands may name lists of logical blocks, and completions have a dword 1.
    pub const PLACED: Field = Field::new(0, 14, 1);
    /// Memory channels.
    pub const MEMORIES: Field = Field::new(0, 16, 4);
    /// Bytes of a beat of host memory.
    pub const BYTES: Field = Field::new(0, 24, 7);
}

/// Sizes of its queues.
pub mod queues {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "queues",
        offset: 0x008,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Queue pairs, with the admin queues.
    pub const PAIRS: Field = Field::new(0, 0, 16);
    /// Entries of the largest queue, less one.
    pub const LARGEST_SIZE: Field = Field::new(0, 16, 16);
}

/// What one look at the interface has to tell.
pub mod status {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "status",
        offset: 0x00c,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// An event waits in HOST_EVENT.
    pub const EVENT_WAITS: Field = Field::new(0, 0, 1);
    /// A queue is being created or deleted.
    pub const QUEUE_BUSY: Field = Field::new(0, 1, 1);
    /// Completions that can be posted now.
    pub const COMPLETION_ROOM: Field = Field::new(0, 8, 8);
    /// DMA requests that can be issued now.
    pub const DMA_ROOM: Field = Field::new(0, 16, 8);
}

/// The oldest event. A read takes it.
pub mod host_event {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "host_event",
        offset: 0x010,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Queue of the command.
    pub const ID: Field = Field::new(0, 0, 16);
    /// Tag of the command; event information of a doorbell.
    pub const TAG: Field = Field::new(0, 16, 8);
    /// What happened.
    pub const KIND: Field = Field::new(0, 28, 3);
    /// There is one. Otherwise all other bits mean nothing.
    pub const VALID: Field = Field::new(0, 31, 1);
}

/// Dword 0 of completions that are posted from now on.
pub mod completion_result {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "completion_result",
        offset: 0x014,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Command specific. Dword 1 has a register of its own.
    pub const RESULT: Field = Field::new(0, 0, 32);
}

/// A write posts a completion, which frees the tag. Without room it is dropped and told as an interrupt.
pub mod completion {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "completion",
        offset: 0x018,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Command.
    pub const TAG: Field = Field::new(0, 0, 8);
    /// Status without the phase, bits 14:0 of NVMe 1.4 figure 124.
    pub const STATUS: Field = Field::new(0, 16, 15);
}

/// Of DMA requests that are issued from now on, as are the four registers behind it.
pub mod dma_host_offset {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "dma_host_offset",
        offset: 0x01c,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Byte from the start of the command's data.
    pub const BYTES: Field = Field::new(0, 0, 24);
}

/// Bytes to move.
pub mod dma_length {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "dma_length",
        offset: 0x020,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// A multiple of 4.
    pub const BYTES: Field = Field::new(0, 0, 24);
}

/// Bytes of the command's whole data.
pub mod dma_command_length {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "dma_command_length",
        offset: 0x024,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// They decide whether PRP2 is a page or a list.
    pub const BYTES: Field = Field::new(0, 0, 24);
}

/// Where in the drive's memory.
pub mod dma_memory_low {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "dma_memory_low",
        offset: 0x028,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Low half of the byte address, a multiple of 4.
    pub const ADDRESS: Field = Field::new(0, 0, 32);
}

/// The other half.
pub mod dma_memory_high {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "dma_memory_high",
        offset: 0x02c,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Bits 39:32 of the byte address.
    pub const ADDRESS: Field = Field::new(0, 0, 8);
}

/// A write issues a DMA request. Without room it is dropped and told as an interrupt.
pub mod dma {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "dma",
        offset: 0x030,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// The command that names the host's end.
    pub const TAG: Field = Field::new(0, 0, 8);
    /// Zero is from the host, one is to the host.
    pub const TO_HOST: Field = Field::new(0, 8, 1);
    /// What of the command names it: 0 its PRPs, 1 dwords 10 and 11, 2 dwords 14 and 15. Other than 0 only where SIZES.`placed` is set; then at most 4,096 bytes, which follow one another in host memory.
    pub const POINTER: Field = Field::new(0, 9, 2);
}

/// What became of DMA requests. Those of a direction end in their order.
pub mod dma_progress {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "dma_progress",
        offset: 0x034,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Ended requests from the host, modulo 2^15.
    pub const FROM_HOST: Field = Field::new(0, 0, 15);
    /// Ended requests to the host, modulo 2^15.
    pub const TO_HOST: Field = Field::new(0, 16, 15);
    /// Some tag has a fault in the window of faults.
    pub const FAULT: Field = Field::new(0, 31, 1);
}

/// Why the interrupt line is up. A written one clears a bit, unless it is set at the same time.
pub mod interrupt_status {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "interrupt_status",
        offset: 0x038,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x0000001e,
    };
    /// An event waits. It goes when the event is read.
    pub const EVENT_WAITS: Field = Field::new(0, 0, 1);
    /// A DMA request has ended.
    pub const DMA_ENDED: Field = Field::new(0, 1, 1);
    /// A completion was posted without room, and dropped.
    pub const COMPLETION_DROPPED: Field = Field::new(0, 2, 1);
    /// A DMA request was issued without room, and dropped.
    pub const DMA_DROPPED: Field = Field::new(0, 3, 1);
    /// A queue was to be created or deleted while one was, and dropped.
    pub const QUEUE_DROPPED: Field = Field::new(0, 4, 1);
}

/// Which bits of INTERRUPT_STATUS raise the line.
pub mod interrupt_enable {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "interrupt_enable",
        offset: 0x03c,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x0000001f,
        sticky: 0x00000000,
    };
    /// As there.
    pub const EVENT_WAITS: Field = Field::new(0, 0, 1);
    /// As there.
    pub const DMA_ENDED: Field = Field::new(0, 1, 1);
    /// As there.
    pub const COMPLETION_DROPPED: Field = Field::new(0, 2, 1);
    /// As there.
    pub const DMA_DROPPED: Field = Field::new(0, 3, 1);
    /// As there.
    pub const QUEUE_DROPPED: Field = Field::new(0, 4, 1);
}

/// Of queues that are created from now on, as are the two registers behind it.
pub mod queue_base_low {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "queue_base_low",
        offset: 0x040,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Bits 31:12 of the host address.
    pub const PAGE: Field = Field::new(0, 12, 20);
}

/// The other half.
pub mod queue_base_high {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "queue_base_high",
        offset: 0x044,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Bits 63:32 of the host address.
    pub const PAGE: Field = Field::new(0, 0, 32);
}

/// Size of a queue, and what belongs to it.
pub mod queue_shape {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "queue_shape",
        offset: 0x048,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Entries less one.
    pub const SIZE: Field = Field::new(0, 0, 16);
    /// Of a submission queue its completion queue, of a completion queue its vector.
    pub const PARTNER: Field = Field::new(0, 16, 16);
}

/// A write creates or deletes a submission queue. While a queue is busy it is dropped and told as an interrupt.
pub mod submission_queue {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "submission_queue",
        offset: 0x04c,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Queue.
    pub const ID: Field = Field::new(0, 0, 16);
    /// QPRIO: 0 urgent, 1 high, 2 medium, 3 low.
    pub const PRIORITY_CLASS: Field = Field::new(0, 16, 2);
    /// Zero deletes it.
    pub const CREATE: Field = Field::new(0, 31, 1);
}

/// The same for completion queues.
pub mod completion_queue {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "completion_queue",
        offset: 0x050,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Queue.
    pub const ID: Field = Field::new(0, 0, 16);
    /// It has interrupts.
    pub const INTERRUPTS: Field = Field::new(0, 16, 1);
    /// Zero deletes it.
    pub const CREATE: Field = Field::new(0, 31, 1);
}

/// A write sets or clears CSTS.RDY.
pub mod ready {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "ready",
        offset: 0x054,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Its value. It falls when nothing is under way to host memory.
    pub const READY: Field = Field::new(0, 0, 1);
}

/// Other ends of the processor's work.
pub mod controller {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "controller",
        offset: 0x058,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// A written one ends a shutdown in CSTS.SHST.
    pub const SHUTDOWN_DONE: Field = Field::new(0, 0, 1);
    /// A written one sets CSTS.CFS.
    pub const FATAL: Field = Field::new(0, 1, 1);
}

/// A write sets arbitration, feature 01h. Weights are commands less one. A disable undoes it.
pub mod weights {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "weights",
        offset: 0x05c,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Commands a turn, as a power of two; 7 is no limit.
    pub const BURST: Field = Field::new(0, 0, 3);
    /// Of low priority.
    pub const LOW_WEIGHT: Field = Field::new(0, 8, 8);
    /// Of medium priority.
    pub const MEDIUM_WEIGHT: Field = Field::new(0, 16, 8);
    /// Of high priority.
    pub const HIGH_WEIGHT: Field = Field::new(0, 24, 8);
}

/// A write sets interrupt coalescing, feature 08h. A disable undoes it.
pub mod coalescing {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "coalescing",
        offset: 0x060,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Completions to gather, less one.
    pub const THRESHOLD: Field = Field::new(0, 0, 8);
    /// Longest wait, in 100 us; 0 turns coalescing off.
    pub const TIME_100US: Field = Field::new(0, 8, 8);
}

/// A write allows or forbids coalescing on a vector, feature 09h. A disable undoes it.
pub mod vector_coalescing {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "vector_coalescing",
        offset: 0x064,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Vector.
    pub const VECTOR: Field = Field::new(0, 0, 11);
    /// Forbidden.
    pub const FORBID: Field = Field::new(0, 31, 1);
}

/// Which queue QUEUE_COMMANDS is about.
pub mod counted_queue {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "counted_queue",
        offset: 0x068,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Submission queue.
    pub const ID: Field = Field::new(0, 0, 16);
}

/// Commands of a submission queue that were fetched and are under way.
pub mod queue_commands {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "queue_commands",
        offset: 0x06c,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Those that HOST_EVENT has yet to give.
    pub const UNREAD: Field = Field::new(0, 0, 9);
    /// Those that the hardware runs by itself.
    pub const RUNNING: Field = Field::new(0, 16, 9);
}

/// Commands that the hardware runs by itself. The registers behind it are to be changed while it is off.
pub mod automation {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "automation",
        offset: 0x070,
        reset: 0x000000c0,
        constant: 0x00000000,
        storage: 0x000000f1,
        sticky: 0x00000000,
    };
    /// Reads, writes, flushes and write zeroes that break no rule run by themselves.
    pub const ENABLE: Field = Field::new(0, 0, 1);
    /// Bytes of a logical block, as a power of two.
    pub const BLOCK_SHIFT: Field = Field::new(0, 4, 4);
}

/// Longest data of such a command.
pub mod transfer_blocks {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "transfer_blocks",
        offset: 0x074,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Logical blocks.
    pub const BLOCKS: Field = Field::new(0, 0, 17);
}

/// Size of the namespace.
pub mod blocks_low {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "blocks_low",
        offset: 0x078,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Low half of its logical blocks.
    pub const BLOCKS: Field = Field::new(0, 0, 32);
}

/// The other half.
pub mod blocks_high {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "blocks_high",
        offset: 0x07c,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Bits 63:32 of its logical blocks.
    pub const BLOCKS: Field = Field::new(0, 0, 32);
}

/// Where logical block 0 is in the drive's memory.
pub mod memory_base_low {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "memory_base_low",
        offset: 0x080,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Low half of the byte address.
    pub const ADDRESS: Field = Field::new(0, 0, 32);
}

/// The other half.
pub mod memory_base_high {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "memory_base_high",
        offset: 0x084,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Bits 39:32 of the byte address.
    pub const ADDRESS: Field = Field::new(0, 0, 8);
}

/// Copies the monitors.
pub mod monitor {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "monitor",
        offset: 0x088,
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

/// Dword 1 of completions that are posted from now on.
pub mod completion_result_high {
    use super::{Field, Register};

    /// Where it is, and what can be done to it.
    pub const REGISTER: Register = Register {
        name: "completion_result_high",
        offset: 0x08c,
        reset: 0x00000000,
        constant: 0x00000000,
        storage: 0x00000000,
        sticky: 0x00000000,
    };
    /// Command specific. It stays 0 where SIZES.`placed` is not set.
    pub const RESULT: Field = Field::new(0, 0, 32);
}

/// Counters since reset, of 48 bits, as they were copied last; the low word first.
pub mod monitors {
    /// Byte offset.
    pub const OFFSET: u32 = 0x100;
    /// Bytes.
    pub const SIZE: u32 = 0x100;
    /// Cycles.
    pub const CYCLES: u32 = 0x100;
    /// Commands that a tag was taken for.
    pub const FETCHED: u32 = 0x108;
    /// Commands whose tag was given back: completed, or dropped after a disable.
    pub const COMPLETED: u32 = 0x110;
    /// Reads that the hardware ran by itself.
    pub const AUTOMATED_READS: u32 = 0x118;
    /// Bytes that came from host memory, in whole beats: data, entries and lists.
    pub const BYTES_FROM_HOST: u32 = 0x120;
    /// Bytes that went to host memory: data, completions and messages.
    pub const BYTES_TO_HOST: u32 = 0x128;
    /// DMA requests and tasks that ended.
    pub const DMA_ENDED: u32 = 0x130;
    /// Those of them with a fault.
    pub const DMA_FAULTS: u32 = 0x138;
    /// Interrupt messages.
    pub const MESSAGES: u32 = 0x140;
    /// Wrong doorbells.
    pub const WRONG_DOORBELLS: u32 = 0x148;
    /// Tags that were taken when the counters were copied.
    pub const OUTSTANDING: u32 = 0x150;
    /// The most of them ever.
    pub const MOST_OUTSTANDING: u32 = 0x158;
    /// Writes that the hardware ran by itself.
    pub const AUTOMATED_WRITES: u32 = 0x160;
    /// Sectors of 512 bytes of these reads.
    pub const SECTORS_READ: u32 = 0x168;
    /// Sectors of these writes.
    pub const SECTORS_WRITTEN: u32 = 0x170;
    /// Cycles with any command under way that the hardware runs by itself.
    pub const AUTOMATED_BUSY: u32 = 0x178;
    /// Commands by the cycles for which their tags were taken: entry n those below 2^(n+7) and not in the one before, the last one all others.
    pub const LATENCY: [u32; 16] = [
        0x180, 0x188, 0x190, 0x198, 0x1a0, 0x1a8, 0x1b0, 0x1b8, 0x1c0, 0x1c8, 0x1d0, 0x1d8, 0x1e0,
        0x1e8, 0x1f0, 0x1f8,
    ];
}

/// What was wrong with the DMA of a command since it was fetched, by tag.
pub mod faults {
    use super::Field;

    /// Byte offset.
    pub const OFFSET: u32 = 0x400;
    /// Bytes.
    pub const SIZE: u32 = 0x400;
    /// Bytes of an entry.
    pub const ENTRY: u32 = 4;
    /// The first fault.
    pub const FAULT: Field = Field::new(0, 0, 3);
}

/// Entries of fetched commands, by tag. One that is not under way reads as anything.
pub mod commands {
    /// Byte offset.
    pub const OFFSET: u32 = 0x4000;
    /// Bytes.
    pub const SIZE: u32 = 0x4000;
    /// Bytes of an entry.
    pub const ENTRY: u32 = 64;
}
