//! Whether what was found of a zone was all written in this order.
//!
//! Before an earlier power loss, pages may have been programmed behind one that was not. They did not count then, and stayed where they
//! are, as a page takes data once. If the missing page was written since, they would seem to follow it. Each page tells how often the drive had found
//! its zones when it was planned, its *epoch*: along the pages of a zone, epochs only rise. So a page of a lower epoch than the
//! one before it is none of the zone's. No such page lies further behind than the data buffer has room for.

use alloc::vec::Vec;

use super::label::Label;
use crate::planted::{is_planted, Bug};

/// A zone whose pages are of several epochs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Mixed {
    pub zone: u32,
    /// The first page that is looked at, and the end of those that seem to be there.
    pub from: u32,
    pub end: u32,
}

/// How far the look at such zones has come.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Verify {
    left: Vec<Mixed>,
    now: Option<Mixed>,
    next: u32,
    is_reading: bool,
    /// The highest epoch so far of the present zone.
    epoch: u32,
    /// Zones with the pages that are theirs, and the epoch of the last one.
    pub ends: Vec<(u32, u32, u32)>,
}

impl Verify {
    /// Of these zones.
    pub fn new(mixed: Vec<Mixed>) -> Self {
        Verify { left: mixed, now: None, next: 0, is_reading: false, epoch: 0, ends: Vec::new() }
    }

    /// The page of a zone that is to be looked at next; none if one is being read, or all are known.
    pub fn next(&mut self) -> Option<(u32, u32)> {
        if self.is_reading {
            return None;
        }
        loop {
            match self.now {
                Some(mixed) if self.next < mixed.end => {
                    self.is_reading = true;
                    return Some((mixed.zone, self.next));
                }
                Some(mixed) => {
                    self.ends.push((mixed.zone, self.next, self.epoch));
                    self.now = None;
                }
                None => {
                    let mixed = self.left.pop()?;
                    (self.next, self.epoch, self.now) = (mixed.from, 0, Some(mixed));
                }
            }
        }
    }

    /// Takes what a page says; nothing of one that cannot be read, which is as the page before it.
    pub fn take(&mut self, label: Option<Label>) {
        self.is_reading = false;
        let epoch = label.map_or(self.epoch, |label| label.epoch);
        let Some(mixed) = &mut self.now else { return };
        if epoch < self.epoch && !is_planted(Bug::OrphansCounted) {
            mixed.end = self.next;
        } else {
            (self.epoch, self.next) = (epoch, self.next + 1);
        }
    }

    /// Whether all pages were looked at.
    pub fn is_over(&self) -> bool {
        self.left.is_empty() && self.now.is_none() && !self.is_reading
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_ends_before_a_page_of_a_lower_epoch() {
        let label = |epoch| Some(Label { lpn: 0, count: 4, is_blank: false, epoch, sequence: 1 });
        for (epochs, end, last) in [
            (&[Some(1), Some(1), Some(2), Some(2)][..], 9, 2),
            (&[Some(1), Some(2), Some(1), Some(2)], 7, 2),
            (&[Some(2), Some(1)], 6, 2),
            (&[Some(1), None, Some(3), Some(3)], 9, 3),
        ] {
            let mut verify = Verify::new(alloc::vec![Mixed { zone: 3, from: 5, end: 9 }]);
            let mut epochs = epochs.iter();
            while let Some((zone, page)) = verify.next() {
                assert_eq!((zone, verify.next()), (3, None), "page {page}");
                verify.take(epochs.next().expect("no more are asked for").and_then(label));
            }
            assert!(verify.is_over());
            assert_eq!(verify.ends, [(3, end, last)]);
        }
    }
}
