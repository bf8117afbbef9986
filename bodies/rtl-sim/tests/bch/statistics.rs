//! Words beyond correction are taken for others no more often than theory says.

use crate::bch::chunk::{Codec, Received};
use rtl_sim::{seed, Bench, Pace};

/// Share of all words of the space that lie within t bits of a code word. The spheres of radius t
/// around the code words do not meet, so this is the share of random words that decode.
fn covered_share(codec: &Codec) -> f64 {
    let length = (codec.chunk_bytes() * 8) as f64 + f64::from(codec.bch.parity_bits());
    let (mut sphere, mut layer) = (1.0, 1.0);
    for errors in 0..codec.t() {
        layer *= (length - errors as f64) / (errors + 1) as f64;
        sphere += layer;
    }
    sphere / f64::from(codec.bch.parity_bits()).exp2()
}

/// How many of so many random words of a code are taken for code words.
fn decoded_words(codec: &Codec, words: usize, random: &mut rtl_sim::Random) -> usize {
    let mut bench = Bench::new(codec.top);
    let mut source = codec.source(&bench, 0, Pace::Always);
    let mut sink = codec.sink(&bench, 0, Pace::Always);
    for _ in 0..words {
        let mut parity = random.bytes(codec.bch.parity_bytes());
        let unused = codec.bch.parity_bytes() as u32 * 8 - codec.bch.parity_bits();
        *parity.last_mut().unwrap() &= 0xff << unused;
        let chunk = Received { data: random.bytes(codec.chunk_bytes()), parity, mask: 0 };
        source.push_all(codec.packet(&chunk));
    }
    let expected = words * codec.chunk_bytes() / codec.word_bytes;
    while sink.received().len() < expected {
        bench.cycle(&mut [&mut source, &mut sink]);
        assert!(bench.cycles() < 1000 * words as u64, "stuck");
    }
    sink.received().iter().filter(|beat| beat[1] == 1 && beat[3] == 0).count()
}

#[test]
fn random_words_decode_as_often_as_the_spheres_cover_the_space() {
    let codec = Codec::small();
    seed::each(1, |random| {
        let words = 8000;
        let found = decoded_words(&codec, words, random) as f64 / words as f64;
        let expected = covered_share(&codec);
        let deviation = (expected * (1.0 - expected) / words as f64).sqrt();
        assert!(
            (found - expected).abs() < 5.0 * deviation,
            "found {found}, expected {expected} ± {deviation}"
        );
    });
}

#[test]
fn random_words_of_the_default_code_are_found_beyond_correction() {
    // About one in 13! would decode by chance.
    seed::each(1, |random| assert_eq!(decoded_words(&Codec::default_code(), 200, random), 0));
}
