//! A window of virtual time, as users write it.

use std::fmt;
use std::str::FromStr;

/// Units of time and the powers of ten of their picoseconds. Longer names come first.
const UNITS: [(&str, u32); 5] = [("ps", 0), ("ns", 3), ("us", 6), ("ms", 9), ("s", 12)];

/// A span of virtual time relative to the start of the first job, in picoseconds; never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    start_ps: u64,
    end_ps: u64,
}

impl Window {
    /// The first moment.
    pub fn start_ps(self) -> u64 {
        self.start_ps
    }

    /// The moment after the last.
    pub fn end_ps(self) -> u64 {
        self.end_ps
    }

    /// From `start_ps` to `end_ps`; none where that holds no time.
    pub(crate) fn between(start_ps: u64, end_ps: u64) -> Option<Self> {
        (start_ps < end_ps).then_some(Window { start_ps, end_ps })
    }
}

/// A text that is no window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowError;

impl fmt::Display for WindowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("two times, the earlier first, such as 0..2ms or 1.5ms..1600us")
    }
}

impl std::error::Error for WindowError {}

impl FromStr for Window {
    type Err = WindowError;

    /// Reads `START..END`: decimals with a unit (ps, ns, us, ms, s). A start without a unit has that
    /// of the end.
    fn from_str(text: &str) -> Result<Self, WindowError> {
        let window = || {
            let (start, end) = text.split_once("..")?;
            let (end, end_power) = divide(end)?;
            let (start, start_power) = divide(start).unwrap_or((start, end_power));
            Window::between(picoseconds(start, start_power)?, picoseconds(end, end_power)?)
        };
        window().ok_or(WindowError)
    }
}

/// A time with a unit, in picoseconds.
pub(crate) fn time_ps(text: &str) -> Option<u64> {
    let (number, power) = divide(text)?;
    picoseconds(number, power)
}

/// A text without its unit, and the unit's power of ten.
fn divide(text: &str) -> Option<(&str, u32)> {
    UNITS.iter().find_map(|&(unit, power)| Some((text.strip_suffix(unit)?, power)))
}

/// A decimal times a power of ten, if that is a whole number.
fn picoseconds(text: &str, power: u32) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    let left = power.checked_sub(u32::try_from(fraction.len()).ok()?)?;
    let whole = whole.parse::<u64>().ok()?.checked_mul(10u64.pow(power))?;
    let part = if fraction.is_empty() { 0 } else { fraction.parse::<u64>().ok()? };
    whole.checked_add(part.checked_mul(10u64.pow(left))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_read_to_the_picosecond() {
        let rows = [
            ("0..2ms", 0, 2_000_000_000),
            ("1..2ms", 1_000_000_000, 2_000_000_000),
            ("1.5ms..1600us", 1_500_000_000, 1_600_000_000),
            ("0.000000000001s..2ps", 1, 2),
            ("0.10..0.20ns", 100, 200),
        ];
        for (text, start_ps, end_ps) in rows {
            assert_eq!(text.parse(), Ok(Window { start_ps, end_ps }), "{text}");
        }
    }

    #[test]
    fn what_is_no_window_is_refused() {
        let rows = [
            "",
            "..",
            "0..",
            "..2ms",
            "2ms",
            "0..2",
            "2ms..1ms",
            "1ms..1ms",
            "-1..2ms",
            "0..1e3us",
            "0..0.5ps",
            "0..99999999s",
            "0..ms",
            "0...5ms",
            "0 ..2ms",
            "0..1m",
        ];
        for text in rows {
            assert_eq!(text.parse::<Window>(), Err(WindowError), "{text:?}");
        }
    }
}
