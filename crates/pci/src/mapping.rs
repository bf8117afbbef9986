//! Guest memory that is mapped into this process. All `unsafe` code of the crate is here.

use std::ffi::c_void;
use std::os::fd::BorrowedFd;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::io::Errno;
use rustix::mm::{mmap, munmap, MapFlags, ProtFlags};

use crate::memory::Access;

/// Longest access that is made of 4-byte words, in bytes: queue entries and doorbells.
const WORDWISE_BYTES: usize = 64;
const WORD_BYTES: usize = 4;

/// A part of a file that is mapped, shared with whoever else has the file.
#[derive(Debug)]
pub struct Mapping {
    start: NonNull<u8>,
    bytes: usize,
}

impl Mapping {
    /// Maps `bytes` of the file from `offset` on, to be read, and written where `access` says so.
    /// The caller has made sure that the file is that long and cannot shrink: an access beyond the
    /// end of a file ends the process.
    ///
    /// # Errors
    /// Those of mmap.
    pub fn new(
        file: BorrowedFd<'_>,
        (offset, bytes): (u64, usize),
        access: Access,
    ) -> Result<Self, Errno> {
        let protection = match access {
            Access::Read => ProtFlags::READ,
            Access::Write | Access::Both => ProtFlags::READ | ProtFlags::WRITE,
        };
        // SAFETY: the kernel chooses a free place, so no memory of this process is replaced.
        let start =
            unsafe { mmap(ptr::null_mut(), bytes, protection, MapFlags::SHARED, file, offset)? };
        let start = NonNull::new(start.cast()).ok_or(Errno::NOMEM)?;
        Ok(Mapping { start, bytes })
    }

    /// Reads from the byte `at` on. The guest may write at the same time; then the bytes are any
    /// mixture.
    ///
    /// # Panics
    /// When the access reaches beyond the mapping.
    pub fn read(&self, at: usize, into: &mut [u8]) {
        let from = self.range(at, into.len());
        if !is_wordwise(from, into.len()) {
            // SAFETY: `range` checked that the bytes are mapped, and nothing of this process's own
            // lies there, so source and target do not overlap.
            unsafe { ptr::copy_nonoverlapping(from, into.as_mut_ptr(), into.len()) };
            return;
        }
        for (nth, word) in into.chunks_exact_mut(WORD_BYTES).enumerate() {
            // SAFETY: the word is mapped, aligned, and valid for any bits. It is never accessed
            // through a reference, and words that others write are atomics.
            let shared = unsafe { AtomicU32::from_ptr(from.cast::<u32>().add(nth)) };
            word.copy_from_slice(&shared.load(Ordering::Acquire).to_ne_bytes());
        }
    }

    /// Writes from the byte `at` on. Words of queue entries become visible in order, the last one,
    /// which may hold a phase bit, behind all others.
    ///
    /// # Panics
    /// When the access reaches beyond the mapping.
    pub fn write(&self, at: usize, from: &[u8]) {
        let to = self.range(at, from.len());
        if !is_wordwise(to, from.len()) {
            // SAFETY: as in `read`; that the mapping may be written was decided when it was made
            // and is asked of the region before.
            unsafe { ptr::copy_nonoverlapping(from.as_ptr(), to, from.len()) };
            return;
        }
        for (nth, word) in from.chunks_exact(WORD_BYTES).enumerate() {
            // SAFETY: as in `read`.
            let shared = unsafe { AtomicU32::from_ptr(to.cast::<u32>().add(nth)) };
            let mut bytes = [0; WORD_BYTES];
            bytes.copy_from_slice(word);
            shared.store(u32::from_ne_bytes(bytes), Ordering::Release);
        }
    }

    fn range(&self, at: usize, length: usize) -> *mut u8 {
        let end = at.checked_add(length);
        assert!(end.is_some_and(|end| end <= self.bytes), "an access beyond a mapping");
        // SAFETY: `at` lies within the mapping, or at its end.
        unsafe { self.start.as_ptr().add(at) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is this object's alone, and no pointer into it outlives a call.
        let unmapped = unsafe { munmap(self.start.as_ptr().cast::<c_void>(), self.bytes) };
        debug_assert!(unmapped.is_ok(), "what was mapped can be unmapped");
    }
}

fn is_wordwise(pointer: *mut u8, length: usize) -> bool {
    length <= WORDWISE_BYTES
        && length % WORD_BYTES == 0
        && (pointer as usize).is_multiple_of(WORD_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{ftruncate, memfd_create, MemfdFlags};
    use std::os::fd::AsFd;

    #[test]
    fn bytes_go_where_they_belong_at_any_alignment() {
        let file = memfd_create("test", MemfdFlags::CLOEXEC).unwrap();
        ftruncate(&file, 3 * 4096).unwrap();
        let mapping = Mapping::new(file.as_fd(), (4096, 8192), Access::Both).unwrap();
        for (at, length) in [(0, 16), (1, 16), (4, 3), (4092, 8), (100, 5000), (8176, 16)] {
            let written: Vec<u8> = (0..length).map(|n| (n * 7 + at) as u8).collect();
            mapping.write(at, &written);
            let mut read = vec![0; length];
            mapping.read(at, &mut read);
            assert_eq!(read, written, "{length} at {at}");
            let mut in_file = vec![0; length];
            rustix::io::pread(&file, &mut in_file, 4096 + at as u64).unwrap();
            assert_eq!(in_file, written, "{length} at {at}");
        }
    }

    #[test]
    #[should_panic = "beyond a mapping"]
    fn an_access_beyond_the_end_is_a_fault_of_the_caller() {
        let file = memfd_create("test", MemfdFlags::CLOEXEC).unwrap();
        ftruncate(&file, 8192).unwrap();
        let mapping = Mapping::new(file.as_fd(), (0, 4096), Access::Read).unwrap();
        mapping.read(4090, &mut [0; 8]);
    }
}
