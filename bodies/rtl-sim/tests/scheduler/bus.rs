//! The bus: takes a step, is busy with it, and says that it is done. The way is busy from then on.

use crate::scheduler::channel::{Outcome, Policy, Request, Step, WAYS};
use crate::scheduler::chip::{Busy, Chip};
use crate::scheduler::operation as op;
use rtl_sim::{Agent, Input, Model, Output, Pace, Random};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// How long steps and chips take, in cycles.
#[derive(Clone, Debug)]
pub struct Times {
    pub command: u64,
    pub data: u64,
    pub short: u64,
    pub read: u64,
    pub program: u64,
    pub erase: u64,
    /// Makes each time up to twice as long.
    pub jitter: Option<Random>,
}

impl Times {
    pub fn plain() -> Self {
        let (command, data, short) = (30, 600, 20);
        Self { command, data, short, read: 1000, program: 8000, erase: 20_000, jitter: None }
    }

    fn any(&mut self, time: u64) -> u64 {
        time + self.jitter.as_mut().map_or(0, |random| random.below(time + 1))
    }

    fn of(&self, busy: Busy) -> u64 {
        match busy {
            Busy::No => 0,
            Busy::Short => self.short,
            Busy::Read => self.read,
            Busy::Program => self.program,
            Busy::Erase => self.erase,
        }
    }
}

/// What a request was sent with.
struct Expected {
    request: Request,
    taken: u64,
}

/// The bus and its chips.
pub struct Bus {
    valid: Output,
    ready: Input,
    fields: BTreeMap<&'static str, Output>,
    done_valid: Input,
    done_way: Input,
    done_timed_out: Input,
    done_value: Input,
    chips_ready: Input,
    times: Times,
    pace: Pace,
    willing: bool,
    pub chips: Vec<Chip>,
    /// Until when each chip is busy.
    busy_until: [u64; WAYS],
    /// The step on the bus, when it ends, how long its way is busy then, and its value.
    current: Option<(Step, u64, Busy, u32)>,
    /// What is driven at the end of a step.
    ending: bool,
    cycle: u64,
    /// Cycles since when the bus could have had a step: it was free, and so long was a way ready.
    free_since: u64,
    ready_since: [u64; WAYS],
    offered_since: Option<u64>,
    expected: Vec<Expected>,
    /// Requests of a way and class that have not left their queue.
    queues: BTreeMap<(u32, bool), VecDeque<u32>>,
    pub accepted: usize,
    occupied_ways: Output,
    /// Ways that have an operation, now, and the most of them so far.
    pub occupied: u64,
    pub most_occupied: u32,
    pub log: Vec<Step>,
    /// Completions by page_path: place, request, outcome.
    pub answered: Vec<(u64, u32, Outcome)>,
    /// Requests whose data never come or go.
    pub dead: BTreeSet<u32>,
    /// Steps go to no chip; each keeps its way busy for a short time.
    pub ignores_chips: bool,
    /// A request of the operation of each way.
    pub begun: [Option<u32>; WAYS],
    in_order: bool,
    jedec: bool,
}

const STEP_FIELDS: [&str; 15] = [
    "operation",
    "way",
    "row",
    "column",
    "length",
    "buffer",
    "next_plane",
    "plain",
    "bypass",
    "metadata",
    "respond",
    "slot",
    "tag",
    "irq",
    "irq_on_error",
];

