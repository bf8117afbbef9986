//! Words of the packets, and the numbers in them.
//!
//! Made by rtl/tools/registers.py of rtl/flash/flash_channel.rdl; `make registers` makes it anew.

use crate::bits::Field;

/// What a request asks for, with the bytes on the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Operation {
    /// `70 {1}`: Status byte. Also starts while the way is busy.
    ReadStatus = 0x00,
    /// `78 RRR {1}`: Status byte of the LUN of the row. Also starts while the way is busy.
    ReadStatusEnhanced = 0x01,
    /// `FF`: Also starts while the way is busy.
    Reset = 0x20,
    /// `FC`: Also starts while the way is busy.
    SynchronousReset = 0x21,
    /// `FA RRR`: Also starts while the way is busy.
    ResetLun = 0x22,
    /// `E1 C`: Names the volume that listens.
    VolumeSelect = 0x23,
    /// `00`: Back from status to data.
    ReadMode = 0x24,
    /// `00 CC RRR 30`: Array to register.
    ReadTrigger = 0x25,
    /// `00 CC RRR 32`: One more plane of the read that follows.
    ReadMultiPlane = 0x26,
    /// `31`: Next page, the last one to the cache.
    ReadCacheSequential = 0x27,
    /// `00 CC RRR 31`: Page of the row, the last one to the cache.
    ReadCacheRandom = 0x28,
    /// `3F`: Last page to the cache.
    ReadCacheLast = 0x29,
    /// `00 CC RRR 35`: Array to register, for a copyback program.
    CopybackRead = 0x2a,
    /// `85 CC RRR 10`: Register to array.
    CopybackProgram = 0x2b,
    /// `85 CC RRR 11`: The same, one plane of several.
    CopybackProgramMultiPlane = 0x2c,
    /// `60 RRR D0`: Erases the block, and those named before.
    EraseBlock = 0x2d,
    /// `60 RRR D1`: Names a block for the erase that follows.
    EraseMultiPlaneOnfi = 0x2e,
    /// `60 RRR`: The same in JEDEC's form.
    EraseMultiPlaneJedec = 0x2f,
    /// `10`: Programs what was loaded.
    ProgramConfirm = 0x30,
    /// `EC C`: Parameter page to register.
    ParameterPageTrigger = 0x31,
    /// `ED C`: Unique ID to register.
    UniqueIdTrigger = 0x32,
    /// `EE F`: Feature to register.
    FeaturesTrigger = 0x33,
    /// `D4 L F`: Feature of a LUN to register.
    FeaturesLunTrigger = 0x34,
    /// Whole: Erases a block and reads its status.
    Erase = 0x3f,
    /// `{length}`: Register to buffer.
    ReadTransfer = 0x40,
    /// `05 CC E0 {length}`: The same from a column.
    ChangeReadColumn = 0x41,
    /// `06 CC RRR E0 {length}`: The same from a plane or LUN.
    ChangeReadColumnOnfi = 0x42,
    /// `00 CC RRR 05 CC E0 {length}`: The same in JEDEC's form.
    ChangeReadColumnJedec = 0x43,
    /// `90 C {length}`: Register bytes to buffer.
    ReadId = 0x44,
    /// `{4}`: Register bytes into the value of the response.
    FeaturesTransfer = 0x45,
    /// Whole: Page to buffer.
    Read = 0x58,
    /// Whole: Parameter page to buffer.
    ReadParameterPage = 0x59,
    /// Whole: Unique ID to buffer.
    ReadUniqueId = 0x5a,
    /// Whole: Feature into the value of the response.
    GetFeatures = 0x5b,
    /// Whole: Feature of a LUN into the value of the response.
    GetFeaturesLun = 0x5c,
    /// `80 CC RRR {length} 10`: Programs a page.
    ProgramPage = 0x60,
    /// `80 CC RRR {length} 11`: The same, one plane of several.
    ProgramMultiPlane = 0x61,
    /// `80 CC RRR {length} 15`: The same, free for the next page before it is done.
    ProgramCache = 0x62,
    /// `80 CC RRR {length} 1A`: One page of a one-shot program.
    ProgramPart = 0x63,
    /// `80 CC RRR {length}`: Buffer to register.
    ProgramLoad = 0x64,
    /// `85 CC {length}`: More to a column.
    ChangeWriteColumn = 0x65,
    /// `85 CC RRR {length}`: More to a column, and another row.
    ChangeRowAddress = 0x66,
    /// `EF F {4}`: Register bytes from the row of the request.
    SetFeatures = 0x67,
    /// `D5 L F {4}`: The same for a LUN.
    SetFeaturesLun = 0x68,
    /// `E2 L {4}`: The same for on-die termination.
    OdtConfigure = 0x69,
    /// Whole: Programs a page and reads its status.
    Program = 0x78,
    /// Whole: A third of a word line of three pages; three requests in a row.
    ProgramOneShot = 0x79,
}

