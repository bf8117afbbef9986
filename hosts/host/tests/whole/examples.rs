//! fio's own example jobs: each runs with the meaning that fio gives it, or is refused in one line.
//!
//! The jobs are those of Debian's package; `make test` fetches them and says in `FIO_EXAMPLES` where they
//! are. What is to become of each stands in `examples.csv`: it runs, as the jobs listed; it runs on the
//! drive, where fio would make a file for each job; or it is refused, with the line that says why.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use host::job::{self, Access, Direction, DriveShape, JobSpec, Mix, ZoneLayout};

/// Name of a file, and what becomes of it.
type Table = BTreeMap<String, String>;

/// A drive of a terabyte, on which sizes in the examples fit.
const DRIVE: DriveShape =
    DriveShape { capacity_bytes: 1 << 40, block_bytes: 4096, placement_handles: 0, zones: None };

/// The same in zones of 256 MiB, as the examples for zoned drives have it.
const ZONED_DRIVE: DriveShape = DriveShape { zones: Some(ZONES), ..DRIVE };
const ZONES: ZoneLayout =
    ZoneLayout { zone_bytes: 256 << 20, capacity_bytes: 256 << 20, zones: 4096, most_open: 32 };

#[test]
fn each_example_of_fio_runs_or_is_refused_as_the_table_says() {
    let Some(folder) = std::env::var_os("FIO_EXAMPLES") else {
        eprintln!(
            "fio's examples: FIO_EXAMPLES is not set, as make test sets it; nothing was tested"
        );
        return;
    };
    let table = table();
    let found = outcomes(Path::new(&folder));
    assert_eq!(found.len(), 86);
    let wrong: Vec<_> = found
        .iter()
        .filter(|(name, outcome)| table.get(*name) != Some(*outcome))
        .map(|(name, outcome)| format!("{name},{outcome}"))
        .collect();
    assert!(wrong.is_empty(), "found, in place of what the table says:\n{}", wrong.join("\n"));
    assert_eq!(found.len(), table.len());
}

/// The lines of the table: a file, a comma, and what becomes of it.
fn table() -> Table {
    let lines = include_str!("examples.csv").lines().skip(1);
    let row = |line: &str| {
        let (name, outcome) = line.split_once(',').expect("a comma in each line");
        (name.to_string(), outcome.to_string())
    };
    lines.map(row).collect()
}

fn outcomes(folder: &Path) -> Table {
    let files = fs::read_dir(folder).expect("the folder of the examples");
    let paths = files.map(|file| file.unwrap().path());
    let jobs = paths.filter(|path| path.extension().is_some_and(|extension| extension == "fio"));
    let outcome = |path: std::path::PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let outcome = outcome(&name, &fs::read_to_string(&path).unwrap());
        assert_eq!(outcome.lines().count(), 1, "{name}: {outcome}");
        (name, outcome)
    };
    jobs.map(outcome).collect()
}

/// How the file runs, with the jobs as they were understood, or the line that refuses it.
fn outcome(name: &str, text: &str) -> String {
    let drive = if text.contains("zonemode=zbd") { ZONED_DRIVE } else { DRIVE };
    let specs = job::expand("", text, |_| None)
        .and_then(|text| job::parse_file("", &text))
        .and_then(|file| file.resolve(drive));
    match specs {
        Ok(specs) => {
            let jobs = specs.iter().filter(|spec| spec.clone == 0);
            let jobs = jobs.map(|job| format!("{}{}", told(job), clones(job, &specs)));
            let files = ["filename=", "directory="].iter().any(|name| text.contains(name));
            let how = if files || specs.len() == 1 { "runs" } else { "runs on the drive" };
            format!("{how},{}", jobs.collect::<Vec<_>>().join(" + "))
        }
        Err(error) => format!("refused,{}", error.to_string().trim_start_matches(':')),
    }
    .replace(name, "")
}

/// How many clones of a job there are, if there are several.
fn clones(job: &JobSpec, specs: &[JobSpec]) -> String {
    let others = specs[job.index as usize + 1..].iter().take_while(|spec| spec.clone > 0).count();
    if others > 0 {
        format!(" x{}", others + 1)
    } else {
        String::new()
    }
}

/// What decides most: pattern, lengths, depth, range and end.
fn told(spec: &JobSpec) -> String {
    let lengths = |direction: &Direction| {
        let lengths = spec.lengths.of(*direction);
        match (lengths.min_bytes(), lengths.max_bytes()) {
            (min, max) if min == max => min.to_string(),
            (min, max) => format!("{min}-{max}"),
        }
    };
    let directions = spec.mix.directions();
    let bs: Vec<_> = directions.iter().map(lengths).collect();
    let order = if spec.access == Access::Sequential { "" } else { "rand" };
    let rw = match spec.mix {
        Mix::Only(Direction::Read) => "read".to_string(),
        Mix::Only(Direction::Write) => "write".to_string(),
        Mix::Only(Direction::Trim) => "trim".to_string(),
        Mix::TrimThenWrite => "trimwrite".to_string(),
        Mix::ReadWrite { read_percent } => format!("rw({read_percent}%)"),
    };
    let until =
        spec.stop.runtime_ps.map_or(String::new(), |ps| format!(" {}s", ps / 1_000_000_000_000));
    format!(
        "{} {order}{rw} bs={} depth={} {}+{}{until}",
        spec.name,
        bs.join("/"),
        spec.iodepth,
        spec.range.start,
        spec.range.len
    )
}
