//! Layouts: text whose lines have a request each, in columns that a table or a user tells.
//!
//! A layout is read from one line of text ([`grammar`]): how columns are separated, and in which column what stands. The formats
//! that have a name ([`named`]) are such lines, and so is what the format string of `blkparse -f` comes to ([`blkparse`]).

mod blkparse;
mod grammar;
mod named;
mod separator;
mod write;

use crate::digits::{decimal_ns, whole};
use crate::event::Event;
use crate::fault::Wrong;
use crate::fields::{span, trimmed};
use crate::formats::found::{fields_missing, number, stretch, Found};
use crate::formats::letters::{self, Letters};
use crate::order::Within;
use crate::record::{Kind, Raw, UNKNOWN};
use crate::unit::TimeUnit;

pub use self::grammar::EXAMPLE;
pub(crate) use self::named::named;
use self::separator::{Separator, MAX_COLUMNS};

/// Columns that mean something.
const ROLES: usize = 9;
const TIME: usize = 0;
const OP: usize = 1;
const OFFSET: usize = 2;
const LENGTH: usize = 3;
const VOLUME: usize = 4;
/// The last of several columns that name the volume.
const VOLUME_END: usize = 5;
const RESPONSE: usize = 6;
const ACTION: usize = 7;
/// A column of free text, which may hold what separates columns.
const TEXT: usize = 8;
/// A column that there is not.
const NONE: u8 = u8::MAX;
/// What a volume is called where no column names it.
const ONLY_VOLUME: &[u8] = b"0";

/// Where in a line of text each property of a request stands, and in which units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    name: String,
    separator: Separator,
    /// The columns by role; empty where the layout has none.
    columns: [Option<Column>; ROLES],
    time_unit: TimeUnit,
    response_unit: TimeUnit,
    /// Whether a time is that of the completion.
    within: Within,
    /// Bytes of a unit of offsets, and of lengths.
    offset_bytes: u64,
    length_bytes: u64,
    /// Values of the column of kinds, by [`Kind`]; the usual ones if there are none.
    values: [Vec<String>; 4],
    width: Width,
    sure: Sure,
}

/// Which column of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Column {
    /// Its number, from 0.
    At(u8),
    /// Its name in the heading.
    Named(String),
}

/// How many columns a line has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Width {
    /// So many.
    Exactly(u8),
    /// So many, or more.
    AtLeast(u8),
}

/// What a line has to have beside its columns for the format to be found by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sure {
    /// Nothing.
    Columns,
    /// A time with a point.
    Point,
    /// A time with a point, and an offset or a length that is no multiple of 512.
    Sectors,
    /// A time with a point, and an offset and a length that are multiples of 512.
    Bytes,
}

/// What is known of the columns from line to line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Heading {
    /// Whether a line came before.
    has_begun: bool,
    /// Whether the summary of blkparse has begun.
    is_over: bool,
    /// The columns by role, once they are known.
    columns: Option<[u8; ROLES]>,
    /// Columns of the heading.
    width: u8,
}

/// A line, cut into columns.
struct Cut<'a, 'f> {
    line: &'a [u8],
    fields: &'f [&'a [u8]],
    columns: [u8; ROLES],
    /// Columns that free text has taken beyond its own.
    more: usize,
}

impl<'a> Cut<'a, '_> {
    /// What stands in the column of a role, without quotes; nothing if there is none.
    #[inline]
    fn get(&self, role: usize) -> &'a [u8] {
        let column = self.columns[role];
        let more = if column > self.columns[TEXT] { self.more } else { 0 };
        let field = self.fields.get(usize::from(column) + more);
        field.map_or(&self.line[..0], |field| unquoted(field))
    }

    #[inline]
    fn has(&self, role: usize) -> bool {
        self.columns[role] != NONE
    }
}

impl Layout {
    /// Its name, or what it was made of.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether its lines are events, of which some stand for requests.
    pub(crate) fn has_events(&self) -> bool {
        self.columns[ACTION].is_some()
    }

    /// The unit in which the column of times counts.
    pub(crate) fn time_unit(&self) -> TimeUnit {
        self.time_unit
    }

    /// In which order its lines stand.
    pub(crate) fn within(&self) -> Within {
        self.within
    }

    /// Whether the layout was spelled out, with its units.
    pub(crate) fn is_own(&self) -> bool {
        self.name.contains(':')
    }

