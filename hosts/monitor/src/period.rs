//! How often the table is read.

use std::str::FromStr;

const UNITS: [(&str, u64); 3] = [("us", 1_000_000), ("ms", 1_000_000_000), ("s", PS_PER_SECOND)];
const PS_PER_SECOND: u64 = 1_000_000_000_000;

/// Virtual time between two readings of the table: 1 us to 1,000 s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period(u64);

impl Period {
    /// A period of so many picoseconds, if it is within the limits.
    pub fn from_ps(ps: u64) -> Option<Self> {
        (1_000_000..=1_000 * PS_PER_SECOND).contains(&ps).then_some(Period(ps))
    }

    /// The period in picoseconds.
    pub fn as_ps(self) -> u64 {
        self.0
    }
}

impl FromStr for Period {
    type Err = String;

    /// Reads a whole number and its unit, `us`, `ms` or `s`. The error says what is expected.
    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let number = number.parse::<u64>().ok();
        let unit = UNITS.iter().find(|(name, _)| *name == unit);
        number
            .zip(unit)
            .and_then(|(number, (_, ps))| number.checked_mul(*ps))
            .and_then(Period::from_ps)
            .ok_or_else(|| "a time from 1us to 1000s, such as 1ms".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_has_a_unit_and_limits() {
        for (text, ps) in [
            ("1us", Some(1_000_000)),
            ("250us", Some(250_000_000)),
            ("1ms", Some(1_000_000_000)),
            ("1000s", Some(1_000 * PS_PER_SECOND)),
            ("0ms", None),
            ("1001s", None),
            ("18446744073709551615s", None),
            ("5", None),
            ("ms", None),
            ("-1ms", None),
            ("1.5ms", None),
            ("1 ms", None),
            ("", None),
        ] {
            assert_eq!(text.parse::<Period>().ok().map(Period::as_ps), ps, "{text:?}");
        }
    }
}
