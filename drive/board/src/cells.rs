//! Threshold voltages of flash cells, as a board states them.

/// Which of the two models of wrong bits counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorModel {
    /// The rates of [`Errors`](crate::Errors), whatever is stored.
    Rates,
    /// The voltages of [`Cells`]: with real bytes, what is stored decides which bits are wrong.
    Cells,
}

/// Threshold voltages of flash cells, in millivolts above the mean of erased ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cells {
    /// Mean of the lowest programmed level.
    pub erased_gap_mv: u32,
    /// From each programmed level to the next.
    pub level_gap_mv: u32,
    /// Programmed cells of a word line that has its lower page alone, and will have another.
    pub lower_page_mv: u32,
    /// Programmed cells where lower pages alone are used.
    pub single_mv: u32,
    /// Standard deviation of erased cells that were never erased before.
    pub erased_sigma_mv: u32,
    /// The same of programmed cells.
    pub level_sigma_mv: u32,
    /// The reference that tells erased cells from the lowest level.
    pub erased_reference_mv: u32,
    /// Each other reference, above the level below it.
    pub level_reference_mv: u32,
    /// The reference of a word line that has its lower page alone, and will have another.
    pub lower_page_reference_mv: u32,
    /// The reference where lower pages alone are used.
    pub single_reference_mv: u32,
    /// What 1,000 program/erase cycles add to all standard deviations, in thousandths of them.
    pub widening_permille_per_kilocycle: u32,
    /// Of what a neighbour on the same word line rises by in its last program: millionths that a cell rises by.
    pub bit_line_coupling_per_million: u32,
    /// The same of the neighbour on the next word line.
    pub word_line_coupling_per_million: u32,
    /// Millionths of its height above erased cells that a level loses each time that the hours since its block
    /// was first programmed, and one more, double.
    pub retention_per_million: u32,
    /// What a million reads of its block raise erased cells by; higher levels rise less, the highest not at all.
    pub disturb_mv_per_million_reads: u32,
    /// By how much all references fall from a read level to the next.
    pub read_step_mv: u32,
}
