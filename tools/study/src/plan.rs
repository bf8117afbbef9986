//! Which runs a study takes: each distinct one once, and none that nothing uses.

use std::collections::{BTreeMap, BTreeSet};

use board::Board;
use host::job::{self, DriveShape, JobFile, JobSpec, ZoneLayout};

use crate::error::{Fault, StudyError};
use crate::flash_load::Load;
use crate::grid::Point;
use crate::loads;
use crate::metric::Metric;
use crate::outcome::Parameter;
use crate::parameters::parameters;
use crate::setup::Setup;
use crate::Study;

/// Bytes a second that no drive here exceeds by much; a job that ends by time is taken for as long.
const ASSUMED_BYTES_PER_SECOND: f64 = 2e9;

/// The runs of a study, checked as far as can be without running them.
#[derive(Debug)]
pub struct Plan<'a> {
    pub(crate) study: &'a Study,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) runs: Vec<PlannedRun>,
    /// The run of each point that something uses: by experiment, then point.
    pub(crate) run_of: BTreeMap<(usize, Point), usize>,
}

/// A run to do.
#[derive(Clone, Debug)]
pub(crate) struct PlannedRun {
    pub setup: Setup,
    pub board: Board,
    pub work: Work,
    pub watching: Watching,
    /// The first point that needs it, for people.
    pub name: String,
    /// How long it may take, in comparison with others.
    pub cost: f64,
}

/// What is done in a run.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// fio's job, on a drive.
    Job(JobFile),
    /// Flash requests, on the drive's channels.
    Flash(Load),
    /// Patterns in worn blocks, on its chips.
    Cells(crate::cell_load::Load),
    /// None: look-up tables that a synthesis found.
    Area(f64),
}

/// Whether somebody watches the flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Watching {
    /// Nobody.
    No,
    /// How commands are spread over channels and ways.
    Spread,
    /// What the drive does over time.
    Course,
    /// What channels and chips do when.
    Timeline,
}

impl<'a> Plan<'a> {
    /// Plans all runs of a study.
    ///
    /// # Errors
    /// The first fault of a board or of a job; or that there is nothing to run, as in the quick
    /// subset of a study that names none.
    pub fn new(study: &'a Study) -> Result<Plan<'a>, StudyError> {
        if study.experiments.is_empty() {
            // No study is read without experiments, but a quick subset can be left without any.
            return Err(study.fault(Fault::new("quick", "nothing", "points of an experiment")));
        }
        let mut plan = Plan {
            study,
            parameters: parameters(study)?,
            runs: Vec::new(),
            run_of: BTreeMap::new(),
        };
        let mut known: BTreeMap<Setup, usize> = BTreeMap::new();
        for (nth, experiment) in study.experiments.iter().enumerate() {
            for (point, metrics) in experiment.uses() {
                let setup = experiment.setup(point).map_err(|fault| study.fault(fault))?;
                let run = match known.get(&setup) {
                    Some(run) => *run,
                    None => {
                        let name = experiment.name_of(point);
                        plan.runs.push(PlannedRun::new(study, setup.clone(), name)?);
                        known.insert(setup, plan.runs.len() - 1);
                        plan.runs.len() - 1
                    }
                };
                if experiment.draws(point) {
                    plan.runs[run].watch_timeline().map_err(|fault| study.fault(fault))?;
                }
                experiment.check_look(point, &metrics).map_err(|fault| study.fault(fault))?;
                let own = &mut plan.runs[run];
                own.watch(&metrics).map_err(|fault| study.fault(fault))?;
                plan.run_of.insert((nth, point), run);
            }
        }
        Ok(plan)
    }

    /// What the study is called.
    pub fn study_name(&self) -> &str {
        self.study.name()
    }

    /// Number of runs.
    pub fn runs(&self) -> usize {
        self.runs.len()
    }
}

impl PlannedRun {
    /// Has the run watched for a timeline, which is drawn of sequences alone.
    fn watch_timeline(&mut self) -> Result<(), Fault> {
        match &self.work {
            Work::Flash(Load { sequence: Some(_), .. }) => self.watching = Watching::Timeline,
            _ => {
                let fault = Fault::new("timeline", "another load", "flash = { sequence = … }");
                return Err(fault.below(&self.name));
            }
        }
        Ok(())
    }

    /// Has the run watched for what is measured of it.
    fn watch(&mut self, metrics: &BTreeSet<Metric>) -> Result<(), Fault> {
        for metric in metrics {
            let wanted = match metric {
                own if own.is_watched() => Watching::Spread,
                own if own.takes_course() => Watching::Course,
                _ => continue,
            };
            if self.watching != Watching::No && self.watching != wanted {
                let found = format!("{} and another that is watched for otherwise", metric.name());
                return Err(Fault::new("metric", found, "one of both").below(&self.name));
            }
            self.watching = wanted;
        }
        Ok(())
    }

