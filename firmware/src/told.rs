//! What a firmware tells of itself, for those that cannot look into its memory.

use crate::ftl::log::LogCounters;
use crate::ftl::translate::Collected;
use crate::ftl::Counters;

/// Numbers that change while the firmware runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// [`crate::Inspection::counters`].
    pub counters: Counters,
    /// [`crate::Inspection::log`].
    pub log: LogCounters,
    /// [`crate::Inspection::collected`].
    pub collected: Collected,
    /// [`crate::Inspection::dirty_entries`].
    pub dirty_entries: u64,
    /// [`crate::Inspection::pages_to_program`].
    pub pages_to_program: u64,
}

impl Told {
    /// Each number, always in the same order.
    pub fn each(&mut self) -> impl Iterator<Item = &mut u64> {
        let Told { counters, log, collected, dirty_entries, pages_to_program } = self;
        let own = [dirty_entries, pages_to_program];
        counters.each().into_iter().chain(log.each()).chain(collected.each()).chain(own)
    }
}
