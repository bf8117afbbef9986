//! Large tables that never change: clones of a drive have them in common.

#[cfg(not(target_pointer_width = "64"))]
use alloc::boxed::Box;
#[cfg(target_pointer_width = "64")]
use alloc::sync::Arc;

/// Entries that are never changed. A machine of 32-bit addresses runs one drive, and may have no atomic counts.
#[cfg(target_pointer_width = "64")]
pub(super) type Fixed<T> = Arc<[T]>;
#[cfg(not(target_pointer_width = "64"))]
pub(super) type Fixed<T> = Box<[T]>;
