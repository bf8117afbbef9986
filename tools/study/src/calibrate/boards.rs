//! The files of boards: which of them holds a parameter, and writing it there.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use foreign::input;
use tempfile::NamedTempFile;
use toml_edit::{DocumentMut, InlineTable, Item, TableLike, Value};

use crate::error::{Fault, StudyError};

/// Longest chain of boards that inherit from one another.
const LONGEST_CHAIN: usize = 16;

/// Board files, each read once.
pub(super) struct Boards<'a> {
    /// Where files of boards are.
    folder: &'a Path,
    files: BTreeMap<PathBuf, BoardFile>,
}

/// The text of a board's file, and the same text parsed.
struct BoardFile {
    text: String,
    document: DocumentMut,
}

/// A new value of a leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    /// The dotted key.
    pub key: String,
    /// The number, as it is to be written.
    pub value: String,
    /// Where it comes from.
    pub source: String,
}

impl<'a> Boards<'a> {
    /// The boards whose files are in `folder`.
    pub fn new(folder: &'a Path) -> Self {
        Boards { folder, files: BTreeMap::new() }
    }

    /// The file of a board, by name or path.
    pub fn file_of(&self, board: &str) -> PathBuf {
        match board.ends_with(".toml") {
            true => PathBuf::from(board),
            false => self.folder.join(format!("{board}.toml")),
        }
    }

    /// The file that a board has the value of a key from: its own, or that of the nearest board it
    /// inherits from that holds one; none if no file holds it.
    ///
    /// # Errors
    /// When a file cannot be read, or the chain does not end.
    pub fn holder(&mut self, board: &str, key: &str) -> Result<Option<PathBuf>, StudyError> {
        let mut path = self.file_of(board);
        for _ in 0..LONGEST_CHAIN {
            let document = &self.read(&path)?.document;
            if leaf(document, key).is_some() {
                return Ok(Some(path));
            }
            let Some(parent) = document.get("inherits").and_then(Item::as_str) else {
                return Ok(None);
            };
            let parent = parent.to_owned();
            path = self.parent(&path, &parent);
        }
        let expected = "a chain that ends";
        Err(Fault::new("inherits", "a long chain of boards", expected).in_file(&path))
    }

    /// The file that `name` in the `inherits` of a file stands for.
    fn parent(&self, child: &Path, name: &str) -> PathBuf {
        let in_folder = self.file_of(name);
        if !name.ends_with(".toml") && in_folder.is_file() {
            return in_folder;
        }
        let name = if name.ends_with(".toml") { name.to_owned() } else { format!("{name}.toml") };
        child.parent().unwrap_or(Path::new("")).join(name)
    }

    fn read(&mut self, path: &Path) -> Result<&BoardFile, StudyError> {
        if !self.files.contains_key(path) {
            let text = input::text(path, input::OF_HAND)
                .map_err(|error| StudyError::file(path, &error, "the file of a board"))?;
            let document = text.parse::<DocumentMut>().map_err(|error| {
                let start = error.span().map_or(0, |span| span.start);
                let line = 1 + text.bytes().take(start).filter(|byte| *byte == b'\n').count();
                let file = path.to_string_lossy().into_owned();
                StudyError::Syntax {
                    file,
                    line: line as u64,
                    reason: error.message().to_owned(),
                    expected: "TOML",
                }
            })?;
            self.files.insert(path.to_owned(), BoardFile { text, document });
        }
        Ok(&self.files[path])
    }

    /// Replaces a leaf that a file holds, and leaves everything else as it stands.
    ///
    /// # Panics
    /// When the file was not found to hold the leaf.
    pub fn set(&mut self, file: &Path, new: &Leaf) {
        let file = self.files.get_mut(file).expect("the holder of a leaf was read");
        let item = leaf_mut(&mut file.document, &new.key).expect("the holder holds the leaf");
        let number: Value = new.value.parse().expect("a decimal number is TOML");
        if !item.is_table_like() {
            let old = item.as_value().map(|value| value.decor().clone()).unwrap_or_default();
            let mut table = Value::InlineTable(InlineTable::new());
            *table.decor_mut() = old;
            *item = Item::Value(table);
        }
        let table = item.as_table_like_mut().expect("it is a table now");
        put(table, "value", number);
        put(table, "source", Value::from(new.source.as_str()));
        put(table, "role", Value::from("calibrated"));
    }

