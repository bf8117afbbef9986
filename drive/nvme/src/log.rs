//! Log pages (NVMe 1.4 section 5.14.1) and asynchronous events (section 5.2).

use crate::layout::layout;
use crate::status::Status;

/// Bits of the critical warning byte in the SMART log; the same bits of feature 0Bh choose which
/// are reported as events.
pub mod critical_warning {
    /// Spare space has fallen below the threshold.
    pub const SPARE: u8 = 1 << 0;
    /// A temperature is at or beyond a threshold.
    pub const TEMPERATURE: u8 = 1 << 1;
    /// Reliability is degraded.
    pub const RELIABILITY: u8 = 1 << 2;
    /// The media takes no more writes.
    pub const READ_ONLY: u8 = 1 << 3;
    /// What keeps volatile memory when the power goes away has failed.
    pub const BACKUP: u8 = 1 << 4;
}

layout! {
    /// An entry of the error information log (section 5.14.1.1).
    ErrorEntry [64] {
        /// Number of the error, from 1; 0 marks an entry that is not there.
        count: u64 = 0,
        /// Submission queue, or FFFFh where no command is meant.
        queue: u16 = 8,
        /// Command identifier, or FFFFh.
        cid: u16 = 10,
        /// Status field in bits 15:1.
        status_field: u16 = 12,
        /// Where the bad parameter starts: see [`crate::status::ParameterLocation`].
        parameter: u16 = 14,
        /// First logical block that met the error.
        lba: u64 = 16,
        /// Namespace.
        nsid: u32 = 24,
    }
}

impl ErrorEntry {
    /// What [`ErrorEntry::status_field`] has to hold for a status: bit 0, the phase tag, is 0.
    pub const fn status_field_of(status: Status) -> u16 {
        status.bits() << 1
    }

    /// The status that the entry tells.
    pub const fn status(&self) -> Status {
        Status::from_bits(self.status_field >> 1)
    }
}

layout! {
    /// The SMART / health information log (section 5.14.1.2).
    Health [512] {
        /// See [`critical_warning`].
        critical_warning: u8 = 0,
        /// Composite temperature in kelvin.
        temperature_kelvin: u16 = 1,
        /// Spare left, in percent.
        available_spare: u8 = 3,
        /// Below this, in percent, a warning is raised.
        available_spare_threshold: u8 = 4,
        /// Life used, in percent, at most 255.
        percentage_used: u8 = 5,
        /// Thousands of 512-byte units read by the host, rounded up.
        data_units_read: u128 = 32,
        /// Thousands of 512-byte units written by the host, rounded up.
        data_units_written: u128 = 48,
        /// Read and Compare commands completed.
        host_reads: u128 = 64,
        /// Write commands completed.
        host_writes: u128 = 80,
        /// Minutes in which I/O commands were under way.
        busy_minutes: u128 = 96,
        /// Times that the drive got power.
        power_cycles: u128 = 112,
        /// Hours powered on.
        power_on_hours: u128 = 128,
        /// Power losses without shutdown.
        unsafe_shutdowns: u128 = 144,
        /// Unrecovered media errors.
        media_errors: u128 = 160,
        /// Entries that the error log has had so far.
        error_entries: u128 = 176,
        /// Minutes at or above the warning temperature.
        warning_minutes: u32 = 192,
        /// Minutes at or above the critical temperature.
        critical_minutes: u32 = 196,
    }
}

layout! {
    /// The firmware slot information log (section 5.14.1.3).
    FirmwareSlots [512] {
        /// AFI: slot in use in bits 2:0.
        active: u8 = 0,
        /// FRS1: revision in slot 1.
        revision_1: [u8; 8] = 8,
    }
}

