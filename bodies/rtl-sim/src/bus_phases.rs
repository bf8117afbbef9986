//! Phases of flash operations, as the pins of a channel show them.
//!
//! A turn of a way is from the fall of its CE# to the rise. Which phase it is, its command bytes tell (ONFI 4.0,
//! section 5). What a chip does by itself is from the fall of its R/B# to the rise, and the last command before tells
//! what it is.

use contract::{FlashOperation, Instant};
use nand::onfi::Inputs;
use std::collections::VecDeque;

/// Bytes of a row in an address.
const ROW_BYTES: usize = 3;

/// Where a phase passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhaseKind {
    /// On the bus.
    Bus,
    /// In the chip.
    Chip,
    /// Nowhere: a page that was read waits for the bus.
    Ready,
}

/// A phase that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusPhase {
    /// Where it passed.
    pub kind: PhaseKind,
    /// Way of the channel, from 0.
    pub way: u8,
    /// What it is of.
    pub operation: FlashOperation,
    /// The row, as the chip counts: the last one that the way was told.
    pub row: u32,
    /// Its first moment.
    pub start: Instant,
    /// The moment at which it was over.
    pub end: Instant,
}

/// What is known of a way.
#[derive(Clone, Debug, Default)]
struct Way {
    /// When its CE# fell, while that is low, and when its R/B# did.
    enabled: Option<Instant>,
    busy: Option<Instant>,
    /// What its turn is so far, and what its chip was told last to do by itself.
    turn: Option<FlashOperation>,
    told: Option<FlashOperation>,
    /// Bytes of the address so far.
    address: Vec<u8>,
    row: u32,
    /// Since when a page waits for the bus.
    ready: Option<Instant>,
}

/// Tells phases apart, level by level of the clock.
#[derive(Clone, Debug)]
pub struct PhaseWatch {
    ways: Vec<Way>,
    /// What the shared pins were last.
    before: Inputs,
    over: VecDeque<BusPhase>,
}

impl PhaseWatch {
    /// A watch over so many ways, whose chips are ready and not enabled.
    pub fn new(ways: usize) -> Self {
        Self { ways: vec![Way::default(); ways], before: Inputs::IDLE, over: VecDeque::new() }
    }

    /// Takes the next phase that is over. Those of the bus, and those of a way, come in their order.
    pub fn take(&mut self) -> Option<BusPhase> {
        self.over.pop_front()
    }

    /// Takes the pins as they are from `now` on: CE# of each way and the shared ones, and R/B# of each.
    pub fn level(&mut self, now: Instant, (ce_n, pins): (u64, &Inputs), rb_n: u64) {
        let before = std::mem::replace(&mut self.before, *pins);
        // A byte is latched when WE# rises, as it was before.
        let latched = (pins.we_n && !before.we_n).then_some(before).and_then(latched);
        for (nth, way) in self.ways.iter_mut().enumerate() {
            let is_enabled = ce_n >> nth & 1 == 0;
            let mut end = |phase: BusPhase| self.over.push_back(phase);
            if let Some(byte) = latched.filter(|_| way.enabled.is_some()) {
                way.take(byte);
            }
            // The turn ends last: its chip may be busy before.
            way.follow(now, (nth as u8, rb_n >> nth & 1 == 0), &mut end);
            match (way.enabled, is_enabled) {
                (None, true) => way.enabled = Some(now),
                (Some(start), false) => way.end_turn((start, now), nth as u8, &mut end),
                _ => {}
            }
        }
    }
}

/// A byte that is no data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Latched {
    Command(u8),
    Address(u8),
}

fn latched(pins: Inputs) -> Option<Latched> {
    match (pins.cle, pins.ale) {
        (true, false) => pins.dq.map(Latched::Command),
        (false, true) => pins.dq.map(Latched::Address),
        _ => None,
    }
}

impl Way {
    fn take(&mut self, byte: Latched) {
        match byte {
            Latched::Address(byte) => self.address.push(byte),
            Latched::Command(command) => {
                self.end_address();
                if let Some(operation) = operation(command) {
                    self.turn = Some(operation);
                    if !matches!(
                        operation,
                        FlashOperation::ReadTransfer | FlashOperation::StatusCheck
                    ) {
                        self.told = Some(operation);
                    }
                }
            }
        }
    }

    /// An address is over. One of columns or features alone names no row.
    fn end_address(&mut self) {
        if let Some(row) = self.address.len().checked_sub(ROW_BYTES) {
            let bytes = &self.address[row..];
            self.row = bytes.iter().rev().fold(0, |row, &byte| row << 8 | u32::from(byte));
        }
        self.address.clear();
    }

    /// The chip's R/B# is as it says.
    fn follow(&mut self, now: Instant, (nth, busy): (u8, bool), end: &mut impl FnMut(BusPhase)) {
        match (self.busy, busy) {
            (None, true) => self.busy = Some(now),
            (Some(start), false) => {
                self.busy = None;
                let Some(operation) = self.told else { return };
                end(self.phase((PhaseKind::Chip, operation), nth, (start, now)));
                self.ready = (operation == FlashOperation::ReadTrigger).then_some(now);
            }
            _ => {}
        }
    }

