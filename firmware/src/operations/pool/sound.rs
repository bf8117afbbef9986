//! The pool of operations in a snapshot: nothing is under way.

use borsh::io::Result;
use contract::state::{expect, follow, Sound};

use super::{Pool, FREE, NONE};

impl Sound for Pool {
    fn sound(&self, new: &Self) -> Result<()> {
        expect(self.count == new.count, "a pool of another number of operations")?;
        expect(self.slots.len() <= self.count as usize, "more operations than the pool has")?;
        expect(self.free_count == self.count, "operations of a drive at rest")?;
        let rests = self.slots.iter().all(|slot| slot.waits == FREE && slot.joined == NONE);
        expect(rests, "an operation that is free and waits")?;
        let free = follow(self.free, self.slots.len(), |at| Ok(self.slots[at as usize].link))?;
        expect(free == self.slots.len(), "operations that are lost")
    }
}
