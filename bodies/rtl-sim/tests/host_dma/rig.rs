//! The top `host_data` with a host and two memory channels.

use rtl_sim::axi::{AxiPorts, Behaviour, Subordinate};
use rtl_sim::{tops, Agent, Bench, Pace, Random, Sink, Source, StreamPorts};

const STRIPE: u64 = 512;

/// Cycles after which the tops give up waiting: three ticks.
pub const TIMEOUT: u64 = 3 << 14;

/// Which way data moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    FromHost,
    ToHost,
}

/// What a descriptor moves. Source: `fm_host_pkg::dma_source_e`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    Prps,
    Zeros,
    None,
}

/// What a descriptor ends with. Source: `fm_host_pkg::dma_fault_e`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    Offset,
    Bus,
    TimedOut,
    List,
}

/// A request for the DMA.
#[derive(Clone, Copy, Debug)]
pub struct Descriptor {
    pub tag: u64,
    pub direction: Direction,
    pub source: Moved,
    pub prp1: u64,
    pub prp2: u64,
    pub host_offset: u64,
    pub length: u64,
    pub command_length: u64,
    /// Address of the drive's memory, before striping.
    pub memory: u64,
}

/// The end of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    pub tag: u64,
    pub direction: Direction,
    pub fault: Fault,
}

/// Which top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// 64 bits and two memory channels.
    Narrowest,
    /// 256 bits and two memory channels.
    Narrow,
    /// 512 bits and one memory channel.
    Wide,
}

/// How all sides behave.
pub struct Behaviours {
    pub host: Behaviour,
    /// Of two; the wide top has the first one only.
    pub memories: [Behaviour; 2],
    pub descriptors: Pace,
    pub done: Pace,
}

pub struct Rig {
    pub bench: Bench,
    pub host: Subordinate,
    pub memories: Vec<Subordinate>,
    descriptors: Source,
    done: Sink,
    pub entries: Source,
    pub beats: Sink,
    pub completions: Source,
    pub messages: Source,
    /// Client, id and error of what was written for the queues.
    pub written: Sink,
}

const DESCRIPTOR_FIELDS: [&str; 9] = [
    "tag",
    "direction",
    "source",
    "prp1",
    "prp2",
    "host_offset",
    "length",
    "command_length",
    "memory",
];
const BEAT_FIELDS: [&str; 4] = ["id", "last", "error", "data"];

fn stream<'a>(prefix: &'a str, fields: &'a [&'a str]) -> StreamPorts<'a> {
    StreamPorts { prefix, fields, lane: (0, 1) }
}

/// Tops with two memory channels.
pub const OF_TWO_CHANNELS: [Size; 2] = [Size::Narrow, Size::Narrowest];

impl Behaviours {
    /// Everything at once.
    pub fn prompt() -> Self {
        Self {
            host: Behaviour::prompt(),
            memories: [Behaviour::prompt(), Behaviour::prompt()],
            descriptors: Pace::Always,
            done: Pace::Always,
        }
    }

    pub fn any(random: &mut Random) -> Self {
        Self {
            host: Behaviour::any(random),
            memories: [Behaviour::any(random), Behaviour::any(random)],
            descriptors: Pace::any(random),
            done: Pace::any(random),
        }
    }
}

