//! The demo's jobs against ceilings worked out by hand and against what was measured on the board.
//!
//! A result above its ceiling is a fault of the simulator, however good it looks. A result below
//! 80 % of the published one is a fault too.

use host::job::{from_pairs, parse_file, JobFile};
use host::Preconditioning;
use report::{Direction, RunResult};

use crate::Run;

const CHANNELS: f64 = 8.0;
const DIES: f64 = 64.0;
/// User data of a page, and the page with its spare on the bus (Cosmos+ table 5).
const PAGE: f64 = 16_384.0;
const PAGE_ON_BUS: f64 = 18_048.0;
/// A channel's bus (Cosmos+ table 6, bus 5), in bytes a second.
const BUS: f64 = 200e6;
/// The data buffer (Cosmos+ section 6.1), in bytes.
const BUFFER: f64 = 16.0 * 1024.0 * 1024.0;
/// Seconds that a page takes on its bus: 90.24 us.
const TRANSFER: f64 = PAGE_ON_BUS / BUS;
/// Bytes a second that eight buses move: 1,452 MB/s.
const ALL_BUSES: f64 = CHANNELS * PAGE / TRANSFER;
/// Published: sequential read, sequential write in MLC mode (section 6.2), in bytes a second.
const PUBLISHED_READ: f64 = 1275e6;
const PUBLISHED_WRITE_MLC: f64 = 625e6;
/// Published: 64 writes of 16 KB outstanding in 871.1 us each in SLC mode (table 7).
const PUBLISHED_WRITE: f64 = 64.0 * PAGE / 871.1e-6;

/// A page programmed by each die in turn: the bus and the chip take part one after the other.
fn all_dies(program_s: f64) -> f64 {
    DIES * PAGE / (TRANSFER + program_s)
}

fn run(board: &'static str, jobs: &JobFile, precondition: Preconditioning) -> RunResult {
    Run { board, precondition, ..Run::new() }.of(jobs)
}

/// Checks a rate, in bytes or requests a second, against its bounds.
fn check(what: &str, found: f64, published: f64, ceiling: f64) {
    println!("{what}: {found:.4e}, published {published:.4e}, ceiling {ceiling:.4e}");
    assert!(found <= ceiling, "{what}: {found:.4e} lies above the ceiling {ceiling:.4e}");
    let least = 0.8 * published;
    assert!(found >= least, "{what}: {found:.4e} lies below 80 % of {published:.4e}");
}

fn seconds(result: &RunResult, job: usize, direction: Direction) -> f64 {
    result.jobs[job].active(direction).expect("the direction ran").runtime_ps as f64 / 1e12
}

fn rate(result: &RunResult, job: usize, direction: Direction) -> f64 {
    result.jobs[job].active(direction).expect("the direction ran").bandwidth()
}

fn iops(result: &RunResult, job: usize, direction: Direction) -> f64 {
    result.jobs[job].active(direction).expect("the direction ran").iops()
}

#[test]
fn the_four_jobs_of_the_demo() {
    let text = include_str!("../../../../jobs/demo.fio");
    let jobs = parse_file("jobs/demo.fio", text).expect("the demo's jobs");
    let result = run("cosmos-plus", &jobs, Preconditioning::Sequential);

    // Reads are bound by the buses: a chip reads in 99 us while 8 pages take 722 us of its bus.
    check("sequential read", rate(&result, 0, Direction::Read), PUBLISHED_READ, ALL_BUSES);

    // Writes likewise, but what the buffer still holds at the end need not be programmed yet.
    let buffered = BUFFER / seconds(&result, 1, Direction::Write);
    let ceiling = ALL_BUSES.min(all_dies(486e-6)) + buffered;
    check("sequential write", rate(&result, 1, Direction::Write), PUBLISHED_WRITE, ceiling);

    // A random read of 4 KB moves a page of 16 KB: a quarter of the throughput. The share of
    // pages that the buffer holds, 16 MB of the job's 4 GB, is free.
    let pages = ALL_BUSES / PAGE;
    let held = BUFFER / (4.0 * 1024.0 * 1024.0 * 1024.0);
    let published = PUBLISHED_READ / PAGE;
    let found = iops(&result, 2, Direction::Read);
    check("random 4 KB read", found, published, pages / (1.0 - held));

    // A random write of 4 KB to a written page reads the page and programs it: two transfers,
    // but for what the buffer holds at both ends. The paper's figure is for other conditions;
    // see the test below.
    let found = iops(&result, 3, Direction::Write);
    let seconds = seconds(&result, 3, Direction::Write);
    let ceiling = (pages + BUFFER / PAGE / seconds) / 2.0 / (1.0 - held);
    assert!(found <= ceiling, "random 4 KB overwrite: {found} lies above {ceiling}");
}

