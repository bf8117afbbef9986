//! The line of text that tells a layout: `csv:time=1us,op=3,lba=4*512,bytes=5`.
//!
//! Before the colon stands what separates columns. Behind it, each with the number of its column from 1 or the column's name in
//! the heading: `time` and its unit, or `end` if times are those of completions; `op`; `offset` in bytes or `lba` in sectors; `bytes` or
//! `sectors`; and, where there are such columns, `volume`, `response` with its unit, `action` and `text`. `read=1` and so on
//! give values of `op` a meaning, and `columns=5` or `columns=5+` says how many columns a line has.

use super::separator::{Separator, MAX_COLUMNS};
use super::{blkparse, Column, Layout, Sure, Width};
use super::{ACTION, LENGTH, OFFSET, OP, RESPONSE, ROLES, TEXT, TIME, VOLUME, VOLUME_END};
use crate::order::Within;
use crate::record::Kind;
use crate::unit::TimeUnit;

/// A layout, for lines that tell what is expected.
pub const EXAMPLE: &str = "csv:time=1us,op=3,lba=4,bytes=5";

/// The longest text of a layout.
const MAX_BYTES: usize = 4096;
/// The most bytes of a unit of offsets and lengths.
const MAX_UNIT_BYTES: u64 = 1 << 20;
const SECTOR_BYTES: u64 = 512;

/// What is wrong with a layout: what was found, and what was expected.
pub(super) type Wrong = (String, String);

pub(super) fn wrong<T>(found: &str, expected: &str) -> Result<T, Wrong> {
    Err((format!("\"{found}\""), expected.to_owned()))
}

impl Layout {
    /// The layout that a text spells out; none if it does not begin like one.
    pub(crate) fn of_text(text: &str) -> Option<Result<Self, Wrong>> {
        let (kind, rest) = text.split_once(':')?;
        if text.len() > MAX_BYTES {
            return Some(wrong("a long text", "a layout of at most 4096 bytes"));
        }
        if kind == "blkparse" {
            return Some(blkparse::layout(rest).map(|layout| layout.called(text)));
        }
        let (_, separator) = Separator::NAMES.into_iter().find(|(name, _)| *name == kind)?;
        Some(of_pairs(separator, rest).map(|layout| layout.called(text)))
    }

    pub(super) fn called(self, name: &str) -> Self {
        Layout { name: name.to_owned(), ..self }
    }

    /// A layout without columns.
    pub(super) fn empty(separator: Separator) -> Self {
        Layout {
            name: String::new(),
            separator,
            columns: [const { None }; ROLES],
            time_unit: TimeUnit::of_ps(1000),
            response_unit: TimeUnit::of_ps(1000),
            within: Within::Arrival,
            offset_bytes: 1,
            length_bytes: 1,
            values: [const { Vec::new() }; 4],
            width: Width::AtLeast(0),
            sure: Sure::Columns,
        }
    }

    /// The same, if all is there that has to be.
    pub(super) fn whole(mut self) -> Result<Self, Wrong> {
        let needed = [
            (TIME, "time or end"),
            (OP, "op"),
            (OFFSET, "offset or lba"),
            (LENGTH, "bytes or sectors"),
        ];
        if let Some((_, name)) = needed.iter().find(|(role, _)| self.columns[*role].is_none()) {
            let expected = format!("{name} as well, as in {EXAMPLE}");
            return Err(("a layout without it".to_owned(), expected));
        }
        if self.within == Within::Completion && self.columns[RESPONSE].is_none() {
            return Err((
                "end without response".to_owned(),
                "response=COLUMN*UNIT as well".to_owned(),
            ));
        }
        let last = self.columns.iter().flatten().filter_map(|column| match column {
            Column::At(nth) => Some(nth + 1),
            Column::Named(_) => None,
        });
        let fewest = last.max().unwrap_or(0);
        let (Width::Exactly(width) | Width::AtLeast(width)) = &mut self.width;
        if *width == 0 {
            *width = fewest;
        }
        if *width < fewest {
            return wrong(&format!("columns={width}"), "as many columns as the layout names");
        }
        Ok(self)
    }
}

fn of_pairs(separator: Separator, text: &str) -> Result<Layout, Wrong> {
    let mut layout = Layout::empty(separator);
    for pair in text.split(',') {
        let Some((key, value)) = pair.split_once('=') else {
            return wrong(pair, &format!("KEY=COLUMN, as in {EXAMPLE}"));
        };
        set(&mut layout, Pair { text: pair, key: key.trim(), value: value.trim() })?;
    }
    layout.whole()
}

