//! fio's notation for sizes, times, percentages, ranges and lists.
//!
//! Each parser returns what it read, or a phrase that says what would have been right.

use super::direction::PerDirection;

/// Result of reading one value; the error completes the sentence "expected …".
pub(super) type Reading<T> = Result<T, String>;

/// Picoseconds in a second.
pub(super) const PS_PER_SECOND: u64 = 1_000_000_000_000;

/// Longest time that an option may name. A virtual clock of 64 bits ends after 213 days; a quarter of
/// that leaves room for sums.
pub(super) const LONGEST_PS: u64 = u64::MAX / 4;

const SIZE: &str = "a size such as 4096, 4k or 1m";
const TIME: &str = "a time such as 10, 200ms, 5s or 1m";

/// What `k`, `m`, `g` mean (fio's `kb_base`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KbBase {
    /// 1024, fio's default: `4k` and `4kb` are 4096 bytes and, as in fio, `4kib` is 4000.
    Traditional,
    /// 1000: `4k` and `4kb` are 4000 bytes and `4kib` is 4096.
    International,
}

impl KbBase {
    /// Reads the value of `kb_base`.
    pub(super) fn read(text: &str) -> Reading<Self> {
        match text {
            "1024" => Ok(Self::Traditional),
            "1000" => Ok(Self::International),
            _ => Err("1000 or 1024".to_string()),
        }
    }

    fn factor(self, suffix: &str) -> Option<u64> {
        let (plain, with_ib) = match self {
            Self::Traditional => (1024_u64, 1000_u64),
            Self::International => (1000, 1024),
        };
        let mut letters = suffix.chars();
        let prefix = match letters.next() {
            None => return Some(1),
            Some(letter) => letter,
        };
        if prefix == 'b' {
            return letters.as_str().is_empty().then_some(1);
        }
        let power = "kmgtp".find(prefix)? as u32 + 1;
        // fio reads `ki` like `k`; only the full `kib` selects the other base.
        match letters.as_str() {
            "" | "b" | "i" => plain.checked_pow(power),
            "ib" => with_ib.checked_pow(power),
            _ => None,
        }
    }
}

/// A size in bytes or as a share of the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Amount {
    /// So many bytes.
    Bytes(u64),
    /// So many percent of the drive's capacity or of the file, 1 to 100.
    Percent(u64),
}

/// Reads a size with its suffix, or a plain count (fio allows suffixes on both).
pub(super) fn size(text: &str, base: KbBase) -> Reading<u64> {
    let wrong = || SIZE.to_string();
    let lower = text.to_ascii_lowercase();
    let (radix, digits) = match lower.strip_prefix("0x") {
        Some(rest) => (16, rest),
        None => (10, lower.as_str()),
    };
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let (number, suffix) = digits.split_at(end);
    let number = u64::from_str_radix(number, radix).map_err(|_| wrong())?;
    let factor = base.factor(suffix).ok_or_else(wrong)?;
    number.checked_mul(factor).ok_or_else(|| "a size below 16 EiB".to_string())
}

/// Reads a size or a percentage.
pub(super) fn amount(text: &str, base: KbBase) -> Reading<Amount> {
    let Some(percent) = of_percent(text) else {
        return size(text, base).map(Amount::Bytes).map_err(|e| format!("{e}, or 0% to 100%"));
    };
    match percent.parse() {
        // As in fio, no share is as if nothing had been said.
        Ok(0) => Ok(Amount::Bytes(0)),
        Ok(p @ 1..=100) => Ok(Amount::Percent(p)),
        _ => Err("0% to 100%".to_string()),
    }
}

/// Reads a rate. As in fio 3.33, a percentage is none: 0.
pub(super) fn rate(text: &str, base: KbBase) -> Reading<u64> {
    match of_percent(text).map(str::parse::<u64>) {
        None => size(text, base),
        Some(Ok(_)) => Ok(0),
        Some(Err(_)) => Err(SIZE.to_string()),
    }
}

