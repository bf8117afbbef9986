//! Chunks of flash in a snapshot.

use borsh::io::Result;
use contract::state::{expect, Sound};

use super::ChunkLayers;

impl<S> Sound for ChunkLayers<S> {
    fn sound(&self, new: &Self) -> Result<()> {
        self.station.sound(&new.station)?;
        let entries = new.layer.placed.free.len() as u32;
        expect(self.layer.placed.free.len() as u32 == entries, "data buffers of a drive at rest")?;
        expect(
            self.layer.placed.free.iter().all(|id| id.0 < entries),
            "a data buffer that is not there",
        )
    }
}
