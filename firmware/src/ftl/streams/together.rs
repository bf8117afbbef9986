//! All data of a way go to one open superblock, as in the published firmware of Cosmos+.

use contract::{Configuration, Lpn, Settings};

use super::{Policy, Stream};

/// One superblock for all.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Together;

impl Policy for Together {
    const APART: bool = false;

    fn new(_: &Configuration, _: &Settings) -> Self {
        Together
    }

    fn of_new(&mut self, _: Lpn, _: u8) -> Stream {
        Stream::Host
    }
}
