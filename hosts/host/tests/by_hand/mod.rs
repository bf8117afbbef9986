//! What tests of files have in common that were made by hand: memory is counted, and nothing goes on for ever.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use cpu_time::ProcessTime;

/// How much of the processor's time one may take.
const PATIENCE: Duration = Duration::from_secs(120);

struct Counting;

/// Bytes that are allocated, and most that ever were.
pub static BYTES: AtomicUsize = AtomicUsize::new(0);
pub static MOST: AtomicUsize = AtomicUsize::new(0);
/// Files that were tried.
pub static TRIED: AtomicU64 = AtomicU64::new(0);

/// Bytes that no drive of the boards below comes near.
pub const MUCH: usize = 1 << 30;

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
