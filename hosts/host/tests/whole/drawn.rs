//! A steady state that was drawn is to its host as one that a drive was really overwritten into.

use super::*;

/// Seeds, each of which is another drive.
const SEEDS: u64 = 6;
/// By how much a mean over all seeds may differ.
const TOLERANCE: f64 = 0.02;

/// A drive of 2^21 pages, the fewest of which a steady state is drawn.
fn run(seed: u64, precondition: Preconditioning) -> Run {
    Run { seed, precondition, ..Run::new() }
        .set("geometry.channels", "8")
        .set("geometry.ways", "8")
        .set("geometry.blocks_per_way", "1104")
        .set("flash.pages_per_physical_block", "64")
        .set("ftl.spare_blocks_per_way", "16")
}

/// What is compared: of which direction, and which percentile of the completion latency.
const FIGURES: [(Direction, f64); 5] = [
    (Direction::Read, 50.0),
    (Direction::Read, 99.0),
    (Direction::Read, 99.9),
    (Direction::Write, 50.0),
    (Direction::Write, 99.9),
];

/// Means over all seeds of a state: requests, write amplification, and the figures, in nanoseconds.
fn means(precondition: Preconditioning) -> Vec<f64> {
    let mut sums = vec![0.0; 2 + FIGURES.len()];
    for seed in 1..=SEEDS {
        let job = job("rw=randrw rwmixread=80 bs=16k iodepth=8 time_based runtime=4s");
        let result = run(seed, precondition).go(&job);
        let requests = |d| direction(&result.jobs[0], d).ios as f64;
        let amplification = result.drive.write_amplification().expect("pages were written");
        let mut own = vec![requests(Direction::Read) + requests(Direction::Write), amplification];
        for (of, percent) in FIGURES {
            own.push(direction(&result.jobs[0], of).clat.percentile_ns(percent) as f64);
        }
        sums.iter_mut().zip(own).for_each(|(sum, own)| *sum += own / SEEDS as f64);
    }
    sums
}

/// What `make test-all` does beside `make test`.
mod long {
    use super::*;

    #[test]
    fn latencies_on_a_drawn_drive_are_those_on_one_that_was_overwritten() {
        let (drawn, overwritten) =
            (means(Preconditioning::Steady), means(Preconditioning::SteadyRun));
        let apart: Vec<f64> = drawn.iter().zip(&overwritten).map(|(a, b)| a / b - 1.0).collect();
        println!(
            "requests, write amplification, {FIGURES:?}:\n{drawn:.1?}\n{overwritten:.1?}\n{apart:+.4?}"
        );
        assert!(apart.iter().all(|apart| apart.abs() < TOLERANCE), "{apart:+.4?}");
    }
}
