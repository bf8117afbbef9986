//! Reads and trims of what a job wrote before, between its writes.
//!
//! The orders are those of fio 3.33 with one request in flight, from its `write_iolog`, unless a row says more.

use super::walking::{kinds, offsets, run, told};
use super::{resolve, spec};
use crate::job::RequestKind;

fn order(options: &str) -> String {
    told(&run(&spec(&format!("size=64k {options}")), 1))
}

/// Options, and the reads and writes of fio 3.33 with them. It begins whole passes until its `io_size` is moved, of which what is
/// read back is a part.
#[test]
fn what_is_read_back_counts_towards_io_size() {
    let rows = [
        ("rw=write io_size=32k", (8, 8)),
        ("rw=write io_size=128k", (16, 16)),
        ("rw=write io_size=131k", (16, 16)),
        ("rw=write io_size=132k", (32, 32)),
        ("rw=write io_size=160k", (32, 32)),
        ("rw=write io_size=300k", (48, 48)),
        ("rw=write io_size=32k loops=2", (16, 16)),
        ("rw=write io_size=100k loops=2", (32, 32)),
        ("rw=write io_size=160k verify_backlog=4", (32, 32)),
        ("rw=write size=60k bs=8k io_size=100k", (7, 7)),
        ("rw=write io_size=160k number_ios=20", (16, 16)),
        ("rw=randwrite io_size=32k", (8, 8)),
        ("rw=randwrite io_size=128k", (16, 16)),
        ("rw=randwrite io_size=160k", (32, 32)),
        ("rw=randwrite io_size=160k loops=2", (32, 32)),
    ];
    for (options, expected) in rows {
        let issues = run(&spec(&format!("size=64k verify=crc32c {options}")), 1);
        let count = |kind| offsets(&issues, kind).len();
        let found = (count(RequestKind::Read), count(RequestKind::Write));
        assert_eq!(found, expected, "{options}");
    }
}

#[test]
fn a_job_reads_back_after_its_backlog() {
    let rows = [
        (
            "rw=write verify=crc32c verify_backlog=4",
            "w0 w1 w2 w3 r0 r1 r2 r3 w4 w5 w6 w7 r4 r5 r6 r7 w8 w9 w10 w11 r8 r9 r10 r11 \
             w12 w13 w14 w15 r12 r13 r14 r15",
        ),
        (
            "rw=write verify=crc32c verify_backlog=5",
            "w0 w1 w2 w3 w4 r0 r1 r2 r3 r4 w5 w6 w7 w8 w9 r5 r6 r7 r8 r9 w10 w11 w12 w13 w14 \
             r10 r11 r12 r13 r14 w15 r15",
        ),
        (
            "rw=write verify=crc32c verify_backlog=4 verify_backlog_batch=2",
            "w0 w1 w2 w3 r0 r1 w4 w5 r2 r3 w6 w7 r4 r5 w8 w9 r6 r7 w10 w11 r8 r9 w12 w13 r10 r11 \
             w14 w15 r12 r13 r14 r15",
        ),
        (
            "rw=write verify=crc32c verify_backlog=4 verify_backlog_batch=6",
            "w0 w1 w2 w3 r0 r1 r2 r3 w4 r4 w5 r5 w6 w7 w8 w9 r6 r7 r8 r9 w10 r10 w11 r11 \
             w12 w13 w14 w15 r12 r13 r14 r15",
        ),
        (
            "rw=write verify=crc32c verify_backlog=100",
            "w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 w12 w13 w14 w15 \
             r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13 r14 r15",
        ),
        ("rw=write size=12k verify=crc32c verify_backlog=1", "w0 r0 w1 r1 w2 r2"),
        (
            "rw=write size=16k verify=crc32c verify_backlog=3 loops=2",
            "w0 w1 w2 r0 r1 r2 w3 r3 w0 w1 w2 r0 r1 r2 w3 r3",
        ),
        // Nor does a walk that lasts a time stop for its end.
        (
            "rw=write size=16k verify=crc32c verify_backlog=3 time_based runtime=190us",
            "w0 w1 w2 r0 r1 r2 w3 w0 w1 r0 r1 r3 w2 w3 w0 r0 r2 r3 w1",
        ),
        ("rw=write verify=crc32c verify_backlog=4 do_verify=0 size=20k", "w0 w1 w2 w3 w4"),
        ("rw=write verify_backlog=2 size=16k", "w0 w1 w2 w3"),
        ("rw=read verify=crc32c verify_backlog=2 size=16k", "r0 r1 r2 r3"),
        // Reads of the backlog count as requests.
        (
            "rw=write verify=crc32c verify_backlog=4 number_ios=10",
            "w0 w1 w2 w3 r0 r1 r2 r3 w4 w5 r4 r5",
        ),
        // They go before a flush that is due.
        (
            "rw=write verify=crc32c verify_backlog=4 fsync=3",
            "w0 w1 w2 f w3 r0 r1 r2 r3 w4 w5 f w6 w7 r4 r5 r6 r7 w8 f w9 w10 w11 r8 r9 r10 r11 f \
             w12 w13 w14 f w15 r12 r13 r14 r15",
        ),
    ];
    for (options, expected) in rows {
        assert_eq!(order(options), expected, "{options}");
    }
}

