//! Chunks as packets of words, and what the golden model makes of them.

use ecc::bch::flip_bits;
use ecc::{Bch, BchParams, Decoded};
use rtl_sim::{tops, Agent, Bench, Pace, Random, Sink, Source, StreamPorts, Top};
use std::iter;

/// A top with its code.
pub struct Codec {
    pub top: &'static Top,
    pub bch: Bch,
    pub channels: u32,
    pub word_bytes: usize,
}

/// A code word on its way: what the chip gives, before and after descrambling.
#[derive(Clone)]
pub struct Received {
    pub data: Vec<u8>,
    pub parity: Vec<u8>,
    /// What the raw bytes differ by from the descrambled ones.
    pub mask: u8,
}

/// A word that comes out of a decoder: data, last, errors, failed, erased.
pub type Beat = Vec<u64>;

impl Codec {
    pub fn new(top: &'static Top, params: (usize, u32), channels: u32, word_bytes: usize) -> Self {
        let (chunk_bytes, t) = params;
        let bch = Bch::new(BchParams { chunk_bytes, t }).unwrap();
        Self { top, bch, channels, word_bytes }
    }

    /// The code of Cosmos+, on four channels.
    pub fn default_code() -> Self {
        Self::new(&tops::BCH_DEFAULT, (256, 13), 4, 2)
    }

    /// A weak code on a narrow bus.
    pub fn small() -> Self {
        Self::new(&tops::BCH_SMALL, (29, 2), 1, 1)
    }

    /// A strong code on a wide bus, if its model was made.
    pub fn large() -> Option<Self> {
        Top::named("bch_large").map(|top| Self::new(top, (512, 24), 1, 4))
    }

    /// The default code, and the strong one if its model was made.
    pub fn default_and_large() -> impl Iterator<Item = Self> {
        iter::once(Self::default_code()).chain(Self::large())
    }

    /// A code of Figure 28 of Cosmos+ on one channel of 16 bits, if its model was made.
    pub fn of_figure_28(name: &str, chunk_bytes: usize, t: u32) -> Option<Self> {
        Top::named(name).map(|top| Self::new(top, (chunk_bytes, t), 1, 2))
    }

    pub fn t(&self) -> usize {
        self.bch.params().t as usize
    }

    pub fn chunk_bytes(&self) -> usize {
        self.bch.params().chunk_bytes
    }

    /// Words of the stream, byte 0 lowest; the last one is filled up with zeros.
    pub fn words(&self, bytes: &[u8]) -> Vec<u64> {
        let word =
            |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        bytes.chunks(self.word_bytes).map(word).collect()
    }

    /// Random data of a whole number of words, mostly a full chunk.
    pub fn random_data(&self, random: &mut Random) -> Vec<u8> {
        let full = self.chunk_bytes() / self.word_bytes;
        let words = if random.percent(60) { full } else { 1 + random.below(full as u64) as usize };
        random.bytes(words * self.word_bytes)
    }

    pub fn parity(&self, data: &[u8]) -> Vec<u8> {
        let mut parity = vec![0; self.bch.parity_bytes()];
        self.bch.encode(data, &mut parity);
        parity
    }

    /// A code word with so many wrong bits.
    pub fn received(&self, random: &mut Random, data: &[u8], errors: usize) -> Received {
        let bits = data.len() * 8 + self.bch.parity_bits() as usize;
        let places = random.choose(errors, bits);
        let (mut data, mut parity) = (data.to_vec(), self.parity(data));
        flip_bits(&mut data, &mut parity, &places);
        Received { data, parity, mask: random.next() as u8 }
    }

    /// The packet that a decoder is given: data, raw, last, bypass.
    pub fn packet(&self, chunk: &Received) -> Vec<Vec<u64>> {
        let raw = |bytes: &[u8]| bytes.iter().map(|byte| byte ^ chunk.mask).collect::<Vec<u8>>();
        let mut words = self.words(&chunk.data);
        words.extend(self.words(&chunk.parity));
        let mut raw_words = self.words(&raw(&chunk.data));
        raw_words.extend(self.words(&raw(&chunk.parity)));
        packet(words.into_iter().zip(raw_words), 0)
    }

    /// What a decoder should give.
    pub fn decoded(&self, chunk: &Received) -> Vec<Beat> {
        let Received { mut data, mut parity, .. } = chunk.clone();
        let (errors, failed) =
            match self.bch.decode(&mut data, &mut parity, &mut self.bch.scratch()) {
                Decoded::Clean => (0, 0),
                Decoded::Corrected(errors) => (errors, 0),
                Decoded::Uncorrectable => (0, 1),
            };
        self.beats(&data, [u64::from(errors), failed, 0])
    }

    /// A packet of data with the same verdict beside each word.
    pub fn beats(&self, data: &[u8], [errors, failed, erased]: [u64; 3]) -> Vec<Beat> {
        let words = self.words(data);
        let last = words.len() - 1;
        let beat = |(index, word)| vec![word, u64::from(index == last), errors, failed, erased];
        words.into_iter().enumerate().map(beat).collect()
    }

    pub fn source(&self, bench: &Bench, channel: u32, pace: Pace) -> Source {
        let fields = &["data", "raw", "last", "bypass"];
        let ports = StreamPorts { prefix: "in", fields, lane: (channel, self.channels) };
        Source::new(bench.model(), ports, pace)
    }

    pub fn sink(&self, bench: &Bench, channel: u32, pace: Pace) -> Sink {
        let fields = &["data", "last", "errors", "failed", "erased"];
        let ports = StreamPorts { prefix: "out", fields, lane: (channel, self.channels) };
        Sink::new(bench.model(), ports, pace)
    }
}

/// Gives pairs of word and raw word the ends of a packet.
pub fn packet(words: impl Iterator<Item = (u64, u64)>, bypass: u64) -> Vec<Vec<u64>> {
    let mut packet: Vec<Vec<u64>> = words.map(|(word, raw)| vec![word, raw, 0, bypass]).collect();
    packet.last_mut().expect("a packet has words")[2] = 1;
    packet
}

/// Runs until each sink has as many words as expected, and compares them.
pub fn run(bench: &mut Bench, sources: &mut [Source], sinks: &mut [Sink], expected: &[Vec<Beat>]) {
    let words: usize = expected.iter().map(Vec::len).sum();
    let limit = bench.cycles() + 40 * words as u64 + 20_000;
    let is_short = |(sink, expected): (&Sink, &Vec<Beat>)| sink.received().len() < expected.len();
    while sinks.iter().zip(expected).any(is_short) {
        let mut agents: Vec<&mut dyn Agent> = Vec::new();
        agents.extend(sources.iter_mut().map(|source| source as &mut dyn Agent));
        agents.extend(sinks.iter_mut().map(|sink| sink as &mut dyn Agent));
        bench.cycle(&mut agents);
        assert!(bench.cycles() < limit, "stuck");
    }
    for (channel, (sink, expected)) in sinks.iter_mut().zip(expected).enumerate() {
        let received = sink.take();
        let differs = received.iter().zip(expected).position(|(found, expected)| found != expected);
        if let Some(word) = differs {
            panic!(
                "channel {channel}, word {word}: found {:x?}, expected {:x?}",
                received[word], expected[word]
            );
        }
    }
}
