//! A model with a clock and what hangs on it.

use crate::model::{Input, Model, Output, Top};
use crate::registers::Clock;

/// Something that drives and watches ports once a cycle.
///
/// An agent decides before it sees the cycle's outputs, so it cannot wait for `ready` before it
/// raises `valid`.
pub trait Agent {
    /// Drives inputs at the start of a cycle.
    fn drive(&mut self, model: &mut Model);

    /// Looks at the settled ports before the clock edge.
    fn sample(&mut self, model: &Model);

    /// Answers on pins that follow both levels of the clock, once the model has settled at one.
    /// Whether it changed an input, so that the model has to settle again.
    fn answer(&mut self, model: &mut Model, level: Level) -> bool {
        let _ = (model, level);
        false
    }
}

/// Half of a clock cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The clock is low, the second half of a cycle of the hardware.
    Low,
    /// The clock is high, just after the edge at which registers change.
    High,
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
        // Reset falls, for what takes that alone: its clock may be shut.
        bench.model.set(reset, 1);
        bench.model.eval();
        bench.model.set(reset, 0);
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

    /// One clock cycle: the agents drive, the model settles, the agents sample, the clock rises. At
    /// each level of the clock they answer on pins.
    pub fn cycle(&mut self, agents: &mut [&mut dyn Agent]) {
        for agent in agents.iter_mut() {
            agent.drive(&mut self.model);
        }
        self.level(agents, Level::Low);
        for agent in agents.iter_mut() {
            agent.sample(&self.model);
        }
        self.level(agents, Level::High);
        self.cycles += 1;
    }

    /// Lets cycles pass that are not run, as nothing changes in them but what `clocks` count. The outputs that depend
    /// on these are right after the next cycle that is run.
    pub fn skip(&mut self, cycles: u64, clocks: &[Clock]) {
        clocks.iter().for_each(|clock| clock.pass(&mut self.model, cycles));
        self.cycles += cycles;
    }

    fn level(&mut self, agents: &mut [&mut dyn Agent], level: Level) {
        self.model.set(self.clock, u64::from(level == Level::High));
        self.model.eval();
        let mut changed = false;
        for agent in agents.iter_mut() {
            changed |= agent.answer(&mut self.model, level);
        }
        if changed {
            self.model.eval();
        }
        self.model.dump();
    }
}
