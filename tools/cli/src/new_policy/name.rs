//! The name of a new policy, as boards, files and types have it.

use recipe::Failure;

/// Longest name.
const MOST_CHARACTERS: usize = 32;

/// Words that Rust keeps for itself.
const RESERVED: [&str; 51] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// A name in its three forms.
#[derive(Debug, PartialEq, Eq)]
pub struct Name {
    /// As boards have it: `by-writes`.
    pub word: String,
    /// As its module has it: `by_writes`.
    pub module: String,
    /// As its type has it: `ByWrites`.
    pub type_name: String,
}

impl Name {
    /// Reads a name.
    ///
    /// # Errors
    /// When it is none that boards, files and types can have.
    pub fn read(word: &str) -> Result<Name, Failure> {
        let shown = format!("{word:?}");
        let is_part = |part: &str| {
            !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        };
        let begins = word.starts_with(|c: char| c.is_ascii_lowercase());
        if !begins || !word.split('-').all(is_part) || word.len() > MOST_CHARACTERS {
            let expected = format!(
                "a name of small letters and digits, words joined by -, of at most {MOST_CHARACTERS} characters"
            );
            return Err(Failure::unexpected("NAME", shown, &expected));
        }
        let module = word.replace('-', "_");
        let type_name: String = word.split('-').map(capitalised).collect();
        if RESERVED.contains(&module.as_str()) {
            return Err(Failure::unexpected("NAME", shown, "a name that is no word of Rust"));
        }
        Ok(Name { word: word.to_owned(), module, type_name })
    }

    /// Whether a text, of which it will be a part, uses it for something else.
    pub fn is_used_in(&self, text: &str) -> bool {
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|word| word == self.type_name || word == self.module)
    }
}

fn capitalised(word: &str) -> String {
    let mut characters = word.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_three_forms() {
        let name = Name::read("by-age-2").unwrap();
        assert_eq!((name.module.as_str(), name.type_name.as_str()), ("by_age_2", "ByAge2"));
    }

    #[test]
    fn what_is_no_name_is_refused() {
        let long = "a".repeat(MOST_CHARACTERS + 1);
        for word in ["", "-", "a-", "-a", "a--b", "A", "a_b", "2a", "a b", "ä", "../a", &long] {
            let line = Name::read(word).unwrap_err().to_string();
            assert!(line.contains("expected a name of small letters"), "{line}");
        }
        assert!(Name::read("static").unwrap_err().to_string().contains("no word of Rust"));
        assert!(Name::read("super").unwrap_err().to_string().contains("no word of Rust"));
    }

    #[test]
    fn a_word_of_the_policys_file_is_known_by_its_type_and_by_its_module() {
        let text = "use super::draws::{Policy, WayOut};";
        for (word, used) in [("policy", true), ("draws", true), ("way-out", true), ("way", false)] {
            assert_eq!(Name::read(word).unwrap().is_used_in(text), used, "{word}");
        }
    }
}
