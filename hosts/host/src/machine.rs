//! What a run needs of a drive, whichever body it has.

use firmware::Inspection;
use sim::{Activity, Drive, Host, ImageError, Observer, Software, Stopped, Usage};

use crate::device::Device;
use crate::fio_host::FioHost;

/// A drive whose counters can be read. Reading them takes no virtual time.
pub trait Inspected {
    /// The firmware, for its counters and state.
    fn inspect(&self) -> Inspection<'_>;
    /// What the hardware has done by now.
    fn activity(&self) -> Activity;
    /// Where time went so far.
    fn usage(&self) -> Usage;
}

/// A drive that has power and a host for jobs.
pub trait Machine: Device + Inspected {
    /// The host.
    fn host(&self) -> &FioHost;
    /// The host, to be changed while nothing runs.
    fn host_mut(&mut self) -> &mut FioHost;
    /// Wakes the host now.
    fn wake_host(&mut self);
    /// Runs the drive until the condition, looked at after each turn of the firmware's main loop, holds, or the time in
    /// picoseconds has come.
    fn run_to(&mut self, due_ps: u64, until: impl FnMut(&FioHost) -> bool) -> Stopped;
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

impl<H: Host, O: Observer, F: Software<H, O>> Inspected for Drive<H, O, F> {
    fn inspect(&self) -> Inspection<'_> {
        self.firmware()
    }

    fn activity(&self) -> Activity {
        Drive::activity(self)
    }

    fn usage(&self) -> Usage {
        Drive::usage(self)
    }
}

impl<O: Observer, F: Software<FioHost, O>> Machine for Drive<FioHost, O, F> {
    fn host(&self) -> &FioHost {
        Drive::host(self)
    }

    fn host_mut(&mut self) -> &mut FioHost {
        Drive::host_mut(self)
    }

    fn wake_host(&mut self) {
        Drive::wake_host(self);
    }

    fn run_to(&mut self, due_ps: u64, until: impl FnMut(&FioHost) -> bool) -> Stopped {
        Drive::run_to(self, due_ps, until)
    }

    fn jobs_begin(&mut self) {
        let now = self.now();
        self.observer_mut().jobs_begin(now);
    }

    fn sync_image(&self) -> Result<(), ImageError> {
        Drive::sync_image(self)
    }

    fn image_fault(&self) -> Option<ImageError> {
        Drive::image_fault(self)
    }
}
