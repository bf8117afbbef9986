//! Whole runs on the small board, from the text of a job file to its results.

mod ahead;
mod batches;
mod boards;
mod bulk;
mod causes;
mod ceilings;
mod converged;
mod counting;
mod cut;
mod drawn;
mod examples;
mod given;
mod going_back;
mod golden;
mod kept;
mod kinds;
mod lifetime;
mod limits;
mod looked;
mod map_cache;
mod monitored;
mod namespaces;
mod open_channel;
mod placed;
mod placement;
mod planes;
mod programmed;
mod repeating;
mod replayed;
mod scheduled;
mod snapshot_files;
mod status;
mod steered;
mod written;
mod zoned;

use board::Board;
use host::job::{parse_file, JobFile};
use host::{PayloadForm, Preconditioning, RunError, RunRequest};
use machine::Polling;
use monitor::Sampler;
use report::{Cause, Direction, DirectionResult, JobResult, RunResult};

/// A run to do, with what tests vary.
#[derive(Clone, Debug)]
struct Run {
    board: &'static str,
    set: Vec<(String, String)>,
    seed: u64,
    payload: PayloadForm,
    precondition: Preconditioning,
    polling: Polling,
    until: Option<runs::confidence::Asked>,
}

impl Run {
    fn new() -> Self {
        Run {
            board: "small",
            set: Vec::new(),
            seed: 1,
            payload: PayloadForm::Stamps,
            precondition: Preconditioning::Sequential,
            polling: Polling::Skip,
            until: None,
        }
    }

    fn set(mut self, key: &str, value: &str) -> Self {
        self.set.push((key.to_string(), value.to_string()));
        self
    }

    fn with(self, set: &[(&str, &str)]) -> Self {
        set.iter().fold(self, |run, (key, value)| run.set(key, value))
    }

    fn request<'a>(&'a self, board: &'a Board, jobs: &'a JobFile) -> RunRequest<'a> {
        RunRequest {
            seed: self.seed,
            payload: self.payload,
            precondition: self.precondition,
            polling: self.polling,
            until: self.until.as_ref(),
            ..RunRequest::new(board, jobs, "job.fio")
        }
    }

    /// The result of jobs that were read.
    fn of(&self, jobs: &JobFile) -> RunResult {
        let board = Board::resolve(self.board, &self.set).unwrap();
        host::run(self.request(&board, jobs), &mut |_| {}).unwrap()
    }

    /// The result, or the message that says why there is none.
    fn attempt(&self, text: &str) -> Result<RunResult, RunError> {
        self.attempt_with(text, None)
    }

    fn attempt_with(
        &self,
        text: &str,
        monitor: Option<&mut Sampler>,
    ) -> Result<RunResult, RunError> {
        let watchers = host::Watchers { monitor, ..host::Watchers::default() };
        self.watched(text, watchers)
    }

    fn watched(&self, text: &str, watchers: host::Watchers<'_>) -> Result<RunResult, RunError> {
        let board = Board::resolve(self.board, &self.set).unwrap();
        let jobs = parse_file("job.fio", text).unwrap();
        let request = self.request(&board, &jobs);
        host::run_watched(request, watchers, &mut |_| {})
    }

    fn go(&self, text: &str) -> RunResult {
        self.go_with(text, None)
    }

    fn go_with(&self, text: &str, monitor: Option<&mut Sampler>) -> RunResult {
        let result =
            self.attempt_with(text, monitor).unwrap_or_else(|error| panic!("{text}\n{error}"));
        for job in &result.jobs {
            assert_eq!(job.error, None, "{text}");
        }
        result
    }
}

/// A job file of one job; the options are separated by spaces.
fn job(options: &str) -> String {
    format!("[job]\n{}\n", options.replace(' ', "\n"))
}

fn direction(job: &JobResult, direction: Direction) -> &DirectionResult {
    job.active(direction).unwrap_or_else(|| panic!("{} has no {}", job.name, direction.name()))
}

/// All that a report would print, less what it cost.
fn printed(mut result: RunResult) -> String {
    result.speed = report::Speed::default();
    let mut out = Vec::new();
    report::write_json(&result, report::JsonForm::Plus, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}
