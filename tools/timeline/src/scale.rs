//! A scale of time: unit and places of its marks.

/// Units of a scale and their picoseconds.
const UNITS: [(&str, f64); 5] = [("s", 1e12), ("ms", 1e9), ("µs", 1e6), ("ns", 1e3), ("ps", 1.0)];
/// Most marks on a scale.
const MARKS: f64 = 12.0;

/// Marks at round times.
#[derive(Debug, PartialEq)]
pub(crate) struct Scale {
    /// Unit of the labels.
    pub unit: &'static str,
    /// Times in picoseconds, and what they say.
    pub marks: Vec<(f64, String)>,
}

impl Scale {
    /// A scale from `start_ps` to `end_ps`, in the largest unit of which the end holds one.
    pub fn new(start_ps: f64, end_ps: f64) -> Self {
        let (unit, unit_ps) =
            UNITS.into_iter().find(|&(_, ps)| end_ps >= ps).unwrap_or(UNITS[UNITS.len() - 1]);
        let least = (end_ps - start_ps) / MARKS;
        let power = 10f64.powf(least.log10().floor());
        let factor = [1.0, 2.0, 5.0].into_iter().find(|f| f * power >= least).unwrap_or(10.0);
        let step = factor * power;
        let decimals = (unit_ps / step).log10().ceil().max(0.0) as usize;
        let nth = |time: f64| time / step;
        let marks = (nth(start_ps).ceil() as u64..=nth(end_ps).floor() as u64)
            .map(|nth| nth as f64 * step)
            .map(|time| (time, format!("{:.decimals$}", time / unit_ps)))
            .collect();
        Scale { unit, marks }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_in_a_fitting_unit() {
        let rows: [(f64, f64, &str, usize, &str, &str); 4] = [
            (0.0, 2e9, "ms", 11, "0.0", "2.0"),
            (0.0, 250e6, "µs", 6, "0", "250"),
            (1.05e9, 1.15e9, "ms", 11, "1.05", "1.15"),
            (3e3, 9e3, "ns", 13, "3.0", "9.0"),
        ];
        for (start, end, unit, count, first, last) in rows {
            let scale = Scale::new(start, end);
            let marks = (scale.marks.len(), &*scale.marks[0].1, &*scale.marks[count - 1].1);
            assert_eq!((scale.unit, marks), (unit, (count, first, last)), "{scale:?}");
        }
    }
}