/// The number before a percent sign. fio takes two signs as well, as programs write that print job
/// files by a format.
pub(super) fn of_percent(text: &str) -> Option<&str> {
    let number = text.strip_suffix('%')?;
    Some(number.strip_suffix('%').unwrap_or(number))
}

/// Reads a count that must lie within `low..=high`.
pub(super) fn count(text: &str, low: u64, high: u64) -> Reading<u64> {
    match size(text, KbBase::Traditional) {
        Ok(n) if (low..=high).contains(&n) => Ok(n),
        _ => Err(format!("a whole number from {low} to {high}")),
    }
}

/// Reads a time as fio does where a number without unit counts in seconds. The error says what is
/// expected.
///
/// # Errors
/// Text that is no time.
pub fn seconds_ps(text: &str) -> Result<u64, String> {
    time_ps(text, PS_PER_SECOND)
}

/// Reads a time into picoseconds; a number without unit counts in `default_unit_ps`.
pub(super) fn time_ps(text: &str, default_unit_ps: u64) -> Reading<u64> {
    let wrong = || TIME.to_string();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let unit_ps = match unit.to_ascii_lowercase().as_str() {
        "" => default_unit_ps,
        "us" | "usec" => PS_PER_SECOND / 1_000_000,
        "ms" | "msec" => PS_PER_SECOND / 1_000,
        "s" | "sec" => PS_PER_SECOND,
        "m" => 60 * PS_PER_SECOND,
        "h" => 3_600 * PS_PER_SECOND,
        "d" => 86_400 * PS_PER_SECOND,
        _ => return Err(wrong()),
    };
    match number.checked_mul(unit_ps) {
        Some(ps) if ps <= LONGEST_PS => Ok(ps),
        _ => Err("a time below 53 days".to_string()),
    }
}

/// Reads a boolean; an option without value is true.
pub(super) fn boolean(text: &str) -> Reading<bool> {
    match text {
        "" | "1" | "true" => Ok(true),
        "0" | "false" => Ok(false),
        _ => Err("0 or 1".to_string()),
    }
}

/// Reads `low-high` or `low:high`, in either order; a single value is both ends.
pub(super) fn range<T: Ord + Copy>(
    text: &str,
    read: impl Fn(&str) -> Reading<T>,
) -> Reading<(T, T)> {
    let Some((a, b)) = text.split_once(['-', ':']) else {
        return read(text).map(|both| (both, both));
    };
    let (a, b) = (read(a.trim())?, read(b.trim())?);
    Ok((a.min(b), a.max(b)))
}

