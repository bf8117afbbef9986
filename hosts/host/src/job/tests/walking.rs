//! Requests that jobs generate, on a model drive that takes a fixed time.

use std::collections::{BTreeMap, VecDeque};

use super::spec;
use crate::job::{JobSpec, Next, Request, RequestKind, Workload};

const LATENCY_PS: u64 = 10_000_000;
const SECOND_PS: u64 = 1_000_000_000_000;

/// A request and when it was issued.
pub(super) type Issue = (u64, Request);

/// Runs a job to its end on a drive that completes each request after 10 us, in order.
pub(super) fn run(spec: &JobSpec, seed: u64) -> Vec<Issue> {
    let mut workload = Workload::new(spec, seed);
    let mut in_flight: VecDeque<Issue> = VecDeque::new();
    let mut issues = Vec::new();
    let mut now = 0;
    loop {
        let room = in_flight.len() < spec.iodepth as usize;
        let mut wake = None;
        match room.then(|| workload.next(now)) {
            Some(Next::Io(request)) => {
                issues.push((now, request));
                in_flight.push_back((now + LATENCY_PS, request));
                continue;
            }
            Some(Next::Wait { until_ps }) => {
                assert!(until_ps > now, "a wait that is over");
                wake = Some(until_ps);
            }
            Some(Next::Drain) => assert!(!in_flight.is_empty(), "a drain of nothing"),
            Some(Next::Done) => {
                assert!(in_flight.is_empty());
                return issues;
            }
            Some(Next::Remeasure) => continue,
            Some(Next::Held { .. }) => unreachable!("a job alone in its flow is not held"),
            None => {}
        }
        let completion = in_flight.front().map(|(at, _)| *at);
        now = wake.into_iter().chain(completion).min().expect("something to wait for");
        if completion == Some(now) {
            let (_, request) = in_flight.pop_front().unwrap();
            workload.completed(&request, now);
        }
    }
}

pub(super) fn offsets(issues: &[Issue], kind: RequestKind) -> Vec<u64> {
    let wanted = issues.iter().filter(|(_, r)| r.kind == kind);
    wanted.map(|(_, r)| r.offset_bytes / 4096).collect()
}

/// Requests as `w0 r0`: what each does, and where, in units of 4 KiB; with its length where that is another.
pub(super) fn told(issues: &[Issue]) -> String {
    let letters = kinds(issues);
    let one = |((_, request), letter): (&Issue, char)| match request.length_bytes / 4096 {
        _ if letter == 'f' => "f".to_string(),
        1 => format!("{letter}{}", request.offset_bytes / 4096),
        blocks => format!("{letter}{}+{blocks}", request.offset_bytes / 4096),
    };
    issues.iter().zip(letters.chars()).map(one).collect::<Vec<_>>().join(" ")
}

pub(super) fn kinds(issues: &[Issue]) -> String {
    let letter = |kind| match kind {
        RequestKind::Read => 'r',
        RequestKind::Write => 'w',
        RequestKind::Trim => 't',
        RequestKind::Flush => 'f',
        RequestKind::ZoneReset => 'z',
    };
    issues.iter().map(|(_, r)| letter(r.kind)).collect()
}

#[test]
fn sequential_jobs_walk_up_and_random_ones_cover_each_block_once() {
    for (name, kind) in
        [("read", RequestKind::Read), ("write", RequestKind::Write), ("trim", RequestKind::Trim)]
    {
        let issues = run(&spec(&format!("rw={name} offset=4m size=1m iodepth=8")), 1);
        let expected: Vec<u64> = (1024..1280).collect();
        assert_eq!(offsets(&issues, kind), expected);
        assert_eq!(issues.len(), 256);

        let issues = run(&spec(&format!("rw=rand{name} offset=4m size=1m iodepth=8")), 1);
        let mut found = offsets(&issues, kind);
        assert_ne!(found, expected);
        found.sort_unstable();
        assert_eq!(found, expected);
    }
}

