//! What is written into word lines.

use std::fmt;

/// A checkerboard of two words, each of one bit for each page of a word line, the upper page first: cells of one word are
/// surrounded by cells of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The words, page 0 in bit 0.
    words: [u8; 2],
    pages: u32,
}

impl Pattern {
    /// What a pattern has to look like.
    pub const EXPECTED: &'static str =
        "two words of as many bits as a cell has, 1 to 4, such as 11-00";

    /// A pattern such as `11-00`; none if it is no such text.
    pub fn read(text: &str) -> Option<Pattern> {
        let (first, second) = text.split_once('-')?;
        let word = |text: &str| {
            let is_word = (1..=4).contains(&text.len()) && text.bytes().all(|b| b"01".contains(&b));
            is_word.then(|| u8::from_str_radix(text, 2).ok()).flatten()
        };
        let words = [word(first)?, word(second)?];
        (first.len() == second.len()).then_some(Pattern { words, pages: first.len() as u32 })
    }

    /// Pages of a word line, which are the bits of a word.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// The byte that fills a page of a word line.
    pub fn byte(&self, word_line: u32, page: u32) -> u8 {
        let [first, second] = self.words.map(|word| word >> page & 1);
        // Cells of even numbers are the bits 7, 5, 3 and 1.
        let (even, odd) = if word_line % 2 == 0 { (first, second) } else { (second, first) };
        (0xaa * even) | (0x55 * odd)
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.words;
        let width = self.pages as usize;
        write!(f, "{first:0width$b}-{second:0width$b}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_surround_each_other_on_both_lines() {
        let pattern = Pattern::read("01-10").expect("a pattern");
        let word = |line: u32, cell: u32| {
            [1, 0].map(|page| (pattern.byte(line, page) >> (7 - cell) & 1).to_string()).concat()
        };
        let lines: Vec<String> =
            (0..3).map(|line| [0, 1, 2].map(|cell| word(line, cell)).join(" ")).collect();
        assert_eq!(lines, ["01 10 01", "10 01 10", "01 10 01"]);
        assert_eq!(pattern.to_string(), "01-10");
    }

    #[test]
    fn what_is_no_pattern_is_none() {
        for text in ["", "11", "11-", "11-0", "12-00", "11-00-11", "10101-01010", "+1-01"] {
            assert_eq!(Pattern::read(text), None, "{text}");
        }
        assert_eq!(Pattern::read("1-0").map(|pattern| pattern.pages()), Some(1));
    }
}