/// A key, its value, and both as they stand in the text.
#[derive(Clone, Copy)]
struct Pair<'a> {
    text: &'a str,
    key: &'a str,
    value: &'a str,
}

/// Sets what a pair says.
fn set(layout: &mut Layout, pair: Pair<'_>) -> Result<(), Wrong> {
    let Pair { text, key, value } = pair;
    if let Some(kind) = Kind::ALL.into_iter().find(|kind| key == kind_key(*kind)) {
        layout.values[kind as usize] = value.split('/').map(str::to_owned).collect();
        return Ok(());
    }
    let role = match key {
        "columns" => {
            layout.width = width(text, value)?;
            return Ok(());
        }
        "time" | "end" => TIME,
        "op" => OP,
        "offset" | "lba" => OFFSET,
        "bytes" | "sectors" => LENGTH,
        "volume" => VOLUME,
        "response" => RESPONSE,
        "action" => ACTION,
        "text" => TEXT,
        _ => {
            let expected =
                "time, end, op, offset, lba, bytes, sectors, volume, response, action, text, \
                            read, write, trim, flush or columns";
            return wrong(key, expected);
        }
    };
    if layout.columns[role].is_some() {
        return wrong(text, &format!("one column for {key}"));
    }
    let (column, unit) = parted(value);
    match (role, unit) {
        (VOLUME, None) => return volume(layout, text, column),
        (TIME | RESPONSE, unit) => set_unit_of_time(layout, pair, unit)?,
        (OFFSET | LENGTH, unit) => set_unit_of_bytes(layout, pair, unit)?,
        (_, None) => {}
        (_, Some(_)) => return wrong(text, "a column without a unit"),
    }
    layout.columns[role] = Some(self::column(text, column)?);
    Ok(())
}

fn set_unit_of_time(
    layout: &mut Layout,
    Pair { text, key, .. }: Pair<'_>,
    unit: Option<&str>,
) -> Result<(), Wrong> {
    let Some(unit) = unit else {
        return wrong(text, "a column and the unit of its times, such as 1us or when*us");
    };
    let unit = unit.parse().or_else(|expected| wrong(text, expected))?;
    match key {
        "response" => layout.response_unit = unit,
        _ => layout.time_unit = unit,
    }
    if key == "end" {
        layout.within = Within::Completion;
    }
    Ok(())
}

fn set_unit_of_bytes(
    layout: &mut Layout,
    Pair { text, key, .. }: Pair<'_>,
    unit: Option<&str>,
) -> Result<(), Wrong> {
    let usual = if matches!(key, "lba" | "sectors") { SECTOR_BYTES } else { 1 };
    let bytes = unit.map_or(Some(usual), |unit| unit.parse().ok());
    let Some(bytes) = bytes.filter(|bytes| (1..=MAX_UNIT_BYTES).contains(bytes)) else {
        return wrong(text, "a column and the bytes of a unit, such as 4*512");
    };
    match key {
        "offset" | "lba" => layout.offset_bytes = bytes,
        _ => layout.length_bytes = bytes,
    }
    Ok(())
}

/// Column and unit: `3*512`, `3us`, `when*us`, `3`.
fn parted(value: &str) -> (&str, Option<&str>) {
    if let Some((column, unit)) = value.rsplit_once('*') {
        return (column, Some(unit));
    }
    let letters = value.trim_start_matches(|letter: char| letter.is_ascii_digit());
    match value.len() - letters.len() {
        0 => (value, None),
        _ if letters.is_empty() || letters.starts_with('+') => (value, None),
        digits => (&value[..digits], Some(letters)),
    }
}

/// One column, or several beside each other.
fn volume(layout: &mut Layout, pair: &str, value: &str) -> Result<(), Wrong> {
    let mut all = value.split('+');
    let first = column(pair, all.next().unwrap_or_default())?;
    let mut last = first.clone();
    for next in all {
        let next = column(pair, next)?;
        match (&last, &next) {
            (Column::At(one), Column::At(other)) if one + 1 == *other => last = next,
            _ => {
                return wrong(pair, "numbers of columns that stand beside each other, such as 7+8")
            }
        }
    }
    layout.columns[VOLUME_END] = (last != first).then_some(last);
    layout.columns[VOLUME] = Some(first);
    Ok(())
}

