//! One who gives steps to the bus, and the chips on its pins.

use crate::bus::operation::Operation;
use channel::BusSettings;
use contract::Duration;
use nand::onfi::{Chip, Config, Interface, Timing};
use rtl_sim::{
    tops, Agent, Bench, ChipBus, ChipSettings, Model, Output, Pace, Random, Sink, Source,
    StreamPorts, Wiring,
};
use std::collections::BTreeSet;

/// Chips on the bus of the top `bus_of_pins`.
pub const WAYS: usize = 4;

/// A data interface at a clock.
#[derive(Clone, Copy, Debug)]
pub struct Speed {
    pub interface: Interface,
    pub timing: fn() -> Timing,
    pub period: Duration,
    pub row_cycles: usize,
}

/// The speeds that tests go through.
pub const SPEEDS: [Speed; 5] = [
    Speed {
        interface: Interface::Sdr,
        timing: Timing::sdr_mode_5,
        period: Duration::from_ns(10),
        row_cycles: 3,
    },
    Speed {
        interface: Interface::Sdr,
        timing: Timing::sdr_mode_5,
        period: Duration::from_ns(6),
        row_cycles: 4,
    },
    Speed {
        interface: Interface::Sdr,
        timing: Timing::sdr_mode_3,
        period: Duration::from_ns(31),
        row_cycles: 3,
    },
    Speed {
        interface: Interface::Ddr,
        timing: Timing::nv_ddr2_mode_4,
        period: Duration::from_ns(10),
        row_cycles: 4,
    },
    NV_DDR2_333,
];

/// 333 MT/s.
pub const NV_DDR2_333: Speed = Speed {
    interface: Interface::Ddr,
    timing: Timing::nv_ddr2_mode_6,
    period: Duration::from_ns(6),
    row_cycles: 3,
};

/// A turn on the bus.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub operation: Operation,
    pub way: usize,
    pub row: u32,
    pub column: u16,
    pub length: usize,
    pub next_plane: bool,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    pub cycle: u64,
    pub way: u64,
    pub timed_out: bool,
    pub value: u32,
    /// Which ways are ready by then, a bit each.
    pub ready: u64,
}

/// When the other sides of the streams are willing.
#[derive(Clone, Debug)]
pub struct Paces {
    pub open: Pace,
    pub write: Pace,
    pub read: Pace,
}

pub struct Host {
    pub bench: Bench,
    pub chips: ChipBus,
    pub settings: BusSettings,
    /// Operations that were asked for.
    pub used: BTreeSet<Operation>,
    steps: Source,
    opens: Sink,
    write: Source,
    pub read: Sink,
    watch: Watch,
}

/// Keeps how steps end, and which ways are ready.
struct Watch {
    valid: Output,
    way: Output,
    timed_out: Output,
    value: Output,
    abort: Output,
    ready: Output,
    cycle: u64,
    done: Vec<Done>,
    aborts: u64,
    ready_now: u64,
    /// How often each way became ready.
    became_ready: [u64; WAYS],
}

impl Step {
    pub fn new(operation: Operation, way: usize) -> Self {
        Self { operation, way, row: 0, column: 0, length: 0, next_plane: false }
    }

    pub fn row(self, row: u32) -> Self {
        Self { row, ..self }
    }

    pub fn column(self, column: u16) -> Self {
        Self { column, ..self }
    }

    pub fn length(self, length: usize) -> Self {
        Self { length, ..self }
    }

    fn beat(&self) -> Vec<u64> {
        vec![
            self.operation as u64,
            self.way as u64,
            u64::from(self.row),
            u64::from(self.column),
            u64::from(self.next_plane),
            self.length as u64,
        ]
    }
}

impl Paces {
    pub fn always() -> Self {
        Self { open: Pace::Always, write: Pace::Always, read: Pace::Always }
    }

    pub fn any(random: &mut Random) -> Self {
        Self { open: Pace::any(random), write: Pace::any(random), read: Pace::any(random) }
    }
}

impl Speed {
    /// A small chip at that speed.
    pub fn chip(&self, way: usize) -> Config {
        let mut config = Config::small(self.interface, (self.timing)());
        config.rows.cycles = self.row_cycles;
        config.seed = way as u64;
        config
    }
}

impl Host {
    pub fn new(speed: Speed, paces: Paces) -> Self {
        let mut bench = Bench::new(&tops::BUS_OF_PINS);
        let chips = (0..WAYS).map(|way| Chip::new(speed.chip(way))).collect();
        let chips = ChipBus::new(bench.model(), chips, Wiring::new(speed.period));
        let settings = BusSettings::of(&speed.chip(0), speed.period);
        settings.drive(&mut bench, "config_i");
        let model = bench.model();
        let ports = |prefix, fields| StreamPorts { prefix, fields, lane: (0, 1) };
        let step_fields = &["operation", "way", "row", "column", "next_plane", "length"];
        let mut host = Self {
            steps: Source::new(model, ports("step", step_fields), Pace::Always),
            opens: Sink::new(model, ports("open", &["operation", "way"]), paces.open),
            write: Source::new(model, ports("write", &["data"]), paces.write),
            read: Sink::new(model, ports("read", &["data", "last"]), paces.read),
            watch: Watch::new(model),
            bench,
            chips,
            settings,
            used: BTreeSet::new(),
        };
        // The first command waits until WP# has been high long enough, and the chips' R/B# has to
        // come through.
        host.idle(4);
        host
    }

