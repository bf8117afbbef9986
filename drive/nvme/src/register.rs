//! Controller registers (NVMe 1.4 section 3.1).

/// Byte offsets from the start of BAR 0.
pub mod offset {
    /// Controller Capabilities, 8 bytes.
    pub const CAP: u64 = 0x00;
    /// Version.
    pub const VS: u64 = 0x08;
    /// Interrupt Mask Set.
    pub const INTMS: u64 = 0x0c;
    /// Interrupt Mask Clear.
    pub const INTMC: u64 = 0x10;
    /// Controller Configuration.
    pub const CC: u64 = 0x14;
    /// Controller Status.
    pub const CSTS: u64 = 0x1c;
    /// NVM Subsystem Reset.
    pub const NSSR: u64 = 0x20;
    /// Admin Queue Attributes.
    pub const AQA: u64 = 0x24;
    /// Admin Submission Queue Base Address, 8 bytes.
    pub const ASQ: u64 = 0x28;
    /// Admin Completion Queue Base Address, 8 bytes.
    pub const ACQ: u64 = 0x30;
    /// First doorbell.
    pub const DOORBELLS: u64 = 0x1000;
}

/// Revision 1.4.0 in the form of VS.
pub const VERSION: u32 = 0x0001_0400;

/// Arbitration mechanisms beside round robin (CAP.AMS).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionalArbitration {
    /// Nothing beside round robin.
    None,
    /// Weighted round robin with urgent priority class.
    WeightedRoundRobin,
}

/// Command sets that a host may choose (CAP.CSS).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandSets {
    /// The NVM command set alone (bit 37).
    Nvm,
    /// That, or all that Identify tells of (bit 43; base specification 2.0 section 3.1.3.1).
    Several,
}

impl CommandSets {
    /// Whether a host may write a number to CC.CSS: 0 for the NVM command set, 6 for all.
    pub const fn has(self, number: u8) -> bool {
        number == 0 || matches!((self, number), (CommandSets::Several, ALL_SETS))
    }
}

/// CC.CSS of a host that uses all command sets.
pub const ALL_SETS: u8 = 6;

/// Controller Capabilities (section 3.1.1). Queues are physically contiguous (CQR), and memory pages are 4 KiB at least (MPSMIN 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Entries a queue may have, 2 to 65,536 (MQES + 1).
    pub queue_entries: u32,
    /// What the host may choose beside round robin (AMS).
    pub arbitration: OptionalArbitration,
    /// Longest wait for CSTS.RDY, in 500 ms.
    pub timeout: u8,
    /// Doorbell stride: 4 bytes times 2 to the power of this, 0 to 15.
    pub doorbell_stride: u8,
    /// Largest memory page: 4 KiB times 2 to the power of this, 0 to 15.
    pub page_size_max: u8,
    /// Command sets (CSS).
    pub command_sets: CommandSets,
}

impl Capabilities {
    /// The value of the register.
    pub fn emit(&self) -> u64 {
        let arbitration = u64::from(self.arbitration == OptionalArbitration::WeightedRoundRobin);
        u64::from(self.queue_entries - 1)
            | 1 << 16
            | arbitration << 17
            | u64::from(self.timeout) << 24
            | u64::from(self.doorbell_stride) << 32
            | 1 << 37
            | u64::from(self.command_sets == CommandSets::Several) << 43
            | u64::from(self.page_size_max) << 52
    }

    /// Reads the register.
    pub fn parse(value: u64) -> Self {
        Capabilities {
            queue_entries: (value & 0xffff) as u32 + 1,
            arbitration: match value >> 17 & 1 {
                0 => OptionalArbitration::None,
                _ => OptionalArbitration::WeightedRoundRobin,
            },
            timeout: (value >> 24) as u8,
            doorbell_stride: (value >> 32 & 0xf) as u8,
            page_size_max: (value >> 52 & 0xf) as u8,
            command_sets: match value >> 43 & 1 {
                0 => CommandSets::Nvm,
                _ => CommandSets::Several,
            },
        }
    }
}