    /// Checks board and job of a setup. `name` says whose it is.
    pub fn new(study: &Study, setup: Setup, name: String) -> Result<PlannedRun, StudyError> {
        let refuse = |fault: Fault| study.fault(fault.below(&name));
        let overrides: Vec<(String, String)> =
            setup.set.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
        let board = Board::resolve(&study.board_path(&setup.board), &overrides);
        let board =
            board.map_err(|error| retold(study, &name, ("set", "board"), &error.to_string()))?;
        let watching = Watching::No;
        let options = setup.jobs();
        if !setup.area.is_empty() {
            if !(options.is_empty() && setup.flash.is_empty() && setup.cells.is_empty()) {
                return Err(refuse(Fault::new(
                    "area",
                    "it and job, flash or cells",
                    "one of them",
                )));
            }
            let work = loads::area(study, &setup, &name)?;
            return Ok(PlannedRun { setup, board, work, watching, name, cost: 0.0 });
        }
        match (options.is_empty(), setup.flash.is_empty(), setup.cells.is_empty()) {
            (true, true, true) => {
                let expected = "options of fio such as rw, or flash, cells or area";
                return Err(refuse(Fault::new("job", "nothing", expected)));
            }
            (true, false, true) => {
                let (work, cost) = loads::flash(&setup, &board).map_err(refuse)?;
                return Ok(PlannedRun { setup, board, work, watching, name, cost });
            }
            (true, true, false) => {
                let (work, cost) = loads::cells(&setup, &board).map_err(refuse)?;
                return Ok(PlannedRun { setup, board, work, watching, name, cost });
            }
            (false, true, true) => {}
            (false, false, true) => {
                return Err(refuse(Fault::new("flash", "it and job", "one of both")));
            }
            (_, _, false) => {
                return Err(refuse(Fault::new("cells", "it and job or flash", "one of them")));
            }
        }
        let wrong_job = |line: &str| retold(study, &name, ("job", "job"), line);
        let jobs = job::from_pairs(&options).map_err(|error| wrong_job(&error.to_string()))?;
        if let Some(warning) = jobs.warnings.first() {
            let (option, reason) = warning
                .strip_prefix("command line: ")
                .and_then(|warning| warning.split_once(": "))
                .unwrap_or(("", warning));
            let fault = Fault::new(
                format!("job.{option}"),
                format!("it ({reason})"),
                "an option that is acted on",
            );
            return Err(refuse(fault));
        }
        let specs = jobs.resolve(shape(&board)).map_err(|error| wrong_job(&error.to_string()))?;
        let cost = specs.iter().map(|spec| cost(spec, &board)).sum();
        Ok(PlannedRun { setup, board, work: Work::Job(jobs), watching, name, cost })
    }
}

/// An error of a board or a job, as the study's: those crates take what they are given for a
/// command line. `key` holds what is given to them, `owner` what has no such key.
fn retold(study: &Study, name: &str, (key, owner): (&str, &str), line: &str) -> StudyError {
    let (place, rest) = match line.split_once(": ") {
        Some(("--set" | "command line", rest)) => (format!("{name}: {key}."), rest),
        _ => (format!("{name}: {owner}: "), line),
    };
    let (at, rest) = rest.split_once(": found ").unwrap_or(("", rest));
    let (found, expected) = rest.split_once(", expected ").unwrap_or((rest, "another"));
    study.fault(Fault::new(format!("{place}{at}"), found, expected))
}

/// The namespace that the board's firmware starts with.
fn shape(board: &Board) -> DriveShape {
    let firmware = &board.firmware;
    let capacity_bytes =
        u64::from(firmware.logical_pages) * u64::from(firmware.geometry.page_bytes);
    let block_bytes = firmware.block_formats[usize::from(firmware.block_format)];
    let placement_handles = firmware.placement_handles().into();
    let zones = ZoneLayout::of(board);
    DriveShape { capacity_bytes, block_bytes, placement_handles, zones }
}

/// Requests and pages that a job moves, roughly.
fn cost(spec: &JobSpec, board: &Board) -> f64 {
    let lengths = spec.mix.directions().iter().map(|d| spec.lengths.of(*d).max_bytes());
    let length = lengths.max().unwrap_or(1).max(1) as f64;
    let by_time = |time_ps: u64| time_ps as f64 / 1e12 * ASSUMED_BYTES_PER_SECOND;
    let ends = [
        spec.stop.total_bytes.map(|bytes| bytes as f64),
        spec.stop.requests.map(|requests| requests as f64 * length),
        spec.stop.runtime_ps.map(|time_ps| by_time(time_ps + spec.timing.ramp_ps)),
    ];
    let bytes = ends.into_iter().flatten().fold(f64::INFINITY, f64::min);
    let page = f64::from(board.firmware.geometry.page_bytes);
    bytes / length + bytes / page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_see_the_placement_handles_of_their_board() {
        for (streams, handles) in [("together", 0), ("by-handle", 4)] {
            let values = [("ftl.streams", streams), ("ftl.overprovision_percent", "25")];
            let values = values.map(|(key, value)| (key.to_owned(), value.to_owned()));
            let board = Board::resolve("small", &values).expect("a board");
            assert_eq!(shape(&board).placement_handles, handles, "{streams}");
        }
    }
}
