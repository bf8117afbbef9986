//! Small drives of a given board: its chips, policies and mapping, in few blocks of few pages.

use board::{Board, BoardError};
use contract::{CommandSet, Medium};

use crate::draw::Draw;

/// Values of random sizes that suit a board.
pub(crate) struct Small {
    medium: Medium,
    command_set: CommandSet,
    /// Bits of a cell that are used, and that the chips can hold.
    bits: (u32, u32),
    /// Planes that act together.
    planes: u32,
    /// Pages that one program writes.
    together: u32,
}

impl Small {
    /// What is known of a board.
    ///
    /// # Errors
    /// When there is no such board, or it cannot be used.
    pub(crate) fn of(board: &str) -> Result<Small, BoardError> {
        let board = Board::resolve(board, &[])?;
        let bits = board.flash.cell_bits;
        Ok(Small {
            medium: board.firmware.medium,
            command_set: board.firmware.command_set,
            bits: (board.flash.cell_mode.bits(), bits),
            planes: board.firmware.joined_planes,
            together: board.flash.programming.flash_pages,
        })
    }

    /// Fits sizes that were drawn for a drive of cells of two bits, one of which is used, whose planes do not act together.
    pub(crate) fn fit(&self, sizes: Vec<(&'static str, String)>) -> Vec<(&'static str, String)> {
        if self.medium == Medium::Memory {
            return Vec::new();
        }
        sizes.into_iter().filter_map(|(key, value)| self.fit_one(key, value)).collect()
    }

    fn fit_one(&self, key: &'static str, value: String) -> Option<(&'static str, String)> {
        let number: u32 = value.parse().ok()?;
        let fitted = match key {
            "geometry.blocks_per_way" | "ftl.spare_blocks_per_way" => number * self.planes,
            "flash.pages_per_physical_block" => {
                let (used, held) = self.bits;
                // As many usable pages as with one bit of two, or a few more.
                (number / 2).div_ceil(used).max(4) * held
            }
            "ftl.buffer_kib" => number * self.planes * self.together,
            // A drive whose host places its data has no map, and so no log of one, and all of its pages are the host's.
            "recovery.log_entries"
            | "recovery.snapshots_per_journal_page"
            | "ftl.overprovision_percent"
                if self.command_set != CommandSet::Block =>
            {
                return None
            }
            _ => return Some((key, value)),
        };
        Some((key, fitted.to_string()))
    }

    /// Values that a drive of this kind has beyond those of flash.
    pub(crate) fn more(&self, draw: &mut Draw) -> Vec<(&'static str, String)> {
        if self.command_set == CommandSet::Zoned {
            return zones(draw);
        }
        match self.medium {
            Medium::Memory => vec![("memory.capacity_mib", draw.one_of(&["8", "64"]).to_owned())],
            Medium::Flash => Vec::new(),
        }
    }

    /// Leaves out what its rounds cannot tell from a broken promise: data of zones that cannot be read.
    pub(crate) fn leave_out(&self, values: &mut Vec<(&'static str, String)>) {
        let of_reads = ["errors.raw_bits_per_terabit", "ftl.read_retries", "flash.read_levels"];
        if self.command_set == CommandSet::Zoned {
            values.retain(|(key, _)| !of_reads.contains(key));
        }
    }

    /// Whether failures of flash mean anything to it.
    pub(crate) fn has_flash(&self) -> bool {
        self.medium == Medium::Flash
    }
}

/// How zones lie in the flash, and how many may be used at a time. Some do not suit the sizes that were drawn.
fn zones(draw: &mut Draw) -> Vec<(&'static str, String)> {
    let most_open = draw.one_of(&[1, 2, 3, 6]);
    vec![
        ("zones.channels", draw.one_of(&["1", "1", "2", "3"]).to_owned()),
        ("zones.ways", draw.one_of(&["1", "1", "2", "4"]).to_owned()),
        ("zones.open", most_open.to_string()),
        ("zones.active", (most_open + draw.one_of(&[0, 1, 2])).to_string()),
    ]
}
