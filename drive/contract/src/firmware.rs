//! What a body needs of a firmware.

use crate::{Configuration, Hardware};

/// How a drive starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Start {
    /// It is new: its chips hold nothing but the factory's bad block marks.
    New,
    /// It was used before, and its chips hold what is left of this use.
    Again,
}

/// A firmware, as the bodies run it. One that is to run in every body asks of `H` nothing but the contract's traits.
pub trait Firmware<H: Hardware> {
    /// The firmware of a drive that gets power now. It takes all memory here.
    fn power_on(config: &Configuration, start: Start, hw: &mut H) -> Self
    where
        Self: Sized;

    /// One turn of the main loop, which ends with [`Hardware::end_pass`]. The work of a turn is bounded.
    fn pass(&mut self, hw: &mut H);

    /// Bytes of a logical block, in the format in use.
    fn block_bytes(&self) -> u32;
}
