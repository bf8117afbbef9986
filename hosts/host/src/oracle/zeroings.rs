//! Which deallocations and writes of zeroes began since some moment.
//!
//! A write leaves its version behind, so that a later look at the LBA tells what was written in
//! between. Zeroes leave nothing, and so each change to zeroes is noted for as long as a read is in
//! flight that may have met it.

use std::collections::VecDeque;

/// Changes after which a new segment is begun.
const SEGMENT: usize = 256;

/// A moment in the record.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moment {
    segment: u64,
    index: usize,
}

#[derive(Debug, Default)]
struct Segment {
    /// Reads in flight that began in this segment.
    reads: u32,
    /// Ranges of LBAs: first and behind the last.
    ranges: Vec<(u64, u64)>,
}

/// The record.
#[derive(Debug)]
pub(super) struct Zeroings {
    segments: VecDeque<Segment>,
    /// Number of the first segment kept.
    first: u64,
}

impl Zeroings {
    pub(super) fn new() -> Self {
        Zeroings { segments: VecDeque::from([Segment::default()]), first: 0 }
    }

    /// A change to zeroes of `blocks` LBAs begins.
    pub(super) fn note(&mut self, lba: u64, blocks: u64) {
        if self.newest().ranges.len() >= SEGMENT {
            self.segments.push_back(Segment::default());
            self.drop_unread();
        }
        self.newest().ranges.push((lba, lba + blocks));
    }

    /// A read begins. Returns the moment from which changes to zeroes count for it.
    #[inline]
    pub(super) fn begin_read(&mut self) -> Moment {
        let segment = self.first + self.segments.len() as u64 - 1;
        let newest = self.newest();
        newest.reads += 1;
        Moment { segment, index: newest.ranges.len() }
    }

    /// The read that began at `since` ends.
    #[inline]
    pub(super) fn end_read(&mut self, since: Moment) {
        let segment = &mut self.segments[(since.segment - self.first) as usize];
        segment.reads -= 1;
        if segment.reads == 0 && self.segments.len() > 1 {
            self.drop_unread();
        }
    }

    /// Whether a change of `lba` to zeroes began since.
    pub(super) fn any_since(&self, since: Moment, lba: u64) -> bool {
        let from = (since.segment - self.first) as usize;
        let mut skip = since.index;
        self.segments.range(from..).any(|segment| {
            let ranges = &segment.ranges[std::mem::take(&mut skip)..];
            ranges.iter().any(|&(first, end)| (first..end).contains(&lba))
        })
    }

    #[inline]
    fn newest(&mut self) -> &mut Segment {
        self.segments.back_mut().expect("there is always a newest segment")
    }

    fn drop_unread(&mut self) {
        while self.segments.len() > 1 && self.segments[0].reads == 0 {
            self.segments.pop_front();
            self.first += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_sees_what_began_after_it_and_old_segments_go() {
        let mut zeroings = Zeroings::new();
        zeroings.note(10, 5);
        let early = zeroings.begin_read();
        for lba in 100..1100 {
            zeroings.note(lba, 1);
        }
        let late = zeroings.begin_read();
        zeroings.note(7, 2);
        for (lba, since_early, since_late) in
            [(12, false, false), (100, true, false), (1099, true, false), (8, true, true)]
        {
            assert_eq!(zeroings.any_since(early, lba), since_early, "{lba}");
            assert_eq!(zeroings.any_since(late, lba), since_late, "{lba}");
        }
        assert!(zeroings.segments.len() > 3);
        zeroings.end_read(early);
        assert_eq!(zeroings.segments.len(), 1);
        assert!(zeroings.any_since(late, 8));
        zeroings.end_read(late);
    }
}