/// Notice of a shutdown (CC.SHN).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShutdownNotice {
    /// No notice (00b).
    None,
    /// A normal one.
    Normal,
    /// An abrupt one.
    Abrupt,
    /// The reserved value.
    Reserved,
}

/// Controller Configuration (section 3.1.5): a view of any value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct ControllerConfiguration(pub u32);

impl ControllerConfiguration {
    /// What a driver writes to start: enabled, NVM command set, 4 KiB pages, SQES 6, CQES 4.
    pub const fn started(arbitration: u8) -> Self {
        ControllerConfiguration(1 | ((arbitration & 7) as u32) << 11 | 6 << 16 | 4 << 20)
    }

    /// With all command sets in place of the NVM command set.
    pub const fn with_all_sets(self) -> Self {
        ControllerConfiguration(self.0 | (ALL_SETS as u32) << 4)
    }

    /// With a notice of normal shutdown.
    pub const fn shut_down(self) -> Self {
        ControllerConfiguration(self.0 & !(3 << 14) | 1 << 14)
    }

    /// EN.
    pub const fn enabled(self) -> bool {
        self.0 & 1 != 0
    }

    /// CSS: command set, 0 for NVM.
    pub const fn command_set(self) -> u8 {
        (self.0 >> 4 & 7) as u8
    }

    /// Memory page in bytes: 4 KiB times 2 to the power of MPS.
    pub const fn page_bytes(self) -> u32 {
        4096 << (self.0 >> 7 & 0xf)
    }

    /// AMS: 0 round robin, 1 weighted round robin with urgent, 7 vendor specific.
    pub const fn arbitration(self) -> u8 {
        (self.0 >> 11 & 7) as u8
    }

    /// SHN.
    pub const fn shutdown_notice(self) -> ShutdownNotice {
        match self.0 >> 14 & 3 {
            0 => ShutdownNotice::None,
            1 => ShutdownNotice::Normal,
            2 => ShutdownNotice::Abrupt,
            _ => ShutdownNotice::Reserved,
        }
    }

    /// Bytes of a submission queue entry as a power of two.
    pub const fn submission_entry_size(self) -> u8 {
        (self.0 >> 16 & 0xf) as u8
    }

    /// Bytes of a completion queue entry as a power of two.
    pub const fn completion_entry_size(self) -> u8 {
        (self.0 >> 20 & 0xf) as u8
    }
}

/// Progress of a shutdown (CSTS.SHST).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
#[cfg_attr(feature = "state", borsh(use_discriminant = false))]
pub enum ShutdownStatus {
    /// Normal operation.
    None = 0,
    /// Under way.
    Processing = 1,
    /// Done.
    Complete = 2,
}

/// Controller Status (section 3.1.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct ControllerStatus {
    /// RDY.
    pub ready: bool,
    /// CFS.
    pub fatal: bool,
    /// SHST.
    pub shutdown: ShutdownStatus,
}

impl ControllerStatus {
    /// The value of the register.
    pub fn emit(&self) -> u32 {
        u32::from(self.ready) | u32::from(self.fatal) << 1 | (self.shutdown as u32) << 2
    }

    /// Reads the register.
    pub fn parse(value: u32) -> Self {
        ControllerStatus {
            ready: value & 1 != 0,
            fatal: value & 2 != 0,
            shutdown: match value >> 2 & 3 {
                0 => ShutdownStatus::None,
                1 => ShutdownStatus::Processing,
                _ => ShutdownStatus::Complete,
            },
        }
    }
}

/// Admin Queue Attributes (section 3.1.8): sizes of the admin queues in entries, 1 to 4,096. A size
/// of 1 is what the reset value says; the specification allows 2 and up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdminQueueAttributes {
    /// Entries of the submission queue.
    pub submission: u32,
    /// Entries of the completion queue.
    pub completion: u32,
}

impl AdminQueueAttributes {
    /// The value of the register.
    pub fn emit(&self) -> u32 {
        (self.completion - 1) << 16 | (self.submission - 1)
    }

    /// Reads the register.
    pub fn parse(value: u32) -> Self {
        AdminQueueAttributes {
            submission: (value & 0xfff) + 1,
            completion: (value >> 16 & 0xfff) + 1,
        }
    }
}

