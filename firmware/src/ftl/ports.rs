//! What the FTL works with.

use crate::operations::Station;

/// What the FTL works with: the body, and the operations of which the scheduler does those that need
/// flash or DMA.
#[derive(Debug)]
pub struct Ports<'a, H> {
    /// The body.
    pub hw: &'a mut H,
    /// The operations.
    pub station: &'a mut Station,
}
