//! A line, cut into fields.

/// The fields of a line between commas, at most `N`; further ones are in the last.
#[inline]
pub(crate) fn commas<const N: usize>(line: &[u8]) -> ([&[u8]; N], usize) {
    let mut fields = [&line[..0]; N];
    let (mut count, mut start) = (0, 0);
    for comma in memchr::memchr_iter(b',', line) {
        if count == N - 1 {
            break;
        }
        fields[count] = trimmed(&line[start..comma]);
        count += 1;
        start = comma + 1;
    }
    fields[count] = trimmed(&line[start..]);
    (fields, count + 1)
}

/// Words between blanks.
pub(crate) struct Words<'a> {
    rest: &'a [u8],
}

impl<'a> Words<'a> {
    pub(crate) fn new(line: &'a [u8]) -> Self {
        Words { rest: line }
    }

    /// The next word; empty at the end.
    #[inline]
    pub(crate) fn next(&mut self) -> &'a [u8] {
        let rest = self.rest;
        let start = rest.iter().position(|&byte| !is_blank(byte)).unwrap_or(rest.len());
        let word = &rest[start..];
        let length = word.iter().position(|&byte| is_blank(byte)).unwrap_or(word.len());
        self.rest = &word[length..];
        &word[..length]
    }

    /// What has not been taken, without blanks around it.
    pub(crate) fn rest(&self) -> &'a [u8] {
        trimmed(self.rest)
    }
}

/// Without blanks around it.
#[inline]
pub(crate) fn trimmed(mut text: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = text {
        if !is_blank(*first) {
            break;
        }
        text = rest;
    }
    while let [rest @ .., last] = text {
        if !is_blank(*last) {
            break;
        }
        text = rest;
    }
    text
}

#[inline]
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// The bytes from the start of one field to the end of another of the same line.
#[inline]
pub(crate) fn span<'a>(line: &'a [u8], first: &[u8], last: &[u8]) -> &'a [u8] {
    let base = line.as_ptr() as usize;
    let start = first.as_ptr() as usize - base;
    let end = last.as_ptr() as usize - base + last.len();
    &line[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_cut_at_commas_and_blanks() {
        let (fields, count) = commas::<3>(b" a, b ,c,d\r");
        assert_eq!((fields, count), ([&b"a"[..], b"b", b"c,d"], 3));
        let (fields, count) = commas::<3>(b"a");
        assert_eq!((fields, count), ([&b"a"[..], b"", b""], 1));
        let (_, count) = commas::<3>(b"a,");
        assert_eq!(count, 2);
        let mut words = Words::new(b"  8,0\t 3 x\r");
        assert_eq!((words.next(), words.next()), (&b"8,0"[..], &b"3"[..]));
        assert_eq!((words.rest(), words.next(), words.next()), (&b"x"[..], &b"x"[..], &b""[..]));
    }

    #[test]
    fn a_span_reaches_over_fields() {
        let line = b"1,usr,0,Read";
        let (fields, _) = commas::<4>(line);
        assert_eq!(span(line, fields[1], fields[2]), b"usr,0");
    }
}
