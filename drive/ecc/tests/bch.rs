//! The BCH codec against its definition, over codes of all register widths.

mod random;

use ecc::bch::flip_bits;
use ecc::{Bch, BchParams, Decoded};
use proptest::prelude::*;
use random::Random;
use std::sync::LazyLock;

static CODES: LazyLock<Vec<Bch>> = LazyLock::new(|| {
    let small = [(256, 13), (1, 1), (2, 3), (29, 2), (64, 4), (100, 8)];
    // From 256 bytes on, about as many parity bits for each data bit: 7.6 %.
    let alike = [(512, 24), (1024, 45), (2048, 83), (4096, 156)];
    let codes = small.into_iter().chain(alike);
    codes.map(|(chunk_bytes, t)| Bch::new(BchParams { chunk_bytes, t }).unwrap()).collect()
});

/// The default code, and any other as often.
fn any_code() -> impl Strategy<Value = &'static Bch> {
    prop_oneof![Just(&CODES[0]), (1..CODES.len()).prop_map(|index| &CODES[index])]
}

/// A code, the length of a chunk, full or shorter, and a seed for the data.
fn any_chunk() -> impl Strategy<Value = (&'static Bch, usize, u64)> {
    any_code().prop_flat_map(|code| {
        let full = code.params().chunk_bytes;
        (Just(code), prop_oneof![Just(full), 1..=full], any::<u64>())
    })
}

#[derive(Clone, Copy, Debug)]
enum Place {
    Anywhere,
    Data,
    Parity,
}

impl Place {
    fn bits(self, data_bytes: usize, code: &Bch) -> std::ops::Range<usize> {
        let (data, all) = (data_bytes * 8, data_bytes * 8 + code.parity_bits() as usize);
        match self {
            Self::Anywhere => 0..all,
            Self::Data => 0..data,
            Self::Parity => data..all,
        }
    }
}

fn encoded(code: &Bch, data: &[u8]) -> Vec<u8> {
    let mut parity = vec![0; code.parity_bytes()];
    code.encode(data, &mut parity);
    parity
}

/// The received polynomial at α^j, a bit at a time.
fn evaluate(code: &Bch, data: &[u8], parity: &[u8], j: u64) -> u16 {
    let length = data.len() * 8 + code.parity_bits() as usize;
    let word: Vec<u8> = data.iter().chain(parity).copied().collect();
    (0..length)
        .filter(|k| word[k / 8] & (0x80 >> (k % 8)) != 0)
        .fold(0, |sum, k| sum ^ code.field().exp_reduced((length - 1 - k) as u64 * j))
}

/// Decodes a chunk with `errors` wrong bits in `place` and checks that it is as it was.
fn check_correction(code: &Bch, random: &mut Random, shape: (usize, Place, usize)) {
    let (data_bytes, place, errors) = shape;
    let (mut data, mut scratch) = (random.bytes(data_bytes), code.scratch());
    let mut parity = encoded(code, &data);
    let sent = (data.clone(), parity.clone());
    let range = place.bits(data_bytes, code);
    let errors = errors.min(range.len());
    flip_bits(&mut data, &mut parity, &random.bit_indices(range, errors));
    let expected = if errors == 0 { Decoded::Clean } else { Decoded::Corrected(errors as u32) };
    assert_eq!(code.decode(&mut data, &mut parity, &mut scratch), expected);
    assert_eq!((data, parity), sent);
}

#[test]
fn default_code_corrects_every_error_count_up_to_13_everywhere() {
    let mut random = Random::new(1);
    for errors in 0..=13 {
        for place in [Place::Anywhere, Place::Data, Place::Parity] {
            for _ in 0..8 {
                check_correction(&CODES[0], &mut random, (256, place, errors));
            }
        }
    }
}

#[test]
fn default_code_corrects_a_single_error_in_each_position() {
    let code = &CODES[0];
    let (mut data, mut scratch) = (Random::new(2).bytes(256), code.scratch());
    let mut parity = encoded(code, &data);
    let sent = (data.clone(), parity.clone());
    for location in 0..2048 + 156 {
        flip_bits(&mut data, &mut parity, &[location]);
        let decoded = code.decode(&mut data, &mut parity, &mut scratch);
        assert_eq!(decoded, Decoded::Corrected(1), "bit {location}");
        assert_eq!((&data, &parity), (&sent.0, &sent.1), "bit {location}");
    }
}

