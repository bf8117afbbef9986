//! A host's driver for a controller at a serial line (`rtl/fpga`): registers by frames, and the host's memory in the FPGA, of which the
//! computer has a copy.
//!
//! [`UartDevice`] is a [`Device`], so the driver of `host` works it as it works every other body. Before a register is written, what has
//! changed in the copy goes to the FPGA; once the drive has done what was asked, what it has changed comes back.

mod frame;
mod line;

pub use frame::{Fault, Request, MOST_WORDS};
pub use line::{Line, Stream};

use machine::Device;
use nvme::register::{offset, ControllerConfiguration, ControllerStatus, ShutdownStatus};
use std::ops::Range;

use crate::memory::Memory;

/// Bytes of host memory in the FPGA. Source: `rtl/fpga/ssd_fpga.sv`.
pub const WINDOW_BYTES: u64 = 32 << 10;
/// Where it is for frames, and for the controller.
const WINDOW: u32 = 0x1000_0000;
const BASE: u64 = 0x1_0000_0000;
/// Controls: identification, status, what has changed, orders.
const IDENTIFICATION: u32 = 0x2000_0000;
const CHANGED: u32 = 0x2000_0008;
const ORDERS: u32 = 0x2000_0010;
const RESET_FUNCTION: u32 = 1;
const CLEAR_MEMORY: u32 = 2;
/// `FMU1`.
const EXPECTED: u32 = u32::from_le_bytes(*b"FMU1");
/// Bytes of a bit of what has changed.
const CHANGE_BYTES: u64 = WINDOW_BYTES / 64;
/// Messages of the vectors go to the last of these stretches.
const MESSAGES: u64 = WINDOW_BYTES - CHANGE_BYTES;
/// Where the vectors' messages are set up in BAR 0 (PCI Local Bus 3.0, section 6.8.2).
const MSIX_TABLE: u32 = 0x2000;
/// Bytes that are compared, and sent, at once.
const PIECE: usize = 64;
/// How often a frame is sent before the line counts as broken.
const TRIES: u32 = 4;

/// What the last write of a register has the drive do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaited {
    Nothing,
    /// CSTS follows CC.
    Status(ControllerConfiguration),
    /// A message comes.
    Message,
}

/// A drive at a line.
pub struct UartDevice<L> {
    line: L,
    memory: Memory,
    /// What the FPGA has of it.
    there: Vec<u8>,
    awaited: Awaited,
    number: u8,
    vectors: u32,
    fault: Option<String>,
}

impl<L: Line> UartDevice<L> {
    /// Looks for a controller at a line, and sets up messages of so many vectors.
    ///
    /// # Errors
    /// A line, when there is none.
    pub fn open(line: L, vectors: u32) -> Result<Self, String> {
        let mut device = Self {
            line,
            memory: Memory::default(),
            there: vec![0; WINDOW_BYTES as usize],
            awaited: Awaited::Nothing,
            number: 0,
            vectors,
            fault: None,
        };
        let found = device.read_words(IDENTIFICATION, 1)[0];
        if found != EXPECTED {
            let found = device.fault.take().unwrap_or(format!("found {found:#010x}"));
            return Err(format!("serial line: {found}, expected {EXPECTED:#010x} of a controller"));
        }
        device.write_words(ORDERS, &[CLEAR_MEMORY]);
        device.set_up_messages();
        device.fault.take().map_or(Ok(device), Err)
    }

    /// What is wrong with the line, if anything is. All reads give ones since then.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// Access to the serial line, such as for its count of bytes.
    pub fn line(&mut self) -> &mut L {
        &mut self.line
    }

    /// The line and the memory, of a drive that goes on under another driver.
    pub fn into_line(self) -> L {
        self.line
    }

    /// Resets the function. The driver has to begin anew.
    pub fn reset_function(&mut self) {
        self.write_words(ORDERS, &[RESET_FUNCTION]);
        self.set_up_messages();
        self.awaited = Awaited::Nothing;
    }

    fn set_up_messages(&mut self) {
        let vectors = self.vectors;
        let entry =
            |vector| [(BASE + MESSAGES) as u32 + 4 * vector, (BASE >> 32) as u32, vector, 0];
        let words: Vec<u32> = (0..vectors).flat_map(entry).collect();
        self.write_words(MSIX_TABLE, &words);
    }

    fn read_words(&mut self, address: u32, count: usize) -> Vec<u32> {
        self.exchange(Request::Read(address, count)).unwrap_or(vec![u32::MAX; count])
    }

    fn write_words(&mut self, address: u32, words: &[u32]) {
        for (nth, words) in (0..).zip(words.chunks(MOST_WORDS)) {
            let address = address + nth * 4 * MOST_WORDS as u32;
            self.exchange(Request::Write(address, words));
        }
    }

