//! The scheduler between firmware, a bus with chips at the level of steps, and a reorder buffer.

use crate::scheduler::bus::{Bus, Times};
use crate::scheduler::chip::Geometry;
use crate::scheduler::operation as op;
use rtl_sim::{tops, Agent, Bench, Input, Model, Output, Pace, Sink, Source, StreamPorts};
use std::collections::{BTreeMap, VecDeque};

pub const WAYS: usize = 8;
/// Requests that a queue of the top holds.
pub const DEPTH: usize = 16;

pub const OUT_OF_ORDER: u64 = 0;
pub const DECOUPLED: u64 = 1;
pub const SEQUENTIAL: u64 = 2;
pub const IN_ORDER: u64 = 3;

const REQUEST_FIELDS: [&str; 16] = [
    "buffer",
    "length",
    "column",
    "row",
    "silent",
    "plain",
    "bypass",
    "metadata",
    "irq_on_error",
    "irq",
    "urgent",
    "stream",
    "tag",
    "way",
    "reserved",
    "operation",
];
const COMPLETION_FIELDS: [&str; 7] =
    ["slot", "tag", "way", "irq", "irq_on_error", "outcome", "value"];

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    Success = 0,
    Failed = 1,
    TimedOut = 3,
    Refused = 4,
}

impl Outcome {
    fn of(number: u64) -> Self {
        [Self::Success, Self::Failed, Self::TimedOut, Self::Refused]
            .into_iter()
            .find(|outcome| *outcome as u64 == number)
            .unwrap_or_else(|| panic!("outcome {number}"))
    }
}

/// A request of firmware. Its place in the order of requests is its `id`, kept as its buffer entry.
#[derive(Clone, Debug)]
pub struct Request {
    pub operation: u8,
    pub way: u32,
    pub row: u32,
    pub column: u32,
    pub length: u32,
    pub urgent: bool,
    pub silent: bool,
    pub reserved: u32,
}

impl Request {
    pub fn new(operation: u8, way: u32, row: u32) -> Self {
        let length = if op::moves_page(operation) { 4096 } else { 0 };
        Self { operation, way, row, column: 0, length, urgent: false, silent: false, reserved: 0 }
    }

    pub fn urgent(self) -> Self {
        Self { urgent: true, ..self }
    }

    /// Fields that carry nothing but have to arrive follow from the id.
    pub fn beat(&self, id: u32) -> Vec<u64> {
        let mix = u64::from(id).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bit = |place: u32| mix >> place & 1;
        vec![
            u64::from(id),
            u64::from(self.length),
            u64::from(self.column),
            u64::from(self.row),
            u64::from(self.silent),
            bit(1),
            bit(2),
            bit(3),
            bit(4),
            bit(5),
            u64::from(self.urgent),
            self.stream(id),
            mix >> 8 & 0xff,
            u64::from(self.way),
            u64::from(self.reserved),
            u64::from(self.operation),
        ]
    }

    /// Whether the intake lets it in.
    pub fn is_good(&self) -> bool {
        let has_data = !op::moves_page(self.operation) || self.length != 0;
        op::known().contains(&self.operation)
            && (self.way as usize) < WAYS
            && self.length % 2 == 0
            && self.reserved == 0
            && has_data
    }

    fn stream(&self, id: u32) -> u64 {
        u64::from(id).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40 & 7
    }
}

/// A step as the bus gets it.
#[derive(Clone, Debug)]
pub struct Step {
    pub operation: u8,
    pub way: u32,
    pub row: u32,
    pub column: u32,
    /// The request.
    pub id: u32,
    /// The request is run to its end by several steps.
    pub whole: bool,
    pub next_plane: bool,
    pub respond: bool,
    pub slot: u64,
    /// The cycle in which it was offered first.
    pub cycle: u64,
    /// Cycles in which the bus could have had a step before.
    pub idle: u64,
}

/// Policies.
#[derive(Clone, Debug)]
pub struct Policy {
    pub model: u64,
    pub merge_planes: bool,
    pub merge_cache_read: bool,
    pub merge_cache_program: bool,
    pub jedec: bool,
    pub low_ways: u64,
    pub busy_timeout: u64,
    pub geometry: Geometry,
    pub times: Times,
    pub request_pace: Pace,
    pub step_pace: Pace,
    pub completion_pace: Pace,
    pub slot_pace: Pace,
}

