//! Jobs that say by placement handles which data belong together.

use super::*;
use report::HandleResult;

/// Two streams of writes that a drive does best to keep apart, 1 to 3 in space: one goes round in order, as a log does, and the other overwrites at random.
fn streams(options: [&str; 2]) -> String {
    let [log, bucket] = options;
    format!(
        "[log]\nrw=write\nbs=64k\nsize=70%\nloops=4\niodepth=4\n{log}\n\
         [bucket]\nrw=randwrite\nnorandommap\nbs=16k\noffset=70%\nsize=30%\nloops=4\niodepth=4\n{bucket}\n"
    )
}

/// A drive with so many handles, and room for their superblocks.
fn placed(handles: u8) -> Run {
    Run::new()
        .set("ftl.streams", "by-handle")
        .set("ftl.streams_handles", &handles.to_string())
        .set("ftl.overprovision_percent", "25")
        .set("geometry.blocks_per_way", "128")
        .set("flash.metadata_bytes", "36")
}

fn of_handle(result: &RunResult, nth: usize) -> HandleResult {
    result.drive.handles[nth]
}

#[test]
fn streams_that_the_host_keeps_apart_move_less() {
    for unit in ["0", "4096"] {
        let run = placed(2).set("ftl.mapping_unit_bytes", unit);
        let mixed = run.go(&streams(["", ""]));
        let apart = run.go(&streams(["fdp=1\nplids=0", "dataplacement=fdp\nplids=1"]));
        let moved = |result: &RunResult| result.drive.gc_pages_moved;
        assert!(moved(&mixed) > 2 * moved(&apart), "{} and {}", moved(&mixed), moved(&apart));
        // What is written in order is overwritten in order, but for the data that the drive was filled with.
        let [log, bucket] = [0, 1].map(|nth| of_handle(&apart, nth));
        let [of_log, of_bucket] = [log, bucket].map(|own| own.moved_share().expect("data"));
        assert!(of_log * 1.5 < of_bucket, "{log:?}, {bucket:?}");
        assert!(log.blocks_collected > 0 && bucket.blocks_collected > 0);
        let empty = Run { precondition: Preconditioning::None, ..run.clone() };
        let apart_from_start = empty.go(&streams(["fdp=1\nplids=0", "fdp=1\nplids=1"]));
        let log = of_handle(&apart_from_start, 0);
        assert!(log.bytes_moved == 0 && log.blocks_collected > 0, "{log:?}");
        // One handle, of those that the drive has, has all data of hosts that say nothing.
        assert_eq!((of_handle(&mixed, 1).bytes_written, of_handle(&mixed, 1).handle), (0, Some(1)));
        for result in [&mixed, &apart] {
            let handles = &result.drive.handles;
            let bytes: u64 = handles.iter().map(|own| own.bytes_moved).sum();
            let pages = moved(result) * 16_384;
            // Moves count when they are planned, and the last mapping units of a victim share a page with new data.
            assert!(bytes.abs_diff(pages) < pages / 10 + (1 << 20), "{bytes} and {pages}");
            assert_eq!((handles.len(), handles[2].handle), (3, None));
        }
    }
}

#[test]
fn handles_take_turns_or_are_drawn_and_every_byte_is_found_again() {
    for (options, expected) in [
        ("fdp=1", [50; 4]),
        ("fdp=1\nplids=1,3", [0, 100, 0, 100]),
        ("fdp=1\nplids=2", [0, 0, 200, 0]),
    ] {
        for payload in [PayloadForm::Stamps, PayloadForm::Bytes] {
            let run = Run { payload, ..placed(4) };
            let text = format!("[a]\nrw=randwrite\nbs=16k\nsize=20m\nnumber_ios=200\nverify=crc32c\nend_fsync=1\n{options}\n");
            let result = run.go(&text);
            let pages = [0, 1, 2, 3].map(|nth| of_handle(&result, nth).bytes_written / 16_384);
            assert_eq!(pages, expected, "{options}");
            assert!(direction(&result.jobs[0], Direction::Read).ios > 100);
        }
    }
    let text = "[a]\nrw=randwrite\nbs=16k\nsize=20m\nnumber_ios=400\nend_fsync=1\nfdp=1\nplid_select=random\n";
    let result = placed(4).go(text);
    let pages = [0, 1, 2, 3].map(|nth| of_handle(&result, nth).bytes_written / 16_384);
    assert!(pages.iter().all(|pages| (60..150).contains(pages)), "{pages:?}");
    assert_eq!(pages.iter().sum::<u64>(), 400);
}

#[test]
fn a_drive_whose_host_does_not_place_its_data_tells_of_no_handles_and_refuses_jobs_that_do() {
    assert!(Run::new().go(&job("rw=write bs=16k size=1m")).drive.handles.is_empty());
    let line = Run::new().attempt("[a]\nrw=write\nfdp=1\n").unwrap_err().to_string();
    let expected = "expected a board whose host places its data (ftl.streams by-handle)";
    assert!(line.contains("job.fio:3: fdp") && line.contains(expected), "{line}");
}
