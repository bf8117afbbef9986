//! The command `study`.

use std::fs;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;

use ::study::outcome::{Status, StudyOutcome};
use ::study::{output, Plan, Study, StudyError};

use crate::arguments::{CalibrateArguments, StudyAction, StudyArguments, StudyRunArguments};
use crate::failure::Failure;
use crate::output::{print, Destination};
use crate::progress::StudyLine;

/// The word that stands for all studies of the folder.
const ALL: &str = "all";
/// The report that `study all` writes, from the folder that the studies' folder is in.
const FIDELITY: &str = "docs/fidelity.md";
/// The boards' folder, from the same.
const BOARDS: &str = "boards";

/// Runs studies, or lists them if none is named.
///
/// # Errors
/// When a study cannot be used, found before anything runs; when a run fails; and when a value lies
/// outside its tolerance, after everything is written.
pub fn study(arguments: &StudyArguments) -> Result<(), Failure> {
    match &arguments.action {
        None if arguments.run.names.is_empty() => list(&arguments.run.studies),
        None => run(&arguments.run),
        Some(StudyAction::Calibrate(calibrate)) => fit(calibrate),
    }
}

/// Prints the studies of a folder with their titles.
fn list(folder: &Path) -> Result<(), Failure> {
    let names = ::study::names(folder).map_err(failure)?;
    let studies: Result<Vec<Study>, Failure> =
        names.iter().map(|name| load(folder, name)).collect();
    let studies = studies?;
    let width = names.iter().map(String::len).max().unwrap_or(0);
    print(|out| {
        studies
            .iter()
            .try_for_each(|study| writeln!(out, "{:width$}  {}", study.name(), study.title()))
    })
}

fn run(arguments: &StudyRunArguments) -> Result<(), Failure> {
    let folder = &arguments.studies;
    let all = arguments.names.iter().any(|name| name == ALL);
    let names =
        if all { ::study::names(folder).map_err(failure)? } else { distinct(&arguments.names) };
    if names.is_empty() {
        return Err(Failure::unexpected(folder.display(), "no study", "a folder with some"));
    }
    let studies: Result<Vec<Study>, Failure> = names
        .iter()
        .map(|name| load(folder, name))
        .map(|study| Ok(if arguments.quick { study?.quick() } else { study? }))
        .collect();
    let studies = studies?;
    let plans: Result<Vec<Plan<'_>>, Failure> =
        studies.iter().map(|study| Plan::new(study).map_err(failure)).collect();
    let plans = plans?;
    make_folder(&arguments.out)?;
    let fidelity = fidelity_file(arguments, all)?;

    let threads = threads(arguments.jobs);
    let mut outcomes = Vec::new();
    for plan in &plans {
        let mut line = StudyLine::new(plan.study_name());
        let outcome = plan.run(threads, &mut |progress| line.show(&progress)).map_err(failure)?;
        drop(line);
        print(|out| out.write_all(output::table(&outcome).as_bytes()))?;
        outcomes.push(outcome);
    }
    output::write(&outcomes, &arguments.out).map_err(|error| Failure::Input(error.to_string()))?;
    if let Some(file) = fidelity {
        file.write(|out| out.write_all(output::fidelity(&outcomes).as_bytes()))?;
    }
    within_tolerance(&outcomes)
}

/// Calibrates boards by a study.
fn fit(arguments: &CalibrateArguments) -> Result<(), Failure> {
    let CalibrateArguments { name, studies, .. } = arguments;
    let study = load(studies, name)?;
    let boards = arguments.boards.clone().unwrap_or_else(|| beside(studies, BOARDS));
    let mut line = StudyLine::new(&format!("calibrating by {name}"));
    let mut show = |progress| line.show(&progress);
    let calibration = study.calibrate(&boards, threads(arguments.jobs), &mut show);
    drop(line);
    let calibration = calibration.map_err(failure)?;
    print(|out| write!(out, "{calibration}"))
}

/// The names without those that were said before.
fn distinct(names: &[String]) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for name in names {
        if !distinct.contains(name) {
            distinct.push(name.clone());
        }
    }
    distinct
}

fn load(folder: &Path, name: &str) -> Result<Study, Failure> {
    if !folder.join(name).is_dir() {
        let known = ::study::names(folder).map_err(failure)?;
        let expected = format!("a study of {}: {}", folder.display(), known.join(", "));
        return Err(Failure::unexpected(name, "no study of this name", &expected));
    }
    Study::load(&folder.join(name)).map_err(failure)
}

/// Where the fidelity report goes: with `all` it is always written, but not for a part of a study.
fn fidelity_file(arguments: &StudyRunArguments, all: bool) -> Result<Option<Destination>, Failure> {
    let path = match &arguments.fidelity {
        Some(file) => file.clone(),
        None if all && !arguments.quick => {
            let path = beside(&arguments.studies, FIDELITY);
            if let Some(parent) = path.parent() {
                make_folder(parent)?;
            }
            path
        }
        None => return Ok(None),
    };
    Destination::new(&path).map(Some)
}

/// Makes a folder before the runs, so that nothing is run in vain.
fn make_folder(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder)
        .map_err(|error| Failure::file(folder, &error, "a folder that can be written"))
}

/// A path from the folder that `folder` is in.
fn beside(folder: &Path, path: &str) -> PathBuf {
    match (folder.file_name(), folder.parent()) {
        (Some(_), Some(parent)) => parent.join(path),
        // A path such as `.` or `..` does not name the folder that it is in.
        _ => folder.join("..").join(path),
    }
}

fn threads(jobs: Option<NonZeroUsize>) -> usize {
    let all = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    jobs.unwrap_or_else(all).get()
}

fn within_tolerance(outcomes: &[StudyOutcome]) -> Result<(), Failure> {
    let rows = || outcomes.iter().flat_map(|study| &study.experiments).flat_map(|e| &e.rows);
    let judged = rows().filter(|row| row.status != Status::Reported).count();
    match rows().filter(|row| row.status == Status::Outside).count() {
        0 => Ok(()),
        1 => Err(Failure::Tolerance(format!("1 of {judged} values lies outside its tolerance"))),
        outside => Err(Failure::Tolerance(format!(
            "{outside} of {judged} values lie outside their tolerances"
        ))),
    }
}

fn failure(error: StudyError) -> Failure {
    match error.is_fault_of_drive() {
        true => Failure::Drive(error.to_string()),
        false => Failure::Input(error.to_string()),
    }
}
