//! The blocks of each way in a snapshot.

use borsh::io::Result;
use contract::state::{expect, follow, Sound};

use super::{Blocks, Open, Role, State, NONE};

impl Sound for Blocks {
    fn sound(&self, new: &Self) -> Result<()> {
        let sizes = |blocks: &Self| {
            let tables = (blocks.blocks.len(), blocks.superblocks.len(), blocks.members.len());
            (tables, blocks.dies.len(), blocks.unclean.len())
        };
        let shape =
            |blocks: &Self| (blocks.geometry, blocks.plane_bits, blocks.units, blocks.streams);
        expect(shape(self) == shape(new), "blocks of another geometry")?;
        expect(sizes(self) == sizes(new), "another number of blocks")?;
        for die in 0..self.geometry.dies() {
            let lists = new.dies[die as usize].by_invalid.len();
            expect(self.dies[die as usize].by_invalid.len() == lists, "lists of other blocks")?;
            self.members_are_sound(die)?;
            self.lists_are_sound(die)?;
            self.open_are_sound(die)?;
        }
        Ok(())
    }
}

impl Blocks {
    /// Whether blocks of a way and superblocks know each other.
    fn members_are_sound(&self, die: u32) -> Result<()> {
        for superblock in 0..self.superblocks_per_way() {
            let valid = self.of(die, superblock).valid;
            expect(
                valid <= self.superblock_units(),
                "a block with more data than it has room for",
            )?;
            if matches!(self.of(die, superblock).role, Role::Bad | Role::Failed | Role::Spare) {
                continue;
            }
            for &block in self.members(die, superblock) {
                expect(block < self.geometry.blocks_per_way, "a block that its way does not have")?;
                let state = self.at(die, block).state;
                let known = matches!(state, State::In(own) if own == superblock);
                expect(known, "a block in two places")?;
            }
        }
        for block in 0..self.geometry.blocks_per_way {
            if let State::In(superblock) = self.at(die, block).state {
                let there = superblock < self.superblocks_per_way();
                expect(there, "a superblock that its way does not have")?;
                let known = self.members(die, superblock).contains(&block);
                expect(known, "a block that its superblock does not have")?;
            }
        }
        Ok(())
    }

    /// Whether each superblock of a way is in the list of its role.
    fn lists_are_sound(&self, die: u32) -> Result<()> {
        let d = &self.dies[die as usize];
        let most = d.by_invalid.len();
        expect(d.most_invalid < most, "a block with more invalid data than it has room for")?;
        let free = self.length(die, (d.free.head, d.free.tail), (Role::Free, None))?;
        expect(free == d.free_count as usize, "another number of free blocks")?;
        let mut closed = 0;
        for (invalid, list) in d.by_invalid.iter().enumerate() {
            closed += self.length(die, (list.head, list.tail), (Role::Closed, Some(invalid)))?;
            let beyond = invalid > d.most_invalid && list.head != NONE;
            expect(!beyond, "a closed block that collection does not find")?;
        }
        let own = (0..self.superblocks_per_way()).map(|superblock| self.of(die, superblock));
        let mut counted = (0, 0);
        for superblock in own {
            let invalid = superblock.valid < self.superblock_units();
            counted.0 += usize::from(superblock.role == Role::Free);
            counted.1 += usize::from(superblock.role == Role::Closed && invalid);
        }
        expect(counted == (free, closed), "a block in no list")
    }

    /// Follows a list of a way, from first to last, of superblocks of a role and, if closed, so many invalid units.
    fn length(
        &self,
        die: u32,
        (head, tail): (u32, u32),
        (role, invalid): (Role, Option<usize>),
    ) -> Result<usize> {
        let mut last = NONE;
        let count = follow(head, self.superblocks_per_way() as usize, |at| {
            let own = self.of(die, at);
            let is = (self.superblock_units() - own.valid) as usize;
            let belongs = own.role == role && invalid.is_none_or(|invalid| invalid == is);
            expect(belongs && own.previous == last, "a block in the wrong list")?;
            last = at;
            Ok(own.next)
        })?;
        expect(last == tail, "a list of blocks with another end")?;
        Ok(count)
    }

    /// Whether those superblocks of a way that are in use are there.
    fn open_are_sound(&self, die: u32) -> Result<()> {
        let d = &self.dies[die as usize];
        for Open { superblock, next_page } in d.open {
            if superblock == NONE {
                continue;
            }
            let there = superblock < self.superblocks_per_way()
                && self.of(die, superblock).role == Role::Open
                && next_page <= self.superblock_pages();
            expect(there, "an open block that is not open")?;
        }
        let victim = d.victim == NONE
            || d.victim < self.superblocks_per_way()
                && self.of(die, d.victim).role == Role::Victim
                && d.victim_unit <= self.superblock_units();
        expect(victim, "a block that is collected and is no victim")
    }
}
