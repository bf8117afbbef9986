//! A thousand points from one state cost one state: a copy of a drive takes memory for what is written to it, and nobody
//! sees that but itself. One test a process, since it counts all memory of it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use board::Board;
use host::job::{parse_file, JobFile};
use host::{Control, Preconditioning, Prepared, RunRequest, Watchers};

struct Counting;

/// Bytes that are allocated.
static BYTES: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is handed to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`, which is the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        BYTES.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the pointer came from `alloc` above, and so from the system.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// What `make` returns, and the memory that it takes.
fn counted<T>(make: impl FnOnce() -> T) -> (T, usize) {
    let before = BYTES.load(Ordering::Relaxed);
    let made = make();
    (made, BYTES.load(Ordering::Relaxed).saturating_sub(before))
}

/// 64 dies of so many blocks, which age.
fn board(blocks_per_way: &str) -> Board {
    let set = [
        ("geometry.channels", "8"),
        ("geometry.ways", "8"),
        ("geometry.blocks_per_way", blocks_per_way),
        ("flash.pages_per_physical_block", "128"),
        ("errors.disturb_bits_per_terabit_per_kiloread", "1000"),
    ];
    let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect();
    Board::resolve("small", &set).expect("the board")
}

fn job(text: &str) -> JobFile {
    parse_file("job.fio", &format!("[job]\n{}\n", text.replace(' ', "\n"))).expect("a job")
}

fn request<'a>(board: &'a Board, jobs: &'a JobFile) -> RunRequest<'a> {
    RunRequest {
        seed: 3,
        precondition: Preconditioning::SteadyRun,
        ..RunRequest::new(board, jobs, "job.fio")
    }
}

fn printed(mut result: report::RunResult) -> String {
    for job in &result.jobs {
        assert_eq!(job.error, None);
    }
    result.speed = report::Speed::default();
    let mut out = Vec::new();
    report::write_json(&result, report::JsonForm::Plus, &mut out).expect("memory takes all");
    String::from_utf8(out).expect("JSON is text")
}

#[test]
fn copies_take_what_is_written_to_them_and_nobody_else_sees_it() {
    let board = board("96");
    let (reads, writes) = (
        job("rw=randread bs=16k iodepth=16 number_ios=400"),
        job("rw=randwrite bs=16k iodepth=16 number_ios=1500"),
    );
    let (drive, whole) = counted(|| {
        Prepared::new(request(&board, &reads), &mut Control::default()).expect("a drive")
    });
    let run = |drive: &Prepared, jobs| {
        let ran = drive.run(request(&board, jobs), Watchers::default(), &mut |_| ());
        printed(ran.expect("a run"))
    };
    let fresh = |jobs| printed(host::run(request(&board, jobs), &mut |_| ()).expect("a run"));
    let of_reads = fresh(&reads);
    let (copies, taken) = counted(|| (0..16).map(|_| drive.copied()).collect::<Vec<_>>());
    let each = taken / copies.len();
    println!("{whole} bytes for the drive, {each} for each copy");
    assert!(each * 10 < whole, "{each} of {whole} bytes for a copy that nobody has written to");
    // What is written to some is not in the others, nor in the drive itself, and does not depend on who else wrote.
    let of_writes = fresh(&writes);
    let (written, taken) = counted(|| {
        let write = |copy: &Prepared| {
            let copy = copy.copied();
            let ran = copy.go_on(request(&board, &writes), Watchers::default(), &mut |_| ());
            let (result, copy) = ran.expect("a run");
            (printed(result), copy)
        };
        copies[..3].iter().map(write).collect::<Vec<_>>()
    });
    let each = taken / written.len();
    println!("{each} bytes for each copy with 1,500 pages written to it");
    assert!(each * 5 < whole * 2, "{each} of {whole} bytes for a copy with 1,500 writes");
    assert!(written.iter().all(|(result, _)| *result == of_writes), "writes to copies");
    for copy in copies.iter().chain([&drive]) {
        assert_eq!(run(copy, &reads), of_reads, "a copy beside those that were written to");
    }
    for_each_block(&reads);
    // The last one that is left has all for itself, and is the same.
    drop((copies, written));
    let ran = drive.go_on(request(&board, &writes), Watchers::default(), &mut |_| ());
    assert_eq!(printed(ran.expect("a run").0), of_writes);
}

/// What a block more takes in a drive, and in a copy of it.
fn for_each_block(jobs: &JobFile) {
    let taken = |blocks_per_way| {
        let board = board(blocks_per_way);
        let request =
            RunRequest { precondition: Preconditioning::Sequential, ..request(&board, jobs) };
        let made = || Prepared::new(request, &mut Control::default()).expect("a drive");
        let (drive, whole) = counted(made);
        let (_copy, copied) = counted(|| drive.copied());
        (whole as f64, copied as f64)
    };
    let ((few, few_copied), (many, many_copied)) = (taken("96"), taken("224"));
    let blocks = f64::from(64 * (224 - 96));
    let (whole, copied) = ((many - few) / blocks, (many_copied - few_copied) / blocks);
    println!("{whole:.1} bytes for a block, {copied:.1} in a copy");
    // Two flags, a bit, and a part's place in each of the tables.
    assert!(copied < 5.0, "{copied} of {whole} bytes for a block in a copy");
}
