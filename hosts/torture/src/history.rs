//! What each block may read as, whatever order commands in flight take effect in.
//!
//! Time is a count of what the host did and saw. A change may take effect at any time between its begin
//! and its end; a value is gone once a later change, begun after the value's own had ended, has ended
//! well. A power loss takes back what was not durable: a change is when it ended so, or when a flush has
//! ended well that began after it had.

use machine::Stamp;

use crate::atomic::Atomic;

pub use crate::extent::{Extent, Moment};

/// An end that has not come.
const OPEN: Moment = Moment::MAX;
/// No count of what a drive gave up.
const UNKNOWN: u64 = u64::MAX;

/// How a change ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The blocks hold the new value.
    Well,
    /// They hold the new value or still the old one: it failed, was overtaken by a reset, or was a
    /// deallocation.
    Perhaps,
}

#[derive(Clone, Copy, Debug)]
struct Change {
    stamp: Stamp,
    begun: Moment,
    ended: Moment,
    outcome: Ended,
    /// Since when no power loss takes it back.
    durable: Moment,
    /// It was found possible after a power loss, and is in flash if it is what the block holds.
    survived: bool,
    /// Any value that the block ever had is as good as the stamp: a program that went astray is all that held a newer one.
    any: bool,
    /// What the drive had given up when the change became durable; [`UNKNOWN`] if it is not, or nobody can tell.
    given_up: u64,
}

impl Change {
    /// It is durable from now on, if it was not before.
    fn keep(&mut self, now: Moment, given_up: u64) {
        if self.durable == OPEN {
            (self.durable, self.given_up) = (now, given_up);
        }
    }
}

/// Whether the power may go away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Power {
    /// It does not.
    Steady,
    /// It does.
    MayFail,
}

/// All blocks of a drive.
pub struct History {
    /// Changes of each block that anything was done to; of the others none.
    blocks: Vec<Vec<Change>>,
    /// Those blocks.
    touched: Vec<u32>,
    /// What the others hold.
    initial: fn(u64) -> Stamp,
    now: Moment,
    version: u32,
    /// Begins of the reads in flight, whose values must not be forgotten.
    reads: Vec<Moment>,
    power: Power,
    /// Programs and erases that the drive gave up so far.
    given_up: u64,
    /// Writes that are there as a whole, where the drive promises that.
    atomic: Option<Atomic>,
}

impl History {
    /// A drive of `blocks` blocks that hold `initial(lba)`.
    pub fn new(blocks: u64, initial: fn(u64) -> Stamp) -> Self {
        // Version 1 is what a preconditioned drive holds.
        let (blocks, touched) = (vec![Vec::new(); blocks as usize], Vec::new());
        let (now, version, reads, power) = (1, 1, Vec::new(), Power::Steady);
        History { blocks, touched, initial, now, version, reads, power, given_up: 0, atomic: None }
    }

    /// The blocks are no longer as they were at first.
    fn touch(&mut self, extent: Extent) {
        for (changes, lba) in self.blocks[extent.range()].iter_mut().zip(extent.lba..) {
            if changes.is_empty() {
                changes.push(Change {
                    stamp: (self.initial)(lba),
                    begun: 0,
                    ended: 0,
                    outcome: Ended::Well,
                    durable: 0,
                    survived: false,
                    any: false,
                    given_up: 0,
                });
                self.touched.push(lba as u32);
            }
        }
    }

    /// The same where the power may go away.
    pub fn with_power(self, power: Power) -> Self {
        History { power, ..self }
    }

    /// The same on a drive on which writes within units of so many blocks are there as a whole or not at all.
    pub fn with_atomic_units(self, unit: u64) -> Self {
        History { atomic: Some(Atomic::new(self.logical_blocks(), unit)), ..self }
    }

    /// Blocks of the drive.
    pub fn logical_blocks(&self) -> u64 {
        self.blocks.len() as u64
    }

