//! The command `sweep`: rows, tables, what goes wrong, and what is left of a sweep that was ended.

use std::fs;
use std::path::PathBuf;

use assert_cmd::Command;
use predicates::str::contains;
use tempfile::TempDir;

use crate::program::{firmament, json, names, stdout};

/// Eight setups with three seeds each.
const SWEEP: &str = r#"
board = "small"
precondition = "none"
seeds = 3
[options]
rw = "randwrite"
bs = "4k"
size = "2m"
number_ios = 100
[set]
"ftl.buffer_kib" = 256
[grid]
"geometry.ways" = [1, 2]
"ftl.cache" = ["write-back", "write-through"]
iodepth = [1, 8]
"#;

/// A folder with a sweep, and where its output goes.
struct Bench {
    directory: TempDir,
}

impl Bench {
    fn new(text: &str) -> Bench {
        let bench = Bench { directory: tempfile::tempdir().unwrap() };
        fs::write(bench.path("s.toml"), text).unwrap();
        bench
    }

    fn path(&self, below: &str) -> PathBuf {
        self.directory.path().join(below)
    }

    fn sweep(&self, arguments: &str) -> Command {
        let mut command = firmament(["sweep", "s.toml"]);
        command.args(arguments.split_whitespace()).current_dir(self.directory.path());
        command
    }

    fn read(&self, below: &str) -> String {
        fs::read_to_string(self.path(below)).unwrap()
    }

    /// The cells of a table, heading included.
    fn table(&self, below: &str) -> Vec<Vec<String>> {
        let text = self.read(below);
        text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
    }
}

/// Place of a column.
fn column(table: &[Vec<String>], name: &str) -> usize {
    table[0].iter().position(|own| own == name).unwrap_or_else(|| panic!("no column {name}"))
}

#[test]
fn a_row_is_what_a_run_of_the_same_gives() {
    let bench = Bench::new(SWEEP);
    let told = stdout(&mut bench.sweep("--jobs 2"));
    assert!(told.starts_with("s: 24 points in "), "{told}");
    let files = ["results.csv", "results.parquet", "rows.jsonl", "summary.csv"];
    assert_eq!(names(&bench.path("out/sweeps/s")), files);
    let table = bench.table("out/sweeps/s/results.csv");
    assert_eq!(table.len(), 25);
    assert_eq!(table[0][..5], ["point", "seed", "ftl.cache", "geometry.ways", "iodepth"]);
    // The last key varies fastest, but for seeds.
    assert_eq!(table[17][..5], ["16", "2", "write-through", "1", "8"]);
    let report =
        json(firmament(["run", "small", "--output-format=json", "--precondition=none"]).args([
            "--seed=2",
            "--set",
            "ftl.buffer_kib=256",
            "--set",
            "ftl.cache=write-through",
            "--set",
            "geometry.ways=1",
            "--rw=randwrite",
            "--bs=4k",
            "--size=2m",
            "--number_ios=100",
            "--iodepth=8",
        ]));
    let found = |name: &str| table[17][column(&table, name)].parse::<f64>().unwrap();
    let write = &report["jobs"][0]["write"];
    for (name, value) in [
        ("write_mean_us", write["clat_ns"]["mean"].as_f64().unwrap() / 1e3),
        ("write_iops", write["iops"].as_f64().unwrap()),
        ("write_p99_us", write["clat_ns"]["percentile"]["99.000000"].as_f64().unwrap() / 1e3),
    ] {
        assert!((found(name) / value - 1.0).abs() < 1e-6, "{name}: {} and {value}", found(name));
    }
    assert_eq!(table[17][column(&table, "read_iops")], "", "nothing was read");
    // Its summary has the mean of three rows.
    let summary = bench.table("out/sweeps/s/summary.csv");
    assert_eq!((summary.len(), &*summary[6][1]), (9, "3"));
    let mean = (16..19).map(|row| table[row][column(&table, "write_iops")].parse::<f64>().unwrap());
    let mean = mean.sum::<f64>() / 3.0;
    let stated: f64 = summary[6][column(&summary, "write_iops")].parse().unwrap();
    assert!((stated / mean - 1.0).abs() < 1e-9, "{stated} and {mean}");
}

