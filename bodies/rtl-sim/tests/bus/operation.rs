//! The operations that are one turn on the bus.

/// Numbers as in `fm_flash_pkg::operation_e`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    ReadStatus = 0x00,
    ReadStatusEnhanced = 0x01,
    Reset = 0x20,
    SynchronousReset = 0x21,
    ResetLun = 0x22,
    VolumeSelect = 0x23,
    ReadMode = 0x24,
    ReadTrigger = 0x25,
    ReadMultiPlane = 0x26,
    ReadCacheSequential = 0x27,
    ReadCacheRandom = 0x28,
    ReadCacheLast = 0x29,
    CopybackRead = 0x2a,
    CopybackProgram = 0x2b,
    CopybackProgramMultiPlane = 0x2c,
    EraseBlock = 0x2d,
    EraseMultiPlaneOnfi = 0x2e,
    EraseMultiPlaneJedec = 0x2f,
    ProgramConfirm = 0x30,
    ParameterPageTrigger = 0x31,
    UniqueIdTrigger = 0x32,
    FeaturesTrigger = 0x33,
    FeaturesLunTrigger = 0x34,
    ReadTransfer = 0x40,
    ChangeReadColumn = 0x41,
    ChangeReadColumnOnfi = 0x42,
    ChangeReadColumnJedec = 0x43,
    ReadId = 0x44,
    FeaturesTransfer = 0x45,
    ProgramPage = 0x60,
    ProgramMultiPlane = 0x61,
    ProgramCache = 0x62,
    ProgramPart = 0x63,
    ProgramLoad = 0x64,
    ChangeWriteColumn = 0x65,
    ChangeRowAddress = 0x66,
    SetFeatures = 0x67,
    SetFeaturesLun = 0x68,
    OdtConfigure = 0x69,
}

/// How many there are.
pub const OPERATIONS: usize = 39;

impl Operation {
    /// Whether its words go over the streams.
    pub fn moves_words(self) -> bool {
        use Operation::*;
        (ReadTransfer..=ReadId).contains(&self) || (ProgramPage..=ChangeRowAddress).contains(&self)
    }
}
