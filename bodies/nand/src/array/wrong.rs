//! How many bits of a page come out wrong.

use board::{Board, InPlane, Scrambler};

use super::Array;
use crate::aging::Aging;
use crate::blocks::Place;
use crate::cells::{Cells, Condition};
use crate::{Payload, Prior, Unsuitable};

/// The cells of a board whose wrong bits follow from them.
pub(super) fn cells(
    board: &Board,
    payload: Payload,
    seed: u64,
) -> Result<Option<Cells>, Unsuitable> {
    let raw_bytes = match payload {
        Payload::Stamps { .. } => None,
        Payload::Bytes { .. } => Some(board.flash.page_bus_bytes() as usize),
    };
    let cells = Cells::new(board, seed, raw_bytes);
    if cells.is_some() && raw_bytes.is_none() && board.ecc.scrambler == Scrambler::Off {
        return Err(Unsuitable::UnknownBits { board: board.name.clone() });
    }
    Ok(cells)
}

/// The ages of a board's blocks, where they count.
pub(super) fn aging(board: &Board, cells: Option<&Cells>, page_bits: u32) -> Option<Aging> {
    let geometry = board.firmware.geometry;
    let blocks = (geometry.dies() * geometry.blocks_per_way) as usize;
    // Reads disturb the block of their plane alone.
    let blocks = board.flash.fold.blocks(blocks).start;
    match cells {
        None => Aging::new(&board.errors, page_bits, blocks),
        Some(cells) => cells.ages().then(|| Aging::counted(&board.errors, blocks)),
    }
}

impl<P: Prior> Array<P> {
    /// Draws the wrong bits of a page that a die reads, by the board's rates.
    #[inline]
    pub(super) fn drawn_by_rates(&mut self, (at, of): (Place, InPlane), die: u32) -> u32 {
        let block = self.fold.block(at.block, of.plane);
        let die = &mut self.dies[die as usize];
        let cycles = self.blocks.cycles(at.block);
        let mut wrong_bits = self.wear.wrong_bits(cycles, &mut die.faults);
        if let Some(aging) = &mut self.aging {
            wrong_bits += aging.read(block, &mut die.faults);
            wrong_bits = wrong_bits.min(self.wrong.layout().page_bits());
        }
        if die.level > 0 {
            let share = self.wrong_per_million[usize::from(die.level)];
            wrong_bits = (u64::from(wrong_bits) * share / 1_000_000) as u32;
        }
        wrong_bits
    }

    /// The condition of a block that a die reads, and where the bytes are not known, so many wrong bits of its page: as many as
    /// there are if all flash pages of it are of the type of the one that is read.
    #[inline(never)]
    pub(super) fn drawn_by_cells(
        &mut self,
        (at, of): (Place, InPlane),
        die: u32,
    ) -> (u32, Condition) {
        let die = &mut self.dies[die as usize];
        let block = self.fold.block(at.block, of.plane);
        let (held_ps, reads) = self.aging.as_mut().map_or((0, 0), |aging| aging.count(block));
        let cycles = self.blocks.cycles(at.block);
        let condition = Condition { cycles, held_ps, reads, level: die.level };
        let wrong_bits = match &mut self.cells {
            Some(cells) if !cells.have_bytes() => {
                let page_bits = self.wrong.layout().page_bits();
                let page_type = cells.word_lines().of(of.page).page_type;
                cells.draw((page_type, condition), page_bits, &mut die.faults)
            }
            _ => 0,
        };
        (wrong_bits, condition)
    }
}
