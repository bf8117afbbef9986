//! What each block is as a whole. In a large drive most blocks are as they were before the run.

use borsh::{BorshDeserialize, BorshSerialize};
use sparse::{Clones, Table};

/// A block.
#[derive(Clone, Copy, BorshSerialize, BorshDeserialize)]
pub(crate) struct State {
    pub pages: Pages,
    /// The first page that may be programmed; those below hold something or were skipped.
    pub next: u32,
    pub cycles: u32,
}

/// Where it stands what the pages of a block hold.
#[derive(Clone, Copy, BorshSerialize, BorshDeserialize)]
pub(crate) enum Pages {
    Prior,
    Erased,
    /// An erase was cut off.
    Torn,
    /// The number of the table.
    Table(u32),
}

impl State {
    const UNTOUCHED: State = State { pages: Pages::Prior, next: 0, cycles: 0 };
}

/// All blocks.
#[derive(Clone, BorshSerialize, BorshDeserialize)]
pub(crate) struct States {
    all: Table<State>,
    /// A bit a block, set once its state was changed. The states of a large drive are more than a cache holds; these
    /// bits spare a look at those of blocks that only reads have met.
    changed: Vec<u64>,
}

impl States {
    /// So many blocks that nothing has touched.
    pub fn new(blocks: usize) -> Self {
        States { all: Table::new(blocks, State::UNTOUCHED), changed: vec![0; blocks.div_ceil(64)] }
    }

    /// States what clones are.
    pub fn set_clones(&mut self, are: Clones) {
        self.all.set_clones(are);
    }

    /// A block.
    #[inline]
    pub fn of(&self, block: usize) -> State {
        match self.changed[block / 64] >> (block % 64) & 1 {
            0 => State::UNTOUCHED,
            _ => self.all[block],
        }
    }

    /// A block, to be changed.
    #[inline]
    pub fn of_mut(&mut self, block: usize) -> &mut State {
        self.changed[block / 64] |= 1 << (block % 64);
        &mut self.all[block]
    }

    /// Blocks, and words of bits.
    pub fn sizes(&self) -> (usize, usize) {
        (self.all.len(), self.changed.len())
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &State> {
        self.all.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_untouched_until_it_is_changed_and_its_neighbours_stay_so() {
        let mut states = States::new(200);
        for block in [0, 63, 64, 199] {
            states.of_mut(block).cycles += 1 + block as u32;
        }
        for block in 0..200 {
            let expected = if [0, 63, 64, 199].contains(&block) { 1 + block as u32 } else { 0 };
            assert_eq!(states.of(block).cycles, expected, "block {block}");
            assert!(matches!(states.of(block).pages, Pages::Prior));
        }
        assert_eq!(states.iter().filter(|state| state.cycles > 0).count(), 4);
    }

    #[test]
    fn blocks_of_a_terabyte_take_a_few_megabytes() {
        let states = States::new(8192 * 64);
        let bytes = states.all.len() * size_of::<State>() + states.changed.len() * 8;
        assert!(bytes <= 9 << 20, "{bytes} bytes of states");
    }
}