impl Bus {
    pub fn new(model: &Model, policy: &Policy) -> Self {
        Self {
            valid: model.output("step_valid_o"),
            ready: model.input("step_ready_i"),
            fields: STEP_FIELDS
                .iter()
                .map(|name| (*name, model.output(&format!("step_{name}_o"))))
                .collect(),
            done_valid: model.input("done_valid_i"),
            done_way: model.input("done_way_i"),
            done_timed_out: model.input("done_timed_out_i"),
            done_value: model.input("done_value_i"),
            chips_ready: model.input("ready_i"),
            times: policy.times.clone(),
            pace: policy.step_pace.clone(),
            willing: false,
            chips: (0..WAYS).map(|_| Chip::new(policy.geometry)).collect(),
            busy_until: [0; WAYS],
            current: None,
            ending: false,
            cycle: 0,
            free_since: 0,
            ready_since: [0; WAYS],
            offered_since: None,
            expected: Vec::new(),
            queues: BTreeMap::new(),
            accepted: 0,
            occupied_ways: model.output("occupied_o"),
            occupied: 0,
            most_occupied: 0,
            log: Vec::new(),
            answered: Vec::new(),
            dead: BTreeSet::new(),
            ignores_chips: false,
            begun: [None; WAYS],
            in_order: policy.model != crate::scheduler::channel::OUT_OF_ORDER,
            jedec: policy.jedec,
        }
    }

    pub fn expect(&mut self, request: &Request) {
        let id = self.expected.len() as u32;
        if request.is_good() && !request.silent {
            self.queues.entry(self.queue_of(request)).or_default().push_back(id);
        }
        self.expected.push(Expected { request: request.clone(), taken: u64::MAX });
    }

    /// Lets a chip be busy until then, whatever it does.
    pub fn keep_busy(&mut self, way: usize, until: u64) {
        self.busy_until[way] = until;
    }

    pub fn is_idle(&self) -> bool {
        self.current.is_none() && self.offered_since.is_none()
    }

    /// Whether nothing has happened for long enough that nothing will.
    pub fn is_quiet(&self, now: u64) -> bool {
        let last = self.busy_until.iter().copied().max().unwrap_or(0).max(self.free_since);
        self.is_idle() && now > last + 100
    }

    fn get(&self, model: &Model, field: &str) -> u64 {
        model.get(self.fields[field])
    }

    fn read_step(&self, model: &Model) -> Step {
        let number = |field| self.get(model, field) as u32;
        let flag = |field| self.get(model, field) == 1;
        Step {
            operation: number("operation") as u8,
            way: number("way"),
            row: number("row"),
            column: number("column"),
            id: number("buffer"),
            whole: op::is_whole(self.expected[number("buffer") as usize].request.operation),
            next_plane: flag("next_plane"),
            respond: flag("respond"),
            slot: self.get(model, "slot"),
            cycle: self.cycle,
            idle: 0,
        }
    }

    /// The step carries what its request was sent with.
    fn check_fields(&self, model: &Model, step: &Step) {
        let request = &self.expected[step.id as usize].request;
        let sent = request.beat(step.id);
        let raw = [op::READ_ID, op::READ_PARAMETER_PAGE, op::READ_UNIQUE_ID];
        let raw = raw.contains(&request.operation);
        let wants = [
            ("length", sent[1]),
            ("column", sent[2]),
            ("row", sent[3]),
            ("plain", if raw { 1 } else { sent[5] }),
            ("bypass", if raw { 1 } else { sent[6] }),
            ("metadata", if raw { 0 } else { sent[7] }),
            ("irq_on_error", sent[8]),
            ("irq", sent[9]),
            ("tag", sent[12]),
            ("way", sent[13]),
        ];
        for (name, wanted) in wants {
            assert_eq!(self.get(model, name), wanted, "{name} of {step:?}");
        }
        let answers = op::brings_data(step.operation) && !request.silent;
        let answers = answers && step.operation != op::FEATURES_TRANSFER;
        assert_eq!(step.respond, answers, "respond of {step:?}");
    }

    fn begin(&mut self, model: &Model) {
        let mut step = self.read_step(model);
        step.cycle = self.offered_since.expect("it was offered");
        self.check_fields(model, &step);
        let way = step.way as usize;
        let busy = self.busy_until[way] > step.cycle;
        assert!(!busy || op::works_when_busy(step.operation), "{step:?} to a busy way");
        step.idle = step.cycle.saturating_sub(self.could_begin());
        let is_dead = self.dead.contains(&step.id) && step.operation >= 0x40;
        let (busy, value) = match (is_dead, self.ignores_chips) {
            (true, _) => (Busy::No, 0),
            (_, true) => (Busy::Short, 0),
            _ => self.chips[way].step(&step),
        };
        self.begun[way] = Some(step.id);
        if step.next_plane {
            assert!(self.jedec && (op::PROGRAM_PAGE..=op::PROGRAM_CACHE).contains(&step.operation));
        }
        let time =
            if op::moves_page(step.operation) { self.times.data } else { self.times.command };
        let end = self.cycle + self.times.any(time);
        self.log.push(step.clone());
        self.current = Some((step, end, busy, value));
        self.offered_since = None;
    }

