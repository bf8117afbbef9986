//! Markdown: tables, and text that stays text.

/// Widest line of prose.
const WIDTH: usize = 100;

/// `text` as one line of Markdown that shows what it says: none of it is taken for markup.
pub(super) fn escaped(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().map(escaped_word).collect();
    words.join(" ")
}

fn escaped_word(word: &str) -> String {
    // Wrapping may put any word at the start of a line, where these would begin a list or a heading.
    if word.chars().all(|character| "-+=#".contains(character)) || word == "1." || word == "1)" {
        let (rest, last) = word.split_at(word.len() - 1);
        return format!("{rest}\\{last}");
    }
    let mut escaped = String::with_capacity(word.len());
    let mut inside = false;
    let mut rest = word.chars().peekable();
    while let Some(character) = rest.next() {
        let next_inside = rest.peek().is_some_and(|next| next.is_alphanumeric());
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            // Between letters it is no markup.
            '_' if inside && next_inside => escaped.push('_'),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' | '~' => escaped.extend(['\\', character]),
            other => escaped.push(other),
        }
        inside = character.is_alphanumeric();
    }
    escaped
}

/// `name` as code where that is possible.
pub(super) fn code(name: &str) -> String {
    match name.contains(['`', '|', '\n']) || name.trim() != name || name.is_empty() {
        true => escaped(name),
        false => format!("`{name}`"),
    }
}

/// A paragraph of Markdown in lines of sane length, with an empty line behind it.
pub(super) fn paragraph(markdown: &str) -> String {
    format!("{}\n\n", wrapped(markdown, ""))
}

/// A bullet of Markdown in lines of sane length.
pub(super) fn bullet(markdown: &str) -> String {
    format!("{}\n", wrapped(&format!("- {markdown}"), "  "))
}

fn wrapped(markdown: &str, indent: &str) -> String {
    let options = textwrap::Options::new(WIDTH)
        .subsequent_indent(indent)
        .break_words(false)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::fill(markdown, options)
}

/// To which side a column is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table of Markdown. Cells are Markdown already.
#[derive(Debug)]
pub(super) struct Table {
    text: String,
}

impl Table {
    /// A table with the columns `heads`.
    pub(super) fn new(heads: &[(&str, Side)]) -> Self {
        let mut table = Self { text: String::new() };
        table.row(heads.iter().map(|(head, _)| head.to_string()));
        let rule = heads.iter().map(|(_, side)| match side {
            Side::Left => "---",
            Side::Right => "---:",
        });
        table.text += &format!("|{}|\n", rule.collect::<Vec<_>>().join("|"));
        table
    }

    /// Adds a row.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells: Vec<_> = cells.into_iter().collect();
        self.text += &format!("| {} |\n", cells.join(" | "));
    }

    /// The table, with an empty line behind it.
    pub(super) fn finished(self) -> String {
        self.text + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_markdown_reads_survives_escaping() {
        for (text, expected) in [
            ("a|b <c> &", "a\\|b &lt;c&gt; &amp;"),
            ("*d* _e_ `f` [g] \\", "\\*d\\* \\_e\\_ \\`f\\` \\[g\\] \\\\"),
            ("a\n\t b", "a b"),
            ("a - b + -1 # ##", "a \\- b \\+ -1 \\# #\\#"),
            ("1. a", "1\\. a"),
            ("a_b __c", "a_b \\_\\_c"),
        ] {
            assert_eq!(escaped(text), expected);
        }
    }

    #[test]
    fn names_are_code_where_they_can_be() {
        assert_eq!(code("a/b_c"), "`a/b_c`");
        assert_eq!(code("a|b"), "a\\|b");
    }

    #[test]
    fn prose_is_wrapped_and_words_stay_whole() {
        let word = "x".repeat(150);
        let text = bullet(&format!("{} {word}", "ab ".repeat(40)));
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[0].starts_with("- ab") && lines[0].len() <= WIDTH);
        assert!(lines[1].starts_with("  ab"));
        assert_eq!(lines.last().map(|line| line.trim()), Some(word.as_str()));
    }
}
