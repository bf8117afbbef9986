//! How one offset follows from the one before: gaps, walks backwards, runs, shares and zones.

use super::spec;
use super::walking::{kinds, offsets, run};
use crate::job::RequestKind;

/// A part of the range, from and to in percent, and its share of the requests.
type Share = (u64, u64, f64);

fn reads(options: &str) -> Vec<u64> {
    offsets(&run(&spec(options), 1), RequestKind::Read)
}

/// The sequences are those of fio 3.33 on a file that is larger than the range, from its `write_iolog`.
#[test]
fn sequential_gaps_walk_as_fio_walks() {
    let down = |from: u64, to: u64| (to..=from).rev().collect::<Vec<_>>();
    let rows: &[(&str, Vec<u64>)] = &[
        ("rw=read:4k size=64k", vec![0, 2, 4, 6, 8, 10, 12, 14]),
        ("rw=read:12k size=64k loops=2", vec![0, 4, 8, 12, 0, 4, 8, 12]),
        ("rw=read:-8k size=64k", [vec![0], down(14, 0)].concat()),
        ("rw=read:-8k size=64k offset=1m", [down(270, 256), vec![270]].concat()),
        ("rw=read:508k size=1m offset=512k io_size=24k", vec![128, 256, 128, 256, 128, 256]),
        ("rw=read:4k size=32k number_ios=2", vec![0, 2]),
        ("rw=read:4k size=16k time_based runtime=50us", vec![0, 2, 0, 2, 0]),
        // Lengths may differ: the gap counts from the end of the request before.
        ("rw=read:4k bs=8k size=48k", vec![0, 3, 6, 9]),
    ];
    for (options, expected) in rows {
        assert_eq!(&reads(options), expected, "{options}");
    }
    // Each direction has a position of its own.
    let issues = run(&spec("rw=rw:4k size=64k"), 1);
    for kind in [RequestKind::Read, RequestKind::Write] {
        let found = offsets(&issues, kind);
        let expected: Vec<u64> = (0..found.len() as u64).map(|n| 2 * n).collect();
        assert_eq!(found, expected);
    }
    assert!(kinds(&issues).len() < 16, "it ends when one direction is at the end");
    // On the whole drive the walk starts anew until all bytes are moved.
    let whole = reads("rw=read:3g bs=1g");
    assert_eq!(whole.iter().map(|at| at >> 18).collect::<Vec<_>>(), [0, 4, 0, 4, 0, 4, 0, 4]);
}

/// As fio 3.33 walks with `io_size` and `loops`: a pass of a mix ends when one direction is at the end.
#[test]
fn a_mix_walks_until_one_direction_is_at_the_end() {
    for options in ["rw=rw size=32k io_size=96k", "rw=rw size=32k loops=3"] {
        let issues = run(&spec(options), 1);
        assert_eq!(issues.len(), 24, "{options}");
        let starts_anew = (1..24).find(|&nth| {
            let (_, request) = issues[nth];
            let before = |(_, other): &&(u64, crate::job::Request)| other.kind == request.kind;
            request.offset_bytes == 0 && issues[..nth].iter().any(|issue| before(&issue))
        });
        let nth = starts_anew.expect("a second pass");
        let most = [RequestKind::Read, RequestKind::Write]
            .map(|kind| offsets(&issues[..nth], kind).len())
            .into_iter()
            .max();
        assert_eq!(most, Some(8), "{options}: one direction has walked through");
        // The next pass draws the same directions.
        let rest = 24 - nth.max(12);
        assert_eq!(kinds(&issues)[..rest], kinds(&issues)[nth..nth + rest], "{options}");
    }
}

