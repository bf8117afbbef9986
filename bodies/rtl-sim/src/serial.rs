//! The other end of a serial line, at the pads `line_i` and `line_o`: 8N1, a bit of so many cycles.

use crate::{Agent, Input, Model, Output};
use std::collections::VecDeque;

/// Bits of a byte: start, data, stop.
const FRAME_BITS: u64 = 10;

/// A computer's serial port.
pub struct SerialPort {
    to: Input,
    from: Output,
    bit_cycles: u64,
    /// What is to be sent: bytes, or cycles in which the line is low.
    queue: VecDeque<Sent>,
    /// Cycles of the first of them that have passed.
    sent: u64,
    /// Cycles of a byte that comes, and its bits.
    coming: Option<(u64, u16)>,
    came: VecDeque<u8>,
    busy: bool,
}

enum Sent {
    Byte(u8),
    Break(u64),
}

impl SerialPort {
    /// A port at a model's pads.
    pub fn new(model: &Model, bit_cycles: u64) -> Self {
        Self {
            to: model.input("line_i"),
            from: model.output("line_o"),
            bit_cycles,
            queue: VecDeque::new(),
            sent: 0,
            coming: None,
            came: VecDeque::new(),
            busy: false,
        }
    }

    /// Sends bytes, one after the other.
    pub fn send(&mut self, bytes: &[u8]) {
        self.queue.extend(bytes.iter().map(|&byte| Sent::Byte(byte)));
    }

    /// Holds the line low for so many cycles, which no byte does.
    pub fn send_break(&mut self, cycles: u64) {
        self.queue.push_back(Sent::Break(cycles));
    }

    /// Takes a byte that came.
    pub fn take(&mut self) -> Option<u8> {
        self.came.pop_front()
    }

    /// Whether a byte is on its way, in either direction.
    pub fn is_busy(&self) -> bool {
        self.busy || self.coming.is_some() || !self.queue.is_empty()
    }
}

impl Agent for SerialPort {
    fn drive(&mut self, model: &mut Model) {
        let (level, length) = match self.queue.front() {
            None => (1, u64::MAX),
            Some(Sent::Break(cycles)) => {
                (u64::from(self.sent + 2 * self.bit_cycles >= *cycles), *cycles)
            }
            Some(Sent::Byte(byte)) => {
                let bits = 1 << 9 | u64::from(*byte) << 1;
                (bits >> (self.sent / self.bit_cycles) & 1, FRAME_BITS * self.bit_cycles)
            }
        };
        self.busy = !self.queue.is_empty();
        self.sent += u64::from(self.busy);
        if self.sent >= length {
            self.queue.pop_front();
            self.sent = 0;
        }
        model.set(self.to, level);
    }

    fn sample(&mut self, model: &Model) {
        let level = model.get(self.from);
        let Some((cycles, bits)) = &mut self.coming else {
            if level == 0 {
                self.coming = Some((0, 0));
            }
            return;
        };
        *cycles += 1;
        // In the middle of each bit, those of the start bit among them.
        if *cycles % self.bit_cycles == self.bit_cycles / 2 {
            *bits |= (level as u16) << (*cycles / self.bit_cycles);
        }
        if *cycles == (FRAME_BITS - 1) * self.bit_cycles + self.bit_cycles / 2 {
            let bits = *bits;
            assert!(bits & 1 == 0 && bits >> 9 == 1, "a byte without start or stop bit: {bits:#b}");
            self.came.push_back((bits >> 1) as u8);
            self.coming = None;
        }
    }
}
