//! What blocks are for, and which data they take.

/// Which data go to an open superblock of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Stream {
    /// New ones; all where streams are not apart.
    Host,
    /// Those that collection moves.
    Moved,
}

impl Stream {
    /// All of them.
    pub const ALL: [Stream; 2] = [Stream::Host, Stream::Moved];
}

/// What a block is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Role {
    /// Erased, or with its erase already queued; waits in the free list.
    Free,
    /// Takes new pages.
    Open,
    /// Full.
    Closed,
    /// Full, and its valid pages are being moved out; one superblock a way at most.
    Victim,
    /// A program in it failed: the pages before can be read until newer copies exist, and no more
    /// are written.
    Failed,
    /// Set aside to stand in for one that goes bad.
    Spare,
    /// Never used again.
    Bad,
}

/// A block as others may see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockState {
    /// What it is for.
    pub role: Role,
    /// Times it was erased.
    pub erases: u32,
    /// Share of its superblock's mapping units that are valid, in thousandths; 0 where it is in none.
    pub valid_permille: u32,
    /// How many mapping units of its way became invalid since its superblock last changed; 0 where it is in none.
    pub age: u64,
}
