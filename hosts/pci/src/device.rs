//! The PCI device that a client sees: configuration space, BAR 0, interrupts.

use std::os::fd::OwnedFd;

use rustix::io::Errno;

use crate::config_space::{ConfigSpace, Effect, CONFIG_BYTES};
use crate::function::Function;
use crate::interrupts::EventFd;
use crate::layout::BarLayout;
use crate::request::{irq, region, IrqAction, IrqSet, RegionWrite, Span};

/// A device with one function.
#[derive(Debug)]
pub struct Device<F> {
    /// The function.
    pub function: F,
    layout: BarLayout,
    config: ConfigSpace,
    /// The MSI-X table, which the device keeps and does not look at: vfio-user has the client tell
    /// which vectors are masked.
    table: Vec<u8>,
}

impl<F: Function> Device<F> {
    /// The device of a function.
    pub fn new(mut function: F) -> Self {
        let layout = function.layout();
        let config = ConfigSpace::new((&layout, function.identity()), function.link());
        function.set_bus_master(config.bus_master());
        Device { function, layout, config, table: vec![0; layout.table_bytes() as usize] }
    }

    /// Bytes of a region; 0 if it is not there.
    pub fn region_bytes(&self, region: u32) -> u64 {
        match region {
            region::BAR_0 => self.layout.size,
            region::CONFIG => CONFIG_BYTES as u64,
            _ => 0,
        }
    }

    /// Interrupts of a kind.
    pub fn irqs(&self, kind: u32) -> u32 {
        match kind {
            irq::MSIX => self.layout.vectors,
            // QEMU warns of a device that could not tell of errors. This one has none to tell of.
            irq::ERROR => 1,
            _ => 0,
        }
    }

    /// Reads a region.
    ///
    /// # Errors
    /// EINVAL when some byte is not there.
    pub fn read(&mut self, span: Span) -> Result<Vec<u8>, Errno> {
        self.check(span)?;
        let mut bytes = vec![0; span.count];
        if span.region == region::CONFIG {
            self.config.read(span.offset as usize, &mut bytes);
            return Ok(bytes);
        }
        let BarLayout { registers_end, table, pending, .. } = self.layout;
        match span.offset {
            offset if offset >= pending => {
                copy(&self.function.bus().interrupts.pending(), offset - pending, &mut bytes);
            }
            offset if offset >= table => copy(&self.table, offset - table, &mut bytes),
            offset if offset < registers_end => self.function.read(offset, &mut bytes),
            _ => {}
        }
        Ok(bytes)
    }

    /// Writes a region. A write that begins in one part of BAR 0 ends there.
    ///
    /// # Errors
    /// EINVAL when some byte is not there.
    pub fn write(&mut self, write: RegionWrite<'_>) -> Result<(), Errno> {
        let RegionWrite { span, data } = write;
        self.check(span)?;
        if span.region == region::CONFIG {
            let before = self.config.bus_master();
            match self.config.write(span.offset as usize, data) {
                Effect::None => {}
                Effect::FunctionReset => self.reset(),
            }
            let master = self.config.bus_master();
            if master != before {
                self.function.set_bus_master(master);
            }
            return Ok(());
        }
        let BarLayout { registers_end, table, .. } = self.layout;
        let end = span.offset + data.len() as u64;
        if span.offset >= table {
            let at = (span.offset - table) as usize;
            if let Some(entries) = self.table.get_mut(at..at + data.len()) {
                entries.copy_from_slice(data);
            }
        } else if end <= registers_end {
            self.function.write(span.offset, data);
        }
        Ok(())
    }

    /// Resets the device; memory and eventfds stay the client's to take back.
    pub fn reset(&mut self) {
        self.function.reset();
        self.config.reset();
        self.function.set_bus_master(self.config.bus_master());
        self.table.fill(0);
    }

    /// Takes the device from a client that has gone.
    pub fn detach(&mut self) {
        self.reset();
        let bus = self.function.bus();
        bus.interrupts.disconnect();
        bus.memory = Default::default();
    }

    /// Sets interrupts up.
    ///
    /// # Errors
    /// EINVAL when an interrupt is not there, or a file descriptor is too few or no eventfd.
    pub fn set_irqs(&mut self, set: IrqSet<'_>, fds: Vec<OwnedFd>) -> Result<(), Errno> {
        let IrqSet { index, start, count, action } = set;
        if start + count > self.irqs(index) {
            return Err(Errno::INVAL);
        }
        if action == IrqAction::Connect && !fds.is_empty() && fds.len() != count as usize {
            return Err(Errno::INVAL);
        }
        let eventfds = fds.into_iter().map(EventFd::new).collect::<Result<Vec<_>, _>>()?;
        if index != irq::MSIX {
            return Ok(());
        }
        let interrupts = &mut self.function.bus().interrupts;
        let each = || (start..start + count).zip(0..);
        match action {
            IrqAction::Connect => {
                let mut eventfds = eventfds.into_iter();
                each().for_each(|(vector, _)| interrupts.connect(vector, eventfds.next()));
            }
            IrqAction::Disable => interrupts.disconnect(),
            IrqAction::Mask(choice) => {
                each().filter(|&(_, n)| choice.holds(n)).for_each(|(v, _)| interrupts.mask(v));
            }
            IrqAction::Unmask(choice) => {
                each().filter(|&(_, n)| choice.holds(n)).for_each(|(v, _)| interrupts.unmask(v));
            }
            IrqAction::Raise(choice) => {
                each().filter(|&(_, n)| choice.holds(n)).for_each(|(v, _)| interrupts.raise(v));
            }
        }
        Ok(())
    }

    fn check(&self, span: Span) -> Result<(), Errno> {
        let size = self.region_bytes(span.region);
        if span.count == 0 || span.offset + span.count as u64 > size {
            return Err(Errno::INVAL);
        }
        Ok(())
    }
}

/// Copies what is there; the rest stays as it is.
fn copy(from: &[u8], at: u64, into: &mut [u8]) {
    let Some(from) = from.get(at as usize..) else { return };
    let length = from.len().min(into.len());
    into[..length].copy_from_slice(&from[..length]);
}
