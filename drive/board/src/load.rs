//! Finding board files, and laying each over the one that it inherits.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use foreign::input;
use toml::{Table, Value};

use crate::leaf::found;
use crate::nearest::nearest;
use crate::sheet::Draft;
use crate::{derive, Board, BoardError};

/// The boards that are compiled in. The first is the default.
const BUILT_IN: [(&str, &str); 22] = [
    ("cosmos-plus", include_str!("../../../boards/cosmos-plus.toml")),
    ("cosmos-plus-log", include_str!("../../../boards/cosmos-plus-log.toml")),
    ("cosmos-plus-ocssd", include_str!("../../../boards/cosmos-plus-ocssd.toml")),
    ("cosmos-plus-zns", include_str!("../../../boards/cosmos-plus-zns.toml")),
    ("cosmos-plus-mlc", include_str!("../../../boards/cosmos-plus-mlc.toml")),
    ("cosmos-plus-tlc", include_str!("../../../boards/cosmos-plus-tlc.toml")),
    ("ozone", include_str!("../../../boards/ozone.toml")),
    ("ocowfc", include_str!("../../../boards/ocowfc.toml")),
    ("openexpress", include_str!("../../../boards/openexpress.toml")),
    ("bluessd", include_str!("../../../boards/bluessd.toml")),
    ("fast-16x4", include_str!("../../../boards/fast-16x4.toml")),
    ("tlc-2024", include_str!("../../../boards/tlc-2024.toml")),
    ("samsung-970-evo", include_str!("../../../boards/samsung-970-evo.toml")),
    ("samsung-pm9a3", include_str!("../../../boards/samsung-pm9a3.toml")),
    ("micron-9550-max", include_str!("../../../boards/micron-9550-max.toml")),
    ("solidigm-p5336", include_str!("../../../boards/solidigm-p5336.toml")),
    ("small", include_str!("../../../boards/small.toml")),
    ("firmament-rtl", include_str!("../../../boards/firmament-rtl.toml")),
    ("firmament-rtl-tlc", include_str!("../../../boards/firmament-rtl-tlc.toml")),
    ("firmament-automated", include_str!("../../../boards/firmament-automated.toml")),
    ("firmament-soc", include_str!("../../../boards/firmament-soc.toml")),
    ("firmament-ulx3s", include_str!("../../../boards/firmament-ulx3s.toml")),
];

/// Their tables, once somebody has asked for them: a run asks several times.
static PARSED: [OnceLock<Table>; BUILT_IN.len()] = [const { OnceLock::new() }; BUILT_IN.len()];

/// Names of the built-in boards, the default first.
pub fn names() -> Vec<&'static str> {
    BUILT_IN.iter().map(|(name, _)| *name).collect()
}

impl Board {
    /// Resolves a built-in board by its name, or a file by a path that ends in `.toml` or has a
    /// directory in it. What it inherits is laid under it, and `overrides` (pairs of dotted key
    /// and value; later ones win) over it.
    ///
    /// # Errors
    /// The first fault of the files, of the overrides, or of the board that they make together.
    pub fn resolve(
        name_or_path: &str,
        overrides: &[(String, String)],
    ) -> Result<Board, BoardError> {
        let page = if is_path(name_or_path) {
            Page::read(Path::new(name_or_path))?
        } else {
            Page::built_in(name_or_path).ok_or_else(|| no_board(name_or_path))?
        };
        assemble(page, overrides)
    }

    /// Resolves the text of a board file. `file` is its name: its stem names the board, errors
    /// name it, and what it inherits is looked for beside it.
    ///
    /// # Errors
    /// As [`Board::resolve`].
    pub fn parse(file: &str, text: &str) -> Result<Board, BoardError> {
        let path = Path::new(file);
        assemble(Page::new(path.to_owned(), Some(path.to_owned()), text.to_owned()), &[])
    }
}

/// A board file in memory.
struct Page {
    /// What errors call it.
    file: String,
    /// The name of the board in it.
    name: String,
    /// Where it is, unless it is built in.
    path: Option<PathBuf>,
    text: String,
}

impl Page {
    fn new(file: PathBuf, path: Option<PathBuf>, text: String) -> Page {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Page { file: file.to_string_lossy().into_owned(), name, path, text }
    }

    fn built_in(name: &str) -> Option<Page> {
        let (_, text) = BUILT_IN.iter().find(|(known, _)| *known == name)?;
        Some(Page::new(PathBuf::from(format!("boards/{name}.toml")), None, (*text).to_owned()))
    }