#[test]
fn what_has_not_completed_is_not_read_back() {
    // As fio's libaio: no write has completed when the list has four entries, so all go out first.
    let found = order("rw=write verify=crc32c verify_backlog=4 iodepth=16");
    assert!(
        found.starts_with("w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 w12 w13 w14 w15 r0"),
        "{found}"
    );
    assert_eq!(found.matches('r').count(), 16);
    // Whatever the depth, a block is read after it was written.
    for depth in [2, 3, 5] {
        let spec =
            spec(&format!("rw=randwrite verify=md5 verify_backlog=4 size=256k iodepth={depth}"));
        let issues = run(&spec, 1);
        let (writes, reads) =
            (offsets(&issues, RequestKind::Write), offsets(&issues, RequestKind::Read));
        assert_eq!(writes, reads, "each is read, in the order of writing");
        let done =
            |nth: usize| issues[..nth].iter().filter(|(_, r)| r.kind == RequestKind::Read).count();
        assert!(done(40) > 8, "they are read between writes");
    }
}

#[test]
fn the_bytes_of_a_mix_are_those_of_its_own_requests() {
    let issues = run(&spec("size=64k rw=rw verify=crc32c verify_backlog=4"), 1);
    let writes = offsets(&issues, RequestKind::Write).len();
    let reads = offsets(&issues, RequestKind::Read).len();
    // 16 requests of the mix, and each write once more.
    assert_eq!((writes + reads, reads), (16 + writes, 16));
}

#[test]
fn without_a_map_each_place_is_read_once_and_in_order() {
    for options in ["norandommap", "random_distribution=zipf:1.1", "norandommap loops=2 size=128k"]
    {
        let issues = run(&spec(&format!("size=256k rw=randwrite verify=crc32c {options}")), 3);
        let mut passes = issues
            .chunk_by(|(_, a), (_, b)| (a.kind, b.kind) != (RequestKind::Read, RequestKind::Write));
        let passes: Vec<_> = passes.by_ref().collect();
        assert_eq!(passes.len(), if options.contains("loops") { 2 } else { 1 });
        for pass in passes {
            let mut places = offsets(pass, RequestKind::Write);
            let written = places.len();
            places.sort_unstable();
            places.dedup();
            assert!(places.len() < written, "{options}: some place was written twice");
            assert_eq!(offsets(pass, RequestKind::Read), places, "{options}");
        }
    }
    // A walk backwards is read back forwards.
    let found = order("rw=write:-8k size=32k offset=1m verify=crc32c");
    assert_eq!(found, "w262 w261 w260 w259 w258 w257 w256 w262 r256 r257 r258 r259 r260 r261 r262");
}

