//! Which logical blocks hold nothing any more, or are lost, in blocks of the FTL's own.
//!
//! Lists say what was written, and not that it is not wanted any more: without a word on that, a block that was deallocated
//! would come back with what it once held. Behind the logical blocks of jobs the map has others, with two bits for each of 16,384
//! blocks of jobs. They are made from the map whenever they come into the ring, are written and listed as data are, and the
//! collector has them made anew instead of moving them. What such a block says holds for all that came before it.

use std::collections::BTreeSet;

use super::map::{Map, Where};

/// Logical blocks that one of them speaks of.
pub const EACH: u64 = 4096 * 4;

/// How many there are for so many logical blocks.
pub const fn blocks_for(blocks: u64) -> u64 {
    blocks.div_ceil(EACH)
}

/// Those that are to be written.
#[derive(Debug)]
pub struct Gaps {
    /// Logical blocks that jobs have.
    first: u32,
    /// Those that changed since they were written.
    changed: BTreeSet<u32>,
    /// Those that are to come into the ring now.
    due: BTreeSet<u32>,
}

impl Gaps {
    /// Nothing has changed.
    pub fn new(blocks: u64) -> Self {
        Gaps { first: blocks as u32, changed: BTreeSet::new(), due: BTreeSet::new() }
    }

    /// A logical block held something, and holds nothing now, or is lost.
    pub fn note(&mut self, lba: u32) {
        self.changed.insert(lba / EACH as u32);
    }

    /// Whether a block is one of these, and no job's: its number.
    pub fn own(&self, lba: u32) -> Option<u32> {
        lba.checked_sub(self.first)
    }

    /// The logical block of one of these.
    pub fn lba(&self, number: u32) -> u32 {
        self.first + number
    }

    /// What has changed is to come into the ring.
    pub fn demand(&mut self) {
        self.due.append(&mut self.changed);
    }

    /// One of these is to come into the ring.
    pub fn demand_one(&mut self, number: u32) {
        self.due.insert(number);
    }

    /// The next that is to come into the ring.
    pub fn next(&self) -> Option<u32> {
        self.due.first().copied()
    }

    /// One of these comes into the ring.
    pub fn come(&mut self, number: u32) {
        self.due.remove(&number);
        self.changed.remove(&number);
    }

    /// Whether none is to come into the ring.
    pub fn is_done(&self) -> bool {
        self.due.is_empty()
    }

    /// Whether all are in the ring as they are now.
    pub fn is_clean(&self) -> bool {
        self.due.is_empty() && self.changed.is_empty()
    }
}

/// The blocks of jobs, of so many, that one of these speaks of.
fn range(number: u32, blocks: u64) -> std::ops::Range<u32> {
    let first = u64::from(number) * EACH;
    first as u32..blocks.min(first + EACH) as u32
}

/// Makes one of these from the map.
pub fn emit(map: &Map, (number, blocks): (u32, u64), block: &mut [u8]) {
    block.fill(0);
    for (nth, lba) in range(number, blocks).enumerate() {
        let bits = match map.find(lba) {
            Where::Nowhere => 1,
            Where::Lost => 2,
            Where::Flash(_) | Where::Buffer(_) => continue,
        };
        block[nth / 4] |= bits << (nth % 4 * 2);
    }
}

/// Tells the map what one of these says.
pub fn apply(map: &mut Map, (number, blocks): (u32, u64), block: &[u8]) {
    for (nth, lba) in range(number, blocks).enumerate() {
        match block[nth / 4] >> (nth % 4 * 2) & 3 {
            1 => map.put(lba, Where::Nowhere),
            2 => map.put(lba, Where::Lost),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_block_says_is_what_the_map_said() {
        let blocks = EACH + 5;
        let mut map = Map::new(blocks + blocks_for(blocks), 1000);
        for lba in (0..blocks as u32).step_by(7) {
            map.put(lba, Where::Flash(lba % 1000));
        }
        map.put(16_387, Where::Lost);
        map.put(3, Where::Lost);
        for number in 0..2 {
            let mut block = [9; 4096];
            emit(&map, (number, blocks), &mut block);
            let mut other = Map::new(blocks + 2, 1000);
            (0..blocks as u32).for_each(|lba| other.put(lba, Where::Flash(lba % 1000)));
            apply(&mut other, (number, blocks), &block);
            for lba in 0..blocks as u32 {
                let here = u64::from(lba) / EACH == u64::from(number);
                let expected = if here { map.find(lba) } else { Where::Flash(lba % 1000) };
                assert_eq!(other.find(lba), expected, "block {lba}");
            }
        }
    }
}