    /// Sends a frame until it has an answer. A write that was done is not done again, for its number.
    fn exchange(&mut self, request: Request<'_>) -> Option<Vec<u32>> {
        if self.fault.is_some() {
            return None;
        }
        self.number = self.number.wrapping_add(1);
        let frame = request.emit(self.number);
        let mut last = Fault::Silent;
        for _ in 0..TRIES {
            match self.attempt(request, &frame) {
                Ok(Ok(words)) => return Some(words),
                Ok(Err(fault)) => last = fault,
                Err(error) => {
                    self.fault =
                        Some(format!("serial line: found {error}, expected it to be open"));
                    return None;
                }
            }
        }
        self.fault = Some(format!("serial line: {last} {TRIES} times, expected an answer"));
        None
    }

    fn attempt(
        &mut self,
        request: Request<'_>,
        frame: &[u8],
    ) -> std::io::Result<Result<Vec<u32>, Fault>> {
        self.line.send(frame)?;
        let mut bytes = Vec::with_capacity(request.answer_bytes());
        loop {
            let before = bytes.len();
            self.line.receive(&mut bytes, self.line.silence_ps())?;
            if bytes.len() == before {
                let fault = if bytes.is_empty() { Fault::Silent } else { Fault::Garbled };
                return Ok(Err(fault));
            }
            if let Some(answer) = request.parse(self.number, &bytes) {
                return Ok(answer);
            }
        }
    }

    /// The part of the window that the host has given out.
    fn used(&self) -> Range<usize> {
        let end = self.memory.addresses().end.saturating_sub(BASE).min(MESSAGES);
        0..end as usize
    }

    /// What has changed in the copy goes to the FPGA.
    fn give(&mut self) {
        let used = self.used();
        let mut at = used.start;
        while at < used.end {
            let piece = |at: usize| self.memory.at(BASE + at as u64, PIECE);
            let mut end = at;
            while end < used.end
                && end - at < 4 * MOST_WORDS
                && piece(end) != &self.there[end..end + PIECE]
            {
                end += PIECE;
            }
            if end == at {
                at += PIECE;
                continue;
            }
            let bytes = self.memory.at(BASE + at as u64, end - at).to_vec();
            let words: Vec<u32> = bytes.chunks_exact(4).map(word).collect();
            self.write_words(WINDOW + at as u32, &words);
            self.there[at..end].copy_from_slice(&bytes);
            at = end;
        }
    }

    /// Takes what the drive has changed. Whether a message was there.
    fn take(&mut self) -> bool {
        let words = self.read_words(CHANGED, 2);
        let changed = u64::from(words[0]) | u64::from(words[1]) << 32;
        if changed == 0 || self.fault.is_some() {
            return false;
        }
        // What changes from now on is told once more.
        self.write_words(CHANGED, &words);
        let used = self.used();
        for stretch in (0..64).filter(|bit| changed >> bit & 1 == 1) {
            let first = stretch * CHANGE_BYTES as usize;
            for at in (first..first + CHANGE_BYTES as usize).step_by(4 * MOST_WORDS) {
                if at < used.end {
                    let words = self.read_words(WINDOW + at as u32, MOST_WORDS);
                    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                    self.there[at..at + bytes.len()].copy_from_slice(&bytes);
                    self.memory.at_mut(BASE + at as u64, bytes.len()).copy_from_slice(&bytes);
                }
            }
        }
        changed >> (MESSAGES / CHANGE_BYTES) & 1 == 1
    }

    /// Whether what was asked for last is done, as far as the drive tells.
    fn is_done(&mut self) -> bool {
        match self.awaited {
            Awaited::Nothing => true,
            Awaited::Message => self.take(),
            Awaited::Status(wanted) => {
                let status = ControllerStatus::parse(self.read32(offset::CSTS));
                let done = match wanted.0 >> 14 & 3 {
                    0 => status.ready == (wanted.0 & 1 == 1),
                    _ => status.shutdown == ShutdownStatus::Complete,
                };
                done || status.fatal
            }
        }
    }
}

fn word(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

impl<L: Line> Device for UartDevice<L> {
    type Memory = Memory;

    fn read32(&mut self, offset: u64) -> u32 {
        self.read_words(offset as u32, 1)[0]
    }

    fn write32(&mut self, at: u64, value: u32) {
        self.give();
        let is_tail = at >= offset::DOORBELLS && at % 8 == 0;
        match at {
            offset::CC => self.awaited = Awaited::Status(ControllerConfiguration(value)),
            _ if is_tail => self.awaited = Awaited::Message,
            _ => {}
        }
        self.write_words(at as u32, &[value]);
    }

    fn memory(&mut self) -> &mut Memory {
        &mut self.memory
    }

    fn settle(&mut self, limit_ps: u64) {
        let end_ps = self.now_ps().saturating_add(limit_ps);
        while !self.is_done() && self.fault.is_none() && self.now_ps() < end_ps {}
    }

    fn now_ps(&self) -> u64 {
        self.line.now_ps()
    }
}
