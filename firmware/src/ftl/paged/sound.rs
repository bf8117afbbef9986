//! The parts of a map in a snapshot.

use borsh::io::Result;
use contract::state::expect;

use super::{Paged, NONE};

impl Paged {
    /// Entries of the map that are in memory.
    pub(in crate::ftl) fn kept(&self) -> usize {
        self.slots.len().saturating_mul(self.entries as usize)
    }

    /// Whether this may be the parts of a map of so many pages, in so many physical mapping units.
    pub(in crate::ftl) fn sound(&self, pages: u32, physical: usize) -> Result<()> {
        expect(self.entries > 0, "parts of a map without entries")?;
        let parts = pages.div_ceil(self.entries) as usize;
        expect(self.slots.len() <= parts, "more parts in memory than the map has")?;
        let found = (self.slot_of.len(), self.void.len(), self.valid.len());
        expect(found == (parts, parts, physical.div_ceil(64)), "parts of another map")?;
        let slots = self.slots.len();
        expect(self.hand <= slots && self.write_hand <= slots, "a part that is not there")?;
        for (slot, &part) in self.slots.iter().map(|slot| &slot.part).enumerate() {
            let known = part == NONE || self.slot_of.get(part as usize) == Some(&(slot as u32));
            expect(known, "a part that nothing leads to")?;
        }
        for (part, &slot) in self.slot_of.iter().enumerate() {
            let there = slot == NONE
                || self.slots.get(slot as usize).is_some_and(|slot| slot.part as usize == part);
            expect(there, "a part that is not where the map says")?;
        }
        self.changes.sound()
    }
}
