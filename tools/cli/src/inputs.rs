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
    /// What is run: jobs of files and of fio's options.
    pub jobs: JobFile,
    /// Where they came from.
    pub source: JobSource,
}

impl Inputs {
    /// Tells board and job files apart, and reads the jobs from files and from fio's options.
    ///
    /// # Errors
    /// When there are no jobs, several boards, or a fault in the jobs.
    pub fn read(arguments: &RunArguments, options: &[(String, String)]) -> Result<Inputs, Failure> {
        let (mut files, mut boards, mut either) = (Vec::new(), Vec::new(), Vec::new());
        for path in &arguments.inputs {
            match Named::of(path) {
                Named::Job => files.push(path),
                Named::Board => boards.push(path),
                Named::Either => either.push(path),
            }
        }
        for path in either {
            if files.is_empty() {
                let expected = format!("./{path} for the job file, or a job beside the board");
                let found = format!("{path}, which is a board and a file");
                return Err(Failure::unexpected("command line", found, &expected));
            }
            boards.push(path);
        }
        let board = only(&boards, "one board, and job files")?;
        if files.is_empty() && options.is_empty() {
            let expected = "a job file such as jobs/demo.fio or options such as --rw=randread";
            return Err(Failure::unexpected("command line", "nothing to run", expected));
        }
        let read = |file: &&String| match read_file(file)? {
            JobSource::File { name, text } => Ok((name, text)),
            _ => unreachable!("a file is read as one"),
        };
        let files = files.iter().map(read).collect::<Result<Vec<_>, Failure>>()?;
        let source = recipe::compose(options, &files, &arguments.fio.sections)?;
        let jobs = jobs(&source)?;
        match jobs.fault_of_writer().filter(|_| arguments.fio.readonly) {
            Some(error) => Err(Failure::Input(error.to_string())),
            None => Ok(Inputs { board: board.cloned(), jobs, source }),
        }
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
            accounts: arguments.causes.into(),
            victims: None,
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
        (None, JobSource::Traces { files, options }) => recipe::traces_again(files, options),
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

/// What an argument that is no option names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    Job,
    Board,
    /// A board of this name comes with the program, and there is a file of this name.
    Either,
}

impl Named {
    fn of(path: &str) -> Named {
        let is_file = || Path::new(path).is_file();
        match path {
            _ if path.ends_with(".fio") || path == STANDARD_INPUT => Named::Job,
            _ if path.ends_with(".toml") => Named::Board,
            _ if board::names().contains(&path) && is_file() => Named::Either,
            _ if board::names().contains(&path) => Named::Board,
            // A misspelt board is one still.
            _ if is_file() || path.contains(['/', '.']) => Named::Job,
            _ => Named::Board,
        }
    }
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