/// Threads, a kill in the middle of a line and a second start change no byte of the tables.
#[test]
fn a_sweep_that_was_killed_goes_on_where_it_was() {
    let bench = Bench::new(SWEEP);
    bench.sweep("--out whole --jobs 1").assert().success();
    let journal = bench.read("whole/rows.jsonl");
    let lines: Vec<&str> = journal.lines().collect();
    let half = format!("{}\n{}", lines[..10].join("\n"), &lines[10][..lines[10].len() / 2]);
    for (left, done) in [(half.as_str(), 9), (lines[0], 0), ("", 0), (&journal, 24)] {
        fs::create_dir_all(bench.path("part")).unwrap();
        fs::write(bench.path("part/rows.jsonl"), left).unwrap();
        let told = stdout(&mut bench.sweep("--out part --jobs 2"));
        assert!(told.starts_with(&format!("s: {} points in ", 24 - done)), "{told}");
        for file in ["results.csv", "summary.csv"] {
            assert_eq!(bench.read(&format!("part/{file}")), bench.read(&format!("whole/{file}")));
        }
        let bytes =
            |folder: &str| fs::read(bench.path(&format!("{folder}/results.parquet"))).unwrap();
        assert_eq!(bytes("part"), bytes("whole"));
    }
}

#[test]
fn a_point_that_fails_is_a_row_with_its_error() {
    let bench = Bench::new(&SWEEP.replace("[1, 2]", "[1, 65]").replace("seeds = 3", "seeds = [7]"));
    let line = "firmament: 4 points have failed (column error): point 2: geometry.ways: found 65, expected";
    bench.sweep("").assert().code(1).stderr(contains(line));
    let table = bench.table("out/sweeps/s/results.csv");
    let error = column(&table, "error");
    for row in &table[1..] {
        let failed = row[3] == "65";
        assert_eq!(row[error].starts_with("\"geometry.ways: found 65"), failed, "{row:?}");
        assert_eq!(row[column(&table, "write_iops")].is_empty(), failed, "{row:?}");
    }
    assert!(!bench.path("out/sweeps/s/summary.csv").exists(), "there is one seed");
}

#[test]
fn shards_together_are_the_sweep() {
    let bench = Bench::new(SWEEP);
    bench.sweep("--out whole").assert().success();
    for nth in 1..4 {
        let told = stdout(&mut bench.sweep(&format!("--shard {nth}/3 --out part{nth} --jobs 1")));
        assert!(told.starts_with("s: 8 points in "), "{told}");
    }
    // What a shard has is not done again by the same shard.
    assert!(stdout(&mut bench.sweep("--shard 2/3 --out part2")).contains("8 were done before"));
    let told = stdout(&mut bench.sweep("--merge part1 part3 --out some"));
    assert!(told.starts_with("s: 8 points in ") && told.contains("16 were done before"), "{told}");
    let told = stdout(&mut bench.sweep("--merge part1 part2 part3 --out all"));
    assert!(told.starts_with("s: 0 points in "), "{told}");
    for file in ["results.csv", "summary.csv"] {
        let whole = bench.read(&format!("whole/{file}"));
        assert_eq!(bench.read(&format!("all/{file}")), whole, "{file}");
        assert_eq!(bench.read(&format!("some/{file}")), whole, "{file}");
    }
    bench
        .sweep("--merge none --out all")
        .assert()
        .code(2)
        .stderr(contains("none/rows.jsonl: found No such file"));
    bench.sweep("--shard 4/3").assert().code(2).stderr(contains("--shard"));
    fs::write(bench.path("other.toml"), SWEEP.replace("seeds = 3", "seeds = 2")).unwrap();
    let mut other = firmament(["sweep", "other.toml", "--merge", "part1", "--out", "o"]);
    let line =
        contains("part1/rows.jsonl: origin: found another sweep, expected the rows of this sweep");
    other.current_dir(&bench.directory).assert().code(2).stderr(line);
}

