//! Drives whose channels schedule whole operations: the same jobs, the same data, other times.

use super::causes::add_up;
use super::*;

const CONTROLLER: [(&str, &str); 1] = [("channel.scheduler", "controller")];
const MODELS: [[(&str, &str); 2]; 4] = [
    [("channel.execution", "sequential"), ("channel.merging", "none")],
    [("channel.execution", "decoupled"), ("channel.merging", "none")],
    [("channel.execution", "out-of-order"), ("channel.merging", "none")],
    [("channel.execution", "out-of-order"), ("channel.merging", "planes-and-cache")],
];
const AILING: [(&str, &str); 5] = [
    ("geometry.blocks_per_way", "64"),
    ("ftl.spare_blocks_per_way", "16"),
    ("errors.program_failures_per_billion", "500000"),
    ("errors.erase_failures_per_billion", "4000000"),
    ("errors.factory_bad_blocks_per_million", "5000"),
];

fn run(settings: &[&[(&str, &str)]]) -> Run {
    let all = settings.iter().flat_map(|some| some.iter());
    let set = all.map(|&(key, value)| (key.to_string(), value.to_string())).collect();
    Run { set, ..Run::new() }
}

#[test]
fn every_model_serves_every_kind_of_command_and_the_causes_add_up() {
    for model in MODELS {
        for (precondition, options) in [
            (Preconditioning::Sequential, "rw=randread bs=4k iodepth=32 size=32m number_ios=2000"),
            (
                Preconditioning::Steady,
                "rw=randrw bsrange=4k-128k iodepth=16 number_ios=1500 fsync=16",
            ),
            (Preconditioning::Random, "rw=randtrimwrite bs=16k iodepth=8 size=16m number_ios=800"),
            (Preconditioning::None, "rw=write bs=64k iodepth=8 size=16m verify=crc32c"),
        ] {
            let run = Run { precondition, ..run(&[&CONTROLLER, &model]) };
            let result = add_up(&run, &job(options));
            assert!(result.speed.requests > 200, "{model:?} {options}");
        }
    }
}

#[test]
fn blocks_that_fail_under_load_are_replaced_with_their_operations_in_the_channels() {
    for model in MODELS {
        let run =
            Run { precondition: Preconditioning::Steady, ..run(&[&CONTROLLER, &model, &AILING]) };
        let options = "rw=randrw bsrange=4k-64k iodepth=32 io_size=96m norandommap verify=meta";
        let result = add_up(&run, &job(options));
        let drive = &result.drive;
        assert!(drive.bad_blocks > 0 && drive.garbage_collections > 0, "{model:?}: {drive:?}");
    }
}

#[test]
fn both_payloads_give_the_same_run() {
    let run = run(&[&CONTROLLER, &MODELS[3], &AILING]);
    let text = job("rw=randrw bsrange=4k-64k iodepth=16 size=8m io_size=16m verify=crc32c");
    let bytes = Run { payload: PayloadForm::Bytes, ..run.clone() };
    let (stamps, bytes) = (run.go(&text), bytes.go(&text));
    assert_eq!(stamps.jobs[0].runtime_ps, bytes.jobs[0].runtime_ps);
    let of = |result: &RunResult| direction(&result.jobs[0], Direction::Read).clat.clone();
    assert_eq!(format!("{:?}", of(&stamps)), format!("{:?}", of(&bytes)));
}

/// Out of order, a channel's dies work at once; sequentially, one at a time.
#[test]
fn the_model_decides_how_many_dies_work() {
    let text = job("rw=randread bs=16k iodepth=64 number_ios=2000");
    let reads = |model: [(&str, &str); 2]| {
        let run = run(&[&CONTROLLER, &model, &[("processor.clock_mhz", "10000")]]);
        let result = run.go(&text);
        direction(&result.jobs[0], Direction::Read).iops()
    };
    let [sequential, _, out_of_order, _] = MODELS.map(reads);
    // A page takes 88 us of the bus, and its die 99 us before: two dies share a bus.
    let most = 2.0 / (99.0e-6 + 87.0e-6);
    assert!(sequential < most && sequential > 0.9 * most, "{sequential} of {most}");
    assert!(out_of_order > 1.6 * sequential, "{out_of_order}, sequential {sequential}");
}

/// The demo on the boards of two published controllers, against the ceilings that they print.
#[test]
fn ozone_and_ocowfc_run_the_demo() {
    let text = include_str!("../../../../jobs/demo.fio");
    for board in ["ozone", "ocowfc"] {
        let run = Run { board, ..Run::new() };
        let result = run.go(text);
        let [reads, writes, _] = Board::resolve(board, &[]).unwrap().ceilings();
        let read = direction(&result.jobs[0], Direction::Read).bandwidth() / 1e6;
        let most = reads.lowest().amount;
        assert!(read <= most && read > 0.8 * most, "{board}: {read} of {most} MB/s read");
        let write = direction(&result.jobs[1], Direction::Write).bandwidth() / 1e6;
        assert!(write > 0.3 * writes.lowest().amount, "{board}: {write} MB/s written");
    }
}

