//! The dirty entries of the data buffer, the least recently used first.

#[cfg(feature = "state")]
mod sound;

use alloc::vec::Vec;
use contract::BufferId;

const NONE: u32 = u32::MAX;

/// What stands before and behind an entry; of one that is not in the list, nothing.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Links {
    before: u32,
    behind: u32,
}

const APART: Links = Links { before: NONE, behind: NONE };

/// Dirty entries in the order in which they were used last.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Dirty {
    links: Vec<Links>,
    oldest: u32,
    newest: u32,
    count: u32,
}

impl Dirty {
    /// None of so many entries.
    pub fn new(entries: u32) -> Self {
        Dirty { links: alloc::vec![APART; entries as usize], oldest: NONE, newest: NONE, count: 0 }
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// An entry is dirty, and was used just now.
    pub fn add(&mut self, BufferId(at): BufferId) {
        self.links[at as usize] = Links { before: self.newest, behind: NONE };
        match self.newest {
            NONE => self.oldest = at,
            newest => self.links[newest as usize].behind = at,
        }
        self.newest = at;
        self.count += 1;
    }

    /// An entry is clean.
    pub fn remove(&mut self, BufferId(at): BufferId) {
        let Links { before, behind } = core::mem::replace(&mut self.links[at as usize], APART);
        match before {
            NONE => self.oldest = behind,
            before => self.links[before as usize].behind = behind,
        }
        match behind {
            NONE => self.newest = before,
            behind => self.links[behind as usize].before = before,
        }
        self.count -= 1;
    }

    /// All of them, the least recently used first.
    pub fn iter(&self) -> impl Iterator<Item = BufferId> + '_ {
        let some = |at: u32| (at != NONE).then_some(at);
        let behind = move |&at: &u32| some(self.links[at as usize].behind);
        core::iter::successors(some(self.oldest), behind).map(BufferId)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_stand_in_the_order_of_their_last_use() {
        let mut dirty = Dirty::new(5);
        let order = |dirty: &Dirty| dirty.iter().map(|id| id.0).collect::<Vec<_>>();
        for at in [3, 0, 4, 1] {
            dirty.add(BufferId(at));
        }
        assert_eq!((order(&dirty), dirty.count()), (alloc::vec![3, 0, 4, 1], 4));
        dirty.remove(BufferId(0));
        dirty.remove(BufferId(3));
        dirty.add(BufferId(3));
        assert_eq!(order(&dirty), [4, 1, 3]);
        for at in [3, 4, 1] {
            dirty.remove(BufferId(at));
        }
        assert_eq!((order(&dirty), dirty.count()), (Vec::new(), 0));
        dirty.add(BufferId(2));
        assert_eq!(order(&dirty), [2]);
    }
}
