//! Reads first: the data of a read are fetched before a program or an erase begins on another way, so that a read
//! waits for fewer of them. Otherwise the order is that of Table 2 of the Cosmos+ paper. Controllers that put reads
//! before programs are usual; Ozone (section 4.3 of its paper) gives reads of the host the high priority.

use contract::{Configuration, Settings};

use super::{Class, Classes, Policy};

/// Transfers of reads before programs and erases.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct ReadsFirst;

impl Policy for ReadsFirst {
    fn new(_: &Configuration, _: &Settings) -> Self {
        ReadsFirst
    }

    #[inline]
    fn next(&mut self, waiting: Classes) -> Class {
        match waiting.first().expect("a phase waits") {
            Class::Erase | Class::Program if waiting.has(Class::ReadTransfer) => {
                Class::ReadTransfer
            }
            first => first,
        }
    }
}

#[cfg(test)]
#[path = "reads_first_tests.rs"]
mod tests;
