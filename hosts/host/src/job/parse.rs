//! From text to sections: comments, headings, `key=value` lines and inheritance from `[global]`.

use super::compose::lines;
use super::direction::Direction;
use super::entry::Entry;
use super::error::{JobError, Place};
use super::names::canonical;
use super::settings::Settings;
use super::spec::Mix;
use crate::program::ProgramLoad;
use crate::replay::{Replay, Tenant};

/// What is expected where only a file that is read from a disk can include another.
const INCLUDE: &str = "the options themselves: only a job file on its own can include others";

/// A parsed set of jobs, not yet fitted to a drive.
#[derive(Clone, Debug)]
pub struct JobFile {
    /// What was accepted but is not acted on, one line each, with its place.
    pub warnings: Vec<String>,
    /// Options of `[global]` sections as they were written, by fio's names of them.
    pub global_options: Vec<(String, String)>,
    pub(super) jobs: Vec<Settings>,
    /// What stands in place of jobs.
    pub(super) instead: Option<Instead>,
}

/// A load in place of jobs.
#[derive(Clone, Debug)]
pub(super) enum Instead {
    /// Block traces, a job each.
    Traces(Replay, Vec<Tenant>),
    /// A program that decides on requests one by one.
    Program(ProgramLoad),
}

impl JobFile {
    /// Traces as load: one job each, all at once.
    pub fn of_traces(replay: Replay, tenants: Vec<Tenant>, warnings: Vec<String>) -> Self {
        JobFile { warnings, ..JobFile::of(Instead::Traces(replay, tenants)) }
    }

    /// A program as load: one job.
    pub fn of_program(program: ProgramLoad) -> Self {
        JobFile::of(Instead::Program(program))
    }

    /// The fault of the first job that does more than read.
    pub fn fault_of_writer(&self) -> Option<JobError> {
        let only_reads = |job: &&Settings| job.pattern.mix() == Mix::Only(Direction::Read);
        let job = self.jobs.iter().find(|job| !only_reads(job))?;
        Some(job.error("rw", None, "a job that only reads, as --readonly is given".to_string()))
    }

    fn of(instead: Instead) -> Self {
        let (warnings, global_options, jobs) = (Vec::new(), Vec::new(), Vec::new());
        JobFile { warnings, global_options, jobs, instead: Some(instead) }
    }
}

/// A heading and the options below it.
struct Section {
    name: String,
    place: Place,
    entries: Vec<Entry>,
}

/// Parses a job file. `path` is only used to name the file in messages. Variables of the environment
/// are not replaced: [`super::expand`] does that.
///
/// # Errors
/// The first line that is malformed, holds a value that cannot be used, or asks for something that
/// would change the result and is not modelled.
pub fn parse_file(path: &str, text: &str) -> Result<JobFile, JobError> {
    let mut sections: Vec<Section> = Vec::new();
    for (place, line) in lines(path, text) {
        // As in fio, `;` and `#` start a comment wherever they stand.
        let line = line.split([';', '#']).next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        let malformed =
            |place, expected| JobError::Malformed { place, found: line.to_string(), expected };
        if let Some(rest) = line.strip_prefix('[') {
            let name = match rest.split_once(']') {
                Some((name, "")) if !name.is_empty() => name.to_string(),
                _ => return Err(malformed(place, "a section such as [name]")),
            };
            sections.push(Section { name, place, entries: Vec::new() });
            continue;
        }
        if line.split_whitespace().next() == Some("include") {
            return Err(malformed(place, INCLUDE));
        }
        let Some(section) = sections.last_mut() else {
            return Err(malformed(place, "a section such as [name] before the first option"));
        };
        section.entries.push(entry(place, line)?);
    }
    inherit(path, sections)
}

/// Parses fio options given in place of a job file, such as `("rw", "randread")`; a flag has an
/// empty value. `name` starts a job, as on fio's command line, and `name=global` a global section;
/// options before the first `name` are global. Without any `name` they are those of a job `job1`.
///
/// # Errors
/// As for [`parse_file`].
pub fn from_pairs(pairs: &[(String, String)]) -> Result<JobFile, JobError> {
    let mut sections: Vec<Section> = Vec::new();
    let section = |name: &str| Section {
        name: name.to_string(),
        place: Place::CommandLine,
        entries: Vec::new(),
    };
    for (key, value) in pairs {
        let (key, value) = (key.trim(), value.trim());
        if key == "name" {
            sections.push(section(value));
            if value == "global" {
                continue;
            }
        }
        if sections.is_empty() {
            let is_named = pairs.iter().any(|(key, _)| key.trim() == "name");
            sections.push(section(if is_named { "global" } else { "job1" }));
        }
        let last = sections.len() - 1;
        sections[last].entries.push(Entry::new(Place::CommandLine, key, value)?);
    }
    inherit("command line", sections)
}

fn entry(place: Place, line: &str) -> Result<Entry, JobError> {
    let (key, value) = line.split_once('=').unwrap_or((line, ""));
    let (key, value) = (key.trim(), value.trim());
    if key.is_empty() || key.contains(char::is_whitespace) {
        let found = line.to_string();
        return Err(JobError::Malformed { place, found, expected: "an option such as bs=4k" });
    }
    Entry::new(place, key, value)
}

/// Gives each job the global options above it, then its own.
fn inherit(file: &str, sections: Vec<Section>) -> Result<JobFile, JobError> {
    let mut globals: Vec<Entry> = Vec::new();
    let mut jobs = Vec::new();
    let mut warnings = Vec::new();
    for section in sections {
        if section.name == "global" {
            globals.extend(section.entries);
            continue;
        }
        let own = written(&section.entries);
        let entries = globals.iter().cloned().chain(section.entries).collect::<Vec<Entry>>();
        let (mut settings, told) = Settings::read(section.name, section.place, entries)?;
        settings.written = own;
        jobs.push(settings);
        for warning in told {
            // A global option reaches every job, its warning the user once.
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
    }
    if jobs.is_empty() {
        return Err(JobError::NoJobs { file: file.to_string() });
    }
    Ok(JobFile { warnings, global_options: written(&globals), jobs, instead: None })
}

/// Options by fio's names of them; of several values of one the last counts.
fn written(entries: &[Entry]) -> Vec<(String, String)> {
    let mut options: Vec<(String, String)> = Vec::new();
    for Entry { key, value, .. } in entries {
        let key = canonical(key);
        match options.iter_mut().find(|(known, _)| known == key) {
            Some((_, before)) => before.clone_from(value),
            None => options.push((key.to_string(), value.clone())),
        }
    }
    options
}
