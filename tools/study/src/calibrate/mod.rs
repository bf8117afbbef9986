//! Calibration: the values of a board's parameters that bring fitted values nearest to what was
//! published.
//!
//! Fits begin where the study says and at places spread over the ranges, not at what the board holds, so that a
//! second calibration finds what the first one found. The best of them counts.

mod boards;
mod report;
mod sensitivity;
mod simulated;

use std::path::Path;

use runs::least_squares::{Fitted, Range};

use crate::error::{Fault, StudyError};
use crate::experiment::Experiment;
use crate::runner::Progress;
use crate::Study;

use boards::{Boards, Leaf};
use simulated::Simulated;

pub use report::{Attempt, Calibration, CrossValidation, FittedParameter};
pub use sensitivity::{Moved, Sensitivity};

/// What is to be calibrated, and on what.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Goal {
    /// Index of the experiment.
    pub experiment: usize,
    /// Indices of the values of it that are fitted; none is published as 0.
    pub values: Vec<usize>,
    /// What the relative error of each value counts.
    pub weights: Vec<f64>,
    /// Most rounds of a fit.
    pub rounds: u32,
    /// Fits that are done, each from another place.
    pub starts: u32,
    /// The parameters, at least one.
    pub parameters: Vec<Free>,
}

/// A parameter that is free within bounds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Free {
    /// The dotted key.
    pub key: String,
    /// The board whose file holds it.
    pub board: String,
    /// Where the fit begins.
    pub start: f64,
    /// The lowest value.
    pub low: f64,
    /// The highest value.
    pub high: f64,
    /// Values are multiples of it.
    pub step: f64,
}

impl Free {
    /// What the fit works with.
    pub fn range(&self) -> Range {
        // A bound that is a multiple of the step counts as one, whatever the division rounds to.
        let low = (self.low / self.step - 1e-9).ceil() as i64;
        let high = (self.high / self.step + 1e-9).floor() as i64;
        let start = ((self.start / self.step).round() as i64).clamp(low, high.max(low));
        Range { start, low, high }
    }

    /// A number of steps as a decimal number, with as many decimals as the step has.
    pub fn written(&self, steps: i64) -> String {
        let step = self.step.to_string();
        let decimals = step.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        format!("{:.decimals$}", steps as f64 * self.step)
    }
}

