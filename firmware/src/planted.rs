//! Bugs planted on purpose, to see that tests find them. They exist only in this crate's own tests and with
//! the feature `planted-bugs`, which other tests ask for; without it [`is_planted`] is `false` and nothing is left of them.

/// What the firmware is to do wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// A flush ends without waiting for programs.
    FlushTooEarly,
    /// A flush ends without waiting for the records of what was freed.
    FlushForgetsFreed,
    /// Forced unit access is treated as any other.
    ForcedAccessIgnored,
    /// What is deallocated keeps its data.
    DeallocationSkipped,
    /// A write completes before it is in flash though the write cache is off.
    WriteThroughIgnored,
    /// What was freed is not recorded.
    FreedNotRecorded,
    /// Collection takes pages for valid that have newer data elsewhere.
    StaleCopyMoved,
    /// A part of the map whose changes flash does not hold leaves memory.
    DirtyPartDropped,
    /// A part of the map comes to memory without what changed meanwhile.
    ChangesNotTakenOver,
    /// What recovery has applied to a part of the map is not written before the part leaves memory.
    RecordsOfPartsForgotten,
    /// A part of the map is read from the snapshot before its newest.
    OldPartRead,
    /// Collection erases the block behind that of its victim.
    WrongBlockErased,
    /// Programs do not wait for the record that their superblock was opened.
    OpenedNotAwaited,
    /// Snapshots are written without waiting for the programs that they know of.
    SnapshotTooEarly,
    /// Journal pages count as written when they are begun.
    JournalCountsTooEarly,
    /// Where blocks are that were replaced is not recorded.
    BadBlocksNotRecorded,
    /// A superblock counts as filled when its last page is placed, not when it is programmed.
    FilledTooEarly,
    /// Recovery applies records in the order in which it finds them.
    SequenceIgnored,
    /// Recovery applies records that are older than the snapshot of their part.
    OldRecordsApplied,
    /// Recovery takes the oldest snapshot of a part.
    OldSnapshotTaken,
    /// Recovery does not read superblocks that were open.
    OpenNotRead,
    /// Recovery goes on at a page that was cut off.
    TornTakenForErased,
    /// What recovery found in open superblocks is not recorded again.
    FoundNotRecorded,
    /// A superblock counts as filled when that is noted, not when flash holds the record.
    FilledNotAwaited,
    /// A command that frees durably what was freed before does not wait for the record of that.
    FreedBeforeNotAwaited,
    /// Of the free superblocks that recovery finds, none is erased before it is opened.
    FreeNotErased,
    /// A program whose chip did not turn ready in time counts as done.
    TimeOutTakenForSuccess,
    /// More pages wait for the flash than the capacitor lets the drive save.
    ReserveIgnored,
    /// The journal is not saved when the power goes away.
    SaveForgetsJournal,
    /// Data of the host replace older ones in the buffer bit by bit, where the power may go away meanwhile.
    StagingSkipped,
    /// What was saved is erased before flash holds elsewhere what it tells.
    AreaErasedTooEarly,
    /// What a chip that hangs had been given when the power went away is not saved elsewhere.
    HungPageNotSaved,
    /// Of programs that have not ended when the power goes away, only the first mapping unit is saved.
    SaveForgetsJoined,
    /// Two mapping units of a page that is saved are named the wrong way round.
    SavedUnitsSwapped,
    /// A block out of use counts as empty, whatever recovery finds in it.
    BadBlockStaysEmpty,
    /// A block of the log that failed is not erased again before the next start.
    FailedLogBlockLeftOut,
    /// Superblocks have the blocks that the snapshot read last tells of.
    MembersInOrderOfLog,
    /// A read that stays behind the program of its page is urgent.
    ReadBehindProgramUrgent,
    /// Recovery goes on in blocks of the log that may not have been erased for their lap.
    LogBlockNotErased,
    /// A page of the log that ran behind one that failed is programmed again to the same place.
    LogPageProgrammedTwice,
    /// Programs are planned though snapshots are behind.
    ShortLogPlannedOn,
    /// Collection ahead of need goes on though snapshots are behind.
    ShortLogMovedOn,
    /// Lost data that a snapshot took for present stay present.
    LostTakenForPresent,
    /// The newest entry of the buffer, if it counts as clean, still does once it is changed.
    NewestTakenForClean,
    /// A read of several mapping units may give an entry of its own away.
    EntryGivenAwayTwice,
    /// No block of a way is kept for a program that fails while data are saved.
    EverySaveBlockCounted,
    /// Data that did not arrive count as having replaced those that were lost.
    AbsentTakenForReplaced,
    /// A write whose data do not arrive looks for what its page held in the block that failed.
    FormerStaysInFailedBlock,
    /// A page that is programmed once more counts as programmed behind the erases of its block.
    ErasesInAnyOrder,
    /// An erase that was planned before the page was counts as one behind it.
    EarlierEraseCounted,
    /// The first operation of a way counts as begun though it waits.
    HeldEraseCounted,
    /// Reads behind the erase of a block count as reads of what was lost in the block before.
    DoomedBehindErase,
    /// Pages go to a block of the save area behind others that went elsewhere.
    SavedBehindErased,
    /// A superblock counts as filled when a program behind its own has ended.
    FilledOutOfOrder,
    /// Mapping units that share a program are saved as if all had been planned with the last.
    JoinedAgesIgnored,
    /// Mapping units that are saved in a page are told to have been planned with its first.
    PackedAgesIgnored,
    /// What was saved in a page is put back as if all had been planned with its first unit.
    GatheredAgesIgnored,
    /// Data are saved to a block that could not be erased for them.
    FailedSaveBlockUsed,
    /// Data that the host has not sent yet are saved.
    AbsentSaved,
    /// An entry is saved for each program of it that waits, under one metadata.
    EntrySavedTwice,
    /// What is on its way to a chip that hangs is saved again together with other units.
    HungPageSavedWithOthers,
    /// That all was freed is not recorded.
    FormatNotRecorded,
    /// A page that reads as erased is taken for what was programmed there.
    ErasedTakenForData,
    /// What a page says of itself is not compared with what was to be read.
    MetadataIgnored,
    /// Recovery takes a page whose program was lost for the end of its superblock.
    LostTakenForEnd,
    /// Recovery does not ask for journal pages that others tell of.
    MissedLogIgnored,
    /// A flush of a drive with zones waits for programs, and not for pages written in part.
    PartialPageForgotten,
    /// That a zone was reset whose first page the log holds is not said there.
    ResetNotMarked,
    /// Pages that an earlier power loss cut off count once the page before them is written.
    OrphansCounted,
    /// The reset of a zone ends before its blocks are erased.
    ResetTooEarly,
    /// A zone that was finished is not sealed.
    FinishNotSealed,
}

