//! Records of the journal: what changed in the map and the block table.

/// The kind of field 0 of what the drive has been through, and the one behind its last.
const FIRST_PAST: u64 = 16;
const END_PAST: u64 = FIRST_PAST + super::past::RECORDS as u64;

/// A change, with the sequence number of when it was planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Record {
    /// A page was programmed for a logical page. Written when the program has ended.
    Placed {
        /// The logical page.
        lpn: u32,
        /// The physical page.
        ppn: u32,
        /// When it was planned.
        sequence: u64,
    },
    /// Logical pages were freed one after the other, each a sequence number later.
    Unmapped {
        /// The first.
        lpn: u32,
        /// How many.
        count: u32,
        /// When the first was.
        sequence: u64,
    },
    /// The data of a logical page are lost.
    Lost {
        /// It.
        lpn: u32,
        /// When that was known.
        sequence: u64,
    },
    /// All logical pages were freed.
    Cleared {
        /// Bytes of a logical block from then on.
        block_bytes: u32,
        /// When.
        sequence: u64,
    },
    /// A superblock was opened: pages of it may be programmed from now on.
    Opened {
        /// Its way.
        die: u32,
        /// It.
        superblock: u32,
        /// When.
        sequence: u64,
    },
    /// Every program has ended that there was in a superblock since it was opened, and is recorded.
    Filled {
        /// Its way.
        die: u32,
        /// It.
        superblock: u32,
        /// When it was opened.
        sequence: u64,
    },
    /// A part of what the drive has been through ([`super::past`]).
    Past {
        /// Which.
        field: u8,
        /// What the drive has of this field.
        value: u64,
        /// When the page was made.
        sequence: u64,
    },
    /// A block has another place in the block table.
    Block {
        /// The block, counted over all ways.
        block: u32,
        /// Its place, as [`super::page::BlockPlace::code`] has it.
        place: u32,
        /// When that was.
        sequence: u64,
    },
}

impl Record {
    /// Bytes of a record: sequence number and kind in 8, then two numbers of 4.
    pub const BYTES: usize = 16;

    /// When the change was planned.
    pub fn sequence(&self) -> u64 {
        match *self {
            Record::Placed { sequence, .. }
            | Record::Unmapped { sequence, .. }
            | Record::Lost { sequence, .. }
            | Record::Cleared { sequence, .. }
            | Record::Opened { sequence, .. }
            | Record::Filled { sequence, .. }
            | Record::Past { sequence, .. }
            | Record::Block { sequence, .. } => sequence,
        }
    }

    /// Number of the last change that the record tells of, in the order in which changes were planned: each page of those freed
    /// together has a number.
    pub fn last_sequence(&self) -> u64 {
        match *self {
            Record::Unmapped { sequence, count, .. } => sequence + u64::from(count.max(1) - 1),
            _ => self.sequence(),
        }
    }

    /// The bytes.
    pub fn emit(&self) -> [u8; Self::BYTES] {
        let (kind, a, b) = match *self {
            Record::Placed { lpn, ppn, .. } => (1, lpn, ppn),
            Record::Unmapped { lpn, count, .. } => (2, lpn, count),
            Record::Lost { lpn, .. } => (3, lpn, 0),
            Record::Cleared { block_bytes, .. } => (4, block_bytes, 0),
            Record::Opened { die, superblock, .. } => (5, die, superblock),
            Record::Filled { die, superblock, .. } => (6, die, superblock),
            Record::Block { block, place, .. } => (7, block, place),
            Record::Past { field, value, .. } => {
                (FIRST_PAST + u64::from(field), value as u32, (value >> 32) as u32)
            }
        };
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&(self.sequence() << 8 | kind).to_le_bytes());
        bytes[8..12].copy_from_slice(&a.to_le_bytes());
        bytes[12..].copy_from_slice(&b.to_le_bytes());
        bytes
    }

    /// The record of these bytes; `None` of a kind that there is not.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let word = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let head = u64::from(word(4)) << 32 | u64::from(word(0));
        let (sequence, a, b) = (head >> 8, word(8), word(12));
        Some(match head & 0xff {
            1 => Record::Placed { lpn: a, ppn: b, sequence },
            2 => Record::Unmapped { lpn: a, count: b, sequence },
            3 => Record::Lost { lpn: a, sequence },
            4 => Record::Cleared { block_bytes: a, sequence },
            5 => Record::Opened { die: a, superblock: b, sequence },
            6 => Record::Filled { die: a, superblock: b, sequence },
            7 => Record::Block { block: a, place: b, sequence },
            kind @ FIRST_PAST..END_PAST => Record::Past {
                field: (kind - FIRST_PAST) as u8,
                value: u64::from(b) << 32 | u64::from(a),
                sequence,
            },
            _ => return None,
        })
    }
}
