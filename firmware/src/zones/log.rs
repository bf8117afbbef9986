//! The log of pages written in part.
//!
//! Flash takes whole pages, and each page of a block once. A flush asks for blocks to be durable that do not fill a page yet. They go, as
//! many as are there, to a page of the way's log block, from which they are read again after a power loss. The page itself stays in the
//! data buffer and is programmed in its zone when it is full; what the log has of it counts no more from then on.
//!
//! A log block that is full is followed by another. What still counts in it is written to the new one, out of the data buffer, and
//! then it is erased. *Marks* in the log say that a zone was reset, where no erase of a flash block says so: of a zone that had nothing but a
//! page in the log, and where a block could not be erased. A further mark says from where on the log of a way counts, if a log block
//! could not be erased.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use crate::operations::Sequence;

/// Flash blocks of each way that the log needs: one that is written, one that is being given up, and one that is erased.
pub(super) const BLOCKS_A_WAY: u32 = 3;
/// The bit of a sequence number by which pages of the log are told from those of zones.
const OF_LOG: u64 = 1 << 63;

/// Where the log holds the last page of a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Record {
    pub die: u32,
    pub block: u32,
    /// The row in the way.
    pub row: u32,
    /// The page of the zone.
    pub page: u32,
    /// Blocks of the zone up to the last one that it holds.
    pub end: u32,
}

/// The number of a page of the log: which one it is of the drive's, and the generation of the zone that it is about.
pub(super) fn sequence_of(serial: u32, generation: u32) -> Sequence {
    Sequence::new(OF_LOG | u64::from(serial) << 32 | u64::from(generation))
}

/// What the number of a page says, if it is one of the log: which one it is, and a generation.
pub(super) fn parse_sequence(sequence: u64) -> Option<(u32, u32)> {
    (sequence & OF_LOG != 0).then_some(((sequence >> 32 & 0x7fff_ffff) as u32, sequence as u32))
}

/// What a mark says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) enum Mark {
    /// Data of the zone of lower generations are gone.
    Reset(u32),
    /// Pages of the way's log with lower numbers count no more.
    Floor,
}

/// A flash block of the log, and what counts of it.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct LogBlock {
    pub block: u32,
    /// Pages of it that count, and programs under way.
    pub live: u32,
}

/// What the log has in a way.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct WayLog {
    /// Its blocks, the oldest first.
    pub blocks: VecDeque<LogBlock>,
    /// The last of them is being written, and this is its next row; none if the last takes no more.
    pub row: Option<u32>,
    /// Pages with lower numbers do not count, though they may be there; 0 if all count that are there.
    pub floor: u32,
    /// Zones of which a block of this way could not be erased.
    pub stale: Vec<u32>,
}

/// The logs of all ways.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Log {
    ways: Vec<WayLog>,
    pub serial: u32,
    pub marks: VecDeque<(u32, Mark)>,
    /// Data were lost that were acknowledged, and no flush has told so.
    has_lost: bool,
    /// No block is given up: marks in them still count, as blocks of zones that were reset before a power loss are not erased yet.
    pub is_held: bool,
}

impl Log {
    pub fn new(dies: u32) -> Self {
        let way = || WayLog {
            blocks: VecDeque::with_capacity(BLOCKS_A_WAY as usize + 1),
            row: None,
            floor: 0,
            stale: Vec::new(),
        };
        Log {
            ways: (0..dies).map(|_| way()).collect(),
            serial: 0,
            marks: VecDeque::new(),
            has_lost: false,
            is_held: false,
        }
    }

    /// Data were lost that were acknowledged.
    pub fn note_lost(&mut self) {
        self.has_lost = true;
    }

    /// Whether data were lost since this was asked last.
    pub fn take_lost(&mut self) -> bool {
        core::mem::take(&mut self.has_lost)
    }

    pub fn way(&mut self, die: u32) -> &mut WayLog {
        &mut self.ways[die as usize]
    }

    /// A block that the log was found in; blocks of a way come oldest first, and take no more pages.
    pub fn found(&mut self, die: u32, block: u32, live: u32) {
        self.way(die).blocks.push_back(LogBlock { block, live });
    }

    /// The highest number of a page that was found.
    pub fn found_serial(&mut self, serial: u32) {
        self.serial = self.serial.max(serial);
    }

    /// Pages of a way's log with lower numbers do not count.
    pub fn found_floor(&mut self, die: u32, floor: u32) {
        let way = self.way(die);
        way.floor = way.floor.max(floor);
    }

    /// So many more pages of a log block count, or less.
    pub fn count(&mut self, die: u32, block: u32, change: i32) {
        let mut blocks = self.way(die).blocks.iter_mut();
        if let Some(own) = blocks.find(|own| own.block == block) {
            own.live = own.live.checked_add_signed(change).expect("what ends was begun");
        }
    }

    /// A block of a zone could not be erased.
    pub fn note_stale(&mut self, die: u32, zone: u32) {
        let stale = &mut self.way(die).stale;
        if !stale.contains(&zone) {
            stale.push(zone);
        }
    }

    /// The ways in which a block of a zone could not be erased.
    pub fn stale_ways(&self, zone: u32) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.ways).filter(move |(_, way)| way.stale.contains(&zone)).map(|(die, _)| die)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn numbers_of_pages_of_the_log_are_told_from_generations() {
        assert_eq!(parse_sequence(u32::MAX.into()), None);
        for (serial, generation) in [(0, 0), (1, u32::MAX), (0x7fff_ffff, 7)] {
            let sequence = sequence_of(serial, generation).get();
            assert_eq!(parse_sequence(sequence), Some((serial, generation)));
        }
    }

    #[test]
    fn a_log_block_counts_what_is_in_it() {
        let mut log = Log::new(2);
        log.found(1, 7, 2);
        log.found(1, 8, 0);
        log.found_serial(9);
        log.found_serial(5);
        log.count(1, 7, -1);
        assert_eq!(log.way(1).blocks.iter().map(|own| own.live).collect::<Vec<_>>(), vec![1, 0]);
        assert_eq!(log.serial, 9);
        log.note_stale(1, 3);
        log.note_stale(1, 3);
        assert_eq!(log.stale_ways(3).collect::<Vec<_>>(), [1]);
        assert_eq!(log.stale_ways(4).count(), 0);
    }
}
