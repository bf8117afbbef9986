//! Admin commands (NVMe 1.4 section 5).

pub use crate::log::LogPage;

use crate::command::{Entry, Header};
use crate::feature::{FeatureId, Select, Setting};
use crate::placement;
use crate::status::{Fault, Status};

/// Opcodes of the admin commands that this crate knows.
pub mod opcode {
    /// Delete I/O Submission Queue.
    pub const DELETE_SUBMISSION_QUEUE: u8 = 0x00;
    /// Create I/O Submission Queue.
    pub const CREATE_SUBMISSION_QUEUE: u8 = 0x01;
    /// Get Log Page (section 5.14).
    pub const GET_LOG_PAGE: u8 = 0x02;
    /// Delete I/O Completion Queue.
    pub const DELETE_COMPLETION_QUEUE: u8 = 0x04;
    /// Create I/O Completion Queue.
    pub const CREATE_COMPLETION_QUEUE: u8 = 0x05;
    /// Identify (section 5.15).
    pub const IDENTIFY: u8 = 0x06;
    /// Abort (section 5.1).
    pub const ABORT: u8 = 0x08;
    /// Set Features (section 5.21).
    pub const SET_FEATURES: u8 = 0x09;
    /// Get Features (section 5.13).
    pub const GET_FEATURES: u8 = 0x0a;
    /// Asynchronous Event Request.
    pub const ASYNC_EVENT_REQUEST: u8 = 0x0c;
    /// Doorbell Buffer Config (section 5.7).
    pub const DOORBELL_BUFFER_CONFIG: u8 = 0x7c;
    /// Format NVM (section 5.23).
    pub const FORMAT_NVM: u8 = 0x80;
    pub use crate::open_channel::opcode::GEOMETRY;
}

const PHYSICALLY_CONTIGUOUS: u32 = 1 << 0;
const INTERRUPTS_ENABLED: u32 = 1 << 1;
const HOST_EVENTS: u32 = 1 << 8;
const RETAIN_EVENT: u32 = 1 << 15;
const SAVE: u32 = 1 << 31;

/// Priority class of a submission queue (QPRIO).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Priority {
    /// Before all others.
    Urgent = 0,
    /// Weighted, high.
    High = 1,
    /// Weighted, medium.
    Medium = 2,
    /// Weighted, low.
    Low = 3,
}

/// What Identify returns (CNS).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
#[cfg_attr(feature = "state", borsh(use_discriminant = false))]
pub enum IdentifyStructure {
    /// Identify Namespace data structure.
    Namespace = 0x00,
    /// Identify Controller data structure.
    Controller = 0x01,
    /// Active namespace identifiers above NSID.
    ActiveNamespaces = 0x02,
    /// Namespace identification descriptors.
    NamespaceDescriptors = 0x03,
    /// Endurance groups, of drives whose host places its data.
    EnduranceGroups = 0x19,
}

/// What reading a log does to the event that it belongs to (RAE).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum EventAfterRead {
    /// The event is cleared and may be reported anew.
    Cleared,
    /// The event stays masked.
    Retained,
}

/// Create I/O Completion Queue (section 5.3). The queue is physically contiguous; its address is
/// PRP entry 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreateCompletionQueue {
    /// Identifier, not 0.
    pub id: u16,
    /// Entries, 2 to 65,536.
    pub entries: u32,
    /// Interrupt vector, where interrupts are enabled.
    pub vector: Option<u16>,
}

/// Create I/O Submission Queue (section 5.4). As [`CreateCompletionQueue`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreateSubmissionQueue {
    /// Identifier, not 0.
    pub id: u16,
    /// Entries, 2 to 65,536.
    pub entries: u32,
    /// Priority class.
    pub priority: Priority,
    /// Completion queue, not 0.
    pub completion_queue: u16,
}

/// Get Log Page (section 5.14).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct GetLogPage {
    /// Which log.
    pub page: LogPage,
    /// What becomes of the event.
    pub event: EventAfterRead,
    /// Byte in the log to start at, a multiple of 4.
    pub offset: u64,
    /// Bytes to return, a multiple of 4, at least 4.
    pub length: u64,
}

/// How Set Features is to keep the value (SV).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retention {
    /// The value is lost with the next reset of the controller.
    UntilReset,
    /// Over resets and power cycles.
    Saved,
}

/// Set Features (section 5.21).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetFeatures {
    /// The new value.
    pub setting: Setting,
    /// How to keep it.
    pub retention: Retention,
}