    /// Reads a line.
    ///
    /// # Errors
    /// The first column that is not what it should be.
    pub(crate) fn line<'a>(
        &self,
        line: &'a [u8],
        event: Event,
        heading: &mut Heading,
    ) -> Result<Found<'a>, Wrong<'a>> {
        if heading.is_over || self.has_events() && is_summary(line) {
            heading.is_over = true;
            return Ok(Found::Other);
        }
        let mut fields = [&line[..0]; MAX_COLUMNS];
        let count = self.separator.cut(line, &mut fields);
        let fields = &fields[..count];
        let columns = match heading.columns {
            Some(columns) => columns,
            None => match self.begin(line, fields, heading)? {
                Some(columns) => columns,
                None => return Ok(Found::Other),
            },
        };
        let more = self.more(line, fields, heading)?;
        let cut = Cut { line, fields, columns, more };
        let is_first = !std::mem::replace(&mut heading.has_begun, true);
        match self.request(&cut, event) {
            // A heading that nobody asked for.
            Err(_) if is_first && !cut.get(TIME).iter().any(u8::is_ascii_digit) => Ok(Found::Other),
            // One that comes again, where files were joined.
            Err(_) if self.is_heading(&cut) => Ok(Found::Other),
            found => found,
        }
    }

    /// Whether columns hold their own names.
    #[cold]
    fn is_heading(&self, cut: &Cut<'_, '_>) -> bool {
        let names = self.columns.iter().enumerate().filter_map(|(role, column)| match column {
            Some(Column::Named(name)) => Some((role, name)),
            _ => None,
        });
        let mut names = names.peekable();
        names.peek().is_some()
            && names.all(|(role, name)| cut.get(role).eq_ignore_ascii_case(name.as_bytes()))
    }

    /// Finds the columns: at once, or in the heading, which this line has to be; then there are none for this line.
    ///
    /// # Errors
    /// When a heading is needed and this is none.
    #[cold]
    fn begin<'a>(
        &self,
        line: &'a [u8],
        fields: &[&'a [u8]],
        heading: &mut Heading,
    ) -> Result<Option<[u8; ROLES]>, Wrong<'a>> {
        let mut columns = [NONE; ROLES];
        let mut is_named = false;
        for (column, at) in self.columns.iter().zip(&mut columns) {
            *at = match column {
                None => NONE,
                Some(Column::At(nth)) => *nth,
                Some(Column::Named(name)) => {
                    is_named = true;
                    let is_it = |field: &&[u8]| {
                        let field = unquoted(trimmed(field.strip_prefix(b"#").unwrap_or(field)));
                        field.eq_ignore_ascii_case(name.as_bytes())
                    };
                    match fields.iter().position(is_it) {
                        Some(nth) => nth as u8,
                        None => {
                            let expected = "a heading with the names of the layout's columns";
                            return Err(fields_missing(line, expected));
                        }
                    }
                }
            };
        }
        heading.columns = Some(columns);
        if is_named {
            (heading.width, heading.has_begun) = (fields.len() as u8, true);
            return Ok(None);
        }
        Ok(Some(columns))
    }

    /// How many columns free text has taken beyond its own.
    #[inline]
    fn more<'a>(
        &self,
        line: &'a [u8],
        fields: &[&'a [u8]],
        heading: &Heading,
    ) -> Result<usize, Wrong<'a>> {
        let (width, is_exact) = match self.width {
            Width::Exactly(width) => (width, true),
            Width::AtLeast(width) => (width.max(heading.width), heading.width > 0),
        };
        let width = usize::from(width);
        let has_text = self.columns[TEXT].is_some();
        match fields.len() {
            count if count == width => Ok(0),
            count if count > width && has_text => Ok(count - width),
            count if count > width && !is_exact => Ok(0),
            _ => Err(fields_missing(line, "as many columns as the layout has")),
        }
    }

    fn request<'a>(&self, cut: &Cut<'a, '_>, event: Event) -> Result<Found<'a>, Wrong<'a>> {
        let Some(time_ns) = decimal_ns(cut.get(TIME), self.time_unit.ps()) else {
            return Err(Wrong::new("time", cut.get(TIME), "a number, with a point or without"));
        };
        if cut.has(ACTION) && cut.get(ACTION) != [event.letter()] {
            return Ok(Found::Other);
        }
        let size = cut.get(LENGTH);
        let Some(kind) = self.kind(cut.get(OP), whole(size) == Some(0))? else {
            return Ok(Found::Other);
        };
        let response_ns = if cut.has(RESPONSE) {
            let text = cut.get(RESPONSE);
            let response = decimal_ns(text, self.response_unit.ps());
            response.ok_or_else(|| Wrong::new("response", text, "a number"))?.min(UNKNOWN - 1)
        } else {
            UNKNOWN
        };
        let ticks = match self.within {
            Within::Arrival => time_ns,
            Within::Completion => time_ns.saturating_sub(response_ns),
        };
        let volume = match (cut.has(VOLUME), cut.has(VOLUME_END)) {
            (false, _) => ONLY_VOLUME,
            (true, false) => cut.get(VOLUME),
            (true, true) => span(cut.line, cut.get(VOLUME), cut.get(VOLUME_END)),
        };
        if kind == Kind::Flush {
            let raw = Raw { ticks, response_ns, kind, offset: 0, length: 0 };
            return Ok(Found::Request(raw, volume));
        }
        let at = cut.get(OFFSET);
        let offset = scaled("offset", at, self.offset_bytes)?;
        let length = scaled("length", size, self.length_bytes)?;
        let (offset, length) = stretch(kind, (offset, at), (length, size))?;
        Ok(Found::Request(Raw { ticks, response_ns, kind, offset, length }, volume))
    }

    /// What a request does; none if it is no request for data.
    #[inline]
    fn kind<'a>(&self, text: &'a [u8], is_empty: bool) -> Result<Option<Kind>, Wrong<'a>> {
        if self.values.iter().all(Vec::is_empty) {
            return usual_kind(text, is_empty);
        }
        let is_it = |values: &Vec<String>| values.iter().any(|value| value.as_bytes() == text);
        match self.values.iter().position(is_it) {
            Some(nth) => Ok(Some(Kind::ALL[nth])),
            None => Err(Wrong::new("op", text, "a value that the layout gives a meaning")),
        }
    }

    /// Whether a line that can be read also looks like this layout and like no other.
    pub(crate) fn is_sure(&self, line: &[u8], heading: &Heading) -> bool {
        let mut fields = [&line[..0]; MAX_COLUMNS];
        let count = self.separator.cut(line, &mut fields);
        let fields = &fields[..count];
        let (Some(columns), Ok(more)) = (heading.columns, self.more(line, fields, heading)) else {
            return false;
        };
        let cut = Cut { line, fields, columns, more };
        let has_point = cut.get(TIME).contains(&b'.');
        let are_bytes = [OFFSET, LENGTH]
            .iter()
            .all(|role| whole(cut.get(*role)).is_some_and(|number| number % 512 == 0));
        match self.sure {
            Sure::Columns => true,
            Sure::Point => has_point,
            Sure::Sectors => has_point && !are_bytes,
            Sure::Bytes => has_point && are_bytes,
        }
    }
}

