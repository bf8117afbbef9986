//! Writes to a drive whose planes act together, against ceilings worked out by hand.
//!
//! A result above its ceiling is a fault of the simulator, however good it looks. All data that are read are compared with what
//! was written.

use host::Preconditioning;
use report::{Direction, RunResult};

use crate::Run;

/// Dies of `tlc-2024`.
const DIES: f64 = 64.0;
/// User data of a flash page, and the page with its spare on the bus.
const PAGE: f64 = 16_384.0;
const PAGE_ON_BUS: f64 = 18_432.0;
/// A channel's bus, in bytes a second.
const BUS: f64 = 2400e6;
/// The host link, in bytes a second.
const LINK: f64 = 6900e6;
/// tPROG of a word line of all planes.
const PROGRAM_S: f64 = 1199e-6;
/// The data buffer, in bytes.
const BUFFER: f64 = 128.0 * 1024.0 * 1024.0;

/// What is written, in bytes.
const WRITTEN: f64 = 2.0 * 1024.0 * 1024.0 * 1024.0;

/// Sequential writes, and reads of all that was written.
const WRITES: &str = "[write]\nrw=write\nbs=1m\niodepth=32\nsize=2g\n\
                      [read]\nstonewall\nrw=read\nbs=1m\niodepth=32\nsize=2g\n";

/// A link and a processor that are never waited for.
const UNBOUND: [(&str, &str); 9] = [
    ("host.link_bandwidth_mb_s", "60000"),
    ("host.bus_bandwidth_mb_s", "60000"),
    ("memory.dram_bandwidth_mb_s", "100000"),
    ("memory.interconnect_bandwidth_mb_s", "100000"),
    ("memory.data_bus_bandwidth_mb_s", "100000"),
    ("host.dma_unit_overhead_us", "0.001"),
    ("processor.clock_mhz", "10000"),
    ("processor.register_read_ns", "1"),
    ("processor.register_write_ns", "1"),
];

fn run(set: &[(&str, &str)], jobs: &str, precondition: Preconditioning) -> RunResult {
    Run { board: "tlc-2024", precondition, ..Run::new() }.with(set).go(jobs)
}

/// Bytes a second of sequential writes, whose data are then read.
fn write(set: &[(&str, &str)]) -> f64 {
    let result = run(set, WRITES, Preconditioning::None);
    let job = result.jobs[0].active(Direction::Write).expect("it writes");
    println!("{set:?}: {:.4e}", job.bandwidth());
    job.bandwidth()
}

/// What dies of so many planes can take, in bytes a second, if each is loaded alone; and with what the buffer may still hold at the end.
fn ceilings(dies: f64, planes: f64) -> [f64; 2] {
    let pages = 3.0 * planes;
    let rate = dies * pages * PAGE / (pages * PAGE_ON_BUS / BUS + PROGRAM_S);
    [rate, rate / (1.0 - BUFFER / WRITTEN)]
}

/// A way a channel: its bus and its chip work one after the other.
#[test]
fn sequential_writes_come_near_what_all_planes_can_do() {
    for (planes, merging) in [(4.0, "planes"), (1.0, "none")] {
        let set = [&UNBOUND[..], &[("geometry.ways", "1"), ("channel.merging", merging)]].concat();
        let [rate, ceiling] = ceilings(DIES / 4.0, planes);
        let found = write(&set);
        assert!(found <= ceiling, "{merging}: {found:.4e} lies above the ceiling {ceiling:.4e}");
        assert!(found >= 0.95 * rate, "{merging}: {found:.4e} lies below 95 % of {rate:.4e}");
    }
}

/// Ways that share a bus take turns with each flash page, so that they are loaded at the same time, and program then.
#[test]
fn ways_of_a_channel_are_loaded_together() {
    let [_, ceiling] = ceilings(DIES, 4.0);
    let together = DIES * 12.0 * PAGE / (4.0 * 12.0 * PAGE_ON_BUS / BUS + PROGRAM_S);
    let found = write(&UNBOUND);
    assert!(found <= ceiling, "{found:.4e} lies above the ceiling {ceiling:.4e}");
    assert!(found >= 0.9 * together, "{found:.4e} lies below 90 % of {together:.4e}");
}

/// The processor of Cosmos+ is slower than the board's link, and that is slower than its dies. The board's own processor lies between.
#[test]
fn the_processor_is_the_limit_of_the_board_and_then_the_link() {
    let old = [
        ("processor.clock_mhz", "1000"),
        ("processor.register_read_ns", "150"),
        ("processor.register_write_ns", "100"),
    ];
    let fast = [
        ("processor.clock_mhz", "10000"),
        ("processor.register_read_ns", "1"),
        ("processor.register_write_ns", "1"),
    ];
    let (old, own, fast) = (write(&old), write(&[]), write(&fast));
    assert!((0.9 * LINK..=LINK).contains(&fast), "{fast:.4e} with a fast processor");
    assert!(old < 0.5 * fast, "{old:.4e} with that of Cosmos+, {fast:.4e} with a fast one");
    assert!(
        own > 1.5 * old && own < fast,
        "{own:.4e} with that of the board, {old:.4e} with that of Cosmos+"
    );
    let apart = write(&[("channel.merging", "none")]);
    let [_, ceiling] = ceilings(DIES, 1.0);
    assert!(apart <= ceiling && apart < own, "{apart:.4e} with a plane, ceiling {ceiling:.4e}");
}

/// A small read is of one plane: what all planes of a die do at once does not change it.
#[test]
fn a_small_read_takes_as_long_as_from_one_plane() {
    let jobs = "[read]\nrw=randread\nbs=4k\niodepth=1\nsize=1g\nnumber_ios=600\n";
    let mean = |merging: &str| {
        let result = run(&[("channel.merging", merging)], jobs, Preconditioning::Sequential);
        result.jobs[0].active(Direction::Read).expect("it reads").clat.moments_ps().mean() / 1e6
    };
    let (together, apart) = (mean("planes"), mean("none"));
    println!("{together:.2} us, of one plane {apart:.2} us");
    assert!((together - apart).abs() < 1.5, "{together} us, of one plane {apart} us");
}
