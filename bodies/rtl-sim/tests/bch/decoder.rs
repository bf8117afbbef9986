//! Decoders: corrections, failures, erased pages, bypass, at every pace.

use crate::bch::chunk::{packet, run, Beat, Codec, Received};
use ecc::bch::ErrorLocator;
use ecc::{Bch, BchParams};
use rtl_sim::{seed, Bench, Pace, Random, Sink, Source};

/// A bench with decoders at random paces.
fn bench_of(codec: &Codec, random: &mut Random) -> (Bench, Vec<Source>, Vec<Sink>) {
    let bench = Bench::new(codec.top);
    let sources =
        (0..codec.channels).map(|channel| codec.source(&bench, channel, Pace::any(random)));
    let sources = sources.collect();
    let sinks = (0..codec.channels).map(|channel| codec.sink(&bench, channel, Pace::any(random)));
    let sinks = sinks.collect();
    (bench, sources, sinks)
}

#[test]
fn every_error_count_up_to_t_is_corrected_and_more_are_as_in_the_golden_model() {
    let others = [(Codec::default_code(), 6), (Codec::small(), 40)];
    for (codec, rounds) in others.into_iter().chain(Codec::large().map(|codec| (codec, 2))) {
        seed::each(rounds, |random| {
            let (mut bench, mut sources, mut sinks) = bench_of(&codec, random);
            let mut expected = vec![Vec::new(); sources.len()];
            for errors in 0..=codec.t() + 3 {
                for (source, expected) in sources.iter_mut().zip(&mut expected) {
                    let data = codec.random_data(random);
                    let chunk = codec.received(random, &data, errors);
                    source.push_all(codec.packet(&chunk));
                    if errors <= codec.t() {
                        expected.extend(codec.beats(&data, [errors as u64, 0, 0]));
                    } else {
                        expected.extend(codec.decoded(&chunk));
                    }
                }
            }
            run(&mut bench, &mut sources, &mut sinks, &expected);
        });
    }
}

#[test]
fn a_single_error_in_each_position_is_corrected() {
    let codec = Codec::default_code();
    let mut bench = Bench::new(codec.top);
    let channels = codec.channels as usize;
    let mut sources: Vec<Source> =
        (0..codec.channels).map(|channel| codec.source(&bench, channel, Pace::Always)).collect();
    let mut sinks: Vec<Sink> =
        (0..codec.channels).map(|channel| codec.sink(&bench, channel, Pace::Always)).collect();
    let data = Random::new(1).bytes(256);
    let sent = Received { parity: codec.parity(&data), data, mask: 0x5a };
    let mut expected = vec![Vec::new(); channels];
    for place in 0..2048 + 156u16 {
        let mut chunk = sent.clone();
        ecc::bch::flip_bits(&mut chunk.data, &mut chunk.parity, &[place]);
        let channel = usize::from(place) % channels;
        sources[channel].push_all(codec.packet(&chunk));
        expected[channel].extend(codec.beats(&sent.data, [1, 0, 0]));
    }
    run(&mut bench, &mut sources, &mut sinks, &expected);
}

/// One packet of a kind, and what should come of it.
fn any_packet(codec: &Codec, random: &mut Random) -> (Vec<Vec<u64>>, Vec<Beat>) {
    match random.below(5) {
        0 => {
            // Longer than a chunk too: it is cut and put together again.
            let words = 1 + random.below(3 * codec.chunk_bytes() as u64) as usize;
            let bytes = random.bytes(words * codec.word_bytes);
            let words = codec.words(&bytes);
            let pairs = words.clone().into_iter().zip(words);
            (packet(pairs, 1), codec.beats(&bytes, [0, 0, 0]))
        }
        1 => {
            let data = codec.random_data(random);
            let chunk = erased(codec, random, data.len());
            let zeros = chunk.zeros;
            let ones = vec![0xff; data.len()];
            (codec.packet(&chunk.received), codec.beats(&ones, [zeros, 0, 1]))
        }
        2 => {
            let data = codec.random_data(random);
            let chunk = codec.received(random, &data, 0);
            (codec.packet(&chunk), codec.beats(&data, [0, 0, 0]))
        }
        _ => {
            let data = codec.random_data(random);
            let errors = random.below(codec.t() as u64 + 4) as usize;
            let chunk = codec.received(random, &data, errors);
            (codec.packet(&chunk), codec.decoded(&chunk))
        }
    }
}

struct Erased {
    received: Received,
    zeros: u64,
}

/// Raw ones, but for up to t zeros; the unused parity bits are zero.
fn erased(codec: &Codec, random: &mut Random, bytes: usize) -> Erased {
    let mask = random.next() as u8;
    let mut received = Received {
        data: vec![0xff ^ mask; bytes],
        parity: vec![0xff ^ mask; codec.bch.parity_bytes()],
        mask,
    };
    let unused = codec.bch.parity_bytes() as u32 * 8 - codec.bch.parity_bits();
    *received.parity.last_mut().unwrap() &= 0xff << unused;
    let zeros = random.below(codec.t() as u64 + 1);
    let bits = bytes * 8 + codec.bch.parity_bits() as usize;
    let places = random.choose(zeros as usize, bits);
    ecc::bch::flip_bits(&mut received.data, &mut received.parity, &places);
    Erased { received, zeros }
}

