//! A whole flash channel on its pins: requests in, responses out.

use crate::bench::Bench;
use crate::bus_settings::ChipSettings;
pub use crate::channel_watch::Watch;
use crate::chips::{ChipBus, Wiring};
use crate::command_log::CommandLog;
use crate::stream::{Pace, Sink, Source, StreamPorts};
use crate::{DataBuffer, Input, Paces, Top};
use channel::BusSettings;
use contract::packet::{Model, Request, RequestWords, Response};
use contract::{Duration, WayOrder};
use nand::onfi::Chip;

/// The top `flash_core_pins`, or one with its ports, with chips, a data buffer and somebody who asks.
pub struct Channel {
    bench: Bench,
    requests: Source,
    responses: Sink,
    /// The data buffer.
    pub buffer: DataBuffer,
    /// The chips, one a way.
    pub chips: ChipBus,
    /// What it shows of itself.
    pub watch: Watch,
    /// The turns on its bus, if they are written down.
    pub commands: Option<CommandLog>,
    /// What was told to ways for a cycle.
    told: Vec<Input>,
}

/// What a channel is made of.
pub struct Setup {
    /// The top: how its ways get to be known as ready.
    pub top: &'static Top,
    /// A cycle of the clock.
    pub period: Duration,
    /// The chips, one a way.
    pub chips: Vec<Chip>,
    /// The registers of the bus.
    pub bus: BusSettings,
    /// The registers of the scheduler.
    pub policy: Policy,
    /// Entries of the data buffer and bytes of each.
    pub buffer: (usize, usize),
    /// How willing the buffer is.
    pub buffer_paces: Paces,
    /// How willing requests come and responses are taken.
    pub paces: (Pace, Pace),
}

/// `scheduler_config_t`.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// The execution model.
    pub model: Model,
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
    /// A way halts when something of it has failed.
    pub halt_on_failure: bool,
    /// What becomes of a request whose queue is full.
    pub full_queue: FullQueue,
    /// F-RSVP(l).
    pub low_ways: u8,
    /// How often somebody may be passed over; 0 is for ever.
    pub age: u8,
    /// Longest busy time, in units of 256 cycles; 0 is for ever.
    pub busy_timeout: u16,
}

/// What becomes of a request whose queue is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FullQueue {
    /// It waits, and all behind it.
    Waits,
    /// It is given back.
    GivesBack,
}

/// A response, and the cycle in which it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answered {
    /// What the channel answered, read from its words.
    pub response: Response,
    /// Cycles since reset.
    pub cycle: u64,
}

impl Channel {
    /// Ways of the top.
    pub const WAYS: usize = 8;

    /// A channel after reset. Ways beyond the chips are empty.
    pub fn new(setup: Setup) -> Self {
        let mut bench = Bench::new(setup.top);
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
            ("halt_on_failure", policy.halt_on_failure.into()),
            ("full_gives_back", (policy.full_queue == FullQueue::GivesBack).into()),
            ("low_ways", policy.low_ways.into()),
            ("age", policy.age.into()),
            ("busy_timeout", policy.busy_timeout.into()),
        ] {
            let port = bench.input(&format!("config_{name}_i"));
            bench.set(port, value);
        }
        setup.bus.drive(&mut bench, "bus_config_i");
        let model = bench.model();
        let stream = |prefix, fields| StreamPorts { prefix, fields, lane: (0, 1) };
        Self {
            requests: Source::new(
                model,
                stream("request", &["word0", "word1", "word2", "word3"]),
                setup.paces.0,
            ),
            responses: Sink::new(
                model,
                stream("response", &["word0", "word1", "word2"]),
                setup.paces.1,
            ),
            buffer: DataBuffer::new(model, setup.buffer.0, setup.buffer.1, setup.buffer_paces),
            chips: ChipBus::new(model, setup.chips, Wiring::new(setup.period)),
            watch: Watch::new(model),
            commands: None,
            told: vec![],
            bench,
        }
    }

    /// The bench, to look at outputs.
    pub fn bench(&mut self) -> &mut Bench {
        &mut self.bench
    }

    /// Writes the turns on the bus down from now on.
    pub fn log_commands(&mut self) {
        self.commands = Some(CommandLog::new(self.bench.model()));
    }

    /// Cycles since reset.
    pub fn cycles(&self) -> u64 {
        self.bench.cycles()
    }

    /// Queues a request before the channel.
    pub fn submit(&mut self, request: Request) {
        self.submit_words(request.emit());
    }

    /// The same, of words that may be no packet.
    pub fn submit_words(&mut self, words: RequestWords) {
        self.requests.push(words.map(u64::from).to_vec());
    }

    /// Tells ways something in the next cycle, a bit each.
    pub fn order(&mut self, order: WayOrder, ways: u64) {
        let port = match order {
            WayOrder::Halt => "halt_i",
            WayOrder::Resume => "resume_i",
            WayOrder::GiveBack => "give_back_i",
            WayOrder::Abort => "abort_i",
        };
        let port = self.bench.input(port);
        self.bench.set(port, ways);
        self.told.push(port);
    }

    /// Ways that begin no operation, a bit each.
    pub fn halted(&mut self) -> u64 {
        let port = self.bench.output("halted_o");
        self.bench.get(port)
    }

    /// Requests that the channel took.
    pub fn taken(&self) -> u64 {
        self.requests.sent()
    }

    /// Whether all requests were taken and no packet of the buffer is under way.
    pub fn is_drained(&self) -> bool {
        self.requests.is_empty() && self.buffer.is_idle()
    }

    /// Runs for a cycle. The response that came in it, mostly none.
    pub fn cycle(&mut self) -> Option<Answered> {
        let Self { bench, requests, responses, buffer, chips, watch, commands, told } = self;
        match commands {
            Some(log) => bench.cycle(&mut [requests, responses, buffer, chips, watch, log]),
            None => bench.cycle(&mut [requests, responses, buffer, chips, watch]),
        }
        for port in told.drain(..) {
            bench.set(port, 0);
        }
        if responses.received().is_empty() {
            return None;
        }
        let beat = responses.take().pop()?;
        let words = [beat[0] as u32, beat[1] as u32, beat[2] as u32];
        let response = Response::parse(&words).expect("the channel knows the packet");
        let response = response.expect("what comes is a response");
        Some(Answered { response, cycle: bench.cycles() })
    }
}
