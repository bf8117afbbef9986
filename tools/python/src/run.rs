//! Runs.

use std::cell::RefCell;
use std::num::NonZeroU32;
use std::path::PathBuf;

use host::job::JobFile;
use host::program::ProgramLoad;
use host::{JobLogs, PayloadForm, Preconditioning, Prepared, RunRequest, Watchers};
use machine::{Accounts, Polling};
use monitor::{Period, Sampler};
use pyo3::prelude::*;
use recipe::{Asked, AskedVictims, Body, Failure, Keep, OtherSeeds, Processor, Recipe};
use report::{JobSource, RunResult};

use crate::board::Board;
use crate::drive::Drive;
use crate::failure::{raised, DriveError};
use crate::generator::Talk;
use crate::outcome::{Outcome, Requests, Watched};
use crate::policy::{Policy, Told};
use crate::watch::Watch;
use crate::PROGRAM;

/// What Python says of a run: attributes of `firmament._run.Settings`.
#[derive(FromPyObject)]
pub struct Settings {
    seed: u64,
    seeds: Option<i64>,
    payload: Option<String>,
    precondition: Option<String>,
    until: Option<String>,
    from_snapshot: Option<PathBuf>,
    keep: bool,
    logs: bool,
    monitor: Option<String>,
    timeline: Option<String>,
    requests: bool,
    policy: Option<Told>,
}

/// Where jobs come from: a path, options of fio, or traces.
#[derive(FromPyObject)]
pub enum Load {
    /// A job file.
    Path(String),
    /// Options, as the command line would have them.
    Options(Vec<(String, String)>),
    /// Paths of traces, and how they are replayed, as options of `firmament replay`.
    Traces(Vec<PathBuf>, Vec<(String, String)>),
}

impl Load {
    fn read(&self) -> Result<(JobFile, JobSource), Failure> {
        let source = match self {
            Load::Path(path) => recipe::read_file(path)?,
            Load::Options(options) => recipe::from_options(options)?,
            Load::Traces(paths, options) => {
                let (jobs, files) = recipe::traces(paths, options)?;
                return Ok((jobs, JobSource::Traces { files, options: options.clone() }));
            }
        };
        Ok((recipe::parse(&source).expect("it is a file, or options")?, source))
    }
}

/// A program in Python: attributes of `firmament._host.Load`.
#[derive(FromPyObject)]
pub struct Program {
    name: String,
    text: String,
    function: Py<PyAny>,
    iodepth: u32,
    max_bytes: u64,
}

impl Program {
    fn load(self, talk: &Talk) -> (JobFile, JobSource) {
        let Program { name, text, iodepth, max_bytes, function: _ } = self;
        let options = vec![
            ("iodepth".to_owned(), iodepth.to_string()),
            ("max_bytes".to_owned(), max_bytes.to_string()),
        ];
        let source = JobSource::Program { name: name.clone(), text, options };
        let begin = talk.begin();
        let load = ProgramLoad { name, depth: iodepth, most_bytes: max_bytes, begin };
        (JobFile::of_program(load), source)
    }
}

