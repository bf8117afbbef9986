//! The interval of a figure from sections of one run.

use crate::confidence::interval::{half_width, Interval, Level};

/// Sections that intervals are made of: between the 10 and 30 of B. W. Schmeiser, "Batch size effects in the analysis of simulation
/// output", Operations Research 30(3), 1982, beyond which more sections narrow an interval hardly, and the 40 of
/// Law and Carson; a power of two.
pub(crate) const SECTIONS: usize = 32;
/// Normal deviate that one in ten exceeds.
const ONE_IN_TEN: f64 = 1.2816;
/// Deviations from the mean, by it, that come of the arithmetic alone: figures that differ no more are equal.
const ROUNDING: f64 = 1e-12;

/// A figure in each section of a run, and in each half of a section.
///
/// The interval is that of sectioning: the figure of all data, plus or minus Student's t of the deviations of the
/// sections from it (S. Asmussen, P. W. Glynn, "Stochastic Simulation", 2007, section III.5). For a mean it is that of batch
/// means; for quantiles and for ratios the centre has less bias than the mean of the sections' figures.
///
/// Neighbours that depend on each other make it too narrow, and so does a run that ends at the first interval that is
/// narrow enough. Against both the half width grows with the root of (1 + r) / (1 - r), where r is the correlation of
/// neighbouring sections, if that is positive: the adjustment of Skart (A. Tafazzoli, J. R. Wilson, E. K. Lada, N. M. Steiger,
/// "Performance of Skart", INFORMS Journal on Computing 23(2), 2011). And halves of sections must pass a
/// test of independence, as batches have to in A. M. Law, J. S. Carson, "A sequential procedure for determining the length of a
/// steady-state simulation", Operations Research 27(5), 1979, from which the shape of the procedure is taken.
#[derive(Clone, Debug)]
pub struct Sections {
    /// The figure of all data.
    pub centre: f64,
    /// In each section.
    pub sections: Vec<f64>,
    /// In each half of one.
    pub halves: Vec<f64>,
}

impl Sections {
    /// The interval that holds the true figure at this level, wider where sections depend on each other.
    pub fn interval(&self, level: Level) -> Interval {
        let Sections { centre, sections, .. } = self;
        // What the estimate lacks of the correlation on average, of independent ones.
        let correlation = neighbours(sections) + 1.0 / sections.len() as f64;
        let wider = match correlation {
            r if r > 0.0 && r < 1.0 => ((1.0 + r) / (1.0 - r)).sqrt(),
            r if r >= 1.0 => f64::INFINITY,
            _ => 1.0,
        };
        let half_width = half_width(sections, *centre, level).map(|width| match width {
            0.0 => 0.0,
            width => width * wider,
        });
        Interval { mean: *centre, half_width: half_width.filter(|width| width.is_finite()) }
    }

    /// Whether halves of sections may be independent: the correlation of neighbours is not above what one in ten
    /// series of independent ones has.
    pub fn are_independent(&self) -> bool {
        let count = self.halves.len() as f64;
        neighbours(&self.halves) + 1.0 / count < ONE_IN_TEN / count.sqrt()
    }
}

