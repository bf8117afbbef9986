//! Does the run of a point.

use board::{Board, BoardError};
use host::job::{self, JobError, JobFile};
use host::{Control, Course, Origin, PayloadForm, Preconditioning, Prepared, RunRequest, Watchers};
use machine::Accounts;
use report::RunResult;

use crate::definition::{Load, Sweep};
use crate::figures::Figures;
use crate::grid::{is_of_drive, Point};
use crate::shared::{is_shared, Key, Shared};

/// Does runs one after the other, and keeps what the next one may need too.
pub(crate) struct Runner<'a> {
    sweep: &'a Sweep,
    shared: &'a Shared,
    /// The last board, with what it was made of.
    board: Option<(Drive, Board, String)>,
    /// The last jobs, likewise.
    jobs: Option<(Vec<(String, String)>, JobFile)>,
}

/// A board's name, and what replaces its values.
type Drive = (String, Vec<(String, String)>);

/// What a point gave.
pub(crate) struct Outcome {
    /// The board's SHA-256; nothing if there is no such board.
    pub board: String,
    /// The figures, or why there are none, in one line.
    pub figures: Result<Figures, String>,
}

/// Why a point cannot be run, in one line.
pub(crate) enum Unfit {
    /// It names a key that no board or no job has, so that whatever it was to vary would stay as it is.
    Key(String),
    /// Anything else.
    Other(String),
}

impl Unfit {
    /// The line that tells of it.
    pub fn line(self) -> String {
        let (Unfit::Key(line) | Unfit::Other(line)) = self;
        line
    }
}

/// The state of this name.
pub(crate) fn precondition(name: &str) -> Result<Preconditioning, &'static str> {
    let expected = "one of none, sequential, random, steady, steady-run";
    Preconditioning::of_name(name).ok_or(expected)
}

impl<'a> Runner<'a> {
    pub fn new(sweep: &'a Sweep, shared: &'a Shared) -> Self {
        Runner { sweep, shared, board: None, jobs: None }
    }

    /// Runs a point.
    pub fn run(&mut self, point: &Point) -> Outcome {
        if let Err(error) = self.prepare(point) {
            self.board = None;
            return Outcome { board: String::new(), figures: Err(error.line()) };
        }
        let (Some((_, board, sha256)), Some((_, jobs))) = (&self.board, &self.jobs) else {
            unreachable!("both are there once they are prepared")
        };
        let result = self.state(point).and_then(|precondition| {
            let request = RunRequest {
                seed: point.seed,
                payload: self.origin().map_or(PayloadForm::Stamps, |origin| origin.payload),
                precondition,
                accounts: Accounts::None,
                course: Course::Left,
                ..RunRequest::new(board, jobs, self.sweep.name())
            };
            self.simulate(request, sha256)
        });
        Outcome { board: sha256.clone(), figures: result.and_then(figures) }
    }

    /// Runs jobs, on a copy of a drive that points share if making one takes long.
    fn simulate(&self, request: RunRequest<'_>, sha256: &str) -> Result<RunResult, String> {
        let RunRequest { precondition, seed, .. } = request;
        if let Some(from) = &self.sweep.from {
            let ran = from.drive.run(request, Watchers::default(), &mut |_| ());
            return ran.map_err(|error| error.to_string());
        }
        if !is_shared(precondition) {
            return host::run(request, &mut |_| ()).map_err(|error| error.to_string());
        }
        let key = Key { board: sha256.to_owned(), precondition, seed };
        let slot = self.shared.drive(&key, || {
            Prepared::new(request, &mut Control::default()).map_err(|error| error.to_string())
        });
        let drive = slot.get().expect("it was made").as_ref().map_err(String::clone)?;
        let ran = drive.run(request, Watchers::default(), &mut |_| ());
        ran.map_err(|error| error.to_string())
    }

