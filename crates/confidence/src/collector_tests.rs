//! What the collector makes of runs whose latencies are given.

use super::*;
use crate::interval::Level;

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
