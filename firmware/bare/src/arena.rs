//! Memory that is handed out once, at start-up.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::ptr;
use core::sync::atomic::{AtomicUsize, Ordering};

/// Enough for the tables of the drive in [`crate::drive`].
const SIZE_BYTES: usize = 4 << 20;
/// Alignment of the arena, the strictest that it serves.
const ALIGNMENT: usize = 64;

/// A stretch of memory and how much of it is taken.
#[repr(C, align(64))]
pub struct Arena {
    memory: UnsafeCell<[u8; SIZE_BYTES]>,
    taken: AtomicUsize,
}

// SAFETY: `memory` is only reached through pointers to disjoint ranges, which `taken` divides.
unsafe impl Sync for Arena {}

impl Arena {
    /// An arena of which nothing is taken.
    pub const fn new() -> Self {
        Arena { memory: UnsafeCell::new([0; SIZE_BYTES]), taken: AtomicUsize::new(0) }
    }

    /// Takes the next range that satisfies `layout`; returns its offset.
    fn take(&self, layout: Layout) -> Option<usize> {
        if layout.align() > ALIGNMENT {
            return None;
        }
        let mut start = 0;
        let place = |taken: usize| {
            start = taken.checked_next_multiple_of(layout.align())?;
            start.checked_add(layout.size()).filter(|&end| end <= SIZE_BYTES)
        };
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, place).ok()?;
        Some(start)
    }
}

// SAFETY: a returned range lies in `memory`, is aligned, since the arena is aligned at least as
// strictly, and is never handed out again.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match self.take(layout) {
            // SAFETY: the range from `start` lies in `memory`.
            Some(start) => unsafe { self.memory.get().cast::<u8>().add(start) },
            None => ptr::null_mut(),
        }
    }

    /// Nothing: firmware keeps what it took at start-up.
    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}
