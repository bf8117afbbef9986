//! The order of dirty entries in a snapshot.

use borsh::io::Result;
use contract::state::{expect, follow, Sound};

use super::{Dirty, NONE};

impl Sound for Dirty {
    fn sound(&self, new: &Self) -> Result<()> {
        expect(self.links.len() == new.links.len(), "dirty entries of another data buffer")?;
        let mut last = NONE;
        let count = follow(self.oldest, self.links.len(), |at| {
            let links = &self.links[at as usize];
            expect(links.before == last, "dirty entries out of order")?;
            last = at;
            Ok(links.behind)
        })?;
        let apart = self.links.iter().filter(|links| links.before != NONE || links.behind != NONE);
        expect(count <= 1 || apart.count() == count, "a dirty entry in no order")?;
        expect((count, last) == (self.count as usize, self.newest), "dirty entries that are lost")
    }
}