/// Words and letters that mean a kind wherever no values are given.
#[inline]
fn usual_kind(text: &[u8], is_empty: bool) -> Result<Option<Kind>, Wrong<'_>> {
    match text {
        b"R" | b"r" => return Ok(Some(Kind::Read)),
        b"W" | b"w" => return Ok(Some(Kind::Write)),
        _ => {}
    }
    let is = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes()));
    let kind = if is(&["read", "rd"]) {
        Kind::Read
    } else if is(&["write", "wr"]) {
        Kind::Write
    } else if is(&["trim", "discard", "unmap"]) {
        Kind::Trim
    } else if is(&["flush", "sync", "fsync"]) {
        Kind::Flush
    } else {
        let are_letters =
            !text.is_empty() && text.iter().all(|byte| b"RWDFNBZASMEPCO".contains(byte));
        return match letters::kind(text, is_empty) {
            Letters::Kind(kind) if are_letters => Ok(Some(kind)),
            Letters::Other if are_letters => Ok(None),
            _ => Err(Wrong::new("op", text, "R, W, read, write, or letters such as WS")),
        };
    };
    Ok(Some(kind))
}

#[inline]
fn scaled<'a>(field: &'static str, text: &'a [u8], bytes: u64) -> Result<u64, Wrong<'a>> {
    let product = number(field, text)?.checked_mul(bytes);
    product.ok_or_else(|| Wrong::new(field, text, "a request that ends below 2^63 bytes"))
}

/// Without the quotes around it.
#[inline]
fn unquoted(field: &[u8]) -> &[u8] {
    match field {
        [b'"', inner @ .., b'"'] => inner,
        field => field,
    }
}

/// Whether the summary of blkparse begins here: `CPU0 (8,16):` or `Total (8,16):`.
#[inline]
fn is_summary(line: &[u8]) -> bool {
    let rest = match line {
        [b'C', b'P', b'U', b'0'..=b'9', rest @ ..] => rest,
        [b'T', b'o', b't', b'a', b'l', rest @ ..] => rest,
        _ => return false,
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    rest[digits..].starts_with(b" (") && trimmed(rest).ends_with(b":")
}