#[test]
fn a_seed_decides_everything() {
    let job = "rw=randrw size=4m bssplit=4k/50:8k/50 random_distribution=zipf:0.9 iodepth=4";
    let first = run(&spec(job), 5);
    assert_eq!(first, run(&spec(job), 5));
    assert_ne!(first, run(&spec(job), 6));
    assert_ne!(first, run(&spec(&format!("{job} randseed=1")), 5));
    let mut clone = spec(job);
    clone.index = 1;
    assert_ne!(first, run(&clone, 5));
}

#[test]
fn mixes_keep_their_proportion_and_share_the_range() {
    let issues = run(&spec("rw=randrw rwmixread=70 size=64m iodepth=16"), 3);
    let (reads, writes) =
        (offsets(&issues, RequestKind::Read), offsets(&issues, RequestKind::Write));
    assert!((11_200..11_740).contains(&reads.len()), "{} of 16384 are reads", reads.len());
    let mut all = [reads, writes].concat();
    all.sort_unstable();
    assert_eq!(all, (0..16_384).collect::<Vec<u64>>());

    // In sequence, each direction has a position of its own.
    let issues = run(&spec("rw=rw size=4m"), 3);
    for kind in [RequestKind::Read, RequestKind::Write] {
        let found = offsets(&issues, kind);
        assert_eq!(found, (0..found.len() as u64).collect::<Vec<u64>>());
    }
    assert_eq!(issues.len(), 1024);
}

#[test]
fn each_trim_completes_before_the_write_of_the_same_block() {
    for rw in ["trimwrite", "randtrimwrite"] {
        let issues = run(&spec(&format!("rw={rw} size=1m iodepth=8")), 1);
        assert_eq!(issues.len(), 512);
        for pair in issues.chunks(2) {
            let [(trimmed, trim), (written, write)] = pair else { panic!("a pair") };
            assert_eq!((trim.kind, write.kind), (RequestKind::Trim, RequestKind::Write));
            assert_eq!(
                (trim.offset_bytes, trim.length_bytes),
                (write.offset_bytes, write.length_bytes)
            );
            assert!(*written >= trimmed + LATENCY_PS);
        }
    }
    assert_eq!(kinds(&run(&spec("rw=trimwrite size=1m number_ios=2"), 1)), "twtw");
}

#[test]
fn lengths_keep_to_the_split_and_to_the_range() {
    let s = spec("rw=randwrite,size=64m,bssplit=4k/60:16k/30:64k/10".replace(',', " ").as_str());
    let mut counts = BTreeMap::new();
    let issues = run(&s, 1);
    let mut cut = 0;
    for (_, r) in &issues {
        assert_eq!(r.offset_bytes % 4096, 0);
        assert!(r.length_bytes > 0 && r.offset_bytes + r.length_bytes <= 64 << 20);
        *counts.entry(r.length_bytes).or_insert(0_u32) += 1;
        cut += u32::from(r.offset_bytes + r.length_bytes == 64 << 20);
    }
    let share = |bytes: u64| f64::from(counts[&bytes]) / issues.len() as f64;
    for (bytes, expected) in [(4096, 0.6), (16_384, 0.3), (65_536, 0.1)] {
        assert!((share(bytes) - expected).abs() < 0.02, "{bytes}: {}", share(bytes));
    }
    assert!(cut < 20, "{cut} requests end at the end of the range");

    // Reads and writes have their own lengths; a sequential walk leaves no gap.
    let issues = run(&spec("rw=rw size=1m bs=4k,16k"), 1);
    for (kind, bytes) in [(RequestKind::Read, 4096), (RequestKind::Write, 16_384)] {
        assert!(issues
            .iter()
            .filter(|(_, r)| r.kind == kind)
            .all(|(_, r)| r.length_bytes == bytes));
    }
    let issues = run(&spec("rw=read size=1m bsrange=4k-32k"), 1);
    let mut position = 0;
    for (_, r) in &issues {
        assert_eq!(r.offset_bytes, position);
        position += r.length_bytes;
    }
    assert_eq!(position, 1 << 20);
}

