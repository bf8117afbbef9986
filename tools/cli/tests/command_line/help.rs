//! Help and version.

use predicates::prelude::*;
use predicates::str::{contains, is_match as matches};

use crate::program::firmament;

#[test]
fn help_names_every_command_and_the_exit_codes() {
    let told = contains("run").and(contains("boards")).and(contains("board "));
    let told = told.and(contains("Examples:")).and(contains("Exit codes:"));
    firmament(["--help"]).assert().success().stdout(told).stderr("");
}

#[test]
fn help_of_run_names_every_option() {
    // Wide enough that no list is broken.
    let mut assert = firmament(["run", "-h"]).env("COLUMNS", "400").assert().success().stderr("");
    for option in [
        "[BOARD] [JOB.fio | --FIO-OPTION=VALUE...]",
        "--set <KEY=VALUE>",
        "--seed",
        "[possible values: stamp, full]",
        "[possible values: none, sequential, random, steady, steady-run]",
        "[possible values: skip, exact]",
        "[possible values: normal, json, json+, terse]",
        "--minimal",
        "--terse-version <N>",
        "--status-interval <TIME>",
        "[possible values: auto, always, never]",
        "--eta-newline <TIME>",
        "--eta-interval <TIME>",
        "--output <FILE>",
        "--json <FILE>",
        "--html <FILE>",
        "--monitor <FILE>",
        "--monitor-interval <TIME>",
        "--rw=randread",
        "--section <NAME>",
        "--readonly",
        "--parse-only",
        "--cmdhelp",
    ] {
        assert = assert.stdout(contains(option));
    }
}

#[test]
fn version_names_package_commit_and_target() {
    // What the commit is, `commit.rs` tests; reports name the same.
    let version = matches(concat!(
        "^firmament ",
        env!("CARGO_PKG_VERSION"),
        r" \(commit ([0-9a-f]{40}(-dirty)?|unknown), [a-z0-9_]+-[a-z0-9_-]+\)\n$"
    ));
    let version = version.expect("a pattern");
    for arguments in [&["--version"][..], &["-V"], &["run", "--version"], &["boards", "--version"]]
    {
        firmament(arguments).assert().success().stdout(version.clone()).stderr("");
    }
}
