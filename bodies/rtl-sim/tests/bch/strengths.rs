//! Chunks of every size of Figure 28 of Cosmos+: how many bits are corrected, and how late a chunk is.
//!
//! The models of the stronger codes take minutes to compile. `make ecc-codes` has all of them and prints the results, `make test`
//! and `make test-all` have the codes that other tests have, too.

use crate::bch::chunk::{run, Codec};
use rtl_sim::{Bench, Pace, Random};

fn codes() -> Vec<Codec> {
    let asked =
        [("bch_512", 512, 24), ("bch_1k", 1024, 45), ("bch_2k", 2048, 83), ("bch_4k", 4096, 156)];
    let made = asked.into_iter().filter_map(|(name, bytes, t)| Codec::of_figure_28(name, bytes, t));
    Codec::default_and_large().chain(made).collect()
}

fn name(codec: &Codec) -> String {
    format!("{} bytes, {} bits, words of {}", codec.chunk_bytes(), codec.t(), codec.word_bytes * 8)
}

/// Cycles of a full code word on the bus.
fn words(codec: &Codec) -> u64 {
    (codec.chunk_bytes().div_ceil(codec.word_bytes)
        + codec.bch.parity_bytes().div_ceil(codec.word_bytes)) as u64
}

#[test]
fn t_bits_are_corrected_and_one_more_is_found() {
    for codec in codes() {
        let (mut bench, mut random) = (Bench::new(codec.top), Random::new(1));
        let mut sources = [codec.source(&bench, 0, Pace::Always)];
        let mut sinks = [codec.sink(&bench, 0, Pace::Always)];
        let mut expected = vec![Vec::new()];
        let (t, full) = (codec.t(), codec.chunk_bytes());
        let counts = [t, t + 1, 1, t, 0, t + 1, t / 2, t - 1, t + 2, 2, t + 3, t];
        for (index, errors) in counts.into_iter().enumerate() {
            // One of four is short.
            let data = random.bytes(if index % 4 == 3 { full / 2 } else { full });
            let chunk = codec.received(&mut random, &data, errors);
            sources[0].push_all(codec.packet(&chunk));
            let beats = match errors <= t {
                true => codec.beats(&data, [errors as u64, 0, 0]),
                // By chance one in 13! and more of such words would be taken for another.
                false => codec.beats(&chunk.data, [0, 1, 0]),
            };
            assert_eq!(codec.decoded(&chunk), beats, "{}: the golden model agrees", name(&codec));
            expected[0].extend(beats);
        }
        run(&mut bench, &mut sources, &mut sinks, &expected);
        let failed = counts.iter().filter(|&&errors| errors > t).count();
        println!(
            "{}: {} chunks of up to {t} wrong bits corrected, {failed} of {} to {} found beyond correction",
            name(&codec),
            counts.len() - failed,
            t + 1,
            t + 3
        );
    }
}

/// Cycles from a full chunk's last word in to its first word out, nobody waiting.
fn latency(codec: &Codec, errors: usize) -> u64 {
    let (mut bench, mut random) = (Bench::new(codec.top), Random::new(1));
    let mut source = codec.source(&bench, 0, Pace::Always);
    let mut sink = codec.sink(&bench, 0, Pace::Always);
    let data = random.bytes(codec.chunk_bytes());
    let received = codec.received(&mut random, &data, errors);
    source.push_all(codec.packet(&received));
    while sink.received().is_empty() {
        bench.cycle(&mut [&mut source, &mut sink]);
        assert!(bench.cycles() < 20_000, "stuck");
    }
    bench.cycles() - words(codec)
}

/// The solver takes two cycles for each of t iterations and one more, its t + 1 coefficients leave one a cycle, the
/// search takes a cycle a word, and six are registers between these.
#[test]
fn a_dirty_chunk_is_late_by_its_solution_and_its_search() {
    for codec in codes() {
        let t = codec.t() as u64;
        let [clean, one, most] = [0, 1, codec.t()].map(|errors| latency(&codec, errors));
        let theory = words(&codec) + (2 * t + 1) + (t + 1) + 6;
        println!(
            "{}: clean chunk {clean} cycles late, with one wrong bit {one}, with {t} {most}, by theory {theory}",
            name(&codec)
        );
        assert_eq!(clean, 2);
        assert_eq!(one, most);
        assert_eq!(most, theory, "{}", name(&codec));
    }
}