impl Policy {
    /// Nothing merged, nobody slow.
    pub fn plain(model: u64) -> Self {
        Self {
            model,
            merge_planes: false,
            merge_cache_read: false,
            merge_cache_program: false,
            jedec: false,
            low_ways: WAYS as u64,
            busy_timeout: 0,
            geometry: Geometry { plane_bits: 1, plane_shift: 8, lun_shift: 20 },
            times: Times::plain(),
            request_pace: Pace::Always,
            step_pace: Pace::Always,
            completion_pace: Pace::Always,
            slot_pace: Pace::Always,
        }
    }

    /// All that can be merged is.
    pub fn merging(plane_bits: u32) -> Self {
        Self {
            merge_planes: true,
            merge_cache_read: true,
            merge_cache_program: true,
            geometry: Geometry { plane_bits, plane_shift: 8, lun_shift: 20 },
            ..Self::plain(OUT_OF_ORDER)
        }
    }
}

/// Places in the reorder buffer: 8 streams of 32. A place is free again when its request completed.
struct Slots {
    valid: Output,
    ready: Input,
    stream: Output,
    slot: Input,
    pace: Pace,
    /// The request that holds a place.
    held: BTreeMap<u64, u32>,
    next: [u64; 8],
    offered: Option<u64>,
    /// Streams and ids of the requests that are to come.
    awaited: VecDeque<(u64, u32)>,
}

impl Agent for Slots {
    fn drive(&mut self, model: &mut Model) {
        let place =
            self.awaited.front().map(|(stream, _)| stream << 5 | self.next[*stream as usize]);
        let free = place.filter(|place| !self.held.contains_key(place));
        self.offered = free.filter(|_| self.pace.next());
        model.set(self.ready, u64::from(self.offered.is_some()));
        model.set(self.slot, self.offered.unwrap_or(0xff));
    }

    fn sample(&mut self, model: &Model) {
        if model.get(self.valid) == 0 {
            return;
        }
        let (stream, id) = *self.awaited.front().expect("a request wants a place");
        assert_eq!(model.get(self.stream), stream, "stream of request {id}");
        if let Some(place) = self.offered {
            self.awaited.pop_front();
            self.held.insert(place, id);
            self.next[stream as usize] = (self.next[stream as usize] + 1) % 32;
        }
    }
}

/// The top and all around it.
pub struct Channel {
    bench: Bench,
    requests: Vec<Request>,
    /// Those that are not silent.
    answerable: usize,
    source: Source,
    completions: Sink,
    slots: Slots,
    pub bus: Bus,
    room: Output,
    pending: Output,
    low_ways: Input,
    /// Outcomes by request, silent ones excluded.
    pub outcomes: BTreeMap<u32, Outcome>,
    pub values: BTreeMap<u32, u32>,
}

impl Channel {
    pub fn new(policy: Policy) -> Self {
        let mut bench = Bench::new(&tops::SCHEDULERS);
        for (name, value) in [
            ("model_i", policy.model),
            ("merge_planes_i", u64::from(policy.merge_planes)),
            ("merge_cache_read_i", u64::from(policy.merge_cache_read)),
            ("merge_cache_program_i", u64::from(policy.merge_cache_program)),
            ("jedec_i", u64::from(policy.jedec)),
            ("plane_bits_i", u64::from(policy.geometry.plane_bits)),
            ("plane_shift_i", u64::from(policy.geometry.plane_shift)),
            ("lun_shift_i", u64::from(policy.geometry.lun_shift)),
            ("low_ways_i", policy.low_ways),
            ("busy_timeout_i", policy.busy_timeout),
        ] {
            let port = bench.input(name);
            bench.set(port, value);
        }
        let model = bench.model();
        let ports = |prefix, fields| StreamPorts { prefix, fields, lane: (0, 1) };
        let slots = Slots {
            valid: model.output("slot_valid_o"),
            ready: model.input("slot_ready_i"),
            stream: model.output("slot_stream_o"),
            slot: model.input("slot_i"),
            pace: policy.slot_pace.clone(),
            held: BTreeMap::new(),
            next: [0; 8],
            offered: None,
            awaited: VecDeque::new(),
        };
        Self {
            source: Source::new(
                model,
                ports("request", &REQUEST_FIELDS),
                policy.request_pace.clone(),
            ),
            completions: Sink::new(
                model,
                ports("completion", &COMPLETION_FIELDS),
                policy.completion_pace.clone(),
            ),
            slots,
            bus: Bus::new(model, &policy),
            room: model.output("room_o"),
            pending: model.output("pending_o"),
            low_ways: model.input("low_ways_i"),
            requests: Vec::new(),
            answerable: 0,
            outcomes: BTreeMap::new(),
            values: BTreeMap::new(),
            bench,
        }
    }

