//! JSON for people and for size: a line a key, and a list on one line as far as it holds no objects.

use serde_json::ser::Formatter;
use std::io::{self, Write};

const INDENT: &[u8] = b"  ";

/// Writes keys on lines of their own, indented, and elements of a list beside each other.
#[derive(Default)]
pub(crate) struct Lines {
    depth: usize,
    is_empty: bool,
}

impl Lines {
    fn line<W: ?Sized + Write>(&self, out: &mut W) -> io::Result<()> {
        out.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| out.write_all(INDENT))
    }
}

impl Formatter for Lines {
    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        match first {
            true => Ok(()),
            false => out.write_all(b", "),
        }
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        self.is_empty = true;
        out.write_all(b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth -= 1;
        if !self.is_empty {
            self.line(out)?;
        }
        self.is_empty = false;
        out.write_all(b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if !first {
            out.write_all(b",")?;
        }
        self.is_empty = false;
        self.line(out)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Serialize;
    use serde_json::{json, Serializer, Value};

    #[test]
    fn keys_have_lines_and_lists_have_one() {
        let value = json!({ "a": [1, [2, 3]], "b": {}, "c": [{ "d": [] }, { "e": null }] });
        let mut out = Vec::new();
        value.serialize(&mut Serializer::with_formatter(&mut out, Lines::default())).unwrap();
        let text = String::from_utf8(out).unwrap();
        let expected = "{\n  \"a\": [1, [2, 3]],\n  \"b\": {},\n  \"c\": [{\n    \"d\": []\n  }, \
                        {\n    \"e\": null\n  }]\n}";
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}