impl Study {
    /// Fits the parameters that `[calibrate]` names, on `threads` threads, and writes them into the
    /// files of their boards, which are in the folder `boards`. The result does not depend on the
    /// number of threads, nor on what the files held.
    ///
    /// # Errors
    /// When the study has nothing to calibrate, a file cannot be used, or a run fails.
    pub fn calibrate(
        &self,
        boards: &Path,
        threads: usize,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Calibration, StudyError> {
        let goal = self.goal()?;
        let mut boards = Boards::new(boards);
        let fits = self.fits(goal, &mut boards, (threads, progress))?;
        let best = runs::least_squares::best(&fits);
        let fitted = &fits[best];

        let experiment = &self.experiments[goal.experiment];
        let rows = rows(experiment, goal);
        let source = self.source(experiment, &rows);
        for (free, steps) in goal.parameters.iter().zip(&fitted.place) {
            let leaf =
                Leaf { key: free.key.clone(), value: free.written(*steps), source: source.clone() };
            boards.set(&boards.file_of(&self.board_path(&free.board)), &leaf);
        }
        let written = boards.write()?;
        Ok(Calibration::new(goal, (&fits, best), report::Origin { place: source, written }))
    }

    /// Fits as [`Study::calibrate`] does, but without the points that all of these pairs of an axis and a point
    /// of it choose, and tells how the fit predicts those. No board is changed.
    ///
    /// # Errors
    /// As those of [`Study::calibrate`], and where the pairs choose none of the fitted values or all of them.
    pub fn cross_validate(
        &self,
        boards: &Path,
        without: &[(String, String)],
        (threads, progress): (usize, &mut dyn FnMut(Progress)),
    ) -> Result<CrossValidation, StudyError> {
        let goal = self.goal()?;
        let (kept, held_out) = self.divided(goal, without).map_err(|fault| self.fault(fault))?;
        let mut boards = Boards::new(boards);
        let fits = self.fits(&kept, &mut boards, (threads, &mut *progress))?;
        let fitted = &fits[runs::least_squares::best(&fits)];
        let mut problem = Simulated::new(self, &held_out, &mut boards, (threads, progress))?;
        let predicted = runs::least_squares::at(&mut problem, &fitted.place)?;
        Ok(CrossValidation::new((&kept, fitted), (&held_out, &predicted), without))
    }

    fn goal(&self) -> Result<&Goal, StudyError> {
        self.calibration.as_ref().ok_or_else(|| {
            self.fault(Fault::new("calibrate", "nothing", "what is to be calibrated"))
        })
    }

    /// A fit from each start.
    fn fits<'a>(
        &'a self,
        goal: &'a Goal,
        boards: &mut Boards<'_>,
        running: (usize, &'a mut dyn FnMut(Progress)),
    ) -> Result<Vec<Fitted>, StudyError> {
        let mut problem = Simulated::new(self, goal, boards, running)?;
        let ranges: Vec<Range> = goal.parameters.iter().map(Free::range).collect();
        let starts = runs::least_squares::spread(&ranges, goal.starts);
        starts
            .iter()
            .map(|ranges| runs::least_squares::fit(ranges, goal.rounds, &mut problem))
            .collect()
    }

    /// The goal without the values that the pairs choose, and the goal of those alone.
    fn divided(&self, goal: &Goal, without: &[(String, String)]) -> Result<(Goal, Goal), Fault> {
        let experiment = &self.experiments[goal.experiment];
        let grid = &experiment.grid;
        let mut chosen = Vec::new();
        for (axis, point) in without {
            let nth = grid.axis("--without", axis)?;
            chosen.push((nth, grid.axes[nth].find("--without", point)?));
        }
        let is_held_out = |value: &usize| {
            let positions = grid.positions(experiment.values[*value].point);
            chosen.iter().all(|(axis, point)| positions[*axis] == *point)
        };
        let pairs = goal.values.iter().copied().zip(goal.weights.iter().copied());
        let (held_out, kept): (Vec<_>, Vec<_>) = pairs.partition(|(value, _)| is_held_out(value));
        if held_out.is_empty() || kept.is_empty() {
            let found = if kept.is_empty() { "all fitted values" } else { "no fitted value" };
            return Err(Fault::new("--without", found, "some of them"));
        }
        let [kept, held_out] = [kept, held_out].map(|values| {
            let (values, weights) = values.into_iter().unzip();
            Goal { values, weights, ..goal.clone() }
        });
        Ok((kept, held_out))
    }

    /// Where the values of a calibration come from, as the board's files tell it.
    fn source(&self, experiment: &Experiment, rows: &str) -> String {
        let (title, place, name) = (&self.title, &experiment.place, &self.name);
        let rows = if rows.is_empty() { String::new() } else { format!(" ({rows})") };
        format!("fitted to {title}, {place}{rows} by firmament study calibrate {name}")
    }
}

/// Which of an experiment's points are fitted, such as `outstanding 1, 8`; axes of which every point
/// is are left out.
fn rows(experiment: &Experiment, goal: &Goal) -> String {
    let grid = &experiment.grid;
    let places: Vec<Vec<usize>> =
        goal.values.iter().map(|nth| grid.positions(experiment.values[*nth].point)).collect();
    let mut parts = Vec::new();
    for (nth, axis) in grid.axes.iter().enumerate() {
        let used = |position: &usize| places.iter().any(|place| place[nth] == *position);
        let used: Vec<usize> = (0..axis.points.len()).filter(used).collect();
        if used.len() < axis.points.len() {
            let names: Vec<&str> = used.iter().map(|at| axis.points[*at].name.as_str()).collect();
            parts.push(format!("{} {}", axis.name, names.join(", ")));
        }
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_become_decimals_without_dust() {
        let free = |step: f64, low: f64, high: f64| Free {
            key: "host.fetch_latency_us".to_owned(),
            board: "small".to_owned(),
            start: low,
            low,
            high,
            step,
        };
        let tenth = free(0.1, 0.3, 20.0);
        assert_eq!((tenth.range().low, tenth.range().high), (3, 200));
        assert_eq!((tenth.written(3).as_str(), tenth.written(20).as_str()), ("0.3", "2.0"));
        let ten = free(10.0, 95.0, 1000.0);
        assert_eq!((ten.range().low, ten.range().start, ten.written(12).as_str()), (10, 10, "120"));
        assert_eq!(free(0.25, 0.0, 1.0).written(3), "0.75");
    }
}
