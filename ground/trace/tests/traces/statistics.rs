//! Statistics of traces whose distributions are known.

use std::io::Cursor;

use trace::{Format, Kind, Reader, Record, Statistics, Strictness, UNKNOWN};

/// A plain generator, so that the tests need no other.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        random::next(&mut self.0)
    }

    /// Uniform in 0..1, without 0.
    pub fn unit(&mut self) -> f64 {
        ((self.bits() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.bits() % end
    }
}

pub fn gather(records: impl IntoIterator<Item = Record>) -> Statistics {
    let mut statistics = Statistics::default();
    records.into_iter().for_each(|record| statistics.record(&record));
    statistics.finish();
    statistics
}

fn record(time_ns: u64, kind: Kind, (offset, length): (u64, u64)) -> Record {
    Record { time_ns, response_ns: UNKNOWN, volume: 0, kind, offset, length }
}

#[test]
fn a_poisson_process_has_variation_and_dispersion_one() {
    let mut random = Random(1);
    let mut time = 0.0;
    let arrivals = (0..200_000).map(|_| {
        time += -random.unit().ln() * 1e6;
        record(time as u64, Kind::Read, (0, 4096))
    });
    let statistics = gather(arrivals.collect::<Vec<_>>());
    // Standard errors: of the mean 0.22 %, of the variation about 0.3 %, of the dispersion of 200 seconds 10 %.
    assert!((statistics.gaps.mean_ns() / 1e6 - 1.0).abs() < 0.01, "{}", statistics.gaps.mean_ns());
    assert!((statistics.gaps.variation() - 1.0).abs() < 0.02, "{}", statistics.gaps.variation());
    assert!((statistics.dispersion().unwrap() - 1.0).abs() < 0.4, "{:?}", statistics.dispersion());
    for (share, expected) in [(0.1, 0.10536), (0.5, std::f64::consts::LN_2), (0.99, 4.60517)] {
        let found = statistics.gaps.quantile_ns(share) as f64 / 1e6;
        assert!((found / expected - 1.0).abs() < 0.03, "{share}: {found} {expected}");
    }
    let (mean, peak) = statistics.rates();
    assert!((mean - 1000.0).abs() < 10.0 && peak > 1050 && peak < 1200, "{mean} {peak}");
}

#[test]
fn a_clock_has_no_variation_and_bursts_have_much() {
    let clock = gather((0..5000).map(|nth| record(nth * 1_000_000, Kind::Read, (0, 4096))));
    assert!(clock.gaps.variation() < 1e-6 && clock.dispersion().unwrap() < 0.01);
    // 1000 at once, once a second.
    let bursts = gather(
        (0..10_000_u64).map(|nth| record(nth / 1000 * 1_000_000_000, Kind::Read, (0, 4096))),
    );
    assert!(bursts.gaps.variation() > 30.0);
    assert_eq!(bursts.rates().1, 1000);
    let every_other = gather(
        (0..10_000_u64).map(|nth| record(nth / 1000 * 2_000_000_000, Kind::Read, (0, 4096))),
    );
    // Counts 1000, 0, 1000, ..., 0 in 18 whole seconds: the mean is 500, the variance its square.
    assert!((every_other.dispersion().unwrap() - 500.0).abs() < 1e-6);
}

#[test]
fn sequences_are_seen_alone_and_interleaved() {
    let alone = gather((0..1000).map(|nth| record(nth, Kind::Read, (nth * 4096, 4096))));
    assert_eq!((alone.of(Kind::Read).sequential, alone.of(Kind::Read).streaming), (999, 999));
    // Eight streams by turns.
    let woven = gather(
        (0..8000_u64).map(|nth| record(nth, Kind::Write, (((nth % 8) << 30) + nth / 8 * 512, 512))),
    );
    assert_eq!((woven.of(Kind::Write).sequential, woven.of(Kind::Write).streaming), (0, 7992));
    let mut random = Random(3);
    let apart = gather(
        (0..10_000).map(|nth| record(nth, Kind::Read, (random.below(1 << 30) * 4096, 4096))),
    );
    assert!(apart.sequential().1 < 0.001);
    // A third of the requests follow on.
    let mut end = 0;
    let mixed = gather((0..60_000).map(|nth| {
        let offset = if random.below(3) == 0 { end } else { random.below(1 << 30) * 4096 };
        end = offset + 8192;
        record(nth, Kind::Read, (offset, 8192))
    }));
    // Four standard errors of a share of a third.
    assert!((mixed.sequential().0 - 1.0 / 3.0).abs() < 4.0 * (2.0_f64 / 9.0 / 60_000.0).sqrt());
}

#[test]
fn skew_is_that_of_the_law_it_was_drawn_from() {
    let mut random = Random(5);
    let regions = 1000_u64;
    let bytes = 128 * 4096;
    let uniform = gather(
        (0..200_000).map(|nth| record(nth, Kind::Read, (random.below(regions) * bytes, 4096))),
    );
    // The most popular of equals have more by chance: 200 draws each, deviation 14; the top 10 % lie 1.755 deviations above.
    assert!(
        (uniform.skew(0.1) - 0.1 * (1.0 + 1.755 / 200.0_f64.sqrt())).abs() < 0.003,
        "{}",
        uniform.skew(0.1)
    );
    // Zipf with exponent 1: the first k of n get H(k) / H(n).
    let harmonic = |n: u64| (1..=n).map(|k| 1.0 / k as f64).sum::<f64>();
    let weights: Vec<f64> = (1..=regions)
        .scan(0.0, |sum, k| {
            *sum += 1.0 / k as f64 / harmonic(regions);
            Some(*sum)
        })
        .collect();
    let zipf = gather((0..200_000).map(|nth| {
        let point = random.unit();
        let rank = weights.partition_point(|&weight| weight < point).min(999) as u64;
        record(nth, Kind::Read, ((rank * 7919 % regions) * bytes, 4096))
    }));
    for share in [0.01, 0.1, 0.2] {
        let expected = harmonic((regions as f64 * share) as u64) / harmonic(regions);
        assert!(
            (zipf.skew(share) - expected).abs() < 0.01,
            "{share}: {} {expected}",
            zipf.skew(share)
        );
    }
}

#[test]
fn sizes_footprint_and_kinds_are_exact() {
    let mut records = Vec::new();
    for nth in 0..1000_u64 {
        records.push(record(nth, Kind::Read, (nth % 100 * 8192, 4096)));
        records.push(record(nth, Kind::Write, ((1 << 30) + nth % 10 * 65536, 16384)));
    }
    records.push(record(1000, Kind::Trim, (0, 1 << 40)));
    records.push(record(1000, Kind::Flush, (0, 0)));
    let statistics = gather(records);
    assert_eq!(statistics.regions.footprint(), [100 * 4096, 10 * 16384, 100 * 4096 + 10 * 16384]);
    let requests: Vec<_> = Kind::ALL.iter().map(|kind| statistics.of(*kind).requests).collect();
    assert_eq!(requests, [1000, 1000, 1, 1]);
    assert_eq!(statistics.of(Kind::Write).bytes, 16_384_000);
    assert_eq!(statistics.of(Kind::Write).lengths.most_frequent(3), [(16384, 1000)]);
    assert_eq!((statistics.end(), statistics.max_data_bytes), (1 << 40, 16384));
}

#[test]
fn strict_ends_with_the_first_line_that_cannot_be_read() {
    let text = "0,R,0,4096,1\n0,R,0,4096,2\nnonsense\n0,R,0,4096,3\n";
    let mut reader = Reader::new(Box::new(Cursor::new(text)), Format::Alibaba);
    let fault = Statistics::gather(&mut reader, Strictness::Strict, |_| true).unwrap_err();
    assert_eq!((fault.line, fault.found.as_str()), (3, "\"nonsense\""));
    let mut reader = Reader::new(Box::new(Cursor::new(text)), Format::Alibaba);
    let statistics = Statistics::gather(&mut reader, Strictness::Lenient, |_| true).unwrap();
    assert_eq!((statistics.requests(), statistics.faults.count, statistics.lines), (3, 1, 4));
    // The last line counts, too.
    let mut reader = Reader::new(Box::new(Cursor::new("0,R,0,4096,1\nnonsense")), Format::Alibaba);
    assert!(Statistics::gather(&mut reader, Strictness::Strict, |_| true).is_err());
}
