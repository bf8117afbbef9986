//! The bus of a channel: announces steps and moves their words.

use crate::page_path::golden::Step;
use rtl_sim::{Agent, Input, Model, Output, Pace};
use std::collections::VecDeque;

/// A step on its way to the bus.
pub struct Turn {
    pub step: Step,
    /// Bytes that go over the bus.
    pub bytes: usize,
    /// What the chip gives; empty for a program.
    pub raw: Vec<u8>,
    /// Cycles of command and address.
    pub frame: u32,
    /// Words after which the bus gives up.
    pub abort_after: Option<usize>,
}

/// How a step went.
#[derive(Debug)]
pub struct Ended {
    /// Bytes that went to the chip.
    pub written: Vec<u8>,
    pub aborted: bool,
    /// Whether that was planned.
    pub to_be_aborted: bool,
    /// Cycles in which the step was announced and not taken.
    pub refused: u64,
    /// Cycles from the first word to the last, both included.
    pub cycles: u64,
}

/// The side of the bus of a path.
pub struct Bus {
    open: OpenPorts,
    write: [Output; 2],
    write_ready: Input,
    read: [Input; 3],
    read_ready: Output,
    abort: Input,
    pub pace: Pace,
    /// Cycles without a word after which the bus gives up.
    pub patience: Option<u64>,
    turns: VecDeque<Turn>,
    state: State,
    pub ended: Vec<Ended>,
    refused: u64,
    now: u64,
}

struct OpenPorts {
    valid: Input,
    ready: Output,
    fields: Vec<Input>,
    words: Output,
}

enum State {
    Idle,
    Opening,
    Frame(u32),
    Data(Transfer),
}

#[derive(Default)]
struct Transfer {
    moved: usize,
    written: Vec<u8>,
    first: Option<u64>,
    last_moved: u64,
    willing: bool,
    gives_up: bool,
}

const OPEN_FIELDS: [&str; 14] = [
    "operation",
    "way",
    "row",
    "column",
    "length",
    "buffer",
    "plain",
    "bypass",
    "metadata",
    "respond",
    "slot",
    "tag",
    "irq",
    "irq_on_error",
];

fn open_values(step: &Step) -> [u64; 14] {
    [
        u64::from(step.operation),
        u64::from(step.way),
        u64::from(step.row),
        u64::from(step.column),
        step.length as u64,
        u64::from(step.buffer),
        u64::from(step.plain),
        u64::from(step.bypass),
        u64::from(step.metadata),
        u64::from(step.respond),
        u64::from(step.slot),
        u64::from(step.tag),
        u64::from(step.irq),
        u64::from(step.irq_on_error),
    ]
}

impl Bus {
    pub fn new(model: &Model, pace: Pace) -> Self {
        Self {
            open: OpenPorts {
                valid: model.input("open_valid_i"),
                ready: model.output("open_ready_o"),
                fields: OPEN_FIELDS.map(|name| model.input(&format!("open_{name}_i"))).into(),
                words: model.output("open_words_o"),
            },
            write: ["write_valid_o", "write_data_o"].map(|name| model.output(name)),
            write_ready: model.input("write_ready_i"),
            read: ["read_valid_i", "read_data_i", "read_last_i"].map(|name| model.input(name)),
            read_ready: model.output("read_ready_o"),
            abort: model.input("abort_i"),
            pace,
            patience: None,
            turns: VecDeque::new(),
            state: State::Idle,
            ended: Vec::new(),
            refused: 0,
            now: 0,
        }
    }

    pub fn push(&mut self, turn: Turn) {
        self.turns.push_back(turn);
    }

    pub fn is_idle(&self) -> bool {
        self.turns.is_empty()
    }

    fn end(&mut self, aborted: bool) {
        let State::Data(transfer) = std::mem::replace(&mut self.state, State::Idle) else {
            panic!("only a transfer ends");
        };
        let to_be_aborted = self.turns.pop_front().is_some_and(|turn| turn.abort_after.is_some());
        let refused = std::mem::take(&mut self.refused);
        let cycles = transfer.first.map_or(0, |first| self.now + 1 - first);
        self.ended.push(Ended {
            written: transfer.written,
            aborted,
            to_be_aborted,
            refused,
            cycles,
        });
    }

    fn begin_data(&mut self) {
        self.state = State::Data(Transfer { last_moved: self.now, ..Transfer::default() });
        if self.turns[0].bytes == 0 {
            self.end(false);
        }
    }

    fn drive_data(&mut self, model: &mut Model) {
        let State::Data(transfer) = &mut self.state else { return };
        let turn = &self.turns[0];
        let impatient = self.patience.is_some_and(|limit| self.now - transfer.last_moved > limit);
        transfer.gives_up = impatient || turn.abort_after == Some(transfer.moved);
        if transfer.gives_up {
            model.set(self.abort, 1);
            return;
        }
        let is_read = turn.step.is_read();
        // A word that was offered stays until it is taken.
        transfer.willing = self.pace.next() || (is_read && transfer.willing);
        if is_read {
            let at = transfer.moved * 2;
            let word = u16::from_le_bytes([turn.raw[at], turn.raw[at + 1]]);
            let is_last = at + 2 == turn.bytes;
            model.set(self.read[0], u64::from(transfer.willing));
            model.set(self.read[1], u64::from(word));
            model.set(self.read[2], u64::from(is_last));
        } else {
            model.set(self.write_ready, u64::from(transfer.willing));
        }
    }

    fn sample_data(&mut self, model: &Model) {
        let State::Data(transfer) = &mut self.state else { return };
        if transfer.gives_up {
            return self.end(true);
        }
        let is_read = self.turns[0].step.is_read();
        let other = if is_read { self.read_ready } else { self.write[0] };
        if !transfer.willing || model.get(other) == 0 {
            return;
        }
        if !is_read {
            transfer.written.extend((model.get(self.write[1]) as u16).to_le_bytes());
        }
        transfer.willing = false;
        transfer.moved += 1;
        transfer.last_moved = self.now;
        transfer.first.get_or_insert(self.now);
        if transfer.moved * 2 == self.turns[0].bytes {
            self.end(false);
        }
    }
}

impl Agent for Bus {
    fn drive(&mut self, model: &mut Model) {
        for port in [self.open.valid, self.write_ready, self.read[0], self.abort] {
            model.set(port, 0);
        }
        match self.state {
            State::Idle if !self.turns.is_empty() => self.state = State::Opening,
            State::Frame(0) => self.begin_data(),
            State::Frame(ref mut left) => *left -= 1,
            _ => {}
        }
        if let State::Opening = self.state {
            model.set(self.open.valid, 1);
            for (port, value) in self.open.fields.iter().zip(open_values(&self.turns[0].step)) {
                model.set(*port, value);
            }
        }
        self.drive_data(model);
    }

    fn sample(&mut self, model: &Model) {
        if let State::Opening = self.state {
            let words = model.get(self.open.words) as usize;
            assert_eq!(words * 2, self.turns[0].bytes, "{:?}", self.turns[0].step);
            if model.get(self.open.ready) == 1 {
                self.state = State::Frame(self.turns[0].frame);
            } else {
                self.refused += 1;
            }
        }
        self.sample_data(model);
        self.now += 1;
    }
}
