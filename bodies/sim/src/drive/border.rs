//! A drive in virtual time at the border that all bodies share.

use firmware::Inspection;
use machine::{
    Accounts, Device, Host, ImageError, Inspected, Machine, Observer, Stopped, Usage, NEVER,
};

use super::{Drive, Software};

/// Turns of the firmware between two looks at the time.
const TURNS_A_LOOK: u32 = 1 << 16;

impl<H: Host, O: Observer, F: Software<O>> Device for Drive<H, O, F> {
    type Memory = H::Memory;

    fn read32(&mut self, offset: u64) -> u32 {
        self.registers(|_, registers| registers.read32(offset))
    }

    fn write32(&mut self, offset: u64, value: u32) {
        self.registers(|_, registers| registers.write32(offset, value));
    }

    fn memory(&mut self) -> &mut H::Memory {
        self.host_mut().memory()
    }

    fn settle(&mut self, limit_ps: u64) {
        let end_ps = self.now().saturating_add(limit_ps);
        loop {
            let stopped = self.run_turns(NEVER, TURNS_A_LOOK);
            if matches!(stopped, Stopped::Quiet | Stopped::Lost) || self.now() >= end_ps {
                return;
            }
        }
    }

    fn now_ps(&self) -> u64 {
        self.now()
    }
}

impl<H: Host, O: Observer, F: Software<O>> Inspected for Drive<H, O, F> {
    fn inspect(&self) -> Inspection<'_> {
        self.firmware()
    }

    fn usage(&self) -> Usage {
        Drive::usage(self)
    }
}

impl<H: Host, O: Observer, F: Software<O>> Machine<H> for Drive<H, O, F> {
    fn host(&self) -> &H {
        Drive::host(self)
    }

    fn host_mut(&mut self) -> &mut H {
        Drive::host_mut(self)
    }

    fn wake_host(&mut self) {
        Drive::wake_host(self);
    }

    fn run_to(&mut self, due_ps: u64, until: impl FnMut(&H) -> bool) -> Stopped {
        Drive::run_to(self, due_ps, until)
    }

    fn set_accounts(&mut self, accounts: Accounts) {
        self.body.set_accounts(accounts);
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
