//! A path with a bus on one side and a data buffer on the other.

use crate::page_path::bus::{Bus, Turn};
use crate::page_path::golden::{Golden, Step, Verdict};
use ecc::BchParams;
use rtl_sim::StreamPorts;
use rtl_sim::{tops, Agent, Bench, DataBuffer, Output, Pace, Paces, Random, Sink, Source, Top};

/// The fields of a completion.
pub const COMPLETION: [&str; 11] = [
    "slot",
    "tag",
    "way",
    "irq",
    "irq_on_error",
    "outcome",
    "erased",
    "corrected",
    "most",
    "lost",
    "value",
];

/// Bytes of the metadata in `page_paths`: without a codec, and with one.
pub const METADATA_BYTES: [usize; 2] = [24, 84];

/// Bytes of a buffer entry: of a page and its metadata.
const ENTRY_BYTES: usize = 16384 + METADATA_BYTES[1];
const ENTRIES: usize = 64;

/// Bytes that no entry holds by itself.
const UNTOUCHED: u8 = 0xa5;

pub struct Rig {
    pub bench: Bench,
    pub bus: Bus,
    pub buffer: DataBuffer,
    pub completions: Sink,
    others: Vec<Source>,
    pub golden: Golden,
    /// The way that belongs to each buffer entry.
    ways: Vec<u8>,
    descriptors: [[Output; 3]; 2],
}

/// Which path of which top is under test.
#[derive(Clone, Copy)]
pub struct Path {
    pub top: &'static Top,
    /// The code of the path with a codec.
    pub code: Option<BchParams>,
}

impl Path {
    /// That with the code of the boards.
    pub const CODED: Path =
        Path { top: &tops::PAGE_PATHS, code: Some(BchParams { chunk_bytes: 256, t: 13 }) };
    /// That without a codec.
    pub const PLAIN: Path = Path { top: &tops::PAGE_PATHS, code: None };
}

/// How willing everybody is.
pub struct Manners {
    pub bus: Pace,
    pub buffer: Paces,
    pub completions: Pace,
    /// Channels beside this one that keep the solver busy.
    pub rivals: usize,
}

impl Manners {
    pub fn any(random: &mut Random) -> Self {
        Self {
            bus: Pace::any(random),
            buffer: Paces {
                descriptors: Pace::any(random),
                send: Pace::any(random),
                receive: Pace::any(random),
            },
            completions: Pace::any(random),
            rivals: random.below(4) as usize,
        }
    }

    pub fn eager() -> Self {
        Self { bus: Pace::Always, buffer: Paces::ALWAYS, completions: Pace::Always, rivals: 3 }
    }
}

impl Rig {
    pub fn new(path: Path, manners: Manners) -> Self {
        let mut bench = Bench::new(path.top);
        let (codec, has_codec) = (bench.input("codec_i"), path.code.is_some());
        bench.set(codec, u64::from(has_codec));
        let model = bench.model();
        let ports = StreamPorts { prefix: "completion", fields: &COMPLETION, lane: (0, 1) };
        let rival = |lane| {
            let ports = StreamPorts { prefix: "other", fields: &["data", "last"], lane: (lane, 3) };
            Source::new(model, ports, Pace::Always)
        };
        let mut buffer = DataBuffer::new(model, ENTRIES, ENTRY_BYTES, manners.buffer);
        (0..ENTRIES as u16).for_each(|entry| buffer.entry_mut(entry).fill(UNTOUCHED));
        Self {
            bus: Bus::new(model, manners.bus),
            completions: Sink::new(model, ports, manners.completions),
            others: (0..manners.rivals as u32).map(rival).collect(),
            golden: Golden::new(path.code, METADATA_BYTES[usize::from(has_codec)]),
            ways: vec![0; ENTRIES],
            descriptors: ["fetch", "store"].map(|stream| {
                ["valid", "buffer", "way"].map(|name| model.output(&format!("{stream}_{name}_o")))
            }),
            buffer,
            bench,
        }
    }

    /// After so many times 16 cycles without a word the path and the bus give up.
    pub fn set_timeout(&mut self, timeout: u16) {
        let port = self.bench.input("timeout_i");
        self.bench.set(port, u64::from(timeout));
        self.bus.patience = (timeout > 0).then_some(u64::from(timeout) * 16);
    }

    /// Queues a program of random data. Returns what should go over the bus.
    pub fn program(&mut self, random: &mut Random, turn: Turn) -> Vec<u8> {
        let payload = random.bytes(self.golden.payload_bytes(&turn.step));
        self.buffer.entry_mut(turn.step.buffer)[..payload.len()].copy_from_slice(&payload);
        let raw = self.golden.raw(&turn.step, &payload);
        self.push(turn);
        raw
    }

    /// Queues a step.
    pub fn push(&mut self, turn: Turn) {
        self.ways[usize::from(turn.step.buffer)] = turn.step.way;
        self.bus.push(turn);
    }

    /// A turn without incident.
    pub fn turn(&self, step: Step, raw: Vec<u8>) -> Turn {
        Turn { bytes: self.golden.bus_bytes(&step), step, raw, frame: 30, abort_after: None }
    }

    /// What a read should leave in its entry, and its verdict.
    pub fn check_stored(&self, step: &Step, raw: &[u8]) -> Verdict {
        let (payload, verdict) = self.golden.read(step, raw);
        let (found, rest) = self.buffer.entry(step.buffer).split_at(payload.len());
        assert!(found == payload, "data and metadata of {step:?}");
        assert!(rest.iter().all(|&byte| byte == UNTOUCHED), "behind {step:?}");
        verdict
    }

    pub fn cycle(&mut self) {
        let t = u64::from(self.golden.bch.params().t);
        for rival in self.others.iter_mut().filter(|rival| rival.is_empty()) {
            rival.push_all((1..=t).map(|index| vec![index * 77, u64::from(index == t)]));
        }
        let mut agents: Vec<&mut dyn Agent> =
            vec![&mut self.bus, &mut self.buffer, &mut self.completions];
        agents.extend(self.others.iter_mut().map(|rival| rival as &mut dyn Agent));
        self.bench.cycle(&mut agents);
        for [valid, buffer, way] in self.descriptors {
            let model = self.bench.model();
            if model.get(valid) == 1 {
                let entry = model.get(buffer) as usize;
                assert_eq!(model.get(way), u64::from(self.ways[entry]), "way of entry {entry}");
            }
        }
    }

    pub fn cycles(&mut self, count: u64) {
        (0..count).for_each(|_| self.cycle());
    }

    /// Runs until all steps were on the bus, so many were completed, and nothing moves.
    pub fn finish(&mut self, completions: usize) {
        let mut quiet = 0;
        let limit = self.bench.cycles() + 2_000_000;
        while quiet < 800 {
            let words = self.bench.model().output("data_out_valid_o");
            let is_busy = !self.bus.is_idle()
                || !self.buffer.is_idle()
                || self.completions.received().len() < completions
                || self.bench.model().get(words) == 1;
            quiet = if is_busy { 0 } else { quiet + 1 };
            self.cycle();
            assert!(self.bench.cycles() < limit, "stuck");
        }
        assert_eq!(self.completions.received().len(), completions);
    }
}
