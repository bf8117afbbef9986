//! Where each logical block of the FTL is, and which one each place of the flash holds.

use sparse::Words;

/// Where a logical block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// It was never written, or deallocated since.
    Nowhere,
    /// In this entry of the write buffer.
    Buffer(u32),
    /// At this place of the flash.
    Flash(u32),
    /// Its data could not be read when they were to be moved.
    Lost,
}

const IN_BUFFER: u32 = 1 << 31;
const LOST: u32 = IN_BUFFER - 1;

/// Both directions of the map. Memory is taken around blocks that were written.
#[derive(Clone, Debug)]
pub struct Map {
    there: Words,
    /// By place: the block that was written there last, and one more; 0 for none.
    back: Words,
}

impl Map {
    /// A map of so many blocks onto so many places, fewer than 2^31 - 1.
    pub fn new(blocks: u64, places: u64) -> Self {
        assert!(places < LOST.into(), "places are told from what else a word says");
        Map { there: Words::new(blocks), back: Words::new(places) }
    }

    /// Logical blocks.
    pub fn blocks(&self) -> u64 {
        self.there.count()
    }

    /// Where a block is.
    #[inline]
    pub fn find(&self, lba: u32) -> Where {
        match self.there.get(lba.into()) {
            0 => Where::Nowhere,
            LOST => Where::Lost,
            word if word & IN_BUFFER != 0 => Where::Buffer(word & !IN_BUFFER),
            word => Where::Flash(word - 1),
        }
    }

    /// A block is somewhere else from now on.
    #[inline]
    pub fn put(&mut self, lba: u32, at: Where) {
        let word = match at {
            Where::Nowhere => 0,
            Where::Lost => LOST,
            Where::Buffer(entry) => entry | IN_BUFFER,
            Where::Flash(place) => place + 1,
        };
        self.there.set(lba.into(), word);
    }

    /// The block that was written to a place last.
    #[inline]
    pub fn block_at(&self, place: u32) -> Option<u32> {
        self.back.get(place.into()).checked_sub(1)
    }

    /// A place is written with a block, or with nothing.
    #[inline]
    pub fn note(&mut self, place: u32, lba: Option<u32>) {
        self.back.set(place.into(), lba.map_or(0, |lba| lba + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_can_be_said_of_a_block_is_read_back() {
        let mut map = Map::new(8, 1 << 20);
        for at in [
            Where::Flash(0),
            Where::Buffer(0),
            Where::Lost,
            Where::Flash((1 << 31) - 3),
            Where::Buffer(511),
            Where::Nowhere,
        ] {
            map.put(5, at);
            assert_eq!((map.find(5), map.find(4)), (at, Where::Nowhere));
        }
        assert_eq!(map.block_at(77), None);
        map.note(77, Some(0));
        assert_eq!(map.block_at(77), Some(0));
        map.note(77, None);
        assert_eq!(map.block_at(77), None);
    }
}
