//! Namespaces of a round's drive. Its history counts all blocks of the drive; commands name a namespace and count from its first block.

use board::Board;

use crate::history::Extent;
use crate::plan::logical_blocks;
use crate::sizes::BLOCK;

/// Whose blocks are where: equal parts in whole mapping units, the last with the rest (`docs/nvme.md`).
#[derive(Clone, Copy, Debug)]
pub struct Namespaces {
    count: u64,
    /// Blocks of each but the last.
    blocks: u64,
    /// Blocks of the drive.
    all: u64,
}

impl Namespaces {
    /// Those of a board's drive.
    pub fn of(board: &Board) -> Self {
        let (count, unit_bytes) =
            (u64::from(board.firmware.namespaces), u64::from(board.firmware.unit_bytes));
        let all = logical_blocks(board);
        let units = all * BLOCK / unit_bytes;
        Namespaces { count, blocks: units / count * unit_bytes / BLOCK, all }
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        self.count as u32
    }

    /// Blocks of the drive.
    pub fn all_blocks(&self) -> u64 {
        self.all
    }

    /// Identifier and first block of the namespace that has a block of the drive.
    pub fn locate(&self, lba: u64) -> (u32, u64) {
        let nth = (lba / self.blocks).min(self.count - 1);
        (nth as u32 + 1, nth * self.blocks)
    }

    /// The part of an extent that lies in the namespace of its first block.
    pub fn clip(&self, extent: Extent) -> Extent {
        let (nsid, first) = self.locate(extent.lba);
        let end = if u64::from(nsid) == self.count { self.all } else { first + self.blocks };
        Extent { blocks: extent.blocks.min(end - extent.lba), ..extent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_ends_with_its_namespace() {
        let set = ("namespace.count".to_owned(), "3".to_owned());
        let board = Board::resolve("small", &[set]).expect("the board");
        let namespaces = Namespaces::of(&board);
        let (each, all) = (namespaces.blocks, namespaces.all);
        let unit = u64::from(board.firmware.unit_bytes) / BLOCK;
        assert!(each % unit == 0 && all - 3 * each < 3 * unit, "{each} of {all}");
        for (lba, blocks, expected) in [
            (0, 9, (1, 9)),
            (each - 1, 9, (1, 1)),
            (each, 9, (2, 9)),
            (all - 2, 2, (3, 2)),
            (3 * each - 1, 1, (3, 1)),
        ] {
            let clipped = namespaces.clip(Extent { lba, blocks });
            assert_eq!((namespaces.locate(lba).0, clipped.blocks), expected, "{lba}");
        }
    }
}
