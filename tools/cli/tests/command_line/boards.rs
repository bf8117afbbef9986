//! `firmament boards` and `firmament board`.

use std::fs;

use crate::program::{firmament, stdout};

const BOARDS: [&str; 22] = [
    "cosmos-plus",
    "cosmos-plus-log",
    "cosmos-plus-ocssd",
    "cosmos-plus-zns",
    "cosmos-plus-mlc",
    "cosmos-plus-tlc",
    "ozone",
    "ocowfc",
    "openexpress",
    "bluessd",
    "fast-16x4",
    "tlc-2024",
    "samsung-970-evo",
    "samsung-pm9a3",
    "micron-9550-max",
    "solidigm-p5336",
    "small",
    "firmament-rtl",
    "firmament-rtl-tlc",
    "firmament-automated",
    "firmament-soc",
    "firmament-ulx3s",
];

#[test]
fn every_board_is_listed_with_its_description() {
    let list = stdout(&mut firmament(["boards"]));
    let lines: Vec<_> = list.lines().map(|line| line.split_once("  ").unwrap()).collect();
    let names: Vec<_> = lines.iter().map(|(name, _)| name.trim()).collect();
    assert_eq!(names, BOARDS);
    assert!(lines.iter().all(|(_, description)| description.trim().len() > 20), "{list}");
}

#[test]
fn a_printed_board_is_a_board_file_that_resolves_to_itself() {
    let directory = tempfile::tempdir().unwrap();
    for name in BOARDS {
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
    let new = |line: &&str| !line.starts_with('#') && !plain.lines().any(|other| other == *line);
    let changed: Vec<_> = set.lines().filter(new).collect();
    let [line] = changed[..] else { panic!("one line changes, not {changed:?}") };
    assert!(line.starts_with("channels = { value = 4, source = \"command line\""), "{line}");
}

/// The ceilings are those of the README's demo board, worked out by hand in the crate `board`.
#[test]
fn a_board_says_how_large_it_is_and_what_it_cannot_exceed() {
    let printed = stdout(&mut firmament(["board", "cosmos-plus"]));
    for line in [
        "# flash: 1099.5 GB = 8 channels x 8 ways x 8192 blocks x 128 pages x 16384 B",
        "# capacity: 1019.3 GB for the host, 248853052 blocks of 4096 B; over-provisioning 7.9 %, spare blocks included",
        "# ceiling of sequential read: 1452.5 MB/s, by the channel buses",
        "# ceiling of random 4 KiB read: 88652.5 requests/s, by the channel buses",
        "#   channel buses              1452.5  = 8 x 16384 B / 90.24 us",
    ] {
        assert!(printed.lines().any(|printed| printed == line), "{line} is not in\n{printed}");
    }
    let one = stdout(&mut firmament(["board", "cosmos-plus", "--set", "geometry.ways=1"]));
    assert!(one.contains("# ceiling of sequential read: 692.6 MB/s, by the dies"), "{one}");
}

/// The simulator has no use for the clock of the channel controller, and says so.
#[test]
fn a_key_that_changes_nothing_is_named() {
    let run = |clock: &str| {
        let clock = format!("channel.clock_mhz={clock}");
        let options = ["--rw=read", "--bs=16k", "--size=1m", "--output-format=json"];
        let output = firmament(["run", "small", "--set", &clock]).args(options).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (report["jobs"].clone(), String::from_utf8(output.stderr).unwrap())
    };
    let ((usual, silent), (slow, warned)) = (run("100"), run("10"));
    assert_eq!(
        usual, slow,
        "the key is used: its row in the table of keys is not to say otherwise"
    );
    assert!(!silent.contains("channel.clock_mhz"), "{silent}");
    assert!(warned.contains("warning: channel.clock_mhz"), "{warned}");
}
