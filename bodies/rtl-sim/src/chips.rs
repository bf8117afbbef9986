//! Flash chips on the pins of a channel.

use crate::bench::{Agent, Level};
use crate::bus_phases::{BusPhase, PhaseWatch};
use crate::model::{Input, Model, Output};
use contract::{Duration, Instant};
use nand::onfi::{BusInputs, BusOutputs, Chip, Inputs, SharedBus};

/// Chips on the shared bus of a channel.
///
/// The model has the pins `ce_no`, `cle_o`, `ale_o`, `we_no`, `re_no`, `wp_no`, `dq_o`, `dq_oe_o`,
/// `dqs_o`, `dqs_oe_o`, `dq_i`, `dqs_i` and `rb_ni`; `ce_no` and `rb_ni` have a bit for each chip.
/// They may change at each level of the clock.
///
/// On a board, strobe and data are shifted against each other by a quarter of a cycle at the end
/// that latches. Here the strobe to the chips is late by [`Wiring::strobe_shift`], and what the strobe
/// from them latches is what they drive with it: a model settles to its inputs before it looks for
/// edges.
pub struct ChipBus {
    bus: SharedBus,
    wiring: Wiring,
    ports: Ports,
    /// Levels of the clock that have passed.
    levels: u64,
    /// Levels at which some chip was enabled, and those at which each of them was busy.
    enabled: u64,
    busy: Vec<u64>,
    /// Some chip was enabled last.
    in_use: bool,
    /// What the chips saw and drove last.
    seen: Inputs,
    driven: BusOutputs,
    /// Tells phases apart for whoever wants to know.
    phases: Option<PhaseWatch>,
}

/// How fast the clock is, and what lies between the model and the chips.
#[derive(Clone, Copy, Debug)]
pub struct Wiring {
    /// A cycle of the clock.
    pub period: Duration,
    /// By how much DQS reaches the chips late; less than half a cycle.
    pub strobe_shift: Duration,
}

struct Ports {
    ce_n: Output,
    cle: Output,
    ale: Output,
    we_n: Output,
    re_n: Output,
    wp_n: Output,
    dq: Output,
    dq_enabled: Output,
    dqs: Output,
    dqs_enabled: Output,
    dq_in: Input,
    dqs_in: Input,
    rb_n: Input,
}

impl Wiring {
    /// A clock, and a strobe that is late by a quarter of its cycle.
    pub fn new(period: Duration) -> Self {
        Self { period, strobe_shift: Duration::from_ps(period.as_ps() / 4) }
    }
}

impl ChipBus {
    /// Hangs chips onto a model. The bus has to take part in every cycle from now on.
    pub fn new(model: &Model, chips: Vec<Chip>, wiring: Wiring) -> Self {
        Self::of_channel(model, (0, 1), chips, wiring)
    }

    /// The same, onto the pins of a channel, of so many that the model has.
    pub fn of_channel(
        model: &Model,
        (lane, lanes): (u32, u32),
        chips: Vec<Chip>,
        wiring: Wiring,
    ) -> Self {
        let output = |name| model.output(name).lane(lane, lanes);
        let input = |name| model.input(name).lane(lane, lanes);
        let ports = Ports {
            ce_n: output("ce_no"),
            cle: output("cle_o"),
            ale: output("ale_o"),
            we_n: output("we_no"),
            re_n: output("re_no"),
            wp_n: output("wp_no"),
            dq: output("dq_o"),
            dq_enabled: output("dq_oe_o"),
            dqs: output("dqs_o"),
            dqs_enabled: output("dqs_oe_o"),
            dq_in: input("dq_i"),
            dqs_in: input("dqs_i"),
            rb_n: input("rb_ni"),
        };
        Self {
            enabled: 0,
            in_use: false,
            busy: vec![0; chips.len()],
            bus: SharedBus::new(chips),
            wiring,
            ports,
            levels: 0,
            seen: Inputs::IDLE,
            driven: BusOutputs::default(),
            phases: None,
        }
    }

    /// Has phases told apart from now on.
    pub fn watch_phases(&mut self) {
        self.phases = Some(PhaseWatch::new(self.busy.len()));
    }

    /// Takes the next phase that is over and was not taken.
    pub fn take_phase(&mut self) -> Option<BusPhase> {
        self.phases.as_mut()?.take()
    }

    /// The model was made anew, the chips go on: what they drive is to be driven again.
    pub fn reconnect(&mut self) {
        self.driven = BusOutputs::default();
    }

    /// The time at the level of the clock that was last.
    pub fn now(&self) -> Instant {
        Instant::from_ps(self.levels * self.wiring.period.as_ps() / 2)
    }

