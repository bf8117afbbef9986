//! What a run needs of a drive, whichever body it has.

use drive_image::ImageError;
use firmware::Inspection;

use crate::host::{Host, HostMemory};
use crate::times::Accounts;
use crate::usage::Usage;

/// Whether idle turns of the firmware's main loop are run one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polling {
    /// Turns that find nothing are skipped as a block; the result is the same to the picosecond.
    Skip,
    /// Every turn is run.
    Exact,
}

impl Polling {
    /// Both.
    pub const ALL: [Polling; 2] = [Polling::Skip, Polling::Exact];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Polling::Skip => "skip",
            Polling::Exact => "exact",
        }
    }
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The caller's condition was met.
    Host,
    /// Nothing can happen any more without the host.
    Quiet,
    /// The time that the caller named has come.
    Due,
    /// The image cannot be written ([`Machine::image_fault`]): what the chips do now is not kept.
    Lost,
}

/// Registers, host memory, and time that goes by: a controller as a driver sees it.
pub trait Device {
    /// The host's memory.
    type Memory: HostMemory;

    /// Reads a 4-byte register at an offset of BAR 0.
    fn read32(&mut self, offset: u64) -> u32;
    /// Writes a 4-byte register.
    fn write32(&mut self, offset: u64, value: u32);
    /// The host's memory.
    fn memory(&mut self) -> &mut Self::Memory;
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

/// A drive whose counters can be read. Reading them takes no virtual time.
pub trait Inspected {
    /// The firmware, for its counters and state.
    fn inspect(&self) -> Inspection<'_>;
    /// What the hardware has done by now.
    fn usage(&self) -> Usage;
}

/// A drive that has power and a host.
pub trait Machine<H: Host>: Device<Memory = H::Memory> + Inspected {
    /// Whoever plays the host, to be looked at.
    fn host(&self) -> &H;
    /// The host, to be changed while nothing runs.
    fn host_mut(&mut self) -> &mut H;
    /// Wakes the host now.
    fn wake_host(&mut self);
    /// Runs the drive until the condition holds, or the time in picoseconds has come. The condition is looked at after each turn of
    /// the firmware's main loop in which the host was told something, and now and then besides.
    fn run_to(&mut self, due_ps: u64, until: impl FnMut(&H) -> bool) -> Stopped;
    /// States whether anybody asks where the time of commands goes that are yet to come. A body in hardware tells in any case.
    fn set_accounts(&mut self, accounts: Accounts) {
        let _ = accounts;
    }
    /// Jobs begin now.
    fn jobs_begin(&mut self) {}
    /// Hands all that an image holds to the disk, where there is one.
    ///
    /// # Errors
    /// When the image cannot be written.
    fn sync_image(&self) -> Result<(), ImageError> {
        Ok(())
    }
    /// Why what the chips are told is not kept any more, if their image could not be written.
    fn image_fault(&self) -> Option<ImageError> {
        None
    }
}