#[test]
fn unused_parity_bits_are_written_zero_and_ignored() {
    let code = &CODES[0];
    let mut data = Random::new(3).bytes(256);
    let mut parity = encoded(code, &data);
    assert_eq!(parity[19] & 0x0f, 0);
    parity[19] |= 0x0f;
    let sent = (data.clone(), parity.clone());
    let mut scratch = code.scratch();
    assert_eq!(code.decode(&mut data, &mut parity, &mut scratch), Decoded::Clean);
    data[7] ^= 0x10;
    assert_eq!(code.decode(&mut data, &mut parity, &mut scratch), Decoded::Corrected(1));
    assert_eq!((data, parity), sent);
}

proptest! {
    #[test]
    fn up_to_t_errors_are_corrected(
        (code, data_bytes, seed) in any_chunk(),
        place in prop_oneof![Just(Place::Anywhere), Just(Place::Data), Just(Place::Parity)],
        share in 0..=100u32,
    ) {
        let errors = (code.params().t * share / 100) as usize;
        check_correction(code, &mut Random::new(seed), (data_bytes, place, errors));
    }

    #[test]
    fn parity_of_a_sum_is_the_sum_of_the_parities((code, data_bytes, seed) in any_chunk()) {
        let mut random = Random::new(seed);
        let (a, b) = (random.bytes(data_bytes), random.bytes(data_bytes));
        let sum = |a: &[u8], b: &[u8]| -> Vec<u8> { a.iter().zip(b).map(|(a, b)| a ^ b).collect() };
        prop_assert_eq!(
            encoded(code, &sum(&a, &b)),
            sum(&encoded(code, &a), &encoded(code, &b))
        );
    }

    #[test]
    fn a_short_chunk_is_one_with_leading_zeros((code, data_bytes, seed) in any_chunk()) {
        let data = Random::new(seed).bytes(data_bytes);
        let mut full = vec![0; code.params().chunk_bytes - data_bytes];
        full.extend_from_slice(&data);
        prop_assert_eq!(encoded(code, &data), encoded(code, &full));
    }

    #[test]
    fn more_than_t_errors_never_pass_as_clean(
        (code, data_bytes, seed) in any_chunk(),
        excess in 1..=100u32,
    ) {
        let t = code.params().t;
        // Code words differ in at least 2t + 1 bits, so up to 2t errors never make another one.
        let errors = (t + 1 + (t - 1) * excess / 100) as usize;
        let mut random = Random::new(seed);
        let mut data = random.bytes(data_bytes);
        let mut parity = encoded(code, &data);
        let sent = (data.clone(), parity.clone());
        let range = Place::Anywhere.bits(data_bytes, code);
        flip_bits(&mut data, &mut parity, &random.bit_indices(range, errors));
        let received = (data.clone(), parity.clone());
        match code.decode(&mut data, &mut parity, &mut code.scratch()) {
            Decoded::Clean => prop_assert!(false, "{} errors read as clean", errors),
            Decoded::Uncorrectable => prop_assert_eq!((data, parity), received),
            Decoded::Corrected(bits) => {
                prop_assert!(bits <= t);
                prop_assert_ne!(&data, &sent.0, "corrected to what no decoder can know");
                prop_assert_eq!(&encoded(code, &data), &parity);
                let distance: u32 = received.0.iter().chain(&received.1)
                    .zip(data.iter().chain(&parity)).map(|(a, b)| (a ^ b).count_ones()).sum();
                prop_assert_eq!(distance, bits);
            }
        }
    }
}

#[test]
fn syndromes_are_the_received_polynomial_at_the_powers_of_alpha() {
    let mut random = Random::new(4);
    for code in CODES.iter() {
        let mut scratch = code.scratch();
        let data = random.bytes(code.params().chunk_bytes);
        let sent = encoded(code, &data);
        assert_eq!(code.syndromes(&data, &sent, &mut scratch), None);
        let received = random.bytes(sent.len());
        let syndromes = code.syndromes(&data, &received, &mut scratch).expect("not a code word");
        assert_eq!(syndromes.len(), 2 * code.params().t as usize);
        for (j, &syndrome) in (1..).zip(syndromes) {
            assert_eq!(evaluate(code, &data, &received, j), syndrome, "S_{j}");
        }
    }
}

