//! Flexible Data Placement (NVM Express TP4146, base specification 2.1 section 8.1.10): the host says by a placement identifier which
//! data belong together. Drives here have one endurance group and one reclaim group, so that an identifier is a placement handle.

use crate::command::{Entry, Header};
use crate::feature::Select;
use crate::io::opcode;
use crate::layout::layout;
use crate::status::{Fault, Status};

/// The endurance group that all namespaces are in.
pub const GROUP: u16 = 1;
/// Directive type (DTYPE) of data placement.
const DATA_PLACEMENT: u32 = 2;
const DIRECTIVE_TYPE_BIT: u32 = 20;
const DIRECTIVE_TYPE_MASK: u32 = 0xf << DIRECTIVE_TYPE_BIT;
/// Management operation of I/O Management Receive: Reclaim Unit Handle Status.
const HANDLE_STATUS: u8 = 1;
/// Management operation of I/O Management Send: Reclaim Unit Handle Update.
const HANDLE_UPDATE: u8 = 1;
/// Identifier of the feature Flexible Data Placement.
pub const FEATURE: u8 = 0x1d;
/// Identifier of the feature Flexible Data Placement Events.
pub const EVENTS_FEATURE: u8 = 0x1e;
/// Most placement identifiers of an update: what the control page holds, and the field tells.
pub const MOST_UPDATED: u32 = 2048;

/// Whether the log of an identifier (LID) is of an endurance group, which the log specific identifier names (LSI).
pub const fn is_of_group(identifier: u8) -> bool {
    matches!(identifier, 0x09 | 0x20..=0x23)
}

/// The placement identifier that a write names (DTYPE and DSPEC), if it names one.
#[inline]
pub const fn identifier(entry: &Entry) -> Option<u16> {
    match entry.dword(12) & DIRECTIVE_TYPE_MASK == DATA_PLACEMENT << DIRECTIVE_TYPE_BIT {
        true => Some((entry.dword(13) >> 16) as u16),
        false => None,
    }
}

/// The entry of a write that names a placement identifier.
pub fn with_identifier(entry: Entry, identifier: u16) -> Entry {
    let (first, second) = (entry.dword(12) & !DIRECTIVE_TYPE_MASK, entry.dword(13) & 0xffff);
    entry
        .with(12, first | DATA_PLACEMENT << DIRECTIVE_TYPE_BIT)
        .with(13, second | u32::from(identifier) << 16)
}

/// An I/O command of a drive whose host places its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManagementCommand {
    /// I/O Management Receive: what each placement handle of the namespace is about, of which so many bytes are wanted.
    Status {
        /// Bytes, a multiple of 4, at least 4.
        bytes: u64,
    },
    /// I/O Management Send: the next data of some placement identifiers go to other reclaim units.
    Update {
        /// Identifiers in the list of 16-bit numbers, at least 1.
        count: u32,
    },
}

impl ManagementCommand {
    /// Checks an entry; `None` where it is of another command.
    pub fn parse(entry: &Entry) -> Option<Result<Self, Fault>> {
        let operation = entry.dword(10) as u8;
        let known = match entry.opcode() {
            opcode::IO_MANAGEMENT_RECEIVE => operation == HANDLE_STATUS,
            opcode::IO_MANAGEMENT_SEND => operation == HANDLE_UPDATE,
            _ => return None,
        };
        let command = match entry.opcode() {
            _ if !known => Err(Fault::at(Status::INVALID_FIELD, 10, 0)),
            opcode::IO_MANAGEMENT_RECEIVE => {
                Ok(ManagementCommand::Status { bytes: (u64::from(entry.dword(11)) + 1) * 4 })
            }
            _ => match (entry.dword(10) >> 16) + 1 {
                count @ ..=MOST_UPDATED => Ok(ManagementCommand::Update { count }),
                _ => Err(Fault::at(Status::INVALID_FIELD, 10, 16)),
            },
        };
        Some(entry.check_plain().and(command))
    }

