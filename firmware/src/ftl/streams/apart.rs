//! What collection moves has a superblock of its own: nothing has to guess which data are hot (B. Van Houdt, "On the
//! necessity of hot and cold data identification to reduce the write amplification in flash-based SSDs", Performance
//! Evaluation 82, 2014).

use contract::{Configuration, Lpn, Settings};

use super::{Policy, Stream};

/// One superblock for what is new, and one for what is moved.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Apart;

impl Policy for Apart {
    const APART: bool = true;

    fn new(_: &Configuration, _: &Settings) -> Self {
        Apart
    }

    fn of_new(&mut self, _: Lpn, _: u8) -> Stream {
        Stream::Host
    }
}