    fn tick(&mut self) -> Moment {
        self.now += 1;
        self.now
    }

    /// A write of new versions begins; returns its moment and what is to be written.
    pub fn begin_write(&mut self, extent: Extent) -> (Moment, Vec<Stamp>) {
        self.version += 1;
        let version = self.version;
        let begun = self.begin(extent, |lba| Stamp::new(lba, version));
        self.atomic.iter_mut().for_each(|atomic| atomic.begin_write(extent, begun));
        let lbas = extent.lba..extent.lba + extent.blocks;
        (begun, lbas.map(|lba| Stamp::new(lba, version)).collect())
    }

    /// Blocks begin to turn to zeroes.
    pub fn begin_zeroes(&mut self, extent: Extent) -> Moment {
        self.atomic.iter_mut().for_each(|atomic| atomic.begin_zeroes(extent));
        self.begin(extent, |_| Stamp::ZERO)
    }

    fn begin(&mut self, extent: Extent, stamp: impl Fn(u64) -> Stamp) -> Moment {
        let begun = self.tick();
        self.touch(extent);
        for (changes, lba) in self.blocks[extent.range()].iter_mut().zip(extent.lba..) {
            changes.push(Change {
                stamp: stamp(lba),
                begun,
                ended: OPEN,
                outcome: Ended::Perhaps,
                durable: OPEN,
                survived: false,
                any: false,
                given_up: UNKNOWN,
            });
        }
        begun
    }

    /// A change that began at `begun` is over.
    pub fn end(&mut self, extent: Extent, begun: Moment, outcome: Ended) {
        let ended = self.tick();
        self.atomic.iter_mut().for_each(|atomic| atomic.end(begun, ended));
        let oldest = self.reads.iter().copied().min().unwrap_or(ended);
        for changes in &mut self.blocks[extent.range()] {
            let change = changes.iter_mut().find(|change| change.begun == begun);
            let change = change.expect("an open change is remembered");
            (change.ended, change.outcome) = (ended, outcome);
            forget(changes, oldest, self.power);
        }
    }

    /// A format that began at `begun` has ended well. Commands that had ended by then came before it; those that have not may
    /// come behind it. No power loss takes it back.
    pub fn end_format(&mut self, begun: Moment) {
        let (cleared, ended) = (self.tick(), self.tick());
        let oldest = self.reads.iter().copied().min().unwrap_or(ended);
        for changes in &mut self.blocks {
            let change = changes.iter_mut().find(|change| change.begun == begun);
            let change = change.expect("a format is of all blocks");
            (change.begun, change.ended, change.outcome) = (cleared, ended, Ended::Well);
            change.keep(ended, self.given_up);
            forget(changes, oldest, self.power);
        }
    }

    /// The drive has given up so many programs and erases so far.
    pub fn gave_up(&mut self, count: u64) {
        self.given_up = count;
    }

    /// Whether a drive that gave so much up may have lost data of these blocks. What was in flash when it gave
    /// something up for the last time may be lost, and what came to flash later is not.
    pub fn may_be_lost(&self, extent: Extent, given_up: u64) -> bool {
        let is_kept = |changes: &Vec<Change>| match changes[..] {
            [] => given_up == 0,
            _ => changes.iter().any(|change| change.given_up == given_up),
        };
        !self.blocks[extent.range()].iter().all(is_kept)
    }

    /// A change that ended well is durable at once.
    pub fn keep(&mut self, extent: Extent, begun: Moment) {
        let now = self.tick();
        for changes in &mut self.blocks[extent.range()] {
            for change in changes.iter_mut().filter(|change| change.begun == begun) {
                change.keep(now, self.given_up);
            }
        }
    }

    /// A flush begins. Returns the moment, which [`History::end_flush`] takes.
    pub fn begin_flush(&mut self) -> Moment {
        self.tick()
    }