/// Get Features (section 5.13).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GetFeatures {
    /// Which feature is asked for (FID).
    pub feature: FeatureId,
    /// Which value.
    pub select: Select,
    /// Dword 11: the sensor or vector of those features that have several values.
    pub argument: u32,
}

/// Erasure that Format NVM is asked for (SES).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum SecureErase {
    /// No erasure beyond the format itself (000b).
    None = 0,
    /// All user data.
    UserData = 1,
    /// By dropping the encryption key.
    Cryptographic = 2,
}

/// Format NVM (section 5.23). Metadata placement is ignored: there is no metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatNvm {
    /// Index of the LBA format, 0 to 15.
    pub format: u8,
    /// Protection information type, 0 (none) to 7.
    pub protection: u8,
    /// Secure erase.
    pub erase: SecureErase,
}

/// A legal admin command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdminCommand {
    /// Delete I/O Submission Queue (section 5.6).
    DeleteSubmissionQueue {
        /// Identifier, not 0.
        id: u16,
    },
    /// Create I/O Submission Queue.
    CreateSubmissionQueue(CreateSubmissionQueue),
    /// Get Log Page (section 5.14).
    GetLogPage(GetLogPage),
    /// Delete I/O Completion Queue (section 5.5).
    DeleteCompletionQueue {
        /// Identifier, not 0.
        id: u16,
    },
    /// Create I/O Completion Queue.
    CreateCompletionQueue(CreateCompletionQueue),
    /// Identify (section 5.15).
    Identify(IdentifyStructure),
    /// Abort (section 5.1).
    Abort {
        /// Submission queue of the command.
        queue: u16,
        /// Identifier of the command.
        cid: u16,
    },
    /// Set Features (section 5.21).
    SetFeatures(SetFeatures),
    /// Get Features (section 5.13).
    GetFeatures(GetFeatures),
    /// Asynchronous Event Request (section 5.2).
    AsyncEventRequest,
    /// Doorbell Buffer Config (section 5.7). The buffers' addresses are the PRP entries.
    DoorbellBufferConfig,
    /// Format NVM (section 5.23).
    FormatNvm(FormatNvm),
    /// Geometry of an open-channel drive ([`crate::open_channel::Geometry`]).
    Geometry,
}

impl AdminCommand {
    /// Checks an entry: everything that does not depend on the controller's size and state.
    ///
    /// # Errors
    /// The status that the specification names for the first field that is wrong.
    pub fn parse(entry: &Entry) -> Result<Self, Fault> {
        let known: fn(&Entry) -> Result<Self, Fault> = match entry.opcode() {
            opcode::DELETE_SUBMISSION_QUEUE => {
                |entry| Ok(AdminCommand::DeleteSubmissionQueue { id: queue_id(entry)? })
            }
            opcode::CREATE_SUBMISSION_QUEUE => parse_create_submission,
            opcode::GET_LOG_PAGE => parse_log_page,
            opcode::DELETE_COMPLETION_QUEUE => {
                |entry| Ok(AdminCommand::DeleteCompletionQueue { id: queue_id(entry)? })
            }
            opcode::CREATE_COMPLETION_QUEUE => parse_create_completion,
            opcode::IDENTIFY => parse_identify,
            opcode::ABORT => |entry| {
                let dword = entry.dword(10);
                Ok(AdminCommand::Abort { queue: dword as u16, cid: (dword >> 16) as u16 })
            },
            opcode::SET_FEATURES => parse_set_features,
            opcode::GET_FEATURES => parse_get_features,
            opcode::ASYNC_EVENT_REQUEST => |_| Ok(AdminCommand::AsyncEventRequest),
            opcode::DOORBELL_BUFFER_CONFIG => parse_doorbell_buffers,
            opcode::FORMAT_NVM => parse_format,
            opcode::GEOMETRY => |_| Ok(AdminCommand::Geometry),
            _ => return Err(Fault::at(Status::INVALID_OPCODE, 0, 0)),
        };
        entry.check_plain()?;
        known(entry)
    }

