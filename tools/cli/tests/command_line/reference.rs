//! Tables of the documentation that the program prints: each page has them as they are.

use std::fs;
use std::path::{Path, PathBuf};

use predicates::prelude::*;
use predicates::str::{contains, is_match};

use crate::page::repository;
use crate::program::{firmament, stdout};

/// Begins the line before such a table.
const BEGINS: &str = "<!-- firmament reference ";

/// All pages below a directory.
fn pages(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in directory.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|end| end == "md") {
            found.push(path);
        }
    }
}

#[test]
fn pages_have_what_the_program_prints() {
    let mut found = Vec::new();
    pages(&repository().join("docs"), &mut found);
    found.retain(|page| fs::read_to_string(page).unwrap().contains(BEGINS));
    assert!(found.len() >= 3, "{found:?}");
    let place = tempfile::tempdir().unwrap();
    for page in found {
        let copy = place.path().join(page.file_name().unwrap());
        fs::copy(&page, &copy).unwrap();
        firmament(["reference".as_ref(), "into".as_ref(), copy.as_os_str()]).assert().success();
        let (there, printed) = (fs::read_to_string(&page), fs::read_to_string(&copy));
        let (there, printed) = (there.unwrap(), printed.unwrap());
        let differs = there.lines().zip(printed.lines()).find(|(there, printed)| there != printed);
        let page = page.display();
        assert!(there == printed, "{page} is not what make reference writes: {differs:?}");
    }
}

#[test]
fn every_key_of_boards_stands_once_on_the_page_of_board_files() {
    let page = fs::read_to_string(repository().join("docs/spec/board-files.md")).unwrap();
    let board = stdout(&mut firmament(["board", "cosmos-plus"]));
    let mut section = "";
    let mut keys = 0;
    for line in board.lines() {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']');
        } else if let Some((key, _)) = line.split_once(" = ").filter(|_| !section.is_empty()) {
            let below = page.split(&format!("\n### [{section}]\n")).nth(1);
            let below = below.unwrap_or_else(|| panic!("[{section}] is not on the page"));
            let below = below.split("\n### ").next().unwrap();
            let times = below.matches(&format!("\n| `{key}` |")).count();
            assert_eq!(times, 1, "{section}.{key}");
            keys += 1;
        }
    }
    assert!(keys > 150, "{keys}");
}

#[test]
fn what_there_is_no_reference_of_is_one_line() {
    for (words, complaint) in [
        (&["board-keys", "nowhere"][..], "board-keys: found nowhere, expected a section"),
        (&["into", "/nowhere.md"], "/nowhere.md: found"),
    ] {
        let run = firmament(["reference"].iter().chain(words)).assert().code(2);
        run.stdout("").stderr(contains(complaint).and(is_match("^[^\n]*\n$").unwrap()));
    }
}
