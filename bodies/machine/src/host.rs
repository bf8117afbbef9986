//! The border between the body and whoever plays the host.

use std::any::Any;
use std::cell::Cell;

use borsh::{BorshDeserialize, BorshSerialize};

use crate::times::CommandTimes;

/// A time that never comes, in picoseconds.
pub const NEVER: u64 = u64::MAX;

/// Host memory, as the controller reaches it over the link. An access that touches an address that
/// the host did not give does nothing and returns false.
pub trait HostMemory {
    /// Reads bytes.
    fn read(&mut self, address: u64, bytes: &mut [u8]) -> bool;
    /// Writes bytes.
    fn write(&mut self, address: u64, bytes: &[u8]) -> bool;

    /// Reads a stamp, or an entry of a list of pages. The length is known where this is compiled, for each kind of memory, so that
    /// it takes few instructions.
    #[inline]
    fn read_word(&mut self, address: u64, bytes: &mut [u8; STAMP_BYTES]) -> bool {
        self.read(address, bytes)
    }

    /// Writes a stamp, as [`HostMemory::read_word`] reads it.
    #[inline]
    fn write_word(&mut self, address: u64, bytes: &[u8; STAMP_BYTES]) -> bool {
        self.write(address, bytes)
    }
}

/// Bytes that stand for a block in host memory when payload is stamps.
pub const STAMP_BYTES: usize = 8;

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
pub trait Host: 'static {
    /// What the controller reads and writes by DMA.
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

/// A host of whichever kind, as a body has it that is compiled once for all of them.
pub trait AnyHost: Any {
    /// As [`Host::memory`].
    fn any_memory(&mut self) -> &mut dyn HostMemory;
    /// As [`Host::wake`].
    fn any_wake(&mut self, now: u64, wake: Wake, registers: &mut Registers<'_>) -> u64;
    /// As [`Host::posted`].
    fn any_posted(&mut self, queue: u16, id: u16, times: &CommandTimes);
}

impl<H: Host> AnyHost for H {
    fn any_memory(&mut self) -> &mut dyn HostMemory {
        self.memory()
    }

    fn any_wake(&mut self, now: u64, wake: Wake, registers: &mut Registers<'_>) -> u64 {
        self.wake(now, wake, registers)
    }

    fn any_posted(&mut self, queue: u16, id: u16, times: &CommandTimes) {
        self.posted(queue, id, times);
    }
}

impl dyn AnyHost {
    /// The host, by its kind.
    ///
    /// # Panics
    /// If it is of another kind.
    #[inline]
    pub fn of<H: Host>(&self) -> &H {
        let any: &dyn Any = self;
        any.downcast_ref().expect("the host is of the kind that the drive was given")
    }

    /// As [`of`](Self::of), to be changed.
    ///
    /// # Panics
    /// As [`of`](Self::of).
    pub fn of_mut<H: Host>(&mut self) -> &mut H {
        let any: &mut dyn Any = self;
        any.downcast_mut().expect("the host is of the kind that the drive was given")
    }
}

/// The function behind the link that registers are of. Times are picoseconds of virtual time.
pub trait RegisterPort {
    /// Reads a 4-byte register at an offset of BAR 0.
    fn read(&self, offset: u64) -> u32;
    /// Writes a 4-byte register or doorbell at `now`.
    fn write(&mut self, now: u64, offset: u64, value: u32);
    /// Writes Bus Master Enable at `now`.
    fn set_bus_master(&mut self, now: u64, master: BusMaster);
}

/// The controller's registers, as a host writes and reads them at one moment.
pub struct Registers<'a> {
    port: &'a mut dyn RegisterPort,
    now: u64,
    quiet_until: u64,
    is_asked: Cell<bool>,
}

impl<'a> Registers<'a> {
    /// Those of a body, at `now` in picoseconds.
    pub fn new(port: &'a mut dyn RegisterPort, now: u64) -> Self {
        Registers { port, now, quiet_until: now, is_asked: Cell::new(false) }
    }

    /// The same of a body that does nothing a host could see before `until`, unless the host writes.
    pub fn of_quiet(self, until: u64) -> Self {
        Registers { quiet_until: until.max(self.now), ..self }
    }

    /// Until when the function does nothing that the host could see, as far as that is known, in picoseconds; not later than now after
    /// a write. A host may go on by itself up to there.
    pub fn quiet_until(&self) -> u64 {
        self.is_asked.set(true);
        self.quiet_until
    }

    /// What [`quiet_until`](Self::quiet_until) says by now; none if the host has not asked.
    pub fn told_quiet(&self) -> Option<u64> {
        self.is_asked.get().then_some(self.quiet_until)
    }

    /// The host has gone on by itself: what follows is at `now` in picoseconds.
    ///
    /// # Panics
    /// If that is before, or behind [`quiet_until`](Self::quiet_until).
    pub fn go_on(&mut self, now: u64) {
        assert!(
            self.now <= now && now <= self.quiet_until,
            "a host goes on while its drive is quiet"
        );
        self.now = now;
    }

    /// Writes a 4-byte register or doorbell at `offset` of BAR 0. A doorbell that does not exist is
    /// reported to the firmware; other writes to what does not exist are ignored.
    #[inline]
    pub fn write32(&mut self, offset: u64, value: u32) {
        self.quiet_until = self.now;
        self.port.write(self.now, offset, value);
    }

    /// Writes Bus Master Enable of the function's configuration space (NVMe 1.4 section 2.1.2): when it is
    /// cleared, DMA stops. A command whose data are yet to move fails; its completion waits. It is enabled
    /// at power-on, for hosts without configuration space.
    pub fn set_bus_master(&mut self, master: BusMaster) {
        self.quiet_until = self.now;
        self.port.set_bus_master(self.now, master);
    }

    /// Writes an 8-byte register, low half first.
    pub fn write64(&mut self, offset: u64, value: u64) {
        self.write32(offset, value as u32);
        self.write32(offset + 4, (value >> 32) as u32);
    }

    /// Reads a 4-byte register.
    pub fn read32(&self, offset: u64) -> u32 {
        self.port.read(offset)
    }

    /// Reads an 8-byte register.
    pub fn read64(&self, offset: u64) -> u64 {
        u64::from(self.read32(offset)) | u64::from(self.read32(offset + 4)) << 32
    }
}

impl std::fmt::Debug for Registers<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registers").field("now", &self.now).finish_non_exhaustive()
    }
}
