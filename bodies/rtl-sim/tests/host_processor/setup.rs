//! The block with a master, and the other sides of all its streams.

use ::registers::host as registers;
use ::registers::{Field, Register};
use rtl_sim::{
    tops, Access, Agent, AxiLite, Bench, Model, Output, Pace, Probe, Random, Sink, Source,
    StreamPorts,
};

/// Tags of the top.
pub const TAGS: u64 = 256;

/// Keeps the values of ports from each cycle in which the first one is up.
pub struct Watch {
    ports: Vec<Output>,
    seen: Vec<Vec<u64>>,
}

impl Watch {
    fn new(bench: &Bench, valid: &str, values: &[&str]) -> Self {
        let names = std::iter::once(&valid).chain(values);
        Self { ports: names.map(|name| bench.output(name)).collect(), seen: Vec::new() }
    }

    /// What came since the last call.
    pub fn take(&mut self) -> Vec<Vec<u64>> {
        std::mem::take(&mut self.seen)
    }
}

impl Agent for Watch {
    fn drive(&mut self, _model: &mut Model) {}

    fn sample(&mut self, model: &Model) {
        if model.get(self.ports[0]) == 1 {
            self.seen.push(self.ports[1..].iter().map(|port| model.get(*port)).collect());
        }
    }
}

/// The block and all that hangs on it.
pub struct Setup {
    pub bench: Bench,
    pub master: AxiLite,
    pub events: Source,
    pub completions: Sink,
    pub submission_queues: Sink,
    pub completion_queues: Sink,
    pub requests: Sink,
    pub ends: Source,
    pub irq: Probe,
    pub ready: Watch,
    pub shutdown_done: Watch,
    pub fatal: Watch,
    pub weights: Watch,
    pub coalescing: Watch,
    pub forbid: Watch,
}

impl Setup {
    fn new(master: impl FnOnce(&Bench) -> AxiLite) -> Self {
        let bench = Bench::new(&tops::PROCESSOR_MONITOR);
        let ports = |prefix, fields| StreamPorts { prefix, fields, lane: (0, 1) };
        let sink = |prefix, fields| Sink::new(bench.model(), ports(prefix, fields), Pace::Always);
        let source =
            |prefix, fields| Source::new(bench.model(), ports(prefix, fields), Pace::Always);
        let submission = &["create", "id", "size", "page", "completion", "priority"];
        let completion = &["create", "id", "size", "page", "interrupts", "vector"];
        let request =
            &["tag", "direction", "pointer", "host_offset", "length", "command_length", "memory"];
        let mut setup = Self {
            master: master(&bench),
            events: source("event", &["kind", "code", "tag", "id"]),
            completions: sink("completion", &["tag", "status", "result"]),
            submission_queues: sink("submission_queue", submission),
            completion_queues: sink("completion_queue", completion),
            requests: sink("request", request),
            ends: source("done", &["tag", "direction", "fault"]),
            irq: Probe::new(bench.output("irq_o")),
            ready: Watch::new(&bench, "ready_valid_o", &["ready_o"]),
            shutdown_done: Watch::new(&bench, "shutdown_done_o", &[]),
            fatal: Watch::new(&bench, "fatal_o", &[]),
            weights: Watch::new(&bench, "weights_valid_o", &["weights_o"]),
            coalescing: Watch::new(&bench, "coalescing_valid_o", &["coalescing_o"]),
            forbid: Watch::new(&bench, "forbid_valid_o", &["forbid_vector_o", "forbid_o"]),
            bench,
        };
        setup.set("store_ready_i", 1);
        setup
    }

    pub fn willing() -> Self {
        Self::new(|bench| AxiLite::new(bench.model()))
    }

    pub fn at_any_pace(random: &mut Random) -> Self {
        Self::new(|bench| AxiLite::at_any_pace(bench.model(), random))
    }

    pub fn cycle(&mut self) {
        let Self {
            bench,
            master,
            events,
            completions,
            submission_queues,
            completion_queues,
            requests,
            ends,
            irq,
            ready,
            shutdown_done,
            fatal,
            weights,
            coalescing,
            forbid,
        } = self;
        let streams: [&mut dyn Agent; 7] =
            [master, events, completions, submission_queues, completion_queues, requests, ends];
        let pulses: [&mut dyn Agent; 7] =
            [irq, ready, shutdown_done, fatal, weights, coalescing, forbid];
        let mut agents: Vec<&mut dyn Agent> = streams.into_iter().chain(pulses).collect();
        bench.cycle(&mut agents);
    }

    pub fn run(&mut self, cycles: u32) {
        (0..cycles).for_each(|_| self.cycle());
    }

    fn until<T>(&mut self, mut ended: impl FnMut(&mut AxiLite) -> Option<T>) -> T {
        for _ in 0..2_000 {
            self.cycle();
            if let Some(result) = ended(&mut self.master) {
                return result;
            }
        }
        panic!("no response in 2,000 cycles");
    }

    pub fn write_bytes(&mut self, address: u32, data: u32, strobes: u8) -> Access {
        self.master.write_bytes(address, data, strobes);
        self.until(|master| master.take_written().pop())
    }

    pub fn write_word(&mut self, address: u32, data: u32) {
        assert_eq!(self.write_bytes(address, data, 0xf), Access::Okay, "write of {address:#05x}");
    }

    pub fn write(&mut self, register: Register, data: u32) {
        self.write_word(register.offset, data);
    }

    /// Writes a register with these values in its fields, and zeros elsewhere.
    pub fn write_fields(&mut self, register: Register, values: &[(Field, u32)]) {
        let mut word = [0];
        values.iter().for_each(|(field, value)| field.set(&mut word, *value));
        self.write(register, word[0]);
    }

    pub fn access(&mut self, address: u32) -> (u32, Access) {
        self.master.read(address);
        self.until(|master| master.take_read().pop())
    }

    pub fn read_word(&mut self, address: u32) -> u32 {
        let (data, access) = self.access(address);
        assert_eq!(access, Access::Okay, "read of {address:#05x}");
        data
    }

    pub fn read(&mut self, register: Register) -> u32 {
        self.read_word(register.offset)
    }

    pub fn field(&mut self, register: Register, field: Field) -> u32 {
        field.get(&[self.read(register)])
    }

    pub fn set(&mut self, port: &str, value: u64) {
        let port = self.bench.input(port);
        self.bench.set(port, value);
    }

    pub fn get(&mut self, port: &str) -> u64 {
        let port = self.bench.output(port);
        self.bench.get(port)
    }

    /// An input is up for one cycle.
    pub fn pulse(&mut self, port: &str) {
        self.set(port, 1);
        self.cycle();
        self.set(port, 0);
    }

    /// A tag is fetched.
    pub fn fetch(&mut self, tag: u64) {
        self.set("fetched_tag_i", tag);
        self.pulse("fetched_valid_i");
    }

    pub fn interrupts(&mut self) -> u32 {
        self.read(registers::interrupt_status::REGISTER)
    }
}
