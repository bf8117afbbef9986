//! Memory that is handed out once, at start-up, to a program with one thread.
#![no_std]

use core::alloc::{GlobalAlloc, Layout};
use core::cell::{Cell, UnsafeCell};
use core::mem::MaybeUninit;
use core::ptr;

/// Alignment of the arena, the strictest that it serves.
const ALIGNMENT: usize = 64;

/// A stretch of so many bytes of memory, which need not be anything.
#[repr(C, align(64))]
pub struct Room<const BYTES: usize>(UnsafeCell<MaybeUninit<[u8; BYTES]>>);

// SAFETY: what is in it is only reached through the one arena over it.
unsafe impl<const BYTES: usize> Sync for Room<BYTES> {}

impl<const BYTES: usize> Room<BYTES> {
    /// Nothing is in it.
    pub const fn new() -> Self {
        Room(UnsafeCell::new(MaybeUninit::uninit()))
    }
}

impl<const BYTES: usize> Default for Room<BYTES> {
    fn default() -> Self {
        Self::new()
    }
}

/// Hands out the memory of a room.
pub struct Arena {
    first: *mut u8,
    bytes: usize,
    taken: Cell<usize>,
}

// SAFETY: the room is only reached through pointers to disjoint ranges. They are divided by `taken`, which only the
// thread changes that `Arena::over` asks for.
unsafe impl Sync for Arena {}

impl Arena {
    /// An arena over a room of which nothing is taken.
    ///
    /// # Safety
    /// It is the only one over that room, and only one thread may use it, and no interrupt handler: it is for
    /// processors without atomic accesses that read and write.
    pub const unsafe fn over<const BYTES: usize>(room: &'static Room<BYTES>) -> Self {
        Arena { first: room.0.get().cast(), bytes: BYTES, taken: Cell::new(0) }
    }

    /// Takes the next range that satisfies `layout`; returns its offset.
    fn take(&self, layout: Layout) -> Option<usize> {
        if layout.align() > ALIGNMENT {
            return None;
        }
        let start = self.taken.get().checked_next_multiple_of(layout.align())?;
        let end = start.checked_add(layout.size()).filter(|&end| end <= self.bytes)?;
        self.taken.set(end);
        Some(start)
    }
}

// SAFETY: a returned range lies in the room, is aligned, since the room is aligned at least as strictly, and is never
// handed out again.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match self.take(layout) {
            // SAFETY: the range from `start` lies in the room.
            Some(start) => unsafe { self.first.add(start) },
            None => ptr::null_mut(),
        }
    }

    /// Nothing: firmware keeps what it took at start-up.
    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_aligned_apart_and_within() {
        static ROOM: Room<256> = Room::new();
        // SAFETY: only this test uses the room.
        let arena = unsafe { Arena::over(&ROOM) };
        let layout = |size, align| Layout::from_size_align(size, align).expect("a layout");
        assert_eq!(arena.take(layout(3, 1)), Some(0));
        assert_eq!(arena.take(layout(8, 8)), Some(8));
        assert_eq!(arena.take(layout(1, 128)), None);
        assert_eq!(arena.take(layout(193, 64)), None);
        assert_eq!(arena.take(layout(192, 64)), Some(64));
        assert_eq!(arena.take(layout(1, 1)), None);
    }
}
