//! The ports of a processor in the controller: its program goes in, what it tells comes out.

use crate::{Agent, Input, Model, Output};
use driver::trace::{Event, Listener, Place};
use std::collections::VecDeque;

/// Loads a processor, lets it run, and listens to it.
pub struct CorePort {
    load_valid: Input,
    load_address: Input,
    load_data: Input,
    run: Input,
    trace_valid: Output,
    trace_place: Output,
    trace_data: Output,
    sleeps: Output,
    waits: Output,
    /// Words to load, the first one first, with their addresses.
    words: VecDeque<(u32, u32)>,
    listener: Listener,
    told: VecDeque<Event>,
    is_asleep: bool,
    waited: u64,
}

impl CorePort {
    /// The input that tells a processor to run.
    pub const RUN: &'static str = "run_i";

    /// The ports of a top.
    pub fn new(model: &Model) -> Self {
        Self {
            load_valid: model.input("load_valid_i"),
            load_address: model.input("load_address_i"),
            load_data: model.input("load_data_i"),
            run: model.input(Self::RUN),
            trace_valid: model.output("trace_valid_o"),
            trace_place: model.output("trace_place_o"),
            trace_data: model.output("trace_data_o"),
            sleeps: model.output("sleeps_o"),
            waits: model.output("waits_o"),
            words: VecDeque::new(),
            listener: Listener::default(),
            told: VecDeque::new(),
            is_asleep: false,
            waited: 0,
        }
    }

    /// Loads words from an address on, one a cycle. The processor runs once all are loaded.
    pub fn load(&mut self, address: u32, words: impl IntoIterator<Item = u32>) {
        self.words.extend((address..).step_by(4).zip(words));
    }

    /// The next of what it told.
    pub fn take_told(&mut self) -> Option<Event> {
        self.told.pop_front()
    }

    /// Whether it waits for an interrupt.
    pub fn is_asleep(&self) -> bool {
        self.is_asleep
    }

    /// Cycles in which it waited for registers or the data buffer memory.
    pub fn waited(&self) -> u64 {
        self.waited
    }
}

impl Agent for CorePort {
    fn drive(&mut self, model: &mut Model) {
        let word = self.words.pop_front();
        model.set(self.load_valid, word.is_some().into());
        model.set(self.run, word.is_none().into());
        if let Some((address, data)) = word {
            model.set(self.load_address, address.into());
            model.set(self.load_data, data.into());
        }
    }

    fn sample(&mut self, model: &Model) {
        self.is_asleep = model.get(self.sleeps) == 1;
        self.waited += model.get(self.waits);
        if model.get(self.trace_valid) == 1 {
            let place = Place::from_number(model.get(self.trace_place) as u32);
            let word = model.get(self.trace_data) as u32;
            self.told.extend(place.and_then(|place| self.listener.take(place, word)));
        }
    }
}