impl Rig {
    pub fn new(size: Size, behaviours: Behaviours, random: &mut Random) -> Self {
        let (top, channels) = match size {
            Size::Narrowest => (&tops::HOST_DATA_NARROW, 2),
            Size::Narrow => (&tops::HOST_DATA, 2),
            Size::Wide => (&tops::HOST_DATA_WIDE, 1),
        };
        let bench = Bench::new(top);
        let model = bench.model();
        let ports = |prefix, lane| AxiPorts { prefix, lane };
        let host = Subordinate::new(model, ports("host", (0, 1)), behaviours.host, random.split());
        let memories = (0..channels).zip(behaviours.memories).map(|(lane, behaviour)| {
            let ports = ports("memory", (lane, channels));
            Subordinate::new(model, ports, behaviour, random.split())
        });
        let memories = memories.collect();
        let mut paces = random.split();
        let mut source = |ports| Source::new(model, ports, Pace::any(&mut paces));
        let done = stream("done", &["tag", "direction", "fault"]);
        Self {
            host,
            memories,
            descriptors: Source::new(
                model,
                stream("descriptor", &DESCRIPTOR_FIELDS),
                behaviours.descriptors,
            ),
            done: Sink::new(model, done, behaviours.done),
            entries: source(stream("entries", &["address", "bytes", "id"])),
            beats: Sink::new(model, stream("entries_beat", &BEAT_FIELDS), Pace::any(random)),
            completions: source(stream("completion", &["address", "id", "low", "high"])),
            messages: source(stream("message", &["address", "id", "data"])),
            written: Sink::new(
                model,
                stream("written", &["client", "id", "error"]),
                Pace::any(random),
            ),
            bench,
        }
    }

    pub fn push(&mut self, descriptor: &Descriptor) {
        let d = descriptor;
        let beat = vec![
            d.tag,
            d.direction as u64,
            d.source as u64,
            d.prp1,
            d.prp2,
            d.host_offset,
            d.length,
            d.command_length,
            d.memory,
        ];
        self.descriptors.push(beat);
    }

    /// One cycle; returns the descriptor that ended in it.
    pub fn cycle(&mut self) -> Option<Done> {
        let mut agents: Vec<&mut dyn Agent> = vec![
            &mut self.done,
            &mut self.host,
            &mut self.descriptors,
            &mut self.entries,
            &mut self.beats,
            &mut self.completions,
            &mut self.messages,
            &mut self.written,
        ];
        agents.extend(self.memories.iter_mut().map(|memory| memory as &mut dyn Agent));
        self.bench.cycle(&mut agents);
        self.done.take().pop().map(|fields| Done {
            tag: fields[0],
            direction: [Direction::FromHost, Direction::ToHost][fields[1] as usize],
            fault: [Fault::None, Fault::Offset, Fault::Bus, Fault::TimedOut, Fault::List]
                [fields[2] as usize],
        })
    }

    /// Runs until a descriptor ends.
    ///
    /// # Panics
    /// After so many cycles without.
    pub fn next_done(&mut self, patience: u64) -> Done {
        for _ in 0..patience {
            if let Some(done) = self.cycle() {
                return done;
            }
        }
        panic!("nothing ended in {patience} cycles");
    }

    pub fn run(&mut self, cycles: u64) {
        for _ in 0..cycles {
            assert_eq!(self.cycle(), None);
        }
    }

    /// Whether nothing is under way.
    pub fn is_idle(&mut self) -> bool {
        let port = self.bench.output("idle_o");
        self.bench.get(port) == 1
    }

    /// Bytes of the drive's memory.
    pub fn memory_bytes(&self, address: u64, length: u64) -> Vec<u8> {
        (address..address + length).map(|at| self.memory_byte(at)).collect()
    }

    fn memory_byte(&self, address: u64) -> u8 {
        let (channel, inside) = self.striped(address);
        self.memories[channel].memory().get(inside).expect("mapped by the test")
    }

    /// Fills bytes of the drive's memory, and maps the pages around them.
    pub fn fill_memory(&mut self, address: u64, bytes: &[u8]) {
        for (at, &byte) in (address..).zip(bytes) {
            let (channel, inside) = self.striped(at);
            let memory = self.memories[channel].memory_mut();
            memory.map(inside..inside + 1);
            memory.set(inside, byte);
        }
    }

    /// The channel of an address of memory, and the address in it.
    pub fn striped(&self, address: u64) -> (usize, u64) {
        let (stripe, channels) = (address / STRIPE, self.memories.len() as u64);
        ((stripe % channels) as usize, stripe / channels * STRIPE + address % STRIPE)
    }
}
