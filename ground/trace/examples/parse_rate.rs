//! How many records of each format are parsed in a second of processor time, from memory:
//! `cargo run --release -p firmament-trace --example parse_rate`.

use std::io::Cursor;
use std::sync::Arc;

use cpu_time::ProcessTime;
use trace::{Format, Kind, Reader, Record, Statistics, Strictness, Writer};

const RECORDS: u64 = 1_000_000;
const ROUNDS: u32 = 5;

/// Bytes that many readers share.
#[derive(Clone)]
struct Shared(Arc<Vec<u8>>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

fn main() {
    println!("{:<11} {:>16} {:>16}", "format", "read/CPU s", "with statistics");
    for format in Format::all() {
        let text = Shared(Arc::new(text(format)));
        let reader = || Reader::new(Box::new(Cursor::new(text.clone())), format);
        let read = best(|| {
            let mut reader = reader();
            while reader.next().is_some() {}
            reader.records()
        });
        let told = best(|| {
            let mut reader = reader();
            let told = Statistics::gather(&mut reader, Strictness::Strict, |_| true);
            told.expect("all lines are good").requests()
        });
        println!("{:<11} {read:>16.0} {told:>16.0}", format.name());
    }
}

/// Records a second of processor time, in the best of some rounds.
fn best(work: impl Fn() -> u64) -> f64 {
    let rates = (0..ROUNDS).map(|_| {
        let start = ProcessTime::now();
        work() as f64 / start.elapsed().as_secs_f64()
    });
    rates.fold(0.0, f64::max)
}

/// Requests of 16 volumes by turns, at random places.
fn text(format: Format) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), format).expect("memory takes it");
    let mut place = 1_u64;
    for nth in 0..RECORDS {
        place =
            place.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let record = Record {
            time_ns: nth * 100_000,
            response_ns: 50_000 + place % 100_000,
            volume: (place >> 60) as u32,
            kind: if place >> 33 & 3 == 0 { Kind::Write } else { Kind::Read },
            offset: (place >> 34) % (1 << 24) * 4096,
            length: 4096 << (place >> 40 & 3),
        };
        writer.write(&record).expect("memory takes it");
    }
    writer.into_inner()
}
