//! Flush and collection ahead of need: what they are worth, and what they cost.

use super::*;
use report::Latency;

/// A drive of 16 chips in its steady state; `ahead` says whether it works ahead of need.
fn steady(ahead: Ahead) -> Run {
    let run = Run { precondition: Preconditioning::Steady, ..Run::new() }
        .set("geometry.channels", "4")
        .set("geometry.ways", "4")
        .set("geometry.blocks_per_way", "64");
    match ahead {
        Ahead::Yes => run,
        Ahead::No => {
            run.set("ftl.background_flush_percent", "0").set("ftl.background_collection_pages", "0")
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ahead {
    Yes,
    No,
}

fn both(text: &str) -> [RunResult; 2] {
    [Ahead::Yes, Ahead::No].map(|ahead| steady(ahead).go(text))
}

fn percentile_us(latency: &Latency, percent: f64) -> f64 {
    latency.percentile_ns(percent) as f64 / 1e3
}

/// One write at a time finds an entry and a page, and does not wait for a block of moves.
#[test]
fn single_writes_to_a_steady_drive_are_several_times_as_fast() {
    let [ahead, on_demand] = both(&job("rw=randwrite bs=4k iodepth=1 io_size=64m"));
    let iops = [&ahead, &on_demand].map(|run| direction(&run.jobs[0], Direction::Write).iops());
    let amplification =
        [&ahead, &on_demand].map(|run| run.drive.write_amplification().expect("writes"));
    println!("IOPS {iops:.0?}, write amplification {amplification:.3?}");
    assert!(iops[0] >= 3.0 * iops[1], "{iops:.0?} IOPS");
    // What is programmed before it has to be may be overwritten, and a victim chosen early has fewer
    // invalid pages.
    assert!(amplification[0] <= 1.1 * amplification[1], "{amplification:.3?}");
}

/// A read waits for a move or an erase that was begun on its die, and not for a block of moves.
#[test]
fn reads_beside_writes_wait_for_one_operation_at_most() {
    let text = job("rw=randrw rwmixread=70 bs=4k iodepth=1 io_size=64m");
    let [ahead, on_demand] = both(&text);
    let tail = |run: &RunResult| {
        let clat = &direction(&run.jobs[0], Direction::Read).clat;
        [99.0, 99.9].map(|percent| percentile_us(clat, percent))
    };
    let (ahead, on_demand) = (tail(&ahead), tail(&on_demand));
    println!("99 % and 99.9 % of reads within {ahead:.0?} us, on demand within {on_demand:.0?} us");
    // An erase of 5 ms, and the read of 0.3 ms itself; on demand it is 32 moves of 0.8 ms.
    assert!(ahead[0] < 6_500.0, "{ahead:.0?} us");
    assert!(ahead[1] < 8_000.0, "{ahead:.0?} us");
    assert!(ahead[1] < on_demand[1] / 2.0, "{ahead:.0?} us, on demand {on_demand:.0?} us");
}

/// More writes than the drive can collect for: it does as much as without.
#[test]
fn many_writes_at_once_are_not_slower() {
    let [ahead, on_demand] = both(&job("rw=randwrite bs=4k iodepth=64 io_size=128m"));
    let iops = [&ahead, &on_demand].map(|run| direction(&run.jobs[0], Direction::Write).iops());
    println!("IOPS {iops:.0?}");
    assert!(iops[0] >= 0.95 * iops[1], "{iops:.0?} IOPS");
}

/// What the oracle permits is what comes back, with blocks that fail and a cache that is flushed.
#[test]
fn data_are_kept_on_a_failing_drive() {
    for seed in 1..4 {
        let run = Run { seed, ..steady(Ahead::Yes) }
            .set("ftl.spare_blocks_per_way", "8")
            .set("errors.program_failures_per_billion", "100000")
            .set("errors.erase_failures_per_billion", "1000000")
            .set("errors.factory_bad_blocks_per_million", "20000");
        let text = "[global]\nsize=100%\nio_size=48m\niodepth=4\n\
                    [a]\nrw=randrw\nbssplit=4k/60:16k/40\nfsync=32\n\
                    [b]\nrw=randtrimwrite\nbs=16k\n[c]\nstonewall\nrw=randread\n";
        let result = run.go(text);
        assert!(result.drive.gc_pages_moved > 0 && result.drive.bad_blocks > 0, "seed {seed}");
    }
}
