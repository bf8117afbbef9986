//! `firmament boards` and `firmament board`.

use std::fs;

use crate::program::{firmament, stdout};

#[test]
fn every_board_is_listed_with_its_description() {
    let list = stdout(&mut firmament(["boards"]));
    let lines: Vec<_> = list.lines().map(|line| line.split_once("  ").unwrap()).collect();
    let names: Vec<_> = lines.iter().map(|(name, _)| name.trim()).collect();
    assert_eq!(names, ["cosmos-plus", "cosmos-plus-mlc", "small"]);
    assert!(lines.iter().all(|(_, description)| description.trim().len() > 20), "{list}");
}

#[test]
fn a_printed_board_is_a_board_file_that_resolves_to_itself() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["cosmos-plus", "cosmos-plus-mlc", "small"] {
        let printed = stdout(&mut firmament(["board", name]));
        assert!(printed.contains("source = \"Cosmos+ Table 5\""), "{printed}");
        assert!(!printed.contains("inherits"), "{printed}");
        let path = directory.path().join(format!("{name}.toml"));
        fs::write(&path, &printed).unwrap();
        let again = stdout(firmament(["board"]).arg(&path));
        assert_eq!(again, printed);
    }
}

#[test]
fn a_value_that_is_set_is_printed_and_says_where_it_comes_from() {
    let plain = stdout(&mut firmament(["board", "small"]));
    let set = stdout(&mut firmament(["board", "small", "--set", "geometry.channels=4"]));
    let changed: Vec<_> =
        set.lines().filter(|line| !plain.lines().any(|other| other == *line)).collect();
    let [line] = changed[..] else { panic!("one line changes, not {changed:?}") };
    assert!(line.starts_with("channels = { value = 4, source = \"command line\""), "{line}");
}
