//! What came of a fit.

use board::Board;
use runs::least_squares::{Combination, Known, Range};

use crate::error::FitError;
use crate::figure::Figure;
use crate::fitting::{files, Asked, Found};
use crate::measurement::{Going, Measurement};
use crate::parameter::rounded;
use crate::simulated::Simulated;

/// What is known of a key. Ends of intervals are those of the first key's values; in 95 of 100 cases it lies within, if the board
/// is like the drive but for the fitted keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// The measurements determine it.
    Determined {
        /// Lower end of the interval.
        low: f64,
        /// Upper end of it.
        high: f64,
    },
    /// They determine a combination with other keys: one of [`Outcome::combinations`].
    Together(usize),
    /// They do not determine it.
    NotDetermined,
}

/// What a key moves most.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    /// Job, direction and figure.
    pub figure: String,
    /// By how much the figure changes where the key grows by a tenth, as a share.
    pub share: f64,
}

/// A key, or several that were changed by one factor.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedKey {
    /// Board keys, such as `flash.t_erase_us`.
    pub keys: Vec<String>,
    /// Their values on the base board.
    pub base: Vec<f64>,
    /// Their values on the fitted board.
    pub values: Vec<f64>,
    /// What is known.
    pub verdict: Verdict,
    /// Whether it has the base's value because the measurements do not say otherwise.
    pub kept: bool,
    /// Whether it stands at the end of the range that its value was sought in.
    pub at_end: bool,
    /// What it moves most; none if it moves nothing.
    pub moves: Option<Moved>,
}

/// Keys of which only a combination is determined.
#[derive(Clone, Debug, PartialEq)]
pub struct Combined {
    /// Places in [`Outcome::keys`].
    pub members: Vec<usize>,
    /// The combination, its value, and the ends of its interval; none if the measurements determine several.
    pub combination: Option<(String, [f64; 3])>,
}

/// A figure that was measured, beside what boards give.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Name of the job.
    pub job: String,
    /// The direction.
    pub going: Going,
    /// Which figure.
    pub figure: Figure,
    /// What fio measured.
    pub measured: f64,
    /// What the base board gives.
    pub base: f64,
    /// What the fitted board gives.
    pub fitted: f64,
}

impl Row {
    /// By how much the fitted board is off, as a share of what was measured.
    pub fn difference(&self) -> f64 {
        self.fitted / self.measured - 1.0
    }
}

/// What came of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Name or path of the base board.
    pub base: String,
    /// What was set on it by hand: keys, and values as TOML.
    pub set: Vec<(String, String)>,
    /// Names of the files.
    pub files: Vec<String>,
    /// What drives held before each job.
    pub precondition: &'static str,
    /// Seed of every random choice.
    pub seed: u64,
    /// How far a measured rate was taken to be off by chance, as a share.
    pub error: f64,
    /// What was found of each key, or of several that have one factor.
    pub keys: Vec<FittedKey>,
    /// Groups of keys that are known together.
    pub combinations: Vec<Combined>,
    /// All figures.
    pub rows: Vec<Row>,
    /// Runs that were done.
    pub runs: u64,
    /// Whether the fit ended by itself, and not because the runs were used up.
    pub converged: bool,
    /// By how much intervals are wider because figures are off by more than their errors; at least 1.
    pub widened: f64,
}

impl Outcome {
    /// Root of the mean square of the differences of the base board and of the fitted one, as shares.
    pub fn differences(&self) -> [f64; 2] {
        let mean = |figure: fn(&Row) -> f64| {
            let squares = self.rows.iter().map(|row| (figure(row) / row.measured).ln().powi(2));
            (squares.sum::<f64>() / self.rows.len() as f64).sqrt().exp() - 1.0
        };
        [mean(|row| row.base), mean(|row| row.fitted)]
    }
}

/// How much wider intervals have to be for it to be told.
const OFF: f64 = 1.5;

impl Outcome {
    /// Whether figures are so far off that the drive is unlike the base in more than was fitted.
    pub fn is_off(&self) -> bool {
        self.widened >= OFF
    }
}

