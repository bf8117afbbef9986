//! Runs the measurements' jobs on boards, and tells how far their figures are from what was measured.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use board::Board;
use host::job::JobFile;
use host::{Control, Course, Preconditioning, Prepared, RunError, RunRequest, Stop, Watchers};
use machine::Accounts;
use report::{Direction, JobResult, RunResult};
use runs::least_squares::Place;
use runs::pool::in_order;

use crate::error::FitError;
use crate::figure::Figure;
use crate::load::{self, Load};
use crate::measurement::{Going, Measurement};
use crate::parameter::Parameter;

/// A residual where values together make no board: as bad as can be.
const NO_BOARD: f64 = 1e3;

/// The base board, and how jobs are run on boards made of it.
#[derive(Clone, Copy)]
pub(crate) struct Setting<'a> {
    /// Its name or path.
    pub base: &'a str,
    /// What replaces its values.
    pub overrides: &'a [(String, String)],
    /// What drives hold before each job.
    pub precondition: Preconditioning,
    /// Seed of every random choice.
    pub seed: u64,
    /// Fewest requests of a job.
    pub requests: u64,
    /// Runs that are done side by side.
    pub threads: usize,
    /// Ends it.
    pub stop: &'a Stop,
}

impl Setting<'_> {
    /// The board with these values in place of the base's.
    pub fn board(&self, more: &[(String, String)]) -> Result<Board, String> {
        let all: Vec<(String, String)> = self.overrides.iter().chain(more).cloned().collect();
        Board::resolve(self.base, &all).map_err(|error| error.to_string())
    }
}

/// A figure that was measured, and what it is to be compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Target {
    /// Which measurement.
    pub nth: usize,
    pub going: Going,
    pub figure: Figure,
    /// What was measured.
    pub measured: f64,
    /// Standard deviation of its logarithm.
    pub deviation: f64,
}

/// Which figures count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counted {
    /// Rates and means, which change evenly.
    Means,
    /// Percentiles too, which may leap.
    All,
}

/// Why runs were not done.
#[derive(Debug)]
pub(crate) enum Halt {
    /// They would be more than may be done.
    OutOfRuns,
    /// Something is wrong.
    Error(FitError),
}

/// All figures at a place, in the order of the targets; none if there is no such board.
type Figures = Option<Vec<f64>>;

/// The measurements' jobs on the base board with other values.
pub(crate) struct Simulated<'a> {
    setting: Setting<'a>,
    pub parameters: Vec<Parameter>,
    /// The measurements, by file.
    files: Vec<&'a [Measurement]>,
    pub targets: Vec<Target>,
    /// Most runs that may be done by now.
    pub limit: u64,
    /// Which figures count.
    pub counted: Counted,
    /// Runs that were done.
    pub runs: u64,
    /// What came out so far.
    known: BTreeMap<Place, Figures>,
    progress: &'a mut dyn FnMut(u64),
}

