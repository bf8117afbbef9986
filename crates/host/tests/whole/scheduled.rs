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