impl Operation {
    /// All of them.
    pub const ALL: [Self; 47] = [
        Self::ReadStatus,
        Self::ReadStatusEnhanced,
        Self::Reset,
        Self::SynchronousReset,
        Self::ResetLun,
        Self::VolumeSelect,
        Self::ReadMode,
        Self::ReadTrigger,
        Self::ReadMultiPlane,
        Self::ReadCacheSequential,
        Self::ReadCacheRandom,
        Self::ReadCacheLast,
        Self::CopybackRead,
        Self::CopybackProgram,
        Self::CopybackProgramMultiPlane,
        Self::EraseBlock,
        Self::EraseMultiPlaneOnfi,
        Self::EraseMultiPlaneJedec,
        Self::ProgramConfirm,
        Self::ParameterPageTrigger,
        Self::UniqueIdTrigger,
        Self::FeaturesTrigger,
        Self::FeaturesLunTrigger,
        Self::Erase,
        Self::ReadTransfer,
        Self::ChangeReadColumn,
        Self::ChangeReadColumnOnfi,
        Self::ChangeReadColumnJedec,
        Self::ReadId,
        Self::FeaturesTransfer,
        Self::Read,
        Self::ReadParameterPage,
        Self::ReadUniqueId,
        Self::GetFeatures,
        Self::GetFeaturesLun,
        Self::ProgramPage,
        Self::ProgramMultiPlane,
        Self::ProgramCache,
        Self::ProgramPart,
        Self::ProgramLoad,
        Self::ChangeWriteColumn,
        Self::ChangeRowAddress,
        Self::SetFeatures,
        Self::SetFeaturesLun,
        Self::OdtConfigure,
        Self::Program,
        Self::ProgramOneShot,
    ];

    /// The value with this number; none if no value has it.
    pub const fn from_bits(bits: u32) -> Option<Self> {
        Some(match bits {
            0x00 => Self::ReadStatus,
            0x01 => Self::ReadStatusEnhanced,
            0x20 => Self::Reset,
            0x21 => Self::SynchronousReset,
            0x22 => Self::ResetLun,
            0x23 => Self::VolumeSelect,
            0x24 => Self::ReadMode,
            0x25 => Self::ReadTrigger,
            0x26 => Self::ReadMultiPlane,
            0x27 => Self::ReadCacheSequential,
            0x28 => Self::ReadCacheRandom,
            0x29 => Self::ReadCacheLast,
            0x2a => Self::CopybackRead,
            0x2b => Self::CopybackProgram,
            0x2c => Self::CopybackProgramMultiPlane,
            0x2d => Self::EraseBlock,
            0x2e => Self::EraseMultiPlaneOnfi,
            0x2f => Self::EraseMultiPlaneJedec,
            0x30 => Self::ProgramConfirm,
            0x31 => Self::ParameterPageTrigger,
            0x32 => Self::UniqueIdTrigger,
            0x33 => Self::FeaturesTrigger,
            0x34 => Self::FeaturesLunTrigger,
            0x3f => Self::Erase,
            0x40 => Self::ReadTransfer,
            0x41 => Self::ChangeReadColumn,
            0x42 => Self::ChangeReadColumnOnfi,
            0x43 => Self::ChangeReadColumnJedec,
            0x44 => Self::ReadId,
            0x45 => Self::FeaturesTransfer,
            0x58 => Self::Read,
            0x59 => Self::ReadParameterPage,
            0x5a => Self::ReadUniqueId,
            0x5b => Self::GetFeatures,
            0x5c => Self::GetFeaturesLun,
            0x60 => Self::ProgramPage,
            0x61 => Self::ProgramMultiPlane,
            0x62 => Self::ProgramCache,
            0x63 => Self::ProgramPart,
            0x64 => Self::ProgramLoad,
            0x65 => Self::ChangeWriteColumn,
            0x66 => Self::ChangeRowAddress,
            0x67 => Self::SetFeatures,
            0x68 => Self::SetFeaturesLun,
            0x69 => Self::OdtConfigure,
            0x78 => Self::Program,
            0x79 => Self::ProgramOneShot,
            _ => return None,
        })
    }
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Outcome {
    /// Done.
    Success = 0x00,
    /// The chip reports a failed program or erase, or does not report that it has ended.
    Failed = 0x01,
    /// A chunk is beyond correction, or the buffer has not got all of the page.
    Uncorrectable = 0x02,
    /// The chip, the buffer or a partner did not come in time, or data to be programmed came with an error.
    TimedOut = 0x03,
    /// No such operation, way or length.
    Refused = 0x04,
    /// Not begun: its queue was full, or its way gives back. Nothing was done.
    GivenBack = 0x05,
}

impl Outcome {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Success,
        Self::Failed,
        Self::Uncorrectable,
        Self::TimedOut,
        Self::Refused,
        Self::GivenBack,
    ];

