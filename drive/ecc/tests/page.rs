//! Pages of the default geometry through codec and scrambler.

mod random;

use ecc::bch::flip_bits;
use ecc::{
    Bch, BchParams, PageCodec, PageError, PageLayout, PagePayload, PagePayloadMut, PageReport,
    Scrambler, ScramblerParams,
};
use random::Random;

/// The flash module of Cosmos+ Table 5, with 64 bytes of metadata.
const LAYOUT: PageLayout = PageLayout { data_bytes: 16384, spare_bytes: 1664, metadata_bytes: 64 };
const PAGE_BYTES: usize = 18048;

/// What a page carries: data and metadata.
type Payload = (Vec<u8>, Vec<u8>);

fn codec() -> PageCodec {
    PageCodec::new(Bch::new(BchParams::default()).unwrap(), LAYOUT).unwrap()
}

fn random_payload(random: &mut Random) -> Payload {
    (random.bytes(LAYOUT.data_bytes), random.bytes(LAYOUT.metadata_bytes))
}

/// The raw page of a payload, the bytes behind the code words being `rest`.
fn encoded(codec: &PageCodec, (data, metadata): &Payload, rest: u8) -> Vec<u8> {
    let mut raw = vec![rest; PAGE_BYTES];
    codec.encode(PagePayload { data, metadata }, &mut raw);
    raw
}

fn decoded(codec: &PageCodec, raw: &mut [u8]) -> (PageReport, Payload) {
    let (mut data, mut metadata) = (vec![0; LAYOUT.data_bytes], vec![0; LAYOUT.metadata_bytes]);
    let into = PagePayloadMut { data: &mut data, metadata: &mut metadata };
    let report = codec.decode(raw, into, &mut codec.scratch());
    (report, (data, metadata))
}

/// Flips `count` bits of a data chunk, a part of them in its parity.
fn spoil(raw: &mut [u8], chunk: usize, count: usize, random: &mut Random) {
    let locations = random.bit_indices(1848..2204, count);
    flip_bits(&mut raw[chunk * 276..][..276], &mut [], &locations);
}

#[test]
fn code_words_follow_one_another_and_the_rest_is_untouched() {
    let (codec, mut random) = (codec(), Random::new(1));
    assert_eq!((codec.chunks(), codec.raw_bytes()), (65, PAGE_BYTES));
    let payload = random_payload(&mut random);
    let raw = encoded(&codec, &payload, 0x5a);
    let mut parity = [0; 20];
    let chunks = payload.0.chunks(256).chain([&*payload.1]);
    let mut start = 0;
    for (index, chunk) in chunks.enumerate() {
        let end = start + chunk.len() + 20;
        assert_eq!(codec.code_word(index), start..end);
        codec.code().encode(chunk, &mut parity);
        assert_eq!(raw[start..end], [chunk, &parity].concat(), "chunk {index}");
        start = end;
    }
    assert_eq!(start, 64 * 276 + 84);
    assert!(raw[start..].iter().all(|&byte| byte == 0x5a));
}

#[test]
fn report_counts_bits_chunks_and_failures() {
    let (codec, mut random) = (codec(), Random::new(2));
    let sent = random_payload(&mut random);
    let clean = encoded(&codec, &sent, 0);
    let mut raw = clean.clone();
    assert_eq!(decoded(&codec, &mut raw), (PageReport::default(), sent.clone()));
    assert_eq!(raw, clean);

    for (chunk, bits) in [(0, 13), (7, 1), (63, 5)] {
        spoil(&mut raw, chunk, bits, &mut random);
    }
    raw[64 * 276 + 3] ^= 0x41;
    let expected = PageReport {
        corrected_bits: 21,
        max_chunk_bits: 13,
        chunks_with_errors: 4,
        uncorrectable_chunks: 0,
    };
    assert!(!expected.is_uncorrectable());
    assert_eq!(decoded(&codec, &mut raw), (expected, sent.clone()));
    assert_eq!(raw, clean);

    spoil(&mut raw, 5, 40, &mut random);
    let lost = raw[5 * 276..][..256].to_vec();
    spoil(&mut raw, 6, 2, &mut random);
    let expected = PageReport {
        corrected_bits: 2,
        max_chunk_bits: 2,
        chunks_with_errors: 2,
        uncorrectable_chunks: 1,
    };
    assert!(expected.is_uncorrectable());
    let (report, (data, metadata)) = decoded(&codec, &mut raw);
    assert_eq!((report, metadata), (expected, sent.1));
    assert_eq!(data[5 * 256..6 * 256], lost);
    assert_eq!(data[6 * 256..], sent.0[6 * 256..]);
}

