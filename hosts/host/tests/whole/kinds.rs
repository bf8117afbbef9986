//! Every kind of job runs to its end, moves what it was asked to, and reads right data.

use super::*;

#[test]
fn every_pattern_moves_its_bytes() {
    const BYTES: u64 = 4 << 20;
    // Pattern; bytes read, written, trimmed.
    let rows = [
        ("read", [BYTES, 0, 0]),
        ("write", [0, BYTES, 0]),
        ("trim", [0, 0, BYTES]),
        ("randread", [BYTES, 0, 0]),
        ("randwrite", [0, BYTES, 0]),
        ("randtrim", [0, 0, BYTES]),
        ("trimwrite", [0, BYTES, BYTES]),
        ("randtrimwrite", [0, BYTES, BYTES]),
    ];
    for (pattern, expected) in rows {
        for depth in [1, 8, 64] {
            let result = Run::new().go(&job(&format!("rw={pattern} size=4m iodepth={depth}")));
            let found = Direction::ALL
                .map(|direction| result.jobs[0].active(direction).map_or(0, |result| result.bytes));
            assert_eq!(found, expected, "{pattern} at {depth}");
        }
    }
}

#[test]
fn mixed_jobs_split_their_bytes() {
    for pattern in ["rw", "randrw"] {
        let result = Run::new().go(&job(&format!("rw={pattern} rwmixread=70 size=8m iodepth=16")));
        let job = &result.jobs[0];
        let (read, write) =
            (direction(job, Direction::Read).ios, direction(job, Direction::Write).ios);
        assert_eq!(read + write, 2048);
        assert!((1300..1570).contains(&read), "{pattern}: {read} of 2048 are reads");
    }
}

#[test]
fn all_lengths_work_with_both_payloads_and_block_sizes() {
    for payload in [PayloadForm::Stamps, PayloadForm::Bytes] {
        for (block, lengths) in [
            ("512", &["512", "1536", "4k", "5k", "16k", "20k", "1m", "3m"][..]),
            ("4096", &["4k", "12k", "64k", "1m", "3m"][..]),
        ] {
            for length in lengths {
                let run = Run { payload, ..Run::new() }.set("namespace.block_bytes", block);
                let count = 3 * 4;
                let options = format!(
                    "rw=randrw bs={length} number_ios={count} io_size=60m size=36m iodepth=4 \
                     norandommap verify=crc32c"
                );
                let result = run.go(&job(&options));
                let write = direction(&result.jobs[0], Direction::Write).ios;
                let read = direction(&result.jobs[0], Direction::Read).ios;
                // Every write is read again.
                assert_eq!(read, count, "{payload:?} {block} {length}: {write} written");
            }
        }
    }
}

#[test]
fn a_verify_job_reads_all_that_it_wrote() {
    for options in
        ["rw=write bs=64k", "rw=randwrite bs=4k", "rw=randwrite bssplit=4k/60:16k/30:64k/10"]
    {
        let result = Run::new().go(&job(&format!("{options} size=4m iodepth=32 verify=md5")));
        let job = &result.jobs[0];
        let (read, write) = (direction(job, Direction::Read), direction(job, Direction::Write));
        assert_eq!((read.ios, read.bytes), (write.ios, write.bytes), "{options}");
        // Writing and reading back take turns, and together all of the time.
        assert_eq!(read.runtime_ps + write.runtime_ps, job.runtime_ps, "{options}");
        assert!(read.runtime_ps > 0 && write.runtime_ps > 0, "{options}");
    }
}

#[test]
fn flushes_are_counted_apart() {
    let result = Run::new().go(&job("rw=randwrite size=1m iodepth=4 fsync=16"));
    let job = &result.jobs[0];
    assert_eq!(direction(job, Direction::Write).ios, 256);
    // After the last write the job is over, before its flush is due.
    assert_eq!(job.sync.count(), 15);
    // A flush programs pages, which takes longer than the quickest program.
    assert!(job.sync.moments_ps().min() > 400_000_000, "{:?}", job.sync.moments_ps());
    assert!(result.drive.pages_programmed >= 15);
}

#[test]
fn what_was_trimmed_and_written_again_is_right_over_many_passes() {
    let text = "[global]\nsize=2m\niodepth=16\nbs=4k\nnorandommap\nio_size=16m\n\
                [trimmer]\nrw=randtrim\n[writer]\nrw=randwrite\n[reader]\nrw=randread\n\
                [mixer]\nrw=randrw\nbsrange=4k-40k\n";
    for precondition in [Preconditioning::None, Preconditioning::Random] {
        let result = Run { precondition, ..Run::new() }.go(text);
        assert_eq!(result.jobs.len(), 4);
        assert_eq!(direction(&result.jobs[2], Direction::Read).ios, 4096);
    }
}

#[test]
fn random_overwrites_of_a_full_drive_run_on() {
    for precondition in [Preconditioning::Sequential, Preconditioning::Steady] {
        let run = Run { precondition, ..Run::new() };
        let result =
            run.go(&job("rw=randwrite bs=16k iodepth=16 norandommap io_size=100m verify=meta"));
        let drive = &result.drive;
        assert!(drive.garbage_collections > 0 && drive.gc_pages_moved > 0, "{drive:?}");
        let amplification = drive.write_amplification().unwrap();
        assert!((1.0..20.0).contains(&amplification), "{amplification}");
    }
}