#[test]
fn ends_come_by_bytes_requests_loops_or_time() {
    let count = |options: &str| run(&spec(options), 1).len();
    assert_eq!(count("size=1m"), 256);
    assert_eq!(count("size=1m loops=3"), 768);
    assert_eq!(count("size=1m io_size=10k"), 3);
    assert_eq!(count("size=1m io_size=2m"), 512);
    assert_eq!(count("rw=randread size=1m io_size=1536k"), 384);
    assert_eq!(count("size=1m number_ios=7"), 7);
    assert_eq!(count("size=1m number_ios=7 loops=2"), 14);
    assert_eq!(count("size=1m number_ios=1000"), 256);
    // 10 us a request: 1 ms has 100 of them, be it before or after the size is reached.
    assert_eq!(count("size=1m runtime=1ms"), 100);
    assert_eq!(count("size=1m runtime=1m"), 256);
    assert_eq!(count("size=64k runtime=1ms time_based"), 100);
    assert_eq!(count("size=64k runtime=1ms time_based ramp_time=1ms"), 200);
    // A job that is to last its time does, whatever its number of requests.
    assert_eq!(count("size=64k runtime=1ms time_based startdelay=5s number_ios=30"), 100);
    assert_eq!(count("size=1m loops=0"), 256);
    assert_eq!(count("size=0% filesize=1m"), 256);
    assert_eq!(count("size=50% filesize=1m"), 128);
    assert_eq!(count("size=50%% filesize=1m offset=0%"), 128);
}

/// The orders are those of fio 3.33, from its `write_iolog`.
#[test]
fn a_share_of_a_file_is_where_all_requests_stay() {
    let rows = [
        (
            "rw=read filesize=64k size=50% loops=2",
            "r0 r1 r2 r3 r4 r5 r6 r7 r0 r1 r2 r3 r4 r5 r6 r7",
        ),
        (
            "rw=read filesize=64k size=32k loops=2",
            "r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13 r14 r15",
        ),
        ("rw=read filesize=64k size=50% io_size=48k", "r0 r1 r2 r3 r4 r5 r6 r7 r0 r1 r2 r3"),
        ("rw=read:4k filesize=64k size=50% offset=16k", "r4 r6 r8 r10"),
        ("rw=read:4k filesize=64k size=32k offset=16k", "r4 r6 r8 r10 r12 r14"),
        ("rw=read filesize=64k size=100% offset=16k", "r4 r5 r6 r7 r8 r9 r10 r11 r12 r13 r14 r15"),
        ("rw=read filesize=68k size=50%", "r0 r1 r2 r3 r4 r5 r6 r7"),
    ];
    for (options, expected) in rows {
        assert_eq!(told(&run(&spec(options), 1)), expected, "{options}");
    }
    for options in
        ["rw=randread filesize=64k size=50%", "rw=randread filesize=64k size=50% norandommap"]
    {
        let issues = run(&spec(options), 3);
        assert_eq!(issues.len(), 8, "{options}");
        assert!(issues.iter().all(|(_, request)| request.offset_bytes < 32 << 10), "{options}");
    }
}

#[test]
fn passes_repeat_with_randrepeat_and_differ_without() {
    for (repeat, alike) in [(1, true), (0, false)] {
        let s = spec(&format!("rw=randread size=1m loops=2 randrepeat={repeat} iodepth=4"));
        let found = offsets(&run(&s, 1), RequestKind::Read);
        let (first, second) = found.split_at(256);
        assert_eq!(first == second, alike);
        let mut second = second.to_vec();
        second.sort_unstable();
        assert_eq!(second, (0..256).collect::<Vec<u64>>());
    }
    // Within a time-based job the walk goes on without a break, in another order.
    let s = spec("rw=randread size=64k runtime=320us time_based");
    let found = offsets(&run(&s, 1), RequestKind::Read);
    let (first, second) = found.split_at(16);
    assert_ne!(first, second);
}

