//! A host that has memory and does nothing: the drive is worked by its registers.

use machine::{Host, Registers, Wake, NEVER};

use crate::memory::Memory;

/// A host that does nothing when it is woken.
#[derive(Default)]
pub struct Nobody {
    memory: Memory,
}

impl Host for Nobody {
    type Memory = Memory;

    fn memory(&mut self) -> &mut Memory {
        &mut self.memory
    }

    fn wake(&mut self, _now: u64, _wake: Wake, _registers: &mut Registers<'_>) -> u64 {
        NEVER
    }
}
