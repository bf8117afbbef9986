//! How many units a list names ([`super::journal`]).

/// Bytes of a logical block of the drive.
pub const BLOCK_BYTES: usize = 4096;
/// Bytes of a list before its units.
pub const HEAD_BYTES: usize = 48;
/// Words of a unit in a list.
pub const fn record_words(write_blocks: u32) -> usize {
    write_blocks as usize + 3
}

/// Units that a list names at most.
pub fn most_units(write_blocks: u32) -> usize {
    (BLOCK_BYTES - HEAD_BYTES) / 4 / record_words(write_blocks)
}
