//! Flush epochs: which programs of host data each flush waits for.

use alloc::collections::VecDeque;
use contract::CommandTag;

use crate::planted::{is_planted, Bug};

#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Epoch {
    /// Programs under way.
    left: u32,
    /// One of them was given up.
    lost: bool,
}

/// Counts programs by epoch. Every flush ends an epoch, and is done when no program of its own or
/// an earlier epoch is left.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Flushes {
    /// The epoch that no flush has ended yet.
    open: Epoch,
    /// Ended epochs, oldest first, and the flush that waits for each.
    ended: VecDeque<(Epoch, CommandTag)>,
    first: u32,
    /// Mapping units of the host that programs under way hold.
    units: u32,
}

/// Whether all that a flush covers is in flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// All that was written before the flush is in flash.
    All,
    /// Something was lost since the flush before.
    NotAll,
}

impl Flushes {
    /// Room for `flushes` at a time.
    pub fn new(flushes: u32) -> Self {
        Flushes {
            open: Epoch::default(),
            ended: VecDeque::with_capacity(flushes as usize),
            first: 0,
            units: 0,
        }
    }

    /// A program that was queued holds so many mapping units of the host.
    pub fn begin_units(&mut self, units: u32) {
        self.units += units;
    }

    /// It is done, or given up.
    pub fn end_units(&mut self, units: u32) {
        self.units -= units;
    }

    /// Mapping units of the host that programs hold which are neither done nor given up.
    pub fn units_under_way(&self) -> u32 {
        self.units
    }

    /// A program of host data was queued; returns its epoch.
    pub fn begin(&mut self) -> u32 {
        self.open.left += 1;
        self.first.wrapping_add(self.ended.len() as u32)
    }

    /// A program of an epoch is done, or given up.
    pub fn end(&mut self, epoch: u32, kept: Kept) {
        let at = epoch.wrapping_sub(self.first) as usize;
        let epoch = self.ended.get_mut(at).map_or(&mut self.open, |(epoch, _)| epoch);
        epoch.left -= 1;
        epoch.lost |= kept == Kept::NotAll;
    }

    /// Programs of host data that were queued and are neither done nor given up.
    pub fn under_way(&self) -> u32 {
        self.open.left + self.ended.iter().map(|(epoch, _)| epoch.left).sum::<u32>()
    }

    /// Data that the next flush would cover could not even be queued.
    pub fn lose(&mut self) {
        self.open.lost = true;
    }

    /// A flush was asked for, with all that it covers queued.
    pub fn wait(&mut self, tag: CommandTag) {
        let epoch = core::mem::take(&mut self.open);
        self.ended.push_back((epoch, tag));
    }

    /// Takes the next flush that is done.
    #[inline]
    pub fn next_done(&mut self) -> Option<(CommandTag, Kept)> {
        let &(Epoch { left, lost }, tag) = self.ended.front()?;
        if left > 0 && !is_planted(Bug::FlushTooEarly) {
            return None;
        }
        self.ended.pop_front();
        self.first = self.first.wrapping_add(1);
        Some((tag, if lost { Kept::NotAll } else { Kept::All }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flush_waits_for_what_came_before_it_only() {
        let mut flushes = Flushes::new(2);
        let a = flushes.begin();
        flushes.wait(CommandTag(1));
        let b = flushes.begin();
        flushes.wait(CommandTag(2));
        let c = flushes.begin();
        assert_eq!(flushes.next_done(), None);
        flushes.end(b, Kept::NotAll);
        assert_eq!(flushes.next_done(), None, "flush 2 also waits for what flush 1 waits for");
        flushes.end(a, Kept::All);
        assert_eq!(flushes.next_done(), Some((CommandTag(1), Kept::All)));
        assert_eq!(flushes.next_done(), Some((CommandTag(2), Kept::NotAll)));
        flushes.end(c, Kept::All);
        flushes.wait(CommandTag(3));
        assert_eq!(flushes.next_done(), Some((CommandTag(3), Kept::All)));
    }
}
