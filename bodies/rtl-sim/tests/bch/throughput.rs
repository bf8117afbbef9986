//! The solver's share does not slow a full bus, whatever the errors.

use crate::bch::chunk::{Beat, Codec};
use rtl_sim::{Agent, Bench, Pace, Random, Sink, Source};

/// Cycles of a full chunk on the bus.
const CHUNK_CYCLES: u64 = 138;

/// Pages that go through all channels at once.
struct Run {
    /// Bytes of each chunk of a page.
    chunks: Vec<usize>,
    errors: usize,
    pages: usize,
    /// Cycles between two pages in which nothing comes.
    gap: u64,
}

/// What a run cost.
struct Cost {
    /// Cycles in which a channel had to wait.
    stalled: u64,
    /// Cycles until all was out.
    cycles: u64,
}

impl Run {
    fn cost(&self) -> Cost {
        let codec = Codec::default_code();
        let mut bench = Bench::new(codec.top);
        let mut random = Random::new(1);
        let channels = 0..codec.channels;
        let mut sources: Vec<Source> =
            channels.clone().map(|channel| codec.source(&bench, channel, Pace::Always)).collect();
        let mut sinks: Vec<Sink> =
            channels.map(|channel| codec.sink(&bench, channel, Pace::Always)).collect();
        let mut expected: Vec<Vec<Beat>> = vec![Vec::new(); sources.len()];
        for _ in 0..self.pages {
            for (source, expected) in sources.iter_mut().zip(&mut expected) {
                self.push_page(&codec, &mut random, source, expected);
            }
            while sources.iter().any(|source| !source.is_empty()) {
                cycle(&mut bench, &mut sources, &mut sinks);
            }
            for _ in 0..self.gap {
                cycle(&mut bench, &mut sources, &mut sinks);
            }
        }
        while sinks.iter().zip(&expected).any(|(sink, all)| sink.received().len() < all.len()) {
            cycle(&mut bench, &mut sources, &mut sinks);
            assert!(bench.cycles() < 100_000, "stuck");
        }
        for (sink, expected) in sinks.iter().zip(&expected) {
            assert!(sink.received() == expected, "a chunk came out wrong");
        }
        Cost { stalled: sources.iter().map(Source::refused).sum(), cycles: bench.cycles() }
    }

    fn push_page(
        &self,
        codec: &Codec,
        random: &mut Random,
        source: &mut Source,
        expected: &mut Vec<Beat>,
    ) {
        for &bytes in &self.chunks {
            let data = random.bytes(bytes);
            let received = codec.received(random, &data, self.errors);
            source.push_all(codec.packet(&received));
            expected.extend(if self.errors > codec.t() {
                codec.beats(&received.data, [0, 1, 0])
            } else {
                codec.beats(&data, [self.errors as u64, 0, 0])
            });
        }
    }
}

fn cycle(bench: &mut Bench, sources: &mut [Source], sinks: &mut [Sink]) {
    let mut agents: Vec<&mut dyn Agent> = Vec::new();
    agents.extend(sources.iter_mut().map(|source| source as &mut dyn Agent));
    agents.extend(sinks.iter_mut().map(|sink| sink as &mut dyn Agent));
    bench.cycle(&mut agents);
}

#[test]
fn worst_case_errors_in_every_chunk_of_every_channel_cost_no_cycle() {
    let latency = 3 * CHUNK_CYCLES;
    for errors in [13, 14] {
        let Cost { stalled, cycles } =
            Run { chunks: vec![256; 64], errors, pages: 1, gap: 0 }.cost();
        assert_eq!(stalled, 0, "{errors} errors");
        assert!(cycles < 64 * CHUNK_CYCLES + latency, "{errors} errors: {cycles} cycles");
    }
}

#[test]
fn pages_with_a_short_chunk_of_metadata_cost_no_cycle() {
    // 16 KiB and four bytes, worst case throughout. Between pages a chip wants a command, five
    // address cycles and tCCS, which is at least 200 ns: 40 cycles and more.
    let mut chunks = vec![256; 64];
    chunks.push(4);
    let Cost { stalled, .. } = Run { chunks, errors: 13, pages: 4, gap: 40 }.cost();
    assert_eq!(stalled, 0);
}
