//! Where jobs come from: a file in fio's language, or fio's options.

use std::io::{self, Read};
use std::path::Path;

use foreign::input;
use host::job::{self, JobFile};
use report::JobSource;

use crate::failure::Failure;

/// A job file.
///
/// # Errors
/// When it cannot be read, or a variable in it has no value.
pub fn read_file(file: &str) -> Result<JobSource, Failure> {
    from_text(file, |name| input::open(Path::new(name)))
}

/// The jobs in a text that `open` opens, with the values of variables in their places.
///
/// # Errors
/// As those of [`read_file`].
pub fn from_text<R: Read>(
    name: &str,
    open: impl FnOnce(&str) -> io::Result<R>,
) -> Result<JobSource, Failure> {
    let text = open(name).and_then(|from| input::text_of(from, input::OF_HAND));
    let text = text.map_err(|e| Failure::file(Path::new(name), &e, "a job file"))?;
    let text = job::expand(name, &text, variable).map_err(|e| Failure::Input(e.to_string()))?;
    Ok(JobSource::File { name: name.to_owned(), text })
}

/// Options with the values of variables in their places, so that they alone say what runs.
///
/// # Errors
/// When a variable has no value.
pub fn from_options(options: &[(String, String)]) -> Result<JobSource, Failure> {
    let mut options = options.to_vec();
    job::expand_pairs(&mut options, variable).map_err(|error| Failure::Input(error.to_string()))?;
    Ok(JobSource::Options(options))
}

/// The jobs of a file or of options; none for others, which are more than their text.
///
/// # Errors
/// When there is a fault in them.
pub fn parse(source: &JobSource) -> Option<Result<JobFile, Failure>> {
    let parsed = match source {
        JobSource::File { name, text } => job::parse_file(name, text),
        JobSource::Options(options) => job::from_pairs(options),
        JobSource::Traces { .. } | JobSource::Program { .. } | JobSource::Guest => return None,
    };
    Some(parsed.map_err(|error| Failure::Input(error.to_string())))
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
        JobSource::Program { name, .. } => name,
        JobSource::Guest => "guest",
    }
}

/// The value of a variable of the environment, for `${NAME}` in jobs.
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
