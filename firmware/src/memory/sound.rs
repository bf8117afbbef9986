//! A drive without flash in a snapshot.

use borsh::io::Result;
use contract::state::{expect, Sound};

use super::MemoryLayers;

impl Sound for MemoryLayers {
    fn sound(&self, new: &Self) -> Result<()> {
        let sizes = |layers: &Self| (layers.pages, layers.geometry);
        expect(sizes(self) == sizes(new), "a drive of another size")?;
        self.station.sound(&new.station)
    }
}
