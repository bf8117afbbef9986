//! Low-level scheduler (Cosmos+ section 3.3.3), below the reservation station in `operations/`.
//!
//! [`Scheduling`] is what the main loop asks of it. There are two: [`PhaseScheduler`], which is state
//! manager, status checker, priority manager and issuer, and [`HandOverScheduler`], where the channels do
//! that. Which one it is, is chosen once, with the type of the firmware, so nothing asks again.

pub mod dma;
pub mod hand_over;
pub mod issue;
mod levels;
pub mod phases;
pub mod priority;
pub mod state;
pub mod status;
pub mod ways;

use contract::{Configuration, Hardware};

pub use hand_over::HandOverScheduler;
pub use phases::PhaseScheduler;

use crate::layers::Border;
use crate::operations::Station;

/// Least tries again of a read whose chip hung, which tells nothing of its page.
const HANG_RETRIES: u32 = 4;

impl Border for PhaseScheduler {}
impl Border for HandOverScheduler {}

/// How operations get to the hardware and back.
pub trait Scheduling<H: Hardware>: Border {
    /// One for a drive that has nothing to do.
    ///
    /// # Panics
    /// If the configuration's grain is not its own.
    fn new(config: &Configuration) -> Self;

    /// Takes in what the host DMA engine finished. True when it did. The station then has news.
    fn check_dma(&mut self, hw: &mut H, station: &mut Station) -> bool;

    /// The power has gone away: no operation is begun any more that was not, and none of them stands in a queue. Those
    /// that had begun end, and those that come back without having begun end as failed.
    fn abandon(&mut self, hw: &mut H, station: &mut Station);

    /// Looks at the hardware once, takes in what changed and hands over what can be handed over. It comes
    /// back with news for the FTL, since others may be released by that, and goes on when it is called
    /// again.
    fn run(&mut self, hw: &mut H, station: &mut Station) -> Run;
}

/// Why the scheduler came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run {
    /// The station has news for the FTL: operations that have ended, or a way that halts. Then the turn
    /// goes on.
    News,
    /// Its turn is over. True when anything changed.
    Over(bool),
}
