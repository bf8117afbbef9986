//! Nothing is allocated once a drive runs: not by the firmware, not by the body, not by the host.
//! One test a process, since it counts every allocation of it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use board::Board;
use host::job::{parse_file, JobFile};
use host::replay::{Remap, Replay, Speed, Tenant, Timing, ASSUMED_RESPONSE_NS, USUAL_LIMIT};
use host::{Preconditioning, RunRequest};
use trace::{Strictness, Survey, Trace};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is handed to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`, which is the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `alloc` above, and so from the system.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Allocations of a whole run of `requests` requests.
fn allocations(scheduler: &str, requests: u32) -> u64 {
    let set = [("channel.scheduler".to_owned(), scheduler.to_owned())];
    let board = Board::resolve("small", &set).expect("the board");
    let text = format!(
        "[mix]\nrw=randrw\nbsrange=4k-64k\niodepth=32\nfsync=50\nnorandommap\nnumber_ios={requests}\n"
    );
    let jobs = parse_file("mix.fio", &text).expect("a job");
    of_run(&board, &jobs)
}

/// Allocations of a whole run.
fn of_run(board: &Board, jobs: &JobFile) -> u64 {
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    let request = RunRequest {
        seed: 3,
        precondition: Preconditioning::Steady,
        ..RunRequest::new(board, jobs, "mix.fio")
    };
    let result = host::run(request, &mut |_| {}).expect("a run");
    assert!(result.drive.garbage_collections > 0, "collection ran");
    ALLOCATIONS.load(Ordering::Relaxed) - before
}

/// Allocations of the replay of a trace of `requests` requests to two volumes by turns.
fn replayed(timing: Timing, requests: u64) -> u64 {
    let directory = tempfile::tempdir().expect("a folder");
    let path = directory.path().join("trace");
    let line = |nth: u64| {
        let place = nth * 7919 % 6000;
        format!("{} {} {} 8 {}\n", nth * 40_000, nth % 2, place * 8, u64::from(nth % 3 == 0))
    };
    std::fs::write(&path, (0..requests).map(line).collect::<String>()).expect("a file");
    let trace = Trace::open(&path, None).expect("a trace");
    let mut reader = trace.reader().expect("its file");
    let survey = Survey::gather(&mut reader, Strictness::Strict).expect("good lines");
    let tenant = Tenant { name: "trace".to_owned(), trace, survey, weight: None };
    let replay = Replay {
        timing,
        speed: Speed::ONE,
        remap: Remap::Modulo,
        limit: USUAL_LIMIT,
        assumed_ns: ASSUMED_RESPONSE_NS,
    };
    let board = Board::resolve("small", &[]).expect("the board");
    of_run(&board, &JobFile::of_traces(replay, vec![tenant], Vec::new()))
}

/// Allocations of a look at the drive over time.
const A_LOOK: u64 = 10;

#[test]
fn a_longer_run_allocates_no_more_than_a_short_one() {
    for scheduler in ["firmware", "controller"] {
        let (short, long) = (allocations(scheduler, 4_000), allocations(scheduler, 40_000));
        // Overlapping writes that the oracle has to tell apart are kept in a map.
        let found = format!("{scheduler}: {short} for 4,000 requests, {long} for 40,000");
        assert!(long < short + 200, "allocations, {found}");
    }
    for timing in [Timing::Arrival, Timing::Depth(32), Timing::Dependency] {
        let (short, long) = (replayed(timing, 30_000), replayed(timing, 60_000));
        let found = format!("{timing:?}: {short} for 30,000 requests, {long} for 60,000");
        // A run twice as long is looked at 64 times more.
        assert!(long < short + 200 + 64 * A_LOOK, "allocations, {found}");
    }
}
