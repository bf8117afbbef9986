//! Jobs on drives with zones, with the oracle on.

use super::*;

/// Writes zones over and over, and reads what was written.
const JOBS: &str = "[global]
zonemode=zbd
bs=16k
iodepth=8
stonewall
[fill]
rw=write
bs=64k
size=100%
[over]
rw=randwrite
size=100%
io_size=60m
max_open_zones=2
[mix]
rw=randrw
io_size=12m
fsync=37
numjobs=3
job_max_open_zones=1
[append]
rw=randwrite
bs=4k
io_size=12m
zone_append=1
[read]
rw=randread
io_size=20m
[again]
rw=read
bs=128k
";

fn zoned() -> Run {
    let run = Run { precondition: Preconditioning::None, ..Run::new() };
    let keys = [
        ("nvme.command_set", "zoned"),
        ("flash.metadata_bytes", "36"),
        ("zones.channels", "2"),
        ("zones.ways", "1"),
        ("zones.open", "4"),
        ("zones.active", "6"),
    ];
    keys.into_iter().fold(run, |run, (key, value)| run.set(key, value))
}

#[test]
fn what_jobs_read_is_what_they_wrote_while_zones_are_reset() {
    for payload in [PayloadForm::Stamps, PayloadForm::Bytes] {
        // Real bytes take longer to make and to compare.
        let less = if payload == PayloadForm::Bytes { "io_size=20m" } else { "io_size=60m" };
        let result = Run { payload, ..zoned() }.go(&JOBS.replace("io_size=60m", less));
        let drive = &result.drive;
        assert!(drive.erases > 30, "{} erases", drive.erases);
        let resets: u64 = result
            .jobs
            .iter()
            .filter_map(|job| job.directions[1].as_ref())
            .map(|own| own.zone_resets)
            .sum();
        assert!(resets > 15, "{resets} resets");
        // What collects is the host, which writes as much as it likes.
        let amplification = drive.write_amplification().expect("something was written");
        assert!((0.9..1.1).contains(&amplification), "{amplification}");
    }
}

#[test]
fn all_of_the_drive_is_written_and_no_more_zones_than_it_lets_be_open() {
    for (channels, ways) in [("1", "1"), ("2", "2")] {
        let jobs = "[fill]\nzonemode=zbd\nrw=write\nbs=128k\nsize=100%\n";
        let result = zoned().set("zones.channels", channels).set("zones.ways", ways).go(jobs);
        let written = direction(&result.jobs[0], Direction::Write).bytes;
        // 32 blocks a way, without two spares and three for the log.
        assert_eq!(written, 27 * 4 * 32 * 16_384, "{channels} x {ways}");
        assert_eq!(result.drive.erases, 0);
    }
}

#[test]
fn flash_that_fails_costs_no_data() {
    for seed in 1..4 {
        let run = zoned()
            .set("geometry.blocks_per_way", "64")
            .set("ftl.spare_blocks_per_way", "32")
            .set("errors.program_failures_per_billion", "500000")
            .set("errors.erase_failures_per_billion", "3000000");
        let result = Run { seed, ..run }.go(JOBS);
        assert!(result.drive.bad_blocks > 0, "seed {seed}");
    }
}
