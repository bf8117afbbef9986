//! A drive as an array of bytes: all of it is read or written through its queues, without jobs.

use machine::{Device, Unobserved};
use nvme::admin::Priority;
use nvme::command::Header;
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use sim::Drive;

use crate::control::Control;
use crate::driver::{queues_memory_bytes, Driver, DriverError, Identity, QueueRequest, NAMESPACE};
use crate::error::RunError;
use crate::fio_host::FioHost;
use crate::power_on::{cause, PowerOn, Powered};
use crate::prp::{BufferShape, Buffers};
use crate::queue::QueuePair;

/// Commands that are under way together.
const DEPTH: u32 = 16;
/// Bytes of a command at most.
const COMMAND_BYTES: u64 = 128 << 10;
/// Virtual time that some commands may take, in picoseconds: far longer than any drive needs.
const LIMIT_PS: u64 = 100_000_000_000_000;

/// A drive that is up, as an array of bytes.
pub struct Disk {
    drive: Drive<FioHost, Unobserved>,
    driver: Driver,
    identity: Identity,
    queue: QueuePair,
    buffers: Buffers,
    /// Bytes of a command.
    step: u64,
}

/// Which way bytes go.
#[derive(Clone, Copy)]
enum Way {
    Read,
    Write,
}

impl Disk {
    /// Powers a drive on and brings it up.
    ///
    /// # Errors
    /// When it cannot be powered on or does not come up.
    pub fn open(power: &PowerOn<'_>, control: &mut Control<'_>) -> Result<Self, RunError> {
        let Powered { mut drive, .. } = power.power_on(Unobserved, control)?;
        match Self::bring_up(&mut drive) {
            Ok((driver, identity, queue, buffers, step)) => {
                Ok(Disk { drive, driver, identity, queue, buffers, step })
            }
            Err(error) => Err(cause(&drive, error.into())),
        }
    }

    #[allow(clippy::type_complexity)]
    fn bring_up(
        drive: &mut Drive<FioHost, Unobserved>,
    ) -> Result<(Driver, Identity, QueuePair, Buffers, u64), DriverError> {
        let mut driver = Driver::start(drive)?;
        let identity = driver.identify(drive)?;
        driver.set_queue_count(drive, 1)?;
        let entries = driver.queue_entries().min(2 * DEPTH);
        let step = identity.transfer_bytes.min(COMMAND_BYTES);
        let shape = BufferShape { slots: DEPTH.min(entries - 1), bytes: step, stretch_bytes: step };
        let memory = Device::memory(drive);
        memory.reserve(queues_memory_bytes(1, entries) + shape.memory_bytes() as u64);
        let request = QueueRequest { id: 1, entries, vector: 0, priority: Priority::Medium };
        let queue = driver.create_queue(drive, request)?;
        let buffers = Buffers::new(shape, Device::memory(drive));
        Ok((driver, identity, queue, buffers, step))
    }

    /// Bytes of the drive.
    pub fn bytes(&self) -> u64 {
        self.identity.blocks * u64::from(self.identity.block_bytes)
    }

    /// Bytes of a logical block.
    pub fn block_bytes(&self) -> u32 {
        self.identity.block_bytes
    }

    /// Bytes that [`Disk::read`] and [`Disk::write`] take at most.
    pub fn most_bytes(&self) -> usize {
        (self.step * u64::from(DEPTH.min(self.queue.entries() - 1))) as usize
    }

    /// Reads whole blocks.
    ///
    /// # Errors
    /// When the drive does not give them.
    pub fn read(&mut self, offset: u64, into: &mut [u8]) -> Result<(), RunError> {
        self.transfer((offset, into.len() as u64), Way::Read)?;
        let memory = self.drive.host_mut();
        let memory = machine::Host::memory(memory);
        for (slot, part) in (0..).zip(into.chunks_mut(self.step as usize)) {
            let at = self.buffers.address(slot, 0);
            part.copy_from_slice(memory.at(at, part.len()));
        }
        Ok(())
    }

    /// Writes whole blocks.
    ///
    /// # Errors
    /// When the drive does not take them.
    pub fn write(&mut self, offset: u64, from: &[u8]) -> Result<(), RunError> {
        let memory = Device::memory(&mut self.drive);
        for (slot, part) in (0..).zip(from.chunks(self.step as usize)) {
            let at = self.buffers.address(slot, 0);
            memory.at_mut(at, part.len()).copy_from_slice(part);
        }
        self.transfer((offset, from.len() as u64), Way::Write)
    }

    /// Shuts the drive down; its image is on the disk then.
    ///
    /// # Errors
    /// When the drive does not go down, or the image cannot be written.
    pub fn close(mut self) -> Result<(), RunError> {
        let down = self.driver.shut_down(&mut self.drive);
        down.map_err(|error| cause(&self.drive, error.into()))?;
        self.drive.sync_image().map_err(RunError::Image)
    }

    /// Moves bytes between the drive and the buffers.
    fn transfer(&mut self, (offset, length): (u64, u64), way: Way) -> Result<(), RunError> {
        let block_bytes = u64::from(self.identity.block_bytes);
        let slots = length.div_ceil(self.step);
        for slot in 0..slots {
            let start = offset + slot * self.step;
            let bytes = self.step.min(offset + length - start);
            let range =
                BlockRange { start: start / block_bytes, blocks: (bytes / block_bytes) as u32 };
            let data = self.buffers.pointer(slot as u32, 0, bytes);
            let command = match way {
                Way::Read => IoCommand::Read(range, UnitAccess::Normal),
                Way::Write => IoCommand::Write(range, UnitAccess::Normal),
            };
            let header = Header { cid: slot as u16, nsid: NAMESPACE, data };
            self.queue.push(Device::memory(&mut self.drive), &command.emit(header));
        }
        let ring = self.queue.ring_tail();
        self.drive.write32(ring.offset, ring.value);
        self.drive.settle(LIMIT_PS);
        self.take(slots, way).map_err(|error| cause(&self.drive, error.into()))
    }

    /// Takes the completions of so many commands.
    fn take(&mut self, count: u64, way: Way) -> Result<(), DriverError> {
        let command = match way {
            Way::Read => "Read",
            Way::Write => "Write",
        };
        for _ in 0..count {
            let memory = Device::memory(&mut self.drive);
            let entry = self.queue.pop(memory).ok_or(DriverError::Silent { command })?;
            if !entry.status.is_success() {
                return Err(DriverError::Failed { command, status: entry.status });
            }
        }
        let ring = self.queue.ring_head();
        self.drive.write32(ring.offset, ring.value);
        Ok(())
    }
}
