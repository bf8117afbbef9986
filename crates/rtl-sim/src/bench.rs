//! A model with a clock and what hangs on it.

use crate::model::{Input, Model, Output, Top};

/// Something that drives and watches ports once a cycle.
///
/// An agent decides before it sees the cycle's outputs, so it cannot wait for `ready` before it
/// raises `valid`.
pub trait Agent {
    /// Drives inputs at the start of a cycle.
    fn drive(&mut self, model: &mut Model);

    /// Looks at the settled ports before the clock edge.
    fn sample(&mut self, model: &Model);
}

/// A model with the ports `clk_i` and `rst_ni`.
pub struct Bench {
    model: Model,
    clock: Input,
    reset: Input,
    cycles: u64,
}

impl Bench {
    /// Makes a model and resets it for two cycles with all inputs zero.
    pub fn new(top: &'static Top) -> Self {
        let model = Model::new(top);
        let (clock, reset) = (model.input("clk_i"), model.input("rst_ni"));
        let mut bench = Self { model, clock, reset, cycles: 0 };
        bench.cycle(&mut []);
        bench.cycle(&mut []);
        bench.model.set(bench.reset, 1);
        bench.cycles = 0;
        bench
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// An input of the model.
    pub fn input(&self, name: &str) -> Input {
        self.model.input(name)
    }

    /// An output of the model.
    pub fn output(&self, name: &str) -> Output {
        self.model.output(name)
    }

    /// Drives an input from now on.
    pub fn set(&mut self, port: Input, value: u64) {
        self.model.set(port, value);
    }

    /// An output, settled to the inputs as they are.
    pub fn get(&mut self, port: Output) -> u64 {
        self.model.eval();
        self.model.get(port)
    }

    /// Cycles since reset.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// One clock cycle: the agents drive, the model settles, the agents sample, the clock rises.
    pub fn cycle(&mut self, agents: &mut [&mut dyn Agent]) {
        for agent in agents.iter_mut() {
            agent.drive(&mut self.model);
        }
        self.model.set(self.clock, 0);
        self.model.eval();
        for agent in agents.iter_mut() {
            agent.sample(&self.model);
        }
        self.model.set(self.clock, 1);
        self.model.eval();
        self.cycles += 1;
    }
}