    fn end_turn(
        &mut self,
        (start, now): (Instant, Instant),
        nth: u8,
        end: &mut impl FnMut(BusPhase),
    ) {
        self.enabled = None;
        self.end_address();
        // The command for data alone comes before a transfer.
        let operation = self.turn.take().unwrap_or(FlashOperation::ReadTransfer);
        if operation == FlashOperation::ReadTransfer {
            if let Some(since) = self.ready.take().filter(|since| *since < start) {
                end(self.phase((PhaseKind::Ready, operation), nth, (since, start)));
            }
        }
        end(self.phase((PhaseKind::Bus, operation), nth, (start, now)));
    }

    fn phase(
        &self,
        (kind, operation): (PhaseKind, FlashOperation),
        way: u8,
        (start, end): (Instant, Instant),
    ) -> BusPhase {
        BusPhase { kind, way, operation, row: self.row, start, end }
    }
}

/// What a command byte makes of a turn; nothing if a later one tells, or data follow.
fn operation(command: u8) -> Option<FlashOperation> {
    Some(match command {
        0x30..=0x32 | 0x35 | 0x3f => FlashOperation::ReadTrigger,
        0xe0 => FlashOperation::ReadTransfer,
        0x10 | 0x11 | 0x15 | 0x1a => FlashOperation::Program,
        0xd0 | 0xd1 => FlashOperation::Erase,
        0xd5 | 0xef => FlashOperation::SetLevel,
        0x70 | 0x78 => FlashOperation::StatusCheck,
        0xfa | 0xfc | 0xff => FlashOperation::Reset,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bus whose levels are said one after the other, a nanosecond each.
    struct Pins {
        watch: PhaseWatch,
        now: u64,
        ce_n: u64,
        rb_n: u64,
    }

    impl Pins {
        fn new() -> Self {
            Self { watch: PhaseWatch::new(2), now: 0, ce_n: 3, rb_n: 3 }
        }

        fn pass(&mut self, pins: Inputs) {
            self.now += 1000;
            self.watch.level(Instant::from_ps(self.now), (self.ce_n, &pins), self.rb_n);
        }

        fn latch(&mut self, cle: bool, byte: u8) {
            let pins = Inputs { cle, ale: !cle, we_n: false, dq: Some(byte), ..Inputs::IDLE };
            self.pass(pins);
            self.pass(Inputs { we_n: true, ..pins });
        }

        fn turn(&mut self, way: u64, commands: &[u8], address: &[u8]) {
            self.ce_n &= !(1 << way);
            self.pass(Inputs::IDLE);
            for (nth, &command) in commands.iter().enumerate() {
                self.latch(true, command);
                let address = if nth == 0 { address } else { &[] };
                address.iter().for_each(|&byte| self.latch(false, byte));
            }
            self.ce_n |= 1 << way;
            self.pass(Inputs::IDLE);
        }

        fn busy(&mut self, way: u64) {
            self.rb_n &= !(1 << way);
            (0..9).for_each(|_| self.pass(Inputs::IDLE));
            self.rb_n |= 1 << way;
            self.pass(Inputs::IDLE);
        }

        fn told(&mut self) -> Vec<(PhaseKind, u8, FlashOperation, u32, u64)> {
            let length = |phase: &BusPhase| phase.end.since(phase.start).as_ps() / 1000;
            std::iter::from_fn(|| self.watch.take())
                .map(|p| (p.kind, p.way, p.operation, p.row, length(&p)))
                .collect()
        }
    }

    #[test]
    fn phases_are_told_by_their_commands_and_rows() {
        use FlashOperation::*;
        let mut pins = Pins::new();
        pins.turn(1, &[0x00, 0x30], &[0, 0, 0x21, 0x43, 0x05]);
        pins.busy(1);
        pins.turn(0, &[0x60, 0xd0], &[1, 0, 0]);
        pins.turn(1, &[0x70], &[]);
        pins.turn(1, &[0x00], &[]);
        pins.turn(1, &[0x05, 0xe0], &[0, 0]);
        pins.busy(0);
        let row = 0x05_4321;
        let expected = [
            (PhaseKind::Bus, 1, ReadTrigger, row, 15),
            (PhaseKind::Chip, 1, ReadTrigger, row, 9),
            (PhaseKind::Bus, 0, Erase, 1, 11),
            (PhaseKind::Bus, 1, StatusCheck, row, 3),
            // Until the turn that has the chip give data.
            (PhaseKind::Ready, 1, ReadTransfer, row, 17),
            (PhaseKind::Bus, 1, ReadTransfer, row, 3),
            (PhaseKind::Bus, 1, ReadTransfer, row, 9),
            (PhaseKind::Chip, 0, Erase, 1, 9),
        ];
        assert_eq!(pins.told(), expected);
    }

    #[test]
    fn features_name_no_row_and_programs_do() {
        use FlashOperation::*;
        let mut pins = Pins::new();
        pins.turn(0, &[0x80, 0x10], &[0, 0, 7, 0, 0]);
        pins.busy(0);
        pins.turn(0, &[0xef], &[0x89]);
        pins.busy(0);
        let rows: Vec<_> = pins.told().iter().map(|told| (told.0, told.2, told.3)).collect();
        let expected = [(Program, 7), (SetLevel, 7)].map(|(operation, row)| {
            [(PhaseKind::Bus, operation, row), (PhaseKind::Chip, operation, row)]
        });
        assert_eq!(rows, expected.concat());
    }
}
