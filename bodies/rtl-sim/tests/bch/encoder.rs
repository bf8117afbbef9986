//! The encoder.

use crate::bch::chunk::Codec;
use rtl_sim::{seed, Bench, Pace, Sink, Source, StreamPorts};

fn source(bench: &Bench, pace: Pace) -> Source {
    let fields = &["data", "last", "bypass"];
    Source::new(bench.model(), StreamPorts { prefix: "plain", fields, lane: (0, 1) }, pace)
}

fn sink(bench: &Bench, pace: Pace) -> Sink {
    let fields = &["data", "last"];
    Sink::new(bench.model(), StreamPorts { prefix: "coded", fields, lane: (0, 1) }, pace)
}

/// Words with the last one marked.
fn marked(words: Vec<u64>) -> Vec<Vec<u64>> {
    let last = words.len() - 1;
    let mark = |(index, word)| vec![word, u64::from(index == last)];
    words.into_iter().enumerate().map(mark).collect()
}

fn check(codec: &Codec, seeds: u64) {
    seed::each(seeds, |random| {
        let mut bench = Bench::new(codec.top);
        let mut source = source(&bench, Pace::any(random));
        let mut sink = sink(&bench, Pace::any(random));
        let mut expected = Vec::new();
        for _ in 0..8 {
            let data = codec.random_data(random);
            let bypass = random.percent(20);
            for word in marked(codec.words(&data)) {
                source.push(vec![word[0], word[1], u64::from(bypass)]);
            }
            let mut words = codec.words(&data);
            if !bypass {
                words.extend(codec.words(&codec.parity(&data)));
            }
            expected.extend(marked(words));
        }
        while sink.received().len() < expected.len() {
            bench.cycle(&mut [&mut source, &mut sink]);
            assert!(bench.cycles() < 40_000, "stuck");
        }
        assert_eq!(sink.received(), expected);
    });
}

#[test]
fn parity_of_the_default_code_is_the_golden_models() {
    check(&Codec::default_code(), 20);
}

#[test]
fn parity_of_other_codes_and_widths_is_the_golden_models() {
    check(&Codec::small(), 10);
    Codec::large().iter().for_each(|codec| check(codec, 10));
}

#[test]
fn the_output_never_pauses() {
    let codec = Codec::default_code();
    let mut bench = Bench::new(codec.top);
    let (mut source, mut sink) = (source(&bench, Pace::Always), sink(&bench, Pace::Always));
    let mut random = rtl_sim::Random::new(1);
    for _ in 0..3 {
        for word in marked(codec.words(&random.bytes(256))) {
            source.push(vec![word[0], word[1], 0]);
        }
    }
    for _ in 0..3 * 138 {
        bench.cycle(&mut [&mut source, &mut sink]);
    }
    assert_eq!(sink.received().len(), 3 * 138);
}
