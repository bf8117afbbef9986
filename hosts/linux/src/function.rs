//! The drive as Linux in user mode sees it: a PCI function whose accesses are messages in a virtqueue.
//!
//! Messages are those of `virtio_pcidev` (Linux 6.12, `include/uapi/linux/virtio_pcidev.h`).

use board::Board;
use machine::{BusMaster, Registers};
use nvme::register::offset;
use pci::{BarLayout, ConfigSpace, Effect, Identity, Link};

/// Bytes of an entry of the MSI-X table (PCI 3.0 section 6.8.2).
const ENTRY_BYTES: usize = 16;
/// Where the message control of MSI-X stands in configuration space, and what says that all vectors are masked.
const MSIX_CONTROL: usize = 0x92;
const MSIX_MASKED: u16 = 1 << 14;
const MSIX_ENABLED: u16 = 1 << 15;
/// Bytes of configuration space.
const CONFIG_BYTES: u64 = 4096;
/// Bytes of a message before its data.
pub const HEAD_BYTES: usize = 16;
/// Most bytes of data that are taken at once.
const MOST_DATA: usize = 4096;

/// What a message asks for.
mod operation {
    pub const CONFIG_READ: u8 = 1;
    pub const CONFIG_WRITE: u8 = 2;
    pub const MEMORY_READ: u8 = 3;
    pub const MEMORY_WRITE: u8 = 4;
    pub const MEMORY_SET: u8 = 5;
    pub const MESSAGE_INTERRUPT: u8 = 7;
}

/// How an access was answered.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// It was a write, which is not waited for.
    Posted,
    /// Bytes that were read.
    Read(Vec<u8>),
}

/// Configuration space, BAR 0 and the vectors of a drive.
#[derive(Debug)]
pub struct PciFunction {
    layout: BarLayout,
    config: ConfigSpace,
    table: Vec<u8>,
    pending: Vec<bool>,
    /// Vectors that the guest has been sent and has not run since: a second message says no more.
    sent: Vec<u32>,
}

impl PciFunction {
    /// The function of a drive with this board.
    pub fn new(board: &Board) -> Self {
        let layout = BarLayout::new(&board.firmware);
        let identity = Identity::of(board.firmware.command_set);
        PciFunction {
            layout,
            config: ConfigSpace::new((&layout, identity), Link::carrying(board.host.link)),
            table: vec![0; layout.table_bytes() as usize],
            pending: vec![false; layout.vectors as usize],
            sent: Vec::new(),
        }
    }

    /// Whether the drive may access the guest's memory.
    pub fn bus_master(&self) -> BusMaster {
        self.config.bus_master()
    }

    /// Does what a message asks for. Data that a message writes follow its head.
    pub fn access(&mut self, message: &[u8], registers: &mut Registers<'_>) -> Answer {
        let Some((head, data)) = message.split_at_checked(HEAD_BYTES) else {
            return Answer::Posted;
        };
        let size = u32::from_le_bytes([4, 5, 6, 7].map(|at| head[at])) as usize;
        let at = u64::from_le_bytes([8, 9, 10, 11, 12, 13, 14, 15].map(|at| head[at]));
        let size = size.min(MOST_DATA);
        let is_config = matches!(head[0], operation::CONFIG_READ | operation::CONFIG_WRITE);
        if is_config && at >= CONFIG_BYTES {
            return if head[0] == operation::CONFIG_READ {
                Answer::Read(vec![0; size])
            } else {
                Answer::Posted
            };
        }
        match head[0] {
            operation::CONFIG_READ => {
                let mut bytes = vec![0; size];
                self.config.read(at as usize, &mut bytes);
                Answer::Read(bytes)
            }
            operation::MEMORY_READ => {
                let mut bytes = vec![0; size];
                self.read(at, &mut bytes, registers);
                Answer::Read(bytes)
            }
            operation::CONFIG_WRITE => {
                self.configure(at as usize, &data[..size.min(data.len())], registers);
                Answer::Posted
            }
            operation::MEMORY_WRITE => {
                self.write(at, &data[..size.min(data.len())], registers);
                Answer::Posted
            }
            operation::MEMORY_SET => {
                self.write(at, &vec![data.first().copied().unwrap_or(0); size], registers);
                Answer::Posted
            }
            _ => Answer::Posted,
        }
    }

