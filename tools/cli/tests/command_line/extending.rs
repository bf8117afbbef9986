//! docs/extending.md: its code is that of the files that it names, and its commands do what it says.

use std::fs;

use predicates::str::contains;

use crate::new_policy::clone;
use crate::page::{blocks, repository, Block};
use crate::program::firmament;

/// From the root of the repository.
const PAGE: &str = "docs/extending.md";

#[test]
fn its_code_is_that_of_the_files() {
    let mut checked = Vec::new();
    for Block { file, kind, text } in blocks(PAGE) {
        if kind == "sh" {
            continue;
        }
        let file = file.unwrap_or_else(|| panic!("a block of {kind} without a file:\n{text}"));
        let source = fs::read_to_string(repository().join(&file)).unwrap();
        assert!(source.contains(&text), "{file} does not hold\n{text}");
        checked.push(file);
    }
    for part in [
        "victim/mod.rs",
        "cost_benefit.rs",
        "d_choices.rs",
        "contract/src/policies.rs",
        "study.toml",
    ] {
        assert!(checked.iter().any(|file| file.ends_with(part)), "{part} is not shown");
    }
}

#[test]
fn its_commands_do_what_it_says() {
    // What a new policy needs of a clone.
    let place = clone();
    let studies = repository().join("docs/examples");
    let commands: Vec<String> = blocks(PAGE)
        .into_iter()
        .filter(|block| block.kind == "sh")
        .flat_map(|block| block.text.lines().map(str::to_owned).collect::<Vec<_>>())
        // What is tested was built already.
        .filter(|command| command != "make quick")
        .collect();
    assert_eq!(commands.len(), 4, "{commands:?}");
    for command in commands {
        let mut words = command.split_whitespace();
        assert_eq!(words.next(), Some("firmament"));
        let there = studies.to_str().unwrap();
        let words = words.map(|word| if word == "docs/examples" { there } else { word });
        let mut run = firmament(words);
        let expected = match command.split_whitespace().nth(1) {
            Some("new") => "made     ./firmware/src/ftl/victim/my_own.rs",
            Some("run") => "Erases of a block",
            _ if command.contains(" policies ") => "apart_writes_less",
            _ => "greedy_first",
        };
        run.current_dir(place.path()).assert().success().stdout(contains(expected));
    }
    let figure = fs::read_to_string(place.path().join("out/studies/collection/victims.svg"));
    let figure = figure.unwrap();
    for policy in ["greedy", "cost-benefit", "d-choices", "random"] {
        assert!(figure.contains(policy), "{policy} is not in the figure");
    }
}