    /// The entry of the command.
    pub fn emit(&self, header: Header) -> Entry {
        match *self {
            AdminCommand::DeleteSubmissionQueue { id } => {
                Entry::new(opcode::DELETE_SUBMISSION_QUEUE, header).with(10, u32::from(id))
            }
            AdminCommand::CreateSubmissionQueue(queue) => {
                Entry::new(opcode::CREATE_SUBMISSION_QUEUE, header)
                    .with(10, (queue.entries - 1) << 16 | u32::from(queue.id))
                    .with(
                        11,
                        u32::from(queue.completion_queue) << 16
                            | u32::from(queue.priority as u8) << 1
                            | PHYSICALLY_CONTIGUOUS,
                    )
            }
            AdminCommand::GetLogPage(log) => emit_log_page(log, header),
            AdminCommand::DeleteCompletionQueue { id } => {
                Entry::new(opcode::DELETE_COMPLETION_QUEUE, header).with(10, u32::from(id))
            }
            AdminCommand::CreateCompletionQueue(queue) => {
                let interrupt = match queue.vector {
                    Some(vector) => u32::from(vector) << 16 | INTERRUPTS_ENABLED,
                    None => 0,
                };
                Entry::new(opcode::CREATE_COMPLETION_QUEUE, header)
                    .with(10, (queue.entries - 1) << 16 | u32::from(queue.id))
                    .with(11, interrupt | PHYSICALLY_CONTIGUOUS)
            }
            AdminCommand::Identify(structure) => {
                Entry::new(opcode::IDENTIFY, header).with(10, structure as u32)
            }
            AdminCommand::Abort { queue, cid } => {
                Entry::new(opcode::ABORT, header).with(10, u32::from(cid) << 16 | u32::from(queue))
            }
            AdminCommand::SetFeatures(set) => {
                let save = if set.retention == Retention::Saved { SAVE } else { 0 };
                Entry::new(opcode::SET_FEATURES, header)
                    .with(10, save | set.setting.feature() as u32)
                    .with(11, set.setting.dword())
            }
            AdminCommand::GetFeatures(get) => Entry::new(opcode::GET_FEATURES, header)
                .with(10, (get.select as u32) << 8 | get.feature as u32)
                .with(11, get.argument),
            AdminCommand::AsyncEventRequest => Entry::new(opcode::ASYNC_EVENT_REQUEST, header),
            AdminCommand::DoorbellBufferConfig => {
                Entry::new(opcode::DOORBELL_BUFFER_CONFIG, header)
            }
            AdminCommand::Geometry => Entry::new(opcode::GEOMETRY, header),
            AdminCommand::FormatNvm(format) => Entry::new(opcode::FORMAT_NVM, header).with(
                10,
                u32::from(format.format)
                    | u32::from(format.protection) << 5
                    | (format.erase as u32) << 9,
            ),
        }
    }
}

fn queue_id(entry: &Entry) -> Result<u16, Fault> {
    match entry.dword(10) as u16 {
        0 => Err(Fault::at(Status::INVALID_QUEUE_IDENTIFIER, 10, 0)),
        id => Ok(id),
    }
}

fn queue_entries(entry: &Entry) -> Result<u32, Fault> {
    match entry.dword(10) >> 16 {
        0 => Err(Fault::at(Status::INVALID_QUEUE_SIZE, 10, 16)),
        zero_based => Ok(zero_based + 1),
    }
}

fn check_contiguous(entry: &Entry) -> Result<(), Fault> {
    if entry.dword(11) & PHYSICALLY_CONTIGUOUS == 0 {
        return Err(Fault::at(Status::INVALID_FIELD, 11, 0));
    }
    Ok(())
}

fn parse_create_completion(entry: &Entry) -> Result<AdminCommand, Fault> {
    let queue = CreateCompletionQueue {
        id: queue_id(entry)?,
        entries: queue_entries(entry)?,
        vector: match entry.dword(11) & INTERRUPTS_ENABLED {
            0 => None,
            _ => Some((entry.dword(11) >> 16) as u16),
        },
    };
    check_contiguous(entry)?;
    Ok(AdminCommand::CreateCompletionQueue(queue))
}

fn parse_create_submission(entry: &Entry) -> Result<AdminCommand, Fault> {
    let queue = CreateSubmissionQueue {
        id: queue_id(entry)?,
        entries: queue_entries(entry)?,
        priority: match entry.dword(11) >> 1 & 3 {
            0 => Priority::Urgent,
            1 => Priority::High,
            2 => Priority::Medium,
            _ => Priority::Low,
        },
        completion_queue: match (entry.dword(11) >> 16) as u16 {
            0 => return Err(Fault::at(Status::INVALID_QUEUE_IDENTIFIER, 11, 16)),
            id => id,
        },
    };
    check_contiguous(entry)?;
    Ok(AdminCommand::CreateSubmissionQueue(queue))
}