/// A doorbell register (sections 3.1.24 and 3.1.25).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doorbell {
    /// Tail of a submission queue.
    SubmissionTail(u16),
    /// Head of a completion queue.
    CompletionHead(u16),
}

impl Doorbell {
    /// Offset of the doorbell, with CAP.DSTRD `stride`.
    pub fn offset(self, stride: u8) -> u64 {
        let index = match self {
            Doorbell::SubmissionTail(queue) => 2 * u64::from(queue),
            Doorbell::CompletionHead(queue) => 2 * u64::from(queue) + 1,
        };
        offset::DOORBELLS + (index << (2 + stride))
    }

    /// The doorbell at `offset`, or `None` where none can be: below the first, between two, or
    /// above that of queue 65,535.
    pub fn at(offset: u64, stride: u8) -> Option<Self> {
        let distance = offset.checked_sub(offset::DOORBELLS)?;
        let index = distance >> (2 + stride);
        if index << (2 + stride) != distance {
            return None;
        }
        let queue = u16::try_from(index / 2).ok()?;
        Some(match index % 2 {
            0 => Doorbell::SubmissionTail(queue),
            _ => Doorbell::CompletionHead(queue),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn capabilities_hold_their_bits() {
        let capabilities = Capabilities {
            queue_entries: 1024,
            arbitration: OptionalArbitration::WeightedRoundRobin,
            timeout: 20,
            doorbell_stride: 0,
            page_size_max: 0,
            command_sets: CommandSets::Nvm,
        };
        assert_eq!(capabilities.emit(), 0x0000_0020_1403_03ff);
        assert_eq!(Capabilities::parse(capabilities.emit()), capabilities);
    }

    #[test]
    fn a_driver_starts_and_stops_the_controller() {
        let started = ControllerConfiguration::started(1);
        assert_eq!(started.0, 0x0046_0801);
        assert!(started.enabled());
        assert_eq!(
            (started.page_bytes(), started.arbitration(), started.command_set()),
            (4096, 1, 0)
        );
        assert_eq!((started.submission_entry_size(), started.completion_entry_size()), (6, 4));
        assert_eq!(started.shutdown_notice(), ShutdownNotice::None);
        assert_eq!(started.shut_down().shutdown_notice(), ShutdownNotice::Normal);
        let largest = ControllerConfiguration(0xffff_ffff);
        assert_eq!(largest.page_bytes(), 128 << 20);
        assert_eq!(largest.shutdown_notice(), ShutdownNotice::Reserved);
    }

    #[test]
    fn status_and_admin_queues_hold_their_bits() {
        let status =
            ControllerStatus { ready: true, fatal: false, shutdown: ShutdownStatus::Complete };
        assert_eq!(status.emit(), 0b1001);
        assert_eq!(ControllerStatus::parse(0b1001), status);
        let queues = AdminQueueAttributes { submission: 32, completion: 4096 };
        assert_eq!(queues.emit(), 0x0fff_001f);
        assert_eq!(AdminQueueAttributes::parse(0x0fff_001f), queues);
    }

    #[test]
    fn doorbells_alternate_between_tail_and_head() {
        assert_eq!(Doorbell::SubmissionTail(0).offset(0), 0x1000);
        assert_eq!(Doorbell::CompletionHead(3).offset(0), 0x101c);
        assert_eq!(Doorbell::SubmissionTail(1).offset(2), 0x1020);
        for (bad, stride) in [(0xffc, 0), (0x1002, 0), (0x1004, 1), (0x1000 + (1 << 19), 0)] {
            assert_eq!(Doorbell::at(bad, stride), None, "{bad:#x}");
        }
    }

    proptest! {
        #[test]
        fn a_doorbell_is_found_at_its_offset(queue: u16, stride in 0u8..16) {
            for doorbell in [Doorbell::SubmissionTail(queue), Doorbell::CompletionHead(queue)] {
                prop_assert_eq!(Doorbell::at(doorbell.offset(stride), stride), Some(doorbell));
            }
        }
    }
}
