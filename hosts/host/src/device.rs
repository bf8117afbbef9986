//! A controller as a driver sees it, and the simulated one.

use sim::{Drive, Host, Observer, Software, Stopped};

use crate::memory::Memory;

/// Turns of the firmware between two looks at the time.
const TURNS_A_LOOK: u32 = 1 << 16;

/// Registers, host memory, and time that goes by.
pub trait Device {
    /// Reads a 4-byte register at an offset of BAR 0.
    fn read32(&mut self, offset: u64) -> u32;
    /// Writes a 4-byte register.
    fn write32(&mut self, offset: u64, value: u32);
    /// The host's memory.
    fn memory(&mut self) -> &mut Memory;
    /// Lets time go by until nothing can happen without the host, or `limit_ps` has passed. Looking
    /// only then keeps the host's own timing free of the drive's: what it sees in between would
    /// depend on how the drive polls.
    fn settle(&mut self, limit_ps: u64);
    /// Picoseconds since power-on.
    fn now_ps(&self) -> u64;

    /// Reads an 8-byte register.
    fn read64(&mut self, offset: u64) -> u64 {
        u64::from(self.read32(offset)) | u64::from(self.read32(offset + 4)) << 32
    }

    /// Writes an 8-byte register, low half first.
    fn write64(&mut self, offset: u64, value: u64) {
        self.write32(offset, value as u32);
        self.write32(offset + 4, (value >> 32) as u32);
    }
}

impl<H: Host<Memory = Memory>, O: Observer, F: Software<H, O>> Device for Drive<H, O, F> {
    fn read32(&mut self, offset: u64) -> u32 {
        self.registers(|_, registers| registers.read32(offset))
    }

    fn write32(&mut self, offset: u64, value: u32) {
        self.registers(|_, registers| registers.write32(offset, value));
    }

    fn memory(&mut self) -> &mut Memory {
        self.host_mut().memory()
    }

    fn settle(&mut self, limit_ps: u64) {
        let end_ps = self.now().saturating_add(limit_ps);
        loop {
            let mut turns = 0;
            let stopped = self.run(|_| {
                turns += 1;
                turns == TURNS_A_LOOK
            });
            if matches!(stopped, Stopped::Quiet | Stopped::Lost) || self.now() >= end_ps {
                return;
            }
        }
    }

    fn now_ps(&self) -> u64 {
        self.now()
    }
}
