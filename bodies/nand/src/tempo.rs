//! How long operations take, without what the pages hold.

use board::Flash;
use contract::Duration;

use crate::die::{Deviations, Die};

/// The times of one die. They are drawn as [`Array`](crate::Array) draws them.
#[derive(Clone)]
pub struct Tempo {
    die: Die,
    deviations: Deviations,
}

impl Tempo {
    /// The die with this index, `way * channels + channel`. `seed` decides how fast it is.
    /// Blocks have so many usable pages.
    pub fn new((flash, pages_per_block): (&Flash, u32), seed: u64, die: u32) -> Self {
        let deviations = Deviations::new(flash, pages_per_block);
        Self { die: Die::new(flash, (seed, 0), die), deviations }
    }

    /// tR of a page, by its number in its block.
    pub fn read(&mut self, page: u32) -> Duration {
        self.die.read_time(page, &self.deviations)
    }

    /// tPROG of a page, by its number in its block.
    pub fn program(&mut self, page: u32) -> Duration {
        self.die.program_time(self.deviations.page_type(page), &self.deviations)
    }

    /// tBERS.
    pub fn erase(&mut self) -> Duration {
        self.die.erase_time(&self.deviations)
    }
}
