//! What is fitted: a key of the board, or several by one factor, on a grid of values.
//!
//! Values are on a grid in their logarithm: figures of a drive follow times and rates in proportion, if at all. Small whole
//! numbers and powers of two, such as the number of ways, have a list of values instead.

use std::str::FromStr;

use board::{Board, CellMode, Numbers};
use contract::Medium;
use runs::least_squares::Range;

use crate::error::FitError;

/// Distance of two values, in the natural logarithm.
const STEP: f64 = 0.005;
/// Steps to either side whose figures are compared to tell how a key moves them.
pub(crate) const APART: i64 = 10;
/// How far a value may go from where it starts, as a factor, if nobody says.
const FARTHEST: f64 = 8.0;
/// Whole numbers below this have a list of values.
const FEW: f64 = 65.0;
/// Significant digits of a value.
const DIGITS: i32 = 4;

/// A key that somebody wants to be fitted, or several that are changed by one factor; with the range that its value is sought in.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// At least one key.
    pub keys: Vec<String>,
    /// The lowest and the highest value of the first key.
    pub range: Option<(f64, f64)>,
}

impl FromStr for Wanted {
    type Err = &'static str;

    /// `KEY`, `KEY=LOW..HIGH`, or `KEY+KEY` for keys that are changed by one factor.
    fn from_str(text: &str) -> Result<Wanted, &'static str> {
        let expected = "KEY, KEY=LOW..HIGH with numbers above 0, or KEY+KEY for one factor";
        let (keys, range) = match text.split_once('=') {
            None => (text, None),
            Some((keys, range)) => {
                let (low, high) = range.split_once("..").ok_or(expected)?;
                let number = |text: &str| text.trim().parse::<f64>().ok().filter(|n| n.is_finite());
                let (low, high) = number(low).zip(number(high)).ok_or(expected)?;
                if !(low > 0.0 && low < high) {
                    return Err(expected);
                }
                (keys, Some((low, high)))
            }
        };
        let keys: Vec<String> = keys.split('+').map(|key| key.trim().to_owned()).collect();
        match keys.iter().all(|key| !key.is_empty()) {
            true => Ok(Wanted { keys, range }),
            false => Err(expected),
        }
    }
}

/// A parameter of a fit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parameter {
    /// The keys; the first one's value stands for all.
    pub keys: Vec<String>,
    /// Their values on the base board.
    pub base: Vec<f64>,
    /// Whether they hold whole numbers.
    whole: Vec<bool>,
    grid: Grid,
}

/// The values of the first key.
#[derive(Clone, Debug, PartialEq)]
enum Grid {
    /// Steps in the logarithm from the base, from the first to the second.
    Steps(i64, i64),
    /// Listed ones, rising, and which of them is the base's.
    Listed(Vec<f64>, usize),
}

impl Parameter {
    /// The parameter that is wanted of a board, with a range of values with which the board is one.
    ///
    /// # Errors
    /// When there is no such key, it holds no number above 0, or the range is none of the key.
    pub fn new(
        wanted: &Wanted,
        board: &Board,
        resolves: &Resolves<'_>,
    ) -> Result<Parameter, FitError> {
        let mut base = Vec::new();
        let mut whole = Vec::new();
        for key in &wanted.keys {
            let place = format!("--fit: {key}");
            let Some(written) = board.value(key) else {
                let nearest = board::nearest_key(key);
                let expected = format!("one such as {nearest}");
                return Err(FitError::unexpected(place, "an unknown key", expected));
            };
            let number: Option<f64> = written.parse().ok().filter(|number| *number > 0.0);
            let numbers = board::numbers(key).zip(number);
            let Some((numbers, number)) = numbers else {
                let expected =
                    format!("a key whose value is a number above 0; --set {key}=… gives it one");
                return Err(FitError::unexpected(place, written, expected));
            };
            base.push(number);
            whole.push(!matches!(numbers, Numbers::Decimal(..)));
        }
        let numbers = board::numbers(&wanted.keys[0]).expect("it was looked up");
        let grid = grid(wanted, base[0], numbers)?;
        let mut parameter = Parameter { keys: wanted.keys.clone(), base, whole, grid };
        match wanted.range {
            Some(_) => parameter.check(resolves)?,
            None => parameter.narrow(resolves),
        }
        Ok(parameter)
    }

