//! All leaves of a board: while files and overrides are laid over one another, and complete.

use std::fmt::Write;

use toml::Table;

use crate::keys::{self, Key, Nature};
use crate::leaf::{found, Amount, Fault, Leaf};
use crate::nearest::nearest;
use crate::table::OPTIONAL;
use crate::BoardError;

/// What errors call the command line.
const COMMAND_LINE: &str = "--set";

const PAGE_BYTES: &str = "geometry.page_bytes";
const SPARE_BYTES: &str = "flash.spare_bytes";

/// A leaf for each key, in the order of [`keys::all`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sheet {
    leaves: Vec<Leaf>,
}

impl Sheet {
    /// The leaf of a key.
    ///
    /// # Panics
    /// When the table of keys has no such key.
    pub(crate) fn leaf(&self, path: &str) -> &Leaf {
        let index = keys::index_of(path).unwrap_or_else(|| panic!("{path} is not a key"));
        &self.leaves[index]
    }

    /// The number of a key: a count, picoseconds, picoseconds a KiB, or the index of a choice.
    pub(crate) fn number(&self, path: &str) -> u64 {
        match self.leaf(path).amount {
            Amount::Number(number) => number,
            Amount::Sizes(_) | Amount::Lists(_) => panic!("{path} holds a list"),
            Amount::Unstated => panic!("{path} is not stated"),
        }
    }

    /// The list of a key.
    pub(crate) fn sizes(&self, path: &str) -> &[u32] {
        match &self.leaf(path).amount {
            Amount::Sizes(sizes) => sizes,
            _ => panic!("{path} holds no sizes"),
        }
    }

    /// The lists of words of a key.
    pub(crate) fn lists(&self, path: &str) -> &[Vec<String>] {
        match &self.leaf(path).amount {
            Amount::Lists(lists) => lists,
            _ => panic!("{path} holds no words"),
        }
    }

    /// All keys with their leaves, but for those of policies that the board has not chosen, and those that it leaves out.
    pub(crate) fn used(&self) -> impl Iterator<Item = (&'static Key, &Leaf)> + '_ {
        let is_used = |(key, leaf): &(&'static Key, &Leaf)| {
            leaf.is_stated() && key.owner.is_none_or(|owner| owner.has(self.number(owner.kind.key)))
        };
        keys::all().iter().zip(&self.leaves).filter(is_used)
    }

    /// Keys of hardware whose leaf names no source.
    pub(crate) fn unsourced(&self) -> impl Iterator<Item = &'static str> + '_ {
        let bare = |(key, leaf): &(&'static Key, &Leaf)| {
            key.nature == Nature::Hardware && leaf.provenance.is_none() && leaf.is_stated()
        };
        keys::all().iter().zip(&self.leaves).filter(bare).map(|(key, _)| key.path.as_str())
    }

    /// All leaves as TOML, section by section.
    pub(crate) fn to_toml(&self) -> String {
        let mut text = String::new();
        let mut open = "";
        for (key, leaf) in self.used() {
            let (section, name) = key.path.rsplit_once('.').expect("a key stands in a section");
            if section != open {
                write!(text, "\n[{section}]\n").expect("a string takes all");
                open = section;
            }
            match &leaf.provenance {
                None => writeln!(text, "{name} = {}", leaf.written),
                Some(from) => writeln!(
                    text,
                    "{name} = {{ value = {}, source = {}, role = \"{}\" }}",
                    leaf.written,
                    quoted(&from.source),
                    from.role.name()
                ),
            }
            .expect("a string takes all");
        }
        text
    }
}

/// A text as a TOML string on one line.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            control if control.is_control() => {
                write!(quoted, "\\u{:04X}", control as u32).expect("a string takes all");
            }
            plain => quoted.push(plain),
        }
    }
    quoted.push('"');
    quoted
}

/// Leaves on their way to a sheet, each with the file that it stands in.
pub(crate) struct Draft {
    entries: Vec<Option<(Leaf, String)>>,
    /// Files in the order in which they were laid over one another, and the command line.
    layers: Vec<String>,
}

impl Draft {
    pub(crate) fn new() -> Self {
        Draft { entries: keys::all().iter().map(|_| None).collect(), layers: Vec::new() }
    }

    /// Lays the leaves of a file over what is there.
    pub(crate) fn lay(&mut self, file: &str, table: &Table) -> Result<(), BoardError> {
        self.layers.push(file.to_owned());
        let page_below = self.leaf(PAGE_BYTES).cloned();
        self.lay_section(file, "", table)?;
        self.check_page(file, page_below)
    }

    /// Lays what the command line says over what is there, pairs of key and value.
    pub(crate) fn set_all(&mut self, overrides: &[(String, String)]) -> Result<(), BoardError> {
        self.layers.push(COMMAND_LINE.to_owned());
        let page_below = self.leaf(PAGE_BYTES).cloned();
        for (key, text) in overrides {
            self.set(key, text)?;
        }
        self.check_page(COMMAND_LINE, page_below)
    }

    /// A page of another size has another spare area, so whatever changes the one has to state the
    /// other: left as it was, it would be too small for the parity, or fill the bus for nothing.
    fn check_page(&self, layer: &str, below: Option<Leaf>) -> Result<(), BoardError> {
        let (Some(below), Some(page)) = (below, self.leaf(PAGE_BYTES)) else { return Ok(()) };
        let spare = keys::index_of(SPARE_BYTES).and_then(|index| self.entries[index].as_ref());
        match spare {
            Some((spare, origin)) if page.amount != below.amount && origin != layer => {
                let expected = format!(
                    "{SPARE_BYTES} beside it, as {} spare bytes belong to a page of {}",
                    spare.written, below.written
                );
                Err(place(layer, PAGE_BYTES, Fault { found: page.written.clone(), expected }))
            }
            _ => Ok(()),
        }
    }

