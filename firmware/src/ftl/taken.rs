//! Pages that are taken of open superblocks.

use super::blocks::{Blocks, Open, State, Stream};

impl Blocks {
    /// Takes the next page of the open superblock of a stream, of which so many mapping units count as valid, and
    /// returns its row. The superblock closes with its last page.
    #[inline]
    pub fn take_page(&mut self, (die, stream): (u32, Stream), units: u32) -> u32 {
        let (superblock, page) = self.open(die, stream).expect("the way has an open superblock");
        self.take((die, stream), (1, units));
        self.row(die, superblock, page)
    }

    /// Takes the next `count` pages of a stream of a way, all valid, opening and closing superblocks on the way.
    pub fn take_pages(&mut self, (die, stream): (u32, Stream), mut count: u32) {
        while count > 0 {
            if self.open(die, stream).is_none() {
                self.open_next(die, stream);
            }
            let taken = count.min(self.left(die, stream));
            self.take((die, stream), (taken, taken * self.units));
            count -= taken;
        }
    }

    /// Takes pages of the open superblock of a stream, which has as many, with so many valid mapping units.
    fn take(&mut self, (die, stream): (u32, Stream), (pages, units): (u32, u32)) {
        let open = &mut self.dies[die as usize].open[stream.index()];
        open.next_page += pages;
        let Open { superblock, next_page } = *open;
        self.of_mut(die, superblock).valid += units;
        if next_page == self.superblock_pages() {
            self.close(die, superblock);
        }
    }

    /// So many more mapping units of a block, in a page that was taken, hold data.
    pub fn add_valid(&mut self, die: u32, block: u32, units: u32) {
        let State::In(superblock) = self.at(die, block).state else {
            panic!("block {block} of way {die} takes no data")
        };
        self.relist(die, superblock, self.valid(die, superblock) + units);
    }
}
