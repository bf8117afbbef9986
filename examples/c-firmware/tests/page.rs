//! The tutorial is true: its command prints what stands below it, and its FTL is as long as it says.

use std::fs;
use std::path::Path;
use std::process::Command;

const PAGE: &str = "docs/tutorials/an-ftl-in-c.md";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap()
}

#[test]
fn its_command_prints_what_it_says() {
    let page = fs::read_to_string(root().join(PAGE)).unwrap();
    let line = page.lines().find(|line| line.starts_with("c-drive small ")).expect("a command");
    let output = Command::new(env!("CARGO_BIN_EXE_c-drive"))
        .args(line.split_whitespace().skip(1))
        .current_dir(root())
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let told = page
        .split("```text\n")
        .nth(1)
        .and_then(|rest| rest.split("\n```").next())
        .expect("what is printed");
    let mut compared = 0;
    for line in told.lines().filter(|line| *line != "[...]") {
        assert!(
            printed.lines().any(|found| found.trim_end() == line),
            "found no\n{line}\nin\n{printed}"
        );
        compared += 1;
    }
    assert!(compared > 3, "{compared} lines");
}

#[test]
fn the_example_can_be_read_in_one_sitting() {
    let lines = |path: &str| fs::read_to_string(root().join(path)).unwrap().lines().count();
    assert!(lines("examples/c-firmware/ftl/page_map.c") <= 360);
    assert!(lines("examples/c-firmware/include/firmware.h") <= 130);
}

#[test]
fn a_board_that_it_is_not_made_for_is_told_in_a_line() {
    let output = Command::new(env!("CARGO_BIN_EXE_c-drive"))
        .args(["ozone", "examples/tiny-drive/jobs.fio"])
        .current_dir(root())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let line = String::from_utf8(output.stderr).unwrap();
    assert!(line.starts_with("c-drive: board ozone: channel.scheduler: found "), "{line}");
}
