//! A whole flash channel on its pins: requests in, responses out.

use crate::bench::Bench;
use crate::bus_timing::BusTiming;
use crate::chips::{ChipBus, Wiring};
use crate::stream::{Pace, Sink, Source, StreamPorts};
use crate::{tops, DataBuffer, Paces};
use contract::Duration;
use nand::onfi::Chip;

/// The top `flash_core_pins` with chips, a data buffer and somebody who asks.
pub struct Channel {
    bench: Bench,
    requests: Source,
    responses: Sink,
    /// The data buffer.
    pub buffer: DataBuffer,
    /// The chips, one a way.
    pub chips: ChipBus,
}

/// What a channel is made of.
pub struct Setup {
    /// A cycle of the clock.
    pub period: Duration,
    /// The chips, one a way.
    pub chips: Vec<Chip>,
    /// The registers of the bus.
    pub bus: BusTiming,
    /// The registers of the scheduler.
    pub policy: Policy,
    /// Entries of the data buffer and bytes of each.
    pub buffer: (usize, usize),
    /// How willing the buffer is.
    pub buffer_paces: Paces,
    /// How willing requests come and responses are taken.
    pub paces: (Pace, Pace),
    /// Longest pause of a data stream, in units of 16 cycles; 0 is for ever.
    pub data_timeout: u16,
}

/// Execution model of a channel, `model_e`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExecutionModel {
    /// Ways are independent.
    OutOfOrder = 0,
    /// Initiations in order, completions in order.
    Decoupled = 1,
    /// One operation at a time.
    Sequential = 2,
    /// One step at a time, as firmware sends them.
    InOrder = 3,
}

/// `scheduler_config_t`.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// The execution model.
    pub model: ExecutionModel,
    /// Whole operations on other planes go together.
    pub merge_planes: bool,
    /// Reads that follow each other use cache mode.
    pub merge_cache_read: bool,
    /// Programs likewise.
    pub merge_cache_program: bool,
    /// JEDEC instead of ONFI multi-plane commands.
    pub jedec: bool,
    /// Planes of a LUN, as a power of two.
    pub plane_bits: u8,
    /// Lowest bit of the plane in a row.
    pub plane_shift: u8,
    /// Lowest bit of the LUN in a row.
    pub lun_shift: u8,
    /// F-RSVP(l).
    pub low_ways: u8,
    /// Longest busy time, in units of 256 cycles; 0 is for ever.
    pub busy_timeout: u16,
}

/// `request_t`: what a channel is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // `flash_pkg.sv` says what they are.
pub struct Request {
    pub operation: u8,
    pub way: u8,
    pub tag: u8,
    pub stream: u8,
    pub urgent: bool,
    pub irq: bool,
    pub irq_on_error: bool,
    pub metadata: bool,
    pub bypass: bool,
    pub plain: bool,
    pub silent: bool,
    pub row: u32,
    pub column: u16,
    pub length: u16,
    pub buffer: u16,
    pub spare: u32,
}

/// `response_t`: how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // `flash_pkg.sv` says what they are.
pub struct Response {
    pub tag: u8,
    pub way: u8,
    pub stream: u8,
    pub outcome: u8,
    pub irq_pending: bool,
    pub erased: bool,
    pub corrected: u16,
    pub most: u8,
    pub lost: u8,
    pub value: u32,
    /// Cycle in which it came.
    pub cycle: u64,
}

const REQUEST_FIELDS: [&str; 16] = [
    "operation",
    "way",
    "tag",
    "stream",
    "urgent",
    "irq",
    "irq_on_error",
    "metadata",
    "bypass",
    "plain",
    "silent",
    "row",
    "column",
    "length",
    "buffer",
    "spare",
];

const RESPONSE_FIELDS: [&str; 10] = [
    "tag",
    "way",
    "stream",
    "outcome",
    "irq_pending",
    "erased",
    "corrected",
    "most",
    "lost",
    "value",
];

impl Channel {
    /// Ways of the top.
    pub const WAYS: usize = 8;

    /// A channel after reset. Ways beyond the chips are empty.
    pub fn new(setup: Setup) -> Self {
        let mut bench = Bench::new(&tops::FLASH_CORE_PINS);
        let policy = setup.policy;
        for (name, value) in [
            ("model", policy.model as u64),
            ("merge_planes", policy.merge_planes.into()),
            ("merge_cache_read", policy.merge_cache_read.into()),
            ("merge_cache_program", policy.merge_cache_program.into()),
            ("jedec", policy.jedec.into()),
            ("plane_bits", policy.plane_bits.into()),
            ("plane_shift", policy.plane_shift.into()),
            ("lun_shift", policy.lun_shift.into()),
            ("low_ways", policy.low_ways.into()),
            ("busy_timeout", policy.busy_timeout.into()),
            ("ddr", setup.bus.ddr.into()),
            ("long_row", 0),
            ("data_timeout", setup.data_timeout.into()),
        ] {
            let port = bench.input(&format!("config_{name}_i"));
            bench.set(port, value);
        }
        let waits = bench.input("config_waits_i");
        for (index, &wait) in setup.bus.waits.iter().enumerate() {
            bench.set(waits.lane(index as u32, setup.bus.waits.len() as u32), wait.into());
        }
        let model = bench.model();
        let stream = |prefix, fields| StreamPorts { prefix, fields, lane: (0, 1) };
        Self {
            requests: Source::new(model, stream("request", &REQUEST_FIELDS), setup.paces.0),
            responses: Sink::new(model, stream("response", &RESPONSE_FIELDS), setup.paces.1),
            buffer: DataBuffer::new(model, setup.buffer.0, setup.buffer.1, setup.buffer_paces),
            chips: ChipBus::new(model, setup.chips, Wiring::new(setup.period)),
            bench,
        }
    }

    /// The bench, to look at outputs.
    pub fn bench(&mut self) -> &mut Bench {
        &mut self.bench
    }

    /// Queues a request before the channel.
    pub fn submit(&mut self, request: Request) {
        let r = request;
        let flags = [r.urgent, r.irq, r.irq_on_error, r.metadata, r.bypass, r.plain, r.silent];
        let mut beat = vec![r.operation.into(), r.way.into(), r.tag.into(), r.stream.into()];
        beat.extend(flags.map(u64::from));
        beat.extend([r.row.into(), r.column.into(), r.length.into()]);
        beat.extend([r.buffer.into(), r.spare.into()]);
        self.requests.push(beat);
    }

    /// Requests that the channel took.
    pub fn taken(&self) -> u64 {
        self.requests.sent()
    }

    /// Runs for a cycle. Responses that came in it, mostly none.
    pub fn cycle(&mut self) -> Vec<Response> {
        let Self { bench, requests, responses, buffer, chips } = self;
        bench.cycle(&mut [requests, responses, buffer, chips]);
        let cycle = bench.cycles();
        if responses.received().is_empty() {
            return Vec::new();
        }
        responses.take().into_iter().map(|beat| Response::new(&beat, cycle)).collect()
    }
}

impl Response {
    fn new(beat: &[u64], cycle: u64) -> Self {
        Self {
            tag: beat[0] as u8,
            way: beat[1] as u8,
            stream: beat[2] as u8,
            outcome: beat[3] as u8,
            irq_pending: beat[4] == 1,
            erased: beat[5] == 1,
            corrected: beat[6] as u16,
            most: beat[7] as u8,
            lost: beat[8] as u8,
            value: beat[9] as u32,
            cycle,
        }
    }
}