    /// A flush that began at `begun` has ended well.
    pub fn end_flush(&mut self, begun: Moment) {
        let now = self.tick();
        for &lba in &self.touched {
            let changes = &mut self.blocks[lba as usize];
            for change in changes.iter_mut() {
                if change.ended < begun && change.outcome == Ended::Well {
                    change.keep(now, self.given_up);
                }
            }
            let oldest = self.reads.iter().copied().min().unwrap_or(now);
            forget(changes, oldest, self.power);
        }
    }

    /// Whether the power may go away.
    pub fn power_may_fail(&self) -> bool {
        self.power == Power::MayFail
    }

    /// The power goes away. Whatever was not durable may have come to flash or not. Blocks of which `is_hit` may have any value
    /// that they ever had: chips lost what came later.
    pub fn lose_power(&mut self, is_hit: impl Fn(u64) -> bool) {
        let now = self.tick();
        self.atomic.iter_mut().for_each(|atomic| atomic.end_all(now));
        self.reads.clear();
        for &lba in &self.touched {
            let changes = &mut self.blocks[lba as usize];
            let left: Vec<Change> = {
                let all = changes.iter();
                all.filter(|value| !gone_for_good(changes, value)).copied().collect()
            };
            changes.clear();
            // Which of several values it is nobody can tell.
            let given_up = if let [only] = left[..] { only.given_up } else { UNKNOWN };
            let any = left.iter().any(|change| change.any) || is_hit(lba.into());
            for Change { stamp, .. } in left {
                if changes.iter().all(|change| change.stamp != stamp) {
                    changes.push(Change {
                        stamp,
                        begun: now,
                        ended: now,
                        outcome: Ended::Perhaps,
                        durable: now,
                        survived: true,
                        any,
                        given_up,
                    });
                }
            }
        }
    }

    /// A read begins. Returns the moment, which [`History::end_read`] takes.
    pub fn begin_read(&mut self) -> Moment {
        let begun = self.tick();
        self.reads.push(begun);
        begun
    }

    /// A read is over, without data.
    pub fn abandon_read(&mut self, begun: Moment) {
        self.reads.retain(|&read| read != begun);
    }

    /// A read is over; checks what it gave, and remembers it where nothing changed meanwhile.
    pub fn end_read(
        &mut self,
        extent: Extent,
        begun: Moment,
        found: &[Stamp],
    ) -> Result<(), String> {
        self.abandon_read(begun);
        self.touch(extent);
        // What chips have lost may be there in part.
        let is_any = |changes: &Vec<Change>| changes.iter().any(|change| change.any);
        let any: Vec<bool> = match self.atomic {
            Some(_) => self.blocks[extent.range()].iter().map(is_any).collect(),
            None => Vec::new(),
        };
        for ((changes, lba), &stamp) in
            self.blocks[extent.range()].iter_mut().zip(extent.lba..).zip(found)
        {
            let permitted = || permitted(changes, begun);
            let was_ever = stamp == Stamp::ZERO
                || stamp.lba() == lba && (1..=self.version).contains(&stamp.version());
            if !permitted().any(|one| one.stamp == stamp || one.any && was_ever) {
                let permitted: Vec<_> = permitted().map(|one| one.stamp).collect();
                return Err(format!("LBA {lba}: found {stamp:?}, permitted {permitted:?}"));
            }
            let quiet = changes.iter().all(|change| change.ended < begun);
            let in_flash = self.power == Power::Steady || changes.iter().all(|one| one.survived);
            if quiet && in_flash && self.reads.is_empty() {
                changes.retain(|change| change.stamp == stamp || change.any);
                changes.truncate(1);
                changes.iter_mut().for_each(|change| (change.stamp, change.any) = (stamp, false));
            }
        }
        let exempt = |lba| any[(lba - extent.lba) as usize];
        self.atomic.as_ref().map_or(Ok(()), |atomic| atomic.check(extent, found, exempt))
    }

