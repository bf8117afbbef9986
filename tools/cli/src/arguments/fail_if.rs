//! `compare --fail-if`: how much a figure may be above or below that of the first report.

use report::PairedRow;

/// The form that is expected.
const FORM: &str =
    "words of a figure, < or >, and a percentage, as in \"p99>5%\" or \"read rate<-3%\"";

/// A limit of a difference.
#[derive(Clone, Debug, PartialEq)]
pub struct FailIf {
    /// Words that the figure's name has: its own, and perhaps job and direction.
    pub figure: String,
    is_upper: bool,
    percent: f64,
}

impl FailIf {
    /// Reads one.
    ///
    /// # Errors
    /// What was expected.
    pub fn parse(text: &str) -> Result<FailIf, String> {
        let form = || FORM.to_owned();
        let at = text.find(['<', '>']).ok_or_else(form)?;
        let (figure, rest) = text.split_at(at);
        let number = rest[1..].trim().strip_suffix('%').ok_or_else(form)?;
        let percent: f64 = number.trim().parse().map_err(|_| form())?;
        let figure = figure.split_whitespace().collect::<Vec<_>>().join(" ");
        if figure.is_empty() || !percent.is_finite() {
            return Err(form());
        }
        Ok(FailIf { figure, is_upper: rest.starts_with('>'), percent })
    }

    /// Whether it is about a figure of this name.
    pub fn means(&self, name: &str) -> bool {
        let words: Vec<&str> = name.split_whitespace().collect();
        self.figure.split(' ').all(|word| words.contains(&word))
    }

    /// Whether a difference lies beyond it, with all of its interval where one is known. What was nothing before has grown beyond
    /// any percentage of it.
    pub fn is_passed(&self, row: &PairedRow) -> bool {
        let (Some(change), width) = (row.change, row.half_width.unwrap_or(0.0)) else {
            return self.is_upper && row.means[1] > row.means[0];
        };
        match self.is_upper {
            true => change - width > self.percent,
            false => change + width < self.percent,
        }
    }

    /// What is within it, in words.
    pub fn expected(&self) -> String {
        let bound = if self.is_upper { "at most" } else { "at least" };
        format!("{bound} {:+} %", self.percent)
    }
}

#[cfg(test)]
mod tests {
    use report::Unit;

    use super::*;

    fn row(change: f64, half_width: Option<f64>) -> PairedRow {
        let name = "job1 read p99".to_owned();
        PairedRow { name, unit: Unit::Ns, means: [1.0, 1.0], change: Some(change), half_width }
    }

    #[test]
    fn a_limit_is_passed_by_the_whole_interval() {
        let upper = FailIf::parse("p99>5%").unwrap();
        assert!(upper.means("job1 read p99") && !upper.means("job1 read p99.9"));
        for (change, width, passed) in [
            (5.1, None, true),
            (5.0, None, false),
            (7.0, Some(1.9), true),
            (7.0, Some(2.1), false),
            (-7.0, Some(0.1), false),
        ] {
            assert_eq!(upper.is_passed(&row(change, width)), passed, "{change} {width:?}");
        }
        let lower = FailIf::parse(" read  p99 < -3 %").unwrap();
        assert!(lower.means("job1 read p99") && !lower.means("job1 write p99"));
        assert!(lower.is_passed(&row(-4.0, Some(0.5))) && !lower.is_passed(&row(-4.0, Some(1.5))));
        assert_eq!(
            (upper.expected(), lower.expected()),
            ("at most +5 %".into(), "at least -3 %".into())
        );
    }

    #[test]
    fn what_was_nothing_has_grown_beyond_any_limit() {
        let of = |means, change| PairedRow { means, change, ..row(0.0, None) };
        let [upper, lower] = ["p99>5%", "p99<-5%"].map(|text| FailIf::parse(text).unwrap());
        assert!(upper.is_passed(&of([0.0, 810.0], None)));
        assert!(!upper.is_passed(&of([0.0, 0.0], None)), "it is nothing still");
        assert!(!lower.is_passed(&of([0.0, 810.0], None)));
        assert!(lower.is_passed(&of([810.0, 0.0], Some(-100.0))));
    }

    #[test]
    fn what_is_no_limit_is_told_in_a_line() {
        for text in ["", "p99", "p99>5", ">5%", "p99>x%", "p99>nan%", "p99=5%"] {
            assert_eq!(FailIf::parse(text).unwrap_err(), FORM, "{text}");
        }
    }
}