/// Section 6.3's random writes reach a quarter of the throughput, which leaves no room for reads:
/// they went to pages never written before.
#[test]
fn random_writes_to_an_empty_drive() {
    let options = [
        ("rw", "randwrite"),
        ("bs", "4k"),
        ("iodepth", "128"),
        ("size", "64g"),
        ("runtime", "1s"),
        ("time_based", ""),
    ];
    let pairs = options.map(|(key, value)| (key.to_string(), value.to_string()));
    let jobs = from_pairs(&pairs).expect("options");
    let result = run("cosmos-plus", &jobs, Preconditioning::None);
    let seconds = seconds(&result, 0, Direction::Write);
    let ceiling = (ALL_BUSES / PAGE) + BUFFER / PAGE / seconds;
    let found = iops(&result, 0, Direction::Write);
    check("random 4 KB write, empty drive", found, PUBLISHED_WRITE / PAGE, ceiling);
}

#[test]
fn sequential_writes_in_mlc_mode() {
    let text = include_str!("../../../../jobs/demo.fio");
    let section =
        text.find("[seq-write]").expect("a section")..text.find("[rand-read]").expect("a section");
    let global = &text[..text.find("[seq-read]").expect("a section")];
    let jobs = parse_file("demo.fio", &format!("{global}{}", &text[section])).expect("jobs");
    let result = run("cosmos-plus-mlc", &jobs, Preconditioning::Sequential);
    let buffered = BUFFER / seconds(&result, 0, Direction::Write);
    // LSB and MSB pages take turns: 1,388 us in the mean.
    let ceiling = ALL_BUSES.min(all_dies(1388e-6)) + buffered;
    let found = rate(&result, 0, Direction::Write);
    check("sequential write, MLC", found, PUBLISHED_WRITE_MLC, ceiling);
}

/// Channels that move parts of pages, and schedule.
const PARTS: [(&str, &str); 3] = [
    ("channel.read_unit_bytes", "4096"),
    ("channel.scheduler", "controller"),
    ("channel.execution", "out-of-order"),
];

/// A processor that is never waited for, so that the channels are the limit: that of Cosmos+ has 8 us of work
/// and register accesses for a command, and 2.8 us go by between two reads at the ceiling.
const UNBOUND: [(&str, &str); 3] = [
    ("processor.clock_mhz", "10000"),
    ("processor.register_read_ns", "10"),
    ("processor.register_write_ns", "10"),
];

/// Random reads of 4 KiB a second, as a share of what the buses allow at most that move nothing else: 16 chunks
/// of 256 bytes, each with 20 of parity, take 22.08 us, and there are eight buses. 362 thousand a second.
fn share_of_parts(set: &[(&str, &str)], (depth, jobs): (&str, &str)) -> f64 {
    let options = [
        ("rw", "randread"),
        ("bs", "4k"),
        ("iodepth", depth),
        ("numjobs", jobs),
        ("size", "64g"),
        ("runtime", "200ms"),
        ("time_based", ""),
        ("group_reporting", ""),
    ];
    let pairs = options.map(|(key, value)| (key.to_string(), value.to_string()));
    let jobs = from_pairs(&pairs).expect("options");
    let result = Run { board: "cosmos-plus", ..Run::new() }.with(set).of(&jobs);
    let ceiling = CHANNELS / (16.0 * (256.0 + 20.0) / BUS);
    let found = iops(&result, 0, Direction::Read);
    println!("{set:?}: {found:.0} a second, {:.1} % of {ceiling:.0}", 100.0 * found / ceiling);
    found / ceiling
}

#[test]
fn random_reads_of_parts_reach_their_ceiling_where_channels_schedule() {
    let unbound = [&PARTS[..], &UNBOUND].concat();
    let share = share_of_parts(&unbound, ("128", "2"));
    assert!((0.9..=1.0).contains(&share), "{share}");
    // A mapping unit is such a part, and nothing more is moved for it.
    let units = [("ftl.mapping_unit_bytes", "4096"), ("flash.metadata_bytes", "36")];
    let share = share_of_parts(&[&unbound[..], &units].concat(), ("128", "2"));
    assert!((0.9..=1.0).contains(&share), "{share}");
    // Otherwise the processor of Cosmos+ is the limit, and more so where its firmware schedules.
    let own = share_of_parts(&PARTS, ("128", "2"));
    assert!((0.3..0.5).contains(&own), "{own}");
    let phases = share_of_parts(&PARTS[..1], ("128", "2"));
    assert!((0.15..own).contains(&phases), "{phases}");
}
