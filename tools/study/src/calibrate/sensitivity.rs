//! How far predicted values move with each parameter: what the fit, and what is assumed, leave open.

use std::collections::BTreeMap;
use std::fmt;

use crate::error::{Fault, StudyError};
use crate::experiment::{Experiment, Value};
use crate::grid::Point;
use crate::measurement::Measurement;
use crate::metric::Look;
use crate::outcome::{Evidence, Parameter, Role};
use crate::parameters::parameters;
use crate::plan::PlannedRun;
use crate::runner::{run_all, Progress};
use crate::Study;

/// What each parameter is raised by, in percent.
const RAISED_PERCENT: f64 = 20.0;
/// Roles of parameters that could be otherwise.
const OPEN: [&str; 3] = ["assumed", "calibrated", "borrowed"];

/// The predicted values of an experiment, and what each parameter does to them.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensitivity {
    /// How many values there are.
    pub values: usize,
    /// Parameters, the one that matters most first.
    pub parameters: Vec<Moved>,
    /// Parameters that a board does not take so much larger.
    pub refused: Vec<String>,
}

/// What a parameter does.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    /// The dotted key.
    pub key: String,
    /// What the board has, and what was tried.
    pub from: String,
    /// What was tried in its place.
    pub to: String,
    /// Mean change of a value, without its sign, in percent.
    pub mean_percent: f64,
    /// The largest change, in percent.
    pub largest_percent: f64,
    /// The value that changed so.
    pub largest: String,
}

impl Study {
    /// Raises each assumed, fitted or borrowed number of the boards that the experiment of `[calibrate]` runs on by a fifth, and
    /// one that is 0 to 1, and tells how far the experiment's predicted values move. No board is changed.
    ///
    /// # Errors
    /// When the study has nothing to calibrate, its experiment predicts nothing, or a run fails.
    pub fn sensitivity(
        &self,
        threads: usize,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Sensitivity, StudyError> {
        let experiment = &self.experiments[self.goal()?.experiment];
        let is_predicted =
            |value: &&Value| value.role == Role::Predicted && value.evidence == Evidence::Published;
        let values: Vec<&Value> = experiment.values.iter().filter(is_predicted).collect();
        if values.is_empty() {
            let fault = Fault::new("experiment", "no predicted value", "one that is published");
            return Err(self.fault(fault.below("calibrate")));
        }
        let mut points: Vec<Point> = values.iter().map(|value| value.point).collect();
        points.sort();
        points.dedup();
        let (mut runs, mut tried, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        runs.extend(self.with(experiment, &points, None)?);
        for (key, from, to) in self.open_parameters()? {
            match self.with(experiment, &points, Some((&key, &to))) {
                Ok(more) => {
                    runs.extend(more);
                    tried.push((key, from, to));
                }
                Err(_) => refused.push(key),
            }
        }
        let measured = run_all(&runs, threads, progress)?;
        let mut chunks = measured.chunks(points.len());
        let of = |runs: &[Measurement]| -> Vec<f64> {
            let at: BTreeMap<Point, &Measurement> = points.iter().copied().zip(runs).collect();
            let value = |value: &&Value| value.metric.of(at[&value.point], Look::default());
            values.iter().map(|own| value(own).unwrap_or(f64::NAN)).collect()
        };
        let base = of(chunks.next().expect("the boards as they are"));
        let mut moved: Vec<Moved> = tried
            .into_iter()
            .zip(chunks)
            .map(|(tried, runs)| change(&values, &changes(&base, &of(runs)), tried))
            .collect();
        moved.sort_by(|a, b| b.largest_percent.abs().total_cmp(&a.largest_percent.abs()));
        Ok(Sensitivity { values: values.len(), parameters: moved, refused })
    }

    /// The runs of some points, with another value of a parameter unless a point sets it itself.
    fn with(
        &self,
        experiment: &Experiment,
        points: &[Point],
        other: Option<(&str, &str)>,
    ) -> Result<Vec<PlannedRun>, StudyError> {
        let run = |point: &Point| {
            let mut setup = experiment.setup(*point).map_err(|fault| self.fault(fault))?;
            if let Some((key, to)) = other {
                setup.set.entry(key.to_owned()).or_insert_with(|| to.to_owned());
            }
            PlannedRun::new(self, setup, experiment.name_of(*point))
        };
        points.iter().map(run).collect()
    }

    /// Keys with a number that could be otherwise: the number, and a larger one.
    fn open_parameters(&self) -> Result<Vec<(String, String, String)>, StudyError> {
        let mut open: Vec<(String, String, String)> = Vec::new();
        for Parameter { key, value, role, .. } in parameters(self)? {
            let is_known = open.iter().any(|(known, ..)| *known == key);
            if let Some(to) = raised(&value).filter(|_| OPEN.contains(&role) && !is_known) {
                open.push((key, value, to));
            }
        }
        Ok(open)
    }
}

/// A fifth more, a whole number for a whole one, and 1 for 0.
fn raised(value: &str) -> Option<String> {
    let number: f64 = value.parse().ok()?;
    let more = number * (1.0 + RAISED_PERCENT / 100.0);
    Some(match value.contains('.') {
        _ if number == 0.0 => "1".to_owned(),
        true => format!("{more:.3}"),
        false => format!("{}", more.round().max(number + 1.0)),
    })
}

/// By how much values changed, in percent.
fn changes(base: &[f64], raised: &[f64]) -> Vec<f64> {
    base.iter().zip(raised).map(|(base, raised)| 100.0 * (raised / base - 1.0)).collect()
}

fn change(values: &[&Value], changes: &[f64], tried: (String, String, String)) -> Moved {
    let (key, from, to) = tried;
    let further = |a: &&(&&Value, &f64), b: &&(&&Value, &f64)| a.1.abs().total_cmp(&b.1.abs());
    let pairs: Vec<(&&Value, &f64)> = values.iter().zip(changes).collect();
    let (value, largest) = pairs.iter().max_by(further).expect("at least one value");
    Moved {
        key,
        from,
        to,
        mean_percent: changes.iter().map(|change| change.abs()).sum::<f64>() / values.len() as f64,
        largest_percent: **largest,
        largest: value.id.clone(),
    }
}

impl fmt::Display for Sensitivity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sensitivity { values, parameters, refused } = self;
        writeln!(f, "{values} predicted values, each parameter a fifth larger, or 1 for 0\n")?;
        let width = parameters.iter().map(|moved| moved.key.len()).max().unwrap_or(0).max(9);
        writeln!(
            f,
            "{:width$}  {:>8}  {:>8}  {:>7}  {:>8}",
            "parameter", "from", "to", "mean", "largest"
        )?;
        for Moved { key, from, to, mean_percent, largest_percent, largest } in parameters {
            write!(
                f,
                "{key:width$}  {from:>8}  {to:>8}  {mean_percent:>6.2}%  {largest_percent:>+7.2}%"
            )?;
            writeln!(f, "  {largest}")?;
        }
        match refused.is_empty() {
            true => Ok(()),
            false => writeln!(f, "\nrefused by a board: {}", refused.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fifth_more_is_a_number_of_the_same_kind() {
        let raised = ["8", "1", "0", "0.25", "6.6", "page"].map(raised);
        let expected = [Some("10"), Some("2"), Some("1"), Some("0.300"), Some("7.920"), None];
        assert_eq!(raised.each_ref().map(Option::as_deref), expected);
    }
}
