//! Which programs and erases fail, and which blocks are bad from the start.

use board::Errors;

use crate::random::{threshold, Purpose, Random};

/// Shares of failures, each as the number that a 64-bit draw lies below.
#[derive(Clone, Copy)]
pub(crate) struct Failures {
    program: u64,
    erase: u64,
    hang: u64,
    factory_bad: u64,
    seed: u64,
}

impl Failures {
    pub fn new(errors: &Errors, seed: u64) -> Self {
        Self {
            program: threshold(errors.program_failures_per_billion, 1_000_000_000),
            erase: threshold(errors.erase_failures_per_billion, 1_000_000_000),
            hang: threshold(errors.hangs_per_billion, 1_000_000_000),
            factory_bad: threshold(errors.factory_bad_blocks_per_million, 1_000_000),
            seed,
        }
    }

    /// Draws whether a program fails.
    #[inline]
    pub fn program(&self, faults: &mut Random) -> bool {
        faults.next() < self.program
    }

    /// Draws whether an erase fails.
    #[inline]
    pub fn erase(&self, faults: &mut Random) -> bool {
        faults.next() < self.erase
    }

    /// Draws whether the chip stays busy until it is reset. Nothing is drawn where no chip does.
    #[inline]
    pub fn hang(&self, faults: &mut Random) -> bool {
        self.hang > 0 && faults.next() < self.hang
    }

    /// Whether a block was bad when the chip was made; `block` counts over the whole array.
    #[inline]
    pub fn factory_bad(&self, block: usize) -> bool {
        let mut fate = Random::stream(self.seed, Purpose::FactoryBad, block as u64);
        fate.next() < self.factory_bad
    }
}
