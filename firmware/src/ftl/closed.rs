//! The closed superblocks of a way, and the one of them that is being collected.

use super::blocks::{Blocks, Role, Superblock, NONE};

impl Blocks {
    /// Most invalid mapping units that a closed superblock of a way has.
    pub fn most_invalid(&mut self, die: u32) -> u32 {
        let d = &mut self.dies[die as usize];
        while d.most_invalid > 0 && d.by_invalid[d.most_invalid].head == NONE {
            d.most_invalid -= 1;
        }
        d.most_invalid as u32
    }

    /// Of the closed superblocks of a way with so many invalid mapping units, 1 and up, the one that did not change for
    /// the longest time.
    pub fn unchanged_longest(&self, die: u32, invalid: u32) -> Option<u32> {
        let head = self.dies[die as usize].by_invalid[invalid as usize].head;
        (head != NONE).then_some(head)
    }

    /// The closed superblocks of a way with so many invalid mapping units, 1 and up, those that did not change for the longest
    /// time first.
    pub fn with_invalid(&self, die: u32, invalid: u32) -> impl Iterator<Item = u32> + '_ {
        self.listed_from(die, self.dies[die as usize].by_invalid[invalid as usize].head)
    }

    /// Invalid mapping units of a superblock; `None` if it is not closed.
    pub fn invalid_of_closed(&self, die: u32, superblock: u32) -> Option<u32> {
        let Superblock { role, valid, .. } = *self.of(die, superblock);
        (role == Role::Closed).then(|| self.superblock_units() - valid)
    }

    /// How many mapping units of a way became invalid since a superblock last changed.
    pub fn age(&self, die: u32, superblock: u32) -> u64 {
        self.dies[die as usize].time - self.of(die, superblock).changed
    }

    /// Begins to collect a closed superblock.
    pub fn begin_collection(&mut self, die: u32, victim: u32) {
        assert_eq!(self.dies[die as usize].victim, NONE, "way {die} has a victim already");
        assert!(
            self.invalid_of_closed(die, victim).is_some(),
            "superblock {victim} of way {die} is not closed"
        );
        self.unlink(die, victim);
        self.of_mut(die, victim).role = Role::Victim;
        let d = &mut self.dies[die as usize];
        (d.victim, d.victim_unit) = (victim, 0);
    }

    /// The superblock of a way that is being collected, and the first of its mapping units that collection did
    /// not come to.
    pub fn victim(&self, die: u32) -> Option<(u32, u32)> {
        let d = &self.dies[die as usize];
        (d.victim != NONE).then_some((d.victim, d.victim_unit))
    }

    /// Pages that the valid mapping units fill that are left in the superblock of a way that is being collected.
    #[inline]
    pub fn left_in_victim(&self, die: u32) -> Option<u32> {
        self.units_in_victim(die).map(|units| units / self.units_per_page())
    }

    /// These mapping units.
    #[inline]
    pub fn units_in_victim(&self, die: u32) -> Option<u32> {
        self.victim(die).map(|(superblock, _)| self.valid(die, superblock))
    }

    /// Collection of a way has come to this mapping unit of its victim.
    pub fn collected_to(&mut self, die: u32, unit: u32) {
        self.dies[die as usize].victim_unit = unit;
    }

    /// An erase of a superblock is planned.
    pub(super) fn count_erase(&mut self, die: u32, superblock: u32) {
        for plane in 0..self.planes() {
            let block = self.members(die, superblock)[plane as usize];
            self.at_mut(die, block).erases += 1;
        }
        self.erases += u64::from(self.planes());
    }

    /// The victim of a way, without valid data now, goes back to the free list; its erase is queued.
    /// Returns it.
    pub fn reclaim(&mut self, die: u32) -> u32 {
        let superblock = core::mem::replace(&mut self.dies[die as usize].victim, NONE);
        assert_ne!(superblock, NONE, "way {die} collects nothing");
        assert_eq!(
            self.valid(die, superblock),
            0,
            "superblock {superblock} of way {die} is in use"
        );
        self.count_erase(die, superblock);
        self.push(die, superblock, Role::Free);
        superblock
    }
}