    /// Its places; the base's is where a fit starts.
    pub fn range(&self) -> Range {
        match &self.grid {
            Grid::Steps(low, high) => Range { start: 0, low: *low, high: *high },
            Grid::Listed(values, start) => {
                Range { start: *start as i64, low: 0, high: values.len() as i64 - 1 }
            }
        }
    }

    /// Whether its values are listed.
    pub fn is_listed(&self) -> bool {
        matches!(self.grid, Grid::Listed(..))
    }

    /// How far apart two places are whose figures are compared.
    pub fn apart(&self) -> i64 {
        if self.is_listed() {
            1
        } else {
            APART
        }
    }

    /// The factor by which values at a place differ from the base's.
    fn factor(&self, place: i64) -> f64 {
        match &self.grid {
            Grid::Steps(..) => (place as f64 * STEP).exp(),
            Grid::Listed(values, _) => values[place as usize] / self.base[0],
        }
    }

    /// The values of all keys at a place.
    pub fn values(&self, place: i64) -> Vec<f64> {
        let factor = self.factor(place);
        let value = |(base, whole): (&f64, &bool)| match place == self.range().start {
            true => *base,
            false if *whole => (base * factor).round(),
            false => rounded(base * factor),
        };
        self.base.iter().zip(&self.whole).map(value).collect()
    }

    /// The logarithm of the first key's value at a place.
    pub fn logarithm(&self, place: i64) -> f64 {
        self.values(place)[0].ln()
    }

    /// What replaces the base's values at a place; nothing where they are the base's.
    pub fn overrides(&self, place: i64) -> Vec<(String, String)> {
        if place == self.range().start {
            return Vec::new();
        }
        let values = self.values(place).into_iter().map(|value| value.to_string());
        self.keys.iter().cloned().zip(values).collect()
    }

    /// Whether the ends of a range that somebody gave are a board's.
    fn check(&self, resolves: &Resolves<'_>) -> Result<(), FitError> {
        let Range { low, high, .. } = self.range();
        for place in [low, high] {
            resolves(&self.overrides(place)).map_err(|line| {
                let (key, value) = (&self.keys[0], self.values(place)[0]);
                FitError::Input(format!("--fit: {key}={value}: {line}"))
            })?;
        }
        Ok(())
    }

    /// Takes values out of the range with which the board is none.
    fn narrow(&mut self, resolves: &Resolves<'_>) {
        let Range { start, low, high } = self.range();
        let ends = [low, high].map(|end| {
            let fits = |place: i64| resolves(&self.overrides(place)).is_ok();
            if fits(end) {
                return end;
            }
            let (mut good, mut bad) = (start, end);
            while (good - bad).abs() > 1 {
                let middle = (good + bad) / 2;
                if fits(middle) {
                    good = middle
                } else {
                    bad = middle
                }
            }
            good
        });
        match &mut self.grid {
            Grid::Steps(low, high) => [*low, *high] = ends,
            Grid::Listed(values, start) => {
                *values = values[ends[0] as usize..=ends[1] as usize].to_vec();
                *start -= ends[0] as usize;
            }
        }
    }
}

/// Whether a board is one with these values in place of the base's; otherwise the line that says why.
pub(crate) type Resolves<'a> = dyn Fn(&[(String, String)]) -> Result<(), String> + 'a;

