//! The reservation station in a snapshot: nothing is in its queues.

use borsh::io::Result;
use contract::state::{expect, Sound};

use super::Station;

impl Sound for Station {
    fn sound(&self, new: &Self) -> Result<()> {
        self.pool.sound(&new.pool)?;
        expect(self.geometry == new.geometry, "operations of another geometry")?;
        let ways = |s: &Self| (s.ways.len(), s.aside.len(), s.suspended.len(), s.handed.len());
        let channels = |s: &Self| (s.changed.len(), s.idle.len(), s.halted.len(), s.to_mend.len());
        let sizes = |s: &Self| (ways(s), channels(s), s.dead.len());
        expect(sizes(self) == sizes(new), "queues of other ways")?;
        let empty = self.ways.iter().all(|way| way.is_empty())
            && self.handed.iter().all(|handed| handed.queue.is_empty() && handed.count == 0)
            && self.aside.iter().all(Option::is_none)
            && [self.dma, self.instant, self.ended].iter().all(|queue| queue.is_empty());
        expect(empty, "operations in the queues of a drive at rest")?;
        let dies = self.geometry.dies();
        expect(self.new_dead.iter().all(|&die| die < dies), "a dead way that is not there")
    }
}
