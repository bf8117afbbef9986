//! The blocks of a drive at the end of a run: of which kind, how full, how worn, how old.

use serde::{Deserialize, Serialize};

use crate::drive::EraseCounts;

/// Rows and columns of the map at most.
const MOST_ROWS: u32 = 32;
const MOST_COLUMNS: u32 = 64;
/// Steps of the histograms.
const STEPS: usize = 20;

/// What a block is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlockKind {
    /// Erased, or about to be.
    Free,
    /// Takes new pages.
    Open,
    /// Full.
    Closed,
    /// Full, and what is valid in it is being moved out.
    Collected,
    /// A program in it failed; what is valid in it waits to be written elsewhere.
    Failed,
    /// Stands in for a block that goes bad.
    Spare,
    /// Never used again, or set aside for the log.
    Apart,
}

impl BlockKind {
    /// All of them, with their names in reports and as keys.
    pub const ALL: [(BlockKind, &'static str, &'static str); 7] = [
        (BlockKind::Free, "free", "free"),
        (BlockKind::Open, "open", "open"),
        (BlockKind::Closed, "closed", "closed"),
        (BlockKind::Collected, "being collected", "being_collected"),
        (BlockKind::Failed, "failed", "failed"),
        (BlockKind::Spare, "spare", "spare"),
        (BlockKind::Apart, "bad or of the log", "bad_or_log"),
    ];
}

/// A block, as it is at the end of a run.
#[derive(Clone, Copy, Debug)]
pub struct BlockSeen {
    /// What it is for.
    pub kind: BlockKind,
    /// Share of its data that is valid, in thousandths.
    pub valid_permille: u32,
    /// Times that it was erased.
    pub erases: u32,
    /// Mapping units of its way that became invalid since it last changed.
    pub age: u64,
}

/// Blocks side by side of one way, or of several ways, added together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "[u64; 11]", from = "[u64; 11]")]
pub struct BlockCell {
    /// How many of them can hold data: all but spare ones and those apart.
    pub used: u32,
    /// Sums over these.
    pub valid_permille: u64,
    /// As [`BlockCell::valid_permille`].
    pub erases: u64,
    /// As [`BlockCell::valid_permille`].
    pub age: u64,
    /// How many are of each kind, in the order of [`BlockKind::ALL`].
    pub kinds: [u32; 7],
}

impl From<BlockCell> for [u64; 11] {
    fn from(cell: BlockCell) -> Self {
        let BlockCell { used, valid_permille, erases, age, kinds } = cell;
        let mut numbers = [u64::from(used), valid_permille, erases, age, 0, 0, 0, 0, 0, 0, 0];
        numbers[4..].copy_from_slice(&kinds.map(u64::from));
        numbers
    }
}

impl From<[u64; 11]> for BlockCell {
    fn from(numbers: [u64; 11]) -> Self {
        let [used, valid_permille, erases, age, ..] = numbers;
        let kinds = std::array::from_fn(|nth| numbers[4 + nth] as u32);
        BlockCell { used: used as u32, valid_permille, erases, age, kinds }
    }
}

impl BlockCell {
    /// The kind of most blocks.
    pub fn kind(&self) -> BlockKind {
        let most = self.kinds.iter().max();
        let nth = self.kinds.iter().position(|count| Some(count) == most).unwrap_or(0);
        BlockKind::ALL[nth].0
    }
}

/// All blocks of a drive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockMap {
    /// Dies of a row of the map, and blocks of a column; 1 unless there are too many.
    pub dies_a_row: u32,
    /// As [`BlockMap::dies_a_row`].
    pub blocks_a_column: u32,
    /// Columns of the map.
    pub columns: u32,
    /// Row by row.
    pub cells: Vec<BlockCell>,
    /// How many blocks are of each kind, in the order of [`BlockKind::ALL`].
    pub kinds: [u64; 7],
    /// Closed blocks by the share of their data that is valid, in twentieths; what is all valid is in the last.
    pub by_valid: [u64; STEPS],
    /// Blocks that can hold data by their erases, from [`BlockMap::least_erases`] on.
    pub by_erases: [u64; STEPS],
    /// Fewest erases of a block that can hold data.
    pub least_erases: u32,
    /// Erases of a step of [`BlockMap::by_erases`].
    pub erases_a_step: u32,
}

