//! Flash blocks: which of them are erased, which one each slot of a zone has, and which hold the log of pages written in part.
//!
//! A zone takes a block of a way when the first page of its slot there is programmed. If a page of it cannot be programmed, a second
//! block follows for that page and those behind it ([`Blocks::split`]), and the pages before stay where they are: nothing is copied. So a bad block
//! costs a spare block, not the zone.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use super::shape::Shape;

/// No block.
const NONE: u32 = u32::MAX;

/// What a flash block is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Use {
    /// It is erased, and waits for a zone or the log.
    Free,
    /// It holds pages of a zone.
    Zone(u32),
    /// It holds pages written in part.
    Log,
    /// Nothing in it counts any more, and it is to be erased; a zone may wait for it.
    Doomed(Option<u32>),
    /// It is of no use any more.
    Bad,
}

/// A flash block.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
struct Block {
    used: Use,
    /// A program in it failed: it is erased once more, and not used again.
    has_failed: bool,
    erases: u32,
}

/// A block that a slot of a zone continues in.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Split {
    /// The zone, and which of its slots.
    pub zone: u32,
    pub slot: u32,
    /// The first row of the slot that is in it.
    pub from: u32,
    pub block: u32,
}

/// All blocks of the drive, by way.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Blocks {
    shape: Shape,
    per_way: u32,
    all: Vec<Block>,
    /// Erased blocks of each way, the one that waits longest first.
    free: Vec<VecDeque<u32>>,
    /// Blocks of each way that are to be erased and do not stand in its queue.
    doomed: Vec<VecDeque<u32>>,
    doomed_count: u32,
    slots: Vec<u32>,
    slots_per_zone: u32,
    splits: Vec<Split>,
    bad: u32,
    erases: u64,
}

impl Blocks {
    /// All of them are erased.
    pub fn new(shape: &Shape) -> Self {
        let (dies, per_way) = (shape.dies(), shape.blocks_per_way());
        let block = Block { used: Use::Free, has_failed: false, erases: 0 };
        let all = || (0..per_way).collect::<VecDeque<u32>>();
        Blocks {
            shape: *shape,
            per_way,
            all: vec![block; (dies * per_way) as usize],
            free: (0..dies).map(|_| all()).collect(),
            doomed: (0..dies).map(|_| VecDeque::with_capacity(per_way as usize)).collect(),
            doomed_count: 0,
            slots: vec![NONE; (shape.zones() * shape.slots()) as usize],
            slots_per_zone: shape.slots(),
            // A block has one split at most.
            splits: Vec::with_capacity((dies * per_way).min(MOST_SPLITS) as usize),
            bad: 0,
            erases: 0,
        }
    }

    fn of_mut(&mut self, die: u32, block: u32) -> &mut Block {
        &mut self.all[(die * self.per_way + block) as usize]
    }

    /// What a block is used for.
    pub fn used(&self, die: u32, block: u32) -> Use {
        self.all[(die * self.per_way + block) as usize].used
    }

    /// Erased blocks of a way.
    #[cfg(test)]
    fn free_count(&self, die: u32) -> u32 {
        self.free[die as usize].len() as u32
    }

    /// Blocks that are of no use.
    pub fn bad(&self) -> u32 {
        self.bad
    }

    /// Erases of all blocks, with those that wait.
    pub fn erases(&self) -> u64 {
        self.erases
    }

    /// Erases of a block, counted through all ways, if it is of use.
    pub fn erases_of(&self, block: u32) -> Option<u32> {
        let own = &self.all[block as usize];
        (own.used != Use::Bad).then_some(own.erases)
    }

    /// Blocks of the drive.
    pub fn count(&self) -> u32 {
        self.all.len() as u32
    }

    /// A block is of no use any more.
    pub fn take_bad(&mut self, die: u32, block: u32) {
        let was = core::mem::replace(&mut self.of_mut(die, block).used, Use::Bad);
        self.bad += u32::from(was != Use::Bad);
        if was == Use::Free {
            self.free[die as usize].retain(|&own| own != block);
        }
    }

