//! What the collector makes of runs whose latencies are given.

use super::*;
use crate::confidence::interval::Level;

/// A run of so many batches; `latency` gives that of each request by its number. Returns the collector, and
/// the requests after which it had all that was asked for.
fn run(of: Figure, batches: u64, latency: impl Fn(u64) -> u64) -> (Collector, Option<u64>) {
    let asked = Asked { figures: vec![of], error: 0.01, level: Level::USUAL };
    let (mut collector, mut requests, mut enough) = (Collector::new(asked), 0, None);
    for _ in 0..batches {
        while !collector.is_full() {
            collector.record(Observation { kind: 0, latency: latency(requests) });
            requests += 1;
        }
        let verdict = collector.close(Written { host: 2.0, flash: 3.0 });
        if verdict.is_some_and(|verdict| verdict.is_converged()) {
            enough.get_or_insert(requests);
        }
    }
    (collector, enough)
}

/// Latencies about 1,000 that follow each other as those of no process would.
fn level(nth: u64) -> u64 {
    950 + nth.wrapping_mul(0x9e37_79b9_7f4a_7c15) % 101
}

#[test]
fn a_beginning_that_is_not_like_the_rest_is_left_out() {
    let early = 6_000;
    let latency = |nth| level(nth) * if nth < early { 5 } else { 1 };
    let (collector, _) = run(Figure::Mean, 1_000, latency);
    let verdict = collector.verdict();
    let cut = verdict.warm_up.expect("it has settled");
    assert!((early..early + 2_000).contains(&cut), "{verdict:?}");
    let mean = verdict.figures[0].interval.mean;
    assert!((mean - 1_000.0).abs() < 5.0, "{mean}");
}

#[test]
fn a_run_that_goes_on_rising_is_not_known() {
    let (collector, enough) = run(Figure::Mean, 2_000, |nth| 1_000 + nth / 10);
    let verdict = collector.verdict();
    assert_eq!((enough, verdict.warm_up), (None, None));
    assert_eq!(verdict.figures[0].interval.half_width, None);
    assert!(verdict.figures[0].interval.mean > 0.0);
}

#[test]
fn batches_that_join_lose_nothing() {
    let (collector, _) =
        run(Figure::Mean, 2_000, |nth| level(nth) + 100 * (nth / FIRST_REQUESTS % 2));
    let verdict = collector.verdict();
    let all = verdict.requests + verdict.warm_up.expect("it has settled");
    let batches: u64 = collector.batches.iter().map(|batch| batch.requests).sum();
    assert!(all == batches && collector.requests > FIRST_REQUESTS, "{verdict:?}");
    assert!((verdict.figures[0].interval.mean - 1_050.0).abs() < 2.0, "{verdict:?}");
}

#[test]
fn percentiles_wait_for_requests_beyond_them() {
    let (_, mean) = run(Figure::Mean, 1_500, |_| 700);
    assert_eq!(mean, Some(FIRST_LOOK as u64 * FIRST_REQUESTS));
    // 32 sections of 1,000 requests, ten of which are beyond: the next look is at 49,152, since 32,768 leave 16 of each over.
    let (_, p99) = run(Figure::Quantile(0.99), 1_500, |_| 700);
    assert!(p99.is_some_and(|requests| (32_000..50_000).contains(&requests)), "{p99:?}");
    let (collector, _) = run(Figure::WriteAmplification, 300, |_| 700);
    let verdict = collector.verdict();
    assert_eq!((verdict.figures.len(), verdict.figures[0].interval.mean), (1, 1.5));
    assert!(verdict.is_converged());
}

/// Whatever the warm-up leaves: sections that differed in size would differ in what they tell, too.
#[test]
fn sections_and_their_halves_are_of_one_size_and_follow_each_other() {
    let latency = |nth: u64| 1_000 + nth;
    for batches in [1, 63, 64, 65, 100, 127, 128, 129, 300, 383, 500, 511, 512, 700, 1_023] {
        let (collector, _) = run(Figure::Mean, batches, latency);
        let count = collector.batches.len();
        for warm_up in (0..=count / 2).step_by(7).map(Some).chain([None]) {
            let Division { first, all, sections, halves } = collector.divide(warm_up);
            let kept = warm_up.unwrap_or(count / 2);
            let each = (count - kept) / 64;
            let told = format!("{batches} batches, warm-up {warm_up:?}");
            assert_eq!(
                (sections.len(), halves.len()),
                if each > 0 { (32, 64) } else { (0, 0) },
                "{told}"
            );
            // What is left over is less than a batch a half, and goes to the front.
            let most = if each > 0 { 64 } else { 1 };
            assert!((kept..kept + most).contains(&first), "{told}: from {first}");
            assert_eq!(all.requests, (count - first) as u64 * collector.requests, "{told}");
            for (parts, batches) in [(&sections, 2 * each), (&halves, each)] {
                let mut next = first;
                for part in parts {
                    let own = Batch::together(&collector.batches[next..next + batches]);
                    assert_eq!(part.requests, batches as u64 * collector.requests, "{told}");
                    assert_eq!(part.latencies[0].sum, own.latencies[0].sum, "{told}");
                    next += batches;
                }
                assert!(parts.is_empty() || next == count, "{told}: up to {next}");
            }
        }
    }
}