    /// What blocks hold, where nothing is open about any of them.
    pub fn settled(&mut self, extent: Extent) -> Option<Vec<Stamp>> {
        let only = |changes: &Vec<Change>| {
            let live = || changes.iter().filter(|value| !gone(changes, value, OPEN));
            let first = live().next()?;
            let same = live().all(|c| c.stamp == first.stamp && c.ended != OPEN && !c.any);
            same.then_some(first.stamp)
        };
        self.touch(extent);
        self.blocks[extent.range()].iter().map(only).collect()
    }

    /// Whether a change of the blocks was open at any time since `moment`.
    pub fn changed_since(&self, extent: Extent, moment: Moment) -> bool {
        let since = |change: &Change| change.ended > moment;
        self.blocks[extent.range()].iter().any(|changes| changes.iter().any(since))
    }
}

/// Whether a value was gone before `moment`.
fn gone(changes: &[Change], value: &Change, moment: Moment) -> bool {
    changes.iter().any(|other| {
        other.outcome == Ended::Well && other.begun > value.ended && other.ended < moment
    })
}

/// The values that a read from `moment` on may give.
fn permitted(changes: &[Change], moment: Moment) -> impl Iterator<Item = &Change> + '_ {
    changes.iter().filter(move |value| !gone(changes, value, moment))
}

/// Whether a value cannot come back even if the power goes away.
fn gone_for_good(changes: &[Change], value: &Change) -> bool {
    changes.iter().any(|other| other.durable != OPEN && other.begun > value.ended)
}