#[test]
fn writes_are_trimmed_again() {
    // By the text of fio 3.33, `check_get_trim`: a batch is one more than it says.
    let rows = [
        (
            "trim_percentage=100 trim_backlog=4",
            "w0 w1 w2 w3 t0 t1 t2 t3 w4 t4 w5 w6 w7 w8 t5 t6 t7 t8",
        ),
        (
            "trim_percentage=100 trim_backlog=4 trim_backlog_batch=1",
            "w0 w1 w2 w3 t0 t1 w4 w5 t2 t3 w6 w7 t4 t5",
        ),
        ("trim_percentage=100 trim_backlog=3 trim_verify_zero=1", "w0 w1 w2 t0 t1 t2 w3 t3 w4 w5"),
    ];
    for (options, expected) in rows {
        let found = order(&format!("rw=write verify=crc32c {options}"));
        assert!(found.starts_with(expected), "{options}: {found}");
    }
    // What was trimmed is not read back, unless that is asked for.
    let count = |options: &str| {
        let found = kinds(&run(&spec(&format!("size=4m rw=write verify=md5 {options}")), 1));
        ['w', 't', 'r'].map(|kind| found.matches(kind).count())
    };
    let [writes, trims, reads] = count("trim_percentage=50 trim_backlog=8");
    assert_eq!((writes, trims + reads), (1024, 1024));
    assert!((400..624).contains(&trims), "{trims}");
    let [writes, trims, reads] = count("trim_percentage=50 trim_backlog=8 trim_verify_zero=1");
    assert_eq!((writes, reads), (1024, 1024));
    assert!((400..624).contains(&trims), "{trims}");
    for without in ["trim_percentage=50", "trim_backlog=8", "trim_percentage=0 trim_backlog=8"] {
        assert_eq!(count(without), [1024, 0, 1024], "{without}");
    }
}

#[test]
fn trims_and_writes_of_other_lengths_keep_pace() {
    let rows = [
        (
            "bs=4k,4k,8k",
            "t0+2 w0 t2+2 w1 w2 t4+2 w3 w4 t6+2 w5 w6 t8+2 w7 w8 t10+2 w9 w10 t12+2 w11 w12 t14+2 w13 w14",
        ),
        (
            "bs=8k,4k,16k",
            "t0+4 w0 t4+4 w1 w2 w3 w4 t8+4 w5 w6 w7 w8 t12+4 w9 w10 w11 w12",
        ),
        ("bs=4k,8k,4k", "t0 w0+2 t1 w2+2 w4+2 w6+2 w8+2 w10+2 w12+2 w14+2"),
        (
            "bs=4k,4k,12k",
            "t0+3 w0 t3+3 w1 w2 w3 t6+3 w4 w5 w6 t9+3 w7 w8 w9 t12+3 w10 w11 w12",
        ),
        ("bs=4k,4k,8k size=16k loops=2", "t0+2 w0 t2+2 w1 w2 t0+2 w0 t2+2 w1 w2"),
    ];
    for (options, expected) in rows {
        assert_eq!(order(&format!("rw=trimwrite {options}")), expected, "{options}");
    }
    let error = resolve("[job]\nrw=randtrimwrite\nbs=4k,4k,8k\nsize=1m\n").unwrap_err();
    assert!(error.contains("the same lengths for write and trim with randtrimwrite"), "{error}");
}

#[test]
fn a_request_waits_for_those_that_it_overlaps() {
    // Two places only: with 8 in flight, no two requests to one place may be under way at once.
    let options = "rw=randwrite size=8k io_size=256k norandommap iodepth=8";
    let together = |options: &str| {
        let issues = run(&spec(options), 5);
        let meets = |(nth, (at, request)): (usize, &(u64, crate::job::Request))| {
            let others = issues[..nth].iter();
            others
                .filter(|(before, other)| {
                    at - before < 10_000_000 && other.offset_bytes == request.offset_bytes
                })
                .count()
        };
        assert_eq!(issues.len(), 64);
        issues.iter().enumerate().map(meets).sum::<usize>()
    };
    assert!(together(options) > 64);
    assert_eq!(together(&format!("{options} serialize_overlap=1")), 0);
    // A walk overlaps nothing and keeps its depth.
    let walk = run(&spec("rw=write size=64k iodepth=8 serialize_overlap"), 1);
    assert_eq!(walk.iter().filter(|(at, _)| *at == 0).count(), 8);
}