/// Share of all words of the space that lie within t bits of a code word.
fn covered_share(code: &Bch) -> f64 {
    let length = (code.params().chunk_bytes * 8) as f64 + f64::from(code.parity_bits());
    // Divided by the number of syndromes at once, in logarithms: neither fits in a number alone.
    let mut layer = -f64::from(code.parity_bits());
    let mut share = layer.exp2();
    for errors in 0..code.params().t {
        layer += ((length - f64::from(errors)) / f64::from(errors + 1)).log2();
        share += layer.exp2();
    }
    share
}

#[test]
fn random_words_are_miscorrected_as_often_as_the_spheres_cover_the_space() {
    // Spheres of radius t around the code words do not meet. A random word decodes if it lies in
    // one, so the share is known exactly, and below 1/t! but for the terms of lower order.
    let short = [(2, 3, 1.0 / 6.0), (29, 2, 1.0 / 2.0), (120, 3, 1.0 / 6.0), (58, 4, 1.0 / 24.0)];
    // The chunks of Figure 28, with a strength at which miscorrection can be counted.
    let chunks =
        [(256, 3, 1.0 / 6.0), (512, 2, 0.5), (1024, 3, 1.0 / 6.0), (2048, 2, 0.5), (4096, 2, 0.5)];
    for (chunk_bytes, t, bound) in short.into_iter().chain(chunks) {
        let code = Bch::new(BchParams { chunk_bytes, t }).unwrap();
        let (mut random, mut scratch) = (Random::new(5), code.scratch());
        let samples = if chunk_bytes < 256 { 40_000 } else { 3_000 };
        let decoded = (0..samples)
            .filter(|_| {
                let (mut data, mut parity) =
                    (random.bytes(chunk_bytes), random.bytes(code.parity_bytes()));
                code.decode(&mut data, &mut parity, &mut scratch) != Decoded::Uncorrectable
            })
            .count();
        let (found, expected) = (decoded as f64 / f64::from(samples), covered_share(&code));
        let deviation = (expected * (1.0 - expected) / f64::from(samples)).sqrt();
        assert!(
            (found - expected).abs() < 5.0 * deviation,
            "{chunk_bytes} bytes, t = {t}: found {found}, expected {expected} ± {deviation}"
        );
        assert!(found < bound, "{chunk_bytes} bytes, t = {t}: found {found}, bound {bound}");
    }
}

/// The codes of Figure 28 of Cosmos+: chunks of 256 to 4096 bytes.
fn figure_28() -> impl Iterator<Item = &'static Bch> {
    CODES.iter().filter(|code| code.params().chunk_bytes >= 256)
}

#[test]
fn codes_of_figure_28_correct_t_bits_anywhere() {
    let mut random = Random::new(7);
    for code in figure_28() {
        let BchParams { chunk_bytes, t } = code.params();
        for place in [Place::Anywhere, Place::Data, Place::Parity] {
            check_correction(code, &mut random, (chunk_bytes, place, t as usize));
        }
    }
}

#[test]
fn codes_of_figure_28_find_one_bit_too_many_and_random_words_uncorrectable() {
    for code in figure_28() {
        let BchParams { chunk_bytes, t } = code.params();
        // One word in 13! or more would decode by chance.
        assert!(covered_share(code) < 1e-9, "{chunk_bytes} bytes: {}", covered_share(code));
        let (mut random, mut scratch) = (Random::new(6), code.scratch());
        let mut refuse = |mut data: Vec<u8>, mut parity: Vec<u8>| {
            let received = (data.clone(), parity.clone());
            let decoded = code.decode(&mut data, &mut parity, &mut scratch);
            assert_eq!(decoded, Decoded::Uncorrectable, "{chunk_bytes} bytes");
            assert_eq!((data, parity), received, "{chunk_bytes} bytes");
        };
        for _ in 0..100_000 / chunk_bytes {
            refuse(random.bytes(chunk_bytes), random.bytes(code.parity_bytes()));
        }
        for _ in 0..5 {
            let mut data = random.bytes(chunk_bytes);
            let mut parity = encoded(code, &data);
            let range = Place::Anywhere.bits(chunk_bytes, code);
            flip_bits(&mut data, &mut parity, &random.bit_indices(range, t as usize + 1));
            refuse(data, parity);
        }
    }
}