/// Correlation of neighbours; 0 if all are equal but for what the arithmetic rounds.
fn neighbours(series: &[f64]) -> f64 {
    let mean = series.iter().sum::<f64>() / series.len() as f64;
    let squares: f64 = series.iter().map(|value| (value - mean).powi(2)).sum();
    let rounded = series.len() as f64 * (ROUNDING * mean).powi(2);
    let products: f64 = series.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    if squares > rounded {
        products / squares
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(halves: Vec<f64>) -> Sections {
        let sections: Vec<f64> = halves.chunks(2).map(|pair| (pair[0] + pair[1]) / 2.0).collect();
        let centre = sections.iter().sum::<f64>() / sections.len() as f64;
        Sections { centre, sections, halves }
    }

    #[test]
    fn neighbours_that_go_together_are_seen_and_widen_the_interval() {
        let apart = of((0..64).map(|nth| f64::from(nth * 37 % 64)).collect());
        let slow = of((0..64).map(|nth| f64::from(nth / 16 * 16)).collect());
        assert!(apart.are_independent());
        assert!(!slow.are_independent());
        let plain = |sections: &Sections| {
            half_width(&sections.sections, sections.centre, Level::USUAL).expect("of several")
        };
        let told =
            |sections: &Sections| sections.interval(Level::USUAL).half_width.expect("of several");
        assert!((told(&apart) / plain(&apart) - 1.0).abs() < 1e-9);
        assert!(told(&slow) > 2.0 * plain(&slow));
    }

    /// Halves whose neighbours depend on each other the more, the larger the share is.
    fn dependent(share: f64) -> Sections {
        let apart = |nth: i32| f64::from(nth * 37 % 64);
        let slow = |nth: i32| f64::from(nth / 16 * 16);
        of((0..64).map(|nth| 500.0 + (1.0 - share) * apart(nth) + share * slow(nth)).collect())
    }

    /// Correlation of neighbours as the textbooks write it.
    fn correlation(series: &[f64]) -> f64 {
        let mean = series.iter().sum::<f64>() / series.len() as f64;
        let deviations: Vec<f64> = series.iter().map(|value| value - mean).collect();
        let squares: f64 = deviations.iter().map(|one| one * one).sum();
        (1..series.len()).map(|nth| deviations[nth - 1] * deviations[nth]).sum::<f64>() / squares
    }

    /// The estimate of a correlation lies below the true one, by one in so many as there are on average. That is added before it is used.
    #[test]
    fn what_the_estimate_of_a_correlation_lacks_is_added() {
        let (mut negative, mut positive) = (0, 0);
        for nth in 0..200 {
            let sections = dependent(f64::from(nth) / 200.0);
            let series = &sections.sections;
            let plain = half_width(series, sections.centre, Level::USUAL).expect("of several");
            let told = sections.interval(Level::USUAL).half_width.expect("of several");
            let own = correlation(series);
            let expected = own + 1.0 / 32.0;
            if expected <= 0.0 {
                assert!((told / plain - 1.0).abs() < 1e-9, "share {nth}: {own}");
                continue;
            }
            // Widths grow with the root of (1 + r) / (1 - r).
            let square = (told / plain).powi(2);
            let used = (square - 1.0) / (square + 1.0);
            assert!((used - expected).abs() < 1e-9, "share {nth}: {used}, {own}");
            negative += u32::from(own < 0.0);
            positive += u32::from(own > 0.0);
        }
        assert!(negative > 0 && positive > 20, "{negative}, {positive}");
    }

    /// One in ten series of independent halves is above the bound, so the bound is neither lower nor higher.
    #[test]
    fn halves_are_independent_up_to_the_correlation_that_one_in_ten_exceeds() {
        let (mut low, mut high) = (0.0, 1.0);
        assert!(dependent(low).are_independent() && !dependent(high).are_independent());
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if dependent(middle).are_independent() {
                low = middle;
            } else {
                high = middle;
            }
        }
        // A normal deviate of which 10 % are larger, by the root of 64, and less what the estimate lacks.
        let bound = 1.281_55 / 8.0 - 1.0 / 64.0;
        let own = correlation(&dependent(low).halves);
        assert!((own - bound).abs() < 1e-5, "{own}, {bound}");
    }

    /// Figures that swing once in the whole run depend on each other as much as figures can.
    #[test]
    fn what_depends_on_its_neighbours_altogether_has_no_interval() {
        let turn = std::f64::consts::TAU / 33.0;
        let sections: Vec<f64> = (1..33).map(|nth| 10.0 + (f64::from(nth) * turn).sin()).collect();
        let own = correlation(&sections);
        assert!(own < 1.0 && own + 1.0 / 32.0 > 1.0, "{own}");
        let sections = Sections { centre: 10.0, halves: sections.repeat(2), sections };
        assert_eq!(sections.interval(Level::USUAL).half_width, None);
    }

    /// A quantile of all data is not the mean of those of sections, and the interval lies about the former.
    #[test]
    fn deviations_are_those_from_the_figure_of_all_data() {
        let sections = Sections { centre: 60.0, ..dependent(0.0) };
        let squares = sections.sections.iter().map(|one| (one - 60.0).powi(2)).sum::<f64>();
        // t of 97.5 % is 2.0395 with 31 degrees of freedom.
        let expected = 2.0395 * (squares / 31.0 / 32.0).sqrt();
        let told = sections.interval(Level::USUAL).half_width.expect("of several");
        assert!((told / expected - 1.0).abs() < 1e-4, "{told}, {expected}");
    }

    #[test]
    fn what_never_differs_is_known() {
        let level = of(vec![3.0; 64]);
        assert!(level.are_independent());
        let interval = level.interval(Level::USUAL);
        assert_eq!((interval.mean, interval.half_width), (3.0, Some(0.0)));
    }

    /// The last bit of a quantile differs with the number of requests that a section has of a kind.
    #[test]
    fn what_only_rounding_tells_apart_is_known() {
        let low = 17_115_000.0_f64;
        let high = f64::from_bits(low.to_bits() + 1);
        let level = of((0..64).map(|nth| if nth < 40 { low } else { high }).collect());
        assert!(level.are_independent());
        let interval = level.interval(Level::USUAL);
        assert!(interval.relative().is_some_and(|width| width < 1e-12), "{interval:?}");
    }
}
