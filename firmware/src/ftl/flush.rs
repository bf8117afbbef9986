//! Flush epochs: which programs of host data each flush waits for.

use alloc::collections::VecDeque;
use contract::CommandTag;

/// Counts programs by epoch. Every flush ends an epoch, and is done when no program of its own or
/// an earlier epoch is left.
#[derive(Debug)]
pub struct Flushes {
    /// Programs under way in the epoch that no flush has ended yet.
    open: u32,
    /// Ended epochs, oldest first: programs left, and the flush that waits.
    ended: VecDeque<(u32, CommandTag)>,
    first: u32,
}

impl Flushes {
    /// Room for `flushes` at a time.
    pub fn new(flushes: u32) -> Self {
        Flushes { open: 0, ended: VecDeque::with_capacity(flushes as usize), first: 0 }
    }

    /// A program of host data was queued; returns its epoch.
    pub fn begin(&mut self) -> u32 {
        self.open += 1;
        self.first.wrapping_add(self.ended.len() as u32)
    }

    /// A program of an epoch is done, or given up.
    pub fn end(&mut self, epoch: u32) {
        match self.ended.get_mut(epoch.wrapping_sub(self.first) as usize) {
            Some((left, _)) => *left -= 1,
            None => self.open -= 1,
        }
    }

    /// A flush was asked for, with all that it covers queued.
    pub fn wait(&mut self, tag: CommandTag) {
        let left = core::mem::take(&mut self.open);
        self.ended.push_back((left, tag));
    }

    /// Takes the next flush that is done.
    pub fn next_done(&mut self) -> Option<CommandTag> {
        let (0, tag) = *self.ended.front()? else { return None };
        self.ended.pop_front();
        self.first = self.first.wrapping_add(1);
        Some(tag)
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
        flushes.end(b);
        assert_eq!(flushes.next_done(), None, "flush 2 also waits for what flush 1 waits for");
        flushes.end(a);
        assert_eq!(flushes.next_done(), Some(CommandTag(1)));
        assert_eq!(flushes.next_done(), Some(CommandTag(2)));
        flushes.end(c);
        flushes.wait(CommandTag(3));
        assert_eq!(flushes.next_done(), Some(CommandTag(3)));
    }
}