impl<'a> Simulated<'a> {
    /// Measurements whose figures may be off by `error`, as a share.
    pub fn new(
        setting: Setting<'a>,
        parameters: Vec<Parameter>,
        (measurements, error): (&'a [Measurement], f64),
        progress: &'a mut dyn FnMut(u64),
    ) -> Self {
        let targets = targets(measurements, error);
        let files = measurements.chunk_by(|a, b| a.file == b.file).collect();
        let known = BTreeMap::new();
        Simulated {
            setting,
            parameters,
            files,
            targets,
            limit: 0,
            counted: Counted::All,
            runs: 0,
            known,
            progress,
        }
    }

    /// Runs of a board: one of each file.
    pub fn runs_of_board(&self) -> u64 {
        self.files.len() as u64
    }

    /// Where the base board is.
    pub fn start(&self) -> Place {
        self.parameters.iter().map(|parameter| parameter.range().start).collect()
    }

    /// What replaces the base's values at a place.
    pub fn overrides(&self, place: &[i64]) -> Vec<(String, String)> {
        let all = self.parameters.iter().zip(place);
        all.flat_map(|(parameter, place)| parameter.overrides(*place)).collect()
    }

    /// Whether there is a board at a place.
    pub fn has_board(&self, place: &[i64]) -> bool {
        self.setting.board(&self.overrides(place)).is_ok()
    }

    /// The figures at each place; none where there is no board.
    pub fn figures(&mut self, places: &[Place]) -> Result<Vec<Figures>, Halt> {
        let mut new: Vec<&Place> = places.iter().filter(|p| !self.known.contains_key(*p)).collect();
        new.sort();
        new.dedup();
        let boards: Vec<Option<Board>> =
            new.iter().map(|place| self.setting.board(&self.overrides(place)).ok()).collect();
        let there = boards.iter().flatten().count() as u64 * self.runs_of_board();
        if self.runs + there > self.limit {
            return Err(Halt::OutOfRuns);
        }
        let figures = self.run(&boards).map_err(Halt::Error)?;
        self.runs += there;
        let new: Vec<Place> = new.into_iter().cloned().collect();
        self.known.extend(new.into_iter().zip(figures));
        Ok(places.iter().map(|place| self.known[place].clone()).collect())
    }

    /// How far the figures at each place are from what was measured: logarithms of their ratios, in standard deviations.
    pub fn residuals(&mut self, places: &[Place]) -> Result<Vec<Vec<f64>>, Halt> {
        let figures = self.figures(places)?;
        let residual = |(target, figure): (&Target, &f64)| match (self.counted, target.figure) {
            (Counted::Means, Figure::P50 | Figure::P99) => 0.0,
            _ => (figure / target.measured).ln() / target.deviation,
        };
        let all = figures.into_iter().map(|figures| match figures {
            Some(figures) => self.targets.iter().zip(&figures).map(residual).collect(),
            None => vec![NO_BOARD; self.targets.len()],
        });
        Ok(all.collect())
    }

    /// Figures of all measurements on each board.
    fn run(&mut self, boards: &[Option<Board>]) -> Result<Vec<Figures>, FitError> {
        let Simulated { setting, files, targets, runs, progress, .. } = self;
        let work = Work { setting, files, targets };
        let pieces = work.pieces(boards);
        let mut over = *runs;
        let results =
            in_order(pieces.len(), setting.threads, &|nth| work.piece(&pieces[nth]), &mut |nth| {
                over += pieces[nth].files.len() as u64;
                progress(over);
            });
        let mut figures: Vec<Figures> =
            boards.iter().map(|b| b.as_ref().map(|_| Vec::new())).collect();
        for (piece, result) in pieces.iter().zip(results) {
            let own =
                figures[piece.place].as_mut().expect("only boards that there are have pieces");
            own.extend(result?);
        }
        Ok(figures)
    }
}

/// The figures to be compared, by measurement.
fn targets(measurements: &[Measurement], error: f64) -> Vec<Target> {
    let mut targets = Vec::new();
    for (nth, measurement) in measurements.iter().enumerate() {
        for (going, observed) in Going::ALL.into_iter().zip(&measurement.observed) {
            let Some(observed) = observed else { continue };
            let told = |figure: &Figure| observed.requests >= figure.fewest();
            let known = Figure::ALL.into_iter().filter(told);
            let known = known.filter_map(|own| Some((own, observed.figure(own)?)));
            targets.extend(known.map(|(figure, measured)| Target {
                nth,
                going,
                figure,
                measured,
                deviation: error * figure.deviation(),
            }));
        }
    }
    targets
}

/// What each piece of work needs.
#[derive(Clone, Copy)]
struct Work<'a> {
    setting: &'a Setting<'a>,
    files: &'a [&'a [Measurement]],
    targets: &'a [Target],
}

/// Runs on one board.
struct Piece<'a> {
    /// Number of the board.
    place: usize,
    board: &'a Board,
    /// Numbers of the files.
    files: Range<usize>,
}

