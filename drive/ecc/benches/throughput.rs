//! Throughput of the data path: `cargo bench -p firmament-ecc` prints MB/s of page data on one core.

use ecc::bch::flip_bits;
use ecc::{
    Bch, BchParams, PageCodec, PageLayout, PagePayload, PagePayloadMut, Scrambler, ScramblerParams,
};
use std::hint::black_box;
use std::time::{Duration, Instant};

const LAYOUT: PageLayout = PageLayout { data_bytes: 16384, spare_bytes: 1664, metadata_bytes: 64 };

/// Repeats `page` for about half a second and prints the rate.
fn measure(name: &str, mut page: impl FnMut()) {
    let start = Instant::now();
    let mut pages = 0;
    while start.elapsed() < Duration::from_millis(500) {
        page();
        pages += 1;
    }
    let rate = (pages * LAYOUT.data_bytes) as f64 / start.elapsed().as_secs_f64() / 1e6;
    println!("{name:32} {rate:9.0} MB/s");
}

fn main() {
    let code = Bch::new(BchParams::default()).expect("the default code exists");
    let codec = PageCodec::new(code, LAYOUT).expect("the default layout fits");
    let scrambler = Scrambler::new(ScramblerParams::default()).expect("the default is primitive");
    let mut scratch = codec.scratch();
    let mut data: Vec<u8> = (0..LAYOUT.data_bytes).map(|i| (i * 167 + i / 256) as u8).collect();
    let mut metadata = vec![0xff; LAYOUT.metadata_bytes];
    let mut raw = vec![0; codec.raw_bytes()];

    measure("encode", || {
        codec.encode(PagePayload { data: black_box(&data), metadata: &metadata }, &mut raw);
    });
    for errors in [0, 1, 2, 5, 13] {
        let locations: Vec<u16> = (0..errors).map(|error| error * 167 + 20).collect();
        measure(&format!("decode, {errors} errors in each chunk"), || {
            for chunk in 0..LAYOUT.data_bytes / 256 {
                flip_bits(&mut raw[codec.code_word(chunk)], &mut [], &locations);
            }
            let into = PagePayloadMut { data: &mut data, metadata: &mut metadata };
            let report = codec.decode(&mut raw, into, &mut scratch);
            assert_eq!(report.corrected_bits, 64 * u32::from(errors));
        });
    }
    measure("scramble", || scrambler.apply(black_box(77), 0, black_box(&mut raw)));
    let erased = vec![0xff; codec.raw_bytes()];
    measure("erased page check", || assert_eq!(codec.erased(black_box(&erased)), Some(0)));
}