    /// Changes the longest pause of data, in units of 16 cycles.
    pub fn set_data_timeout(&mut self, units: u16) {
        self.settings.data_timeout = units;
        self.settings.drive(&mut self.bench, "config_i");
    }

    /// So many cycles.
    pub fn idle(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.bench.cycle(&mut [
                &mut self.chips,
                &mut self.steps,
                &mut self.opens,
                &mut self.write,
                &mut self.read,
                &mut self.watch,
            ]);
        }
    }

    /// Asks for a step.
    pub fn ask(&mut self, step: Step) {
        self.used.insert(step.operation);
        self.steps.push(step.beat());
    }

    /// Gives bytes that steps send.
    pub fn give(&mut self, bytes: &[u8]) {
        let words = bytes.chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        self.write.push_all(words.map(|word| vec![u64::from(word)]));
    }

    /// Waits for so many steps to end.
    pub fn finish(&mut self, steps: usize) -> Vec<Done> {
        let limit = self.bench.cycles() + 400_000;
        while self.watch.done.len() < steps {
            self.idle(1);
            assert!(self.bench.cycles() < limit, "stuck");
        }
        assert_eq!(self.watch.done.len(), steps, "steps that ended");
        std::mem::take(&mut self.watch.done)
    }

    /// Runs a step, and waits for its way to be ready if it does not move data.
    pub fn run(&mut self, step: Step) -> Done {
        self.ask(step);
        let done = self.finish(1)[0];
        assert_eq!(done.way, step.way as u64);
        assert!(!done.timed_out, "{step:?}: timed out");
        done
    }

    /// Runs a step, then waits for its way.
    pub fn run_busy(&mut self, step: Step) -> Done {
        let before = self.watch.became_ready[step.way];
        let done = self.run(step);
        assert_eq!(self.ready() >> step.way & 1, 0, "{step:?}: ready right behind its command");
        self.await_ready(step.way);
        self.idle(50);
        let times = self.watch.became_ready[step.way] - before;
        assert_eq!(times, 1, "{step:?}: became ready so many times");
        done
    }

    /// Runs a step that sends bytes.
    pub fn send(&mut self, step: Step, bytes: &[u8]) {
        self.give(bytes);
        self.run(step.length(bytes.len()));
    }

    /// The same, then waits for its way.
    pub fn send_busy(&mut self, step: Step, bytes: &[u8]) {
        self.give(bytes);
        self.run_busy(step.length(bytes.len()));
    }

    /// Runs a step that brings bytes.
    pub fn fetch(&mut self, step: Step, length: usize) -> Vec<u8> {
        self.run(step.length(length));
        self.take(length)
    }

    /// The bytes that one step brought.
    pub fn take(&mut self, length: usize) -> Vec<u8> {
        let words: Vec<_> = self.read.take();
        assert_eq!(words.len(), length / 2, "words read");
        for (at, word) in words.iter().enumerate() {
            assert_eq!(word[1] == 1, at + 1 == words.len(), "word {at}: last");
        }
        words.iter().flat_map(|word| (word[0] as u16).to_le_bytes()).collect()
    }

    pub fn await_ready(&mut self, way: usize) {
        let limit = self.bench.cycles() + 50_000;
        while self.ready() >> way & 1 == 0 {
            self.idle(1);
            assert!(self.bench.cycles() < limit, "way {way} is busy for ever");
        }
    }

    /// Which ways are ready, a bit each.
    pub fn ready(&self) -> u64 {
        self.watch.ready_now
    }

    /// Aborts that were told.
    pub fn aborts(&self) -> u64 {
        self.watch.aborts
    }

    /// Steps that were announced, each an operation and a way.
    pub fn opened(&self) -> &[Vec<u64>] {
        self.opens.received()
    }

    /// A row, of plane and block together.
    pub fn row(&self, lun: u32, block: u32, page: u32) -> u32 {
        self.chips.chip(0).config().rows.row(lun, block, page)
    }

    pub fn page_bytes(&self) -> usize {
        self.chips.chip(0).config().page_bytes()
    }
}

impl Watch {
    fn new(model: &Model) -> Self {
        Self {
            valid: model.output("done_valid_o"),
            way: model.output("done_way_o"),
            timed_out: model.output("done_timed_out_o"),
            value: model.output("done_value_o"),
            abort: model.output("abort_o"),
            ready: model.output("ready_o"),
            cycle: 0,
            done: vec![],
            aborts: 0,
            ready_now: 0,
            became_ready: [0; WAYS],
        }
    }
}

impl Agent for Watch {
    fn drive(&mut self, _: &mut Model) {}

    fn sample(&mut self, model: &Model) {
        let ready = model.get(self.ready);
        if model.get(self.valid) == 1 {
            self.done.push(Done {
                cycle: self.cycle,
                way: model.get(self.way),
                timed_out: model.get(self.timed_out) == 1,
                value: model.get(self.value) as u32,
                ready,
            });
        }
        self.aborts += model.get(self.abort);
        for (way, times) in self.became_ready.iter_mut().enumerate() {
            *times += (ready & !self.ready_now) >> way & 1;
        }
        self.ready_now = ready;
        self.cycle += 1;
    }
}