#[test]
fn a_pass_is_read_back_in_the_order_it_was_written() {
    for options in [
        "rw=write size=1m",
        "rw=randwrite size=1m iodepth=8",
        "rw=randwrite size=1m bssplit=4k/50:8k/50 iodepth=8",
        "rw=randrw size=1m rwmixread=40 iodepth=8 rate=10m,20m",
        "rw=randtrimwrite size=1m iodepth=8",
        "rw=randwrite size=1m number_ios=10",
    ] {
        let plain = run(&spec(options), 1);
        let both = run(&spec(&format!("{options} verify=crc32c")), 1);
        let (pass, back) = both.split_at(plain.len());
        let stretch = |(_, r): &Issue| (r.offset_bytes, r.length_bytes);
        let written = |issues: &[Issue]| -> Vec<(u64, u64)> {
            issues.iter().filter(|(_, r)| r.kind == RequestKind::Write).map(stretch).collect()
        };
        assert!(!back.is_empty(), "{options}");
        assert!(back.iter().all(|(_, r)| r.kind == RequestKind::Read), "{options}");
        assert_eq!(back.iter().map(stretch).collect::<Vec<_>>(), written(pass), "{options}");
        let last_write = pass.last().unwrap().0;
        assert!(
            back[0].0 >= last_write + LATENCY_PS,
            "{options}: read before the writes completed"
        );
    }
    // With loops, each pass by itself. As in fio, a job that lasts a time reads nothing back.
    assert_eq!(kinds(&run(&spec("rw=write size=8k loops=2 verify=md5"), 1)), "wwrrwwrr");
    assert_eq!(
        kinds(&run(&spec("rw=write size=8k runtime=70us time_based verify=md5"), 1)),
        "wwwwwww"
    );
    assert_eq!(kinds(&run(&spec("rw=write size=16k runtime=70us verify=md5"), 1)), "wwwwrrr");
    assert_eq!(kinds(&run(&spec("rw=write size=8k verify=md5 do_verify=0"), 1)), "ww");
}

#[test]
fn flushes_follow_every_so_many_writes_and_hold_the_next() {
    let issues = run(&spec("rw=randwrite size=1m number_ios=8 fsync=3 iodepth=8"), 1);
    assert_eq!(kinds(&issues), "wwwfwwwfww");
    assert_eq!(issues[3].0, 0, "a flush does not wait for the writes in flight");
    assert_eq!(issues[4].0, LATENCY_PS, "nothing passes a flush");
    // None after the last write, as in fio; and one flush where both options ask for it.
    assert_eq!(kinds(&run(&spec("rw=write size=16k fdatasync=2"), 1)), "wwfww");
    assert_eq!(kinds(&run(&spec("rw=write size=24k fsync=2 fdatasync=3"), 1)), "wwfwfwfww");
    assert_eq!(kinds(&run(&spec("rw=read size=16k fsync=2"), 1)), "rrrr");
}

#[test]
fn rates_hold_each_direction_to_its_bytes() {
    // 100 requests of 4 KiB a second: one each 10 ms, the first at once.
    let issues = run(&spec("size=1m rate=400k number_ios=50 iodepth=8"), 1);
    for (n, (at, _)) in issues.iter().enumerate() {
        assert_eq!(*at, n as u64 * SECOND_PS / 100);
    }
    let iops = run(&spec("size=1m rate_iops=100 number_ios=50 iodepth=8"), 1);
    assert_eq!(issues, iops);

    // Writes are bounded, reads are not: reads take the place of writes that come too early.
    let issues = run(&spec("rw=rw size=64m rate=,400k runtime=100ms time_based"), 1);
    let writes = offsets(&issues, RequestKind::Write).len();
    assert_eq!(writes, 10);
    assert!(issues.len() > 9_900, "{} requests", issues.len());
}