    /// Sends a request; returns its id.
    pub fn send(&mut self, request: Request) -> u32 {
        let id = self.requests.len() as u32;
        self.source.push(request.beat(id));
        if !request.silent {
            self.slots.awaited.push_back((request.stream(id), id));
            self.answerable += 1;
        }
        self.bus.expect(&request);
        self.requests.push(request);
        id
    }

    pub fn send_all(&mut self, requests: impl IntoIterator<Item = Request>) {
        for request in requests {
            self.send(request);
        }
    }

    /// The requests sent so far.
    pub fn requests(&self) -> &[Request] {
        &self.requests
    }

    pub fn set_low_ways(&mut self, low_ways: u64) {
        self.bench.set(self.low_ways, low_ways);
    }

    pub fn set_completion_pace(&mut self, pace: Pace) {
        self.completions.set_pace(pace);
    }

    /// Requests that the intake took.
    pub fn accepted(&self) -> u64 {
        self.source.sent()
    }

    pub fn cycles(&self) -> u64 {
        self.bench.cycles()
    }

    pub fn room(&self) -> u64 {
        self.bench.model().get(self.room)
    }

    /// A bit a way that has a request.
    pub fn pending(&self) -> u64 {
        self.bench.model().get(self.pending)
    }

    pub fn cycle(&mut self) {
        self.bus.accepted = self.source.sent() as usize;
        let agents: &mut [&mut dyn Agent] =
            &mut [&mut self.source, &mut self.slots, &mut self.bus, &mut self.completions];
        self.bench.cycle(agents);
        for beat in self.completions.take() {
            self.complete(&beat);
        }
        for (slot, id, outcome) in std::mem::take(&mut self.bus.answered) {
            assert_eq!(self.slots.held.remove(&slot), Some(id), "place of request {id}");
            self.note(id, outcome);
        }
    }

    fn complete(&mut self, beat: &[u64]) {
        let [slot, tag, way, irq, irq_on_error, outcome, value] = beat[..] else { unreachable!() };
        let id = self.slots.held.remove(&slot);
        let id = id.unwrap_or_else(|| panic!("completion of nobody: {beat:?}"));
        let sent = self.requests[id as usize].beat(id);
        assert_eq!([irq_on_error, irq, tag, way], [sent[8], sent[9], sent[12], sent[13]]);
        self.note(id, Outcome::of(outcome));
        self.values.insert(id, value as u32);
    }

    fn note(&mut self, id: u32, outcome: Outcome) {
        assert_eq!(self.outcomes.insert(id, outcome), None, "request {id} completed twice");
        self.bus.close(id);
    }

    /// Runs until every request has ended, and the bus is idle.
    ///
    /// # Panics
    /// If that takes longer than `limit` cycles.
    pub fn finish(&mut self, limit: u64) {
        let end = self.cycles() + limit;
        while !self.is_done() {
            self.cycle();
            assert!(self.cycles() < end, "stuck: {}", self.what_is_open());
        }
        for _ in 0..40 {
            self.cycle();
        }
        assert!(self.is_done() && self.bus.occupied == 0, "a way is still occupied");
        for (way, chip) in self.bus.chips.iter().enumerate() {
            assert!(chip.is_at_rest(), "way {way} is in the middle of an operation");
        }
    }

    fn is_done(&self) -> bool {
        self.source.is_empty()
            && self.outcomes.len() == self.answerable
            && self.bus.is_idle()
            && (self.answerable == self.requests.len() || self.bus.is_quiet(self.cycles()))
    }

    fn what_is_open(&self) -> String {
        let open: Vec<String> = (0..self.requests.len() as u32)
            .filter(|id| !self.outcomes.contains_key(id) && !self.requests[*id as usize].silent)
            .take(8)
            .map(|id| format!("{id}: {:?}", self.requests[id as usize]))
            .collect();
        format!("{} taken, open {open:#?}", self.source.sent())
    }

    /// The outcome of a request.
    pub fn outcome(&self, id: u32) -> Option<Outcome> {
        self.outcomes.get(&id).copied()
    }

    /// The steps of the bus so far: operation, way and request.
    pub fn log(&self) -> Vec<(u8, u32, u32)> {
        self.bus.log.iter().map(|step| (step.operation, step.way, step.id)).collect()
    }
}
