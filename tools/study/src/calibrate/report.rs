//! What a calibration tells.

use std::fmt;
use std::path::PathBuf;

use runs::least_squares::{Ended, Fitted};

use super::{Free, Goal};

/// A calibration that was done.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// The parameters, in the study's order.
    pub parameters: Vec<FittedParameter>,
    /// Relative errors of the fitted values in percent, where the fit began.
    pub before_percent: Vec<f64>,
    /// The same where it ended.
    pub after_percent: Vec<f64>,
    /// Rounds that were done.
    pub rounds: u32,
    /// Whether no place nearby is better; otherwise the rounds were used up.
    pub converged: bool,
    /// What the boards' files say of where the values come from.
    pub source: String,
    /// Every fit that was done, the study's own start first.
    pub fits: Vec<Attempt>,
    /// The files that are not as they were.
    pub written: Vec<PathBuf>,
}

/// A fit from one place.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// Where it ended, in the order of the parameters, as they would be written.
    pub fitted: Vec<String>,
    /// Relative errors of the fitted values in percent.
    pub errors_percent: Vec<f64>,
    /// How far each fitted value lies from the best fit's, in percent of that.
    pub apart_percent: Vec<f64>,
}

/// A parameter that was fitted.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedParameter {
    /// The dotted key.
    pub key: String,
    /// The board whose file holds it.
    pub board: String,
    /// Where the fit began, as it would be written.
    pub start: String,
    /// Where it ended.
    pub fitted: String,
    /// The lowest value that was allowed.
    pub low: String,
    /// The highest.
    pub high: String,
}

/// Where the values come from, and which files they went to.
pub(super) struct Origin {
    pub place: String,
    pub written: Vec<PathBuf>,
}

impl Calibration {
    pub(super) fn new(
        goal: &Goal,
        (fits, best): (&[Fitted], usize),
        origin: Origin,
    ) -> Calibration {
        let fitted = &fits[best];
        let parameter = |((free, start), steps): ((&Free, &i64), &i64)| {
            let range = free.range();
            FittedParameter {
                key: free.key.clone(),
                board: free.board.clone(),
                start: free.written(*start),
                fitted: free.written(*steps),
                low: free.written(range.low),
                high: free.written(range.high),
            }
        };
        let percent = |residuals: &[f64]| percent(goal, residuals);
        let parameters = goal.parameters.iter().zip(&fitted.start).zip(&fitted.place);
        let attempt = |fit: &Fitted| {
            let errors = percent(&fit.after);
            let values = errors.iter().zip(percent(&fitted.after));
            let apart =
                values.map(|(own, best)| 100.0 * ((100.0 + own) / (100.0 + best) - 1.0)).collect();
            let places = goal.parameters.iter().zip(&fit.place);
            Attempt {
                fitted: places.map(|(free, steps)| free.written(*steps)).collect(),
                errors_percent: errors,
                apart_percent: apart,
            }
        };
        Calibration {
            parameters: parameters.map(parameter).collect(),
            fits: fits.iter().map(attempt).collect(),
            before_percent: percent(&fitted.before),
            after_percent: percent(&fitted.after),
            rounds: fitted.rounds,
            converged: fitted.ended == Ended::Converged,
            source: origin.place,
            written: origin.written,
        }
    }
}

impl fmt::Display for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.source)?;
        writeln!(f)?;
        let heading = ["parameter", "board", "start", "fitted", "low", "high"];
        let mut rows: Vec<[&str; 6]> = vec![heading];
        rows.extend(self.parameters.iter().map(|parameter| {
            let FittedParameter { key, board, start, fitted, low, high } = parameter;
            [key.as_str(), board, start, fitted, low, high]
        }));
        let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..heading.len()).map(width).collect();
        for row in &rows {
            write!(f, "{:2$}  {:3$}", row[0], row[1], widths[0], widths[1])?;
            for (cell, width) in row.iter().zip(&widths).skip(2) {
                write!(f, "  {cell:>width$}")?;
            }
            writeln!(f)?;
        }
        writeln!(f)?;
        writeln!(f, "errors of {} fitted values:", self.after_percent.len())?;
        for (when, errors) in [("start", &self.before_percent), ("fitted", &self.after_percent)] {
            let (mean, most) = mean_and_most(errors);
            writeln!(f, "  {when:6}  mean {mean:.2} %, largest {most:.2} %")?;
        }
        let ended = if self.converged { "no place nearby is better" } else { "out of rounds" };
        writeln!(f, "{} rounds, {ended}", self.rounds)?;
        if self.fits.len() > 1 {
            writeln!(f)?;
            writeln!(f, "from other starts: the parameters in the order above; how far values lie from the best")?;
            for (nth, fit) in self.fits.iter().enumerate() {
                let (mean, most) = mean_and_most(&fit.errors_percent);
                let (near, far) = mean_and_most(&fit.apart_percent);
                let places = fit.fitted.join(", ");
                write!(f, "  {}  {places}: mean {mean:.2} %, largest {most:.2} %", nth + 1)?;
                writeln!(f, "; apart by {near:.2} %, at most {far:.2} %")?;
            }
        }
        if self.written.is_empty() {
            return writeln!(f, "nothing changed");
        }
        for file in &self.written {
            writeln!(f, "written: {}", file.display())?;
        }
        writeln!(f, "boards are compiled in: build the program again to run with these values")
    }
}

/// A fit without some of the fitted values, and how it predicts those.
#[derive(Clone, Debug, PartialEq)]
pub struct CrossValidation {
    /// What the held-out values have in common, such as `op write`.
    pub held_out: String,
    /// The parameters by key, as they would be written.
    pub fitted: Vec<(String, String)>,
    /// Relative errors in percent of the values that were fitted.
    pub kept_percent: Vec<f64>,
    /// Those of the values that were not.
    pub held_out_percent: Vec<f64>,
}

impl CrossValidation {
    pub(super) fn new(
        (kept, fitted): (&Goal, &Fitted),
        (held_out, predicted): (&Goal, &[f64]),
        without: &[(String, String)],
    ) -> CrossValidation {
        let places = kept.parameters.iter().zip(&fitted.place);
        let pairs: Vec<String> =
            without.iter().map(|(axis, point)| format!("{axis} {point}")).collect();
        CrossValidation {
            held_out: pairs.join(", "),
            fitted: places.map(|(free, steps)| (free.key.clone(), free.written(*steps))).collect(),
            kept_percent: percent(kept, &fitted.after),
            held_out_percent: percent(held_out, predicted),
        }
    }
}

impl fmt::Display for CrossValidation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "fitted without {}", self.held_out)?;
        for (key, value) in &self.fitted {
            writeln!(f, "  {key} = {value}")?;
        }
        for (what, errors) in [("fitted", &self.kept_percent), ("held out", &self.held_out_percent)]
        {
            let (mean, most) = mean_and_most(errors);
            let count = errors.len();
            writeln!(f, "errors of {count} values {what}: mean {mean:.2} %, largest {most:.2} %")?;
        }
        Ok(())
    }
}

/// Relative errors in percent.
fn percent(goal: &Goal, residuals: &[f64]) -> Vec<f64> {
    residuals.iter().zip(&goal.weights).map(|(error, weight)| 100.0 * error / weight).collect()
}

/// Mean and largest of the absolute values.
fn mean_and_most(errors: &[f64]) -> (f64, f64) {
    let absolute = || errors.iter().map(|error| error.abs());
    (absolute().sum::<f64>() / errors.len().max(1) as f64, absolute().fold(0.0, f64::max))
}