fn parse_log_page(entry: &Entry) -> Result<AdminCommand, Fault> {
    let page = match entry.dword(10) as u8 {
        0x00 => LogPage::SupportedPages,
        0x01 => LogPage::ErrorInformation,
        0x02 => LogPage::Health,
        0x03 => LogPage::FirmwareSlot,
        0x04 => LogPage::ChangedNamespaces,
        0x05 => LogPage::CommandEffects,
        0x09 => LogPage::EnduranceGroup,
        0x12 => LogPage::FeatureEffects,
        0x20 => LogPage::PlacementConfigurations,
        0x21 => LogPage::PlacementUsage,
        0x22 => LogPage::PlacementStatistics,
        0x23 if entry.dword(10) & HOST_EVENTS == 0 => LogPage::ControllerPlacementEvents,
        0x23 => LogPage::HostPlacementEvents,
        0xbf => LogPage::ChangedZones,
        0xca => LogPage::ChunkInformation,
        _ => return Err(Fault::at(Status::INVALID_LOG_PAGE, 10, 0)),
    };
    let event = match entry.dword(10) & RETAIN_EVENT {
        0 => EventAfterRead::Cleared,
        _ => EventAfterRead::Retained,
    };
    let dwords = u64::from(entry.dword(11) & 0xffff) << 16 | u64::from(entry.dword(10) >> 16);
    if placement::is_of_group(page as u8) && (entry.dword(11) >> 16) as u16 != placement::GROUP {
        return Err(Fault::at(Status::INVALID_FIELD, 11, 16));
    }
    let offset = entry.wide(12);
    if offset % 4 != 0 {
        return Err(Fault::at(Status::INVALID_FIELD, 12, 0));
    }
    Ok(AdminCommand::GetLogPage(GetLogPage { page, event, offset, length: (dwords + 1) * 4 }))
}

fn emit_log_page(log: GetLogPage, header: Header) -> Entry {
    let dwords = log.length / 4 - 1;
    let retain = if log.event == EventAfterRead::Retained { RETAIN_EVENT } else { 0 };
    let group =
        if placement::is_of_group(log.page as u8) { u32::from(placement::GROUP) } else { 0 };
    Entry::new(opcode::GET_LOG_PAGE, header)
        .with(10, (dwords as u32) << 16 | retain | log.page as u32)
        .with(11, group << 16 | (dwords >> 16) as u32)
        .with(12, log.offset as u32)
        .with(13, (log.offset >> 32) as u32)
}

fn parse_identify(entry: &Entry) -> Result<AdminCommand, Fault> {
    let structure = match entry.dword(10) as u8 {
        0x00 => IdentifyStructure::Namespace,
        0x01 => IdentifyStructure::Controller,
        0x02 => IdentifyStructure::ActiveNamespaces,
        0x03 => IdentifyStructure::NamespaceDescriptors,
        0x19 => IdentifyStructure::EnduranceGroups,
        _ => return Err(Fault::at(Status::INVALID_FIELD, 10, 0)),
    };
    Ok(AdminCommand::Identify(structure))
}

fn parse_set_features(entry: &Entry) -> Result<AdminCommand, Fault> {
    let feature = FeatureId::parse(entry.dword(10) as u8)?;
    let setting = Setting::parse(feature, entry.dword(11))?;
    let retention = match entry.dword(10) & SAVE {
        0 => Retention::UntilReset,
        _ => Retention::Saved,
    };
    Ok(AdminCommand::SetFeatures(SetFeatures { setting, retention }))
}

fn parse_get_features(entry: &Entry) -> Result<AdminCommand, Fault> {
    let feature = FeatureId::parse(entry.dword(10) as u8)?;
    let select = Select::parse(entry.dword(10))?;
    let argument = entry.dword(11);
    Ok(AdminCommand::GetFeatures(GetFeatures { feature, select, argument }))
}

/// Both buffers begin at a page.
fn parse_doorbell_buffers(entry: &Entry) -> Result<AdminCommand, Fault> {
    for dword in [6, 8] {
        if entry.dword(usize::from(dword)) & 0xfff != 0 {
            return Err(Fault::at(Status::INVALID_FIELD, dword, 0));
        }
    }
    Ok(AdminCommand::DoorbellBufferConfig)
}

fn parse_format(entry: &Entry) -> Result<AdminCommand, Fault> {
    let dword = entry.dword(10);
    Ok(AdminCommand::FormatNvm(FormatNvm {
        format: (dword & 0xf) as u8,
        protection: (dword >> 5 & 7) as u8,
        erase: match dword >> 9 & 7 {
            0 => SecureErase::None,
            1 => SecureErase::UserData,
            2 => SecureErase::Cryptographic,
            _ => return Err(Fault::at(Status::INVALID_FIELD, 10, 9)),
        },
    }))
}

#[cfg(test)]
#[path = "admin_tests.rs"]
mod tests;
