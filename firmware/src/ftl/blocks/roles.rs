//! What blocks are for, and which data they take.

use contract::MOST_HANDLES;

/// Which data go to an open superblock of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Stream {
    /// New ones; all where streams are not apart, and those of handle 0 where the host places its data.
    Host,
    /// Those that collection moves.
    Moved,
    /// New ones of a placement handle from 1 on.
    Handle(u8),
}

/// Most streams that a way has an open superblock for.
pub(in crate::ftl) const MOST_STREAMS: usize = MOST_HANDLES as usize + 1;

impl Stream {
    /// All of them, in the order of [`Stream::index`].
    pub const ALL: [Stream; MOST_STREAMS] = {
        let mut all = [Stream::Host; MOST_STREAMS];
        all[1] = Stream::Moved;
        let mut handle = 1;
        while handle < MOST_HANDLES {
            all[1 + handle as usize] = Stream::Handle(handle);
            handle += 1;
        }
        all
    };

    /// Those of a drive whose host does not place its data.
    pub const PLAIN: [Stream; 2] = [Stream::Host, Stream::Moved];

    /// The stream of a placement handle's new data.
    #[inline]
    pub const fn of_handle(handle: u8) -> Stream {
        match handle {
            0 => Stream::Host,
            handle => Stream::Handle(handle),
        }
    }

    /// The placement handle whose new data a stream takes.
    pub const fn handle(self) -> Option<u8> {
        match self {
            Stream::Host => Some(0),
            Stream::Moved => None,
            Stream::Handle(handle) => Some(handle),
        }
    }

    /// Its place in tables of streams.
    #[inline]
    pub const fn index(self) -> usize {
        match self {
            Stream::Host => 0,
            Stream::Moved => 1,
            Stream::Handle(handle) => 1 + handle as usize,
        }
    }
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
