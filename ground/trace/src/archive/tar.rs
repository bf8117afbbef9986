//! tar: POSIX's ustar and pax (IEEE Std 1003.1, "pax"), GNU's long names, and the headers before both. Members are found by
//! walking over the archive; memory does not depend on it.

use std::io::{self, ErrorKind, Read};

use super::{shown, Member, Place, MOST_MEMBERS, MOST_NAME_BYTES};

const BLOCK: usize = 512;
/// The most bytes of headers that tell a long name.
const MOST_HEADER_BYTES: u64 = 1 << 16;
/// So much of each member is shown to who looks at it: more than a block of bzip2.
pub(crate) const SHOWN_BYTES: u64 = 1 << 20;

/// Whether a file begins with a header: its checksum is right.
pub(crate) fn is_header(first: &[u8]) -> bool {
    first.len() >= BLOCK && first[0] != 0 && checksum_is_right(&first[..BLOCK])
}

/// What the next headers say.
#[derive(Default)]
struct Pending {
    name: Option<Vec<u8>>,
    bytes: Option<u64>,
    is_sparse: bool,
}

/// Walks over an archive. `look` sees each file with its first bytes; `pass` hears of what is no file that can be read.
///
/// # Errors
/// Where the archive ends early or is damaged. What came before has been seen.
pub(crate) fn walk(
    input: &mut dyn Read,
    look: &mut dyn FnMut(Member, &[u8]),
    pass: &mut dyn FnMut(String, &'static str),
) -> io::Result<()> {
    let (mut at, mut pending, mut members) = (0_u64, Pending::default(), 0);
    let mut block = [0; BLOCK];
    loop {
        let count = fill(input, &mut block)?;
        if count == 0 || block == [0; BLOCK] {
            return Ok(());
        }
        let size = number(&block[124..136]).filter(|_| count == BLOCK && checksum_is_right(&block));
        let size = size.ok_or_else(|| damaged(format!("no header of tar at byte {at}")))?;
        at += BLOCK as u64;
        let kind = block[156];
        let size = if is_file(kind) { pending.bytes.unwrap_or(size) } else { size };
        let mut taken = 0;
        match kind {
            b'L' | b'x' if size > MOST_HEADER_BYTES => {
                return Err(damaged("a header of more than 64 KiB".to_owned()));
            }
            b'L' | b'x' => {
                let text = read(input, size)?;
                taken = text.len() as u64;
                pending.heed(kind, &text);
            }
            b'K' | b'g' => {}
            kind => {
                let Pending { name, is_sparse, .. } = std::mem::take(&mut pending);
                let name = shown(&name.unwrap_or_else(|| own_name(&block)));
                members += 1;
                if members > MOST_MEMBERS {
                    return Err(damaged(format!("more than {MOST_MEMBERS} members")));
                }
                if is_sparse || kind == b'S' {
                    pass(name, "a sparse file");
                } else if is_file(kind) && !name.ends_with('/') {
                    let first = read(input, size.min(SHOWN_BYTES))?;
                    taken = first.len() as u64;
                    look(Member { name, place: Place::Tar { offset: at, bytes: size } }, &first);
                }
            }
        }
        let padded = size.div_ceil(BLOCK as u64).checked_mul(BLOCK as u64);
        let padded = padded.filter(|padded| at.checked_add(*padded).is_some());
        let padded =
            padded.ok_or_else(|| damaged("a member of more than 2^64 bytes".to_owned()))?;
        skip(input, padded - taken)?;
        at += padded;
    }
}

fn damaged(what: String) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}

impl Pending {
    /// Takes a header of GNU's or of pax that tells of the next member.
    fn heed(&mut self, kind: u8, text: &[u8]) {
        match kind {
            b'L' => self.name = Some(up_to_zero(text).to_vec()),
            _ => pax(text, self),
        }
    }
}

/// Ordinary files. What they are called differs from time to time.
fn is_file(kind: u8) -> bool {
    matches!(kind, b'0' | b'7' | 0)
}

/// Records of pax: length, key, value.
fn pax(mut text: &[u8], pending: &mut Pending) {
    while let Some(blank) = memchr::memchr(b' ', text) {
        let length =
            crate::digits::whole(&text[..blank]).and_then(|length| usize::try_from(length).ok());
        let Some(record) =
            length.filter(|length| *length > blank + 1).and_then(|length| text.get(..length))
        else {
            return;
        };
        let pair = &record[blank + 1..];
        let pair = pair.strip_suffix(b"\n").unwrap_or(pair);
        if let Some(at) = memchr::memchr(b'=', pair) {
            let (key, value) = (&pair[..at], &pair[at + 1..]);
            match key {
                b"path" => pending.name = Some(value[..value.len().min(MOST_NAME_BYTES)].to_vec()),
                b"size" => pending.bytes = crate::digits::whole(value),
                key if key.starts_with(b"GNU.sparse.") => pending.is_sparse = true,
                _ => {}
            }
        }
        text = &text[record.len()..];
    }
}

/// Name and, where the header has one, what stands before it.
fn own_name(block: &[u8; BLOCK]) -> Vec<u8> {
    let (name, prefix) = (up_to_zero(&block[..100]), up_to_zero(&block[345..500]));
    match (&block[257..263], prefix) {
        (b"ustar\0", [_, ..]) => [prefix, name].join(&b'/'),
        _ => name.to_vec(),
    }
}

fn up_to_zero(text: &[u8]) -> &[u8] {
    &text[..memchr::memchr(0, text).unwrap_or(text.len())]
}

/// An octal number, or a binary one whose first bit says so.
fn number(field: &[u8]) -> Option<u64> {
    if let [first @ 0x80..=0xff, rest @ ..] = field {
        let high = [first & 0x7f].into_iter().chain(rest.iter().copied());
        return high.into_iter().try_fold(0_u64, |value, byte| {
            value.checked_mul(256).map(|value| value | u64::from(byte))
        });
    }
    let text = up_to_zero(field).trim_ascii();
    text.iter().try_fold(0_u64, |value, digit| match digit {
        b'0'..=b'7' => value.checked_mul(8)?.checked_add(u64::from(digit - b'0')),
        _ => None,
    })
}

/// The sum of all bytes, with blanks where the sum itself stands.
fn checksum_is_right(block: &[u8]) -> bool {
    let all =
        |from: usize, to: usize| block[from..to].iter().map(|byte| u64::from(*byte)).sum::<u64>();
    let sum = all(0, 148) + 8 * u64::from(b' ') + all(156, BLOCK);
    number(&block[148..156]) == Some(sum)
}

/// Reads until the buffer is full or the input ends.
fn fill(input: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut count = 0;
    while count < buffer.len() {
        match input.read(&mut buffer[count..]) {
            Ok(0) => break,
            Ok(more) => count += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(count)
}

/// Reads so many bytes, or as many as there are.
fn read(input: &mut dyn Read, bytes: u64) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    input.take(bytes).read_to_end(&mut text)?;
    Ok(text)
}

fn skip(input: &mut dyn Read, bytes: u64) -> io::Result<()> {
    match io::copy(&mut input.take(bytes), &mut io::sink())? {
        count if count == bytes => Ok(()),
        _ => Err(ErrorKind::UnexpectedEof.into()),
    }
}