impl Bug {
    /// Bugs of drives that keep only a part of their map in memory, and one bug of every drive.
    pub const OF_PAGED_MAP: [Bug; 5] = [
        Bug::DirtyPartDropped,
        Bug::ChangesNotTakenOver,
        Bug::RecordsOfPartsForgotten,
        Bug::OldPartRead,
        Bug::StaleCopyMoved,
    ];

    /// All others.
    pub const ALL: [Bug; 30] = [
        Bug::FlushTooEarly,
        Bug::FlushForgetsFreed,
        Bug::ForcedAccessIgnored,
        Bug::WriteThroughIgnored,
        Bug::DeallocationSkipped,
        Bug::FreedNotRecorded,
        Bug::StaleCopyMoved,
        Bug::WrongBlockErased,
        Bug::OpenedNotAwaited,
        Bug::SnapshotTooEarly,
        Bug::JournalCountsTooEarly,
        Bug::BadBlocksNotRecorded,
        Bug::FilledTooEarly,
        Bug::SequenceIgnored,
        Bug::OldRecordsApplied,
        Bug::OldSnapshotTaken,
        Bug::OpenNotRead,
        Bug::TornTakenForErased,
        Bug::FoundNotRecorded,
        Bug::FilledNotAwaited,
        Bug::FreedBeforeNotAwaited,
        Bug::FreeNotErased,
        Bug::TimeOutTakenForSuccess,
        Bug::ReserveIgnored,
        Bug::SaveForgetsJournal,
        Bug::StagingSkipped,
        Bug::AreaErasedTooEarly,
        Bug::HungPageNotSaved,
        Bug::SaveForgetsJoined,
        Bug::SavedUnitsSwapped,
    ];

    /// Bugs of drives with zones.
    pub const OF_ZONES: [Bug; 5] = [
        Bug::PartialPageForgotten,
        Bug::ResetNotMarked,
        Bug::OrphansCounted,
        Bug::ResetTooEarly,
        Bug::FinishNotSealed,
    ];

    /// Faults that the firmware had: histories of `firmament torture` showed them.
    pub const FORMER: [Bug; 21] = [
        Bug::BadBlockStaysEmpty,
        Bug::FailedLogBlockLeftOut,
        Bug::MembersInOrderOfLog,
        Bug::ReadBehindProgramUrgent,
        Bug::LogBlockNotErased,
        Bug::LogPageProgrammedTwice,
        Bug::ShortLogPlannedOn,
        Bug::ShortLogMovedOn,
        Bug::LostTakenForPresent,
        Bug::NewestTakenForClean,
        Bug::EntryGivenAwayTwice,
        Bug::EverySaveBlockCounted,
        Bug::AbsentTakenForReplaced,
        Bug::FormerStaysInFailedBlock,
        Bug::ErasesInAnyOrder,
        Bug::EarlierEraseCounted,
        Bug::HeldEraseCounted,
        Bug::DoomedBehindErase,
        Bug::SavedBehindErased,
        Bug::FilledOutOfOrder,
        Bug::ErasedTakenForData,
    ];
}

#[cfg(any(test, feature = "planted-bugs"))]
mod of_thread {
    extern crate std;

    use crate::planted::Bug;
    use core::cell::Cell;

    std::thread_local! {
        static PLANTED: Cell<Option<Bug>> = const { Cell::new(None) };
    }

    /// Plants a bug in all drives of this thread, or takes it out.
    pub fn plant(bug: Option<Bug>) {
        PLANTED.set(bug);
    }

    /// Whether a bug is planted in the drives of this thread.
    #[inline]
    pub fn is_planted(bug: Bug) -> bool {
        PLANTED.get() == Some(bug)
    }
}

#[cfg(any(test, feature = "planted-bugs"))]
pub use of_thread::{is_planted, plant};

/// Whether a bug is planted.
#[cfg(not(any(test, feature = "planted-bugs")))]
#[inline]
pub const fn is_planted(_bug: Bug) -> bool {
    false
}