    /// A block that was looked at is not known to be erased.
    pub fn take_written(&mut self, die: u32, block: u32, used: Use) {
        self.of_mut(die, block).used = used;
        self.free[die as usize].retain(|&own| own != block);
    }

    /// Takes an erased block of a way into use.
    pub fn take(&mut self, die: u32, used: Use) -> Option<u32> {
        let block = self.free[die as usize].pop_front()?;
        self.of_mut(die, block).used = used;
        Some(block)
    }

    /// A program in a block failed.
    pub fn note_failed(&mut self, die: u32, block: u32) {
        self.of_mut(die, block).has_failed = true;
    }

    /// The block of a slot that holds one of its rows, and the row in the block; none if the slot has no block.
    pub fn place(&self, zone: u32, slot: u32, row: u32) -> Option<(u32, u32)> {
        let first = self.slots[(zone * self.slots_per_zone + slot) as usize];
        if first == NONE {
            return None;
        }
        if self.splits.is_empty() {
            return Some((first, row));
        }
        let of_slot = self.splits.iter().filter(|own| (own.zone, own.slot) == (zone, slot));
        let last = of_slot.filter(|own| own.from <= row).max_by_key(|own| own.from);
        Some(last.map_or((first, row), |own| (own.block, row - own.from)))
    }

    /// A slot of a zone begins in a block, from row 0 on.
    pub fn assign(&mut self, zone: u32, slot: u32, block: u32) {
        self.slots[(zone * self.slots_per_zone + slot) as usize] = block;
    }

    /// Whether a further block can be given to a slot.
    pub fn can_split(&self) -> bool {
        self.splits.len() < self.splits.capacity()
    }

    /// A slot of a zone goes on in another block.
    pub fn split(&mut self, split: Split) {
        self.splits.push(split);
    }

    /// The slot that has a block goes on in another one from a row of the block on. A block of which nothing is left is to be erased.
    pub fn go_on(&mut self, die: u32, block: u32, row: u32, other: u32) {
        let Use::Zone(zone) = self.used(die, block) else {
            unreachable!("the block is one of a zone")
        };
        let shape = self.shape;
        let is_it = |own: &Split| own.block == block && shape.die(own.zone, own.slot) == die;
        let nth = self.splits.iter().position(|own| own.zone == zone && is_it(own));
        let slots = (0..self.slots_per_zone).map(|slot| (zone, slot));
        let mut firsts = slots.filter(|&(zone, slot)| shape.die(zone, slot) == die);
        let slot = match nth {
            Some(nth) => self.splits[nth].slot,
            None => firsts.next().expect("a slot has the block").1,
        };
        if row > 0 {
            let from = nth.map_or(0, |nth| self.splits[nth].from);
            return self.split(Split { zone, slot, from: from + row, block: other });
        }
        match nth {
            Some(nth) => self.splits[nth].block = other,
            None => self.assign(zone, slot, other),
        }
        self.doom(die, block, None);
    }

    /// Takes the next block of a slot off its zone.
    pub fn take_off(&mut self, zone: u32, slot: u32) -> Option<u32> {
        let nth = self.splits.iter().position(|own| (own.zone, own.slot) == (zone, slot));
        if let Some(nth) = nth {
            return Some(self.splits.swap_remove(nth).block);
        }
        let own = &mut self.slots[(zone * self.slots_per_zone + slot) as usize];
        let block = core::mem::replace(own, NONE);
        (block != NONE).then_some(block)
    }

    /// Nothing of a slot counts from a row on: blocks that hold nothing else are to be erased.
    pub fn cut(&mut self, zone: u32, slot: u32, row: u32) {
        let die = self.shape.die(zone, slot);
        let is_off = |own: &Split| (own.zone, own.slot) == (zone, slot) && own.from >= row;
        while let Some(nth) = self.splits.iter().position(is_off) {
            let block = self.splits.swap_remove(nth).block;
            self.doom(die, block, None);
        }
        let first = self.slots[(zone * self.slots_per_zone + slot) as usize];
        if row == 0 && first != NONE {
            self.assign(zone, slot, NONE);
            self.doom(die, first, None);
        }
    }

