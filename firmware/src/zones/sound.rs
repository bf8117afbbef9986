//! Zones in a snapshot.

use borsh::io::Result;
use contract::state::{expect, Sound};

use super::ZoneLayers;

impl<S> Sound for ZoneLayers<S> {
    fn sound(&self, new: &Self) -> Result<()> {
        self.station.sound(&new.station)?;
        let entries = new.layer.placed.free.len() as u32;
        let (free, held) = (&self.layer.placed.free, self.layer.held.in_use());
        expect(free.len() as u32 + held == entries, "data buffers of a drive at rest")?;
        expect(free.iter().all(|id| id.0 < entries), "a data buffer that is not there")?;
        expect(self.layer.data.len() == new.layer.data.len(), "as many zones as the board has")
    }
}