/// As in fio 3.33, a mix of a depth above 1 starts anew with each `size`, in the same directions.
#[test]
fn a_mix_of_queued_requests_starts_anew_behind_each_size() {
    for (options, count) in [
        ("size=32k io_size=96k", 24),
        ("size=32k loops=3", 24),
        ("size=32k io_size=16k loops=3", 12),
        ("size=32k loops=2 number_ios=5", 10),
    ] {
        for depth in [2, 4] {
            let issues = run(&spec(&format!("rw=rw {options} iodepth={depth}")), depth);
            assert_eq!(issues.len(), count, "{options}");
            let place = |nth: usize| (issues[nth].1.kind, issues[nth].1.offset_bytes);
            for nth in 8..count {
                assert_eq!(place(nth), place(nth - 8), "{options}, request {nth}");
            }
        }
    }
}

/// As in fio 3.33, a mix whose size is no multiple of its length has the last request in full, unless one
/// direction came to the end before.
#[test]
fn a_mix_moves_its_whole_size() {
    let row = |rw: &str| run(&spec(&format!("rw={rw} bs=20k size=324k")), 1).len();
    assert_eq!((row("read"), row("randrw"), row("rw")), (16, 16, 17));
    let one_way = run(&spec("rw=rw rwmixread=99 bs=20k size=324k"), 1).len();
    assert!((16..=17).contains(&one_way), "{one_way}");
}

#[test]
fn a_run_begins_at_random_and_goes_on_in_sequence_or_stays() {
    for rw in ["randread:8", "randread:3"] {
        let run = rw[9..].parse::<usize>().unwrap();
        let found = reads(&format!("rw={rw} size=64m io_size=4800k"));
        let starts: Vec<u64> = found.chunks(run).map(|chunk| chunk[0]).collect();
        for chunk in found.chunks(run) {
            let in_line = chunk.windows(2).filter(|pair| pair[1] == pair[0] + 1).count();
            assert!(in_line == chunk.len() - 1 || chunk.contains(&16_383), "{rw}: {chunk:?}");
        }
        assert!(starts.windows(2).filter(|pair| pair[1] < pair[0]).count() > starts.len() / 3);
        let found = reads(&format!("rw={rw} rw_sequencer=identical size=64m io_size=4800k"));
        assert!(found.chunks(run).all(|chunk| chunk.iter().all(|at| at == &chunk[0])), "{rw}");
        assert_eq!(found.chunks(run).map(|chunk| chunk[0]).collect::<Vec<_>>(), starts);
    }
}

#[test]
fn so_many_percent_of_the_offsets_are_random() {
    for (percent, expected) in [("0", 0.0), ("30", 0.3), ("75,10", 0.75), ("100", 1.0)] {
        let found = reads(&format!(
            "rw=randread size=1g io_size=80m norandommap percentage_random={percent}"
        ));
        let leaps = found.windows(2).filter(|pair| pair[1] != pair[0] + 1).count();
        let share = leaps as f64 / found.len() as f64;
        assert!((share - expected).abs() < 0.01, "{percent}: {share}");
    }
    // The parts that are random still cover: none of them comes twice.
    let found = reads("rw=randread size=4m io_size=2m percentage_random=50");
    let mut leaps: Vec<u64> =
        found.windows(2).filter(|pair| pair[1] != pair[0] + 1).map(|pair| pair[1]).collect();
    let all = leaps.len();
    leaps.sort_unstable();
    leaps.dedup();
    assert_eq!(leaps.len(), all);
}

#[test]
fn zones_get_their_share_of_the_requests() {
    let blocks = 25_600;
    let rows: &[(&str, &[Share])] = &[
        (
            "zoned:60/10:30/20:8/30:2/40",
            &[(0, 10, 0.6), (10, 30, 0.3), (30, 60, 0.08), (60, 100, 0.02)],
        ),
        ("zoned:50/5:30/15:20/", &[(0, 5, 0.5), (5, 20, 0.3), (20, 100, 0.2), (20, 60, 0.1)]),
        ("zoned:100/50", &[(0, 50, 1.0), (0, 25, 0.5)]),
        ("zoned_abs:70/10m:30/40m", &[(0, 10, 0.7), (10, 50, 0.3), (50, 100, 0.0)]),
    ];
    for (zones, expected) in rows {
        let found =
            reads(&format!("rw=randread size=100m io_size=400m random_distribution={zones}"));
        for (from, to, share) in *expected {
            let inside = (from * blocks / 100)..(to * blocks / 100);
            let hits = found.iter().filter(|at| inside.contains(at)).count();
            let hits = hits as f64 / found.len() as f64;
            assert!((hits - share).abs() < 0.01, "{zones} {from}..{to}: {hits}");
        }
    }
    // Directions may have zones of their own.
    let options = "rw=randrw size=100m io_size=40m random_distribution=zoned:100/10,0/90:100/10";
    let issues = run(&spec(options), 1);
    assert!(offsets(&issues, RequestKind::Read).iter().all(|&at| at < 2560));
    assert!(offsets(&issues, RequestKind::Write).iter().all(|&at| at >= 23_040));
}