/// Log pages: LID, and in bits 14:8 what of it is wanted (LSP).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
#[cfg_attr(feature = "state", borsh(use_discriminant = false))]
pub enum LogPage {
    /// Which log pages there are ([`SUPPORTED_PAGES_BYTES`]).
    SupportedPages = 0x00,
    /// Entries of the commands that failed last ([`ErrorEntry`]).
    ErrorInformation = 0x01,
    /// SMART / health information.
    Health = 0x02,
    /// Revisions of the firmware in its slots (section 5.14.1.3).
    FirmwareSlot = 0x03,
    /// Namespaces that have changed.
    ChangedNamespaces = 0x04,
    /// Commands supported and their effects.
    CommandEffects = 0x05,
    /// An endurance group ([`crate::placement::EnduranceGroup`]).
    EnduranceGroup = 0x09,
    /// Features supported and their effects ([`emit_features`]).
    FeatureEffects = 0x12,
    /// Configurations of placement by the host ([`crate::placement::Configurations`]).
    PlacementConfigurations = 0x20,
    /// Placement handles and who uses them ([`crate::placement::Usage`]).
    PlacementUsage = 0x21,
    /// What the host has written, and what came of it ([`crate::placement::Statistics`]).
    PlacementStatistics = 0x22,
    /// Events that the controller has brought about ([`crate::placement::Event`]).
    ControllerPlacementEvents = 0x23,
    /// The same that the host has.
    HostPlacementEvents = 0x123,
    /// Zones whose state the controller has changed by itself ([`crate::zones::emit_changed`]).
    ChangedZones = 0xbf,
    /// Chunks of an open-channel drive ([`crate::open_channel::ChunkDescriptor`]).
    ChunkInformation = 0xca,
}

/// An event that an Asynchronous Event Request can report (section 5.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsyncEvent {
    /// A doorbell that does not exist was written.
    InvalidDoorbellRegister,
    /// A doorbell got a value that cannot be.
    InvalidDoorbellValue,
    /// Reliability is degraded, or the media became read-only.
    Reliability,
    /// A temperature crossed its threshold.
    Temperature,
    /// Spare space fell below its threshold.
    Spare,
    /// What Identify tells of a namespace has changed.
    NamespaceChanged,
    /// The controller has changed a zone's state by itself (zoned command set 1.1 section 3.3).
    ZoneChanged,
}

/// Bits of notices, in the feature that chooses events (0Bh) and in OAES of Identify Controller.
pub mod notice {
    /// Namespace Attribute Notices.
    pub const NAMESPACE: u32 = 1 << 8;
    /// Zone Descriptor Changed Notices (zoned command set 1.1 section 4.1.5.1.1).
    pub const ZONE: u32 = 1 << 27;
}

impl AsyncEvent {
    /// Every event.
    pub const ALL: [AsyncEvent; 7] = [
        AsyncEvent::InvalidDoorbellRegister,
        AsyncEvent::InvalidDoorbellValue,
        AsyncEvent::Reliability,
        AsyncEvent::Temperature,
        AsyncEvent::Spare,
        AsyncEvent::NamespaceChanged,
        AsyncEvent::ZoneChanged,
    ];

    /// Dword 0 of the completion: type in 2:0, information in 15:8, log page in 23:16.
    pub const fn dword(self) -> u32 {
        let (kind, information, log): (u32, u32, u32) = match self {
            AsyncEvent::InvalidDoorbellRegister => (0, 0x00, 0x01),
            AsyncEvent::InvalidDoorbellValue => (0, 0x01, 0x01),
            AsyncEvent::Reliability => (1, 0x00, 0x02),
            AsyncEvent::Temperature => (1, 0x01, 0x02),
            AsyncEvent::Spare => (1, 0x02, 0x02),
            AsyncEvent::NamespaceChanged => (2, 0x00, 0x04),
            AsyncEvent::ZoneChanged => (2, 0xef, 0xbf),
        };
        log << 16 | information << 8 | kind
    }

    /// Reads dword 0 of a completion.
    pub fn parse(dword: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.dword() == dword & 0x00ff_ff07)
    }
}

/// Bytes of the log of supported log pages (base specification 2.0, section 5.16.1.1): a double word for each log page identifier.
pub const SUPPORTED_PAGES_BYTES: usize = 1024;
/// LSUPP: the page is there.
const IS_SUPPORTED: u32 = 1;

/// Writes which of the log pages there are, by their identifiers, and zeroes behind them.
pub fn emit_supported_pages(page: &mut [u8; 4096], is_there: impl Fn(u8) -> bool) {
    page.fill(0);
    for (identifier, word) in (0..=u8::MAX).zip(page.chunks_exact_mut(4)) {
        if is_there(identifier) {
            word.copy_from_slice(&IS_SUPPORTED.to_le_bytes());
        }
    }
}

