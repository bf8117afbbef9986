//! Pages of the default geometry through codec and scrambler.

mod random;

use ecc::bch::flip_bits;
use ecc::{
    Bch, BchParams, PageCodec, PageError, PageLayout, PageReport, Scrambler, ScramblerParams,
};
use random::Random;

/// The flash module of Cosmos+ Table 5, with 64 bytes of metadata.
const LAYOUT: PageLayout = PageLayout { data_bytes: 16384, spare_bytes: 1664, metadata_bytes: 64 };

fn codec() -> PageCodec {
    PageCodec::new(Bch::new(BchParams::default()).unwrap(), LAYOUT).unwrap()
}

/// A page with random data, metadata and rest of the spare, encoded.
fn encoded_page(codec: &PageCodec, random: &mut Random) -> (Vec<u8>, Vec<u8>) {
    let (data, mut spare) = (random.bytes(LAYOUT.data_bytes), random.bytes(LAYOUT.spare_bytes));
    codec.encode(&data, &mut spare);
    (data, spare)
}

/// Flips `count` bits of data chunk `chunk`, a part of them in its parity.
fn spoil(page: &mut (Vec<u8>, Vec<u8>), chunk: usize, count: usize, random: &mut Random) {
    let data = &mut page.0[chunk * 256..][..256];
    let parity = &mut page.1[64 + chunk * 20..][..20];
    let locations = random.bit_indices(1848..2204, count);
    flip_bits(data, parity, &locations);
}

#[test]
fn parity_follows_the_metadata_in_chunk_order_and_the_rest_is_untouched() {
    let (codec, mut random) = (codec(), Random::new(1));
    assert_eq!(codec.chunks(), 65);
    assert_eq!(codec.parity_range(), 64..64 + 65 * 20);
    let (data, before) = (random.bytes(16384), random.bytes(1664));
    let mut spare = before.clone();
    codec.encode(&data, &mut spare);
    assert_eq!(spare[..64], before[..64]);
    assert_eq!(spare[1364..], before[1364..]);
    let mut parity = [0; 20];
    for (index, chunk) in data.chunks(256).chain([&before[..64]]).enumerate() {
        codec.code().encode(chunk, &mut parity);
        assert_eq!(spare[64 + index * 20..][..20], parity, "chunk {index}");
    }
}

#[test]
fn report_counts_bits_chunks_and_failures() {
    let (codec, mut random) = (codec(), Random::new(2));
    let mut scratch = codec.scratch();
    let mut page = encoded_page(&codec, &mut random);
    let sent = page.clone();
    assert_eq!(codec.decode(&mut page.0, &mut page.1, &mut scratch), PageReport::default());
    assert_eq!(page, sent);

    for (chunk, bits) in [(0, 13), (7, 1), (63, 5)] {
        spoil(&mut page, chunk, bits, &mut random);
    }
    page.1[3] ^= 0x41;
    let report = codec.decode(&mut page.0, &mut page.1, &mut scratch);
    let expected = PageReport {
        corrected_bits: 21,
        max_chunk_bits: 13,
        chunks_with_errors: 4,
        uncorrectable_chunks: 0,
    };
    assert_eq!((report, report.is_uncorrectable()), (expected, false));
    assert_eq!(page, sent);

    spoil(&mut page, 5, 40, &mut random);
    let lost = page.0[5 * 256..6 * 256].to_vec();
    spoil(&mut page, 6, 2, &mut random);
    let report = codec.decode(&mut page.0, &mut page.1, &mut scratch);
    let expected = PageReport {
        corrected_bits: 2,
        max_chunk_bits: 2,
        chunks_with_errors: 2,
        uncorrectable_chunks: 1,
    };
    assert_eq!((report, report.is_uncorrectable()), (expected, true));
    assert_eq!(page.0[5 * 256..6 * 256], lost);
    assert_eq!(page.0[6 * 256..], sent.0[6 * 256..]);
}

#[test]
fn erased_pages_are_told_from_programmed_ones() {
    let (codec, mut random) = (codec(), Random::new(3));
    let mut page = (vec![0xff; 16384], vec![0xff; 1664]);
    assert_eq!(codec.erased(&page.0, &page.1), Some(0));
    for chunk in 0..64 {
        spoil(&mut page, chunk, 13, &mut random);
    }
    flip_bits(&mut page.1[..64], &mut [], &[0, 9, 511]);
    assert_eq!(codec.erased(&page.0, &page.1), Some(64 * 13 + 3));
    // Neither unused parity bits nor the bytes after the parity count.
    page.1[64 + 19] &= 0xf0;
    page.1[1364..].fill(0);
    assert_eq!(codec.erased(&page.0, &page.1), Some(64 * 13 + 3));
    page.0[0] = 0;
    assert_eq!(codec.erased(&page.0, &page.1), None);

    let programmed = encoded_page(&codec, &mut random);
    assert_eq!(codec.erased(&programmed.0, &programmed.1), None);
    let (ones, mut spare) = (vec![0xff; 16384], vec![0xff; 1664]);
    codec.encode(&ones, &mut spare);
    assert_eq!(codec.erased(&ones, &spare), None, "a page of ones was programmed all the same");
}

#[test]
fn scrambled_pages_with_raw_errors_come_back() {
    let (codec, mut random) = (codec(), Random::new(4));
    let scrambler = Scrambler::new(ScramblerParams::default()).unwrap();
    let mut scratch = codec.scratch();
    for row in [0, 77, 0x1f_ffff] {
        let sent = encoded_page(&codec, &mut random);
        let mut page = sent.clone();
        scrambler.apply(row, 0, &mut page.0);
        scrambler.apply(row, LAYOUT.data_bytes, &mut page.1);
        for chunk in 0..64 {
            spoil(&mut page, chunk, chunk % 14, &mut random);
        }
        assert_eq!(codec.erased(&page.0, &page.1), None);
        scrambler.apply(row, 0, &mut page.0);
        scrambler.apply(row, LAYOUT.data_bytes, &mut page.1);
        let report = codec.decode(&mut page.0, &mut page.1, &mut scratch);
        assert_eq!(report.corrected_bits, (0..64).map(|chunk| chunk % 14).sum::<u32>());
        assert_eq!(page, sent);
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