impl BlockMap {
    /// Whether cells fill its rows: a file may say otherwise.
    pub(crate) fn is_whole(&self) -> bool {
        self.columns > 0 && self.cells.len().is_multiple_of(self.columns as usize)
    }

    /// Of blocks of `dies` dies one after the other, each of `per_die`, of which those that can hold data were erased
    /// so often; `None` without blocks.
    pub fn of(
        blocks: impl Iterator<Item = BlockSeen>,
        dies: u32,
        per_die: u32,
        erases: &EraseCounts,
    ) -> Option<Self> {
        if dies == 0 {
            return None;
        }
        let (least, most) = (erases.min as u32, erases.max as u32);
        let (dies_a_row, blocks_a_column) =
            (dies.div_ceil(MOST_ROWS), per_die.div_ceil(MOST_COLUMNS));
        let columns = per_die.div_ceil(blocks_a_column);
        let mut map = BlockMap {
            dies_a_row,
            blocks_a_column,
            columns,
            cells: vec![BlockCell::default(); (dies.div_ceil(dies_a_row) * columns) as usize],
            least_erases: least,
            erases_a_step: ((most - least) / STEPS as u32 + 1),
            ..BlockMap::default()
        };
        let (mut die, mut within) = (0, 0);
        for block in blocks {
            map.add((die / dies_a_row * columns + within / blocks_a_column) as usize, block);
            within += 1;
            if within == per_die {
                (die, within) = (die + 1, 0);
            }
        }
        Some(map)
    }

    #[inline]
    fn add(&mut self, cell: usize, block: BlockSeen) {
        let kind = block.kind as usize;
        self.kinds[kind] += 1;
        let cell = &mut self.cells[cell];
        cell.kinds[kind] += 1;
        if block.kind >= BlockKind::Spare {
            return;
        }
        cell.used += 1;
        cell.valid_permille += u64::from(block.valid_permille);
        cell.erases += u64::from(block.erases);
        cell.age += block.age;
        let step = (block.erases - self.least_erases) / self.erases_a_step;
        self.by_erases[step as usize] += 1;
        if block.kind == BlockKind::Closed {
            let step = block.valid_permille as usize * STEPS / 1000;
            self.by_valid[step.min(STEPS - 1)] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_block_is_in_its_cell_and_its_steps() {
        let block = |nth: u32| BlockSeen {
            kind: [BlockKind::Closed, BlockKind::Free, BlockKind::Apart][nth as usize % 3],
            valid_permille: if nth.is_multiple_of(3) { nth % 1001 } else { 0 },
            erases: 100 + nth % 50,
            age: u64::from(nth),
        };
        // 40 dies of 130 blocks: two dies a row, three blocks a column.
        let blocks = || (0..40 * 130).map(block);
        let in_use = blocks().filter(|block| block.kind < BlockKind::Spare);
        let erases = EraseCounts::of(in_use.map(|block| block.erases));
        let map = BlockMap::of(blocks(), 40, 130, &erases).unwrap();
        assert_eq!((map.dies_a_row, map.blocks_a_column, map.columns), (2, 3, 44));
        assert_eq!(map.cells.len(), 20 * 44);
        assert_eq!(map.kinds.iter().sum::<u64>(), 40 * 130);
        assert_eq!(
            map.cells.iter().map(|cell| u64::from(cell.used)).sum::<u64>(),
            map.kinds[..5].iter().sum::<u64>()
        );
        assert_eq!(map.by_valid.iter().sum::<u64>(), map.kinds[BlockKind::Closed as usize]);
        assert_eq!((map.least_erases, map.erases_a_step), (100, 3));
        assert_eq!(map.by_erases[17..], [0, 0, 0]);
        // The second die's first block is number 130, a free one, in the first cell as well.
        assert_eq!(map.cells[0].kinds, [2, 0, 2, 0, 0, 0, 2]);
        let text = serde_json::to_string(&map).unwrap();
        assert_eq!(serde_json::from_str::<BlockMap>(&text).unwrap(), map);
        assert_eq!(BlockMap::of(std::iter::empty(), 0, 8, &erases), None);
    }
}