/// Bytes of the log of features (base specification 2.0, section 5.16.1.18): a double word for each feature identifier.
pub const FEATURES_BYTES: usize = 1024;

/// What the log of features tells of one.
pub mod feature_effect {
    /// FSUPP: the feature is there.
    pub const SUPPORTED: u32 = 1 << 0;
    /// FSP: each namespace has a value of its own.
    pub const OF_NAMESPACE: u32 = 1 << 20;
    /// FSP: each controller has one.
    pub const OF_CONTROLLER: u32 = 1 << 21;
    /// FSP: each endurance group has one.
    pub const OF_ENDURANCE_GROUP: u32 = 1 << 23;
}

/// Writes what is told of the features, by their identifiers, and zeroes behind them.
pub fn emit_features(page: &mut [u8; 4096], effects: impl Fn(u8) -> u32) {
    page.fill(0);
    for (identifier, word) in (0..=u8::MAX).zip(page.chunks_exact_mut(4)) {
        word.copy_from_slice(&effects(identifier).to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identify::text;

    #[test]
    fn an_error_entry_stands_at_its_bytes() {
        let status = Status::LBA_OUT_OF_RANGE.do_not_retry();
        let entry = ErrorEntry {
            count: 2,
            queue: 0x0102,
            cid: 0x0304,
            status_field: ErrorEntry::status_field_of(status),
            parameter: 0x0228,
            lba: 0x0a0b_0c0d_0e0f_1011,
            nsid: 1,
        };
        let mut bytes = [0xff; ErrorEntry::BYTES];
        entry.emit(&mut bytes);
        assert_eq!(bytes[..16], [2, 0, 0, 0, 0, 0, 0, 0, 2, 1, 4, 3, 0x00, 0x81, 0x28, 0x02]);
        assert_eq!(bytes[16..28], [0x11, 0x10, 0x0f, 0x0e, 0x0d, 0x0c, 0x0b, 0x0a, 1, 0, 0, 0]);
        assert_eq!(bytes[28..], [0; 36]);
        let read = ErrorEntry::parse(&bytes);
        assert_eq!((read, read.status()), (entry, status));
    }

    #[test]
    fn health_and_firmware_slots_stand_at_their_bytes() {
        let health = Health {
            critical_warning: critical_warning::READ_ONLY,
            temperature_kelvin: 0x0139,
            available_spare: 99,
            available_spare_threshold: 10,
            percentage_used: 3,
            data_units_read: 0x21,
            data_units_written: 0x31,
            host_reads: 0x41,
            host_writes: 0x51,
            busy_minutes: 0x61,
            power_cycles: 0x71,
            power_on_hours: 0x81,
            unsafe_shutdowns: 0x91,
            media_errors: 0xa1,
            error_entries: 0xb1,
            warning_minutes: 0xc0,
            critical_minutes: 0xc4,
        };
        let mut bytes = [0xff; Health::BYTES];
        health.emit(&mut bytes);
        assert_eq!(bytes[..6], [8, 0x39, 0x01, 99, 10, 3]);
        for (at, value) in (32..192).step_by(16).zip((0x21u8..).step_by(16)) {
            assert_eq!(bytes[at], value, "byte {at}");
        }
        assert_eq!((bytes[192], bytes[196]), (0xc0, 0xc4));
        assert_eq!(Health::parse(&bytes), health);

        let slots = FirmwareSlots { active: 1, revision_1: text("0.1.0") };
        slots.emit(&mut bytes);
        assert_eq!(bytes[..16], *b"\x01\0\0\0\0\0\0\x000.1.0   ");
        assert_eq!(FirmwareSlots::parse(&bytes), slots);
    }

    #[test]
    fn events_name_type_information_and_log() {
        assert_eq!(AsyncEvent::InvalidDoorbellValue.dword(), 0x0001_0100);
        assert_eq!(AsyncEvent::Spare.dword(), 0x0002_0201);
        assert_eq!(AsyncEvent::NamespaceChanged.dword(), 0x0004_0002);
        assert_eq!(AsyncEvent::ZoneChanged.dword(), 0x00bf_ef02);
        for event in AsyncEvent::ALL {
            assert_eq!(AsyncEvent::parse(event.dword()), Some(event));
        }
        assert_eq!(AsyncEvent::parse(0x0002_0001 | 7), None);
    }
}