/// The values of the first key: within the range that is wanted, or around the base.
fn grid(wanted: &Wanted, base: f64, numbers: Numbers) -> Result<Grid, FitError> {
    let place = || format!("--fit: {}", wanted.keys[0]);
    let (least, most) = match numbers {
        Numbers::Whole(least, most) | Numbers::PowersOfTwo(least, most) => {
            (least as f64, most as f64)
        }
        Numbers::Decimal(least, most) => (least, most),
    };
    let (low, high) = wanted.range.unwrap_or((base / FARTHEST, base * FARTHEST));
    if let Some((low, high)) = wanted.range {
        let inside = low >= least && high <= most;
        if !inside || !(low..=high).contains(&base) {
            let expected = format!("a range from {least} to {most} with the base's {base} in it");
            return Err(FitError::unexpected(place(), format!("{low}..{high}"), expected));
        }
    }
    let (low, high) = (low.max(least).max(f64::MIN_POSITIVE), high.min(most));
    let listed = match numbers {
        Numbers::PowersOfTwo(..) => Some(doublings(1.0, high)),
        Numbers::Whole(..) if base < FEW => {
            // Powers of two, and what lies in the middle between two of them.
            Some(doublings(1.0, high).into_iter().chain(doublings(3.0, high)).collect())
        }
        _ => None,
    };
    let Some(mut values): Option<Vec<f64>> = listed else {
        let steps = |value: f64| (value / base).ln() / STEP;
        let (low, high) = (steps(low).ceil() as i64, steps(high).floor() as i64);
        return Ok(Grid::Steps(low.min(0), high.max(0)));
    };
    values.push(base);
    values.retain(|value| (low..=high).contains(value));
    values.sort_by(f64::total_cmp);
    values.dedup();
    let start = values.iter().position(|value| *value == base).expect("the base is among them");
    Ok(Grid::Listed(values, start))
}

/// A number and its doubles, up to `high`.
fn doublings(first: f64, high: f64) -> Vec<f64> {
    std::iter::successors(Some(first), |value| Some(value * 2.0))
        .take_while(|v| *v <= high)
        .collect()
}

/// A value with [`DIGITS`] significant digits.
pub(crate) fn rounded(value: f64) -> f64 {
    let digits = (DIGITS - 1 - value.abs().log10().floor() as i32).max(0);
    format!("{value:.*}", digits as usize).parse().unwrap_or(value)
}

/// What is fitted if nobody says: reads and programs of the chips, the bus of a channel, the link, the fixed time of a command,
/// the processor and the data buffer; without flash, the memory in place of chips and bus.
pub(crate) fn usual(board: &Board) -> Vec<Wanted> {
    let of_medium = match board.firmware.medium {
        Medium::Flash => vec![
            page_types(board, "t_read"),
            programs(board),
            vec!["channel.bus_bandwidth_mb_s".to_owned()],
            vec!["ftl.buffer_kib".to_owned()],
        ],
        Medium::Memory => vec![vec!["memory.chunk_latency_ns".to_owned()]],
    };
    let others = ["host.link_bandwidth_mb_s", "host.interrupt_latency_us", "processor.clock_mhz"];
    let all = of_medium.into_iter().chain(others.map(|key| vec![key.to_owned()]));
    let is_number =
        |key: &String| board.value(key).and_then(|v| v.parse().ok()).is_some_and(|v: f64| v > 0.0);
    all.filter(|keys| keys.iter().all(is_number)).map(|keys| Wanted { keys, range: None }).collect()
}

/// The keys of a time for each type of pages that the board's cells have.
fn page_types(board: &Board, time: &str) -> Vec<String> {
    let types: &[&str] = match board.flash.cell_mode {
        CellMode::Slc => &["slc"],
        CellMode::Mlc => &["lsb", "msb"],
        CellMode::Tlc => &["lsb", "csb", "msb"],
        CellMode::Qlc => &["lsb", "csb", "msb", "tsb"],
    };
    types.iter().map(|own| format!("flash.{time}_{own}_us")).collect()
}