/// Drops values that no read can give any more.
fn forget(changes: &mut Vec<Change>, oldest_read: Moment, power: Power) {
    let is_kept = |value: &&Change| {
        let lives = power == Power::MayFail && !gone_for_good(changes, value);
        lives || !gone(changes, value, oldest_read + 1)
    };
    let kept: Vec<Change> = changes.iter().filter(is_kept).copied().collect();
    *changes = kept;
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Extent = Extent { lba: 0, blocks: 1 };

    fn may_be(history: &mut History, stamp: Stamp) -> bool {
        let begun = history.begin_read();
        let kept = history.blocks[0].clone();
        let found = history.end_read(ONE, begun, &[stamp]).is_ok();
        history.blocks[0] = kept;
        found
    }

    #[test]
    fn writes_at_once_land_in_either_order_and_later_ones_last() {
        let mut history = History::new(1, |_| Stamp::ZERO);
        let (first, a) = history.begin_write(ONE);
        let (second, b) = history.begin_write(ONE);
        let all = |history: &mut History| [Stamp::ZERO, a[0], b[0]].map(|s| may_be(history, s));
        assert_eq!(all(&mut history), [true, true, true]);
        history.end(ONE, second, Ended::Well);
        assert_eq!(all(&mut history), [false, true, true]);
        history.end(ONE, first, Ended::Well);
        assert_eq!(all(&mut history), [false, true, true]);
        let (third, c) = history.begin_write(ONE);
        history.end(ONE, third, Ended::Well);
        assert_eq!(all(&mut history), [false, false, false]);
        assert!(may_be(&mut history, c[0]));
        assert_eq!(history.settled(ONE), Some(c));
    }

    #[test]
    fn a_change_that_may_have_failed_leaves_the_old_value() {
        let mut history = History::new(1, |lba| Stamp::new(lba, 1));
        let zeroes = history.begin_zeroes(ONE);
        history.end(ONE, zeroes, Ended::Perhaps);
        assert!(may_be(&mut history, Stamp::ZERO) && may_be(&mut history, Stamp::new(0, 1)));
        assert_eq!(history.settled(ONE), None);
        let begun = history.begin_read();
        assert_eq!(history.end_read(ONE, begun, &[Stamp::ZERO]), Ok(()));
        assert!(!may_be(&mut history, Stamp::new(0, 1)), "a read settles it");
    }

    #[test]
    fn what_came_to_flash_after_a_drive_gave_something_up_is_not_lost() {
        let mut history = History::new(2, |_| Stamp::ZERO).with_power(Power::MayFail);
        let both = Extent { lba: 0, blocks: 2 };
        assert!(!history.may_be_lost(both, 0));
        history.gave_up(1);
        assert!(history.may_be_lost(ONE, 1));
        let (begun, _) = history.begin_write(ONE);
        history.end(ONE, begun, Ended::Well);
        assert!(history.may_be_lost(ONE, 1), "in the buffer alone");
        let flush = history.begin_flush();
        history.end_flush(flush);
        assert!(!history.may_be_lost(ONE, 1) && history.may_be_lost(both, 1));
        history.lose_power(|_| false);
        assert!(!history.may_be_lost(ONE, 1) && history.may_be_lost(both, 1));
        assert!(history.may_be_lost(ONE, 2));
    }

    #[test]
    fn a_format_comes_behind_what_had_ended_and_before_what_had_not() {
        let mut history = History::new(1, |_| Stamp::ZERO).with_power(Power::MayFail);
        let (first, a) = history.begin_write(ONE);
        let format = history.begin_zeroes(ONE);
        let (second, b) = history.begin_write(ONE);
        history.end(ONE, first, Ended::Well);
        let all = |history: &mut History| [Stamp::ZERO, a[0], b[0]].map(|s| may_be(history, s));
        assert_eq!(all(&mut history), [true, true, true]);
        let read = history.begin_read();
        history.end_format(format);
        assert_eq!(history.end_read(ONE, read, &a), Ok(()), "a read from before its end");
        assert_eq!(all(&mut history), [true, false, true]);
        history.end(ONE, second, Ended::Perhaps);
        history.lose_power(|_| false);
        assert_eq!(all(&mut history), [true, false, true], "it is durable");
    }

    #[test]
    fn a_read_may_give_what_held_when_it_began() {
        let mut history = History::new(1, |_| Stamp::ZERO);
        let read = history.begin_read();
        for _ in 0..3 {
            let (begun, _) = history.begin_write(ONE);
            history.end(ONE, begun, Ended::Well);
        }
        assert!(history.changed_since(ONE, read));
        assert_eq!(history.end_read(ONE, read, &[Stamp::ZERO]), Ok(()));
        assert!(!may_be(&mut history, Stamp::ZERO));
    }

    #[test]
    fn what_chips_lost_may_be_any_older_value_until_it_is_written_again() {
        let mut history = History::new(2, |lba| Stamp::new(lba, 1)).with_power(Power::MayFail);
        let two = Extent { lba: 0, blocks: 2 };
        let write = |history: &mut History| {
            let (begun, stamps) = history.begin_write(two);
            history.end(two, begun, Ended::Well);
            history.keep(two, begun);
            stamps[0]
        };
        let (a, b) = (write(&mut history), write(&mut history));
        assert!(!may_be(&mut history, a));
        history.lose_power(|lba| lba == 0);
        let all = [Stamp::ZERO, Stamp::new(0, 1), a, b];
        assert_eq!(all.map(|stamp| may_be(&mut history, stamp)), [true; 4]);
        let others = [Stamp::new(1, 1), Stamp::new(0, 4), Stamp::CORRUPT];
        assert_eq!(others.map(|stamp| may_be(&mut history, stamp)), [false; 3]);
        assert_eq!(history.settled(ONE), None);
        let read = history.begin_read();
        let other = Extent { lba: 1, blocks: 1 };
        let found = [Stamp::new(1, 2)];
        assert!(history.end_read(other, read, &found).is_err(), "the other block was not hit");
        history.lose_power(|_| false);
        assert!(may_be(&mut history, a) && may_be(&mut history, b), "as before");
        let read = history.begin_read();
        assert_eq!(history.end_read(ONE, read, &[a]), Ok(()));
        assert_eq!(all.map(|stamp| may_be(&mut history, stamp)), [false, false, true, false]);
        let c = write(&mut history);
        assert!(may_be(&mut history, c) && !may_be(&mut history, a));
    }
}