    fn read(path: &Path) -> Result<Page, BoardError> {
        let text = input::text(path, input::OF_HAND).map_err(|error| BoardError::Unreadable {
            file: path.to_string_lossy().into_owned(),
            reason: error.to_string(),
        })?;
        Ok(Page::new(path.to_owned(), Some(path.to_owned()), text))
    }

    /// The board that `name` in this file's `inherits` stands for: built in, or a file beside it.
    fn parent(&self, name: &str) -> Result<Page, BoardError> {
        if let Some(page) = Page::built_in(name) {
            return Ok(page);
        }
        let Some(path) = &self.path else { return Err(no_board(name)) };
        let file = if is_path(name) { name.to_owned() } else { format!("{name}.toml") };
        let path = path.parent().unwrap_or(Path::new("")).join(file);
        if path.is_file() {
            return Page::read(&path);
        }
        let known = nearest(name, BUILT_IN.iter().map(|(name, _)| *name));
        let expected = format!("a built-in board such as {known}, or a file beside this one");
        Err(self.fault("inherits", format!("{name:?}"), expected))
    }

    fn parse(&self) -> Result<Table, BoardError> {
        let nth = BUILT_IN.iter().position(|(name, _)| self.path.is_none() && *name == self.name);
        let Some(nth) = nth else { return self.parse_anew() };
        if let Some(table) = PARSED[nth].get() {
            return Ok(table.clone());
        }
        let table = self.parse_anew()?;
        Ok(PARSED[nth].get_or_init(|| table).clone())
    }

    fn parse_anew(&self) -> Result<Table, BoardError> {
        self.text.parse().map_err(|error: toml::de::Error| BoardError::Syntax {
            file: self.file.clone(),
            line: error.span().map_or(1, |span| line_at(&self.text, span.start)),
            reason: error.message().to_owned(),
        })
    }

    fn fault(&self, key: &str, found: String, expected: String) -> BoardError {
        BoardError::Value { file: self.file.clone(), key: key.to_owned(), found, expected }
    }

    /// Takes a text out of the top of the file.
    fn take(&self, table: &mut Table, key: &str) -> Result<Option<String>, BoardError> {
        match table.remove(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.fault(key, found(&other), "a text".to_owned())),
        }
    }
}

/// Lays a chain of files over one another, the overrides on top, and derives the board.
fn assemble(page: Page, overrides: &[(String, String)]) -> Result<Board, BoardError> {
    let (file, name) = (page.file.clone(), page.name.clone());
    let mut description = None;
    let mut chain = Vec::new();
    let mut visited = Vec::new();
    let mut next = Some(page);
    while let Some(page) = next {
        visited.push(identity(&page));
        let mut table = page.parse()?;
        description = description.or(page.take(&mut table, "description")?);
        next = match page.take(&mut table, "inherits")? {
            None => None,
            Some(parent) => {
                let above = page.parent(&parent)?;
                if visited.contains(&identity(&above)) {
                    let expected = "a chain that ends".to_owned();
                    let found = format!("{parent:?}, which leads back here");
                    return Err(page.fault("inherits", found, expected));
                }
                Some(above)
            }
        };
        chain.push((page.file, table));
    }
    let mut draft = Draft::new();
    for (file, table) in chain.iter().rev() {
        draft.lay(file, table)?;
    }
    draft.set_all(overrides)?;
    let description = description.ok_or_else(|| BoardError::Value {
        file: file.clone(),
        key: "description".to_owned(),
        found: "nothing".to_owned(),
        expected: "a text".to_owned(),
    })?;
    let (sheet, origins) = draft.complete(&file)?;
    derive::board(derive::Title { name, description }, sheet, &origins)
}

/// What tells a file from every other, whatever path leads to it.
fn identity(page: &Page) -> PathBuf {
    match &page.path {
        None => PathBuf::from(format!("built-in {}", page.name)),
        Some(path) => path.canonicalize().unwrap_or_else(|_| path.clone()),
    }
}

fn is_path(name: &str) -> bool {
    name.ends_with(".toml") || name.contains(std::path::MAIN_SEPARATOR)
}

fn no_board(name: &str) -> BoardError {
    let known = nearest(name, BUILT_IN.iter().map(|(name, _)| *name));
    BoardError::UnknownBoard { name: name.to_owned(), nearest: known.to_owned() }
}

/// The line, from 1, that a byte offset lies in.
fn line_at(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}
