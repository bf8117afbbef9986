//! Random reads on drives that keep a part of their map in memory, against what is worked out by hand.

use board::Board;
use contract::Cause;
use host::job::from_pairs;
use host::{Preconditioning, RunRequest};
use report::{Direction, MapUse, RunResult};

/// A drive of 1.9 GB with flash pages of 16 KiB and mapping units of 4 KiB: a map of 115 parts of 4,088 entries.
const DRIVE: [(&str, &str); 6] = [
    ("geometry.channels", "4"),
    ("geometry.ways", "2"),
    ("geometry.blocks_per_way", "128"),
    ("ftl.spare_blocks_per_way", "4"),
    ("ftl.mapping_unit_bytes", "4096"),
    ("flash.metadata_bytes", "36"),
];
/// Bytes of a part.
const PART: u64 = 16_384 - 32;

fn run(kept: Option<u64>, iodepth: &str) -> RunResult {
    let bytes = (kept.unwrap_or(0) * PART).to_string();
    let own = [("recovery.log_entries", "16"), ("ftl.map_cache_bytes", &bytes)];
    let set: Vec<_> =
        DRIVE.iter().chain(&own).map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let board = Board::resolve("cosmos-plus", &set).expect("the board");
    let options = [
        ("rw", "randread"),
        ("bs", "4k"),
        ("iodepth", iodepth),
        ("number_ios", "12000"),
        ("norandommap", "1"),
    ];
    let pairs = options.map(|(key, value)| (key.to_string(), value.to_string()));
    let jobs = from_pairs(&pairs).expect("options");
    let request = RunRequest {
        precondition: Preconditioning::Sequential,
        ..RunRequest::new(&board, &jobs, "reads.fio")
    };
    host::run(request, &mut |_| {}).expect("a run")
}

fn map_use(result: &RunResult) -> MapUse {
    result.drive.map.expect("a part of the map is in memory")
}

/// Microseconds that a read takes on average.
fn mean_us(result: &RunResult) -> f64 {
    let reads = result.jobs[0].active(Direction::Read).expect("the job reads");
    1e6 / reads.iops()
}

/// Microseconds of a read, on average, that its account calls waiting for the map.
fn map_wait_us(result: &RunResult) -> f64 {
    let reads = result.jobs[0].active(Direction::Read).expect("the job reads");
    reads.cause_shares()[Cause::Map as usize] * reads.clat.mean_ns() / 1000.0
}

#[test]
fn uniform_reads_hit_as_much_as_is_kept_and_a_miss_is_one_read_more() {
    let whole = run(None, "1");
    assert_eq!(whole.drive.map, None);
    let parts = {
        let set: Vec<_> =
            DRIVE.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        let board = Board::resolve("cosmos-plus", &set).expect("the board");
        let units = u64::from(board.firmware.logical_pages) * 4;
        units.div_ceil(PART / 4)
    };
    println!("all {parts} parts: {:.1} us a read", mean_us(&whole));
    for kept in [24, 48, 72, 96] {
        let result = run(Some(kept), "1");
        let map = map_use(&result);
        let (share, hit_rate) = (kept as f64 / parts as f64, map.hit_rate().expect("slices"));
        let more_us = (mean_us(&result) - mean_us(&whole)) / (1.0 - hit_rate);
        let wait_us = map_wait_us(&result) / (1.0 - hit_rate);
        println!(
            "{kept} parts, {share:.3} of the map: {hit_rate:.3} hits, {:.1} us a read, {more_us:.1} us more a miss, {wait_us:.1} us by the account",
            mean_us(&result)
        );
        // The account of the commands has all of it as waiting for the map.
        assert!((wait_us / more_us - 1.0).abs() < 0.03, "{wait_us} of {more_us}");
        // Each part is as likely to be read as any other, so hits are the share of them that is kept.
        assert!((share - 0.03..share + 0.03).contains(&hit_rate), "{hit_rate} of {share}");
        // Each miss reads a part, and nothing else does.
        assert_eq!(map.misses, map.parts_read);
        assert_eq!(map.parts_written, 0);
        // tR of 99 us, and a page with its spare on the bus in 90 us; then the processor.
        assert!((185.0..240.0).contains(&more_us), "{more_us}");
    }
}

#[test]
fn misses_of_several_commands_overlap() {
    for kept in [24, 72] {
        let (one, many) = (run(Some(kept), "1"), run(Some(kept), "16"));
        let times = mean_us(&one) / mean_us(&many);
        println!(
            "{kept} parts: {:.1} us, {:.1} us with 16 commands",
            mean_us(&one),
            mean_us(&many)
        );
        assert!(times > 2.0, "{times}");
    }
}