/// Reads `read,write,trim`. A value that no comma ends holds for the directions after it; an
/// empty one leaves its direction unset.
pub(super) fn per_direction<T: Clone>(
    text: &str,
    read: impl Fn(&str) -> Reading<T>,
) -> Reading<PerDirection<Option<T>>> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    if parts.len() > 3 {
        return Err("at most three values: read,write,trim".to_string());
    }
    if parts.iter().all(|p| p.is_empty()) {
        return Err("at least one value".to_string());
    }
    let values = parts
        .iter()
        .map(|part| if part.is_empty() { Ok(None) } else { read(part).map(Some) })
        .collect::<Reading<Vec<Option<T>>>>()?;
    let last = values.len() - 1;
    let pick = |n: usize| values[n.min(last)].clone();
    Ok(PerDirection { read: pick(0), write: pick(1), trim: pick(2) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_follow_fio_in_both_bases() {
        let rows: &[(&str, Option<u64>, Option<u64>)] = &[
            ("4096", Some(4096), Some(4096)),
            ("4096b", Some(4096), Some(4096)),
            ("4k", Some(4096), Some(4000)),
            ("4K", Some(4096), Some(4000)),
            ("4kb", Some(4096), Some(4000)),
            ("4ki", Some(4096), Some(4000)),
            ("4kib", Some(4000), Some(4096)),
            ("1m", Some(1 << 20), Some(1_000_000)),
            ("1MiB", Some(1_000_000), Some(1 << 20)),
            ("2g", Some(2 << 30), Some(2_000_000_000)),
            ("1t", Some(1 << 40), Some(1_000_000_000_000)),
            ("0x1000", Some(4096), Some(4096)),
            ("0", Some(0), Some(0)),
            ("", None, None),
            ("k", None, None),
            ("4x", None, None),
            ("4kk", None, None),
            ("4bb", None, None),
            ("-4k", None, None),
            ("1.5k", None, None),
            ("20000p", None, None),
        ];
        for (text, traditional, international) in rows {
            assert_eq!(size(text, KbBase::Traditional).ok(), *traditional, "{text}");
            assert_eq!(size(text, KbBase::International).ok(), *international, "{text}");
        }
    }

    #[test]
    fn percentages_are_zero_to_a_hundred_with_one_sign_or_two() {
        assert_eq!(amount("0%", KbBase::Traditional), Ok(Amount::Bytes(0)));
        assert_eq!(amount("100%%", KbBase::Traditional), Ok(Amount::Percent(100)));
        assert_eq!(amount("25%", KbBase::Traditional), Ok(Amount::Percent(25)));
        assert_eq!(amount("4k", KbBase::Traditional), Ok(Amount::Bytes(4096)));
        for wrong in ["101%", "%", "%%", "1%%%", "x%"] {
            assert_eq!(amount(wrong, KbBase::Traditional), Err("0% to 100%".into()), "{wrong}");
        }
    }

    #[test]
    fn times_take_the_default_unit_of_their_option() {
        let us = PS_PER_SECOND / 1_000_000;
        let rows: &[(&str, u64, Option<u64>)] = &[
            ("10", PS_PER_SECOND, Some(10 * PS_PER_SECOND)),
            ("10", us, Some(10 * us)),
            ("200ms", PS_PER_SECOND, Some(PS_PER_SECOND / 5)),
            ("200MSEC", PS_PER_SECOND, Some(PS_PER_SECOND / 5)),
            ("7us", PS_PER_SECOND, Some(7 * us)),
            ("2m", us, Some(120 * PS_PER_SECOND)),
            ("1h", us, Some(3600 * PS_PER_SECOND)),
            ("2d", us, Some(172_800 * PS_PER_SECOND)),
            ("54d", us, None),
            ("5x", us, None),
            ("s", us, None),
            ("1.5s", us, None),
        ];
        for (text, unit, expected) in rows {
            assert_eq!(time_ps(text, *unit).ok(), *expected, "{text}");
        }
    }

    #[test]
    fn lists_of_directions_follow_the_comma_rule() {
        let read = |text: &str| per_direction(text, |t| count(t, 0, 99));
        let triple = |r, w, t| Ok(PerDirection { read: r, write: w, trim: t });
        assert_eq!(read("8"), triple(Some(8), Some(8), Some(8)));
        assert_eq!(read("8,32"), triple(Some(8), Some(32), Some(32)));
        assert_eq!(read("8,32,"), triple(Some(8), Some(32), None));
        assert_eq!(read(",8"), triple(None, Some(8), Some(8)));
        assert_eq!(read(",8,"), triple(None, Some(8), None));
        assert_eq!(read("8,"), triple(Some(8), None, None));
        assert_eq!(read("1,2,3"), triple(Some(1), Some(2), Some(3)));
        assert!(read("1,2,3,4").is_err());
        assert!(read(",").is_err());
        assert!(read("1,x").is_err());
    }

    #[test]
    fn ranges_are_ordered() {
        let read = |text: &str| range(text, |t| size(t, KbBase::Traditional));
        assert_eq!(read("4k-16k"), Ok((4096, 16384)));
        assert_eq!(read("16k:4k"), Ok((4096, 16384)));
        assert_eq!(read("8k"), Ok((8192, 8192)));
        assert!(read("4k-").is_err());
    }
}
