//! Journal pages: records gather in one entry of the buffer memory while another is written.

use alloc::collections::VecDeque;
use contract::{BufferId, Hardware};

use super::page::{put_record, seal, Time, HEADER};
use super::past::{self, Keeper};
use super::record::Record;
use crate::operations::Ended;

/// Entries of the buffer memory that the journal uses.
pub const ENTRIES: u32 = 2;

/// Where the entry stands that is not being filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
enum Other {
    /// It is free.
    Free,
    /// It is to be written.
    Sealed,
    /// It is being written.
    UnderWay,
}

/// The two entries of the buffer memory in which records gather, and records that find no room there.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Journal {
    first_entry: u32,
    /// Which of the entries is being filled.
    filling: u32,
    /// Records in it, and in the other.
    counts: [u32; ENTRIES as usize],
    other: Other,
    /// Records a page, beside those of what the drive has been through.
    capacity: u32,
    /// Records for which there is no room yet.
    waiting: VecDeque<Record>,
    /// The last record, if it can be made longer.
    last: Option<Record>,
    /// Position of the last page that was written, plus 1: the next one tells it, so that a page that was lost is missed.
    before: u64,
}

impl Journal {
    /// An empty journal. So many operations can end while both entries are full.
    pub fn new(first_entry: u32, page_bytes: u32, operations: u32) -> Self {
        Journal {
            first_entry,
            filling: 0,
            counts: [0; ENTRIES as usize],
            other: Other::Free,
            capacity: ((page_bytes as usize - HEADER) / Record::BYTES) as u32 - past::RECORDS,
            waiting: VecDeque::with_capacity(2 * operations as usize),
            last: None,
            before: 0,
        }
    }

    /// The last page that flash holds is at this position, as recovery has found.
    pub fn follow(&mut self, position: u64) {
        self.before = position + 1;
    }

    /// Whether records find room in the entry that is being filled.
    pub fn has_room(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether an entry is one of the journal's.
    pub fn owns(&self, entry: BufferId) -> bool {
        entry.0.wrapping_sub(self.first_entry) < ENTRIES
    }

    /// Adds a record, which has to be on one page with so many behind it.
    pub fn add(&mut self, hw: &mut impl Hardware, record: Record, behind: u32) {
        self.last = Some(record);
        let count = self.counts[self.filling as usize];
        if count + behind >= self.capacity || !self.waiting.is_empty() {
            self.waiting.push_back(record);
            return;
        }
        put_record(hw.log_page(self.entry(self.filling)), count, record);
        self.counts[self.filling as usize] += 1;
    }

    /// One more logical page was freed: it goes into the last record, if that ends just before it and is
    /// still in the entry that is being filled.
    pub fn extend(&mut self, hw: &mut impl Hardware, (next, now): (u32, u64)) -> bool {
        let Some(Record::Unmapped { lpn, count, sequence }) = self.last else { return false };
        let filled = self.counts[self.filling as usize];
        let follows = lpn + count == next && sequence + u64::from(count) == now;
        if !follows || filled == 0 || !self.waiting.is_empty() {
            return false;
        }
        let longer = Record::Unmapped { lpn, count: count + 1, sequence };
        put_record(hw.log_page(self.entry(self.filling)), filled - 1, longer);
        self.last = Some(longer);
        true
    }

    /// The entry that is to be written, if one is: a full one, any with records where they are `wanted`, or
    /// any at all for the sake of what the drive has been through.
    pub fn to_write(
        &mut self,
        hw: &mut impl Hardware,
        (wanted, time): (bool, Time),
        past: &mut Keeper,
    ) -> Option<BufferId> {
        match self.other {
            Other::UnderWay => None,
            Other::Sealed => Some(self.entry(1 - self.filling)),
            Other::Free => {
                let count = self.counts[self.filling as usize];
                let is_full = count == self.capacity || !self.waiting.is_empty();
                let due = is_full || count > 0 && wanted || past.wants_page();
                if !due {
                    return None;
                }
                let page = hw.log_page(self.entry(self.filling));
                let mut all = count;
                for record in past.seal(time.sequence) {
                    put_record(page, all, record);
                    all += 1;
                }
                let entry = self.turn_over(hw, all, Time { position: self.before, ..time });
                self.other = Other::Sealed;
                Some(entry)
            }
        }
    }

    /// Seals the entry that is being filled, of so many records, and goes on with the other.
    fn turn_over(&mut self, hw: &mut impl Hardware, all: u32, time: Time) -> BufferId {
        let entry = self.entry(self.filling);
        seal(hw.log_page(entry), (all, all as usize * Record::BYTES), time);
        self.filling = 1 - self.filling;
        self.last = None;
        self.counts[self.filling as usize] = 0;
        while let Some(record) = self.waiting.pop_front() {
            let count = self.counts[self.filling as usize];
            if count == self.capacity {
                self.waiting.push_front(record);
                break;
            }
            put_record(hw.log_page(self.entry(self.filling)), count, record);
            self.counts[self.filling as usize] += 1;
        }
        entry
    }

    /// The next entry that is to be saved, if one is, when the power has gone away and no page of the log is written
    /// any more. It is asked for again when that is saved.
    pub fn to_save(&mut self, hw: &mut impl Hardware, time: Time) -> Option<BufferId> {
        if core::mem::replace(&mut self.other, Other::Free) != Other::Free {
            return Some(self.entry(1 - self.filling));
        }
        let count = self.counts[self.filling as usize];
        (count > 0).then(|| self.turn_over(hw, count, time))
    }

    /// The entry is being written.
    pub fn begun(&mut self) {
        self.other = Other::UnderWay;
    }

    /// Records of the entry that is being written.
    pub fn under_way(&self) -> u32 {
        self.counts[(1 - self.filling) as usize]
    }

    /// It was written to a position, or is to be written again. Returns the records that flash now holds.
    pub fn ended(&mut self, ended: Ended, position: u64) -> Option<u32> {
        match ended {
            Ended::Well => {
                self.other = Other::Free;
                self.follow(position);
                Some(self.under_way())
            }
            Ended::Failed(_) => {
                self.other = Other::Sealed;
                None
            }
        }
    }

    fn entry(&self, which: u32) -> BufferId {
        BufferId(self.first_entry + which)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nvme::tests::mock::{configuration, MockHardware};

    fn record(sequence: u64) -> Record {
        Record::Opened { die: 0, superblock: 1, sequence }
    }

    /// Records of which flash is to hold all or none are on one page, whatever was on it before.
    #[test]
    fn records_that_belong_together_are_not_parted() {
        let mut hw = MockHardware::new(&configuration());
        hw.log_page = alloc::vec![0; 512];
        let capacity = Journal::new(0, 512, 64).capacity;
        for before in 0..=capacity {
            let mut journal = Journal::new(0, 512, 64);
            (0..before).for_each(|nth| journal.add(&mut hw, record(nth.into()), 0));
            journal.add(&mut hw, record(1000), 1);
            journal.add(&mut hw, record(1001), 0);
            let fits = before + 2 <= capacity;
            let (here, waits) = if fits { (before + 2, 0) } else { (before, 2) };
            assert_eq!((journal.counts[0], journal.waiting.len()), (here, waits), "{before}");
            assert_eq!(journal.has_room(), fits);
            journal.turn_over(&mut hw, here, Time::default());
            assert_eq!((journal.counts[1], journal.waiting.len()), (waits as u32, 0));
        }
    }
}
