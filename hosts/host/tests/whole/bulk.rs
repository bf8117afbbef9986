//! Commands that touch many mapping units and move no data, beside others.

use super::*;

/// A drive of the chips and the processor of Cosmos+, smaller by its blocks.
fn run() -> Run {
    Run { board: "cosmos-plus", ..Run::new() }.set("geometry.blocks_per_way", "512")
}

const TRIM: &str = "[trim]\nrw=trim\nbs=40g\noffset=4g\nsize=40g\nnumber_ios=1\n";

/// Four jobs that read at random for 400 ms.
fn readers(iodepth: u32) -> String {
    format!(
        "[readers]\nnumjobs=4\nrw=randread\nbs=4k\niodepth={iodepth}\nsize=4g\ntime_based\nruntime=400ms\n"
    )
}

fn reads(run: &RunResult) -> [&DirectionResult; 4] {
    std::array::from_fn(|nth| direction(&run.jobs[nth], Direction::Read))
}

fn p99_us(run: &RunResult) -> u64 {
    let each = reads(run).map(|read| read.clat.percentile_ns(99.0) / 1_000);
    each.into_iter().max().unwrap()
}

fn trim_ms(trim: &JobResult) -> u64 {
    direction(trim, Direction::Trim).clat.percentile_ns(50.0) / 1_000_000
}

fn share(split: &report::Split, cause: Cause) -> f64 {
    split.by_cause()[cause as usize] as f64 / split.total() as f64
}

/// Four readers and a Deallocate of all that they do not read, which alone takes longer than they do.
#[test]
fn readers_hardly_notice_that_the_drive_is_deallocated() {
    let alone = run().go(&readers(1));
    let beside = run().go(&(readers(1) + TRIM));
    let (before, after) = (p99_us(&alone), p99_us(&beside));
    let took = trim_ms(&beside.jobs[4]);
    println!("p99 of reads {before} us, and {after} us beside a deallocation of {took} ms");
    assert!(after <= 2 * before, "{after} us, alone {before} us");
    assert!(took > 450, "{took} ms: it lasts longer than the readers");
    let iops = |run: &RunResult| reads(run).map(DirectionResult::iops).iter().sum::<f64>();
    assert!(iops(&beside) > 0.8 * iops(&alone), "{} of {} IOPS", iops(&beside), iops(&alone));
    // The processor works for the deallocation, and the report says so on both sides.
    let trim = &direction(&beside.jobs[4], Direction::Trim).split;
    assert!(share(trim, Cause::Processing) > 0.7, "{trim:?}");
    assert!(share(trim, Cause::Order) < 0.01, "{trim:?}");
    for (alone, beside) in reads(&alone).into_iter().zip(reads(&beside)) {
        let [alone, beside] = [alone, beside].map(|read| share(&read.split, Cause::Processor));
        assert!(beside > alone + 0.05, "{beside}, alone {alone}");
    }
}

/// A processor that reads keep busy all the time goes on with the deallocation too.
#[test]
fn a_deallocation_is_not_starved() {
    let alone = run().go(TRIM);
    let beside = run().go(&(readers(64) + TRIM));
    let [alone, beside] = [trim_ms(&alone.jobs[0]), trim_ms(&beside.jobs[4])];
    println!("a deallocation of 40 GiB takes {alone} ms, and {beside} ms beside 256 reads");
    assert!(beside < 2 * alone, "{beside} ms, alone {alone} ms");
}

/// A command that stands behind another's slices waits for earlier commands, and for the processor
/// while its own are cut.
#[test]
fn commands_that_wait_for_their_slices_say_so() {
    let text = "[global]\nnumber_ios=1\nrw=trim\n[long]\nbs=4g\n[short]\noffset=8g\nbs=16m\n";
    let result = run().go(text);
    let split = |nth: usize| &direction(&result.jobs[nth], Direction::Trim).split;
    assert!(share(split(1), Cause::Order) > 0.2, "{:?}", split(1));
    assert!(share(split(0), Cause::Order) < 0.02, "{:?}", split(0));
}
