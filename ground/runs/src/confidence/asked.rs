//! What a run is to tell, and how well.

use std::fmt;
use std::str::FromStr;

use crate::confidence::batch::Batch;
use crate::confidence::interval::Level;

/// A figure that is to be known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Figure {
    /// Mean completion latency, of each kind of requests.
    Mean,
    /// The latency that this share of requests does not exceed, of each kind of requests.
    Quantile(f64),
    /// Bytes that flash took for each byte that the host wrote.
    WriteAmplification,
}

impl Figure {
    /// Its value in a batch, of a kind of requests where there is one for each; none where nothing of it happened.
    pub(crate) fn of(self, batch: &Batch, kind: usize) -> Option<f64> {
        let latencies = &batch.latencies[kind];
        match self {
            Figure::Mean => {
                (latencies.count > 0).then(|| latencies.sum as f64 / latencies.count as f64)
            }
            Figure::Quantile(share) => latencies.histogram.as_ref()?.quantile(share),
            Figure::WriteAmplification => {
                (batch.written.host > 0.0).then(|| batch.written.flash / batch.written.host)
            }
        }
    }

    /// Whether there is one for each kind of requests.
    pub(crate) fn is_by_kind(self) -> bool {
        self != Figure::WriteAmplification
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Figure::Mean => f.write_str("mean"),
            Figure::Quantile(share) => write!(f, "p{}", percent(*share)),
            Figure::WriteAmplification => f.write_str("waf"),
        }
    }
}

/// What is asked for. As text: `converged`, or `converged:error=2%,level=99%,of=mean+p99.9+waf` with any of the three.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// Which figures have to be known so well (`of=`).
    pub figures: Vec<Figure>,
    /// How wide half of an interval may be, by its figure.
    pub error: f64,
    /// How often the intervals are to hold.
    pub level: Level,
}

impl Default for Asked {
    fn default() -> Self {
        let figures = vec![Figure::Mean, Figure::Quantile(0.99), Figure::WriteAmplification];
        Asked { figures, error: 0.01, level: Level::USUAL }
    }
}

impl Asked {
    pub(crate) fn has_quantiles(&self) -> bool {
        self.figures.iter().any(|figure| matches!(figure, Figure::Quantile(_)))
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (error, level) = (percent(self.error), percent(self.level.share()));
        let figures: Vec<_> = self.figures.iter().map(Figure::to_string).collect();
        write!(f, "converged:error={error}%,level={level}%,of={}", figures.join("+"))
    }
}

/// A share in percent, without what binary fractions add.
fn percent(share: f64) -> f64 {
    (share * 1e10).round() / 1e8
}

/// A text that does not say what is asked for: what was found, and what is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// What was found.
    pub found: String,
    /// What would be right.
    pub expected: &'static str,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "found {:?}, expected {}", self.found, self.expected)
    }
}

impl std::error::Error for Wrong {}

impl FromStr for Asked {
    type Err = Wrong;

    fn from_str(text: &str) -> Result<Asked, Wrong> {
        let (word, settings) = text.split_once(':').unwrap_or((text, ""));
        let wrong = |found: &str, expected| Wrong { found: found.to_owned(), expected };
        if word != "converged" {
            return Err(wrong(word, "converged"));
        }
        let mut asked = Asked::default();
        for setting in settings.split(',').filter(|_| !settings.is_empty()) {
            match setting.split_once('=') {
                Some(("error", value)) => {
                    let error = share(value).filter(|error| (1e-4..=0.5).contains(error));
                    asked.error = error.ok_or_else(|| wrong(setting, "error=0.01% to 50%"))?;
                }
                Some(("level", value)) => {
                    let level = share(value).and_then(Level::new);
                    asked.level = level.ok_or_else(|| wrong(setting, "level=50% to 99.99%"))?;
                }
                Some(("of", value)) => {
                    let figures = value.split('+').map(figure).collect::<Option<Vec<_>>>();
                    let expected = "of=, and of mean, p50 to p99.99 and waf some, with + between";
                    asked.figures = figures.ok_or_else(|| wrong(setting, expected))?;
                }
                _ => return Err(wrong(setting, "error=, level= or of=")),
            }
        }
        Ok(asked)
    }
}

/// Percent as a share; the sign may be left out.
fn share(text: &str) -> Option<f64> {
    let percent: f64 = text.strip_suffix('%').unwrap_or(text).parse().ok()?;
    percent.is_finite().then_some(percent / 100.0)
}

fn figure(name: &str) -> Option<Figure> {
    match name {
        "mean" => Some(Figure::Mean),
        "waf" => Some(Figure::WriteAmplification),
        _ => {
            let share = share(name.strip_prefix('p')?)?;
            (0.01..=0.9999).contains(&share).then_some(Figure::Quantile(share))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_read_and_told() {
        let plain: Asked = "converged".parse().expect("it is one");
        assert_eq!(plain, Asked::default());
        assert_eq!(plain.to_string(), "converged:error=1%,level=95%,of=mean+p99+waf");
        for text in [
            "converged:error=0.5%,level=99.9%,of=p99.9",
            "converged:error=2%,level=90%,of=waf+mean",
            "converged:error=1%,level=95%,of=mean+p50",
        ] {
            assert_eq!(text.parse::<Asked>().expect(text).to_string(), text);
        }
        let short: Asked = "converged:error=2".parse().expect("it is one");
        assert_eq!((short.error, short.figures.len()), (0.02, 3));
    }

    #[test]
    fn what_is_no_such_thing_is_refused_with_what_would_be() {
        for (text, found) in [
            ("settled", "settled"),
            ("converged:error=0", "error=0"),
            ("converged:error=nan", "error=nan"),
            ("converged:level=100%", "level=100%"),
            ("converged:of=median", "of=median"),
            ("converged:of=", "of="),
            ("converged:of=p100", "of=p100"),
            ("converged:fast", "fast"),
            ("converged:error=1%,", ""),
        ] {
            let wrong = text.parse::<Asked>().expect_err(text);
            assert_eq!(wrong.found, found, "{text}");
        }
    }
}
