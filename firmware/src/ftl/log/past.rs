//! What the drive has been through, for the SMART log: each journal page ends with it.
//!
//! What was kept last may be older than the end of power by as much as one journal page takes to fill; but
//! that the drive is in use, and that it was shut down, are kept at once.

use super::record::Record;
use crate::nvme::backend::{Keep, Past};
use crate::nvme::{Lifetime, PowerOff};

/// Records of it in a journal page.
pub const RECORDS: u32 = 9;

/// The past of the drive that is to be kept, and how much of it flash holds.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Keeper {
    now: Option<Past>,
    /// Statements so far, the last of those that are to be kept at once, the one in the page that was sealed
    /// last, and the last that flash holds.
    stated: u64,
    urgent: u64,
    sealed: u64,
    kept: u64,
    /// What was stated went into a page: there may be more to tell.
    is_stale: bool,
    /// What recovery has found, until it is taken.
    pub found: Option<Past>,
}

impl Keeper {
    /// States what is to be kept.
    pub fn state(&mut self, past: Past, keep: Keep) {
        self.now = Some(past);
        self.stated += 1;
        self.is_stale = false;
        if keep == Keep::AtOnce {
            self.urgent = self.stated;
        }
    }

    /// Whether it should be stated anew.
    pub fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// Whether a page is to be written for it.
    pub fn wants_page(&self) -> bool {
        self.urgent > self.sealed
    }

    /// Whether flash holds what was to be kept at once.
    pub fn is_kept(&self) -> bool {
        self.urgent <= self.kept
    }

    /// The records for a page that is being sealed.
    pub fn seal(&mut self, sequence: u64) -> impl Iterator<Item = Record> {
        self.sealed = self.stated;
        self.is_stale = self.now.is_some();
        let values = self.now.map(values);
        (0..).zip(values.into_iter().flatten()).map(move |(field, value)| Record::Past {
            field,
            value,
            sequence,
        })
    }

    /// The page that was sealed last was written.
    pub fn written(&mut self) {
        self.kept = self.sealed;
    }
}

/// What journal pages tell, while they are read.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Found {
    /// The newest page that tells anything, plus 1.
    position: u64,
    values: [u64; RECORDS as usize],
    count: u32,
}

impl Found {
    /// Takes a record of the page at a position, of all pages in any order.
    pub fn take(&mut self, position: u64, record: &Record) {
        let Record::Past { field, value, .. } = *record else { return };
        if position + 1 < self.position {
            return;
        }
        if position + 1 > self.position {
            *self = Found { position: position + 1, ..Found::default() };
        }
        self.values[usize::from(field)] = value;
        self.count += 1;
    }

    /// What was kept last.
    pub fn past(&self) -> Option<Past> {
        (self.count == RECORDS).then(|| of_values(self.values))
    }
}

fn values((lifetime, off): Past) -> [u64; RECORDS as usize] {
    let Lifetime {
        power_cycles,
        unsafe_shutdowns,
        powered_minutes,
        busy_minutes,
        sectors_read,
        sectors_written,
        reads,
        writes,
    } = lifetime;
    [
        u64::from(off == PowerOff::AfterShutdown),
        power_cycles,
        unsafe_shutdowns,
        powered_minutes,
        busy_minutes,
        sectors_read,
        sectors_written,
        reads,
        writes,
    ]
}

fn of_values(values: [u64; RECORDS as usize]) -> Past {
    let [off, power_cycles, unsafe_shutdowns, powered_minutes, busy_minutes, ..] = values;
    let [.., sectors_read, sectors_written, reads, writes] = values;
    let lifetime = Lifetime {
        power_cycles,
        unsafe_shutdowns,
        powered_minutes,
        busy_minutes,
        sectors_read,
        sectors_written,
        reads,
        writes,
    };
    (lifetime, if off == 1 { PowerOff::AfterShutdown } else { PowerOff::Sudden })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn past(number: u64, off: PowerOff) -> Past {
        let lifetime = Lifetime {
            power_cycles: number,
            unsafe_shutdowns: number + 1,
            powered_minutes: number << 40,
            busy_minutes: number + 3,
            sectors_read: u64::MAX - number,
            sectors_written: number + 5,
            reads: number + 6,
            writes: number + 7,
        };
        (lifetime, off)
    }

    #[test]
    fn the_newest_page_counts_in_whatever_order_pages_are_read() {
        let mut keeper = Keeper::default();
        assert_eq!(keeper.seal(5).count(), 0, "nothing is known yet");
        keeper.state(past(1, PowerOff::Sudden), Keep::AtOnce);
        let old: alloc::vec::Vec<Record> = keeper.seal(7).collect();
        keeper.state(past(2, PowerOff::AfterShutdown), Keep::Later);
        let new: alloc::vec::Vec<Record> = keeper.seal(9).collect();
        for pages in [[(3, &old), (8, &new)], [(8, &new), (3, &old)]] {
            let mut found = Found::default();
            for (position, records) in pages {
                for record in records {
                    let same = Record::parse(&record.emit()).expect("a record");
                    assert_eq!(same, *record);
                    found.take(position, &same);
                }
            }
            assert_eq!(found.past(), Some(past(2, PowerOff::AfterShutdown)));
        }
        assert_eq!(Found::default().past(), None);
    }

    #[test]
    fn what_is_to_be_kept_at_once_is_when_its_page_was_written() {
        let mut keeper = Keeper::default();
        assert!(keeper.is_kept() && !keeper.wants_page());
        keeper.state(past(1, PowerOff::Sudden), Keep::Later);
        assert!(keeper.is_kept() && !keeper.wants_page());
        let _ = keeper.seal(1);
        assert!(keeper.is_stale());
        keeper.state(past(2, PowerOff::Sudden), Keep::AtOnce);
        keeper.written();
        assert!(!keeper.is_kept() && keeper.wants_page(), "the page before does not tell it");
        let _ = keeper.seal(2);
        assert!(!keeper.is_kept() && !keeper.wants_page());
        keeper.written();
        assert!(keeper.is_kept());
    }
}