#[test]
fn a_part_is_corrected_and_the_rest_of_the_page_not_looked_at() {
    let (codec, mut random) = (codec(), Random::new(5));
    let sent = random_payload(&mut random);
    let mut raw = encoded(&codec, &sent, 0);
    for chunk in [15, 16, 20, 32] {
        spoil(&mut raw, chunk, if chunk == 20 { 3 } else { 13 }, &mut random);
    }
    raw[..276].fill(0xff);
    let before = raw.clone();
    let mut data = vec![0; 4096];
    let report = codec.decode_part(
        &mut raw,
        (16, PagePayloadMut { data: &mut data, metadata: &mut [] }),
        &mut codec.scratch(),
    );
    assert_eq!(data, sent.0[4096..8192]);
    assert_eq!((report.corrected_bits, report.chunks_with_errors), (16, 2));
    assert_eq!((&raw[..16 * 276], &raw[32 * 276..]), (&before[..16 * 276], &before[32 * 276..]));
    assert_eq!(codec.erased_part(&raw, 0..1), Some(0));
    assert_eq!(codec.erased_part(&raw, 0..2), None);
}

#[test]
fn erased_pages_are_told_from_programmed_ones() {
    let (codec, mut random) = (codec(), Random::new(3));
    let mut raw = vec![0xff; PAGE_BYTES];
    assert_eq!(codec.erased(&raw), Some(0));
    for chunk in 0..64 {
        spoil(&mut raw, chunk, 13, &mut random);
    }
    flip_bits(&mut raw[64 * 276..], &mut [], &[0, 9, 511]);
    assert_eq!(codec.erased(&raw), Some(64 * 13 + 3));
    // Neither unused parity bits nor the bytes after the parity count.
    raw[275] &= 0xf0;
    raw[64 * 276 + 84..].fill(0);
    assert_eq!(codec.erased(&raw), Some(64 * 13 + 3));
    raw[..2].fill(0);
    assert_eq!(codec.erased(&raw), None);

    let programmed = encoded(&codec, &random_payload(&mut random), 0xff);
    assert_eq!(codec.erased(&programmed), None);
    let ones = encoded(&codec, &(vec![0xff; 16384], vec![0xff; 64]), 0xff);
    assert_eq!(codec.erased(&ones), None, "a page of ones was programmed all the same");
}

#[test]
fn scrambled_pages_with_raw_errors_come_back() {
    let (codec, mut random) = (codec(), Random::new(4));
    let scrambler = Scrambler::new(ScramblerParams::default()).unwrap();
    for row in [0, 77, 0x1f_ffff] {
        let sent = random_payload(&mut random);
        let mut raw = encoded(&codec, &sent, 0);
        scrambler.apply(row, 0, &mut raw);
        for chunk in 0..64 {
            spoil(&mut raw, chunk, chunk % 14, &mut random);
        }
        assert_eq!(codec.erased(&raw), None);
        scrambler.apply(row, 0, &mut raw);
        let (report, found) = decoded(&codec, &mut raw);
        assert_eq!(report.corrected_bits, (0..64).map(|chunk| chunk % 14).sum::<u32>());
        assert_eq!(found, sent);
    }
}

#[test]
fn layouts_that_do_not_fit_are_refused_with_one_line() {
    let code = Bch::new(BchParams::default()).unwrap();
    for (layout, expected, message) in [
        (
            PageLayout { data_bytes: 1000, ..LAYOUT },
            PageError::PartialChunk { data_bytes: 1000, chunk_bytes: 256 },
            "page data_bytes: found 1000, expected a multiple of the ECC chunk of 256 bytes",
        ),
        (
            PageLayout { data_bytes: 0, ..LAYOUT },
            PageError::PartialChunk { data_bytes: 0, chunk_bytes: 256 },
            "page data_bytes: found 0, expected a multiple of the ECC chunk of 256 bytes",
        ),
        (
            PageLayout { spare_bytes: 1363, ..LAYOUT },
            PageError::SpareTooSmall { spare_bytes: 1363, needed_bytes: 1364 },
            "page spare_bytes: found 1363, expected at least 1364 for metadata and parity",
        ),
    ] {
        let error = PageCodec::new(code.clone(), layout).unwrap_err();
        assert_eq!((error, error.to_string().as_str()), (expected, message));
    }
    assert!(PageCodec::new(code, PageLayout { spare_bytes: 1364, ..LAYOUT }).is_ok());
}
