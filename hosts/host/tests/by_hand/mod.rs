//! What tests of files have in common that were made by hand: memory is counted, and nothing goes on for ever.

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use cpu_time::ProcessTime;
use host::RunError;

/// How much of the processor's time one may take.
const PATIENCE: Duration = Duration::from_secs(120);

struct Counting;

/// Bytes that are allocated, and most that ever were.
static BYTES: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);
/// Files that were tried.
static TRIED: AtomicU64 = AtomicU64::new(0);

/// Bytes that no drive of the boards below comes near.
const MUCH: usize = 1 << 30;

// SAFETY: every call is handed to the system's allocator as it came, or refused.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let bytes = BYTES.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(bytes, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`, which is the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let bytes = BYTES.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(bytes, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc_zeroed`, which is the system's.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        BYTES.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the pointer came from `alloc` above, and so from the system.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// A stream of random numbers.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        random::next(&mut self.0)
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// How files ended that were tried, by kind.
pub struct Ends {
    seed: u64,
    /// What the line of a refused file has in it.
    refusal: &'static str,
    count: BTreeMap<&'static str, u32>,
}

impl Ends {
    /// Of no file yet.
    pub fn new(seed: u64, refusal: &'static str) -> Self {
        Ends { seed, refusal, count: BTreeMap::new() }
    }

    /// Tries a file. It ends in a result or in one line, within the memory that drives take. BY_HAND_TELL prints each line.
    pub fn take(&mut self, case: u64, tried: impl FnOnce() -> Result<(), RunError>) {
        let seed = self.seed;
        let before = BYTES.load(Ordering::Relaxed);
        MOST.store(before, Ordering::Relaxed);
        let line = tried().map_or_else(|error| error.to_string(), |()| "a result".to_owned());
        assert!(!line.contains('\n'), "seed {seed}, file {case}: {line}");
        let taken = MOST.load(Ordering::Relaxed) - before;
        assert!(taken < MUCH, "seed {seed}, file {case}: {taken} bytes; {line}");
        let kind = match line.as_str() {
            "a result" => "results",
            line if line.contains("no run has left") => "runs that came upon an assertion",
            line if line.contains(self.refusal) => "refused",
            _ => "other errors",
        };
        if std::env::var("BY_HAND_TELL").is_ok() {
            println!("{case}: {taken} bytes: {line}");
        }
        *self.count.entry(kind).or_default() += 1;
        TRIED.fetch_add(1, Ordering::Relaxed);
    }

    /// How many ended so; printed with all others.
    pub fn of(&self, kind: &str) -> u32 {
        println!("{:?}", self.count);
        self.count.get(kind).copied().unwrap_or(0)
    }
}

/// Ends the process if a file takes too much of the processor's time: nothing else ends a loop.
pub fn watch(seed: u64) {
    std::thread::spawn(move || {
        let (mut before, mut since) = (TRIED.load(Ordering::Relaxed), ProcessTime::now());
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let tried = TRIED.load(Ordering::Relaxed);
            if tried != before {
                (before, since) = (tried, ProcessTime::now());
            } else if since.elapsed() > PATIENCE {
                eprintln!("seed {seed}: file {before} goes on for ever");
                std::process::abort();
            }
        }
    });
}
