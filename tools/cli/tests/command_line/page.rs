//! Pages of the documentation, and what their blocks of code hold.

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the root is there")
}

/// A block of a page: the file that the line before it names, if one does, and what it holds.
pub struct Block {
    /// From the root of the repository.
    pub file: Option<String>,
    /// What stands behind the fence, such as `sh`.
    pub kind: String,
    /// The lines between the fences, without the indentation of a fence in a list.
    pub text: String,
}

/// The blocks of a page, in order. `page` is its path from the root of the repository.
pub fn blocks(page: &str) -> Vec<Block> {
    let page = fs::read_to_string(repository().join(page)).unwrap();
    let mut blocks: Vec<Block> = Vec::new();
    let (mut indentation, mut named) = (None, None);
    for line in page.lines() {
        let bare = line.trim_start();
        match (bare.strip_prefix("```"), indentation) {
            (Some(kind), None) => {
                indentation = Some(line.len() - bare.len());
                let (file, kind) = (named.take(), kind.to_owned());
                blocks.push(Block { file, kind, text: String::new() });
            }
            (Some(_), Some(_)) => indentation = None,
            (None, Some(indentation)) => {
                let block = blocks.last_mut().unwrap();
                block.text += line.get(indentation..).unwrap_or_default();
                block.text.push('\n');
            }
            (None, None) if line.is_empty() => {}
            (None, None) => {
                let name = line.strip_prefix('`').and_then(|rest| rest.strip_suffix("`:"));
                named = name.map(str::to_owned);
            }
        }
    }
    assert!(indentation.is_none(), "a block has no end");
    blocks
}
