//! What waits for the flash to hold something: for programs that were planned before, or for records of the
//! journal.

use alloc::collections::VecDeque;
use contract::CommandTag;

use crate::operations::OpId;

/// Who waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Waiter {
    /// An operation that is not to begin before.
    Operation(OpId),
    /// A flush epoch that is not to end before.
    Flush(u32),
    /// A command that is not to end before.
    Command(CommandTag),
    /// Snapshots that are not to be written before.
    Snapshots,
}

/// Programs planned from a sequence number on, up to that of the next epoch.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Epoch {
    start: u64,
    left: u32,
}

/// Who waits for programs, and who for records. Both are let go in the order in which they came.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Holds {
    /// The last one is open: programs that are planned now belong to it.
    epochs: VecDeque<Epoch>,
    /// Sequence number of the last program that was planned.
    highest: u64,
    for_programs: VecDeque<(u64, Waiter)>,
    /// Records that were made, and those that flash holds: all up to this one.
    made: u64,
    kept: u64,
    for_records: VecDeque<(u64, Waiter)>,
    wanted: u64,
}

impl Holds {
    /// Nothing is under way, and room for so many that wait.
    pub fn new(waiters: u32) -> Self {
        let mut epochs = VecDeque::with_capacity(waiters as usize);
        epochs.push_back(Epoch { start: 0, left: 0 });
        Holds {
            epochs,
            highest: 0,
            for_programs: VecDeque::with_capacity(waiters as usize),
            made: 0,
            kept: 0,
            for_records: VecDeque::with_capacity(waiters as usize),
            wanted: 0,
        }
    }

    /// A program was planned at `sequence`, which is higher than those before.
    pub fn program_begins(&mut self, sequence: u64) {
        self.highest = sequence;
        if let Some(open) = self.epochs.back_mut() {
            open.left += 1;
        }
    }

    /// A program that was planned at `sequence` has ended, or was given up.
    pub fn program_ends(&mut self, sequence: u64) {
        let nth = self.epochs.partition_point(|epoch| epoch.start <= sequence);
        let epoch = &mut self.epochs[nth - 1];
        epoch.left = epoch.left.checked_sub(1).expect("a program that was planned");
        while self.epochs.len() > 1 && self.epochs[0].left == 0 {
            self.epochs.pop_front();
        }
    }

    /// Has `waiter` wait until all programs have ended that were planned so far. False if there is none to
    /// wait for.
    pub fn wait_for_programs(&mut self, waiter: Waiter) -> bool {
        let Some(&Epoch { start, left }) = self.epochs.back() else { return false };
        if self.epochs.len() == 1 && left == 0 {
            return false;
        }
        let next = self.highest + 1;
        let until = if left == 0 {
            start
        } else {
            self.epochs.push_back(Epoch { start: next, left: 0 });
            next
        };
        self.for_programs.push_back((until, waiter));
        true
    }

    /// A record was made. Returns its number, from 1.
    pub fn record_made(&mut self) -> u64 {
        self.made += 1;
        self.made
    }

    /// Records that were made.
    pub fn made(&self) -> u64 {
        self.made
    }

    /// Records that flash holds.
    pub fn kept(&self) -> u64 {
        self.kept
    }

    /// Flash holds so many records more.
    pub fn records_kept(&mut self, count: u32) {
        self.kept += u64::from(count);
    }

    /// Has `waiter` wait until flash holds a record. False if it does.
    pub fn wait_for_record(&mut self, record: u64, waiter: Waiter) -> bool {
        if record <= self.kept {
            return false;
        }
        self.wanted = self.wanted.max(record);
        self.for_records.push_back((record, waiter));
        true
    }

    /// The next one that waits no more.
    pub fn next_free(&mut self) -> Option<Waiter> {
        let ended = self.epochs.front().map_or(0, |epoch| epoch.start);
        let passed = |(until, _): &&(u64, Waiter)| *until <= ended;
        if let Some(&(_, waiter)) = self.for_programs.front().filter(passed) {
            self.for_programs.pop_front();
            return Some(waiter);
        }
        let &(_, waiter) = self.for_records.front().filter(|(record, _)| *record <= self.kept)?;
        self.for_records.pop_front();
        Some(waiter)
    }

    /// The highest record that somebody waits for.
    pub fn wanted(&self) -> u64 {
        self.wanted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_ends_with_the_last_program_planned_before_it() {
        let mut holds = Holds::new(4);
        assert!(!holds.wait_for_programs(Waiter::Snapshots), "nothing is under way");
        holds.program_begins(1);
        holds.program_begins(2);
        assert!(holds.wait_for_programs(Waiter::Flush(0)));
        assert!(holds.wait_for_programs(Waiter::Flush(1)));
        holds.program_begins(3);
        assert!(holds.wait_for_programs(Waiter::Flush(2)));
        holds.program_ends(3);
        assert_eq!(holds.next_free(), None);
        holds.program_ends(2);
        assert_eq!(holds.next_free(), None);
        holds.program_ends(1);
        assert_eq!(
            [holds.next_free(), holds.next_free()],
            [Some(Waiter::Flush(0)), Some(Waiter::Flush(1))]
        );
        assert_eq!([holds.next_free(), holds.next_free()], [Some(Waiter::Flush(2)), None]);
        assert!(!holds.wait_for_programs(Waiter::Snapshots));
    }

    #[test]
    fn records_let_go_who_waits_for_them_in_order() {
        let mut holds = Holds::new(4);
        assert_eq!([holds.record_made(), holds.record_made(), holds.record_made()], [1, 2, 3]);
        assert!(holds.wait_for_record(2, Waiter::Flush(7)));
        assert!(holds.wait_for_record(3, Waiter::Flush(0)));
        assert_eq!(holds.wanted(), 3);
        holds.records_kept(2);
        assert_eq!([holds.next_free(), holds.next_free()], [Some(Waiter::Flush(7)), None]);
        assert!(!holds.wait_for_record(1, Waiter::Snapshots));
        holds.records_kept(1);
        assert_eq!(holds.next_free(), Some(Waiter::Flush(0)));
    }
}
