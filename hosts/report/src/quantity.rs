//! Quantities for people, with three significant digits and a unit.

use chart::number::finite;

/// A unit and the size from which it is used.
type Scale = (f64, &'static str);

const TIMES_NS: [Scale; 4] = [(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")];
const RATES: [Scale; 4] = [(1.0, "B/s"), (1e3, "kB/s"), (1e6, "MB/s"), (1e9, "GB/s")];
const SIZES: [Scale; 5] = [(1.0, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB"), (1e12, "TB")];
const COUNTS: [Scale; 4] = [(1.0, ""), (1e3, "k"), (1e6, "M"), (1e9, "G")];

/// The sum of numbers, or the largest number there is: those of a report that was read may be anything.
pub(crate) fn total(values: impl IntoIterator<Item = u64>) -> u64 {
    values.into_iter().fold(0, u64::saturating_add)
}

/// A time in nanoseconds, as `12.3 µs`.
pub(crate) fn time(ns: f64) -> String {
    scaled(ns, &TIMES_NS)
}

/// Bytes a second, as `1.27 GB/s`.
pub(crate) fn rate(bytes_per_second: f64) -> String {
    scaled(bytes_per_second, &RATES)
}

/// Bytes, as `1.27 GB`.
pub(crate) fn size(bytes: f64) -> String {
    scaled(bytes, &SIZES)
}

/// A count, as `318 k`.
pub(crate) fn count(value: f64) -> String {
    scaled(value, &COUNTS)
}

/// So many things, as `1 seed` or `5 seeds`.
pub(crate) fn things(count: u64, one: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {one}s"),
    }
}

/// A share of 0 to 1, as `12.3 %`.
pub(crate) fn share(share: f64) -> String {
    format!("{:.1} %", 100.0 * finite(share))
}

/// A position on an axis: like [`time`], [`rate`] and [`count`], without needless zeros.
pub(crate) fn tick(text: &str) -> String {
    let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
    let number = match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.'),
        false => number,
    };
    match number {
        "0" => "0".to_string(),
        _ => format!("{number} {unit}").trim_end().to_string(),
    }
}

fn scaled(value: f64, scales: &[Scale]) -> String {
    let value = finite(value);
    // What would round up to 1000 of a unit already belongs to the next.
    let fitting = scales.iter().rfind(|(size, _)| value.abs() >= 0.9995 * size);
    let (size, unit) = fitting.copied().unwrap_or(scales[0]);
    let scaled = value / size;
    let decimals = match scaled.abs() {
        0.0 => 0,
        small if small < 9.995 => 2,
        middle if middle < 99.95 => 1,
        _ => 0,
    };
    format!("{scaled:.decimals$} {unit}").trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_one() {
        assert_eq!([0, 1, 2].map(|count| things(count, "seed")), ["0 seeds", "1 seed", "2 seeds"]);
    }

    #[test]
    fn three_digits_and_the_unit_that_fits() {
        let cases = [
            (time(0.0), "0 ns"),
            (time(999.0), "999 ns"),
            (time(999.9), "1.00 µs"),
            (time(12_340.0), "12.3 µs"),
            (time(99_970.0), "100 µs"),
            (time(4.2e12), "4200 s"),
            (rate(1.2749e9), "1.27 GB/s"),
            (size(5e12), "5.00 TB"),
            (count(318_000.0), "318 k"),
            (count(42.0), "42.0"),
            (share(0.1234), "12.3 %"),
            (time(f64::NAN), "0 ns"),
        ];
        for (found, expected) in cases {
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn ticks_drop_needless_zeros() {
        for (text, expected) in [
            ("1.00 µs", "1 µs"),
            ("12.5 ms", "12.5 ms"),
            ("100 ns", "100 ns"),
            ("42.0", "42"),
            ("0 B/s", "0"),
        ] {
            assert_eq!(tick(text), expected);
        }
    }
}
