//! The bytes of reports, by their hashes: what makes the simulator faster changes none of them.
//!
//! `golden.csv` has the SHA-256 of each report as JSON, without what the run cost. Where reports are meant to change,
//! `GOLDEN=write cargo test -p firmament-host --test whole golden` writes it anew, and the change says why.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use super::*;

const KNOWN: &str = include_str!("golden.csv");
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/whole/golden.csv");

/// Board, settings, state of the drive and job, by the name of the row.
type Case = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
    Preconditioning,
    &'static str,
);

/// Cosmos+ of fewer blocks.
const FEWER: (&str, &str) = ("geometry.blocks_per_way", "128");
/// Blocks that are bad from the start or go bad, and room for them.
const AILING: &[(&str, &str)] = &[
    ("geometry.blocks_per_way", "64"),
    ("ftl.spare_blocks_per_way", "16"),
    ("errors.program_failures_per_billion", "500000"),
    ("errors.erase_failures_per_billion", "4000000"),
    ("errors.factory_bad_blocks_per_million", "5000"),
];

const CASES: &[Case] = &[
    (
        "reads",
        "cosmos-plus",
        &[FEWER],
        Preconditioning::Sequential,
        "rw=randread bs=4k iodepth=64 number_ios=2500",
    ),
    (
        "writes",
        "cosmos-plus",
        &[FEWER],
        Preconditioning::Sequential,
        "rw=randwrite bs=4k iodepth=64 number_ios=2500",
    ),
    (
        "new-writes",
        "cosmos-plus",
        &[FEWER],
        Preconditioning::None,
        "rw=randwrite bs=16k iodepth=64 number_ios=2500",
    ),
    (
        "long-reads",
        "cosmos-plus",
        &[FEWER],
        Preconditioning::Random,
        "rw=read bs=128k iodepth=16 number_ios=400",
    ),
    (
        "long-writes",
        "cosmos-plus",
        &[FEWER],
        Preconditioning::Sequential,
        "rw=write bs=128k iodepth=16 number_ios=400",
    ),
    (
        "many-jobs",
        "cosmos-plus",
        &[FEWER],
        Preconditioning::Sequential,
        "rw=randrw rwmixread=70 bs=4k iodepth=1 numjobs=24 number_ios=60",
    ),
    (
        "parts-of-pages",
        "cosmos-plus-mlc",
        &[FEWER, ("channel.read_unit_bytes", "4096")],
        Preconditioning::Sequential,
        "rw=randrw bssplit=4k/60:12k/30:20k iodepth=32 number_ios=1200",
    ),
    (
        "steady",
        "small",
        &[],
        Preconditioning::Steady,
        "rw=randwrite bs=4k iodepth=16 number_ios=3000",
    ),
    (
        "ailing",
        "small",
        AILING,
        Preconditioning::Steady,
        "rw=randrw bsrange=4k-128k iodepth=16 number_ios=1500 fsync=16 verify=meta norandommap",
    ),
    (
        "trims",
        "small",
        &[],
        Preconditioning::Random,
        "rw=randtrimwrite bs=16k iodepth=8 size=16m number_ios=800",
    ),
    (
        "logged",
        "cosmos-plus-log",
        &[FEWER],
        Preconditioning::Sequential,
        "rw=randrw bs=16k iodepth=16 number_ios=600 fsync=8",
    ),
    (
        "in-order",
        "small",
        &[
            ("channel.scheduler", "controller"),
            ("channel.execution", "sequential"),
            ("channel.merging", "none"),
        ],
        Preconditioning::Sequential,
        "rw=randrw bs=16k iodepth=32 size=24m number_ios=1000",
    ),
    (
        "joined",
        "small",
        &[
            ("channel.scheduler", "controller"),
            ("channel.execution", "out-of-order"),
            ("channel.merging", "planes-and-cache"),
        ],
        Preconditioning::Steady,
        "rw=randrw bsrange=4k-64k iodepth=32 number_ios=1000",
    ),
    (
        "ozone",
        "ozone",
        &[FEWER],
        Preconditioning::Sequential,
        "rw=randrw bs=8k iodepth=32 number_ios=600",
    ),
    (
        "ocowfc",
        "ocowfc",
        &[FEWER],
        Preconditioning::Sequential,
        "rw=rw bs=64k iodepth=16 number_ios=300",
    ),
    (
        "bluessd",
        "bluessd",
        &[FEWER],
        Preconditioning::Sequential,
        "rw=randrw bs=8k iodepth=16 number_ios=600",
    ),
    (
        "planes-together",
        "tlc-2024",
        &[("geometry.blocks_per_way", "128")],
        Preconditioning::Sequential,
        "rw=randrw bsrange=4k-64k iodepth=32 number_ios=1000",
    ),
    (
        "memory",
        "openexpress",
        &[],
        Preconditioning::None,
        "rw=randrw bs=4k iodepth=32 size=64m number_ios=2000",
    ),
    (
        "namespaces",
        "small",
        &[("namespace.count", "3")],
        Preconditioning::Random,
        "filename=/dev/nvme0n2 rw=randrw bs=4k iodepth=16 size=4m number_ios=1500",
    ),
    (
        "handles",
        "cosmos-plus-log",
        &[
            FEWER,
            ("ftl.streams", "by-handle"),
            ("ftl.streams_handles", "3"),
            ("ftl.overprovision_percent", "25"),
        ],
        Preconditioning::Sequential,
        "rw=randwrite bs=16k iodepth=16 number_ios=1000 fdp=1 plids=0,2",
    ),
    (
        "zones",
        "cosmos-plus-zns",
        &[],
        Preconditioning::None,
        "rw=write bs=64k iodepth=8 zonemode=zbd max_open_zones=3 number_ios=500",
    ),
];

/// The hash of a run's report.
fn hash(&(name, board, set, precondition, options): &Case, payload: PayloadForm) -> String {
    let set = set.iter().map(|&(key, value)| (key.to_string(), value.to_string())).collect();
    let run = Run { board, set, precondition, payload, ..Run::new() };
    let report = printed(run.go(&job(options)));
    let mut line = format!("{name},");
    for byte in Sha256::digest(report.as_bytes()) {
        write!(line, "{byte:02x}").expect("a string takes all");
    }
    line
}

#[test]
fn golden_reports_keep_their_bytes() {
    let mut found = "case,sha256\n".to_owned();
    for case in CASES {
        found += &(hash(case, PayloadForm::Stamps) + "\n");
    }
    let bytes = (
        "bytes",
        "small",
        &[][..],
        Preconditioning::Random,
        "rw=randrw bs=4k iodepth=16 size=8m number_ios=800",
    );
    found += &(hash(&bytes, PayloadForm::Bytes) + "\n");
    if std::env::var_os("GOLDEN").is_some_and(|what| what == "write") {
        return std::fs::write(FILE, found).expect("the table can be written");
    }
    for (line, known) in found.lines().zip(KNOWN.lines()) {
        assert_eq!(line, known, "the bytes of this report are others (see golden.rs)");
    }
    assert_eq!(found.lines().count(), KNOWN.lines().count(), "golden.csv has a row for each case");
}