    /// Takes an interrupt of the drive.
    pub fn raise(&mut self, vector: u16) {
        if let Some(pending) = self.pending.get_mut(usize::from(vector)) {
            *pending = true;
        }
    }

    /// The message of the next vector that may be sent to the guest, which is not pending any more.
    pub fn next_message(&mut self) -> Option<[u8; HEAD_BYTES + 4]> {
        let mut control = [0; 2];
        self.config.read(MSIX_CONTROL, &mut control);
        let control = u16::from_le_bytes(control);
        let open = control & MSIX_ENABLED != 0 && control & MSIX_MASKED == 0;
        if !open || self.config.bus_master() == BusMaster::Disabled {
            return None;
        }
        loop {
            let masked = |vector: usize| self.table[vector * ENTRY_BYTES + 12] & 1 != 0;
            let vector =
                (0..self.pending.len()).find(|&vector| self.pending[vector] && !masked(vector))?;
            self.pending[vector] = false;
            if self.sent.contains(&(vector as u32)) {
                continue;
            }
            self.sent.push(vector as u32);
            let entry = &self.table[vector * ENTRY_BYTES..][..ENTRY_BYTES];
            let mut message = [0; HEAD_BYTES + 4];
            message[0] = operation::MESSAGE_INTERRUPT;
            message[4] = 4;
            message[8..16].copy_from_slice(&entry[..8]);
            message[16..].copy_from_slice(&entry[8..12]);
            return Some(message);
        }
    }

    /// A message could not be sent: the vector that its data name is pending again.
    pub fn take_back(&mut self) {
        if let Some(vector) = self.sent.pop() {
            self.pending[vector as usize] = true;
        }
    }

    /// The guest is about to run: it looks at its queues, and the next interrupt is a new one.
    pub fn guest_runs(&mut self) {
        self.sent.clear();
    }

    fn configure(&mut self, at: usize, data: &[u8], registers: &mut Registers<'_>) {
        let before = self.config.bus_master();
        if self.config.write(at, data) == Effect::FunctionReset {
            for at in [offset::CC, offset::AQA] {
                registers.write32(at, 0);
            }
            for at in [offset::ASQ, offset::ACQ] {
                registers.write64(at, 0);
            }
            self.config.reset();
            self.table.fill(0);
            self.pending.fill(false);
        }
        let master = self.config.bus_master();
        if master != before {
            registers.set_bus_master(master);
        }
    }

    /// Whether an access lies in BAR 0.
    fn is_in_bar(&self, at: u64, bytes: usize) -> bool {
        at.checked_add(bytes as u64).is_some_and(|end| end <= self.layout.size)
    }

    fn read(&self, at: u64, into: &mut [u8], registers: &Registers<'_>) {
        if !self.is_in_bar(at, into.len()) {
            return;
        }
        let BarLayout { registers_end, table, pending, .. } = self.layout;
        for (byte, at) in into.iter_mut().zip(at..) {
            *byte = if at < registers_end {
                registers.read32(at & !3).to_le_bytes()[(at & 3) as usize]
            } else if at >= pending {
                let first = (at - pending) as usize * 8;
                let bit = |nth: usize| {
                    u8::from(self.pending.get(first + nth).is_some_and(|&is| is)) << nth
                };
                (0..8).map(bit).sum()
            } else if at >= table {
                self.table.get((at - table) as usize).copied().unwrap_or(0)
            } else {
                0
            };
        }
    }

    fn write(&mut self, at: u64, data: &[u8], registers: &mut Registers<'_>) {
        let BarLayout { registers_end, table, .. } = self.layout;
        if !self.is_in_bar(at, data.len()) {
            return;
        }
        if at >= table {
            let first = (at - table) as usize;
            if let Some(bytes) = self.table.get_mut(first..first + data.len()) {
                bytes.copy_from_slice(data);
            }
            return;
        }
        // Registers are written in whole words (NVMe 1.4 section 3.1).
        if at % 4 != 0 || data.len() % 4 != 0 || at + data.len() as u64 > registers_end {
            return;
        }
        for (word, at) in data.chunks_exact(4).zip((at..).step_by(4)) {
            registers.write32(at, u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        }
    }
}

#[cfg(test)]
#[path = "function_tests.rs"]
mod tests;
