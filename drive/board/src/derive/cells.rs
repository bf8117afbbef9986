//! From leaves to the voltages of cells.

use super::Derivation;
use crate::{BoardError, Cells};

impl Derivation<'_> {
    /// The voltages of cells, each reference between the levels that it tells apart.
    pub(super) fn cells(&self) -> Result<Cells, BoardError> {
        for (reference, level) in [
            ("cells.erased_reference_mv", "cells.erased_gap_mv"),
            ("cells.level_reference_mv", "cells.level_gap_mv"),
            ("cells.lower_page_reference_mv", "cells.lower_page_mv"),
            ("cells.single_reference_mv", "cells.single_mv"),
        ] {
            if self.u64(reference) >= self.u64(level) {
                let expected = format!("less than {level}, which is {}", self.u64(level));
                return Err(self.contradiction(reference, expected));
            }
        }
        Ok(Cells {
            erased_gap_mv: self.u32("cells.erased_gap_mv"),
            level_gap_mv: self.u32("cells.level_gap_mv"),
            lower_page_mv: self.u32("cells.lower_page_mv"),
            single_mv: self.u32("cells.single_mv"),
            erased_sigma_mv: self.u32("cells.erased_sigma_mv"),
            level_sigma_mv: self.u32("cells.level_sigma_mv"),
            erased_reference_mv: self.u32("cells.erased_reference_mv"),
            level_reference_mv: self.u32("cells.level_reference_mv"),
            lower_page_reference_mv: self.u32("cells.lower_page_reference_mv"),
            single_reference_mv: self.u32("cells.single_reference_mv"),
            widening_permille_per_kilocycle: self.u32("cells.widening_permille_per_kilocycle"),
            bit_line_coupling_per_million: self.u32("cells.bit_line_coupling_per_million"),
            word_line_coupling_per_million: self.u32("cells.word_line_coupling_per_million"),
            retention_per_million: self.u32("cells.retention_per_million"),
            disturb_mv_per_million_reads: self.u32("cells.disturb_mv_per_million_reads"),
            read_step_mv: self.u32("cells.read_step_mv"),
        })
    }
}
