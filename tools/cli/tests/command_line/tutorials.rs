//! Pages for people who are new: each of their commands runs, prints what the page says, and uses files as they are.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use assert_cmd::cargo::cargo_bin;

use crate::page::{blocks, repository};

/// Stands in a block of output for what is left out.
const LEFT_OUT: &str = "[...]";

/// The kind of blocks that hold what another program printed, or what a certain machine took: nothing here prints it.
const ELSEWHERE: &str = "console";

/// Where make linux-vt builds Linux.
const LINUX: &str = "target/linux-vt";

/// How lines of a page begin that build the program, or what is made of it. It is there when the test runs.
const BUILDING: [&str; 3] = ["make build", "export PATH=\"$PWD/target/release:$PATH\"", "docker "];

/// Runs the blocks of `sh` of a page, one after the other in one fresh directory that has what the repository has, and
/// holds the blocks of `text` to what the last of them printed, and the others to the files that they are said to be of.
fn follow(page: &str) {
    let place = tempfile::tempdir().unwrap();
    for there in ["docs", "jobs", "traces"] {
        symlink(repository().join(there), place.path().join(there)).unwrap();
    }
    fs::create_dir(place.path().join("target")).unwrap();
    symlink(repository().join(LINUX), place.path().join(LINUX)).unwrap();
    let mut printed = None;
    let mut ran = 0;
    for block in blocks(page) {
        match block.kind.as_str() {
            "sh" => {
                printed = Some(run(page, &block.text, place.path()));
                ran += 1;
            }
            "text" => {
                let printed = printed.as_ref().expect("a command before its output");
                let missing = missing(&block.text, printed);
                assert!(missing.is_none(), "{page}: found no\n{}\nin\n{printed}", missing.unwrap());
            }
            ELSEWHERE => {}
            _ => {
                let file = block
                    .file
                    .unwrap_or_else(|| panic!("{page}: a block without a file:\n{}", block.text));
                let source = fs::read_to_string(repository().join(&file)).unwrap();
                assert!(
                    source.contains(&block.text),
                    "{page}: {file} does not hold\n{}",
                    block.text
                );
            }
        }
    }
    assert!(ran > 0, "{page}: no command was run");
}

/// What the commands print, which have to succeed.
fn run(page: &str, commands: &str, place: &Path) -> String {
    let commands: Vec<&str> = commands
        .lines()
        .filter(|line| !BUILDING.iter().any(|start| line.starts_with(start)))
        .collect();
    let program = cargo_bin("firmament");
    let path =
        format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let output = Command::new("bash")
        .args(["-e", "-o", "pipefail", "-c", &commands.join("\n")])
        .env("PATH", path)
        .current_dir(place)
        .output()
        .expect("bash is there");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{page}: {commands:?}: {complaint}");
    String::from_utf8(output.stdout).expect("the program prints UTF-8")
}

/// The first line of a block that does not stand in what was printed behind the line before it. Around what is left
/// out, a part of a line is enough. Pages have no spaces at the ends of lines.
fn missing(block: &str, printed: &str) -> Option<String> {
    let mut rest = printed.lines();
    let mut left_out = true;
    for line in block.lines() {
        if line == LEFT_OUT {
            left_out = true;
            continue;
        }
        let is_it = |printed: &str| match line.strip_suffix(LEFT_OUT) {
            Some(start) => printed.starts_with(start),
            None => printed.trim_end() == line,
        };
        let found = if left_out { rest.any(is_it) } else { rest.next().is_some_and(is_it) };
        if !found {
            return Some(line.to_owned());
        }
        left_out = false;
    }
    None
}

#[test]
fn getting_started() {
    follow("docs/getting-started.md");
}

#[test]
fn installing() {
    follow("docs/install.md");
}

#[test]
fn first_run() {
    follow("docs/tutorials/first-run.md");
}

#[test]
fn find_a_tail() {
    follow("docs/tutorials/tail.md");
}

/// Only where Linux is built, which takes minutes and packages.
#[test]
fn find_the_tail_of_an_application() {
    if !repository().join(LINUX).join("root.cpio").is_file() {
        println!("not followed: Linux is not built; make linux-vt builds it");
        return;
    }
    follow("docs/tutorials/an-applications-tail.md");
}

#[test]
fn write_a_study() {
    follow("docs/tutorials/study.md");
}

#[test]
fn gallery() {
    follow("docs/gallery.md");
}

#[test]
fn how_tos() {
    for page in [
        "compare",
        "fit-a-board",
        "namespaces",
        "placement",
        "power-loss",
        "precondition",
        "replay",
        "sweep",
        "zones",
    ] {
        follow(&format!("docs/how-to/{page}.md"));
    }
}

#[test]
fn traces_and_convergence() {
    for page in ["traces", "convergence"] {
        follow(&format!("docs/{page}.md"));
    }
}

#[test]
fn no_page_is_left_out() {
    // Pages are followed by this file, or beside the program that they are about.
    let source = [
        include_str!("tutorials.rs"),
        include_str!("../../../../examples/tiny-drive/tests/tutorial.rs"),
        include_str!("../../../../examples/c-firmware/tests/page.rs"),
    ]
    .concat();
    for folder in ["tutorials", "how-to"] {
        for entry in repository().join("docs").join(folder).read_dir().unwrap() {
            let name = entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned();
            let named = [format!("{folder}/{name}.md"), format!("\"{name}\"")];
            assert!(
                named.iter().any(|name| source.contains(name)),
                "{folder}/{name}.md is not followed"
            );
        }
    }
}

#[test]
fn output_that_is_not_as_the_page_says_is_noticed() {
    let printed = "one\ntwo\nthree\nfour\n";
    for (block, first_missing) in [
        ("two\nthree\n", None),
        ("one\n[...]\nfour\n", None),
        ("thr[...]\n", None),
        ("one\nthree\n", Some("three")),
        ("four\n[...]\none\n", Some("one")),
        ("hree\n", Some("hree")),
    ] {
        assert_eq!(missing(block, printed).as_deref(), first_missing, "{block}");
    }
}
