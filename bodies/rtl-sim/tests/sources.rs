//! What every source of the hardware has to say of itself.

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let end = path.extension().and_then(|end| end.to_str());
        if path.is_dir() {
            sources(&path, found);
        } else if matches!(end, Some("sv" | "svh" | "rdl")) {
            found.push(path);
        }
    }
}

/// Blocks are taken out one by one: each file states its licence where tools look for it (SPDX specification, annex E).
#[test]
fn every_source_states_its_licence_in_its_first_line() {
    let mut found = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rtl"), &mut found);
    assert!(found.len() > 150, "{} sources", found.len());
    for path in found {
        let text = fs::read_to_string(&path).expect("text");
        let first = text.lines().next().unwrap_or_default();
        assert_eq!(first, "// SPDX-License-Identifier: Apache-2.0", "{}", path.display());
    }
}
