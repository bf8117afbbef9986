//! Where jobs come from: a file in fio's language, or fio's options.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use foreign::input;
use host::job::{self, Composition, JobError, JobFile, Place};
use report::JobSource;

use crate::failure::Failure;

/// Deepest nesting of files that include others.
const DEEPEST: u32 = 16;

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
    let text = whole(name, &text, 0)?;
    Ok(JobSource::File { name: name.to_owned(), text })
}

/// The text of a job file, with values in the place of variables, and with the files that it includes.
fn whole(name: &str, text: &str, depth: u32) -> Result<String, Failure> {
    let text = job::expand(name, text, variable).map_err(|e| Failure::Input(e.to_string()))?;
    if !text.lines().any(|line| included(line).is_some()) {
        return Ok(text);
    }
    let mut all = String::new();
    let mut is_marked = depth == 0;
    for (place, line) in job::lines(name, &text) {
        let Some(path) = included(line) else {
            if !std::mem::replace(&mut is_marked, true) {
                all += &format!("{}\n", job::mark(&place));
            }
            all += &format!("{line}\n");
            continue;
        };
        let wrong = |expected: &str| Failure::unexpected(place.to_string(), line.trim(), expected);
        if depth == DEEPEST {
            return Err(wrong("files that do not include each other without end"));
        }
        let path = beside(name, path);
        let inner = input::text(&path, input::OF_HAND);
        let inner = inner.map_err(|e| Failure::file(&path, &e, "a file of options to include"))?;
        let path = path.to_string_lossy();
        let first = Place::Line { file: path.as_ref().into(), line: 1 };
        all += &format!("{}\n{}\n", job::mark(&first), whole(&path, &inner, depth + 1)?);
        is_marked = false;
        if all.len() as u64 > input::OF_HAND {
            return Err(wrong("files of at most 1 MiB in all"));
        }
    }
    Ok(all)
}

/// The file that a line includes.
fn included(line: &str) -> Option<&str> {
    let line = line.split([';', '#']).next().unwrap_or("").trim();
    let (word, path) = line.split_once(char::is_whitespace)?;
    (word == "include").then_some(path.trim())
}

/// As in fio, a path leads on from the working directory, or from the file that includes it.
fn beside(name: &str, path: &str) -> PathBuf {
    let own = Path::new(path).to_owned();
    match Path::new(name).parent() {
        Some(folder) if !own.exists() => folder.join(path),
        _ => own,
    }
}

/// Job files, options that hold for their jobs too, and the sections that are wanted, as one source.
///
/// # Errors
/// When a variable has no value, or they do not go together.
pub fn compose(
    options: &[(String, String)],
    files: &[(String, String)],
    sections: &[String],
) -> Result<JobSource, Failure> {
    let mut options = options.to_vec();
    let fault = |error: JobError| Failure::Input(error.to_string());
    job::expand_pairs(&mut options, variable).map_err(fault)?;
    if files.is_empty() && sections.is_empty() {
        return Ok(JobSource::Options(options));
    }
    let text = job::compose(Composition { options: &options, files, sections }).map_err(fault)?;
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let name = if names.is_empty() { "command line".to_owned() } else { names.join(", ") };
    Ok(JobSource::File { name, text })
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

/// The value of a variable of the environment, for `${NAME}` in jobs, or of the machine, for `$ncpus`
/// and `$mb_memory`.
pub fn variable(name: &str) -> Option<String> {
    match name {
        "$ncpus" => std::thread::available_parallelism().ok().map(|count| count.to_string()),
        "$mb_memory" => memory_mib().map(|mib| mib.to_string()),
        name => std::env::var(name).ok(),
    }
}

/// Memory of the machine, where the operating system says it as Linux does.
fn memory_mib() -> Option<u64> {
    let told = std::fs::read_to_string("/proc/meminfo").ok()?;
    let total = told.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    total.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib / 1024)
}
