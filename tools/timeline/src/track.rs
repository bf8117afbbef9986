//! Rows of a trace.

use contract::{DmaDirection, Module};

/// A row of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Track {
    /// A channel's bus.
    Bus { channel: u8 },
    /// A chip.
    Way { channel: u8, way: u8 },
    /// A module of the firmware.
    Firmware(Module),
    /// A direction of host DMA.
    Dma(DmaDirection),
}
