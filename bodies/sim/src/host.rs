//! The border between the body and whoever plays the host.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::causes::CommandTimes;
use crate::host_interface::HostInterface;
use crate::memory::HostMemory;

/// Why a host is woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// An MSI-X message with this vector.
    Interrupt(u16),
    /// The time it asked for.
    Timer,
}

/// Whether the controller may issue requests of its own: reads and writes of host memory, and interrupts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum BusMaster {
    /// It may.
    Enabled,
    /// It may not. Doorbells are taken; commands are not fetched, and completions wait.
    Disabled,
}

/// A host: it has memory, rings doorbells, takes interrupts. Times are picoseconds of virtual time.
pub trait Host {
    /// Its memory.
    type Memory: HostMemory;

    /// The memory that the controller reaches.
    fn memory(&mut self) -> &mut Self::Memory;

    /// Lets the host act. Returns when it wants to be woken next without an interrupt
    /// ([`crate::NEVER`] for not at all).
    fn wake(&mut self, now: u64, wake: Wake, registers: &mut Registers<'_>) -> u64;

    /// A completion of submission queue `queue`, command identifier `id`, is posted; `times` are what
    /// the drive knows of its time. Called before the interrupt that announces it.
    fn posted(&mut self, queue: u16, id: u16, times: &CommandTimes) {
        let _ = (queue, id, times);
    }
}

/// The controller's registers, as a host writes and reads them at one moment.
#[derive(Debug)]
pub struct Registers<'a> {
    pub(crate) interface: &'a mut HostInterface,
    pub(crate) now: u64,
}

impl Registers<'_> {
    /// Writes a 4-byte register or doorbell at `offset` of BAR 0. A doorbell that does not exist is
    /// reported to the firmware; other writes to what does not exist are ignored.
    pub fn write32(&mut self, offset: u64, value: u32) {
        self.interface.write(self.now, offset, value);
    }

    /// Writes Bus Master Enable of the function's configuration space (NVMe 1.4 section 2.1.2): when it is
    /// cleared, DMA stops. A command whose data are yet to move fails; its completion waits. It is enabled
    /// at power-on, for hosts without configuration space.
    pub fn set_bus_master(&mut self, master: BusMaster) {
        self.interface.set_bus_master(self.now, master);
    }

    /// Writes an 8-byte register, low half first.
    pub fn write64(&mut self, offset: u64, value: u64) {
        self.write32(offset, value as u32);
        self.write32(offset + 4, (value >> 32) as u32);
    }

    /// Reads a 4-byte register.
    pub fn read32(&self, offset: u64) -> u32 {
        self.interface.read(offset)
    }

    /// Reads an 8-byte register.
    pub fn read64(&self, offset: u64) -> u64 {
        u64::from(self.read32(offset)) | u64::from(self.read32(offset + 4)) << 32
    }
}
