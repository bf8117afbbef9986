//! Input that cannot be used: one line that says why, exit code 2, and nothing else.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::program::{firmament, names};

/// Arguments, divided by blanks, and what the line must hold.
type Case = (&'static str, &'static [&'static str]);

const COMMANDS: &[Case] = &[
    ("", &["command line: found no command, expected run, serve, linux, rerun, compare, report, boards, board, timeline, monitor, image, study, sweep, torture, replay, trace, new, completions or man"]),
    ("torture --faults=fire", &["--faults: found \"fire\", expected all, none, or some of power"]),
    ("torture --seed x", &["--seed: found \"x\", expected a whole number from 0 to 18446744073709551615"]),
    ("torture --cut-every=0", &["--cut-every: found \"0\", expected a whole number from 1 to 4294967295"]),
    ("replay t.csv --depth=0", &["--depth: found \"0\", expected a whole number from 1 to 65535"]),
    ("rnu", &["rnu: found an unknown command, expected run"]),
    ("boards small", &["small: found an unknown argument"]),
    ("monitor", &["found too few arguments, expected <FILE>"]),
    ("monitor none.jsonl", &["none.jsonl: found No such file", "expected a file of run --monitor"]),
    ("monitor good.fio", &["good.fio: line 1: found no JSON, expected a line of run --monitor"]),
    ("monitor nothing.jsonl", &["nothing.jsonl: found no whole interval"]),
    ("monitor directory.fio", &["directory.fio: found Is a directory"]),
    ("board", &["found too few arguments, expected <NAME>"]),
    ("board fit", &["found too few arguments, expected <FILE.json>"]),
    ("board fit none.json", &["none.json: found No such file", "expected a report of fio --output-format=json"]),
    ("board fit good.fio", &["good.fio: found no JSON, expected a report of fio"]),
    ("board fit measured.json --base smal", &["smal: found no board of this name, expected one such as small"]),
    ("board fit measured.json --base small --fit flash.t_raed_us", &["--fit: flash.t_raed_us: found an unknown key, expected one such as flash.t_erase_us"]),
    ("board fit measured.json --fit a=1", &["--fit: found \"a=1\", expected KEY, KEY=LOW..HIGH"]),
    ("board fit measured.json --base small --runs 9", &["--runs: found 9, expected at least"]),
    ("board fit measured.json --error 0", &["--error: found \"0\", expected a percentage from 0.01% to 50%"]),
    ("board fit measured.json --output board.txt", &["--output: found \"board.txt\", expected a file that ends in .toml"]),
    ("board fit measured.json --output none/b.toml", &["none/b.toml: found No such file"]),
    ("board fit measured.json --output b.toml --json ./b.toml", &["b.toml: found it for two reports, expected a file for each report"]),
    ("board --set a.b=1 fit measured.json", &["command line: found arguments before a command, expected them behind it"]),
    ("board cosmos", &["cosmos: found no board of this name, expected one such as cosmos-plus"]),
    ("board none.toml", &["none.toml: found No such file", "expected a board file"]),
    ("board syntax.toml", &["syntax.toml: line 2: found"]),
    ("board typo.toml", &["typo.toml: geometry.chanels", "geometry.channels"]),
    (
        "board small --set geometry.channels",
        &["--set: found \"geometry.channels\", expected a key"],
    ),
    ("board small --set geometry.chanels=2", &["--set: geometry.chanels", "geometry.channels"]),
    ("board small --set geometry.channels=0", &["--set: geometry.channels: found 0, expected"]),
    ("board small --set geometry.channels=many", &["--set: geometry.channels: found", "many"]),
];

const OPTIONS: &[Case] = &[
    ("run small --rw=read --payload=half", &["--payload: found \"half\", expected stamp or full"]),
    ("run small --rw=read --payload", &["--payload: found nothing, expected stamp or full"]),
    (
        "run small --rw=read --precondition=old",
        &["--precondition: found \"old\", expected none, sequential, random, steady or steady-run"],
    ),
    (
        "run cosmos-plus-ocssd --rw=read --precondition=sequential",
        &["board cosmos-plus-ocssd: nvme.command_set: found open-channel, expected block for a state at start: the host of this drive places its data itself"],
    ),
    (
        "run cosmos-plus-ocssd --rw=read --image=x.img",
        &["board cosmos-plus-ocssd: --payload: found stamp, expected full for a drive that is kept"],
    ),
    (
        "run cosmos-plus-ocssd --rw=read --save=x.snap",
        &["board cosmos-plus-ocssd: --payload: found stamp, expected full for a drive that is kept"],
    ),
    (
        "serve cosmos-plus-ocssd --precondition=sequential --vfio-user=s.sock",
        &["board cosmos-plus-ocssd: nvme.command_set: found open-channel, expected block for a state at start"],
    ),
    (
        "run cosmos-plus-zns --rw=write",
        &["zonemode: found \"none\", expected zbd, as the drive has zones"],
    ),
    (
        "run cosmos-plus-zns --rw=read --zonemode=zbd --precondition=sequential",
        &["board cosmos-plus-zns: nvme.command_set: found zoned, expected block for a state at start: zones are written in order"],
    ),
    (
        "run small --set nvme.command_set=zoned --rw=read",
        &["--set: nvme.command_set: found \"zoned\", expected block, as there is no section [zones]"],
    ),
    (
        "run small --set nvme.command_set=open-channel --rw=read",
        &["flash.metadata_bytes: found 24, expected at least 36, for the 4 blocks of a page"],
    ),
    (
        "run small --set nvme.command_set=open-channel --set recovery.log_entries=8 --rw=read",
        &["--set: nvme.command_set: found \"open-channel\", expected block, as recovery.log_entries is above 0"],
    ),
    ("run small --rw=read --body=gas", &["--body: found \"gas\", expected sim or rtl"]),
    (
        "run small --rw=read --body=rtl --precondition=steady",
        &["--precondition: found a state that is put there at once, expected none"],
    ),
    ("run small --rw=read --body=rtl --payload=stamp", &["--payload: found stamp, expected full"]),
    ("run small --rw=read --body=rtl --image=x.img", &["--image: found x.img, expected none"]),
    ("run small --rw=read --processor=ibex", &["--processor: found ibex, expected board"]),
    (
        "run small --rw=read --body=rtl --processor=ibex --timeline=t.json",
        &["--timeline: found t.json"],
    ),
    ("run small --rw=read --until=settled", &["--until: found \"settled\", expected converged"]),
    (
        "run small --rw=read --until=converged:error=0",
        &["--until: found \"converged:error=0\", expected error=0.01% to 50%"],
    ),
    ("run small --rw=read --seeds=0", &["--seeds: found \"0\", expected a whole number from 1"]),
    ("run small --rw=read --seeds=2 --image=x.img", &["--seeds: found 2, expected 1, as an image"]),
    ("run small --rw=read --polling=no", &["--polling: found \"no\", expected skip or exact"]),
    (
        "run small --rw=read --output-format=json,xml",
        &["--output-format: found \"xml\", expected normal, json, json+ or terse"],
    ),
    (
        "run small --rw=read --terse-version=6",
        &["--terse-version: found \"6\", expected 2, 3, 4 or 5"],
    ),
    (
        "run small --rw=read --status-interval=0",
        &["--status-interval: found \"0\", expected a time above 0"],
    ),
    (
        "run small --rw=read --eta=sometimes",
        &["--eta: found \"sometimes\", expected auto, always or never"],
    ),
    (
        "run small --rw=read --eta-interval=100ms",
        &["--eta-interval: found \"100ms\", expected a time from 250ms"],
    ),
    (
        "run small --rw=read --monitor-interval=0ms",
        &["--monitor-interval: found \"0ms\", expected a time from 1us to 1000s"],
    ),
    (
        "run small --rw=read --monitor=a --monitor-interval=1001s",
        &["--monitor-interval: found \"1001s\", expected a time from 1us to 1000s"],
    ),
    (
        "run small --rw=read --monitor-interval=1ms",
        &["found too few arguments, expected --monitor <FILE>"],
    ),
    ("run small --rw=read --monitor -", &["--monitor: found \"-\", expected a file"]),
    ("run small --rw=read --monitro=a", &["--monitro: found", "expected --monitor"]),
    ("run small --rw=read --seed=-1", &["--seed: found \"-1\", expected a whole number"]),
    ("run small --rw=read --seed 1 --seed 2", &["--seed: found it twice, expected it once"]),
    ("compare a.json b.json --fail-if p99", &["--fail-if: found \"p99\", expected words of a figure"]),
    ("sweep s.toml --shard x", &["--shard: found \"x\", expected a part and how many there are"]),
    ("run small --rw=read --payloda=full", &["--payloda: found", "expected --payload"]),
    (
        "run small --rw=read --timeline=a --timeline-window=2ms..1ms",
        &["--timeline-window: found \"2ms..1ms\", expected two times, the earlier first"],
    ),
    (
        "run small --rw=read --timeline-window=0..1ms",
        &["found too few arguments, expected --timeline <FILE>"],
    ),
    (
        "run small --rw=read --timeline=a --timeline-around=fastest",
        &["--timeline-around: found \"fastest\", expected slowest, a percentile such as p99.9, collection"],
    ),
    (
        "run small --rw=read --timeline-around=slowest",
        &["found too few arguments, expected --timeline <FILE>"],
    ),
    (
        "run small --rw=read --timeline=a --timeline-around=slowest --timeline-window=0..1ms",
        &["--timeline-around", ": found it beside --timeline-", ", expected one of the two"],
    ),
    (
        "run small --rw=read --timeline=a --timeline-around=slowest --image=i",
        &["--timeline-around"],
    ),
    ("timeline a.json", &["found too few arguments, expected --svg <FILE>"]),
    ("timeline a.json --svg b --window 1", &["--window: found \"1\", expected two times"]),
    ("run small --rw=read --sed=1", &["--sed: found an unknown option, expected --seed"]),
    ("run small --rw=read --blocsize=8k", &["--blocsize: found", "expected --blocksize"]),
    ("run small --help-fio", &["--help-fio: found an unknown option, expected --help"]),
    ("run small --rw=read --frobnicate", &["--frobnicate: found an unknown option, expected one"]),
    ("run small --rw=read -x", &["-x: found an unknown argument"]),
    ("run", &["command line: found nothing to run, expected a job file such as"]),
    ("run small", &["command line: found nothing to run, expected a job file such as"]),
    ("run small cosmos-plus good.fio", &["found small and cosmos-plus, expected one board"]),
    ("run good.fio --section=b", &["section: found \"b\", expected a section of the jobs, which are job"]),
    ("run good.fio --bs=4x", &["command line: bs: found \"4x\", expected a size"]),
    ("run good.fio --description=a;b", &["command line: description: found \"a;b\", expected a value of one line"]),
    ("run small --rw=write --readonly", &["command line: rw: found \"write\", expected a job that only reads"]),
    ("run small -rww=read", &["--rww: found an unknown option, expected --rw"]),
    ("run small --client=a --rw=read", &["--client: found an option of fio's program that does nothing here"]),
    ("run small --cmdhelp=rww", &["--cmdhelp: found \"rww\", expected rw"]),
    ("run small --rw=read --name=global", &["command line: found no job, expected at least one"]),
];

const JOBS: &[Case] = &[
    ("run none.fio", &["none.fio: found No such file", "expected a job file"]),
    ("run ./none", &["./none: found No such file", "expected a job file"]),
    ("run good.fio zero.fio", &["zero.fio:2: bs: found \"0\", expected"]),
    ("run endless.fio", &["endless.fio:2: found include endless.fio, expected files that do not"]),
    ("run astray.fio", &["none.txt: found No such file", "expected a file of options to include"]),
    ("run directory.fio", &["directory.fio: found Is a directory", "expected a job file"]),
    ("run binary.fio", &["binary.fio: found", "expected a job file"]),
    ("run empty.fio", &["empty.fio: found no job, expected"]),
    ("run malformed.fio", &["malformed.fio:2: found \"bs 4k\", expected"]),
    ("run zero.fio", &["zero.fio:2: bs: found \"0\", expected"]),
    ("run small large.fio", &["large.fio:2: size: found \"1t\", expected at most"]),
    (
        "run refused.fio",
        &["refused.fio:3: zonemode: found \"zbd\", expected none, as the drive has no zones"],
    ),
    ("run rates.fio", &["rates.fio:4: rate_iops: found \"10\", expected rate or rate_iops"]),
    ("run small --rw=sideways", &["command line: rw: found \"sideways\", expected"]),
    ("run small --rw=read --bs=1k", &["command line: bs: found", "expected a multiple of"]),
    ("run small --rw=read --size=1t", &["command line: size: found \"1t\", expected at most"]),
    (
        "run small --rw=read --rate=1",
        &["command line: rate: found \"1\", expected a job of at most"],
    ),
    (
        "run small --rw=read --ioengine=null",
        &["command line: ioengine: found \"null\", expected an"],
    ),
    ("run small --rw=read --zonemode=zbd", &["command line: zonemode: found \"zbd\""]),
    ("run small --rw=read --set flash.t_erase_us=-1", &["--set: flash.t_erase_us: found"]),
    ("run missing.toml good.fio", &["missing.toml: found No such file"]),
];

const FILES: &[Case] = &[
    ("run small --rw=read --output=none/file", &["none/file: found No such file"]),
    ("run small --rw=read --html=none/file", &["none/file: found No such file"]),
    ("run small --rw=read --json=good.fio/x", &["good.fio/x: found Not a directory"]),
    ("run small --rw=read --output=directory.fio", &["directory.fio: found a directory"]),
    ("run small --rw=read --monitor=none/file", &["none/file: found No such file"]),
    ("run small --rw=read --monitor=a --json=a", &["a: found it for two reports, expected"]),
    ("run small --rw=read --write_bw_log=none/a", &["none/a_bw.1.log: found No such file"]),
    (
        "run small --rw=read --write_bw_log=a --json=a_bw.1.log",
        &["a_bw.1.log: found it for two reports, expected"],
    ),
    ("run small --rw=read --output=/", &["/: found a directory, expected a file"]),
    ("run small --rw=read --output=a --html=a", &["a: found it for two reports, expected"]),
    ("run small --rw=read --timeline=none/file", &["none/file: found No such file"]),
    ("run small --rw=read --timeline=a --json=a", &["a: found it for two reports, expected"]),
    ("timeline none.json --svg a", &["none.json: found No such file", "expected a trace"]),
    ("timeline good.fio --svg a", &["good.fio: line 1, column", "found no JSON, expected a trace"]),
    ("timeline good.fio --svg none/a", &["none/a: found No such file"]),
    ("timeline directory.fio --svg a", &["directory.fio: found", "expected a trace"]),
    ("run small --rw=read --html=./a --json=a", &["a: found it for two reports, expected"]),
];

/// A report of fio.
const MEASURED: &str = r#"{"fio version": "fio-3.36", "jobs": [{"jobname": "a", "job options": {"direct": "1"}, "read": {"total_ios": 9, "iops": 9, "bw_bytes": 9}}]}"#;

/// A directory with the files that the cases name.
fn directory() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let files: [(&str, &[u8]); 14] = [
        ("nothing.jsonl", b""),
        ("measured.json", MEASURED.as_bytes()),
        ("good.fio", b"[job]\nrw=read\n"),
        ("binary.fio", b"[job]\n\xff\xfe\n"),
        ("empty.fio", b"; nothing\n[global]\nbs=4k\n"),
        ("malformed.fio", b"[job]\nbs 4k\n"),
        ("zero.fio", b"[job]\nbs=0\n"),
        ("large.fio", b"[job]\nsize=1t\n"),
        ("refused.fio", b"[job]\nrw=read\nzonemode=zbd\n"),
        ("rates.fio", b"[job]\nrw=read\nrate=1m\nrate_iops=10\n"),
        ("endless.fio", b"[job]\ninclude endless.fio\n"),
        ("astray.fio", b"[job]\ninclude none.txt\n"),
        ("syntax.toml", b"description = \"x\"\n[geometry\n"),
        ("typo.toml", b"inherits = \"small\"\n[geometry]\nchanels = 2\n"),
    ];
    for (name, contents) in files {
        fs::write(directory.path().join(name), contents).unwrap();
    }
    fs::create_dir(directory.path().join("directory.fio")).unwrap();
    directory
}

fn check(directory: &Path, (line, parts): &Case) {
    let arguments = line.split(' ').filter(|argument| !argument.is_empty());
    let before = names(directory);
    let assert = firmament(arguments).current_dir(directory).assert().code(2).stdout("");
    let told = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert_eq!(told.matches('\n').count(), 1, "firmament {line}: {told}");
    assert!(told.starts_with("firmament: ") && told.ends_with('\n'), "firmament {line}: {told}");
    for part in *parts {
        assert!(told.contains(part), "firmament {line}: {told} does not hold {part:?}");
    }
    assert_eq!(names(directory), before, "firmament {line} leaves nothing behind");
}

#[test]
fn a_command_that_cannot_be_used_is_told_in_one_line() {
    let directory = directory();
    COMMANDS.iter().for_each(|case| check(directory.path(), case));
}

#[test]
fn an_option_that_cannot_be_used_is_told_in_one_line() {
    let directory = directory();
    OPTIONS.iter().for_each(|case| check(directory.path(), case));
}

#[test]
fn a_job_that_cannot_be_used_is_told_in_one_line() {
    let directory = directory();
    JOBS.iter().for_each(|case| check(directory.path(), case));
}

#[test]
fn an_output_that_cannot_be_written_is_told_before_the_run() {
    let directory = directory();
    FILES.iter().for_each(|case| check(directory.path(), case));
}

#[cfg(unix)]
#[test]
fn an_argument_that_is_no_text_is_told_in_one_line() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let assert = firmament([OsStr::new("run"), OsStr::from_bytes(b"\xff.fio")]).assert().code(2);
    let told = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert_eq!(told, "firmament: command line: found \"\\xFF.fio\", expected UTF-8 text\n");
}