    /// The first cycle in which the bus was free and a way could go on.
    fn could_begin(&self) -> u64 {
        let first = (0..WAYS).map(|way| self.way_could(way)).min().unwrap_or(u64::MAX);
        first.max(self.free_since)
    }

    /// Since when the way has a step. A request counts some cycles after it was taken.
    fn way_could(&self, way: usize) -> u64 {
        const VISITS: u64 = 150;
        let heads = [true, false]
            .into_iter()
            .filter_map(|urgent| self.queues.get(&(way as u32, urgent))?.front());
        let taken = heads.map(|id| self.expected[*id as usize].taken).min();
        match taken {
            Some(taken) if taken != u64::MAX => self.ready_since[way].max(taken + VISITS),
            _ => u64::MAX,
        }
    }

    /// The request leaves its queue.
    pub fn close(&mut self, id: u32) {
        let request = &self.expected[id as usize].request;
        if request.is_good() {
            let queue = self.queues.get_mut(&self.queue_of(request)).expect("it has a queue");
            assert_eq!(queue.pop_front(), Some(id), "request leaves out of its turn: {request:?}");
        }
    }

    fn queue_of(&self, request: &Request) -> (u32, bool) {
        (request.way, request.urgent && !self.in_order)
    }

    fn note_taken(&mut self) {
        let cycle = self.cycle;
        let taken = self.expected[..self.accepted].iter_mut().rev();
        taken.take_while(|sent| sent.taken == u64::MAX).for_each(|sent| sent.taken = cycle);
    }
}

impl Agent for Bus {
    fn drive(&mut self, model: &mut Model) {
        self.willing = self.current.is_none() && self.pace.next();
        model.set(self.ready, u64::from(self.willing));
        self.ending = self.current.as_ref().is_some_and(|(_, end, ..)| *end <= self.cycle);
        model.set(self.done_valid, u64::from(self.ending));
        if self.ending {
            let (step, _, busy, value) = self.current.take().expect("a step ends");
            let way = step.way as usize;
            let is_dead = self.dead.contains(&step.id) && step.operation >= 0x40;
            model.set(self.done_way, u64::from(step.way));
            model.set(self.done_timed_out, u64::from(is_dead));
            model.set(self.done_value, u64::from(value));
            let time = self.times.of(busy);
            let until = self.cycle + self.times.any(time);
            self.busy_until[way] = self.busy_until[way].max(until);
            self.ready_since[way] = self.busy_until[way];
            self.free_since = self.cycle;
            if step.respond {
                let outcome = if is_dead { Outcome::TimedOut } else { Outcome::Success };
                self.answered.push((step.slot, step.id, outcome));
            }
            if is_dead {
                self.chips[way].abandon();
            }
        }
        let ready = (0..WAYS).filter(|way| self.busy_until[*way] <= self.cycle);
        model.set(self.chips_ready, ready.map(|way| 1 << way).sum());
    }

    fn sample(&mut self, model: &Model) {
        self.note_taken();
        self.occupied = model.get(self.occupied_ways);
        self.most_occupied = self.most_occupied.max(self.occupied.count_ones());
        for (way, begun) in self.begun.iter_mut().enumerate() {
            *begun = begun.filter(|_| self.occupied >> way & 1 == 1);
        }
        if model.get(self.valid) == 1 {
            self.offered_since.get_or_insert(self.cycle);
            if self.willing {
                self.begin(model);
            }
        }
        self.cycle += 1;
    }
}
