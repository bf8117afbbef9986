//! Archives: their members are traces.

pub(crate) mod kinds;
pub(crate) mod tar;
pub(crate) mod zip;

use std::io::{self, ErrorKind, Read};

use flate2::Crc;

/// The most members that are looked at.
pub(crate) const MOST_MEMBERS: usize = 4096;
/// The longest name of a member.
pub(crate) const MOST_NAME_BYTES: usize = 4096;

/// An archive that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Archive {
    /// tar, as it is or compressed.
    Tar,
    /// zip, whose members are compressed one by one.
    Zip,
}

impl Archive {
    /// What users are told: `tar` or `zip`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Archive::Tar => "tar",
            Archive::Zip => "zip",
        }
    }
}

/// A file in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    /// Its name, without what could move a cursor.
    pub(crate) name: String,
    pub(crate) place: Place,
}

/// Where a member stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a tar archive: its first byte, in what comes out of the archive's compression, and its length.
    Tar { offset: u64, bytes: u64 },
    /// In a zip archive.
    Zip(zip::Packed),
}

impl Member {
    pub(crate) fn archive(&self) -> Archive {
        match self.place {
            Place::Tar { .. } => Archive::Tar,
            Place::Zip(_) => Archive::Zip,
        }
    }

    /// Whether it has this name, with the folders before it or without.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.base() == name
    }

    /// Its name without folders.
    pub(crate) fn base(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or_default()
    }
}

/// A name as it can be shown.
pub(crate) fn shown(name: &[u8]) -> String {
    let name = &name[..name.len().min(MOST_NAME_BYTES)];
    let plain = |letter: char| if letter.is_control() { '?' } else { letter };
    String::from_utf8_lossy(name).chars().map(plain).collect()
}

/// So many bytes, no fewer, with the checksum that they have to have, if one is known.
pub(crate) struct Whole<R> {
    input: R,
    left: u64,
    checksum: Option<(Crc, u32)>,
}

impl<R: Read> Whole<R> {
    pub(crate) fn new(input: R, bytes: u64, crc: Option<u32>) -> Self {
        Whole { input, left: bytes, checksum: crc.map(|crc| (Crc::new(), crc)) }
    }
}

impl<R: Read> Read for Whole<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let count = if most > 0 { self.input.read(&mut buffer[..most])? } else { 0 };
        self.left -= count as u64;
        if let Some((sum, _)) = &mut self.checksum {
            sum.update(&buffer[..count]);
        }
        if count > 0 || buffer.is_empty() {
            return Ok(count);
        }
        if self.left > 0 {
            return Err(io::Error::new(ErrorKind::UnexpectedEof, "the end of the archive"));
        }
        match self.checksum.take() {
            Some((sum, wanted)) if sum.sum() != wanted => {
                Err(io::Error::new(ErrorKind::InvalidData, "a member with a wrong checksum"))
            }
            _ => Ok(0),
        }
    }
}
