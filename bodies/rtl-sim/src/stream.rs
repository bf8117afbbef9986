//! Agents for the streams of the hardware: `valid`, `ready` and a payload.

use crate::bench::Agent;
use crate::model::{Input, Model, Output};
use crate::Random;
use std::collections::VecDeque;

/// When an agent is willing.
#[derive(Clone, Debug)]
pub enum Pace {
    /// In each cycle.
    Always,
    /// In no cycle: the stream stands still.
    Never,
    /// In so many of a hundred cycles, each by itself.
    Percent(u32, Random),
    /// For up to so many cycles on end, then for up to as many not.
    Bursts {
        /// The longest burst and the longest pause.
        longest: u32,
        /// Cycles left of what goes on, and whether it is a burst.
        state: (u32, bool),
        /// Draws the lengths.
        random: Random,
    },
}

/// Which ports of a top make a stream.
///
/// A stream `in` with the field `data` has the ports `in_valid_i`, `in_ready_o` and `in_data_i`;
/// one that comes out has `_o` and `_i` the other way round. Where a top has several of a kind,
/// each port is an array of lanes.
#[derive(Clone, Copy, Debug)]
pub struct StreamPorts<'a> {
    /// What the names of the ports begin with.
    pub prefix: &'a str,
    /// The fields of the payload.
    pub fields: &'a [&'a str],
    /// The lane, and of how many.
    pub lane: (u32, u32),
}

impl StreamPorts<'_> {
    fn input(&self, model: &Model, name: &str) -> Input {
        model.input(&format!("{}_{name}_i", self.prefix)).lane(self.lane.0, self.lane.1)
    }

    fn output(&self, model: &Model, name: &str) -> Output {
        model.output(&format!("{}_{name}_o", self.prefix)).lane(self.lane.0, self.lane.1)
    }
}

/// Feeds a stream. A beat is one number for each field; of one above 64 bits, for each 64 of them, the
/// lowest first.
pub struct Source {
    valid: Input,
    ready: Output,
    payload: Vec<Input>,
    pace: Pace,
    waiting: VecDeque<Vec<u64>>,
    offering: bool,
    sent: u64,
    refused: u64,
}

/// Drains a stream and keeps what came.
pub struct Sink {
    valid: Output,
    ready: Input,
    payload: Vec<Output>,
    pace: Pace,
    willing: bool,
    received: Vec<Vec<u64>>,
}

impl Pace {
    /// One of the paces that tests should survive.
    pub fn any(random: &mut Random) -> Self {
        match random.below(5) {
            0 => Self::Always,
            1 => Self::Percent(10, random.split()),
            2 => Self::Percent(50, random.split()),
            3 => Self::Percent(90, random.split()),
            _ => Self::Bursts { longest: 40, state: (0, false), random: random.split() },
        }
    }

    /// Whether the agent is willing in the next cycle.
    #[allow(clippy::should_implement_trait)] // As for `Random`.
    pub fn next(&mut self) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Percent(share, random) => random.percent(*share),
            Self::Bursts { longest, state: (left, willing), random } => {
                if *left == 0 {
                    *willing = !*willing;
                    *left = 1 + random.below(u64::from(*longest)) as u32;
                }
                *left -= 1;
                *willing
            }
        }
    }
}

impl Source {
    /// Hangs a source on a stream that goes into the model.
    pub fn new(model: &Model, ports: StreamPorts, pace: Pace) -> Self {
        Self {
            valid: ports.input(model, "valid"),
            ready: ports.output(model, "ready"),
            payload: ports
                .fields
                .iter()
                .flat_map(|name| ports.input(model, name).words())
                .collect(),
            pace,
            waiting: VecDeque::new(),
            offering: false,
            sent: 0,
            refused: 0,
        }
    }

    /// Queues a beat.
    pub fn push(&mut self, beat: Vec<u64>) {
        assert_eq!(beat.len(), self.payload.len(), "fields of the stream");
        self.waiting.push_back(beat);
    }

    /// Queues beats.
    pub fn push_all(&mut self, beats: impl IntoIterator<Item = Vec<u64>>) {
        beats.into_iter().for_each(|beat| self.push(beat));
    }

    /// Whether all beats were taken.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Beats that were taken.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// Cycles in which a beat was offered and not taken.
    pub fn refused(&self) -> u64 {
        self.refused
    }
}

impl Agent for Source {
    fn drive(&mut self, model: &mut Model) {
        // A beat that was offered stays until it is taken.
        self.offering = !self.waiting.is_empty() && (self.offering || self.pace.next());
        model.set(self.valid, u64::from(self.offering));
        if self.offering {
            for (port, value) in self.payload.iter().zip(&self.waiting[0]) {
                model.set(*port, *value);
            }
        }
    }

    fn sample(&mut self, model: &Model) {
        if !self.offering {
            return;
        }
        if model.get(self.ready) == 1 {
            self.waiting.pop_front();
            self.offering = false;
            self.sent += 1;
        } else {
            self.refused += 1;
        }
    }
}

impl Sink {
    /// Hangs a sink on a stream that comes out of the model.
    pub fn new(model: &Model, ports: StreamPorts, pace: Pace) -> Self {
        Self {
            valid: ports.output(model, "valid"),
            ready: ports.input(model, "ready"),
            payload: ports
                .fields
                .iter()
                .flat_map(|name| ports.output(model, name).words())
                .collect(),
            pace,
            willing: false,
            received: Vec::new(),
        }
    }

    /// Changes the pace from the next cycle on.
    pub fn set_pace(&mut self, pace: Pace) {
        self.pace = pace;
    }

    /// The beats that came, the first one first.
    pub fn received(&self) -> &[Vec<u64>] {
        &self.received
    }

    /// Takes the beats that came.
    pub fn take(&mut self) -> Vec<Vec<u64>> {
        std::mem::take(&mut self.received)
    }
}

impl Agent for Sink {
    fn drive(&mut self, model: &mut Model) {
        self.willing = self.pace.next();
        model.set(self.ready, u64::from(self.willing));
    }

    fn sample(&mut self, model: &Model) {
        if self.willing && model.get(self.valid) == 1 {
            self.received.push(self.payload.iter().map(|port| model.get(*port)).collect());
        }
    }
}
