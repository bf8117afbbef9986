//! A model with a clock and what hangs on it.

use crate::model::{Input, Model, Output, Top};
use crate::registers::Clock;
use contract::Duration;

/// Cycles of a clock after which its reset is over. Source: `fm_reset_sync`.
const RESET_CYCLES: u64 = 4;

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

/// A model with the ports `clk_i` and `rst_ni`, and perhaps clocks beside them.
pub struct Bench {
    model: Model,
    clock: Input,
    reset: Input,
    cycles: u64,
    /// A cycle of `clk_i`, in picoseconds, where there are clocks beside it.
    period_ps: u64,
    others: Vec<OtherClock>,
}

/// A clock that has nothing to do with `clk_i`.
#[derive(Clone, Copy, Debug)]
pub struct ClockPort {
    /// The input.
    pub name: &'static str,
    /// A cycle of it.
    pub period: Duration,
}

struct OtherClock {
    port: Input,
    half_ps: u64,
    next_ps: u64,
    high: bool,
    stands: bool,
}

impl Bench {
    /// Makes a model and resets it for two cycles with all inputs zero.
    pub fn new(top: &'static Top) -> Self {
        let model = Model::new(top);
        let (clock, reset) = (model.input("clk_i"), model.input("rst_ni"));
        let mut bench = Self { model, clock, reset, cycles: 0, period_ps: 0, others: Vec::new() };
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

    /// Makes a model that has these clocks beside `clk_i`, whose own cycle is `period`. Its reset ends for each clock with
    /// cycles of that clock, and all of these are over.
    pub fn with_clocks(top: &'static Top, period: Duration, others: &[ClockPort]) -> Self {
        let mut bench = Self::new(top);
        bench.period_ps = period.as_ps();
        let other = |clock: &ClockPort| {
            let half_ps = clock.period.as_ps() / 2;
            OtherClock {
                port: bench.model.input(clock.name),
                half_ps,
                next_ps: half_ps / 3,
                high: false,
                stands: false,
            }
        };
        bench.others = others.iter().map(other).collect();
        let longest = others.iter().map(|clock| clock.period.as_ps()).max().unwrap_or(0);
        for _ in 0..=RESET_CYCLES * longest.div_ceil(bench.period_ps) {
            bench.cycle_of_clocks(&mut []);
        }
        bench
    }

    /// The simulated top, whose ports can be looked up and read.
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

    /// Whether everything hangs on `clk_i`.
    pub fn has_one_clock(&self) -> bool {
        self.others.is_empty()
    }

    /// Cycles since reset.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// One clock cycle: the agents drive, the model settles, the agents sample, the clock rises. At
    /// each level of the clock they answer on pins.
    pub fn cycle(&mut self, agents: &mut [&mut dyn Agent]) {
        self.run_cycle(agents, &mut []);
    }

    /// One cycle of `clk_i`, and what of the other clocks falls into it: the same, with the agents of each clock, `clk_i`'s
    /// first. Those of a clock drive, sample and answer at its own levels alone.
    pub fn cycle_of_clocks(&mut self, agents: &mut [Vec<&mut dyn Agent>]) {
        let (own, others) = match agents {
            [own, others @ ..] => (own.as_mut_slice(), others),
            [] => (&mut [] as &mut [_], &mut [] as &mut [_]),
        };
        self.run_cycle(own, others);
    }

    fn run_cycle(&mut self, own: &mut [&mut dyn Agent], others: &mut [Vec<&mut dyn Agent>]) {
        let begin = self.cycles * self.period_ps;
        own.iter_mut().for_each(|agent| agent.drive(&mut self.model));
        self.level(own, Level::Low);
        self.run_others(begin + self.period_ps / 2, others);
        own.iter_mut().for_each(|agent| agent.sample(&self.model));
        self.level(own, Level::High);
        self.run_others(begin + self.period_ps, others);
        self.cycles += 1;
    }

    /// Stops a clock beside `clk_i` once it is low, or lets it go on.
    ///
    /// # Panics
    /// If there is no clock of that number.
    pub fn stop_clock(&mut self, nth: usize, stands: bool) {
        self.others[nth].stands = stands;
    }

    /// The levels of the other clocks before a time, in their order.
    fn run_others(&mut self, until: u64, agents: &mut [Vec<&mut dyn Agent>]) {
        loop {
            let next = (0..self.others.len()).min_by_key(|nth| self.others[*nth].next_ps);
            let Some(nth) = next.filter(|nth| self.others[*nth].next_ps < until) else { return };
            let clock = &mut self.others[nth];
            if clock.stands && !clock.high {
                clock.next_ps += 2 * clock.half_ps;
                continue;
            }
            clock.next_ps += clock.half_ps;
            clock.high = !clock.high;
            let (port, level) = (clock.port, if clock.high { Level::High } else { Level::Low });
            let agents = agents.get_mut(nth).map_or(&mut [] as &mut [_], Vec::as_mut_slice);
            for agent in agents.iter_mut() {
                match level {
                    Level::Low => agent.drive(&mut self.model),
                    Level::High => agent.sample(&self.model),
                }
            }
            self.level_of(port, agents, level);
        }
    }

    /// Lets cycles pass that are not run, as nothing changes in them but what `clocks` count. The outputs that depend
    /// on these are right after the next cycle that is run.
    pub fn skip(&mut self, cycles: u64, clocks: &[Clock]) {
        clocks.iter().for_each(|clock| clock.pass(&mut self.model, cycles));
        self.cycles += cycles;
    }

    fn level(&mut self, agents: &mut [&mut dyn Agent], level: Level) {
        self.level_of(self.clock, agents, level);
    }

    fn level_of(&mut self, clock: Input, agents: &mut [&mut dyn Agent], level: Level) {
        self.model.set(clock, u64::from(level == Level::High));
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
