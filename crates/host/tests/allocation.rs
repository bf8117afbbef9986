//! Nothing is allocated once a drive runs: not by the firmware, not by the body, not by the host.
//! One test a process, since it counts every allocation of it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use board::Board;
use host::job::parse_file;
use host::{PayloadForm, Preconditioning, RunRequest};
use sim::Polling;

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
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    let request = RunRequest {
        board: &board,
        jobs: &jobs,
        job_file: "mix.fio",
        seed: 3,
        payload: PayloadForm::Stamps,
        precondition: Preconditioning::Steady,
        image: None,
        polling: Polling::Skip,
        until: None,
    };
    let result = host::run(request, &mut |_| {}).expect("a run");
    assert!(result.drive.garbage_collections > 0, "collection ran");
    ALLOCATIONS.load(Ordering::Relaxed) - before
}

#[test]
fn a_longer_run_allocates_no_more_than_a_short_one() {
    for scheduler in ["firmware", "controller"] {
        let (short, long) = (allocations(scheduler, 4_000), allocations(scheduler, 40_000));
        // Overlapping writes that the oracle has to tell apart are kept in a map.
        let found = format!("{scheduler}: {short} for 4,000 requests, {long} for 40,000");
        assert!(long < short + 200, "allocations, {found}");
    }
}
