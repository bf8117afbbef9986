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
    pub fn new(flash: &Flash, seed: u64, die: u32) -> Self {
        Self { die: Die::new(flash, (seed, 0), die), deviations: Deviations::new(flash) }
    }

    /// tR of a page, by its number in its block.
    pub fn read(&mut self, page: u32) -> Duration {
        self.die.read_time(page, &self.deviations)
    }

    /// tPROG of a page, by its number in its block.
    pub fn program(&mut self, page: u32) -> Duration {
        self.die.program_time(page, &self.deviations)
    }

    /// tBERS.
    pub fn erase(&mut self) -> Duration {
        self.die.erase_time(&self.deviations)
    }
}
