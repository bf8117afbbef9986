//! Memory that the system does not have. A board may describe more flash than there is memory for its tables, and that is an
//! input that cannot be used and no crash of the program.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{self, Write};
use std::process;

/// Exit code for an input that cannot be used.
const UNUSABLE: i32 = 2;
/// Bytes of the line that is said.
const LINE: usize = 160;

/// The system's allocator, which ends the program with a line where there is no memory.
struct Telling;

#[global_allocator]
static TELLING: Telling = Telling;

// SAFETY: every call is handed to the system's allocator as it came, and what that returns is returned.
unsafe impl GlobalAlloc for Telling {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`, which is the system's.
        told(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc_zeroed`, which is the system's.
        told(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the pointer came from one of the calls above, and so from the system.
        told(unsafe { System.realloc(pointer, layout, bytes) }, bytes)
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from one of the calls above, and so from the system.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// What the system gave, if it gave something.
#[inline]
fn told(pointer: *mut u8, bytes: usize) -> *mut u8 {
    if pointer.is_null() {
        refuse(bytes);
    }
    pointer
}

/// Ends the program. There is no memory to say so with but the stack, and none to unwind with.
#[cold]
fn refuse(bytes: usize) -> ! {
    let mut line = [0; LINE];
    let mut rest = &mut line[..];
    let expected = "expected a board, a job or a snapshot that needs less";
    let _ = writeln!(rest, "firmament: memory: found no {bytes} bytes more, {expected}");
    let left = rest.len();
    let _ = io::stderr().write_all(&line[..LINE - left]);
    process::exit(UNUSABLE)
}
