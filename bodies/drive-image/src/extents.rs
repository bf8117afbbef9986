//! Parts of a file that take room on the disk.

use std::fs::File;

use rustix::fs::{seek, SeekFrom};
use rustix::io::Errno;

/// Parts of a range that were written, as far as the file system tells; the others are zeroes.
pub(crate) struct Extents<'a> {
    file: &'a File,
    at: u64,
    end: u64,
}

impl<'a> Extents<'a> {
    pub fn new(file: &'a File, (at, end): (u64, u64)) -> Self {
        Extents { file, at, end }
    }
}

impl Iterator for Extents<'_> {
    type Item = (u64, u64);

    fn next(&mut self) -> Option<(u64, u64)> {
        if self.at >= self.end {
            return None;
        }
        let start = match seek(self.file, SeekFrom::Data(self.at)) {
            Ok(start) => start,
            // Nothing more was written.
            Err(Errno::NXIO) => self.end,
            // The file system does not tell.
            Err(_) => self.at,
        };
        if start >= self.end {
            self.at = self.end;
            return None;
        }
        let end = seek(self.file, SeekFrom::Hole(start)).unwrap_or(self.end).min(self.end);
        self.at = end.max(start + 1);
        Some((start, end))
    }
}

/// Gives a range back to the disk; it reads as zeroes then. A file system that cannot keeps it.
pub(crate) fn give_back(file: &File, (at, length): (u64, u64)) {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{fallocate, FallocateFlags};
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        let _ = fallocate(file, flags, at, length);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (file, at, length);
}