    /// A block is to be erased; a zone may wait for it.
    pub fn doom(&mut self, die: u32, block: u32, zone: Option<u32>) {
        self.of_mut(die, block).used = Use::Doomed(zone);
        self.doomed[die as usize].push_back(block);
        self.doomed_count += 1;
    }

    /// Takes the next block of a way that is to be erased.
    pub fn next_doomed(&mut self, die: u32) -> Option<u32> {
        let block = self.doomed[die as usize].pop_front()?;
        self.of_mut(die, block).erases += 1;
        self.erases += 1;
        self.doomed_count -= 1;
        Some(block)
    }

    /// Whether blocks are to be erased that do not stand in the queue of their way.
    pub fn any_doomed(&self) -> bool {
        self.doomed_count > 0
    }

    /// The zone that waits for a block to be erased.
    pub fn zone_of_doomed(&self, die: u32, block: u32) -> Option<u32> {
        match self.used(die, block) {
            Use::Doomed(zone) => zone,
            used => unreachable!("a block is erased that is in use: {used:?}"),
        }
    }

    /// A block was erased.
    pub fn erased(&mut self, die: u32, block: u32) {
        if self.of_mut(die, block).has_failed {
            self.take_bad(die, block);
            return;
        }
        self.of_mut(die, block).used = Use::Free;
        self.free[die as usize].push_back(block);
    }
}

/// Most slots that continue in a further block.
const MOST_SPLITS: u32 = 4096;

#[cfg(test)]
mod tests {
    use contract::{Configuration, Geometry, Zoning};

    use super::*;
    use crate::nvme::tests::mock::configuration;

    #[test]
    fn a_slot_goes_on_in_further_blocks_and_all_of_them_are_taken_off() {
        let geometry = Geometry {
            channels: 2,
            ways: 1,
            blocks_per_way: 6,
            pages_per_block: 8,
            page_bytes: 16_384,
        };
        let zoning =
            Some(Zoning { channels: 2, ways: 1, most_open: 1, most_active: 1, zones_per_set: 3 });
        let config = Configuration { geometry, unit_bytes: 4096, zoning, ..configuration() };
        let mut blocks = Blocks::new(&Shape::new(&config));
        blocks.take_bad(1, 0);
        assert_eq!((blocks.free_count(0), blocks.free_count(1), blocks.bad()), (6, 5, 1));
        assert_eq!(blocks.place(2, 1, 0), None);
        for (from, row) in [(0, 3), (3, 1), (4, 0)] {
            let block = blocks.take(1, Use::Zone(2)).expect("one is erased");
            match from {
                0 => blocks.assign(2, 1, block),
                from => blocks.split(Split { zone: 2, slot: 1, from, block }),
            }
            assert_eq!(blocks.place(2, 1, from + row), Some((block, row)));
        }
        let at = |row| blocks.place(2, 1, row);
        assert_eq!([0, 2, 3, 4, 7].map(at), [(1, 0), (1, 2), (2, 0), (3, 0), (3, 3)].map(Some));
        assert_eq!(blocks.place(2, 0, 0), None);
        let mut off: Vec<u32> = core::iter::from_fn(|| blocks.take_off(2, 1)).collect();
        off.sort_unstable();
        assert_eq!(off, [1, 2, 3]);
        blocks.note_failed(1, 2);
        off.iter().for_each(|&block| blocks.doom(1, block, Some(2)));
        assert_eq!(blocks.used(1, 3), Use::Doomed(Some(2)));
        while let Some(block) = blocks.next_doomed(1) {
            assert_eq!(blocks.zone_of_doomed(1, block), Some(2));
            blocks.erased(1, block);
        }
        assert!(!blocks.any_doomed());
        assert_eq!([1, 2, 3].map(|block| blocks.used(1, block)), [Use::Free, Use::Bad, Use::Free]);
        assert_eq!((blocks.bad(), blocks.free_count(1), blocks.erases()), (2, 4, 3));
        assert_eq!(
            [1, 6 + 1, 6 + 2].map(|block| blocks.erases_of(block)),
            [Some(0), Some(1), None]
        );
    }
}
