//! The command `study`.

use std::fmt;
use std::fs;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;

use ::study::outcome::{Status, StudyOutcome};
use ::study::{output, Plan, Study, StudyError};

use crate::arguments::{CalibrateArguments, StudyAction, StudyArguments, StudyRunArguments};
use crate::output::{print, Destination};
use crate::progress::StudyLine;
use recipe::Failure;

/// The word that stands for all studies that there are.
const ALL: &str = "all";
/// The boards' folder, from the root of the repository.
const BOARDS: &str = "boards";

/// Runs studies, or lists them if none is named.
///
/// # Errors
/// When a study cannot be used, found before anything runs; when a run fails; and when a value lies
/// outside its tolerance, after everything is written.
pub fn study(arguments: &StudyArguments) -> Result<(), Failure> {
    match &arguments.action {
        None if arguments.run.names.is_empty() => list(&Shelf::new(&arguments.run.studies)),
        None => run(&arguments.run),
        Some(StudyAction::Calibrate(calibrate)) => fit(calibrate),
    }
}

/// Prints the studies that there are with their titles.
fn list(shelf: &Shelf) -> Result<(), Failure> {
    let names = shelf.names()?;
    let studies: Result<Vec<Study>, Failure> = names.iter().map(|name| shelf.load(name)).collect();
    let studies = studies?;
    let width = names.iter().map(String::len).max().unwrap_or(0);
    print(|out| {
        studies
            .iter()
            .try_for_each(|study| writeln!(out, "{:width$}  {}", study.name(), study.title()))
    })
}

fn run(arguments: &StudyRunArguments) -> Result<(), Failure> {
    let shelf = Shelf::new(&arguments.studies);
    let all = arguments.names.iter().any(|name| name == ALL);
    let names = if all { shelf.names()? } else { distinct(&arguments.names) };
    if names.is_empty() {
        return Err(Failure::unexpected(&shelf, "no study", "a folder with some"));
    }
    let studies: Result<Vec<Study>, Failure> = names
        .iter()
        .map(|name| shelf.load(name))
        .map(|study| Ok(if arguments.quick { study?.quick() } else { study? }))
        .collect();
    let studies = studies?;
    let plans: Result<Vec<Plan<'_>>, Failure> =
        studies.iter().map(|study| Plan::new(study).map_err(failure)).collect();
    let plans = plans?;
    make_folder(&arguments.out)?;
    let fidelity = arguments.fidelity.as_deref().map(Destination::new).transpose()?;

    let threads = threads(arguments.jobs);
    let mut outcomes = Vec::new();
    for plan in &plans {
        let mut line = StudyLine::new(plan.study_name());
        let most = if arguments.quick { 1 } else { usize::from(arguments.seeds) };
        let outcome = plan.repeated(most, threads, &mut |progress| line.show(&progress));
        let outcome = outcome.map_err(failure)?;
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
    let shelf = Shelf::new(studies);
    let study = shelf.load(name)?;
    let boards = arguments.boards.clone().unwrap_or_else(|| shelf.beside(BOARDS));
    if !boards.is_dir() {
        let expected = "the folder of board files that calibrate writes to: --boards DIR, or \
                        Firmament's repository as the working directory";
        return Err(Failure::unexpected(boards.display(), "no folder", expected));
    }
    let mut line = StudyLine::new(&format!("calibrating by {name}"));
    let mut show = |progress| line.show(&progress);
    if arguments.sensitivity {
        let sensitivity = study.sensitivity(threads(arguments.jobs), &mut show);
        drop(line);
        let sensitivity = sensitivity.map_err(failure)?;
        return print(|out| write!(out, "{sensitivity}"));
    }
    if !arguments.without.is_empty() {
        let running = (threads(arguments.jobs), &mut show as &mut dyn FnMut(study::Progress));
        let validation = study.cross_validate(&boards, &arguments.without, running);
        drop(line);
        let validation = validation.map_err(failure)?;
        return print(|out| write!(out, "{validation}"));
    }
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

/// Where studies are taken from.
enum Shelf {
    /// The program.
    BuiltIn,
    /// A folder with a folder each.
    Folder(PathBuf),
}

impl Shelf {
    fn new(folder: &Option<PathBuf>) -> Shelf {
        folder.clone().map_or(Shelf::BuiltIn, Shelf::Folder)
    }

    fn names(&self) -> Result<Vec<String>, Failure> {
        match self {
            Shelf::BuiltIn => {
                Ok(::study::built_in_names().into_iter().map(str::to_owned).collect())
            }
            Shelf::Folder(folder) => ::study::names(folder).map_err(failure),
        }
    }

    fn load(&self, name: &str) -> Result<Study, Failure> {
        let found = match self {
            Shelf::BuiltIn => Study::built_in(name),
            Shelf::Folder(folder) if folder.join(name).is_dir() => {
                Some(Study::load(&folder.join(name)))
            }
            Shelf::Folder(_) => None,
        };
        match found {
            Some(study) => study.map_err(failure),
            None => {
                let hint = match self {
                    Shelf::BuiltIn => "; --studies DIR runs others",
                    Shelf::Folder(_) => "",
                };
                let expected = format!("a study of {self}: {}{hint}", self.names()?.join(", "));
                Err(Failure::unexpected(name, "no study of this name", &expected))
            }
        }
    }

    /// A path from the folder that the studies' folder is in: the repository, if they are in one.
    fn beside(&self, path: &str) -> PathBuf {
        let Shelf::Folder(folder) = self else { return PathBuf::from(path) };
        match (folder.file_name(), folder.parent()) {
            (Some(_), Some(parent)) => parent.join(path),
            // A path such as `.` or `..` does not name the folder that it is in.
            _ => folder.join("..").join(path),
        }
    }
}

impl fmt::Display for Shelf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shelf::BuiltIn => f.write_str("the built-in ones"),
            Shelf::Folder(folder) => write!(f, "{}", folder.display()),
        }
    }
}

/// Makes a folder, and those above it.
pub(crate) fn make_folder(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder)
        .map_err(|error| Failure::file(folder, &error, "a folder that can be written"))
}

/// As many threads as are asked for, or as there are cores.
pub(crate) fn threads(jobs: Option<NonZeroUsize>) -> usize {
    let all = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    jobs.unwrap_or_else(all).get()
}

fn within_tolerance(outcomes: &[StudyOutcome]) -> Result<(), Failure> {
    let rows = || outcomes.iter().flat_map(|study| &study.experiments).flat_map(|e| &e.rows);
    let judged = rows().filter(|row| row.status != Status::Reported).count();
    match rows().filter(|row| row.status == Status::Outside).count() {
        0 => Ok(()),
        1 => Err(Failure::Tolerance(format!("1 of {judged} rows lies outside its tolerance"))),
        outside => Err(Failure::Tolerance(format!(
            "{outside} of {judged} rows lie outside their tolerances"
        ))),
    }
}

fn failure(error: StudyError) -> Failure {
    match error.is_fault_of_drive() {
        true => Failure::Drive(error.to_string()),
        false => Failure::Input(error.to_string()),
    }
}
