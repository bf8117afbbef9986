//! Changes beside the parts of a map in a snapshot.

use borsh::io::Result;
use contract::state::{expect, follow};

use super::{Changes, NONE};

impl Changes {
    /// Whether each of them is in the list that it should be in.
    pub(in crate::ftl) fn sound(&self) -> Result<()> {
        let entries = self.table.len();
        let heads = (entries as u32).checked_next_power_of_two();
        expect(heads == Some(self.heads.len() as u32), "chains of changes of another map")?;
        let next = |at: u32| self.table[at as usize].next;
        let free = follow(self.free, entries, |at| Ok(next(at)))?;
        let mut used = 0;
        for (head, &first) in self.heads.iter().enumerate() {
            used += follow(first, entries, |at| {
                let lpn = self.table[at as usize].lpn;
                expect(lpn != NONE && self.head(lpn) == head, "a change in another chain")?;
                Ok(next(at))
            })?;
        }
        let ahead = self.table.iter().filter(|change| change.lpn != NONE && change.is_ahead);
        let counted = (free, free + used, ahead.count());
        expect(
            counted == (self.left as usize, entries, self.ahead as usize),
            "changes that are lost",
        )
    }
}