    /// How long some chip was enabled, and each of them was busy, by `ahead` cycles from now, in which no pin changes.
    pub fn activity(&self, ahead: u64) -> (Duration, Vec<Duration>) {
        let time = |levels: u64| Duration::from_ps(levels * self.wiring.period.as_ps() / 2);
        let busy = |(way, levels): (usize, &u64)| time(levels + 2 * ahead * self.is_way_busy(way));
        (time(self.enabled), self.busy.iter().enumerate().map(busy).collect())
    }

    /// Whether some chip is enabled.
    pub fn in_use(&self) -> bool {
        self.in_use
    }

    /// Until when the chips' pins stay, if the host's do.
    pub fn wake(&self) -> Instant {
        self.bus.wake()
    }

    /// Lets cycles pass in which no pin changes.
    pub fn skip(&mut self, cycles: u64) {
        self.levels += 2 * cycles;
        for way in 0..self.busy.len() {
            self.busy[way] += 2 * cycles * self.is_way_busy(way);
        }
    }

    /// 1 for a way whose chip is busy.
    fn is_way_busy(&self, way: usize) -> u64 {
        !self.driven.rb_n >> way & 1
    }

    /// Whether a chip is busy, or the bus in use.
    pub fn is_busy(&self) -> bool {
        let all = u64::MAX >> (u64::BITS - self.busy.len() as u32);
        self.driven.rb_n & all != all || self.in_use
    }

    /// The chip of a way.
    pub fn chip(&self, way: usize) -> &Chip {
        self.bus.chip(way)
    }

    /// The chip of a way, to change it.
    pub fn chip_mut(&mut self, way: usize) -> &mut Chip {
        self.bus.chip_mut(way)
    }

    /// All violations, a line each.
    pub fn violations(&self) -> Vec<String> {
        let line = |(way, violation): (Option<usize>, &_)| match way {
            Some(way) => format!("way {way} {violation}"),
            None => format!("bus {violation}"),
        };
        self.bus.violations().into_iter().map(line).collect()
    }

    /// Asserts that the host did nothing wrong.
    ///
    /// # Panics
    /// With all violations.
    pub fn assert_clean(&self) {
        let violations = self.violations();
        assert!(violations.is_empty(), "violations:\n{}", violations.join("\n"));
    }

    fn inputs(&self, model: &Model) -> (u64, Inputs) {
        let high = |port| model.get(port) == 1;
        let ports = &self.ports;
        let shared = Inputs {
            ce_n: true,
            cle: high(ports.cle),
            ale: high(ports.ale),
            we_n: high(ports.we_n),
            re_n: high(ports.re_n),
            wp_n: high(ports.wp_n),
            dq: high(ports.dq_enabled).then(|| model.get(ports.dq) as u8),
            dqs: high(ports.dqs_enabled).then(|| high(ports.dqs)),
        };
        (model.get(ports.ce_n), shared)
    }
}

impl Agent for ChipBus {
    fn drive(&mut self, _model: &mut Model) {}

    fn sample(&mut self, _model: &Model) {}

    fn answer(&mut self, model: &mut Model, _level: Level) -> bool {
        self.levels += 1;
        let now = self.now();
        let (ce_n, shared) = self.inputs(model);
        let early = Inputs { dqs: self.seen.dqs, ..shared };
        let mut outputs = self.bus.pins(now, BusInputs { ce_n, shared: early });
        if shared.dqs != early.dqs {
            let late = now + self.wiring.strobe_shift;
            outputs = self.bus.pins(late, BusInputs { ce_n, shared });
        }
        self.seen = shared;
        let all = u64::MAX >> (u64::BITS - self.busy.len() as u32);
        self.in_use = !ce_n & all != 0;
        self.enabled += u64::from(self.in_use);
        for (way, levels) in self.busy.iter_mut().enumerate() {
            *levels += !outputs.rb_n >> way & 1;
        }
        if let Some(phases) = &mut self.phases {
            phases.level(now, (ce_n & all, &shared), outputs.rb_n & all);
        }
        let before = std::mem::replace(&mut self.driven, outputs);
        if outputs == before {
            return false;
        }
        model.set(self.ports.rb_n, outputs.rb_n);
        // Where nobody drives, a keeper holds the last level.
        if let Some(dq) = outputs.dq {
            model.set(self.ports.dq_in, u64::from(dq));
        }
        if outputs.dqs != before.dqs {
            let level = outputs.dqs == Some(true);
            model.set(self.ports.dqs_in, u64::from(level));
        }
        true
    }
}
