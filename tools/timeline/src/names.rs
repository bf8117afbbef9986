//! Names that stand in traces and pictures.

use contract::{Cause, DmaDirection, FlashOperation};
use nvme::admin::opcode as admin;
use nvme::io::opcode as io;
use nvme::open_channel::opcode as vector;

/// Name of the processes whose tracks are buses and ways, without the channel's number.
pub(crate) const CHANNEL: &str = "channel";
/// Name of the process whose tracks are the directions of host DMA.
pub(crate) const HOST_DMA: &str = "host DMA";

/// Name of the process whose tracks are programs of the host, with their system calls.
pub(crate) const PROGRAMS: &str = "programs";
/// Name of the arrows from system calls to the commands that they waited for.
pub(crate) const CALL: &str = "system call";

/// Name of the process whose track is the critical path of a request, and of the arrows along it.
pub(crate) const CRITICAL_PATH: &str = "critical path";
/// The request is on its way from the host, or its completion to it.
pub(crate) const AT_HOST: &str = "host";
/// The firmware is at work.
pub(crate) const AT_FIRMWARE: &str = "firmware";
/// The request waits, and no track tells for what.
pub(crate) const WAITING: &str = "waiting";
/// The same where others had its buffer entry.
pub(crate) const FOR_ENTRY: &str = Cause::Entry.name();
/// What stands before the name of what a request waits for.
pub(crate) const BEHIND: &str = "behind ";

pub(crate) const READ_TRIGGER: &str = "read trigger";
pub(crate) const READ_TRANSFER: &str = "read transfer";
pub(crate) const PROGRAM_TRANSFER: &str = "program transfer";
pub(crate) const ERASE_TRIGGER: &str = "erase trigger";
pub(crate) const RESET_TRIGGER: &str = "reset trigger";
pub(crate) const SET_LEVEL: &str = "set read level";
pub(crate) const STATUS_CHECK: &str = "status check";
pub(crate) const SUSPEND: &str = "suspend";
pub(crate) const RESUME: &str = "resume";
pub(crate) const ARRAY_READ: &str = "tR";
/// A page that is ready, until the bus takes it.
pub(crate) const READY: &str = Cause::Bus.name();
pub(crate) const ARRAY_PROGRAM: &str = "tPROG";
pub(crate) const ARRAY_ERASE: &str = "tBERS";
pub(crate) const CHIP_FEATURE: &str = "tFEAT";
pub(crate) const CHIP_RESET: &str = "tRST";
/// A program or an erase stops, and the rest of it.
pub(crate) const CHIP_SUSPENDS: &str = "suspends";
pub(crate) const CHIP_RESUMED: &str = "goes on";
pub(crate) const FROM_HOST: &str = "DMA from host";
pub(crate) const TO_HOST: &str = "DMA to host";

/// What a request does on the bus.
pub(crate) fn on_bus(operation: FlashOperation) -> &'static str {
    match operation {
        FlashOperation::ReadTrigger => READ_TRIGGER,
        FlashOperation::ReadTransfer => READ_TRANSFER,
        FlashOperation::Program => PROGRAM_TRANSFER,
        FlashOperation::Erase => ERASE_TRIGGER,
        FlashOperation::SetLevel => SET_LEVEL,
        FlashOperation::StatusCheck => STATUS_CHECK,
        FlashOperation::Reset => RESET_TRIGGER,
        FlashOperation::Suspend => SUSPEND,
        FlashOperation::Resume => RESUME,
    }
}

/// What a request makes a chip do by itself; nothing for those that only use the bus.
pub(crate) fn in_chip(operation: FlashOperation) -> Option<&'static str> {
    match operation {
        FlashOperation::ReadTrigger => Some(ARRAY_READ),
        FlashOperation::Program => Some(ARRAY_PROGRAM),
        FlashOperation::Erase => Some(ARRAY_ERASE),
        FlashOperation::SetLevel => Some(CHIP_FEATURE),
        FlashOperation::Reset => Some(CHIP_RESET),
        FlashOperation::Suspend => Some(CHIP_SUSPENDS),
        FlashOperation::Resume => Some(CHIP_RESUMED),
        FlashOperation::ReadTransfer | FlashOperation::StatusCheck => None,
    }
}

/// A direction of host DMA.
pub(crate) fn of_dma(direction: DmaDirection) -> &'static str {
    match direction {
        DmaDirection::FromHost => FROM_HOST,
        DmaDirection::ToHost => TO_HOST,
    }
}

/// An opcode of a queue; 0 is the admin queue.
pub(crate) fn of_command(queue: u16, opcode: u8) -> &'static str {
    if queue == 0 {
        return match opcode {
            admin::GET_LOG_PAGE => "get log page",
            admin::IDENTIFY => "identify",
            admin::ABORT => "abort",
            admin::SET_FEATURES => "set features",
            admin::GET_FEATURES => "get features",
            admin::ASYNC_EVENT_REQUEST => "asynchronous event request",
            admin::FORMAT_NVM => "format NVM",
            admin::CREATE_SUBMISSION_QUEUE => "create submission queue",
            admin::CREATE_COMPLETION_QUEUE => "create completion queue",
            admin::DELETE_SUBMISSION_QUEUE => "delete submission queue",
            admin::DELETE_COMPLETION_QUEUE => "delete completion queue",
            vector::GEOMETRY => "geometry",
            _ => "admin command",
        };
    }
    match opcode {
        io::FLUSH => "flush",
        io::WRITE => "write",
        io::READ => "read",
        io::COMPARE => "compare",
        io::WRITE_ZEROES => "write zeroes",
        io::DATASET_MANAGEMENT => "dataset management",
        vector::RESET => "vector chunk reset",
        vector::WRITE => "vector chunk write",
        vector::READ => "vector chunk read",
        vector::COPY => "vector chunk copy",
        _ => "I/O command",
    }
}

/// Whether commands of a queue with an opcode name a range of logical blocks.
pub(crate) fn has_range(queue: u16, opcode: u8) -> bool {
    queue != 0 && matches!(opcode, io::WRITE | io::READ | io::COMPARE | io::WRITE_ZEROES)
}
