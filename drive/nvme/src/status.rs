//! Status of a completed command (NVMe 1.4 section 4.6.1).

use core::fmt;

/// Status code type (NVMe 1.4 section 4.6.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum StatusType {
    /// Applies across commands.
    Generic = 0,
    /// Meaning depends on the opcode.
    CommandSpecific = 1,
    /// The media or the data on it.
    MediaAndDataIntegrity = 2,
    /// Asymmetric namespace access and other path matters.
    PathRelated = 3,
    /// Left to the vendor, and the reserved types 4 to 6.
    Other = 7,
}

/// The status field without the phase tag: code in bits 7:0, type in 10:8, command retry delay in
/// 12:11, More in 13, Do Not Retry in 14.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Status(u16);

const MORE: u16 = 1 << 13;
const DO_NOT_RETRY: u16 = 1 << 14;

impl Status {
    /// A status of `kind` with `code`, retry allowed, no more information.
    pub const fn new(kind: StatusType, code: u8) -> Self {
        Status((kind as u16) << 8 | code as u16)
    }

    /// From the 15 bits of the field; bit 15 is dropped.
    pub const fn from_bits(bits: u16) -> Self {
        Status(bits & 0x7fff)
    }

    /// The 15 bits of the field.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Status code type.
    pub const fn kind(self) -> StatusType {
        match self.0 >> 8 & 7 {
            0 => StatusType::Generic,
            1 => StatusType::CommandSpecific,
            2 => StatusType::MediaAndDataIntegrity,
            3 => StatusType::PathRelated,
            _ => StatusType::Other,
        }
    }

    /// Status code.
    pub const fn code(self) -> u8 {
        self.0 as u8
    }

    /// Same type and code, whatever the other bits.
    pub const fn is(self, other: Status) -> bool {
        self.0 & 0x7ff == other.0 & 0x7ff
    }

    /// The command succeeded.
    pub const fn is_success(self) -> bool {
        self.is(Self::SUCCESS)
    }

    /// With DNR set: the same command would fail again.
    pub const fn do_not_retry(self) -> Self {
        Status(self.0 | DO_NOT_RETRY)
    }

    /// With M set: the error information log tells more.
    pub const fn more(self) -> Self {
        Status(self.0 | MORE)
    }

    /// Whether DNR is set.
    pub const fn forbids_retry(self) -> bool {
        self.0 & DO_NOT_RETRY != 0
    }

    /// Whether M is set.
    pub const fn has_more(self) -> bool {
        self.0 & MORE != 0
    }
}

macro_rules! statuses {
    ($( $kind:ident $code:literal $name:ident $text:literal; )*) => {
        impl Status {
            $(
                #[doc = $text]
                pub const $name: Status = Status::new(StatusType::$kind, $code);
            )*
        }

        /// The specification's name of a status, where this crate knows it.
        fn name(status: Status) -> Option<&'static str> {
            $( if status.is(Status::$name) { return Some($text); } )*
            None
        }
    };
}

