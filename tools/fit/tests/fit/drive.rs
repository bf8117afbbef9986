//! Drives that are known: what fio would have measured on them, and fits to that.

use board::Board;
use fit::{Asked, FitError, FittedKey, Outcome, Wanted};
use host::{job, Preconditioning, RunRequest, Stop};
use report::{write_json, JsonForm};

/// Values that replace a board's.
pub type Set<'a> = &'a [(&'a str, &'a str)];

/// The seed of measurements, and of fits that are to meet the same events.
pub const SEED: u64 = 1;

/// Owned pairs.
pub fn pairs(set: Set<'_>) -> Vec<(String, String)> {
    set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

/// The report of jobs on the board `small` with other values, filled in order.
pub fn measured(set: Set<'_>, jobs: &str, seed: u64) -> String {
    measured_in(Preconditioning::Sequential, (set, jobs), seed)
}

/// The same in another state.
pub fn measured_in(
    precondition: Preconditioning,
    (set, jobs): (Set<'_>, &str),
    seed: u64,
) -> String {
    let board = Board::resolve("small", &pairs(set)).expect("a board");
    let jobs = job::parse_file("jobs.fio", jobs).expect("jobs");
    let request = RunRequest { seed, precondition, ..RunRequest::new(&board, &jobs, "jobs.fio") };
    let result = host::run(request, &mut |_| ()).expect("a run");
    let mut json = Vec::new();
    write_json(&result, JsonForm::Plain, &mut json).expect("memory takes all");
    String::from_utf8(json).expect("JSON is UTF-8")
}

/// How a fit is done.
pub struct How<'a> {
    pub wanted: &'a [&'a str],
    pub set: Set<'a>,
    pub requests: u64,
    pub error: f64,
    pub runs: u64,
    pub threads: usize,
    pub stop: Stop,
    pub precondition: Preconditioning,
}

impl Default for How<'_> {
    fn default() -> Self {
        let stop = Stop::default();
        let precondition = Preconditioning::Sequential;
        How {
            wanted: &[],
            set: &[],
            requests: 100_000,
            error: 0.005,
            runs: 4000,
            threads: 2,
            stop,
            precondition,
        }
    }
}

/// A fit of the board `small` to a report.
pub fn fitted(report: &str, how: &How<'_>) -> Result<Outcome, FitError> {
    fitted_to(&[("drive.json", report)], how)
}

/// A fit of the board `small` to several reports, with their names.
pub fn fitted_to(reports: &[(&str, &str)], how: &How<'_>) -> Result<Outcome, FitError> {
    let mut measurements = Vec::new();
    for (name, report) in reports {
        measurements.extend(fit::parse(name, report)?);
    }
    let wanted: Vec<Wanted> = how.wanted.iter().map(|key| key.parse().expect("a key")).collect();
    let asked = Asked {
        base: "small",
        overrides: &pairs(how.set),
        wanted: &wanted,
        precondition: how.precondition,
        seed: SEED,
        requests: how.requests,
        runs: how.runs,
        error: how.error,
        threads: how.threads,
        stop: &how.stop,
    };
    fit::fit(asked, &measurements, &mut |_| ())
}

/// What was found of a key.
pub fn key<'a>(outcome: &'a Outcome, name: &str) -> &'a FittedKey {
    let found = outcome.keys.iter().find(|key| key.keys[0] == name);
    found.unwrap_or_else(|| panic!("no key {name} in\n{outcome}"))
}
