//! Entries of the map that are known without their part: by logical page, in chains.

#[cfg(feature = "state")]
mod sound;

use alloc::vec::Vec;

use crate::planted::{is_planted, Bug};

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Change {
    lpn: u32,
    code: u32,
    /// Who needs it to be known.
    pins: u32,
    /// The part of it does not have it yet.
    is_ahead: bool,
    next: u32,
}

/// A table of fixed size.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Changes {
    table: Vec<Change>,
    /// First of each chain.
    heads: Vec<u32>,
    free: u32,
    left: u32,
    /// Entries that their parts do not have yet.
    ahead: u32,
    /// The next one of which the part is wanted.
    cursor: usize,
}

impl Changes {
    /// Room for so many.
    pub fn new(count: u32) -> Self {
        let mut changes = Changes {
            table: Vec::with_capacity(count as usize),
            heads: alloc::vec![NONE; count.next_power_of_two() as usize],
            free: NONE,
            left: 0,
            ahead: 0,
            cursor: 0,
        };
        let blank = Change { lpn: NONE, code: 0, pins: 0, is_ahead: false, next: NONE };
        changes.table.resize(count as usize, blank);
        changes.clear();
        changes
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        let count = self.table.len() as u32;
        for (change, nth) in self.table.iter_mut().zip(1..) {
            let next = if nth < count { nth } else { NONE };
            *change = Change { lpn: NONE, code: 0, pins: 0, is_ahead: false, next };
        }
        self.heads.fill(NONE);
        (self.free, self.left, self.ahead) = (0, count, 0);
    }

    fn head(&self, lpn: u32) -> usize {
        (lpn.wrapping_mul(0x9e37_79b1) >> 7) as usize & (self.heads.len() - 1)
    }

    fn find(&self, lpn: u32) -> Option<usize> {
        let mut at = self.heads[self.head(lpn)];
        while at != NONE {
            let change = &self.table[at as usize];
            if change.lpn == lpn {
                return Some(at as usize);
            }
            at = change.next;
        }
        None
    }

    fn add(&mut self, lpn: u32, code: u32) -> usize {
        let at = self.free;
        assert!(at != NONE, "there is room for the changes that are planned");
        let head = self.head(lpn);
        self.free = self.table[at as usize].next;
        self.left -= 1;
        self.table[at as usize] =
            Change { lpn, code, pins: 0, is_ahead: false, next: self.heads[head] };
        self.heads[head] = at;
        at as usize
    }

    /// Drops one that nobody needs.
    fn drop_if_needless(&mut self, at: usize) {
        let Change { lpn, pins, is_ahead, next, .. } = self.table[at];
        if pins > 0 || is_ahead {
            return;
        }
        let head = self.head(lpn);
        if self.heads[head] == at as u32 {
            self.heads[head] = next;
        } else {
            let mut before = self.heads[head] as usize;
            while self.table[before].next != at as u32 {
                before = self.table[before].next as usize;
            }
            self.table[before].next = next;
        }
        (self.table[at].lpn, self.table[at].next) = (NONE, self.free);
        self.free = at as u32;
        self.left += 1;
    }

    /// The entry of a logical page, if it is here.
    pub fn get(&self, lpn: u32) -> Option<u32> {
        self.find(lpn).map(|at| self.table[at].code)
    }

    /// An entry has changed, and its part does not have it if it `is_ahead`.
    pub fn set(&mut self, lpn: u32, code: u32, is_ahead: bool) {
        let at = match self.find(lpn) {
            Some(at) => at,
            None if is_ahead => self.add(lpn, code),
            None => return,
        };
        let change = &mut self.table[at];
        self.ahead += u32::from(is_ahead);
        self.ahead -= u32::from(change.is_ahead);
        (change.code, change.is_ahead) = (code, is_ahead);
        self.drop_if_needless(at);
    }

    /// An entry is needed, until [`Changes::unpin`].
    pub fn pin(&mut self, lpn: u32, code: u32) {
        let at = self.find(lpn).unwrap_or_else(|| self.add(lpn, code));
        self.table[at].pins += 1;
    }

    /// It is needed once less.
    pub fn unpin(&mut self, lpn: u32) {
        let at = self.find(lpn).expect("an entry that is needed");
        self.table[at].pins -= 1;
        self.drop_if_needless(at);
    }

    /// Gives a part that begins with a logical page the entries that it does not have. True if there are any.
    pub fn take_over(&mut self, first: u32, part: &mut [u32]) -> bool {
        let mut any = false;
        for at in 0..self.table.len() {
            let Change { lpn, code, is_ahead, .. } = self.table[at];
            let nth = lpn.wrapping_sub(first) as usize;
            if lpn == NONE || !is_ahead || nth >= part.len() {
                continue;
            }
            if !is_planted(Bug::ChangesNotTakenOver) {
                part[nth] = code;
            }
            self.table[at].is_ahead = false;
            self.ahead -= 1;
            any = true;
            self.drop_if_needless(at);
        }
        any
    }

    /// Room for more.
    pub fn left(&self) -> u32 {
        self.left
    }

    /// A logical page whose part is wanted since too many changes wait for theirs.
    pub fn waiting(&mut self) -> Option<u32> {
        let count = self.table.len();
        if (self.ahead as usize) <= count / 4 {
            return None;
        }
        let all = (0..count).map(|step| (self.cursor + step) % count);
        self.cursor = all.into_iter().find(|&at| {
            let Change { lpn, is_ahead, .. } = self.table[at];
            lpn != NONE && is_ahead
        })?;
        Some(self.table[self.cursor].lpn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_stay_until_nobody_needs_them_and_their_part_has_them() {
        let mut changes = Changes::new(4);
        changes.set(7, 70, true);
        changes.pin(7, 1);
        changes.pin(9, 90);
        changes.set(9, 91, false);
        changes.set(5, 50, false);
        assert_eq!([changes.get(7), changes.get(9), changes.get(5)], [Some(70), Some(91), None]);
        assert_eq!((changes.left(), changes.ahead), (2, 1));
        let mut part = [0; 4];
        assert!(changes.take_over(6, &mut part));
        assert_eq!(part, [0, 70, 0, 0]);
        assert!(!changes.take_over(6, &mut part));
        changes.unpin(7);
        changes.unpin(9);
        assert_eq!((changes.left(), changes.ahead, changes.get(7)), (4, 0, None));
    }
}