/// The keys of the times that programs take.
fn programs(board: &Board) -> Vec<String> {
    match (board.flash.fold.pages(), board.flash.programming.passes) {
        (1, _) => page_types(board, "t_program"),
        (_, 1) => vec!["flash.t_program_one_shot_us".to_owned()],
        _ => ["coarse", "fine"].map(|pass| format!("flash.t_program_{pass}_us")).to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(wanted: &str, set: &[(&str, &str)]) -> Result<Parameter, String> {
        let set: Vec<(String, String)> =
            set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let board = Board::resolve("small", &set).unwrap();
        let resolves = |more: &[(String, String)]| {
            let all: Vec<_> = set.iter().chain(more).cloned().collect();
            Board::resolve("small", &all).map(drop).map_err(|error| error.to_string())
        };
        let wanted: Wanted = wanted.parse().map_err(str::to_owned)?;
        Parameter::new(&wanted, &board, &resolves).map_err(|error| error.to_string())
    }

    #[test]
    fn places_are_even_in_the_logarithm_and_the_start_is_the_base() {
        let read = parameter("flash.t_read_slc_us", &[]).unwrap();
        assert_eq!(read.values(0), [99.0]);
        assert!(read.overrides(0).is_empty());
        assert_eq!(read.overrides(100), [("flash.t_read_slc_us".to_owned(), "163.2".to_owned())]);
        assert!((read.logarithm(20) - read.logarithm(0) - 0.1).abs() < 1e-3);
        // Eight times 99 upwards; downwards a read must stay above its deviations of 14 us.
        let Range { low, high, .. } = read.range();
        assert!((780.0..=792.0).contains(&read.values(high)[0]), "{:?}", read.values(high));
        assert!((14.0..14.2).contains(&read.values(low)[0]), "{:?}", read.values(low));
    }

    #[test]
    fn keys_with_a_plus_are_changed_by_one_factor() {
        let both = parameter("flash.t_read_lsb_us+flash.t_read_msb_us", &[]).unwrap();
        let [lsb, msb] = both.values(50)[..] else { panic!("two values") };
        assert!((lsb / 58.0 - msb / 90.0).abs() < 1e-3, "{lsb} {msb}");
    }

    #[test]
    fn small_whole_numbers_have_a_list() {
        let ways = parameter("geometry.ways", &[("geometry.ways", "5")]).unwrap();
        let values: Vec<f64> = (0..=ways.range().high).map(|place| ways.values(place)[0]).collect();
        assert_eq!(values, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0]);
        assert_eq!(ways.range().start, 4);
        let clock = parameter("processor.clock_mhz", &[]).unwrap();
        assert_eq!(clock.values(1)[0].fract(), 0.0);
        assert!(!clock.is_listed());
    }

    #[test]
    fn what_cannot_be_fitted_is_told() {
        for (wanted, line) in [
            ("flash.t_raed_slc_us", "--fit: flash.t_raed_slc_us: found an unknown key, expected one such as flash.t_read_slc_us"),
            ("ftl.victim", "--fit: ftl.victim: found \"greedy\", expected a key whose value is a number above 0"),
            ("memory.engine_access_ns", "--fit: memory.engine_access_ns: found 0, expected a key"),
            ("flash.t_read_slc_us=10..50", "--fit: flash.t_read_slc_us: found 10..50, expected a range from 0 to 1000000 with the base's 99 in it"),
            ("flash.t_read_slc_us=10..500", "--fit: flash.t_read_slc_us=10.03: boards/cosmos-plus.toml: flash.read_deviation_us: found 8"),
            ("flash.t_read_slc_us=50..10", "KEY, KEY=LOW..HIGH"),
            ("flash.t_read_slc_us=50", "KEY, KEY=LOW..HIGH"),
            ("+", "KEY, KEY=LOW..HIGH"),
        ] {
            let error = parameter(wanted, &[]).unwrap_err();
            assert!(error.starts_with(line), "{wanted}: {error}");
        }
    }

    #[test]
    fn what_is_usual_depends_on_the_chips() {
        let keys = |name: &str| -> Vec<String> {
            usual(&Board::resolve(name, &[]).unwrap())
                .iter()
                .map(|own| own.keys.join("+"))
                .collect()
        };
        assert!(keys("small").contains(&"flash.t_program_slc_us".to_owned()));
        let tlc = keys("tlc-2024");
        assert!(
            tlc.contains(&"flash.t_read_lsb_us+flash.t_read_csb_us+flash.t_read_msb_us".to_owned())
        );
        assert!(tlc.contains(&"flash.t_program_one_shot_us".to_owned()), "{tlc:?}");
        assert!(keys("openexpress").contains(&"memory.chunk_latency_ns".to_owned()));
    }

    #[test]
    fn values_have_four_digits() {
        assert_eq!(
            [0.123456, 12.3456, 1234.56, 123456.7].map(rounded),
            [0.1235, 12.35, 1235.0, 123457.0]
        );
    }
}
