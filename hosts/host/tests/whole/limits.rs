//! Small drives and hard cases: few queues, short queues, failing media, jobs that do not fit.

use super::*;

#[test]
fn more_jobs_than_queues_share_them() {
    for queues in ["1", "3"] {
        let run = Run::new().set("nvme.io_queues", queues);
        let result = run.go(&job("rw=randrw size=1m iodepth=8 numjobs=10 verify=crc32c"));
        assert_eq!(result.jobs.len(), 10);
        for job in &result.jobs {
            let write = direction(job, Direction::Write).ios;
            assert_eq!(direction(job, Direction::Read).ios, 256, "{write} written");
        }
    }
}

#[test]
fn one_vector_is_shared_with_the_admin_queue() {
    let run = Run::new().set("nvme.vectors", "1");
    let result = run.go(&job("rw=randread size=1m iodepth=8 numjobs=3"));
    assert_eq!(result.jobs.iter().map(|j| direction(j, Direction::Read).ios).sum::<u64>(), 768);
}

#[test]
fn a_depth_beyond_the_queue_is_held_back_and_named() {
    let run = Run::new().set("nvme.queue_entries", "16");
    let text = job("rw=randread size=4m iodepth=64 numjobs=2");
    let result = run.go(&text);
    assert_eq!(
        result.warnings,
        ["job: iodepth: 64 requests take 64 commands, but a queue of this drive holds 15"; 2]
    );
    let job = &result.jobs[0];
    assert_eq!(direction(job, Direction::Read).ios, 1024);
    assert_eq!(job.depths.percentages()[4..], [0.0; 3], "{:?}", job.depths);
}

#[test]
fn a_request_larger_than_the_queue_goes_in_portions() {
    let run = Run::new().set("nvme.queue_entries", "4").set("nvme.max_transfer_kib", "8");
    let result = run.go(&job("rw=rw bs=256k size=4m iodepth=4 numjobs=2 verify=crc32c"));
    for job in &result.jobs {
        assert_eq!(direction(job, Direction::Read).bytes, 4 << 20);
    }
}

#[test]
fn both_arbitrations_and_long_queues_work() {
    for arbitration in ["round-robin", "weighted"] {
        let run = Run::new().set("host.arbitration", arbitration);
        let result = run.go(&job("rw=randread size=1m iodepth=128 numjobs=4"));
        assert_eq!(result.jobs.len(), 4);
    }
}

#[test]
fn a_failing_drive_ends_the_job_with_an_error_and_others_go_on() {
    let run = Run::new().set("errors.raw_bits_per_terabit", "20000000000");
    let text =
        "[reader]\nrw=randread\nsize=8m\niodepth=8\n[trimmer]\nrw=trim\noffset=16m\nsize=1m\n";
    let result = run.attempt(text).unwrap();
    let error = result.jobs[0].error.as_ref().expect("unreadable pages");
    assert_eq!(error.number, 61);
    assert!(error.message.starts_with("read of LBA "), "{}", error.message);
    assert!(error.message.ends_with(": Unrecovered Read Error"), "{}", error.message);
    assert_eq!(result.jobs[1].error, None);
    assert_eq!(direction(&result.jobs[1], Direction::Trim).bytes, 1 << 20);
    assert!(result.drive.uncorrectable_reads > 0);
}

#[test]
fn what_does_not_fit_is_one_line() {
    let error = Run::new().attempt(&job("size=1g")).unwrap_err();
    let message = error.to_string();
    assert!(message.starts_with("job.fio:2: size: found \"1g\", expected at most "), "{message}");
    assert!(!message.contains('\n'));
    let error = Run::new().attempt(&job("bs=16m iodepth=512 rw=write")).unwrap_err();
    let message = error.to_string();
    let start = "jobs: numjobs x iodepth x bs: found 86";
    assert!(message.starts_with(start), "{message}");
    assert!(message.ends_with(" bytes of data buffers, expected at most 4294967296"), "{message}");
}