#[test]
fn thinking_starts_when_the_queue_is_empty() {
    let times = |options: &str| -> Vec<u64> {
        run(&spec(options), 1).iter().map(|(at, _)| at / LATENCY_PS).collect()
    };
    assert_eq!(times("size=20k thinktime=90us"), [0, 10, 20, 30, 40]);
    assert_eq!(times("size=20k thinktime=90 thinktime_blocks=2"), [0, 1, 11, 12, 22]);
    assert_eq!(times("size=24k thinktime=90 iodepth=2"), [0, 0, 10, 20, 30, 40]);
}

#[test]
fn delays_are_drawn_from_their_range_and_the_ramp_is_not_measured() {
    let s = spec("size=4k startdelay=2s ramp_time=1s");
    assert_eq!(run(&s, 1)[0].0, 2 * SECOND_PS);
    let mut workload = Workload::new(&s, 1);
    assert!(!workload.measuring(u64::MAX), "not started");
    let now = 5 * SECOND_PS;
    assert_eq!(workload.next(now), Next::Wait { until_ps: 7 * SECOND_PS });
    assert!(!workload.measuring(8 * SECOND_PS - 1));
    assert!(workload.measuring(8 * SECOND_PS));

    let mut starts: Vec<u64> =
        (0..20).map(|n| run(&spec("size=4k startdelay=1s-2s"), n)[0].0).collect();
    assert!(starts.iter().all(|s| (SECOND_PS..=2 * SECOND_PS).contains(s)));
    starts.dedup();
    assert_eq!(starts.len(), 20);
}

#[test]
fn skewed_draws_are_hot_in_few_places_spread_over_the_range() {
    const DRAWS: u32 = 200_000;
    const BLOCKS: usize = 1024;
    let hits = |options: &str| {
        let s = spec(&format!("rw=randread size=4m runtime=1 time_based {options}"));
        let mut counts = vec![0_u32; BLOCKS];
        let mut workload = Workload::new(&s, 1);
        let mut drawn = 0;
        while drawn < DRAWS {
            let Next::Io(request) = workload.next(0) else { panic!("a request") };
            counts[(request.offset_bytes / 4096) as usize] += 1;
            drawn += 1;
            workload.completed(&request, 0);
        }
        let mut blocks: Vec<usize> = (0..BLOCKS).collect();
        blocks.sort_unstable_by_key(|&block| (std::cmp::Reverse(counts[block]), block));
        (counts, blocks)
    };
    let top_fifth = |(counts, blocks): &(Vec<u32>, Vec<usize>)| {
        let hot: u32 = blocks[..BLOCKS / 5].iter().map(|&block| counts[block]).sum();
        f64::from(hot) / f64::from(DRAWS)
    };
    let pareto = hits("random_distribution=pareto:0.2");
    let found = top_fifth(&pareto);
    assert!((0.79..0.82).contains(&found), "{found}");
    // The hot fifth lies everywhere: each eighth of the range has about an eighth of it.
    for eighth in 0..8 {
        let hot = &pareto.1[..BLOCKS / 5];
        let here = hot.iter().filter(|&&block| block / (BLOCKS / 8) == eighth).count();
        assert!((12..40).contains(&here), "{here} of 204 in eighth {eighth}");
    }
    // The centre places the hottest block.
    for (center, block) in [("0", 0), ("0.25", 255), ("1", 1023)] {
        let (_, blocks) = hits(&format!("random_distribution=zipf:1.2:{center}"));
        assert_eq!(blocks[0], block, "centre {center}");
    }
    assert!(top_fifth(&hits("norandommap")) < 0.3);
}
