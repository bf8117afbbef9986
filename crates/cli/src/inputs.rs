//! Which board and which jobs a command line asks for.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use host::job::{self, JobFile};
use report::JobSource;

use crate::failure::Failure;

/// The board that is used when none is named.
pub const DEFAULT_BOARD: &str = "cosmos-plus";

/// What stands for standard input in place of a job file.
const STANDARD_INPUT: &str = "-";

/// No job file is larger than this; what is larger is not a job file.
const LARGEST_FILE: u64 = 1 << 20;

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
            (None, [_, ..]) => from_options(options)?,
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
/// When there is a fault in them, or they are a guest's.
pub fn jobs(source: &JobSource) -> Result<JobFile, Failure> {
    let parsed = match source {
        JobSource::File { name, text } => job::parse_file(name, text),
        JobSource::Options(options) => job::from_pairs(options),
        JobSource::Traces { files, options } => return crate::replay::again(files, options),
        JobSource::Guest => {
            let expected = "one of run: a guest's commands are not in it";
            return Err(Failure::unexpected("jobs", "a report of serve", expected));
        }
    };
    parsed.map_err(|error| Failure::Input(error.to_string()))
}

/// What reports call the source of the jobs.
pub fn name(source: &JobSource) -> &str {
    match source {
        JobSource::File { name, .. } => name,
        JobSource::Options(_) => "command line",
        JobSource::Traces { files, .. } => match &files[..] {
            [file] => &file.name,
            _ => "several traces",
        },
        JobSource::Guest => "guest",
    }
}

/// Options with the values of variables in their places, so that they alone say what runs.
fn from_options(options: &[(String, String)]) -> Result<JobSource, Failure> {
    let mut options = options.to_vec();
    job::expand_pairs(&mut options, variable).map_err(|error| Failure::Input(error.to_string()))?;
    Ok(JobSource::Options(options))
}

/// The value of a variable of the environment, for `${NAME}` in jobs.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn is_job_file(path: &str) -> bool {
    path.ends_with(".fio") || path == STANDARD_INPUT
}

fn read_file(file: &str) -> Result<JobSource, Failure> {
    let (name, text) = match file {
        STANDARD_INPUT => ("standard input", read_text(io::stdin().lock())),
        file => (file, File::open(file).and_then(read_text)),
    };
    let text = text.map_err(|e| Failure::file(Path::new(name), &e, "a job file"))?;
    let text = job::expand(name, &text, variable).map_err(|e| Failure::Input(e.to_string()))?;
    Ok(JobSource::File { name: name.to_owned(), text })
}

fn read_text(from: impl Read) -> io::Result<String> {
    let mut text = String::new();
    let read = from.take(LARGEST_FILE + 1).read_to_string(&mut text)?;
    if read as u64 > LARGEST_FILE {
        return Err(io::Error::other("more than 1 MiB"));
    }
    Ok(text)
}
