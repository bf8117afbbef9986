//! Writes that are there as a whole or not at all: on a drive with a capacitor those that stay within a mapping unit, beside other
//! commands (NAWUN) and behind a power loss (NAWUPF). A write across a boundary of units is such a write in each unit.
//!
//! A block with the data of a write has company: no other block of this write in the unit holds what is older than the write.

use machine::Stamp;

use crate::extent::{Extent, Moment};

/// The first version that a host writes. Below it is what a preconditioned drive holds.
const FIRST: u32 = 2;

#[derive(Clone, Copy)]
struct Written {
    extent: Extent,
    begun: Moment,
    ended: Moment,
}

/// All writes of a history, by version.
pub(crate) struct Atomic {
    /// Blocks of a mapping unit.
    unit: u64,
    writes: Vec<Written>,
    /// Blocks that the host ever made zero: of their zeroes nobody knows how old they are.
    zeroed: Vec<bool>,
}

impl Atomic {
    /// On a drive of so many blocks, whose mapping units have `unit` of them.
    pub(crate) fn new(blocks: u64, unit: u64) -> Self {
        Atomic { unit, writes: Vec::new(), zeroed: vec![false; blocks as usize] }
    }

    /// The write of the next version begins.
    pub(crate) fn begin_write(&mut self, extent: Extent, begun: Moment) {
        self.writes.push(Written { extent, begun, ended: Moment::MAX });
    }

    /// Blocks begin to turn to zeroes.
    pub(crate) fn begin_zeroes(&mut self, extent: Extent) {
        self.zeroed[extent.range()].fill(true);
    }

    /// The change that began at `begun` is over, if it was a write.
    pub(crate) fn end(&mut self, begun: Moment, ended: Moment) {
        if let Ok(nth) = self.writes.binary_search_by_key(&begun, |write| write.begun) {
            self.writes[nth].ended = ended;
        }
    }

    /// All writes are over, since the power went away.
    pub(crate) fn end_all(&mut self, now: Moment) {
        let open = self.writes.iter_mut().filter(|write| write.ended == Moment::MAX);
        open.for_each(|write| write.ended = now);
    }

    /// Looks at what a read found. Of blocks that are `exempt` nothing is promised.
    ///
    /// # Errors
    /// A write that is there in part.
    pub(crate) fn check(
        &self,
        extent: Extent,
        found: &[Stamp],
        exempt: impl Fn(u64) -> bool,
    ) -> Result<(), String> {
        let end = extent.lba + extent.blocks;
        let at = |lba: u64| found[(lba - extent.lba) as usize];
        for lba in extent.lba..end {
            let version = at(lba).version();
            if at(lba) == Stamp::ZERO || version < FIRST || exempt(lba) {
                continue;
            }
            let write = self.writes[(version - FIRST) as usize];
            let unit = lba / self.unit * self.unit;
            let first = unit.max(write.extent.lba).max(extent.lba);
            let beyond = (unit + self.unit).min(write.extent.lba + write.extent.blocks).min(end);
            let torn = |other: &u64| !exempt(*other) && self.is_older(*other, at(*other), write);
            if let Some(other) = (first..beyond).find(torn) {
                return Err(format!(
                    "a write is torn: LBA {lba} has {:?}, LBA {other} of the same mapping unit still {:?}",
                    at(lba),
                    at(other)
                ));
            }
        }
        Ok(())
    }

    /// Whether a block that holds `found` does not hold the data of a write, nor what may have come later.
    fn is_older(&self, lba: u64, found: Stamp, write: Written) -> bool {
        if found == Stamp::ZERO {
            return !self.zeroed[lba as usize];
        }
        let other = found.version().checked_sub(FIRST).map(|nth| self.writes[nth as usize]);
        other.is_none_or(|other| other.ended < write.begun)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: Extent = Extent { lba: 4, blocks: 2 };

    /// Two writes of both blocks, the second of which begins before or behind the end of the first.
    fn written(is_behind: bool) -> Atomic {
        let mut atomic = Atomic::new(8, 4);
        atomic.begin_write(BOTH, 10);
        if is_behind {
            atomic.end(10, 15);
        }
        atomic.begin_write(BOTH, 20);
        atomic.end(10, 30);
        atomic
    }

    fn stamps(versions: [u32; 2]) -> [Stamp; 2] {
        let stamp =
            |(lba, version)| if version == 0 { Stamp::ZERO } else { Stamp::new(lba, version) };
        [(4, versions[0]), (5, versions[1])].map(stamp)
    }

    #[test]
    fn a_write_that_is_there_in_part_is_torn() {
        let mut atomic = written(true);
        atomic.end(10, 15);
        let is_whole =
            |atomic: &Atomic, versions| atomic.check(BOTH, &stamps(versions), |_| false).is_ok();
        for whole in [[0, 0], [1, 1], [2, 2], [3, 3], [0, 1]] {
            assert!(is_whole(&atomic, whole), "{whole:?}");
        }
        for torn in [[3, 2], [2, 3], [3, 1], [0, 2]] {
            assert!(!is_whole(&atomic, torn), "{torn:?}");
        }
        let found = stamps([3, 2]);
        assert!(atomic.check(BOTH, &found, |lba| lba == 5).is_ok(), "nothing is promised of it");
        let one = Extent { lba: 4, blocks: 1 };
        assert!(atomic.check(one, &found[..1], |_| false).is_ok(), "what was not read");
        atomic.begin_zeroes(Extent { lba: 4, blocks: 1 });
        assert!(is_whole(&atomic, [0, 2]) && !is_whole(&atomic, [2, 0]));
    }

    #[test]
    fn of_writes_at_once_either_may_be_the_last_of_a_block() {
        let atomic = written(false);
        for whole in [[3, 2], [2, 3]] {
            assert!(atomic.check(BOTH, &stamps(whole), |_| false).is_ok(), "{whole:?}");
        }
        assert!(atomic.check(BOTH, &stamps([3, 1]), |_| false).is_err());
    }

    #[test]
    fn units_are_whole_each_for_itself() {
        let mut atomic = Atomic::new(8, 4);
        let across = Extent { lba: 2, blocks: 4 };
        atomic.begin_write(across, 10);
        let found = |versions: [u32; 4]| {
            let stamps = [2, 3, 4, 5].into_iter().zip(versions);
            let stamps: Vec<_> = stamps.map(|(lba, version)| Stamp::new(lba, version)).collect();
            atomic.check(across, &stamps, |_| false)
        };
        assert!(found([2, 2, 1, 1]).is_ok() && found([1, 1, 2, 2]).is_ok());
        assert!(found([2, 1, 2, 2]).is_err() && found([1, 1, 1, 2]).is_err());
    }
}