/// A sequential job on `ocowfc`: what the drive did, and MB/s that went to or from flash.
fn sequential(rw: &str, settings: &[&[(&str, &str)]]) -> (RunResult, f64) {
    let run = Run { board: "ocowfc", ..run(settings) };
    let text = job(&format!("rw={rw} bs=128k iodepth=32 size=4g time_based runtime=500ms"));
    let result = run.go(&text);
    let (kind, buffer) = match rw {
        "read" => (Direction::Read, 0.0),
        // The buffer is clean at the start, and may hold as many bytes more than flash at the end.
        _ => (Direction::Write, result.drive.dirty_bytes[1] as f64),
    };
    let found = direction(&result.jobs[0], kind);
    let seconds = found.runtime_ps as f64 / 1e12;
    let rate = found.bandwidth() / 1e6 - buffer / 1e6 / seconds;
    (result, rate)
}

/// Pages on which an array works at once: those of all dies, each for `busy_us`, over the time that arrays
/// are busy.
fn pages_at_once(result: &RunResult, (pages, busy_us): (u64, f64)) -> f64 {
    let busy: f64 = result.drive.way_busy.iter().flatten().sum();
    let seconds = (result.jobs[0].end_ps - result.jobs[0].start_ps) as f64 / 1e12;
    pages as f64 * busy_us / 1e6 / (busy * seconds)
}

/// Pages of a row are programmed together on both planes of each die, and the next row is loaded meanwhile.
#[test]
fn sequential_writes_come_near_what_all_planes_can_do() {
    // 16 dies, each 16,384 bytes in 53.1 us on the bus and 1,945 us; with both planes, twice as much in
    // 688 per mille of 1,945 us, since cache mode hides the bus and the begin of the next program behind them.
    const CACHED: f64 = 1945.0 * 0.688;
    let (alone, both) = (16.0 * 16.384e-3 / 1998.1e-6, 32.0 * 16.384e-3 / (CACHED * 1e-6));
    let (_, found) = sequential("write", &[&[("channel.merging", "none")]]);
    assert!(found <= alone && found > 0.9 * alone, "{found} of {alone} MB/s without");
    let (result, found) = sequential("write", &[]);
    assert!(found <= both && found > 0.9 * both, "{found} of {both} MB/s");
    let together = pages_at_once(&result, (result.drive.pages_programmed, CACHED));
    assert!(together > 1.9 && together <= 2.0, "{together} pages a program");
}

/// One die a channel: it reads and gives its pages away in turn, or reads both planes at once, or reads on
/// while it gives pages away, but for the time in which they move to its cache register. The longer of both then tells.
#[test]
fn sequential_reads_come_near_what_planes_and_cache_mode_can_do() {
    const BUS: f64 = 53.117;
    const READ: f64 = 64.0;
    const CACHE: f64 = 26.0;
    let of_time = |pages: f64, us: f64| 4.0 * pages * 16.384e-3 / (us * 1e-6);
    for (merging, pages, us) in [
        ("none", 1.0, BUS + READ),
        ("planes", 2.0, 2.0 * BUS + READ),
        ("cache", 1.0, BUS.max(READ) + CACHE),
        ("planes-and-cache", 2.0, 2.0 * BUS + CACHE),
    ] {
        let one_way = [("geometry.ways", "1"), ("channel.merging", merging)];
        let (result, found) = sequential("read", &[&one_way]);
        let most = of_time(pages, us);
        assert!(found <= most && found > 0.9 * most, "{merging}: {found} of {most} MB/s");
        // The slower of two reads tells how long both take.
        let together = pages_at_once(&result, (result.drive.pages_read, READ));
        assert!(together > 0.9 * pages && together <= 1.02 * pages, "{merging}: {together} pages");
    }
    // Four dies a channel keep its bus busy.
    let (_, found) = sequential("read", &[]);
    let most = of_time(1.0, BUS);
    assert!(found <= most && found > 0.9 * most, "{found} of {most} MB/s");
}

/// A read of the host overtakes the programs of its way. So it waits for what its die has begun, and for turns on the
/// bus, and not for all that its channel has of the way, as it does where all are alike.
#[test]
fn reads_overtake_programs() {
    let board = "ocowfc";
    let run = Run { board, precondition: Preconditioning::Sequential, ..Run::new() };
    let result = run.go("\
[global]
size=256m
time_based
runtime=400ms
ramp_time=200ms
[writes]
rw=randwrite
bs=16k
iodepth=16
rate=200m
[reads]
rw=randread
bs=4k
iodepth=1
");
    let written = direction(&result.jobs[0], Direction::Write).bandwidth() / 1e6;
    assert!(written > 200.0, "{written} MB/s written");
    let program_ns = Board::resolve(board, &[]).unwrap().flash.t_program[1].as_ps() / 1_000;
    let read = &direction(&result.jobs[1], Direction::Read).clat;
    let (mean, p99) = (read.mean_ns(), read.percentile_ns(99.0));
    let found = format!("mean {mean} ns, p99 {p99} ns; a program takes {program_ns} ns");
    assert!(mean < program_ns as f64 && p99 * 2 < program_ns * 3, "{found}");
}
