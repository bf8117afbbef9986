//! Prints what the tests of the hardware reached, and fails if it is too little.
//!
//! `rtl-coverage <directory>`, the directory that `RTL_COVERAGE` named when the tests ran.

use rtl_sim::coverage::{Coverage, Shares};
use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

/// The folders of `rtl/`, and the share of lines that tests have to reach there, in percent.
const ROOMS: [(&str, f64); 4] =
    [("ecc/", 95.0), ("flash/", 95.0), ("host/", 95.0), ("prim/", 95.0)];

fn main() -> ExitCode {
    let Some(directory) = env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("rtl-coverage: found no argument, expected the directory of the counters");
        return ExitCode::from(2);
    };
    let coverage = match Coverage::read(&directory) {
        Ok(coverage) => coverage,
        Err(error) => {
            let directory = directory.display();
            eprintln!("rtl-coverage: {directory}: found {error}, expected counters of models");
            return ExitCode::from(2);
        }
    };
    let mut enough = true;
    for (room, least) in ROOMS {
        enough &= print_room(&coverage, room, least);
    }
    if enough {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Prints the table of a room; false if too few of its lines were reached.
fn print_room(coverage: &Coverage, room: &str, least: f64) -> bool {
    let mut sum = Shares::default();
    for (file, shares) in coverage.files(room) {
        print_row(file, shares);
        let missed = coverage.missed_lines(file);
        if !missed.is_empty() {
            println!("{:30} no test reaches line {missed:?}", "");
        }
        sum += shares;
    }
    print_row(room, sum);
    let enough = sum.lines.all > 0 && sum.lines.percent() >= least;
    if !enough {
        let found = sum.lines;
        eprintln!("rtl-coverage: {room}: found {found} lines, expected at least {least} %");
    }
    enough
}

fn print_row(name: &str, shares: Shares) {
    let Shares { lines, branches, toggles } = shares;
    println!("{name:30} lines {lines}   branches {branches}   toggles {toggles}");
}