impl Work<'_> {
    /// A piece for each file; or for each board, where it costs something to bring its drive into its state.
    fn pieces<'b>(&self, boards: &'b [Option<Board>]) -> Vec<Piece<'b>> {
        let all = 0..self.files.len();
        let of_board = |(place, board): (usize, &'b Option<Board>)| {
            let Some(board) = board else { return Vec::new() };
            match self.is_costly() {
                true => vec![Piece { place, board, files: all.clone() }],
                false => {
                    all.clone().map(|nth| Piece { place, board, files: nth..nth + 1 }).collect()
                }
            }
        };
        boards.iter().enumerate().flat_map(of_board).collect()
    }

    fn is_costly(&self) -> bool {
        matches!(self.setting.precondition, Preconditioning::Steady | Preconditioning::SteadyRun)
    }

    /// The figures of a piece.
    fn piece(&self, piece: &Piece<'_>) -> Result<Vec<f64>, FitError> {
        let mut prepared: Option<Prepared> = None;
        let mut figures = Vec::new();
        for nth in piece.files.clone() {
            let load = Load { measurements: self.files[nth], requests: self.setting.requests };
            let jobs = load.jobs(piece.board)?;
            let request = self.request(piece.board, &jobs);
            let ran = match &mut prepared {
                _ if !self.is_costly() => host::run_watched(request, self.watchers(), &mut |_| ()),
                Some(drive) => drive.run(request, self.watchers(), &mut |_| ()),
                none => Prepared::new(request, &mut self.control()).and_then(|drive| {
                    none.insert(drive).run(request, self.watchers(), &mut |_| ())
                }),
            };
            let result = ran.map_err(|error| self.failure((piece.board, &load), error))?;
            figures.extend(self.figures(nth, result)?);
        }
        Ok(figures)
    }

    fn request<'b>(&self, board: &'b Board, jobs: &'b JobFile) -> RunRequest<'b> {
        RunRequest {
            seed: self.setting.seed,
            precondition: self.setting.precondition,
            accounts: Accounts::None,
            course: Course::Left,
            ..RunRequest::new(board, jobs, "fit")
        }
    }

    fn control(&self) -> Control<'static> {
        Control { stop: self.setting.stop.clone(), preparing: None }
    }

    fn watchers(&self) -> Watchers<'static> {
        Watchers { control: self.control(), ..Watchers::default() }
    }

    /// The figures of a file's targets.
    fn figures(&self, file: usize, result: RunResult) -> Result<Vec<f64>, FitError> {
        if let Some(cut) = result.cut {
            return Err(stopped(cut.signal));
        }
        let before: usize = self.files[..file].iter().map(|own| own.len()).sum();
        let mut figures = Vec::new();
        for (nth, measurement) in self.files[file].iter().enumerate() {
            let named = load::name(nth);
            let clones = result.jobs.iter().filter(|job| job.name == named);
            let job = clones.cloned().reduce(|mut all, clone| {
                all.merge(&clone);
                all
            });
            if let Some(error) = job.as_ref().and_then(|job| job.error.as_ref()) {
                let line = format!("{} (error {})", error.message, error.number);
                return Err(FitError::Drive(format!("{}: {line}", measurement.whole_name())));
            }
            for target in self.targets.iter().filter(|target| target.nth == before + nth) {
                let figure = job.as_ref().and_then(|job| of_job(job, target));
                figures.push(figure.ok_or_else(|| {
                    let (going, figure) = (target.going.name(), target.figure.name());
                    let place = format!("{}: {going} {figure}", measurement.whole_name());
                    FitError::unexpected(place, "none in the simulated job", "more --requests")
                })?);
            }
        }
        Ok(figures)
    }

    /// Why a run of a file failed. A job that does not go with the board is looked for among the file's.
    fn failure(&self, (board, load): (&Board, &Load<'_>), error: RunError) -> FitError {
        let file = &load.measurements[0].file;
        match error {
            RunError::Stopped(host::Stopped { signal }) => stopped(signal),
            RunError::Driver(_)
            | RunError::Data(_)
            | RunError::Stray { .. }
            | RunError::Ftl { .. }
            | RunError::Stalled { .. } => FitError::Drive(format!("{file}: {error}")),
            RunError::Job(all) => {
                let alone = |measurement: &Measurement| {
                    let measurements = std::slice::from_ref(measurement);
                    let jobs = Load { measurements, requests: 1 }.jobs(board).ok()?;
                    match host::run(self.request(board, &jobs), &mut |_| ()) {
                        Err(RunError::Job(own)) => Some(load::fault(measurement, &own.to_string())),
                        _ => None,
                    }
                };
                let found = load.measurements.iter().find_map(alone);
                found.unwrap_or_else(|| load::fault(&load.measurements[0], &all.to_string()))
            }
            other => FitError::Input(format!("{file}: {other}")),
        }
    }
}

/// A figure of a simulated job; none if it did nothing in that direction.
fn of_job(job: &JobResult, target: &Target) -> Option<f64> {
    let result = match target.going {
        Going::Read => Cow::Borrowed(job.active(Direction::Read)?),
        Going::Write => Cow::Borrowed(job.active(Direction::Write)?),
        Going::Mixed => job.mixed(),
    };
    let figure = match target.figure {
        Figure::Iops => result.iops(),
        Figure::Mean => result.lat_ps.mean() / 1e3,
        Figure::P50 => result.clat.percentile_ns(50.0) as f64,
        Figure::P99 => result.clat.percentile_ns(99.0) as f64,
    };
    (figure > 0.0).then_some(figure)
}

fn stopped(signal: u32) -> FitError {
    FitError::Stopped(format!("terminating on signal {signal}: nothing was written"))
}
