//! What separates columns.

use crate::fields::trimmed;

/// The most columns that are told apart; what is behind them belongs to the last one.
pub(super) const MAX_COLUMNS: usize = 64;

/// What separates columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    /// Any number of spaces and tabs.
    Blanks,
    /// One of this byte.
    Byte(u8),
}

impl Separator {
    /// Their names in a layout.
    pub(super) const NAMES: [(&'static str, Separator); 5] = [
        ("csv", Separator::Byte(b',')),
        ("tsv", Separator::Byte(b'\t')),
        ("semicolons", Separator::Byte(b';')),
        ("bars", Separator::Byte(b'|')),
        ("words", Separator::Blanks),
    ];

    /// Cuts a line into columns without blanks around them; says how many there are, at least one.
    #[inline]
    pub(super) fn cut<'a>(self, line: &'a [u8], fields: &mut [&'a [u8]; MAX_COLUMNS]) -> usize {
        match self {
            Separator::Blanks => blanks(line, fields),
            Separator::Byte(byte) => {
                let (mut count, mut start) = (0, 0);
                for at in memchr::memchr_iter(byte, line).take(MAX_COLUMNS - 1) {
                    fields[count] = trimmed(&line[start..at]);
                    (count, start) = (count + 1, at + 1);
                }
                fields[count] = trimmed(&line[start..]);
                count + 1
            }
        }
    }

    /// What stands between columns that are written.
    pub(super) fn text(self) -> char {
        match self {
            Separator::Blanks => ' ',
            Separator::Byte(byte) => char::from(byte),
        }
    }
}

#[inline]
fn blanks<'a>(line: &'a [u8], fields: &mut [&'a [u8]; MAX_COLUMNS]) -> usize {
    let mut rest = trimmed(line);
    let mut count = 0;
    while count < MAX_COLUMNS - 1 {
        let Some(end) = memchr::memchr2(b' ', b'\t', rest) else { break };
        fields[count] = &rest[..end];
        rest = trimmed(&rest[end..]);
        count += 1;
    }
    fields[count] = rest;
    count + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_into_columns() {
        for (separator, line, columns) in [
            (Separator::Byte(b','), "a, b ,,c\r", vec!["a", "b", "", "c"]),
            (Separator::Byte(b'\t'), "a b\tc", vec!["a b", "c"]),
            (Separator::Blanks, "  a \t b c \r", vec!["a", "b", "c"]),
            (Separator::Blanks, "", vec![""]),
        ] {
            let mut fields = [&b""[..]; MAX_COLUMNS];
            let count = separator.cut(line.as_bytes(), &mut fields);
            let columns: Vec<_> = columns.iter().map(|column| column.as_bytes()).collect();
            assert_eq!(fields[..count], columns[..]);
        }
        let long = "x,".repeat(200);
        let mut fields = [&b""[..]; MAX_COLUMNS];
        assert_eq!(Separator::Byte(b',').cut(long.as_bytes(), &mut fields), MAX_COLUMNS);
    }
}
