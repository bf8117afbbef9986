//! Guest memory that is mapped into this process. All `unsafe` code of the crate is here.
//!
//! The guest may write at the same time, so that all accesses are of atomics, and none makes a reference. What
//! is read is a copy, whose bytes nobody changes any more; each byte is loaded once.

use std::ffi::c_void;
use std::os::fd::BorrowedFd;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicU8, Ordering};

use rustix::io::Errno;
use rustix::mm::{mmap, munmap, MapFlags, ProtFlags};

use crate::memory::Access;

/// Bytes of the words that the middle of an access is made of.
const WORD_BYTES: usize = 8;
/// Bytes of the largest words at its ends: what queue entries and doorbells are made of.
const HALF_BYTES: usize = 4;

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

    /// Reads from the byte `at` on, each byte once. The guest may write at the same time: then every
    /// aligned word of 4 bytes is as it was at some moment, and the words are any mixture.
    ///
    /// # Panics
    /// When the access reaches beyond the mapping.
    pub fn read(&self, at: usize, into: &mut [u8]) {
        let from = self.range(at, into.len());
        let [head, middle, _] = parts(from, into.len());
        let (first, rest) = into.split_at_mut(head);
        let (words, last) = rest.split_at_mut(middle);
        read_end(from, first);
        let start = from.wrapping_add(head);
        for (nth, word) in words.chunks_exact_mut(WORD_BYTES).enumerate() {
            // SAFETY: the word is mapped, aligned, and valid for any bits; it is never accessed
            // through a reference.
            let shared = unsafe { AtomicU64::from_ptr(start.cast::<u64>().add(nth)) };
            word.copy_from_slice(&shared.load(Ordering::Acquire).to_ne_bytes());
        }
        read_end(start.wrapping_add(middle), last);
    }

    /// Writes from the byte `at` on. Words become visible in order, the last one, which may hold a
    /// phase bit, behind all others.
    ///
    /// # Panics
    /// When the access reaches beyond the mapping.
    pub fn write(&self, at: usize, from: &[u8]) {
        let to = self.range(at, from.len());
        let [head, middle, _] = parts(to, from.len());
        let (first, rest) = from.split_at(head);
        let (words, last) = rest.split_at(middle);
        write_end(to, first);
        let start = to.wrapping_add(head);
        for (nth, word) in words.chunks_exact(WORD_BYTES).enumerate() {
            // SAFETY: as in `read`; that the mapping may be written was decided when it was made
            // and is asked of the region before.
            let shared = unsafe { AtomicU64::from_ptr(start.cast::<u64>().add(nth)) };
            let mut bytes = [0; WORD_BYTES];
            bytes.copy_from_slice(word);
            shared.store(u64::from_ne_bytes(bytes), Ordering::Release);
        }
        write_end(start.wrapping_add(middle), last);
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

/// Bytes before the first aligned word, in aligned words, and behind them.
fn parts(pointer: *mut u8, length: usize) -> [usize; 3] {
    let head = pointer.align_offset(WORD_BYTES).min(length);
    let tail = (length - head) % WORD_BYTES;
    [head, length - head - tail, tail]
}

/// Whether the next access of an end is one of half a word.
fn is_half(pointer: *mut u8, left: usize) -> bool {
    left >= HALF_BYTES && (pointer as usize).is_multiple_of(HALF_BYTES)
}

/// Reads less than a word, from memory that was checked to be mapped.
fn read_end(mut from: *mut u8, mut into: &mut [u8]) {
    while !into.is_empty() {
        let length = if is_half(from, into.len()) { HALF_BYTES } else { 1 };
        let (now, rest) = into.split_at_mut(length);
        if length == HALF_BYTES {
            // SAFETY: as in `Mapping::read`.
            let shared = unsafe { AtomicU32::from_ptr(from.cast()) };
            now.copy_from_slice(&shared.load(Ordering::Acquire).to_ne_bytes());
        } else {
            // SAFETY: as in `Mapping::read`; a byte is always aligned.
            let shared = unsafe { AtomicU8::from_ptr(from) };
            now[0] = shared.load(Ordering::Acquire);
        }
        (from, into) = (from.wrapping_add(length), rest);
    }
}

/// Writes less than a word, to memory that was checked to be mapped.
fn write_end(mut to: *mut u8, mut from: &[u8]) {
    while !from.is_empty() {
        let length = if is_half(to, from.len()) { HALF_BYTES } else { 1 };
        let (now, rest) = from.split_at(length);
        if let (HALF_BYTES, Some(half)) = (length, now.first_chunk()) {
            // SAFETY: as in `Mapping::write`.
            let shared = unsafe { AtomicU32::from_ptr(to.cast()) };
            shared.store(u32::from_ne_bytes(*half), Ordering::Release);
        } else {
            // SAFETY: as in `Mapping::write`; a byte is always aligned.
            let shared = unsafe { AtomicU8::from_ptr(to) };
            shared.store(now[0], Ordering::Release);
        }
        (to, from) = (to.wrapping_add(length), rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{ftruncate, memfd_create, MemfdFlags};
    use rustix::io::{pread, pwrite};
    use std::os::fd::AsFd;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn bytes_go_where_they_belong_at_any_alignment() {
        let file = memfd_create("test", MemfdFlags::CLOEXEC).unwrap();
        ftruncate(&file, 3 * 4096).unwrap();
        let mapping = Mapping::new(file.as_fd(), (4096, 8192), Access::Both).unwrap();
        let places = [(0, 16), (1, 16), (4, 3), (4092, 8), (100, 5000), (8176, 16), (8191, 1)];
        let shifted = (0..9).flat_map(|at| (0..40).map(move |length| (at, length)));
        for (at, length) in places.into_iter().chain(shifted) {
            let around = [0x77; 60];
            pwrite(&file, &around, 4096).unwrap();
            let written: Vec<u8> = (0..length).map(|n| (n * 7 + at) as u8).collect();
            mapping.write(at, &written);
            let mut read = vec![0; length];
            mapping.read(at, &mut read);
            assert_eq!(read, written, "{length} at {at}");
            let mut in_file = vec![0; length];
            pread(&file, &mut in_file, 4096 + at as u64).unwrap();
            assert_eq!(in_file, written, "{length} at {at}");
            let mut all = [0; 60];
            pread(&file, &mut all, 4096).unwrap();
            let outside = (0..60).filter(|byte| !(at..at + length).contains(byte));
            assert!(outside.map(|byte| all[byte]).all(|byte| byte == 0x77), "{length} at {at}");
        }
    }

    /// A guest that writes while the drive reads: each half word is one that the guest wrote, at any place.
    #[test]
    fn words_that_change_while_they_are_read_come_whole() {
        const BYTES: usize = 4096;
        let file = memfd_create("test", MemfdFlags::CLOEXEC).unwrap();
        ftruncate(&file, BYTES as u64).unwrap();
        let [ours, guest] =
            [(); 2].map(|()| Mapping::new(file.as_fd(), (0, BYTES), Access::Both).unwrap());
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let (over, guest) = (&over, Shared(guest));
            scope.spawn(move || {
                let guest = guest;
                for value in (0..=u8::MAX).cycle() {
                    guest.0.write(0, &[value; BYTES]);
                    if over.load(Ordering::Relaxed) {
                        break;
                    }
                }
            });
            let _ends = Ends(over);
            let mut seen = [false; 256];
            for at in (0..64).cycle().take(6_000) {
                let mut bytes = vec![0; BYTES - 2 * at];
                ours.read(at, &mut bytes);
                let aligned = at.next_multiple_of(HALF_BYTES) - at;
                for half in bytes[aligned..].chunks_exact(HALF_BYTES) {
                    assert_eq!(half, [half[0]; HALF_BYTES], "at {at}");
                    seen[usize::from(half[0])] = true;
                }
            }
            assert!(seen.iter().filter(|&&seen| seen).count() > 1, "nobody wrote meanwhile");
        });
    }

    /// Ends the guest, also where the test fails.
    struct Ends<'a>(&'a AtomicBool);

    impl Drop for Ends<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    /// A mapping of another thread.
    struct Shared(Mapping);
    // SAFETY: a mapping is a place in memory, and all accesses to it are atomic.
    unsafe impl Send for Shared {}

    #[test]
    #[should_panic = "beyond a mapping"]
    fn an_access_beyond_the_end_is_a_fault_of_the_caller() {
        let file = memfd_create("test", MemfdFlags::CLOEXEC).unwrap();
        ftruncate(&file, 8192).unwrap();
        let mapping = Mapping::new(file.as_fd(), (0, 4096), Access::Read).unwrap();
        mapping.read(4090, &mut [0; 8]);
    }
}
