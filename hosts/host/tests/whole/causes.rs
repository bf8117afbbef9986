//! Where commands' time goes. That the causes of every single command add up to its latency is
//! asserted in every run (`CommandTimes::split`); here runs of all kinds go through that, others
//! show what they are known to wait for, and each time that a board gives is found under its cause.

use super::*;
use report::{Part, Split};

/// Runs jobs, and checks that each one's causes and parts are the whole of its latency.
pub fn add_up(run: &Run, text: &str) -> RunResult {
    let result = run.go(text);
    for job in &result.jobs {
        for told in Direction::ALL.into_iter().filter_map(|direction| job.active(direction)) {
            let clat = told.clat.moments_ps().sum();
            assert_eq!(u128::from(told.split.total()), clat, "{text}");
            let parts: u128 = told.parts.iter().map(|part| part.moments_ps().sum()).sum();
            assert_eq!(parts, clat, "{text}");
        }
    }
    result
}

fn share(split: &Split, causes: &[Cause]) -> f64 {
    let times = split.by_cause();
    let of: u64 = causes.iter().map(|&cause| times[cause as usize]).sum();
    of as f64 / split.total() as f64
}

#[test]
fn the_causes_of_every_command_add_up() {
    let plain = Run::new();
    let full = Run { precondition: Preconditioning::Sequential, ..Run::new() };
    let steady = Run { precondition: Preconditioning::Steady, ..Run::new() };
    let ailing = Run {
        set: vec![
            ("errors.program_failures_per_billion".into(), "500000".into()),
            ("errors.factory_bad_blocks_per_million".into(), "5000".into()),
        ],
        ..Run::new()
    };
    let through = Run { set: vec![("ftl.cache".into(), "write-through".into())], ..Run::new() };
    for (run, options) in [
        (&full, "rw=randread bs=4k iodepth=32 size=32m number_ios=4000"),
        (&full, "rw=randwrite bs=4k iodepth=32 number_ios=4000"),
        (&steady, "rw=randwrite bs=16k iodepth=32 number_ios=4000"),
        (&steady, "rw=randrw bsrange=4k-256k iodepth=16 number_ios=2000 fsync=16"),
        (&plain, "rw=randtrimwrite bs=16k iodepth=8 size=16m"),
        (&plain, "rw=randtrim bsrange=4k-64k iodepth=8 size=16m"),
        (&through, "rw=randrw bsrange=4k-64k iodepth=16 size=16m fdatasync=8"),
        (&plain, "rw=randrw bs=4k iodepth=8 size=16m sync=1"),
        (&ailing, "rw=randrw bsrange=4k-64k iodepth=16 size=32m"),
    ] {
        let result = add_up(run, &job(options));
        assert!(result.speed.requests > 300, "{options}: {}", result.speed.requests);
    }
}

/// Reads one at a time of a drive that does nothing else: what a part of the board takes longer is in the
/// time of its cause, and of no other but the processor's, whose loop comes round at another moment.
#[test]
fn what_a_part_takes_longer_is_found_under_its_cause() {
    let rows = [
        ("host.doorbell_latency_us", 0.5, Cause::HostLink),
        ("host.interrupt_latency_us", 1.0, Cause::HostLink),
        ("host.reap_latency_us", 1.2, Cause::Host),
        ("flash.t_read_slc_us", 99.0, Cause::Flash),
        ("ecc.decode_latency_us", 4.0, Cause::Ecc),
    ];
    let text = job("rw=randread bs=16k iodepth=1 number_ios=100");
    let mean_us = |result: &RunResult| {
        let split = direction(&result.jobs[0], Direction::Read).split;
        split.by_cause().map(|ps| ps as f64 / 1e6 / 100.0)
    };
    let usual = mean_us(&add_up(&Run::new(), &text));
    for (key, value_us, cause) in rows {
        let longer = Run::new().set(key, &(value_us + 20.0).to_string());
        let found = mean_us(&add_up(&longer, &text));
        for other in Cause::ALL {
            let more = found[other as usize] - usual[other as usize];
            match other {
                _ if other == cause => assert!((more - 20.0).abs() < 0.1, "{key}: {more}"),
                Cause::Processor => assert!(more.abs() < 5.0, "{key}: {other:?} {more}"),
                _ => assert!(more.abs() < 0.5, "{key}: {other:?} {more}"),
            }
        }
    }
}

/// At 10 GHz a processor is next to nothing, and what is left are chips and buses.
#[test]
fn a_random_read_on_a_fast_processor_waits_for_the_flash_and_not_for_the_processor() {
    let run = Run {
        set: vec![("processor.clock_mhz".into(), "10000".into())],
        precondition: Preconditioning::Sequential,
        ..Run::new()
    };
    let result = add_up(&run, &job("rw=randread bs=4k iodepth=64 number_ios=8000"));
    let read = direction(&result.jobs[0], Direction::Read);
    let split = &read.split;
    let processor = share(split, &[Cause::Processing, Cause::Processor]);
    let waiting = share(split, &[Cause::Entry, Cause::Die, Cause::Bus]);
    let flash = share(split, &[Cause::Flash, Cause::Transfer, Cause::Ecc, Cause::Memory]);
    let link = share(split, &[Cause::HostLink, Cause::DmaEngine, Cause::Fetch, Cause::Host]);
    assert!(processor < 0.03, "{processor}");
    assert!(waiting > 0.2, "{waiting}");
    assert!((processor + waiting + flash + link - 1.0).abs() < 0.01);
    // Table 7's firmware is what it was: all that precedes a first issue.
    let [_, firmware, _] = split.by_part();
    assert!(firmware as f64 / split.total() as f64 > 0.2);
}

/// The processor has next to nothing to do, and a write takes as long as the die it waits for.
#[test]
fn steady_random_writes_wait_for_the_dies_and_their_collection() {
    // Nothing is done ahead of need, so that each write sees what it causes.
    let none = |key: &str| (key.to_string(), "0".to_string());
    let set = ["ftl.background_flush_percent", "ftl.background_collection_pages"].map(none).into();
    let run = Run { set, precondition: Preconditioning::Steady, ..Run::new() };
    let result = add_up(&run, &job("rw=randwrite bs=16k iodepth=32 number_ios=6000"));
    let write = direction(&result.jobs[0], Direction::Write);
    let split = &write.split;
    let dies = share(split, &[Cause::Internal, Cause::Die, Cause::Flash, Cause::Transfer]);
    assert!(result.drive.gc_pages_moved > 1000);
    assert!(share(split, &[Cause::Internal]) > 0.3, "collection: {dies}");
    assert!(dies > 0.8, "{dies}");
    let processor = share(split, &[Cause::Processing, Cause::Processor]);
    assert!(processor < result.drive.processor_busy.max(0.05), "{processor}");
    assert_eq!(split.of(Part::HostInterface, Cause::Internal), 0);
}