    /// The entry of the command.
    pub fn emit(&self, header: Header) -> Entry {
        match *self {
            ManagementCommand::Status { bytes } => {
                Entry::new(opcode::IO_MANAGEMENT_RECEIVE, header)
                    .with(10, HANDLE_STATUS.into())
                    .with(11, (bytes / 4 - 1) as u32)
            }
            ManagementCommand::Update { count } => Entry::new(opcode::IO_MANAGEMENT_SEND, header)
                .with(10, (count - 1) << 16 | u32::from(HANDLE_UPDATE)),
        }
    }
}

/// Set Features or Get Features of what is about placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureCommand {
    /// Get Features of FDP: whether it is enabled, and in which configuration.
    Get(Select),
    /// Set Features of FDP, which no namespace may be there for.
    Set,
    /// Get Features of FDP Events: which a placement handle tells, as a list of so many at most.
    GetEvents {
        /// Whose events they are.
        handle: u16,
        /// Events of the list that are wanted at most.
        most: u8,
        /// Which value.
        select: Select,
    },
    /// Set Features of FDP Events: a placement handle tells those of a list, or does not.
    SetEvents {
        /// Whose events they are.
        handle: u16,
        /// Events in the list of their numbers.
        count: u8,
        /// Whether they are told.
        enabled: bool,
        /// The value is to outlast resets (SV).
        saved: bool,
    },
}

impl FeatureCommand {
    /// Checks an entry of Set Features, or of Get Features; `None` where it is of another feature.
    pub fn parse(entry: &Entry, sets: bool) -> Option<Result<Self, Fault>> {
        let feature = entry.dword(10) as u8;
        if feature != FEATURE && feature != EVENTS_FEATURE {
            return None;
        }
        Some(entry.check_plain().and_then(|()| Self::parse_known(entry, sets)))
    }

    fn parse_known(entry: &Entry, sets: bool) -> Result<Self, Fault> {
        let select = if sets { Select::Current } else { Select::parse(entry.dword(10))? };
        let argument = entry.dword(11);
        let is_group = argument as u16 == GROUP || select == Select::Capabilities;
        let (handle, count) = (argument as u16, (argument >> 16) as u8);
        match (entry.dword(10) as u8, sets) {
            (FEATURE, _) if !is_group => Err(Fault::at(Status::INVALID_FIELD, 11, 0)),
            (FEATURE, true) => Ok(FeatureCommand::Set),
            (FEATURE, false) => Ok(FeatureCommand::Get(select)),
            (_, false) => Ok(FeatureCommand::GetEvents { handle, most: count, select }),
            (_, true) => {
                let saved = entry.dword(10) >> 31 == 1;
                let enabled = entry.dword(12) & 1 == 1;
                Ok(FeatureCommand::SetEvents { handle, count, enabled, saved })
            }
        }
    }
}

/// Dword 0 of Get Features of FDP in its first and only configuration: it is enabled.
pub const ENABLED: u32 = 1;

/// Events that a reclaim unit handle can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum EventKind {
    /// A host event: a reclaim unit was left before it was full.
    NotFull = 0x00,
    /// A host event: a write named a placement identifier that there is not.
    InvalidIdentifier = 0x03,
    /// An event of the controller: a reclaim unit is full, and another one follows it.
    ImplicitChange = 0x81,
}

impl EventKind {
    /// All of them.
    pub const ALL: [EventKind; 3] =
        [EventKind::NotFull, EventKind::InvalidIdentifier, EventKind::ImplicitChange];

    /// The event of a number.
    pub fn parse(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u8 == number)
    }

    /// Whether the host has brought it about.
    pub const fn is_of_host(self) -> bool {
        (self as u8) < 0x80
    }
}

layout! {
    /// The head of the log of FDP configurations (base specification 2.1, figure 283), with one configuration of handles that are
    /// initially isolated behind it.
    Configurations [64] {
        /// Configurations, zero-based.
        count: u16 = 0,
        /// Bytes of the log.
        size: u32 = 4,
        /// Bytes of what tells the configuration.
        descriptor_bytes: u16 = 16,
        /// FDPA: bit 7 says that the configuration is valid; bits 3:0, RGIF, that identifiers have no bits of a reclaim group.
        attributes: u8 = 18,
        /// NRG: reclaim groups.
        reclaim_groups: u32 = 20,
        /// NRUH: reclaim unit handles.
        handles: u16 = 24,
        /// MAXPIDS: placement identifiers of a namespace, zero-based.
        identifiers: u16 = 26,
        /// NNS: namespaces.
        namespaces: u32 = 28,
        /// RUNS: bytes of a reclaim unit.
        unit_bytes: u64 = 32,
        /// ERUTL: seconds until a reclaim unit is left that is not full; 0 for none.
        time_limit: u32 = 40,
    }
}

