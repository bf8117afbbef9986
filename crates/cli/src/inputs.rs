//! Which board and which jobs a command line asks for.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use host::job::{self, JobFile};

use crate::failure::Failure;

/// The board that is used when none is named.
pub const DEFAULT_BOARD: &str = "cosmos-plus";

/// No job file is larger than this; what is larger is not a job file.
const LARGEST_FILE: u64 = 1 << 20;

/// What a command line asks to run, and where.
#[derive(Debug)]
pub struct Inputs {
    /// Name or path of the board.
    pub board: String,
    /// The jobs.
    pub jobs: JobFile,
    /// Name of the job file, or what stands in for one.
    pub job_file: String,
}

impl Inputs {
    /// Tells board and job file apart, and reads the jobs from the file or from fio's options.
    ///
    /// # Errors
    /// When there are no jobs or several sources of them, several boards, or a fault in the jobs.
    pub fn read(positional: &[String], options: &[(String, String)]) -> Result<Inputs, Failure> {
        let (files, boards): (Vec<&String>, Vec<&String>) =
            positional.iter().partition(|path| path.ends_with(".fio"));
        let board = only(&boards, "one board, and job files that end in .fio")?
            .map_or(DEFAULT_BOARD, String::as_str);
        let (jobs, job_file) = match (only(&files, "one job file")?, options) {
            (Some(file), []) => (from_file(file)?, file.clone()),
            (None, [_, ..]) => {
                let mut options = options.to_vec();
                let jobs = job::expand_pairs(&mut options, variable)
                    .and_then(|()| job::from_pairs(&options))
                    .map_err(|error| Failure::Input(error.to_string()))?;
                (jobs, "command line".to_owned())
            }
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
        Ok(Inputs { board: board.to_owned(), jobs, job_file })
    }
}

/// The only one of the list, if there is any.
fn only<'a>(list: &[&'a String], expected: &str) -> Result<Option<&'a String>, Failure> {
    match list {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        [first, second, ..] => {
            let found = format!("{first} and {second}");
            Err(Failure::unexpected("command line", found, expected))
        }
    }
}

fn from_file(file: &str) -> Result<JobFile, Failure> {
    let text = read_text(file).map_err(|e| Failure::file(Path::new(file), &e, "a job file"))?;
    job::expand(file, &text, variable)
        .and_then(|text| job::parse_file(file, &text))
        .map_err(|error| Failure::Input(error.to_string()))
}

/// The value of a variable of the environment, for `${NAME}` in jobs.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn read_text(file: &str) -> io::Result<String> {
    let mut text = String::new();
    let read = File::open(file)?.take(LARGEST_FILE + 1).read_to_string(&mut text)?;
    if read as u64 > LARGEST_FILE {
        return Err(io::Error::other("more than 1 MiB"));
    }
    Ok(text)
}
