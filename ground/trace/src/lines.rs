//! A stream of bytes, cut into lines or taken by length, in a buffer of fixed size.

use std::io::{self, ErrorKind, Read};

/// The longest line that is read as one.
pub(crate) const MAX_LINE_BYTES: usize = 1 << 16;
const BUFFER_BYTES: usize = 1 << 18;
/// So much of a line that is too long is kept.
const KEPT_BYTES: usize = 64;

/// What comes next.
pub(crate) enum Line {
    /// A line, at this place in the buffer, without its end.
    At { start: usize, end: usize },
    /// A line that is too long, of which only the first bytes stand there. It has been passed over.
    TooLong { start: usize, end: usize },
    /// Nothing.
    End,
}

/// A buffered stream.
pub(crate) struct Lines {
    input: Box<dyn Read>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    is_over: bool,
    /// What ended the stream early.
    error: Option<io::Error>,
}

impl std::fmt::Debug for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lines").field("error", &self.error).finish_non_exhaustive()
    }
}

impl Lines {
    pub(crate) fn new(input: Box<dyn Read>) -> Self {
        let buffer = vec![0; BUFFER_BYTES];
        Lines { input, buffer, start: KEPT_BYTES, end: KEPT_BYTES, is_over: false, error: None }
    }

    /// What ended the stream early, if something did.
    pub(crate) fn error(&self) -> Option<&io::Error> {
        self.error.as_ref()
    }

    /// Bytes of the buffer.
    #[inline]
    pub(crate) fn bytes(&self, start: usize, end: usize) -> &[u8] {
        &self.buffer[start..end]
    }

    /// Takes the next line, without its line feed; a line that does not fit is passed over.
    #[inline]
    pub(crate) fn next_line(&mut self) -> Line {
        let mut searched = 0;
        loop {
            let waiting = &self.buffer[self.start + searched..self.end];
            if let Some(length) = memchr::memchr(b'\n', waiting) {
                let (start, end) = (self.start, self.start + searched + length);
                self.start = end + 1;
                return Line::At { start, end };
            }
            searched = self.end - self.start;
            if searched > MAX_LINE_BYTES {
                return self.pass_over();
            }
            if !self.fill() {
                let (start, end) = (self.start, self.end);
                self.start = end;
                // The last line of a stream that was cut off may be half of one.
                let is_whole = start < end && self.error.is_none();
                return if is_whole { Line::At { start, end } } else { Line::End };
            }
        }
    }

    /// Passes over a line that does not fit.
    #[cold]
    fn pass_over(&mut self) -> Line {
        let mut kept = [0; KEPT_BYTES];
        kept.copy_from_slice(&self.buffer[self.start..][..KEPT_BYTES]);
        loop {
            match memchr::memchr(b'\n', &self.buffer[self.start..self.end]) {
                Some(length) => {
                    self.start += length + 1;
                    break;
                }
                None => self.start = self.end,
            }
            if !self.fill() {
                break;
            }
        }
        // What was read so far has been used, so that its place is free: `fill` leaves room before what waits.
        let at = self.start - KEPT_BYTES;
        self.buffer[at..at + KEPT_BYTES].copy_from_slice(&kept);
        Line::TooLong { start: at, end: at + KEPT_BYTES }
    }

    /// Waits until `count` bytes are there, at most [`MAX_LINE_BYTES`], and gives those that are.
    #[inline]
    pub(crate) fn peek(&mut self, count: usize) -> &[u8] {
        while self.end - self.start < count && self.fill() {}
        let end = self.end.min(self.start + count);
        &self.buffer[self.start..end]
    }

    /// Passes over so many bytes of those that were seen.
    #[inline]
    pub(crate) fn skip(&mut self, count: usize) {
        self.start = self.end.min(self.start + count);
    }

    /// Reads more. False at the end.
    #[cold]
    fn fill(&mut self) -> bool {
        if self.is_over {
            return false;
        }
        self.buffer.copy_within(self.start..self.end, KEPT_BYTES);
        (self.start, self.end) = (KEPT_BYTES, KEPT_BYTES + self.end - self.start);
        loop {
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(0) => {
                    self.is_over = true;
                    return false;
                }
                Ok(count) => {
                    self.end += count;
                    return true;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    self.is_over = true;
                    self.error = Some(error);
                    return false;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes, and then an end, or an error as that of a compressed file that was cut off.
    struct Stream(&'static [u8], bool);

    impl Read for Stream {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() && self.1 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            self.0.read(into)
        }
    }

    /// What a stream that was cut off ends with may be half of a line, which reads as another one.
    #[test]
    fn half_a_line_is_no_line_where_the_stream_was_cut_off() {
        for (text, is_cut, expected) in [
            (&b"1,W\n2,R\n"[..], false, vec!["1,W", "2,R"]),
            (b"1,W\n2,R", false, vec!["1,W", "2,R"]),
            (b"1,W\n2,R", true, vec!["1,W"]),
            (b"1,W\n2,R\n", true, vec!["1,W", "2,R"]),
            (b"2,R", true, vec![]),
        ] {
            let mut lines = Lines::new(Box::new(Stream(text, is_cut)));
            let mut found = Vec::new();
            while let Line::At { start, end } = lines.next_line() {
                found.push(String::from_utf8_lossy(lines.bytes(start, end)).into_owned());
            }
            assert_eq!(found, expected, "{text:?} {is_cut}");
            assert_eq!(lines.error().is_some(), is_cut);
        }
    }
}
