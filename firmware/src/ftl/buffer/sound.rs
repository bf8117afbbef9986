//! The data buffer in a snapshot.

use borsh::io::Result;
use contract::state::{expect, follow, Sound};

use super::{Buffer, Entry, Freshness, NONE};

impl Sound for Buffer {
    fn sound(&self, new: &Self) -> Result<()> {
        let sizes = |buffer: &Self| {
            (buffer.entries.len(), buffer.buckets.len(), buffer.cached, buffer.moves)
        };
        expect(sizes(self) == sizes(new), "another data buffer")?;
        expect(self.division == new.division, "a data buffer with another division of pages")?;
        let free =
            |entry: &Entry| (entry.tail, entry.replacing, entry.filling) == (None, None, None);
        expect(self.entries.iter().all(free), "operations on a data buffer at rest")?;
        self.order_is_sound()?;
        self.buckets_are_sound()?;
        self.dirty.sound(&new.dirty)?;
        let dirty = |entry: &&Entry| entry.fresh == Freshness::Dirty;
        let is_dirty = |id: contract::BufferId| self.freshness(id) == Freshness::Dirty;
        let counted = self.entries.iter().filter(dirty).count();
        let listed = self.dirty.iter().all(is_dirty) && counted == self.dirty.count() as usize;
        expect(listed, "a dirty entry that is in no list")
    }
}

impl Buffer {
    /// The order of use.
    fn order_is_sound(&self) -> Result<()> {
        let cached = self.cached as usize;
        let (mut last, mut ready, mut frontier) = (NONE, 0, NONE);
        let count = follow(self.newest, cached, |at| {
            let entry = &self.entries[at as usize];
            expect(entry.newer == last, "entries of the data buffer out of order")?;
            if entry.ready {
                ready += 1;
            } else {
                expect(ready == 0, "an entry that is not ready behind ready ones")?;
                frontier = at;
            }
            last = at;
            Ok(entry.older)
        })?;
        expect((count, last) == (cached, self.oldest), "entries of the data buffer that are lost")?;
        expect((ready, frontier) == (self.ready, self.frontier), "another count of ready entries")
    }

    /// The lists by which pages are found.
    fn buckets_are_sound(&self) -> Result<()> {
        let mut found = 0;
        for (bucket, &first) in self.buckets.iter().enumerate() {
            found += follow(first, self.cached as usize, |at| {
                let entry = &self.entries[at as usize];
                let here = entry.lpn != NONE && self.bucket(entry.lpn) == bucket;
                expect(here, "an entry of the data buffer under another page")?;
                Ok(entry.bucket_next)
            })?;
        }
        let used = self.entries.iter().filter(|entry| entry.lpn != NONE).count();
        expect(found == used, "an entry of the data buffer that nobody finds")
    }
}
