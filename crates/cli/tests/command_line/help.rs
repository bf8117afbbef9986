//! Help and version.

use predicates::prelude::*;
use predicates::str::contains;

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
    ] {
        assert = assert.stdout(contains(option));
    }
}

#[test]
fn version_is_that_of_the_package() {
    let version = concat!("firmament ", env!("CARGO_PKG_VERSION"), "\n");
    for arguments in [&["--version"][..], &["-V"], &["run", "--version"], &["boards", "--version"]]
    {
        firmament(arguments).assert().success().stdout(version).stderr("");
    }
}
