//! A look at an output before each clock edge.

use crate::bench::Agent;
use crate::model::{Model, Output};

/// Keeps what an output was in the last cycle, and counts the cycles in which it was not zero.
pub struct Probe {
    port: Output,
    last: u64,
    high: u64,
}

impl Probe {
    /// Watches an output of up to 64 bits.
    pub fn new(port: Output) -> Self {
        Self { port, last: 0, high: 0 }
    }

    /// Its value in the last cycle.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// Cycles in which it was not zero.
    pub fn high(&self) -> u64 {
        self.high
    }
}

impl Agent for Probe {
    fn drive(&mut self, _model: &mut Model) {}

    fn sample(&mut self, model: &Model) {
        self.last = model.get(self.port);
        self.high += u64::from(self.last != 0);
    }
}