/// The page is made of the rows: a sweep that is done writes it again, and parts that are merged write the same one.
#[test]
fn the_page_of_a_sweep_is_the_same_bytes_whenever_it_is_written() {
    let bench = Bench::new(SWEEP);
    bench.sweep("--out whole --html whole.html").assert().success();
    let page = bench.read("whole.html");
    for part in ["Sweep: s", "8 setups", "3 seeds", "geometry.ways", "Aims beside each other", "★"]
    {
        assert!(page.contains(part), "{part}");
    }
    assert_eq!(page.matches("<tr>").count(), 1 + 8);
    for outside in ["http://", "https://", "src="] {
        assert!(!page.contains(outside), "{outside}");
    }
    bench.sweep("--out whole --html again.html").assert().success();
    assert!(bench.read("again.html") == page);
    for nth in 1..3 {
        bench
            .sweep(&format!("--shard {nth}/2 --out part{nth} --html part.html"))
            .assert()
            .success();
    }
    assert!(bench.read("part.html") != page);
    bench.sweep("--merge part1 part2 --out all --html merged.html").assert().success();
    assert!(bench.read("merged.html") == page);
    let aims = "--out whole --html aims.html --aims write_p50_us,erases";
    bench.sweep(aims).assert().success();
    assert!(bench.read("aims.html").contains("beats in all of: low write_p50_us, low erases"));
    for (wrong, line) in [
        (
            "--html a --aims write_p50_us,speed",
            "--aims: found \"write_p50_us,speed\", expected some of read_iops",
        ),
        ("--aims erases", "expected --html <FILE>"),
        ("--html none/a.html", "none/a.html: found"),
    ] {
        bench.sweep(wrong).assert().code(2).stderr(contains(line));
    }
}

#[test]
fn a_journal_of_another_sweep_is_left_as_it_is() {
    let bench = Bench::new(SWEEP);
    bench.sweep("").assert().success();
    let before = bench.read("out/sweeps/s/rows.jsonl");
    fs::write(bench.path("s.toml"), SWEEP.replace("randwrite", "write")).unwrap();
    let line =
        "out/sweeps/s/rows.jsonl: origin: found another sweep, expected the rows of this sweep";
    bench.sweep("").assert().code(2).stderr(contains(line));
    assert_eq!(bench.read("out/sweeps/s/rows.jsonl"), before);
}

/// A board that has changed since is another board, wherever it says what changed.
#[test]
fn a_journal_of_other_boards_is_left_as_it_is() {
    let bench = Bench::new(&SWEEP.replace("board = \"small\"", "board = \"mine.toml\""));
    let base = |value: u32| {
        let text = "inherits = \"small\"\ndescription = \"a base\"\n[host]\n";
        let key =
            "submit_latency_us = { value = VALUE, source = \"a test\", role = \"assumed\" }\n";
        let text = format!("{text}{}", key.replace("VALUE", &value.to_string()));
        fs::write(bench.path("base.toml"), text).unwrap();
    };
    base(1);
    let own = "inherits = \"base.toml\"\ndescription = \"of that base\"\n";
    fs::write(bench.path("mine.toml"), own).unwrap();
    bench.sweep("").assert().success();
    let before = bench.read("out/sweeps/s/rows.jsonl");
    bench.sweep("").assert().success();
    base(2);
    bench.sweep("").assert().code(2).stderr(contains("origin: found another sweep"));
    assert_eq!(bench.read("out/sweeps/s/rows.jsonl"), before);
}

/// Rates of jobs that run one behind the other are over the time that all of them took.
#[test]
fn jobs_one_behind_the_other_take_the_time_of_both() {
    let text = "board = \"small\"\njob = \"j.fio\"\nseeds = [3]\n";
    let bench = Bench::new(text);
    let job = |second: &str| {
        let section = "rw=randread\nbs=4k\nsize=1m\nnumber_ios=200\n";
        fs::write(bench.path("j.fio"), format!("[a]\n{section}{second}")).unwrap();
    };
    let rate = |name: &str| -> f64 {
        bench.sweep(&format!("--out={name}")).assert().success();
        let table = bench.table(&format!("{name}/results.csv"));
        table[1][column(&table, "read_iops")].parse().unwrap()
    };
    job("");
    let one = rate("one");
    job("[b]\nstonewall\nrw=randread\nbs=4k\noffset=16m\nsize=1m\nnumber_ios=200\n");
    let both = rate("both");
    assert!((both / one - 1.0).abs() < 0.1, "{one} a second, then {both}");
}

