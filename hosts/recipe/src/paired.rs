//! Reports with the same seeds: by how much their figures differ, seed by seed.

use report::{Paired, PairedRow, PreciseFigure, RunResult};
use runs::confidence::{Interval, Level};

use crate::seeds::figures_of_one;

/// Each report against the first: what seeds tell of the differences of their figures.
pub fn paired(runs: &[RunResult]) -> Vec<Paired> {
    let Some((first, others)) = runs.split_first() else { return Vec::new() };
    let first = Figures::of(first);
    (1..).zip(others).map(|(report, run)| pair(report, &first, &Figures::of(run))).collect()
}

/// Figures of a report, and the seeds that each value is of.
struct Figures {
    seeds: Vec<u64>,
    figures: Vec<PreciseFigure>,
}

impl Figures {
    fn of(run: &RunResult) -> Self {
        match &run.over_seeds {
            Some(over) => Figures { seeds: over.seeds.clone(), figures: over.figures.clone() },
            None => Figures { seeds: vec![run.seed], figures: figures_of_one(run) },
        }
    }

    /// The values of a figure by seed; none of reports that older versions wrote.
    fn value(&self, figure: &PreciseFigure, seed: u64) -> Option<f64> {
        let nth = self.seeds.iter().position(|own| *own == seed)?;
        figure.values.get(nth).copied()
    }
}

/// Job, direction and name of a figure.
fn key(figure: &PreciseFigure) -> (&Option<String>, &Option<String>, &str) {
    (&figure.job, &figure.direction, &figure.figure)
}

impl Figures {
    /// The figure of the same name. A cause that did not come up here, where others did, took no time with any seed.
    fn same_as(&self, figure: &PreciseFigure) -> Option<PreciseFigure> {
        if let Some(own) = self.figures.iter().find(|own| key(own) == key(figure)) {
            return Some(own.clone());
        }
        let (job, direction, _) = key(figure);
        let beside = |own: &&PreciseFigure| {
            own.cause().is_some() && (&own.job, &own.direction) == (job, direction)
        };
        figure.cause().and(self.figures.iter().find(beside)).map(|_| PreciseFigure {
            value: 0.0,
            half_width: None,
            values: vec![0.0; self.seeds.len()],
            ..figure.clone()
        })
    }
}

fn pair(report: usize, first: &Figures, other: &Figures) -> Paired {
    let common: Vec<u64> =
        first.seeds.iter().copied().filter(|seed| other.seeds.contains(seed)).collect();
    let only_there = other.figures.iter().filter(|own| {
        own.cause().is_some() && !first.figures.iter().any(|figure| key(figure) == key(own))
    });
    let rows = first.figures.iter().chain(only_there).filter_map(|own| {
        let [of_first, of_other] = [first.same_as(own)?, other.same_as(own)?];
        // What is nowhere a hundredth of the latency explains no difference.
        if !of_first.is_large(&first.figures) && !of_other.is_large(&other.figures) {
            return None;
        }
        let values = |seed| Some([first.value(&of_first, seed)?, other.value(&of_other, seed)?]);
        let pairs: Vec<[f64; 2]> = common.iter().filter_map(|&seed| values(seed)).collect();
        row(own, [of_first.value, of_other.value], &pairs)
    });
    Paired { report, seeds: common.len(), rows: rows.collect() }
}

/// What pairs of values with the same seeds tell of a figure, or its means where no seed is in both reports.
fn row(figure: &PreciseFigure, means: [f64; 2], pairs: &[[f64; 2]]) -> Option<PairedRow> {
    let (means, difference) = match pairs {
        // Without a seed in common it is the means that can be told, and nothing of chance.
        [] => (means, Interval { mean: means[1] - means[0], half_width: None }),
        pairs => {
            let differences: Vec<f64> = pairs.iter().map(|[first, other]| other - first).collect();
            let mean =
                |nth: usize| pairs.iter().map(|pair| pair[nth]).sum::<f64>() / pairs.len() as f64;
            ([mean(0), mean(1)], Interval::of(&differences, Level::USUAL)?)
        }
    };
    let percent = |value: f64| 100.0 * value / means[0].abs();
    // Percentiles are no better known than their bins are wide, however few seeds there are.
    let least = figure.resolution() * means[0].abs();
    Some(PairedRow {
        name: figure.name(),
        unit: figure.unit,
        means,
        change: (means[0] != 0.0).then(|| percent(difference.mean)),
        half_width: difference
            .half_width
            .map(|width| percent(width.max(least)))
            .filter(|width| width.is_finite()),
    })
}

#[cfg(test)]
mod tests {
    use contract::Cause;
    use report::Unit;

    use super::*;

    fn figure(name: &str, values: [f64; 3]) -> PreciseFigure {
        PreciseFigure {
            job: Some("a".into()),
            direction: Some("read".into()),
            figure: name.into(),
            unit: Unit::Ns,
            value: values.iter().sum::<f64>() / 3.0,
            half_width: None,
            values: values.into(),
            is_good: None,
        }
    }

    fn figures(own: Vec<PreciseFigure>) -> Figures {
        Figures { seeds: vec![1, 2, 3], figures: own }
    }

    /// Two pairs that differ by one bin each: no chance is seen, and the bins are as wide as the difference.
    #[test]
    fn no_difference_is_shown_that_is_within_the_bins_of_percentiles() {
        let figures = |values: [f64; 2]| {
            let of = |name: &str| PreciseFigure { values: values.into(), ..figure(name, [0.0; 3]) };
            Figures { seeds: vec![1, 2], figures: vec![of("p99"), of("mean")] }
        };
        let (first, other) = (figures([100_351.0; 2]), figures([100_863.0; 2]));
        let rows = pair(1, &first, &other).rows;
        let shown: Vec<_> = rows.iter().map(|row| (row.name.as_str(), row.is_shown())).collect();
        assert_eq!(shown, [("a read p99", false), ("a read mean", true)], "{rows:?}");
        let far = figures([110_000.0; 2]);
        assert!(pair(1, &first, &far).rows.iter().all(PairedRow::is_shown));
    }

    /// One waits for collection and the other never does: that is the difference, and stands there.
    #[test]
    fn a_cause_that_one_report_has_never_met_is_no_time_in_it() {
        let (bus, map, internal) = (Cause::Bus.name(), Cause::Map.name(), Cause::Internal.name());
        let mean = || figure("mean", [100.0; 3]);
        let first = figures(vec![mean(), figure(bus, [50.0; 3]), figure(map, [0.5; 3])]);
        let other = figures(vec![mean(), figure(bus, [50.0; 3]), figure(internal, [30.0; 3])]);
        let names = |first, other| -> Vec<(String, [f64; 2])> {
            pair(1, first, other).rows.into_iter().map(|row| (row.name, row.means)).collect()
        };
        let of = |name: &str, means| (format!("a read {name}"), means);
        let both = [of("mean", [100.0; 2]), of(bus, [50.0; 2]), of(internal, [0.0, 30.0])];
        assert_eq!(names(&first, &other), both, "and half a hundredth explains nothing");
        // Where nobody asked, nothing is known of any cause.
        let unasked = figures(vec![mean()]);
        assert_eq!(names(&first, &unasked), both[..1]);
    }
}
