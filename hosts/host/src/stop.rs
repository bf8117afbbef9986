//! The end of a run that is asked for from outside.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// Says from outside, from a signal's handler for example, that a run is to end.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicUsize>);

impl Stop {
    /// Holds the number of the signal that asked, 0 until one does.
    pub fn flag(&self) -> Arc<AtomicUsize> {
        self.0.clone()
    }

    /// The signal that asked for the end.
    pub fn signal(&self) -> Option<u32> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            signal => Some(signal as u32),
        }
    }
}

/// A drive was to be brought into a state, and a signal ended that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// Its number.
    pub signal: u32,
}