#[test]
fn packets_of_all_kinds_pass_in_order_at_every_pace() {
    let others = [(Codec::default_code(), 8), (Codec::small(), 20)];
    for (codec, seeds) in others.into_iter().chain(Codec::large().map(|codec| (codec, 2))) {
        seed::each(seeds, |random| {
            let (mut bench, mut sources, mut sinks) = bench_of(&codec, random);
            let mut expected = vec![Vec::new(); sources.len()];
            for _ in 0..16 {
                for (source, expected) in sources.iter_mut().zip(&mut expected) {
                    let (packet, beats) = any_packet(&codec, random);
                    source.push_all(packet);
                    expected.extend(beats);
                }
            }
            run(&mut bench, &mut sources, &mut sinks, &expected);
        });
    }
}

#[test]
fn one_zero_too_many_is_not_erased() {
    let codec = Codec::default_code();
    seed::each(4, |random| {
        let (mut bench, mut sources, mut sinks) = bench_of(&codec, random);
        let mut expected = vec![Vec::new(); sources.len()];
        for (source, expected) in sources.iter_mut().zip(&mut expected) {
            let mut chunk = Received { data: vec![0xff; 256], parity: vec![0xff; 20], mask: 0 };
            chunk.parity[19] = 0xf0;
            let places = random.choose(codec.t() + 1, 2204);
            ecc::bch::flip_bits(&mut chunk.data, &mut chunk.parity, &places);
            source.push_all(codec.packet(&chunk));
            expected.extend(codec.decoded(&chunk));
            assert_eq!(expected[0][3], 1, "all ones lie near no code word");
        }
        run(&mut bench, &mut sources, &mut sinks, &expected);
    });
}

/// A code word of the code that corrects one bit less, as bits of a word, data first: of all odd
/// syndromes only the last one tells it from a code word of this code.
fn last_syndrome_alone(codec: &Codec, random: &mut Random) -> Vec<u16> {
    let (chunk_bytes, t) = (codec.chunk_bytes(), codec.t() as u32 - 1);
    let weaker = Bch::new(BchParams { chunk_bytes, t }).unwrap();
    let mut word = random.bytes(chunk_bytes);
    let mut parity = vec![0; weaker.parity_bytes()];
    weaker.encode(&word, &mut parity);
    word.extend(parity);
    // Its parity is shorter, and words have the same end.
    let shift = (codec.bch.parity_bits() - weaker.parity_bits()) as usize;
    let bits = chunk_bytes * 8 + weaker.parity_bits() as usize;
    let is_set = |bit: &usize| word[bit / 8] & (0x80 >> (bit % 8)) != 0;
    (0..bits).filter(is_set).map(|bit| (bit + shift) as u16).collect()
}

#[test]
fn what_only_the_last_iteration_finds_beyond_correction_is_failed() {
    for codec in Codec::default_and_large() {
        seed::each(2, |random| {
            let (mut bench, mut sources, mut sinks) = bench_of(&codec, random);
            let mut expected = vec![Vec::new(); sources.len()];
            // With one error more the locator would still fit.
            for errors in 0..codec.t() - 1 {
                for (source, expected) in sources.iter_mut().zip(&mut expected) {
                    let data = random.bytes(codec.chunk_bytes());
                    let mut chunk = codec.received(random, &data, errors);
                    let added = last_syndrome_alone(&codec, random);
                    ecc::bch::flip_bits(&mut chunk.data, &mut chunk.parity, &added);
                    source.push_all(codec.packet(&chunk));
                    let beats = codec.beats(&chunk.data, [0, 1, 0]);
                    assert_eq!(codec.decoded(&chunk), beats, "the golden model agrees");
                    expected.extend(beats);
                }
            }
            run(&mut bench, &mut sources, &mut sinks, &expected);
        });
    }
}

/// A chunk with t wrong bits, and what was sent, whose locator has t + 1 coefficients before the last iteration already: one of
/// 2^m or so. A solver for t - 1 bits gives it up.
fn full_locator_early(codec: &Codec, random: &mut Random) -> (Vec<u8>, Received) {
    let mut weaker = ErrorLocator::new(codec.t() as u32 - 1);
    let mut scratch = codec.bch.scratch();
    let data = random.bytes(codec.chunk_bytes());
    loop {
        let chunk = codec.received(random, &data, codec.t());
        let syndromes = codec.bch.syndromes(&chunk.data, &chunk.parity, &mut scratch).unwrap();
        if weaker.solve(codec.bch.field(), &syndromes[..2 * codec.t() - 2]).is_none() {
            return (data, chunk);
        }
    }
}

#[test]
fn a_discrepancy_of_all_t_and_one_terms_is_summed_up() {
    for codec in Codec::default_and_large() {
        seed::each(2, |random| {
            let (mut bench, mut sources, mut sinks) = bench_of(&codec, random);
            let mut expected = vec![Vec::new(); sources.len()];
            for (source, expected) in sources.iter_mut().zip(&mut expected) {
                let (data, chunk) = full_locator_early(&codec, random);
                source.push_all(codec.packet(&chunk));
                expected.extend(codec.beats(&data, [codec.t() as u64, 0, 0]));
            }
            run(&mut bench, &mut sources, &mut sinks, &expected);
        });
    }
}
