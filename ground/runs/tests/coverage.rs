//! How often intervals of runs that ended by themselves hold the long-run value, on processes whose value is known.

use runs::confidence::{Asked, Collector, Figure, Level, Observation, Verdict, Written};

/// Random numbers of a seed.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        (random::next(&mut self.0) >> 11) as f64 / (1_u64 << 53) as f64 + 1e-17
    }

    fn exponential(&mut self) -> f64 {
        -self.uniform().ln()
    }
}

/// Time in the system of customers of a queue with one server, that serves one a unit of time and begins empty. Its
/// correlation reaches far, its distribution is skewed, and its beginning is not like the rest: exponential with a mean of
/// 1 / (1 - load) in the long run.
struct Queue {
    load: f64,
    waiting: f64,
}

impl Queue {
    fn next(&mut self, random: &mut Random) -> f64 {
        let service = random.exponential();
        let time = self.waiting + service;
        self.waiting = (time - random.exponential() / self.load).max(0.0);
        time
    }

    fn mean(&self) -> f64 {
        1.0 / (1.0 - self.load)
    }

    fn quantile(&self, share: f64) -> f64 {
        -(1.0 - share).ln() * self.mean()
    }
}

/// A run of a queue until its figures are known; each 20th request writes, and moves some pages.
fn run(asked: &Asked, load: f64, seed: u64) -> Verdict {
    let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let mut queue = Queue { load, waiting: 0.0 };
    let mut collector = Collector::new(asked.clone());
    loop {
        let mut written = Written::default();
        while !collector.is_full() {
            let latency = (1e6 * queue.next(&mut random)) as u64;
            collector.record(Observation { kind: 1, latency });
            written.host += 1.0;
            written.flash += 1.0 + 4.0 * random.uniform();
        }
        if let Some(verdict) = collector.close(written) {
            if verdict.is_converged() {
                return verdict;
            }
        }
    }
}

/// How many of so many runs hold the figure in its interval.
fn held(asked: &Asked, load: f64, runs: u64) -> (u64, f64) {
    let truth = |figure| {
        let queue = Queue { load, waiting: 0.0 };
        match figure {
            Figure::Mean => 1e6 * queue.mean(),
            Figure::Quantile(share) => 1e6 * queue.quantile(share),
            Figure::WriteAmplification => 3.0,
        }
    };
    let (mut held, mut requests) = (0, 0);
    for seed in 1..=runs {
        let verdict = run(asked, load, seed);
        requests += verdict.requests;
        let known = &verdict.figures[0];
        let width = known.interval.half_width.expect("it converged");
        held += u64::from((known.interval.mean - truth(known.figure)).abs() <= width);
    }
    (held, requests as f64 / runs as f64)
}

fn asked(figure: Figure, error: f64) -> Asked {
    Asked { figures: vec![figure], error, level: Level::USUAL }
}

/// The short form: 300 runs, of which 285 hold; bounds are four deviations of 3.8 away.
#[test]
fn intervals_of_runs_that_end_by_themselves_hold() {
    for (figure, load) in
        [(Figure::Mean, 0.5), (Figure::Quantile(0.99), 0.3), (Figure::WriteAmplification, 0.5)]
    {
        let (held, requests) = held(&asked(figure, 0.04), load, 300);
        assert!((270..=300).contains(&held), "{figure}: {held} of 300, {requests} requests");
    }
}

/// The long form: of 1,000 runs at 1 %, 93 to 97 % hold.
#[test]
#[ignore = "takes minutes: cargo test --release -p firmament-runs --test coverage -- --ignored --nocapture"]
fn of_a_thousand_runs_at_one_percent_95_percent_hold() {
    for (figure, error, load) in [
        (Figure::Mean, 0.01, 0.5),
        (Figure::Mean, 0.01, 0.8),
        (Figure::Quantile(0.99), 0.01, 0.3),
        (Figure::Quantile(0.5), 0.01, 0.5),
        (Figure::WriteAmplification, 0.002, 0.5),
    ] {
        let (held, requests) = held(&asked(figure, error), load, 1_000);
        println!(
            "{figure} to {error} at load {load}: {held} of 1000, {requests:.0} requests a run"
        );
        assert!((930..=970).contains(&held), "{figure}: {held} of 1,000");
    }
}