    /// Writes the files that are not as they were, each whole or not at all, and tells which.
    ///
    /// # Errors
    /// When one cannot be written.
    pub fn write(&self) -> Result<Vec<PathBuf>, StudyError> {
        let mut changed = Vec::new();
        for (path, file) in &self.files {
            let text = file.document.to_string();
            if text != file.text {
                replace(path, &text).map_err(|error| {
                    StudyError::file(path, &error, "a file that can be written")
                })?;
                changed.push(path.clone());
            }
        }
        Ok(changed)
    }
}

fn leaf<'a>(document: &'a DocumentMut, key: &str) -> Option<&'a Item> {
    let mut parts = key.split('.');
    let first = document.get(parts.next()?)?;
    parts.try_fold(first, |item, part| item.get(part))
}

fn leaf_mut<'a>(document: &'a mut DocumentMut, key: &str) -> Option<&'a mut Item> {
    let mut parts = key.split('.');
    let first = document.get_mut(parts.next()?)?;
    parts.try_fold(first, |item, part| item.get_mut(part))
}

/// Replaces a value and keeps the space around it, or adds it.
fn put(table: &mut dyn TableLike, key: &str, mut new: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            *new.decor_mut() = old.decor().clone();
            *old = new;
        }
        None => drop(table.insert(key, Item::Value(new))),
    }
}

/// Puts a new file in the place of an old one, with the old one's permissions.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = path.canonicalize()?;
    let folder = path.parent().ok_or(io::ErrorKind::NotFound)?;
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(fs::metadata(&path)?.permissions())?;
    file.persist(&path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "\
# The parent.
description = \"parent\"

[host]
# A remark.
fetch_latency_us = { value = 1.5, source = \"a guess\", role = \"assumed\" } # so it is
bus = 3   # bare

[ftl]
cache = \"write-back\"
";

    fn boards(folder: &Path) -> Boards<'_> {
        fs::write(folder.join("parent.toml"), PARENT).unwrap();
        let child = "inherits = \"parent\"\n[host]\nbus = 4\n";
        fs::write(folder.join("child.toml"), child).unwrap();
        Boards::new(folder)
    }

    #[test]
    fn a_leaf_is_held_by_the_nearest_board_that_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let mut boards = boards(folder.path());
        let holder = |boards: &mut Boards<'_>, board: &str, key: &str| {
            let file = boards.holder(board, key).unwrap();
            file.map(|file| file.file_stem().unwrap().to_string_lossy().into_owned())
        };
        assert_eq!(holder(&mut boards, "child", "host.bus").as_deref(), Some("child"));
        let key = "host.fetch_latency_us";
        assert_eq!(holder(&mut boards, "child", key).as_deref(), Some("parent"));
        assert_eq!(holder(&mut boards, "parent", "host.none"), None);
        let error = boards.holder("nobody", "host.bus").unwrap_err().to_string();
        assert!(error.contains("nobody.toml: found No such file"), "{error}");
    }

    #[test]
    fn a_leaf_is_replaced_and_all_else_stays() {
        let folder = tempfile::tempdir().unwrap();
        let mut boards = boards(folder.path());
        let file = boards.holder("child", "host.fetch_latency_us").unwrap().unwrap();
        let leaf = |key: &str, value: &str| {
            let (key, value) = (key.to_owned(), value.to_owned());
            Leaf { key, value, source: "a \"fit\"".to_owned() }
        };
        boards.set(&file, &leaf("host.fetch_latency_us", "2.0"));
        boards.set(&file, &leaf("host.bus", "12"));
        assert_eq!(boards.write().unwrap(), std::slice::from_ref(&file));
        let expected = PARENT
            .replace(
                "{ value = 1.5, source = \"a guess\", role = \"assumed\" }",
                "{ value = 2.0, source = 'a \"fit\"', role = \"calibrated\" }",
            )
            .replace(
                "bus = 3   # bare",
                "bus = { value = 12, source = 'a \"fit\"', role = \"calibrated\" }   # bare",
            );
        assert_eq!(fs::read_to_string(&file).unwrap(), expected);

        let mut again = Boards::new(folder.path());
        again.holder("child", "host.fetch_latency_us").unwrap();
        again.set(&file, &leaf("host.fetch_latency_us", "2.0"));
        again.set(&file, &leaf("host.bus", "12"));
        assert_eq!(again.write().unwrap(), Vec::<PathBuf>::new());
    }
}