/// The drive of a run: a new one of a board, or one that stays.
#[derive(FromPyObject)]
pub enum On<'py> {
    /// A drive that stays.
    Drive(PyRef<'py, Drive>),
    /// A new drive of a board.
    Board(PyRef<'py, Board>),
}

/// A drive of a run, without Python.
enum Meant {
    /// A new one of a board, or else of the default board or the one of a snapshot.
    New(Option<(String, Vec<(String, String)>)>),
    Kept(Py<Drive>),
}

impl Meant {
    fn of(on: Option<On<'_>>) -> Self {
        match on {
            Some(On::Drive(drive)) => Meant::Kept(drive.into()),
            Some(On::Board(board)) => {
                Meant::New(Some((board.given().to_owned(), board.overrides().to_vec())))
            }
            None => Meant::New(None),
        }
    }
}

/// Runs jobs. Python goes on meanwhile; `watch` is called with how far the run has come.
#[pyfunction]
pub fn run(
    py: Python<'_>,
    load: (Option<On<'_>>, Load),
    settings: Settings,
    watch: Option<Py<PyAny>>,
) -> PyResult<Outcome> {
    let (on, load) = load;
    let ran = settings.run(py, (Meant::of(on), || load.read()), watch);
    finished(py, ran)
}

/// Runs a program, which is a generator in Python. Other threads go on meanwhile.
#[pyfunction]
pub fn run_program(
    py: Python<'_>,
    load: (Option<On<'_>>, Program),
    settings: Settings,
    watch: Option<Py<PyAny>>,
) -> PyResult<Outcome> {
    let (on, program) = load;
    let talk = Talk::new(py, program.function.clone_ref(py))?;
    let ran = settings.run(py, (Meant::of(on), || Ok(program.load(&talk))), watch);
    // What the generator has raised is why the run came to nothing.
    talk.end(py)?;
    finished(py, ran)
}

/// What came out of a run, or the exception of a failure. What was done until then comes along with it.
fn finished(py: Python<'_>, ran: Ran) -> PyResult<Outcome> {
    let with = |error: PyErr, outcome: Outcome| {
        error.value(py).setattr("outcome", Py::new(py, outcome)?)?;
        Err(error)
    };
    match ran {
        (Some(error), Ok(outcome)) => with(error, outcome),
        (Some(error), Err(_)) => Err(error),
        (None, ran) => {
            let outcome = ran.map_err(raised)?;
            match recipe::job_errors(&outcome.result) {
                Ok(()) => Ok(outcome),
                Err(failure) => with(DriveError::new_err(failure.to_string()), outcome),
            }
        }
    }
}

/// What Python raised meanwhile, and what came of a run.
type Ran = (Option<PyErr>, Result<Outcome, Failure>);

impl Settings {
    /// Does a run while Python goes on.
    fn run(
        &self,
        py: Python<'_>,
        (on, read): (Meant, impl FnOnce() -> Result<(JobFile, JobSource), Failure> + Send),
        watch: Option<Py<PyAny>>,
    ) -> Ran {
        let mut watch = Watch::new(watch);
        let policy = self.policy.as_ref().map(|told| Policy::new(py, told, watch.stop()));
        let victims = policy.as_ref().map(Policy::asked);
        let has_failed = || policy.as_ref().is_some_and(Policy::has_failed);
        let ran = py.detach(|| match on {
            Meant::New(said) => {
                let asked = self.asked(said.as_ref(), read()?, victims)?;
                let recipe = Recipe::asked(asked, PROGRAM)?;
                let keep = if self.keep { Keep::Drive } else { Keep::Nothing };
                self.go(&recipe, keep, &mut watch).map(|(outcome, _)| outcome)
            }
            Meant::Kept(drive) => {
                let mut kept = drive.get().locked()?;
                let asked = self.asked(None, read()?, victims)?;
                let recipe = Recipe::on(&kept, asked, PROGRAM)?;
                let (outcome, left) = self.go(&recipe, Keep::Drive, &mut watch)?;
                if !has_failed() {
                    kept.left(left.expect("the drive was to be kept"));
                }
                Ok(outcome)
            }
        });
        let ran = match ran {
            Ok(_) if has_failed() => Err(Failure::Stopped("the policy has failed".to_owned())),
            ran => ran,
        };
        (watch.raised().or(policy.and_then(|policy| policy.raised())), ran)
    }

    /// What is asked for of a new drive of a board.
    ///
    /// # Errors
    /// When something cannot be used.
    pub fn asked<'a>(
        &self,
        said: Option<&'a (String, Vec<(String, String)>)>,
        (jobs, source): (JobFile, JobSource),
        victims: Option<AskedVictims>,
    ) -> Result<Asked<'a>, Failure> {
        Ok(Asked {
            board: said.map(|(name, _)| name.as_str()),
            overrides: said.map_or(&[], |(_, overrides)| overrides),
            jobs,
            source,
            seed: self.seed,
            seeds: self.seeds()?,
            until: self.until.as_deref().map(recipe::enough).transpose()?,
            payload: named("payload", &self.payload, PayloadForm::ALL, PayloadForm::name)?,
            precondition: named(
                "precondition",
                &self.precondition,
                Preconditioning::ALL,
                Preconditioning::name,
            )?,
            image: None,
            from: self.from_snapshot.clone(),
            body: Body::Sim,
            processor: Processor::Board,
            polling: Polling::Skip,
            accounts: Accounts::Kept,
            victims,
            monitor_interval_ps: self.period()?.map(Period::as_ps),
        })
    }

    fn seeds(&self) -> Result<Option<NonZeroU32>, Failure> {
        let Some(count) = self.seeds else { return Ok(None) };
        let seeds = u32::try_from(count).ok().and_then(NonZeroU32::new);
        let seeds = seeds.filter(|seeds| seeds.get() <= recipe::MOST_SEEDS);
        let expected = format!("a whole number from 1 to {}", recipe::MOST_SEEDS);
        seeds.map(Some).ok_or_else(|| Failure::unexpected("seeds", count, &expected))
    }

    /// Runs the other seeds, if there are some, once the first has come to its end.
    fn over_seeds(
        recipe: &Recipe,
        result: &mut RunResult,
        watch: &mut Watch,
    ) -> Result<(), Failure> {
        let stop = &watch.stop();
        let run = |request: RunRequest<'_>, watchers: Watchers<'_>| {
            let ran = recipe.run((request, Keep::Nothing), watchers, &mut |_| ());
            ran.map(|(result, _)| result)
        };
        let others = OtherSeeds { stop, run: &run, look: &mut || watch.look() };
        result.over_seeds = recipe::over_seeds(recipe, result, others)?;
        Ok(())
    }

    fn period(&self) -> Result<Option<Period>, Failure> {
        let read = |text: &String| {
            text.parse().map_err(|expected: String| {
                Failure::unexpected("monitor", format!("{text:?}"), &expected)
            })
        };
        self.monitor.as_ref().map(read).transpose()
    }

    fn go(
        &self,
        recipe: &Recipe,
        keep: Keep,
        watch: &mut Watch,
    ) -> Result<(Outcome, Option<Prepared>), Failure> {
        let stop = watch.stop();
        let again_until = stop.clone();
        let watch = RefCell::new(watch);
        let mut prepare = |state| watch.borrow_mut().prepare(state);
        let mut show = |progress| watch.borrow_mut().show(&progress);
        let requests = if self.requests { Requests::Kept } else { Requests::Counted };
        let mut watched = Watched::new(recipe, self.timeline.as_deref(), requests)?;
        let requests = watched.requests();
        let mut sampler =
            self.period()?.map(|period| Sampler::new(Box::new(std::io::sink()), period));
        let logs = if self.logs { JobLogs::Written } else { JobLogs::Off };
        let control = host::Control { stop, preparing: Some(&mut prepare) };
        let watchers = Watchers {
            observer: watched.observer(),
            monitor: sampler.as_mut(),
            logs,
            requests,
            control,
            status: None,
        };
        let (mut result, kept) = recipe.run((recipe.request(), keep), watchers, &mut show)?;
        watched.again(recipe, &result, again_until)?;
        match Settings::over_seeds(recipe, &mut result, &mut watch.borrow_mut()) {
            // Of a run that was ended while other seeds ran, the first seed is done.
            Err(Failure::Stopped(_)) => {}
            other => other?,
        }
        result.provenance = Some(recipe.provenance.clone());
        let saved = kept.as_ref().filter(|_| self.keep);
        let snapshot = saved.map(|drive| snapshot(recipe, drive, &result)).transpose()?;
        Ok((watched.outcome(result, snapshot.flatten()), kept))
    }
}

/// The snapshot of the drive as a run has left it; none if the run was cut.
fn snapshot(
    recipe: &Recipe,
    drive: &host::Prepared,
    result: &RunResult,
) -> Result<Option<Vec<u8>>, Failure> {
    if result.cut.is_some() {
        return Ok(None);
    }
    recipe::check_at_rest(drive)?;
    let mut bytes = Vec::new();
    drive.write(&recipe.board, &mut bytes).expect("memory takes what is written");
    Ok(Some(bytes))
}

/// The kind of a name that Python gave for a key.
fn named<T: Copy, const N: usize>(
    key: &str,
    name: &Option<String>,
    all: [T; N],
    of: fn(T) -> &'static str,
) -> Result<Option<T>, Failure> {
    name.as_deref().map(|name| recipe::kind(key, name, all, of)).transpose()
}