    /// The value with this number; none if no value has it.
    pub const fn from_bits(bits: u32) -> Option<Self> {
        Some(match bits {
            0x00 => Self::Success,
            0x01 => Self::Failed,
            0x02 => Self::Uncorrectable,
            0x03 => Self::TimedOut,
            0x04 => Self::Refused,
            0x05 => Self::GivenBack,
            _ => return None,
        })
    }
}

/// Execution model of the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Model {
    /// Ways are independent (Ozone 4.2, OCOWFC).
    OutOfOrder = 0x00,
    /// Initiations in order, completions in order.
    Decoupled = 0x01,
    /// One operation at a time.
    Sequential = 0x02,
    /// One step at a time, as firmware sends them (Cosmos+).
    InOrder = 0x03,
}

impl Model {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::OutOfOrder, Self::Decoupled, Self::Sequential, Self::InOrder];

    /// The value with this number; none if no value has it.
    pub const fn from_bits(bits: u32) -> Option<Self> {
        Some(match bits {
            0x00 => Self::OutOfOrder,
            0x01 => Self::Decoupled,
            0x02 => Self::Sequential,
            0x03 => Self::InOrder,
            _ => return None,
        })
    }
}

/// What firmware asks for.
pub mod request {
    use super::Field;

    /// Words of the packet.
    pub const WORDS: usize = 4;
    /// What to do.
    pub const OPERATION: Field = Field::new(0, 0, 7);
    /// Way.
    pub const WAY: Field = Field::new(0, 10, 4);
    /// Comes back in the response.
    pub const TAG: Field = Field::new(0, 14, 8);
    /// Order is kept within a stream.
    pub const STREAM: Field = Field::new(0, 22, 3);
    /// Of high priority.
    pub const URGENT: Field = Field::new(0, 25, 1);
    /// Interrupt request.
    pub const IRQ: Field = Field::new(0, 26, 1);
    /// Interrupt condition: only if it did not succeed.
    pub const IRQ_ON_ERROR: Field = Field::new(0, 27, 1);
    /// Metadata follow the data, in the buffer entry and in the page.
    pub const METADATA: Field = Field::new(0, 28, 1);
    /// Neither encoded nor decoded.
    pub const BYPASS: Field = Field::new(0, 29, 1);
    /// Neither scrambled nor descrambled.
    pub const PLAIN: Field = Field::new(0, 30, 1);
    /// Gives no response.
    pub const SILENT: Field = Field::new(0, 31, 1);
    /// Row as the chip counts: LUN, block, page. P1 to P4 of features, P1 lowest.
    pub const ROW: Field = Field::new(1, 0, 32);
    /// First byte in the page. Feature address in 7:0, LUN in 15:8.
    pub const COLUMN: Field = Field::new(2, 0, 16);
    /// Bytes of user data, even.
    pub const LENGTH: Field = Field::new(2, 16, 16);
    /// Buffer entry.
    pub const BUFFER: Field = Field::new(3, 0, 16);
    /// Zero in every packet.
    pub const RESERVED: [Field; 2] = [Field::new(0, 7, 3), Field::new(3, 16, 16)];
}

/// How a request ended.
pub mod response {
    use super::Field;

    /// Words of the packet.
    pub const WORDS: usize = 3;
    /// Of the request.
    pub const TAG: Field = Field::new(0, 0, 8);
    /// Of the request.
    pub const WAY: Field = Field::new(0, 8, 4);
    /// Of the request.
    pub const STREAM: Field = Field::new(0, 12, 3);
    /// How it ended.
    pub const OUTCOME: Field = Field::new(0, 15, 3);
    /// Its interrupt is pending.
    pub const IRQ_PENDING: Field = Field::new(0, 18, 1);
    /// The page was erased.
    pub const ERASED: Field = Field::new(0, 19, 1);
    /// One in every response. A window without a response reads as zero.
    pub const VALID: Field = Field::new(0, 31, 1);
    /// Bits corrected in the page.
    pub const CORRECTED: Field = Field::new(1, 0, 12);
    /// Chunks beyond correction.
    pub const LOST: Field = Field::new(1, 16, 8);
    /// Most bits corrected in a chunk.
    pub const MOST: Field = Field::new(1, 24, 8);
    /// Status byte; four bytes of a feature.
    pub const VALUE: Field = Field::new(2, 0, 32);
    /// Zero in every packet.
    pub const RESERVED: [Field; 2] = [Field::new(0, 20, 11), Field::new(1, 12, 4)];
}