#[test]
fn a_pass_that_wrote_ends_with_a_flush_if_wanted() {
    let rows = [
        ("rw=write size=16k end_fsync=1", "wwwwf"),
        ("rw=write size=16k fsync_on_close=1", "wwwwf"),
        ("rw=write size=16k end_fsync=1 loops=2", "wwwwfwwwwf"),
        ("rw=write size=16k end_fsync=1 fsync=3", "wwwfwf"),
        ("rw=write size=16k end_fsync=1 fsync=3 loops=2", "wwwfwfwwfwwf"),
        ("rw=read size=16k end_fsync=1", "rrrr"),
        ("rw=write size=1m end_fsync=1 number_ios=2", "wwf"),
        ("rw=write size=1m end_fsync=1 runtime=20us", "wwf"),
        ("rw=write size=8k end_fsync=1 runtime=30us time_based", "wwwf"),
        ("rw=write size=8k end_fsync=1 verify=crc32c", "wwfrr"),
        ("rw=trimwrite size=8k end_fsync=1", "twtwf"),
    ];
    for (options, expected) in rows {
        assert_eq!(kinds(&run(&spec(options), 1)), expected, "{options}");
    }
    // The flush waits for the last writes.
    let issues = run(&spec("rw=write size=32k iodepth=8 end_fsync=1"), 1);
    assert_eq!(issues[8].0, issues[7].0 + 10_000_000);
}

#[test]
fn a_poisson_process_keeps_the_rate_on_average() {
    let options = "size=64m iodepth=64 rate_iops=1000 rate_process=poisson runtime=10s time_based";
    let issues = run(&spec(options), 1);
    assert!((9_700..10_300).contains(&issues.len()), "{} in 10 s", issues.len());
    let gaps: Vec<f64> =
        issues.windows(2).map(|pair| (pair[1].0 - pair[0].0) as f64 / 1e9).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
    // Milliseconds: an exponential distribution has the square of its mean as variance.
    assert!((mean - 1.0).abs() < 0.03 && (variance - 1.0).abs() < 0.06, "{mean} {variance}");
    assert_ne!(issues, run(&spec(options), 2));
}

#[test]
fn a_job_that_is_stopped_issues_nothing_but_its_flush() {
    use crate::job::{Next, Workload};
    for (options, flushes) in [("rw=write size=1m", 0), ("rw=write size=1m end_fsync=1", 1)] {
        let mut workload = Workload::new(&spec(options), 1);
        let Next::Io(write) = workload.next(0) else { panic!("a write") };
        workload.stop();
        assert_eq!(workload.next(1), Next::Drain);
        workload.completed(&write, 5);
        for _ in 0..flushes {
            let Next::Io(flush) = workload.next(6) else { panic!("a flush") };
            assert_eq!(flush.kind, RequestKind::Flush);
            assert_eq!(workload.next(7), Next::Drain);
            workload.completed(&flush, 8);
        }
        assert_eq!(workload.next(9), Next::Done);
    }
    // One that has not begun does not.
    let mut workload = Workload::new(&spec("rw=write size=1m startdelay=5s"), 1);
    assert!(matches!(workload.next(0), Next::Wait { .. }));
    workload.stop();
    assert_eq!(workload.next(1), Next::Done);
}
