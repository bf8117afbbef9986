//! By class: in the order of Table 2 of the Cosmos+ paper. A read's chip is set to work first, and its data are fetched
//! last, since they can wait in the chip.

use contract::{Configuration, Settings};

use super::{Class, Classes, Policy};

/// The first class of the table.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct ByClass;

impl Policy for ByClass {
    fn new(_: &Configuration, _: &Settings) -> Self {
        ByClass
    }

    #[inline]
    fn next(&mut self, waiting: Classes) -> Class {
        waiting.first().expect("a phase waits")
    }
}
