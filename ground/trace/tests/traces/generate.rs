//! Generated traces against those that they are to be like.

use trace::{Generator, GeneratorError, Kind, Record, Statistics, UNKNOWN};

use crate::statistics::{gather, Random};

const COUNT: u64 = 60_000;

/// A trace with phases of sequences, hot places and bursts, in two volumes.
fn busy(seed: u64) -> Vec<Record> {
    let mut random = Random(seed);
    let (mut time, mut ends) = (0.0, [0_u64; 2]);
    let record = |_| {
        // Bursts: nine of ten requests come at once, the tenth after a long pause.
        let mean = if random.below(10) == 0 { 2e6 } else { 2e4 };
        time += -random.unit().ln() * mean;
        let volume = (random.below(4) == 0) as usize;
        let kind = if random.below(100) < 70 { Kind::Read } else { Kind::Write };
        let length = match kind {
            Kind::Read => [4096, 4096, 8192, 65536][random.below(4) as usize],
            _ => [4096, 16384][random.below(2) as usize],
        };
        let offset = if random.below(100) < 30 {
            ends[volume]
        } else {
            // A tenth of the places gets most of the requests.
            let place =
                if random.below(100) < 80 { random.below(3000) } else { random.below(30_000) };
            place * 16384
        };
        ends[volume] = offset + length;
        let response_ns = 50_000 + random.below(400_000);
        Record { time_ns: time as u64, response_ns, volume: volume as u32, kind, offset, length }
    };
    (0..COUNT).map(record).collect()
}

/// Uniform single accesses, each place about once: what draws with replacement would get wrong.
fn sparse() -> Vec<Record> {
    let record = |nth: u64| Record {
        time_ns: nth * 100_000,
        response_ns: UNKNOWN,
        volume: 0,
        kind: Kind::Write,
        offset: nth * 7919 % COUNT * 8192,
        length: 8192,
    };
    (0..COUNT).map(record).collect()
}

/// One long walk.
fn walk() -> Vec<Record> {
    let record = |nth: u64| Record {
        time_ns: nth * 100_000,
        response_ns: UNKNOWN,
        volume: 0,
        kind: Kind::Read,
        offset: nth * 65536,
        length: 65536,
    };
    (0..COUNT / 4).map(record).collect()
}

fn like(statistics: &Statistics, seed: u64, count: u64) -> Statistics {
    let mut generator = Generator::new(statistics, seed).unwrap();
    gather((0..count).map(|_| generator.next()))
}

#[track_caller]
fn near(what: &str, found: f64, (wanted, tolerance): (f64, f64)) {
    assert!(
        (found - wanted).abs() <= tolerance,
        "{what}: found {found}, expected {wanted} within {tolerance}"
    );
}

/// The tolerances that docs/traces.md states.
fn check(records: Vec<Record>) {
    let wanted = gather(records);
    for seed in [1, 2] {
        let found = like(&wanted, seed, wanted.requests());
        let share = |statistics: &Statistics, kind| {
            statistics.of(kind).requests as f64 / statistics.requests() as f64
        };
        for kind in Kind::ALL {
            near(kind.name(), share(&found, kind), (share(&wanted, kind), 0.01));
        }
        for kind in [Kind::Read, Kind::Write] {
            if wanted.of(kind).requests > 0 {
                let mean = |s: &Statistics| s.of(kind).bytes as f64 / s.of(kind).requests as f64;
                near("mean size", mean(&found) / mean(&wanted), (1.0, 0.03));
            }
        }
        near("rate", found.rates().0 / wanted.rates().0, (1.0, 0.05));
        near(
            "variation",
            found.gaps.variation(),
            (wanted.gaps.variation(), 0.05 * wanted.gaps.variation().max(1.0)),
        );
        near("sequential", found.sequential().0, (wanted.sequential().0, 0.05));
        for share in [0.01, 0.1, 0.2] {
            near("skew", found.skew(share), (wanted.skew(share), 0.05));
        }
        let footprint = |s: &Statistics| s.regions.footprint()[2] as f64;
        near("footprint", footprint(&found) / footprint(&wanted), (1.0, 0.1));
        if wanted.responses.count() > 0 {
            near("response", found.responses.mean_ns() / wanted.responses.mean_ns(), (1.0, 0.03));
        }
    }
}

#[test]
fn a_busy_trace_is_fitted() {
    check(busy(1));
    check(busy(9));
}

#[test]
fn places_that_are_touched_once_are_fitted() {
    check(sparse());
}

#[test]
fn a_walk_is_fitted() {
    check(walk());
}

#[test]
fn the_same_seed_gives_the_same_trace() {
    let wanted = gather(busy(3));
    let records = |seed| {
        let mut generator = Generator::new(&wanted, seed).unwrap();
        (0..1000).map(|_| generator.next()).collect::<Vec<_>>()
    };
    assert_eq!(records(7), records(7));
    assert_ne!(records(7), records(8));
}

#[test]
fn there_is_nothing_like_nothing() {
    assert_eq!(Generator::new(&Statistics::default(), 1).unwrap_err(), GeneratorError::NoData);
    let flush = Record {
        time_ns: 0,
        response_ns: UNKNOWN,
        volume: 0,
        kind: Kind::Flush,
        offset: 0,
        length: 0,
    };
    assert!(Generator::new(&gather([flush]), 1).is_err());
    let trims = Record { kind: Kind::Trim, length: 4096, ..flush };
    assert!(Generator::new(&gather([trims]), 1).is_err());
}