/// Puts together what a search found.
pub(crate) fn of(
    (asked, board): (&Asked<'_>, &Board),
    measurements: &[Measurement],
    (simulated, found): (&Simulated<'_>, Found),
) -> Outcome {
    let rows: Vec<Row> = simulated
        .targets
        .iter()
        .zip(found.figures[0].iter().zip(&found.figures[1]))
        .map(|(target, (base, fitted))| Row {
            job: job_name(measurements, target.nth),
            going: target.going,
            figure: target.figure,
            measured: target.measured,
            base: *base,
            fitted: *fitted,
        })
        .collect();
    let keys: Vec<FittedKey> =
        (0..found.place.len()).map(|nth| key(simulated, &found, (nth, &rows))).collect();
    let knowledge = &found.analysis.knowledge;
    let combinations = knowledge.combinations.iter().map(|own| combined(own, &keys)).collect();
    let mut set: Vec<(String, String)> = Vec::new();
    for (key, _) in asked.overrides {
        let value = board.value(key).expect("the board took the key");
        if set.iter().all(|(known, _)| known != key) {
            set.push((key.clone(), value.to_owned()));
        }
    }
    Outcome {
        base: asked.base.to_owned(),
        set,
        files: files(measurements),
        precondition: asked.precondition.name(),
        seed: asked.seed,
        error: asked.error,
        keys,
        combinations,
        rows,
        runs: simulated.runs,
        converged: found.converged,
        widened: found.analysis.widened,
    }
}

/// The name of a job, with its file where another has the same name.
fn job_name(measurements: &[Measurement], nth: usize) -> String {
    let Measurement { name, file, .. } = &measurements[nth];
    match measurements.iter().filter(|other| other.name == *name).count() {
        1 => name.clone(),
        _ => format!("{name} ({file})"),
    }
}

fn key(simulated: &Simulated<'_>, found: &Found, (nth, rows): (usize, &[Row])) -> FittedKey {
    let parameter = &simulated.parameters[nth];
    let place = found.place[nth];
    let values = parameter.values(place);
    let verdict = match found.analysis.knowledge.parameters[nth] {
        Known::Determined { half_width } => Verdict::Determined {
            low: rounded(values[0] * (-half_width).exp()),
            high: rounded(values[0] * half_width.exp()),
        },
        Known::Together { group } => Verdict::Together(group),
        Known::Not => Verdict::NotDetermined,
    };
    let shares = found.analysis.slopes[nth].iter().zip(&simulated.targets).zip(rows);
    let tenth = 1.1_f64.ln();
    let changes = shares.map(|((slope, target), row)| Moved {
        figure: format!("{} {} {}", row.job, row.going.name(), row.figure.name()),
        share: (slope * target.deviation * tenth).exp() - 1.0,
    });
    let most = changes.reduce(|a, b| if b.share.abs() > a.share.abs() { b } else { a });
    let Range { low, high, .. } = parameter.range();
    FittedKey {
        keys: parameter.keys.clone(),
        base: parameter.base.clone(),
        values,
        verdict,
        kept: found.kept[nth],
        at_end: low < high && (place == low || place == high),
        moves: most.filter(|moved| moved.share != 0.0),
    }
}

/// A combination in words: a sum where all are times of one unit, otherwise a product. What it grows with stands first.
fn combined(known: &Combination, keys: &[FittedKey]) -> Combined {
    let members = known.members.clone();
    let combination = known.factors.as_ref().map(|factors| {
        let value = |nth: &usize| (keys[*nth].keys[0].as_str(), keys[*nth].values[0]);
        let named = members.iter().map(value).zip(factors);
        let mut named: Vec<(&str, f64, f64)> =
            named.map(|((key, value), factor)| (key, value, *factor)).collect();
        named.sort_by_key(|(.., factor)| *factor < 0.0);
        let unit = |end: &str| named.iter().all(|(key, ..)| key.ends_with(end));
        match unit("_us") || unit("_ns") {
            true => sum(&named, known.half_width),
            false => product(&named, known.half_width),
        }
    });
    Combined { members, combination }
}

/// What keys count in a sum, with their values: near their values it changes as their product does.
fn sum(named: &[(&str, f64, f64)], half_width: f64) -> (String, [f64; 3]) {
    let reference =
        named.iter().find(|(.., factor)| *factor == 1.0).map_or(1.0, |(_, value, _)| *value);
    let mut text = String::new();
    let mut total = 0.0;
    for (key, value, factor) in named {
        let weight = factor * reference / value;
        // A weight that a tenth would not tell from 1 is 1.
        let weight = if (weight.abs() - 1.0).abs() < 0.1 { weight.signum() } else { weight };
        total += weight * value;
        text += match (text.is_empty(), weight < 0.0) {
            (true, _) => "",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        if weight.abs() != 1.0 {
            text += &format!("{:.2} x ", weight.abs());
        }
        text += key;
    }
    let half = reference * half_width;
    (text, [total, total - half, total + half].map(rounded))
}

/// Powers of keys, multiplied.
fn product(named: &[(&str, f64, f64)], half_width: f64) -> (String, [f64; 3]) {
    let mut text = String::new();
    let mut logarithm = 0.0;
    for (key, value, factor) in named {
        let power = if (factor.abs() - 1.0).abs() < 0.1 { factor.signum() } else { *factor };
        logarithm += power * value.ln();
        text += match (text.is_empty(), power < 0.0) {
            (true, _) => "",
            (false, false) => " x ",
            (false, true) => " / ",
        };
        text += key;
        if power.abs() != 1.0 {
            text += &format!("^{:.2}", power.abs());
        }
    }
    let ends = [0.0, -half_width, half_width];
    (text, ends.map(|by| rounded((logarithm + by).exp())))
}

/// An outcome that cannot be written as a board.
pub(crate) fn no_board(error: impl std::fmt::Display) -> FitError {
    FitError::Input(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_add_up_are_a_sum_with_the_interval_of_the_sum() {
        // 60 us and 20 us in a latency: the smaller moves it by a third of what the larger does.
        let (text, value) = sum(&[("a_us", 60.0, 1.0), ("b_us", 20.0, 1.0 / 3.0)], 0.01);
        assert_eq!((text.as_str(), value), ("a_us + b_us", [80.0, 79.4, 80.6]));
        let (text, _) = sum(&[("a_us", 60.0, 1.0), ("b_us", 20.0, -2.0 / 3.0)], 0.01);
        assert_eq!(text, "a_us - 2.00 x b_us");
    }

    #[test]
    fn others_are_a_product() {
        let (text, value) = product(&[("a", 4.0, 1.0), ("b", 25.0, -1.0), ("c", 9.0, 0.5)], 0.0);
        assert_eq!((text.as_str(), value), ("a / b x c^0.50", [0.48, 0.48, 0.48]));
    }
}
