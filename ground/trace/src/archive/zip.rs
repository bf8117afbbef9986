//! zip: PKWARE's APPNOTE, version 6.3, with 64-bit sizes. Members are found by the directory at the end; memory does not
//! depend on the archive.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom};

use super::{shown, Member, Place, Whole, MOST_MEMBERS};
use crate::compression::Compression;

const END: &[u8] = b"PK\x05\x06";
const END_BYTES: usize = 22;
const END_64_LOCATOR: &[u8] = b"PK\x06\x07";
const END_64: &[u8] = b"PK\x06\x06";
const ENTRY: &[u8] = b"PK\x01\x02";
const ENTRY_BYTES: usize = 46;
const LOCAL: &[u8] = b"PK\x03\x04";
const LOCAL_BYTES: usize = 30;
/// The longest comment behind the end.
const MOST_COMMENT: u64 = 0xffff;

/// How a member is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packed {
    /// Its local header.
    header: u64,
    packed_bytes: u64,
    bytes: u64,
    crc: u32,
    method: Method,
}

/// How a member is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Deflated,
    /// Not at all, or as files are.
    As(Compression),
}

/// Whether a file begins as an archive with members, or one without.
pub(crate) fn is_zip(first: &[u8]) -> bool {
    first.starts_with(LOCAL) || first.starts_with(END)
}

/// Lists an archive. `look` sees each file; `pass` hears of what cannot be read.
///
/// # Errors
/// When there is no directory, or it is damaged. What came before has been seen.
pub(crate) fn list(
    file: &mut File,
    look: &mut dyn FnMut(Member),
    pass: &mut dyn FnMut(String, &'static str),
) -> io::Result<()> {
    let (start, count) = directory(file)?;
    file.seek(SeekFrom::Start(start))?;
    let mut input = BufReader::new(file);
    if count > MOST_MEMBERS as u64 {
        return Err(damaged("more than 4096 members"));
    }
    for _ in 0..count {
        let mut entry = [0; ENTRY_BYTES];
        input.read_exact(&mut entry)?;
        if !entry.starts_with(ENTRY) {
            return Err(damaged("no entry of a zip directory"));
        }
        let lengths = [28, 30, 32].map(|at| usize::from(short(&entry, at)));
        let mut rest = vec![0; lengths.iter().sum()];
        input.read_exact(&mut rest)?;
        let name = shown(&rest[..lengths[0]]);
        let extra = &rest[lengths[0]..lengths[0] + lengths[1]];
        let sizes = sizes(&entry, extra).ok_or_else(|| damaged("a member without a size"))?;
        if name.ends_with('/') {
            continue;
        }
        let method = match (short(&entry, 8) & 1, short(&entry, 10)) {
            (1, _) => Err("an encrypted file"),
            (_, 0) => Ok(Method::As(Compression::None)),
            (_, 8) => Ok(Method::Deflated),
            (_, 12) => Ok(Method::As(Compression::Bzip2)),
            (_, 93) => Ok(Method::As(Compression::Zstd)),
            (_, 95) => Ok(Method::As(Compression::Xz)),
            _ => Err("compressed by a method that is not read"),
        };
        let [bytes, packed_bytes, header] = sizes;
        let crc = word(&entry, 16);
        match method {
            Ok(method) => {
                let place = Place::Zip(Packed { header, packed_bytes, bytes, crc, method });
                look(Member { name, place });
            }
            Err(why) => pass(name, why),
        }
    }
    Ok(())
}

/// What comes out of a member.
///
/// # Errors
/// When it is not where the directory says.
pub(crate) fn open(mut file: File, packed: Packed) -> io::Result<Box<dyn Read>> {
    let mut local = [0; LOCAL_BYTES];
    file.seek(SeekFrom::Start(packed.header))?;
    file.read_exact(&mut local)?;
    if !local.starts_with(LOCAL) {
        return Err(damaged("no member where the zip directory has it"));
    }
    let before = i64::from(short(&local, 26)) + i64::from(short(&local, 28));
    file.seek(SeekFrom::Current(before))?;
    let input = BufReader::new(file.take(packed.packed_bytes));
    let input: Box<dyn Read> = match packed.method {
        Method::Deflated => Box::new(flate2::bufread::DeflateDecoder::new(input)),
        Method::As(compression) => compression.decompressed(Box::new(input))?,
    };
    Ok(Box::new(Whole::new(input, packed.bytes, Some(packed.crc))))
}

/// Where the directory begins, and how many members it has.
fn directory(file: &mut File) -> io::Result<(u64, u64)> {
    let length = file.seek(SeekFrom::End(0))?;
    let from = length.saturating_sub(MOST_COMMENT + END_BYTES as u64);
    file.seek(SeekFrom::Start(from))?;
    let mut tail = Vec::new();
    file.take(length - from).read_to_end(&mut tail)?;
    let at = memchr::memmem::rfind(&tail, END).filter(|at| tail.len() - at >= END_BYTES);
    let at = at.ok_or_else(|| damaged("no directory of a zip archive"))?;
    let end = &tail[at..];
    let (count, start) = (u64::from(short(end, 10)), u64::from(word(end, 16)));
    if short(end, 4) != 0 && short(end, 4) != 0xffff {
        return Err(damaged("a zip archive of several volumes"));
    }
    let locator = at.checked_sub(20).map(|at| &tail[at..]);
    match locator.filter(|locator| locator.starts_with(END_64_LOCATOR)) {
        None => Ok((start, count)),
        Some(locator) => {
            let mut end = [0; 56];
            file.seek(SeekFrom::Start(long(locator, 8)))?;
            file.read_exact(&mut end)?;
            match end.starts_with(END_64) {
                true => Ok((long(&end, 48), long(&end, 32))),
                false => Err(damaged("no directory of a zip archive")),
            }
        }
    }
}

/// Bytes, packed bytes, and the place of the local header; those that do not fit into 32 bits stand in an extra field.
fn sizes(entry: &[u8], extra: &[u8]) -> Option<[u64; 3]> {
    let mut longs = extended(extra).chunks_exact(8).map(|chunk| long(chunk, 0));
    let mut value = |at: usize| match word(entry, at) {
        u32::MAX => longs.next(),
        value => Some(u64::from(value)),
    };
    let bytes = value(24)?;
    let packed = value(20)?;
    Some([bytes, packed, value(42)?])
}

/// The extra field of long sizes; nothing if there is none.
fn extended(mut extra: &[u8]) -> &[u8] {
    while extra.len() >= 4 {
        let (kind, length) = (short(extra, 0), usize::from(short(extra, 2)));
        let Some(field) = extra.get(4..4 + length) else { break };
        if kind == 1 {
            return field;
        }
        extra = &extra[4 + length..];
    }
    &[]
}

fn short(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(bytes[at..at + 2].try_into().expect("two bytes"))
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

fn damaged(what: &'static str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}
