//! By handle: the host says which new data belong together, and data of each of its placement handles have superblocks of
//! their own (Flexible Data Placement, NVMe TP4146). What collection moves is apart, and mixed: handles are initially isolated.

use contract::{Configuration, Lpn, PolicyKey, Settings, MOST_HANDLES};

use super::{Policy, Stream};

/// One superblock for new data of each handle, and one for what is moved.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct ByHandle;

impl Policy for ByHandle {
    const KEYS: &'static [PolicyKey] = &[PolicyKey {
        name: "handles",
        least: 1,
        most: MOST_HANDLES as u64,
        default: 4,
        unit: "handles",
        what: "Placement handles that the host may name. Each has an open superblock in every way, which the pages beyond the logical ones have to make up for.",
    }];
    const APART: bool = true;

    fn new(_: &Configuration, _: &Settings) -> Self {
        ByHandle
    }

    fn of_new(&mut self, _: Lpn, handle: u8) -> Stream {
        Stream::of_handle(handle)
    }
}

#[cfg(test)]
#[path = "by_handle_tests.rs"]
mod tests;