#[test]
fn names_in_a_job_file_take_the_values_of_a_point() {
    let text = r#"
board = "small"
job = "j.fio"
[[points]]
depth = 4
[[points]]
depth = 1
precondition = "random"
board = "cosmos-plus"
"#;
    let bench = Bench::new(text);
    let job = "[j]\nrw=randread\nbs=4k\nsize=1m\nnumber_ios=50\niodepth=${depth}\n";
    fs::write(bench.path("j.fio"), job).unwrap();
    bench.sweep("").assert().success();
    let table = bench.table("out/sweeps/s/results.csv");
    assert_eq!(table[0][..5], ["point", "seed", "depth", "board", "precondition"]);
    assert_eq!(table[1][..5], ["0", "1", "4", "", ""]);
    assert_eq!(table[2][..5], ["1", "1", "1", "cosmos-plus", "random"]);
    let sha256 = column(&table, "board_sha256");
    assert_ne!(table[1][sha256], table[2][sha256]);
}

#[test]
fn what_is_wrong_with_a_sweep_is_told_before_anything_runs() {
    let cases = [
        ("seeds = 3", "seeds = 0", "s.toml: seeds: found 0, expected a number of seeds from 1"),
        ("seeds = 3", "seeds = [1, 1]", "s.toml: seeds: found [1, 1], expected"),
        (
            "[1, 2]",
            "[2, 1, 2]",
            "s.toml: grid.\"geometry.ways\": found 2 twice, expected different values",
        ),
        ("[1, 2]", "[]", "s.toml: grid.\"geometry.ways\": found an empty list, expected a list"),
        ("[1, 2]", "2", "s.toml: grid.\"geometry.ways\": found 2, expected a list of values"),
        (
            "[1, 2]",
            "[[1], 2]",
            "s.toml: grid.\"geometry.ways\": found [1], expected a number or a text",
        ),
        (
            "\"none\"",
            "\"old\"",
            "s.toml: precondition: found \"old\", expected one of none, sequential",
        ),
        ("[options]", "job = \"j.fio\"\n[options]", "s.toml: job: found a job file beside options"),
        (
            "[set]\n\"ftl.",
            "[set]\n\"ftl_",
            "s.toml: set.\"ftl_buffer_kib\": found ftl_buffer_kib, expected a board",
        ),
        ("seeds = 3", "seed = 3", "s.toml: line 4: found unknown field `seed`"),
        (
            "\"geometry.ways\" =",
            "\"geometry.way\" =",
            "s.toml: geometry.way: found an unknown key, expected one such as geometry.ways",
        ),
        (
            "[set]",
            "[[points]]\n\"ftl.victm\" = \"greedy\"\n[set]",
            "s.toml: ftl.victm: found an unknown key, expected one such as ftl.victim",
        ),
        (
            "[options]",
            "[options]\niodeph = 3",
            "iodeph: found an option that fio does not know, expected iodepth",
        ),
    ];
    for (from, to, line) in cases {
        assert!(SWEEP.contains(from), "{from}");
        let bench = Bench::new(&SWEEP.replacen(from, to, 1));
        let told = bench.sweep("").assert().code(2);
        let stderr = String::from_utf8_lossy(&told.get_output().stderr).into_owned();
        assert!(stderr.contains(line) && stderr.lines().count() == 1, "{stderr} for {line}");
        assert!(!bench.path("out").exists(), "{line}");
    }
    let bench = Bench::new("job = \"none.fio\"");
    bench.sweep("").assert().code(2).stderr(contains("none.fio: found No such file"));
}
