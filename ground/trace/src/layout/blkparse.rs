//! Layouts of `blkparse -f`: the format string is that of its manual page.

use super::grammar::{wrong, Wrong};
use super::separator::{Separator, MAX_COLUMNS};
use super::{Column, Layout, Width};
use super::{ACTION, LENGTH, OFFSET, OP, TEXT, TIME, VOLUME, VOLUME_END};
use crate::unit::TimeUnit;

const NEEDED: &str = "%T.%t, %d, %S, and %n or %N in columns of their own";

/// The layout of what `blkparse -f` prints with a format.
///
/// # Errors
/// When a request cannot be told from what it prints.
pub(super) fn layout(format: &str) -> Result<Layout, Wrong> {
    let format = format.trim_end_matches("\\n").trim_end_matches('\n').replace("\\t", "\t");
    if let Some(at) = format.find("\\n").or(format.find('\n')) {
        return wrong(&format[at..], "a format of one line");
    }
    let separator = separator(&format);
    let mut layout = Layout::empty(separator);
    layout.time_unit = TimeUnit::of_ps(1_000_000_000_000);
    let mut width = 0;
    for cell in cells(&format, separator) {
        let nth = width;
        // A device is major and minor number with a comma between them.
        let is_split = cell.contains("%D") && separator == Separator::Byte(b',');
        width += if is_split { 2 } else { 1 };
        if width > MAX_COLUMNS as u8 {
            return wrong(cell, "at most 64 columns");
        }
        set(&mut layout, Cell { text: cell, nth, end: width })?;
    }
    layout.width = Width::Exactly(width);
    layout.whole().or_else(|_| wrong(&format, NEEDED))
}

/// What stands between directives: a comma, a tab, a semicolon or a bar if there is one, or blanks.
fn separator(format: &str) -> Separator {
    let among = |byte: &u8| [b',', b'\t', b';', b'|'].contains(byte);
    format.bytes().find(among).map_or(Separator::Blanks, Separator::Byte)
}

fn cells(format: &str, separator: Separator) -> Vec<&str> {
    match separator {
        Separator::Blanks => format.split_ascii_whitespace().collect(),
        Separator::Byte(byte) => format.split(char::from(byte)).map(str::trim).collect(),
    }
}

/// What stands between two separators: from one column to the one behind its last.
struct Cell<'a> {
    text: &'a str,
    nth: u8,
    end: u8,
}

/// Sets what a cell holds; one that is not needed may hold anything.
fn set(layout: &mut Layout, cell: Cell<'_>) -> Result<(), Wrong> {
    let Cell { text: cell, nth, end } = cell;
    let bare = without_widths(cell);
    let role = match bare.as_str() {
        "%T.%t" => TIME,
        "%d" => OP,
        "%S" => OFFSET,
        "%n" => {
            layout.length_bytes = 512;
            LENGTH
        }
        "%N" => LENGTH,
        "%a" => ACTION,
        "%D" => VOLUME,
        "%M" => VOLUME,
        "%m" => return minor(layout, nth),
        _ if bare.contains("%C") => TEXT,
        _ if ["%T", "%t", "%d", "%S", "%n", "%N", "%a"].iter().any(|name| bare.contains(name)) => {
            return wrong(cell, NEEDED);
        }
        _ => return Ok(()),
    };
    if role == OFFSET {
        layout.offset_bytes = 512;
    }
    if layout.columns[role].is_some() {
        return wrong(cell, "each directive once");
    }
    layout.columns[role] = Some(Column::At(nth));
    if end > nth + 1 {
        layout.columns[VOLUME_END] = Some(Column::At(end - 1));
    }
    Ok(())
}

/// The minor number of a device belongs to the major number before it.
fn minor(layout: &mut Layout, nth: u8) -> Result<(), Wrong> {
    if nth > 0 && layout.columns[VOLUME] == Some(Column::At(nth - 1)) {
        layout.columns[VOLUME_END] = Some(Column::At(nth));
        return Ok(());
    }
    wrong("%m", "%M in the column before it")
}

/// Directives without widths, which do not matter: numbers of nanoseconds always have nine digits, or more.
fn without_widths(cell: &str) -> String {
    let mut bare = String::new();
    let mut is_width = false;
    for letter in cell.chars() {
        is_width &= letter.is_ascii_digit() || letter == '-';
        if !is_width {
            bare.push(letter);
        }
        is_width |= letter == '%';
    }
    bare
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_a_layout() {
        for (format, columns) in [
            (r"%D %2c %8s %5T.%9t %5p %2a %3d %S + %n [%C]\n", [3, 6, 7, 9]),
            (r"%T.%t,%D,%d,%a,%S,%N", [0, 3, 5, 6]),
            ("%M\\t%m\\t%T.%t\\t%C\\t%a\\t%d\\t%S\\t%n\\n", [2, 5, 6, 7]),
        ] {
            let layout = layout(format).unwrap();
            let found = [TIME, OP, OFFSET, LENGTH].map(|role| match layout.columns[role] {
                Some(Column::At(nth)) => nth,
                _ => u8::MAX,
            });
            assert_eq!(found, columns, "{format}");
            assert!(layout.has_events());
        }
    }

    #[test]
    fn a_format_that_tells_too_little_is_refused() {
        for (format, found) in [
            ("%T %t %d %S %n", "\"%T\""),
            ("%T.%t %d sector=%S %n", "\"sector=%S\""),
            ("%T.%t %d %S", "\"%T.%t %d %S\""),
            ("%T.%t %d %S %n %m", "\"%m\""),
            ("%T.%t %d %S %n %N", "\"%N\""),
            ("%T.%t %d\\n%S %n", "\"\\n%S %n\""),
            ("", "\"\""),
        ] {
            assert_eq!(layout(format).unwrap_err().0, found, "{format}");
        }
    }
}