/// FDPA: the configuration is valid.
pub const CONFIGURATION_VALID: u8 = 1 << 7;
/// Bytes of a configuration's descriptor before those of its handles.
pub const DESCRIPTOR_BYTES: usize = 64;
/// RUHT: the data of a handle are together until collection moves them.
pub const INITIALLY_ISOLATED: u8 = 1;
/// RUHA: a handle that the host may name.
pub const HOST_SPECIFIED: u8 = 1;

layout! {
    /// The head of the log of usage of handles: a descriptor of 8 bytes for each follows, which begins with RUHA.
    Usage [8] {
        /// NRUH: handles.
        handles: u16 = 0,
    }
}

layout! {
    /// The log of FDP statistics.
    Statistics [64] {
        /// HBMW: bytes that the host has written.
        host_bytes: u128 = 0,
        /// MBMW: bytes that flash has taken.
        media_bytes: u128 = 16,
        /// MBE: bytes that were erased.
        erased_bytes: u128 = 32,
    }
}

layout! {
    /// An event of the log of FDP events.
    Event [64] {
        /// See [`EventKind`].
        kind: u8 = 0,
        /// FDPEF: see [`event_flag`].
        flags: u8 = 1,
        /// PID: the placement identifier.
        identifier: u16 = 2,
        /// Milliseconds since power-on.
        milliseconds: u64 = 4,
        /// NSID: the namespace of the command, where there is one.
        nsid: u32 = 12,
        /// RGID: the reclaim group.
        reclaim_group: u16 = 32,
        /// RUHID: the reclaim unit handle.
        handle: u8 = 34,
    }
}

/// Bits of FDPEF: which fields of an event hold values.
pub mod event_flag {
    /// The placement identifier.
    pub const IDENTIFIER: u8 = 1 << 0;
    /// NSID is that of a command.
    pub const NAMESPACE: u8 = 1 << 1;
    /// Reclaim group and handle.
    pub const LOCATION: u8 = 1 << 2;
}

layout! {
    /// The head of the log of FDP events, in front of them.
    Events [64] {
        /// How many there are.
        count: u32 = 0,
    }
}

layout! {
    /// The head of the status of handles that I/O Management Receive tells.
    StatusHeader [16] {
        /// NRUHSD: descriptors that follow.
        handles: u16 = 14,
    }
}

layout! {
    /// The status of a placement handle.
    HandleStatus [32] {
        /// PID: the placement identifier.
        identifier: u16 = 0,
        /// RUHID: the reclaim unit handle.
        handle: u16 = 2,
        /// EARUTR: estimate of the seconds that are left until the reclaim unit is left; 0 for none.
        time_left: u32 = 4,
        /// RUAMW: logical blocks that the reclaim unit still takes.
        blocks_left: u64 = 8,
    }
}

layout! {
    /// The log of an endurance group (NVMe 1.4 section 5.14.1.9).
    EnduranceGroup [512] {
        /// As in the SMART log.
        critical_warning: u8 = 0,
        /// EGFEAT: bit 0 says that data are placed by the host.
        features: u8 = 1,
        /// Spare left, in percent.
        available_spare: u8 = 3,
        /// Below this, in percent, a warning is raised.
        available_spare_threshold: u8 = 4,
        /// Life used, in percent, at most 255.
        percentage_used: u8 = 5,
        /// Thousands of millions of bytes read by the host, rounded up.
        data_units_read: u128 = 48,
        /// The same, written by the host.
        data_units_written: u128 = 64,
        /// The same, written to the media.
        media_units_written: u128 = 80,
        /// Read and Compare commands completed.
        host_reads: u128 = 96,
        /// Write commands completed.
        host_writes: u128 = 112,
        /// Unrecovered media errors.
        media_errors: u128 = 128,
        /// Entries that the error log has had so far.
        error_entries: u128 = 144,
    }
}

#[cfg(test)]
#[path = "placement_tests.rs"]
mod tests;