fn column(pair: &str, text: &str) -> Result<Column, Wrong> {
    const EXPECTED: &str = "the number of a column from 1 to 64, or its name in the heading";
    match text.bytes().next() {
        None => wrong(pair, EXPECTED),
        Some(b'0'..=b'9') => match text.parse::<usize>() {
            Ok(nth) if (1..=MAX_COLUMNS).contains(&nth) => Ok(Column::At(nth as u8 - 1)),
            _ => wrong(pair, EXPECTED),
        },
        Some(_) => Ok(Column::Named(text.to_owned())),
    }
}

fn width(pair: &str, value: &str) -> Result<Width, Wrong> {
    let digits = value.strip_suffix('+');
    match digits.unwrap_or(value).parse::<usize>() {
        Ok(count) if (1..=MAX_COLUMNS).contains(&count) && digits.is_some() => {
            Ok(Width::AtLeast(count as u8))
        }
        Ok(count) if (1..=MAX_COLUMNS).contains(&count) => Ok(Width::Exactly(count as u8)),
        _ => wrong(pair, "a number of columns from 1 to 64, with + for more"),
    }
}

/// The key that gives values of the column of kinds a meaning.
fn kind_key(kind: Kind) -> &'static str {
    match kind {
        Kind::Read => "read",
        Kind::Write => "write",
        Kind::Trim => "trim",
        Kind::Flush => "flush",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(text: &str) -> Result<Layout, Wrong> {
        Layout::of_text(text).unwrap()
    }

    #[test]
    fn what_is_wrong_with_a_layout_is_told() {
        for (text, found, expected) in [
            ("csv:time=1us,op=2,lba=3", "a layout without it", "bytes or sectors as well"),
            ("csv:time=1,op=2,lba=3,bytes=4", "\"time=1\"", "the unit of its times"),
            ("csv:time=1min,op=2,lba=3,bytes=4", "\"time=1min\"", "ps, ns, us, ms or s"),
            ("csv:time=0us,op=2,lba=3,bytes=4", "\"time=0us\"", "from 1 to 64"),
            ("csv:time=1us,op=65,lba=3,bytes=4", "\"op=65\"", "from 1 to 64"),
            ("csv:time=1us,op=2*512,lba=3,bytes=4", "\"op=2*512\"", "without a unit"),
            ("csv:time=1us,op=2,lba=3*0,bytes=4", "\"lba=3*0\"", "such as 4*512"),
            ("csv:time=1us,op=2,lba=3*9999999,bytes=4", "\"lba=3*9999999\"", "such as 4*512"),
            ("csv:time=1us,op=2,lba=3,offset=5,bytes=4", "\"offset=5\"", "one column for offset"),
            ("csv:time=1us,op=2,lba=3,bytes=4,size=5", "\"size\"", "time, end, op"),
            ("csv:time=1us,op=2,lba=3,bytes=4,volume=5+7", "\"volume=5+7\"", "beside each other"),
            ("csv:time=1us,op=2,lba=3,bytes=4,columns=3", "\"columns=3\"", "as many columns"),
            ("csv:time=1us,op=2,lba=3,bytes=4,columns=0+", "\"columns=0+\"", "from 1 to 64"),
            ("csv:end=1us,op=2,lba=3,bytes=4", "end without response", "response=COLUMN*UNIT"),
            ("csv:", "\"\"", "KEY=COLUMN"),
            ("csv:time=,op=2,lba=3,bytes=4", "\"time=\"", "the unit of its times"),
        ] {
            let (was, should) = layout(text).unwrap_err();
            assert!(was == found && should.contains(expected), "{text}: {was}, {should}");
        }
        assert!(Layout::of_text("mqsim").is_none() && Layout::of_text("cvs:time=1us").is_none());
        let long = format!("csv:{}", "op=1,".repeat(2000));
        assert_eq!(layout(&long).unwrap_err().0, "\"a long text\"");
    }

    #[test]
    fn columns_have_numbers_or_names_and_units() {
        let text = "tsv:time=when*100ns,op=2,lba=3*4096,sectors=4,volume=5+6,response=7ms,read=0/R,write=1";
        let layout = layout(text).unwrap();
        assert_eq!(layout.name(), text);
        assert_eq!(layout.columns[TIME], Some(Column::Named("when".into())));
        assert_eq!((layout.time_unit.ps(), layout.response_unit.ps()), (100_000, 1_000_000_000));
        assert_eq!((layout.offset_bytes, layout.length_bytes), (4096, 512));
        assert_eq!(
            (&layout.columns[VOLUME], &layout.columns[VOLUME_END]),
            (&Some(Column::At(4)), &Some(Column::At(5)))
        );
        assert_eq!(layout.values[0], ["0", "R"]);
        assert_eq!(layout.width, Width::AtLeast(7));
    }
}
