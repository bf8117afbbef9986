//! The firmware stays what can be read in an hour.

use std::fs;
use std::path::Path;

/// Lines that its files may have together, comments and empty lines included.
const MOST_LINES: usize = 400;

#[test]
fn all_of_it_has_at_most_four_hundred_lines() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = 0;
    let lines = fs::read_dir(sources).unwrap().map(|file| {
        files += 1;
        fs::read_to_string(file.unwrap().path()).unwrap().lines().count()
    });
    let lines: usize = lines.sum();
    assert!(files > 1 && lines > 100, "{lines} lines in {files} files: the sources are elsewhere");
    assert!(lines <= MOST_LINES, "{lines} lines, at most {MOST_LINES} may be");
}
