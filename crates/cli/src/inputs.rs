//! Which board and which jobs a command line asks for.

use std::io;
use std::path::Path;

use host::job::JobFile;
use monitor::Period;
use recipe::{Asked, Failure, Recipe};
use report::JobSource;

use crate::arguments::RunArguments;
use crate::body;
use crate::program::PROGRAM;

/// What stands for standard input in place of a job file.
const STANDARD_INPUT: &str = "-";

/// What a command line asks to run, and where.
#[derive(Debug)]
pub struct Inputs {
    /// Name or path of the board, if one is named.
    pub board: Option<String>,
    /// The jobs.
    pub jobs: JobFile,
    /// Where they came from.
    pub source: JobSource,
}

impl Inputs {
    /// Tells board and job file apart, and reads the jobs from the file or from fio's options.
    ///
    /// # Errors
    /// When there are no jobs or several sources of them, several boards, or a fault in the jobs.
    pub fn read(positional: &[String], options: &[(String, String)]) -> Result<Inputs, Failure> {
        let (files, boards): (Vec<&String>, Vec<&String>) =
            positional.iter().partition(|path| is_job_file(path));
        let board = only(&boards, "one board, and job files that end in .fio")?;
        let source = match (only(&files, "one job file")?, options) {
            (Some(file), []) => read_file(file)?,
            (None, [_, ..]) => recipe::from_options(options)?,
            (Some(file), [(key, _), ..]) => {
                let found = format!("--{key} beside the job file {file}");
                let expected = "a job file or options of fio, not both";
                return Err(Failure::unexpected("command line", found, expected));
            }
            (None, []) => {
                let expected = "a job file such as jobs/demo.fio or options such as --rw=randread";
                return Err(Failure::unexpected("command line", "nothing to run", expected));
            }
        };
        Ok(Inputs { board: board.cloned(), jobs: jobs(&source)?, source })
    }

    /// The run that they and the other arguments come to.
    ///
    /// # Errors
    /// When arguments do not go together, or the drive cannot be had.
    pub fn recipe(self, arguments: &RunArguments) -> Result<Recipe, Failure> {
        let Inputs { board, jobs, source } = self;
        body::check(arguments)?;
        if let (Some(path), Some(_)) = (&arguments.save, &arguments.image) {
            return Err(Failure::unexpected("--save", path.display(), recipe::BESIDE_IMAGE));
        }
        let monitored = arguments.reports.monitor.is_some();
        let asked = Asked {
            board: board.as_deref(),
            overrides: &arguments.overrides,
            jobs,
            source,
            seed: arguments.seed,
            seeds: arguments.seeds,
            until: arguments.until.clone(),
            payload: arguments.payload.map(Into::into),
            precondition: arguments.precondition.map(Into::into),
            image: arguments.image.clone(),
            from: arguments.from.clone(),
            body: arguments.body.into(),
            processor: arguments.processor.into(),
            polling: arguments.polling.into(),
            monitor_interval_ps: monitored.then(|| Period::as_ps(arguments.monitor_interval)),
        };
        Recipe::asked(asked, PROGRAM)
    }
}

/// The only one of the list, if there is any.
pub fn only<'a>(list: &[&'a String], expected: &str) -> Result<Option<&'a String>, Failure> {
    match list {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        [first, second, ..] => {
            let found = format!("{first} and {second}");
            Err(Failure::unexpected("command line", found, expected))
        }
    }
}

/// The jobs that a report or a command line asks for.
///
/// # Errors
/// When there is a fault in them, or they are a guest's or a program's.
pub fn jobs(source: &JobSource) -> Result<JobFile, Failure> {
    match (recipe::parse(source), source) {
        (Some(jobs), _) => jobs,
        (None, JobSource::Traces { files, options }) => crate::replay::again(files, options),
        (None, JobSource::Program { name, .. }) => {
            let expected = "one of run: a program is run again in Python";
            let found = format!("a report of the program {name}");
            Err(Failure::unexpected("jobs", found, expected))
        }
        (None, _) => {
            let expected = "one of run: a guest's commands are not in it";
            Err(Failure::unexpected("jobs", "a report of serve", expected))
        }
    }
}

fn is_job_file(path: &str) -> bool {
    path.ends_with(".fio") || path == STANDARD_INPUT
}

fn read_file(file: &str) -> Result<JobSource, Failure> {
    match file {
        STANDARD_INPUT => {
            // A file that is standard input is known by a name that the system has for it, where it has one.
            foreign::input::note(Path::new("/dev/stdin"));
            recipe::from_text("standard input", |_| Ok(io::stdin().lock()))
        }
        file => recipe::read_file(file),
    }
}
