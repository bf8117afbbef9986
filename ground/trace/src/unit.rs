//! Units of time as a command line has them.

use std::fmt;

use crate::digits::whole;

/// Names of units, and how many picoseconds each has. Larger ones come first.
const UNITS: [(&str, u64); 5] =
    [("s", 1_000_000_000_000), ("ms", 1_000_000_000), ("us", 1_000_000), ("ns", 1000), ("ps", 1)];

/// A unit of time, such as `ms` or `100ns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeUnit {
    ps: u64,
}

impl TimeUnit {
    /// So many picoseconds.
    pub(crate) const fn of_ps(ps: u64) -> Self {
        TimeUnit { ps }
    }

    /// Picoseconds that it has.
    pub fn ps(self) -> u64 {
        self.ps
    }
}

impl std::str::FromStr for TimeUnit {
    type Err = &'static str;

    /// Reads `ps`, `ns`, `us`, `ms` or `s`, with a whole number up to a million before it or none.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "ps, ns, us, ms or s, or so many of them, such as 100ns";
        let letters = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let many = match &text[..text.len() - letters.len()] {
            "" => 1,
            digits => whole(digits.as_bytes()).ok_or(EXPECTED)?,
        };
        let unit = UNITS.iter().find(|(name, _)| *name == letters);
        match unit {
            Some((_, ps)) if (1..=1_000_000).contains(&many) => Ok(TimeUnit { ps: many * ps }),
            _ => Err(EXPECTED),
        }
    }
}

impl fmt::Display for TimeUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, ps) =
            UNITS.into_iter().find(|(_, ps)| self.ps.is_multiple_of(*ps)).expect("ps divides all");
        match self.ps / ps {
            1 => f.write_str(name),
            many => write!(f, "{many}{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read_as_they_are_written() {
        for (text, ps) in [
            ("ps", 1),
            ("ns", 1000),
            ("100ns", 100_000),
            ("ms", 1_000_000_000),
            ("2s", 2 * UNITS[0].1),
        ] {
            let unit: TimeUnit = text.parse().unwrap();
            assert_eq!((unit.ps(), unit.to_string().as_str()), (ps, text));
        }
        for text in ["", "m", "0ns", "1.5ms", "-1s", "10000000s", "ms ", "min"] {
            assert!(text.parse::<TimeUnit>().is_err(), "{text}");
        }
    }
}
