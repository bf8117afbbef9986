//! Makes the samples in `traces/`: `cargo run --release -p firmament-trace --example samples -- traces`.
//!
//! No measured trace is behind them. Each begins as a load that is described here; a generator is then fitted to it, and
//! what the generator makes is written.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use trace::{Compressor, Format, Generator, Kind, Record, Statistics, Writer, UNKNOWN};

const GIB: u64 = 1 << 30;

fn main() -> io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "traces".to_owned());
    let folder = Path::new(&folder);
    sample(&folder.join("office.csv.xz"), (Format::Msr, &office(), 12_000))?;
    sample(&folder.join("cloud.csv.zst"), (Format::Alibaba, &cloud(), 12_000))
}

/// Writes a trace of so many records that is like a load.
fn sample(path: &Path, (format, load, count): (Format, &[Record], u64)) -> io::Result<()> {
    let mut statistics = Statistics::default();
    load.iter().for_each(|record| statistics.record(record));
    statistics.finish();
    let mut generator = Generator::new(&statistics, 1).map_err(io::Error::other)?;
    let out = Compressor::new(BufWriter::new(File::create(path)?), path)?;
    let mut writer = Writer::new(out, format)?;
    for _ in 0..count {
        writer.write(&generator.next())?;
    }
    writer.into_inner().finish()?.into_inner()?.sync_all()
}

/// Random numbers: a linear congruential generator with Knuth's MMIX constants, of which the upper bits are used.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    /// Exponentially distributed with this mean.
    fn pause(&mut self, mean: f64) -> u64 {
        let unit = (self.below(1 << 30) as f64 + 0.5) / (1_u64 << 30) as f64;
        (-unit.ln() * mean) as u64
    }

    fn among(&mut self, list: &[u64]) -> u64 {
        list[self.below(list.len() as u64) as usize]
    }
}

/// A file server in an office: one volume of 2 GiB, two writes for each read, bursts of some twenty requests with pauses of a
/// few hundred milliseconds between them, sequences among the reads, and a few hot places that are written again and again.
fn office() -> Vec<Record> {
    let (mut random, mut time_ns, mut end) = (Random(1), 0, 0);
    let record = |_| {
        let mean = if random.below(20) == 0 { 300e6 } else { 500e3 };
        time_ns += random.pause(mean);
        let kind = if random.below(3) == 0 { Kind::Read } else { Kind::Write };
        let length = match kind {
            Kind::Read => random.among(&[4096, 4096, 16384, 65536, 65536]),
            _ => random.among(&[512, 4096, 4096, 4096, 8192, 16384]),
        };
        let offset = match (kind, random.below(100)) {
            (Kind::Read, 0..40) => end,
            (Kind::Write, 0..70) => random.below(2000) * 4096,
            _ => random.below((2 * GIB - 65536) / 4096) * 4096,
        };
        let offset = if offset + length > 2 * GIB { 0 } else { offset };
        end = offset + length;
        let response_ns = 100_000 + random.pause(2e6);
        Record { time_ns, response_ns, volume: 0, kind, offset, length }
    };
    (0..60_000).map(record).collect()
}

/// Eight volumes of a cloud, 512 MiB each, the first as busy as all others: three writes for each read, Poisson arrivals of
/// 2,000 requests a second, and whole stretches written in order by two of the volumes.
fn cloud() -> Vec<Record> {
    const VOLUME: u64 = GIB / 2;
    let (mut random, mut time_ns, mut ends) = (Random(2), 0, [0; 8]);
    let record = |_| {
        time_ns += random.pause(500e3);
        let nth = if random.below(2) == 0 { 0 } else { 1 + random.below(7) as usize };
        let kind = if random.below(4) == 0 { Kind::Read } else { Kind::Write };
        let length = random.among(&[4096, 4096, 4096, 16384, 32768]);
        let offset = match nth {
            3 | 4 => ends[nth],
            _ if random.below(100) < 75 => random.below(3000) * 4096,
            _ => random.below((VOLUME - 32768) / 4096) * 4096,
        };
        let offset = if offset + length > VOLUME { 0 } else { offset };
        ends[nth] = offset + length;
        Record { time_ns, response_ns: UNKNOWN, volume: nth as u32, kind, offset, length }
    };
    (0..60_000).map(record).collect()
}