    /// Makes board and jobs of a point, unless they are those of the last one.
    pub fn prepare(&mut self, point: &Point) -> Result<(), Unfit> {
        let drive = self.drive(point);
        if self.board.as_ref().is_none_or(|(last, ..)| *last != drive) {
            let board = match &self.sweep.from {
                Some(from) => from.board.clone(),
                None => Board::resolve(&drive.0, &drive.1).map_err(|error| {
                    // Values come from the sweep's file, not from the command line.
                    let line = error.to_string();
                    let line = line.strip_prefix("--set: ").map_or(line.clone(), str::to_owned);
                    match error {
                        BoardError::UnknownKey { .. } => Unfit::Key(line),
                        _ => Unfit::Other(line),
                    }
                })?,
            };
            let sha256 = board.sha256();
            self.board = Some((drive, board, sha256));
        }
        let options = self.options(point);
        if self.jobs.as_ref().is_none_or(|(last, _)| *last != options) {
            let jobs = self.jobs(&options)?;
            self.jobs = Some((options, jobs));
        }
        Ok(())
    }

    /// What a point says of the keys that `of` picks.
    fn said<'p>(
        &'p self,
        point: &'p Point,
        of: impl Fn(&str) -> bool + 'p,
    ) -> impl Iterator<Item = (&'p str, &'p str)> + 'p {
        let pairs = self.sweep.keys().iter().zip(&point.values);
        let pairs = pairs.filter_map(|(key, value)| Some((key.as_str(), value.as_deref()?)));
        pairs.filter(move |(key, _)| of(key))
    }

    fn drive(&self, point: &Point) -> Drive {
        let name = self.said(point, |key| key == "board").last();
        let mut set = self.sweep.set.clone();
        for (key, value) in self.said(point, |key| key.contains('.')) {
            replace(&mut set, key, value);
        }
        (name.map_or(&*self.sweep.board, |(_, name)| name).to_owned(), set)
    }

    /// What the drive of a snapshot was when it was new.
    fn origin(&self) -> Option<Origin> {
        self.sweep.from.as_ref().map(|from| from.drive.origin())
    }

    fn state(&self, point: &Point) -> Result<Preconditioning, String> {
        if let Some(origin) = self.origin() {
            return Ok(origin.precondition);
        }
        let own = self.said(point, |key| key == "precondition").last();
        let name = own.map_or(&*self.sweep.precondition, |(_, name)| name);
        precondition(name)
            .map_err(|expected| format!("precondition: found {name:?}, expected {expected}"))
    }

    /// The options of a point, or what stands for names in its job file.
    fn options(&self, point: &Point) -> Vec<(String, String)> {
        let mut options = match &self.sweep.load {
            Load::Options(options) => options.clone(),
            Load::File { .. } => Vec::new(),
        };
        let of_job = |key: &str| !is_of_drive(key);
        for (key, value) in self.said(point, of_job) {
            replace(&mut options, key, value);
        }
        options
    }

    fn jobs(&self, options: &[(String, String)]) -> Result<JobFile, Unfit> {
        let jobs = match &self.sweep.load {
            Load::Options(_) => job::from_pairs(options),
            Load::File { name, text } => {
                let value = |own: &str| {
                    options.iter().find(|(key, _)| key == own).map(|(_, value)| value.clone())
                };
                job::expand(name, text, value).and_then(|text| job::parse_file(name, &text))
            }
        };
        jobs.map_err(|error| match error {
            JobError::Unknown { .. } => Unfit::Key(error.to_string()),
            _ => Unfit::Other(error.to_string()),
        })
    }
}

fn replace(pairs: &mut Vec<(String, String)>, key: &str, value: &str) {
    match pairs.iter_mut().find(|(own, _)| own == key) {
        Some((_, own)) => value.clone_into(own),
        None => pairs.push((key.to_owned(), value.to_owned())),
    }
}

fn figures(result: RunResult) -> Result<Figures, String> {
    match result.jobs.iter().find_map(|job| Some((job, job.error.as_ref()?))) {
        Some((job, error)) => {
            Err(format!("job {}: {} (error {})", job.name, error.message, error.number))
        }
        None => Ok(Figures::of(result)),
    }
}