    fn leaf(&self, path: &str) -> Option<&Leaf> {
        let index = keys::index_of(path)?;
        self.entries[index].as_ref().map(|(leaf, _)| leaf)
    }

    fn lay_section(&mut self, file: &str, prefix: &str, table: &Table) -> Result<(), BoardError> {
        for (name, value) in table {
            let path = format!("{prefix}{name}");
            if let Some(index) = keys::index_of(&path) {
                let leaf = Leaf::from_toml(keys::all()[index].kind, value)
                    .map_err(|fault| place(file, &path, fault))?;
                self.entries[index] = Some((leaf, file.to_owned()));
                continue;
            }
            let section = format!("{path}.");
            let known = keys::all().iter().any(|key| key.path.starts_with(&section));
            // In a section of an unknown name it is the key that tells what was meant.
            let section_like = |table: &Table| !table.is_empty() && !table.contains_key("value");
            match value.as_table() {
                Some(table) if known || section_like(table) => {
                    self.lay_section(file, &section, table)?
                }
                None if known => {
                    let expected = "a section".to_owned();
                    return Err(place(file, &path, Fault { found: found(value), expected }));
                }
                _ => return Err(unknown(file, path)),
            }
        }
        Ok(())
    }

    /// Replaces one leaf by what the command line says.
    fn set(&mut self, path: &str, text: &str) -> Result<(), BoardError> {
        let Some(index) = keys::index_of(path) else {
            return Err(unknown(COMMAND_LINE, path.to_owned()));
        };
        let leaf = Leaf::from_argument(keys::all()[index].kind, text)
            .map_err(|fault| place(COMMAND_LINE, path, fault))?;
        self.entries[index] = Some((leaf, COMMAND_LINE.to_owned()));
        Ok(())
    }

    /// Gives keys of policies their defaults where nothing is stated, and where the policy that they were stated for is
    /// another one by now. Whoever states one beside a policy that has none of it is told so.
    fn settle_policies(&mut self) -> Result<(), BoardError> {
        let layer = |file: &String| self.layers.iter().rposition(|layer| layer == file);
        for (index, key) in keys::all().iter().enumerate() {
            let Some(owner) = key.owner else { continue };
            let kind = keys::index_of(owner.kind.key).and_then(|at| self.entries[at].as_ref());
            let Some((chosen, of_policy)) = kind else { continue };
            let Amount::Number(policy) = chosen.amount else { continue };
            if owner.has(policy) && self.entries[index].is_some() {
                continue;
            }
            if let Some((stated, file)) = &self.entries[index] {
                if layer(file) >= layer(of_policy) {
                    let Leaf { written: found, .. } = stated.clone();
                    let (named, word) = (owner.kind.key, &chosen.written);
                    let expected = format!("no such key, as {named} is {word}");
                    return Err(place(file, &key.path, Fault { found, expected }));
                }
            }
            let default = Leaf::of_number(key.kind, owner.default);
            self.entries[index] = Some((default, of_policy.clone()));
        }
        Ok(())
    }

    /// The complete sheet, and the origin of each leaf; `file` is to blame for what is missing. A section that is optional
    /// is there as a whole or not at all.
    pub(crate) fn complete(mut self, file: &str) -> Result<(Sheet, Origins), BoardError> {
        self.settle_policies()?;
        let missing = |key: &Key| {
            let fault = Fault { found: "nothing".to_owned(), expected: key.kind.expected() };
            place(file, &key.path, fault)
        };
        let leaves_out = OPTIONAL.map(|section| {
            let mut states = keys::all().iter().zip(&self.entries);
            states.all(|(key, entry)| entry.is_none() || !key.path.starts_with(section))
        });
        let is_left_out = |key: &Key| {
            OPTIONAL.iter().zip(leaves_out).any(|(own, out)| out && key.path.starts_with(own))
        };
        let (mut leaves, mut files) = (Vec::new(), Vec::new());
        for (key, entry) in keys::all().iter().zip(self.entries) {
            let unstated = is_left_out(key).then(|| (Leaf::unstated(), file.to_owned()));
            let (leaf, origin) = entry.or(unstated).ok_or_else(|| missing(key))?;
            leaves.push(leaf);
            files.push(origin);
        }
        Ok((Sheet { leaves }, Origins { files }))
    }
}

/// The file of each leaf, in the order of [`keys::all`].
pub(crate) struct Origins {
    files: Vec<String>,
}

impl Origins {
    /// The error for a leaf that fits its key but contradicts another.
    pub(crate) fn contradiction(&self, sheet: &Sheet, path: &str, expected: String) -> BoardError {
        let found = sheet.leaf(path).written.clone();
        let file = &self.files[keys::index_of(path).expect("the sheet has the key")];
        place(file, path, Fault { found, expected })
    }
}

fn place(file: &str, key: &str, fault: Fault) -> BoardError {
    let Fault { found, expected } = fault;
    BoardError::Value { file: file.to_owned(), key: key.to_owned(), found, expected }
}

fn unknown(file: &str, key: String) -> BoardError {
    let nearest = nearest(&key, keys::all().iter().map(|key| key.path.as_str())).to_owned();
    BoardError::UnknownKey { file: file.to_owned(), key, nearest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_texts_are_read_back_as_they_were() {
        for text in ["", "plain", "a \"quote\" and \\", "line\nbreak\ttab", "\u{7f}\u{85} µs"] {
            let line = format!("text = {}", quoted(text));
            assert_eq!(line.lines().count(), 1, "{text:?}");
            let table: Table = line.parse().unwrap();
            assert_eq!(table["text"].as_str(), Some(text));
        }
    }
}
