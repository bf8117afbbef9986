//! Files that are no traces, known by their first bytes.

/// What is no text, and not read: where the bytes stand, the bytes, and what has them.
const KINDS: [(usize, &[u8], &str); 18] = [
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (0, b"Rar!\x1a\x07", "a rar archive"),
    (0, b"MSCF\0\0\0\0", "a cab archive"),
    (0, b"!<arch>\n", "an ar archive"),
    (0, b"070701", "a cpio archive"),
    (0, b"\xc7\x71", "a cpio archive"),
    (0, b"ARC\x01\0", "an arc archive"),
    (0, b"\x04\x22\x4d\x18", "a file compressed by lz4"),
    (0, b"\x02\x21\x4c\x18", "a file compressed by lz4"),
    (0, b"LZIP\x01", "a file compressed by lzip"),
    (0, b"\x89LZO\0\r\n\x1a\n", "a file compressed by lzop"),
    (0, b"\x1f\x9d", "a file compressed by compress"),
    (0, b"\x5d\0\0", "a file compressed by lzma"),
    (0, b"\xff\x06\0\0sNaPpY", "a file compressed by snappy"),
    (0, b"PAR1", "a Parquet file"),
    (0, b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    (0, b"SQLite format 3\0", "an SQLite database"),
    (0, b"PK\x03\x04", "a zip archive within a compressed file"),
];
/// Bytes of a header of cpio that are digits.
const CPIO_DIGITS: usize = 110;

/// What a file is that is not read; none if it may be a trace.
pub(crate) fn refused(first: &[u8]) -> Option<&'static str> {
    if is_utf_16(first) {
        return Some("text in UTF-16");
    }
    let is_it = |(at, bytes, _): &&(usize, &[u8], &str)| {
        first.get(*at..).is_some_and(|rest| rest.starts_with(bytes))
    };
    let (_, bytes, name) = KINDS.iter().find(is_it)?;
    let is_text = bytes.starts_with(b"0707")
        && !(first.len() >= CPIO_DIGITS && first[..CPIO_DIGITS].iter().all(u8::is_ascii_hexdigit));
    (!is_text).then_some(name)
}

/// Whether text has two bytes a character: a mark says so, or every second of the first bytes is zero.
fn is_utf_16(first: &[u8]) -> bool {
    let zeros = |from: usize| first.iter().take(16).skip(from).step_by(2).all(|byte| *byte == 0);
    match first {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => true,
        [a, 0, ..] if a.is_ascii_graphic() || *a == b' ' => first.len() >= 16 && zeros(1),
        [0, a, ..] if a.is_ascii_graphic() || *a == b' ' => first.len() >= 16 && zeros(0),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_and_text_is_none() {
        let wide: Vec<u8> =
            "1 0 8 8 1\n2 0 8 8 1\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> =
            "1 0 8 8 1\n2 0 8 8 1\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        for (first, kind) in [
            (&b"7z\xbc\xaf\x27\x1c\0\x04"[..], Some("a 7z archive")),
            (b"\x04\x22\x4d\x18....", Some("a file compressed by lz4")),
            (b"\xff\xfe1\0,\0", Some("text in UTF-16")),
            (&wide, Some("text in UTF-16")),
            (&big, Some("text in UTF-16")),
            (b"070701 0 8 8 1\n", None),
            (b"1 0 8 8 1\n2 0 8 8 1\n", None),
            (b"\x07\x74\x61\x65\0\0\0\0", None),
            (b"", None),
        ] {
            assert_eq!(refused(first), kind, "{first:?}");
        }
        assert_eq!(
            refused(&[b'0', b'7', b'0', b'7', b'0', b'1'].repeat(40)),
            Some("a cpio archive")
        );
    }
}
