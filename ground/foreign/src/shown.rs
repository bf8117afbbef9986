//! Text as people see it: no character in it changes the terminal, or the order in which others are shown.

use std::borrow::Cow;
use std::io::{self, Write};

/// Characters of a value that an error shows.
const MOST_SHOWN: usize = 200;
/// Characters of what an error says was expected: it names all values that there are.
const MOST_EXPECTED: usize = 2000;
/// What stands in place of the others.
const CUT: &str = "…";
/// What stands before a value in an error, and behind it.
const FOUND: &str = "found ";
const EXPECTED: &str = ", expected ";

/// Whether a character changes more than its own place: control characters (C0, DEL, C1), line and paragraph separators, and
/// the marks, embeddings, overrides and isolates of the bidirectional algorithm (Unicode Standard Annex 9, section 2).
fn is_active(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// The text with every character escaped that would not stay in its place, line feeds and tabulators among them: it is one
/// line.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        if is_active(character) {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    line
}

/// An error in one line: places, keys, what was found and what was expected, as all of our errors have it. What it echoes is
/// cut at 200 characters each.
pub fn error_line(text: &str) -> String {
    let line = one_line(text);
    if line.chars().count() <= MOST_SHOWN {
        return line;
    }
    let (rest, expected) = match line.rfind(EXPECTED) {
        Some(at) => line.split_at(at),
        None => (&line[..], ""),
    };
    let (place, found) = match rest.find(FOUND) {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let place: Vec<_> = place.split(": ").map(|part| cut(part, MOST_SHOWN)).collect();
    let found = cut(found, FOUND.len() + MOST_SHOWN);
    format!("{}{found}{}", place.join(": "), cut(expected, MOST_EXPECTED))
}

/// What is no error of an input, in one line, as a whole: it may say how to see it again.
pub fn whole_line(text: &str) -> String {
    cut(&one_line(text), MOST_EXPECTED).into_owned()
}

/// The first characters of a text.
fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned(format!("{}{CUT}", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// Writes text on, in UTF-8, with active characters but line feeds and tabulators escaped as JSON escapes them, so that JSON
/// stays the same values. Bytes that are no UTF-8 are escaped, too.
#[derive(Debug)]
pub struct Shown<W: Write> {
    to: W,
    /// The begin of a character whose other bytes have not come.
    begun: Vec<u8>,
}

impl<W: Write> Shown<W> {
    /// Writes to this.
    pub fn new(to: W) -> Self {
        Shown { to, begun: Vec::new() }
    }

    fn put(&mut self, text: &str) -> io::Result<()> {
        let mut from = 0;
        for (at, character) in text.char_indices() {
            if is_active(character) && character != '\n' && character != '\t' {
                self.to.write_all(&text.as_bytes()[from..at])?;
                self.put_code(character.into())?;
                from = at + character.len_utf8();
            }
        }
        self.to.write_all(&text.as_bytes()[from..])
    }

    fn put_code(&mut self, code: u32) -> io::Result<()> {
        write!(self.to, "\\u{code:04x}")
    }

    /// Writes what is whole of these bytes; returns the begin of a character at their end.
    fn put_bytes<'a>(&mut self, mut bytes: &'a [u8]) -> io::Result<&'a [u8]> {
        loop {
            match std::str::from_utf8(bytes) {
                Ok(text) => {
                    self.put(text)?;
                    return Ok(&[]);
                }
                Err(error) => {
                    let (whole, rest) = bytes.split_at(error.valid_up_to());
                    self.put(std::str::from_utf8(whole).expect("it is valid up to there"))?;
                    let Some(wrong) = error.error_len() else { return Ok(rest) };
                    for &byte in &rest[..wrong] {
                        self.put_code(byte.into())?;
                    }
                    bytes = &rest[wrong..];
                }
            }
        }
    }
}

impl<W: Write> Write for Shown<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.begun.is_empty() {
            let begun = self.put_bytes(bytes)?;
            self.begun.extend_from_slice(begun);
        } else {
            let mut all = std::mem::take(&mut self.begun);
            all.extend_from_slice(bytes);
            let begun = self.put_bytes(&all)?;
            self.begun.extend_from_slice(begun);
        }
        Ok(bytes.len())
    }

    /// A character that is not whole stays until it is.
    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(parts: &[&[u8]]) -> String {
        let mut out = Vec::new();
        let mut shown = Shown::new(&mut out);
        parts.iter().for_each(|part| shown.write_all(part).expect("memory takes all"));
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn what_would_change_a_terminal_is_escaped() {
        let rows = [
            ("\u{1b}[31mred\u{1b}[0m", r"\u001b[31mred\u001b[0m"),
            ("a\u{9b}2Jb\u{7}\u{8}\r", r"a\u009b2Jb\u0007\u0008\u000d"),
            ("user\u{202e}txt.exe\u{2066}", r"user\u202etxt.exe\u2066"),
            ("lines\n\tstay: – ⏎ é 漢", "lines\n\tstay: – ⏎ é 漢"),
        ];
        for (text, expected) in rows {
            assert_eq!(shown(&[text.as_bytes()]), expected);
            let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
            assert_eq!(shown(&bytes), expected, "byte by byte");
        }
        assert_eq!(shown(&[b"a\xff\x9bb", b"\xe2\x80", b"\xaec"]), r"a\u00ff\u009bb\u202ec");
    }

    #[test]
    fn a_line_stays_one() {
        assert_eq!(one_line("a\nb\u{1b}\u{2028}\u{202e}"), r"a\nb\u{1b}\u{2028}\u{202e}");
    }

    #[test]
    fn values_are_cut_and_places_and_expectations_stay() {
        let long = "x".repeat(10_000);
        let value = "x".repeat(200);
        assert_eq!(
            error_line(&format!("my.fio: line 3: bs: found {long:?}, expected a size")),
            format!("my.fio: line 3: bs: found \"{}…, expected a size", "x".repeat(199))
        );
        assert_eq!(
            error_line(&format!("{long}: {long}: found {long}, expected {long}{long}")),
            format!("{value}…: {value}…: found {value}…, expected {}…", "x".repeat(2000 - 11))
        );
        assert_eq!(error_line(&long), format!("{value}…"));
        assert_eq!(error_line("short: found a, expected b"), "short: found a, expected b");
    }
}