/// The same through what a run is told of itself.
#[test]
fn a_verdict_has_as_many_requests_in_each_of_its_sections() {
    for batches in [200, 257, 300, 400, 450, 513, 600] {
        let (collector, _) = run(Figure::Mean, batches, level);
        let verdict = collector.verdict();
        let each = 64 * collector.requests;
        assert_eq!((verdict.sections, verdict.requests % each), (32, 0), "{verdict:?}");
        let left_out = verdict.warm_up.expect("it has settled");
        let all = collector.batches.len() as u64 * collector.requests;
        assert!(left_out + verdict.requests == all && left_out < all / 2, "{verdict:?}");
    }
}

/// A run whose requests are given by their number as kind and latency, and whose bytes by the number of the batch.
fn run_of(
    asked: Asked,
    batches: u64,
    request: impl Fn(u64) -> (usize, u64),
    written: impl Fn(u64) -> Written,
) -> Collector {
    let (mut collector, mut requests) = (Collector::new(asked), 0);
    for batch in 0..batches {
        while !collector.is_full() {
            let (kind, latency) = request(requests);
            collector.record(Observation { kind, latency });
            requests += 1;
        }
        collector.close(written(batch));
    }
    collector
}

fn asked(figure: Figure, error: f64) -> Asked {
    Asked { figures: vec![figure], error, level: Level::USUAL }
}

const NOTHING: Written = Written { host: 0.0, flash: 0.0 };

/// Many requests beyond a quantile in some sections do not make up for few in others.
#[test]
fn a_percentile_is_known_once_every_section_has_requests_beyond_it() {
    let is_of_kind = |nth: u64| nth < 15_000 && nth % 2 == 0 || nth % 64 == 0;
    let request = |nth| (usize::from(is_of_kind(nth)), 700);
    let collector = run_of(asked(Figure::Quantile(0.9), 0.01), 1_000, request, |_| NOTHING);
    let verdict = collector.verdict();
    let [both, seldom] = &verdict.figures[..] else { panic!("{verdict:?}") };
    assert_eq!((both.kind, seldom.kind), (Some(0), Some(1)));
    assert_eq!(seldom.interval.relative(), Some(0.0));
    assert_eq!((both.is_good, seldom.is_good), (true, false), "{verdict:?}");
}

/// A run that swings slowly has a narrow interval, and not one to be trusted.
#[test]
fn a_figure_is_not_known_while_neighbours_depend_on_each_other() {
    let slow = |nth: u64| (0, 10 * level(nth) + nth / 2_000 % 2 * 100);
    let collector = run_of(asked(Figure::Mean, 0.01), 1_000, slow, |_| NOTHING);
    let verdict = collector.verdict();
    let known = &verdict.figures[0];
    assert!(verdict.warm_up.is_some(), "{verdict:?}");
    assert!(known.interval.relative().is_some_and(|width| width < 0.01), "{verdict:?}");
    assert!(!known.is_good, "{verdict:?}");
    let quick = |nth: u64| (0, 10_000 + nth % 2 * 20);
    let collector = run_of(asked(Figure::Mean, 0.01), 1_000, quick, |_| NOTHING);
    assert!(collector.verdict().figures[0].is_good);
}

#[test]
fn a_figure_is_not_known_while_its_interval_is_wider_than_asked_for() {
    let of = |error| {
        let collector = run_of(asked(Figure::Mean, error), 511, |nth| (0, level(nth)), |_| NOTHING);
        collector.verdict().figures.remove(0)
    };
    let width = of(0.5).interval.relative().expect("of several sections");
    assert!(width > 0.0);
    assert_eq!([of(width * 1.01), of(width * 0.99)].map(|known| known.is_good), [true, false]);
}

/// Latencies may be level while a drive still collects less than it will.
#[test]
fn what_the_drive_writes_has_a_warm_up_of_its_own() {
    let written = |batch| Written { host: 2.0, flash: if batch < 100 { 2.0 } else { 6.0 } };
    let warm_up = |figure| {
        let collector = run_of(asked(figure, 0.01), 400, |_| (0, 700), written);
        let verdict = collector.verdict();
        (verdict.warm_up.expect("it has settled"), verdict.figures[0].interval.mean)
    };
    let (cut, factor) = warm_up(Figure::WriteAmplification);
    let early = 100 * FIRST_REQUESTS;
    assert!((early..early + 64 * FIRST_REQUESTS).contains(&cut), "{cut}");
    assert_eq!(factor, 3.0);
    assert!(warm_up(Figure::Mean).0 < 64 * FIRST_REQUESTS, "nobody asks for it");
}

/// Requests of a kind that come late only have had no time to settle.
#[test]
fn a_run_has_not_settled_while_most_of_it_is_the_warm_up_of_a_kind() {
    let late = 240 * FIRST_REQUESTS;
    let request = |nth: u64| match nth.checked_sub(late) {
        Some(since) => (1, if since < 300 { 5_000 } else { 1_000 } + nth % 3),
        None => (0, 1_000 + nth % 3),
    };
    let collector = run_of(asked(Figure::Mean, 0.5), 400, request, |_| NOTHING);
    let verdict = collector.verdict();
    assert_eq!(verdict.warm_up, None, "{verdict:?}");
    assert!(verdict.figures.iter().all(|known| !known.is_good), "{verdict:?}");
}