// NVMe 1.4 sections 4.6.1.2.1 (generic), 4.6.1.2.2 (command specific) and 4.6.1.2.3 (media).
statuses! {
    Generic 0x00 SUCCESS "Successful Completion";
    Generic 0x01 INVALID_OPCODE "Invalid Command Opcode";
    Generic 0x02 INVALID_FIELD "Invalid Field in Command";
    Generic 0x03 COMMAND_ID_CONFLICT "Command ID Conflict";
    Generic 0x04 DATA_TRANSFER_ERROR "Data Transfer Error";
    Generic 0x05 ABORTED_POWER_LOSS "Commands Aborted due to Power Loss Notification";
    Generic 0x06 INTERNAL_ERROR "Internal Error";
    Generic 0x07 ABORT_REQUESTED "Command Abort Requested";
    Generic 0x08 ABORTED_SQ_DELETION "Command Aborted due to SQ Deletion";
    Generic 0x0b INVALID_NAMESPACE "Invalid Namespace or Format";
    Generic 0x0c COMMAND_SEQUENCE_ERROR "Command Sequence Error";
    Generic 0x13 INVALID_PRP_OFFSET "PRP Offset Invalid";
    Generic 0x80 LBA_OUT_OF_RANGE "LBA Out of Range";
    Generic 0x81 CAPACITY_EXCEEDED "Capacity Exceeded";
    Generic 0x82 NAMESPACE_NOT_READY "Namespace Not Ready";
    Generic 0x84 FORMAT_IN_PROGRESS "Format In Progress";
    CommandSpecific 0x00 COMPLETION_QUEUE_INVALID "Completion Queue Invalid";
    CommandSpecific 0x01 INVALID_QUEUE_IDENTIFIER "Invalid Queue Identifier";
    CommandSpecific 0x02 INVALID_QUEUE_SIZE "Invalid Queue Size";
    CommandSpecific 0x03 ABORT_LIMIT_EXCEEDED "Abort Command Limit Exceeded";
    CommandSpecific 0x05 ASYNC_EVENT_LIMIT_EXCEEDED "Asynchronous Event Request Limit Exceeded";
    CommandSpecific 0x08 INVALID_INTERRUPT_VECTOR "Invalid Interrupt Vector";
    CommandSpecific 0x09 INVALID_LOG_PAGE "Invalid Log Page";
    CommandSpecific 0x0a INVALID_FORMAT "Invalid Format";
    CommandSpecific 0x0c INVALID_QUEUE_DELETION "Invalid Queue Deletion";
    CommandSpecific 0x0d FEATURE_NOT_SAVEABLE "Feature Identifier Not Saveable";
    CommandSpecific 0x0e FEATURE_NOT_CHANGEABLE "Feature Not Changeable";
    CommandSpecific 0x0f FEATURE_NOT_NAMESPACE_SPECIFIC "Feature Not Namespace Specific";
    CommandSpecific 0x2b COMBINATION_REJECTED "I/O Command Set Combination Rejected";
    CommandSpecific 0x80 CONFLICTING_ATTRIBUTES "Conflicting Attributes";
    CommandSpecific 0x82 WRITE_TO_READ_ONLY "Attempted Write to Read Only Range";
    // Zoned namespace command set 1.1, section 3.1.
    CommandSpecific 0xb8 ZONE_BOUNDARY "Zone Boundary Error";
    CommandSpecific 0xb9 ZONE_FULL "Zone Is Full";
    CommandSpecific 0xba ZONE_READ_ONLY "Zone Is Read Only";
    CommandSpecific 0xbb ZONE_OFFLINE "Zone Is Offline";
    CommandSpecific 0xbc ZONE_INVALID_WRITE "Zone Invalid Write";
    CommandSpecific 0xbd TOO_MANY_ACTIVE_ZONES "Too Many Active Zones";
    CommandSpecific 0xbe TOO_MANY_OPEN_ZONES "Too Many Open Zones";
    CommandSpecific 0xbf INVALID_ZONE_TRANSITION "Invalid Zone State Transition";
    MediaAndDataIntegrity 0x80 WRITE_FAULT "Write Fault";
    MediaAndDataIntegrity 0x81 UNRECOVERED_READ "Unrecovered Read Error";
    MediaAndDataIntegrity 0x85 COMPARE_FAILURE "Compare Failure";
    // Open-Channel SSD 2.0, media errors beside those of NVMe.
    MediaAndDataIntegrity 0xc0 OFFLINE_CHUNK "Offline Chunk";
    MediaAndDataIntegrity 0xc1 INVALID_RESET "Invalid Reset";
    MediaAndDataIntegrity 0xf1 CHUNK_EARLY_CLOSE "Write Fail Chunk Early Close";
    MediaAndDataIntegrity 0xf2 OUT_OF_ORDER_WRITE "Out of Order Write";
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match name(*self) {
            Some(name) => f.write_str(name),
            None => write!(f, "status type {:x}h code {:02x}h", self.0 >> 8 & 7, self.code()),
        }
    }
}

impl fmt::Debug for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)?;
        if self.forbids_retry() {
            f.write_str(" (do not retry)")?;
        }
        if self.has_more() {
            f.write_str(" (more)")?;
        }
        Ok(())
    }
}

/// Where in a command a bad parameter starts: byte in bits 7:0, bit in 10:8, as the error
/// information log has it (NVMe 1.4 section 5.14.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterLocation(u16);

impl ParameterLocation {
    /// The error is not due to one parameter.
    pub const NONE: ParameterLocation = ParameterLocation(0xffff);

    /// Bit `bit` (0 to 31) of command dword `dword` (0 to 15).
    pub const fn at(dword: u8, bit: u8) -> Self {
        ParameterLocation(((bit % 8) as u16) << 8 | (dword * 4 + bit / 8) as u16)
    }

    /// The 16 bits of the field.
    pub const fn bits(self) -> u16 {
        self.0
    }
}

/// Why a command is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What the host is told.
    pub status: Status,
    /// The parameter at fault.
    pub location: ParameterLocation,
}

impl Fault {
    /// A fault in the parameter that starts at `bit` of `dword`. Repeating it is of no use.
    pub const fn at(status: Status, dword: u8, bit: u8) -> Self {
        Fault { status: status.do_not_retry(), location: ParameterLocation::at(dword, bit) }
    }

    /// A fault of the command as a whole; `status` is passed on as it is.
    pub const fn whole(status: Status) -> Self {
        Fault { status, location: ParameterLocation::NONE }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::format;

    #[test]
    fn bits_stand_where_the_specification_puts_them() {
        let status = Status::COMPARE_FAILURE.do_not_retry().more();
        assert_eq!(status.bits(), 0x6285);
        assert_eq!(status.kind(), StatusType::MediaAndDataIntegrity);
        assert_eq!(status.code(), 0x85);
        assert!(status.is(Status::COMPARE_FAILURE) && !status.is_success());
        assert_eq!(Status::from_bits(0xffff).bits(), 0x7fff);
    }

    #[test]
    fn a_status_prints_its_name_or_its_numbers() {
        assert_eq!(format!("{}", Status::LBA_OUT_OF_RANGE), "LBA Out of Range");
        assert_eq!(format!("{}", Status::from_bits(0x7c1)), "status type 7h code c1h");
        let status = Status::INVALID_FIELD.do_not_retry();
        assert_eq!(format!("{status:?}"), "Invalid Field in Command (do not retry)");
    }

    #[test]
    fn a_parameter_is_located_by_byte_and_bit() {
        assert_eq!(ParameterLocation::at(10, 0).bits(), 40);
        assert_eq!(ParameterLocation::at(12, 30).bits(), 6 << 8 | 51);
        assert_eq!(ParameterLocation::NONE.bits(), 0xffff);
    }
}
