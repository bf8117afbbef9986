//! Reading what is to be calibrated.

use super::file::{CalibrateFile, ParameterFile};
use super::position;
use crate::calibrate::{Free, Goal};
use crate::error::{one_of, Fault};
use crate::experiment::Experiment;
use crate::outcome::Role;

/// Most rounds of a fit.
const MOST_ROUNDS: u32 = 1000;
/// Most places to begin at.
const MOST_STARTS: u32 = 64;

/// Reads the goal of a calibration over the experiments of the study.
pub(super) fn read(written: &CalibrateFile, experiments: &[Experiment]) -> Result<Goal, Fault> {
    let nth = position(experiments, "experiment", &written.experiment)?;
    let experiment = &experiments[nth];
    let mut known: Vec<&str> = experiment.values.iter().map(|v| v.column.as_str()).collect();
    known.dedup();
    if let Some(strange) = written.columns.keys().find(|column| !known.contains(&column.as_str())) {
        let expected = format!("a column that is compared: {}", one_of(known));
        return Err(Fault::new("columns", format!("{strange:?}"), expected));
    }
    let usable = |weight: &f64| weight.is_finite() && *weight > 0.0;
    if let Some((column, weight)) = written.columns.iter().find(|(_, weight)| !usable(weight)) {
        let key = format!("columns.{column}");
        return Err(Fault::new(key, weight.to_string(), "a weight above 0"));
    }
    let chosen = |nth: usize| {
        let value = &experiment.values[nth];
        let weight = written.columns.get(&value.column)?;
        (value.role == Role::Fitted).then_some((nth, *weight))
    };
    let (values, weights): (Vec<usize>, Vec<f64>) =
        (0..experiment.values.len()).filter_map(chosen).unzip();
    if values.is_empty() {
        return Err(Fault::new("columns", "no fitted value in them", "at least one"));
    }
    let zero = values.iter().find(|nth| experiment.values[**nth].bound.published == 0.0);
    if let Some(zero) = zero {
        let found = format!("{} = 0", experiment.values[*zero].id);
        return Err(Fault::new("columns", found, "values other than 0, as errors are relative"));
    }
    if !(1..=MOST_ROUNDS).contains(&written.max_rounds) {
        let expected = format!("a whole number from 1 to {MOST_ROUNDS}");
        return Err(Fault::new("max_rounds", written.max_rounds.to_string(), expected));
    }
    let starts = written.starts.unwrap_or(1);
    if !(1..=MOST_STARTS).contains(&starts) {
        let expected = format!("a whole number from 1 to {MOST_STARTS}");
        return Err(Fault::new("starts", starts.to_string(), expected));
    }
    if written.parameters.is_empty() {
        return Err(Fault::new("parameter", "none", "at least one"));
    }
    let mut parameters: Vec<Free> = Vec::new();
    for written in &written.parameters {
        let free = parameter(written).map_err(|fault| fault.below(&written.key))?;
        if parameters.iter().any(|other| other.key == free.key && other.board == free.board) {
            return Err(Fault::new(&free.key, format!("it twice for {}", free.board), "it once"));
        }
        parameters.push(free);
    }
    let rounds = written.max_rounds;
    Ok(Goal { experiment: nth, values, weights, rounds, starts, parameters })
}

fn parameter(written: &ParameterFile) -> Result<Free, Fault> {
    let ParameterFile { key, board, start, low, high, step } = written;
    let fault =
        |key: &str, found: f64, expected: &str| Err(Fault::new(key, found.to_string(), expected));
    if !(step.is_finite() && *step > 0.0) {
        return fault("step", *step, "a number above 0");
    }
    if !(low.is_finite() && high.is_finite() && low < high) {
        return fault("high", *high, "a number above low");
    }
    if !(*low <= *start && *start <= *high) {
        return fault("start", *start, "a number from low to high");
    }
    let free = Free {
        key: key.clone(),
        board: board.clone(),
        start: *start,
        low: *low,
        high: *high,
        step: *step,
    };
    let range = free.range();
    if range.low >= range.high {
        return fault("step", *step, "a step of which two multiples lie from low to high");
    }
    Ok(free)
}
