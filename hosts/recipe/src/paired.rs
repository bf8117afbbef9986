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

fn pair(report: usize, first: &Figures, other: &Figures) -> Paired {
    let common: Vec<u64> =
        first.seeds.iter().copied().filter(|seed| other.seeds.contains(seed)).collect();
    let rows = first.figures.iter().filter_map(|own| {
        let same = |figure: &&PreciseFigure| {
            (&figure.job, &figure.direction, &figure.figure)
                == (&own.job, &own.direction, &own.figure)
        };
        let of_other = other.figures.iter().find(same)?;
        let values = |seed| Some([first.value(own, seed)?, other.value(of_other, seed)?]);
        let pairs: Vec<[f64; 2]> = common.iter().filter_map(|&seed| values(seed)).collect();
        let (means, difference) = match pairs.as_slice() {
            // Without a seed in common it is the means that can be told, and nothing of chance.
            [] => {
                let difference = of_other.value - own.value;
                ([own.value, of_other.value], Interval { mean: difference, half_width: None })
            }
            pairs => {
                let differences: Vec<f64> =
                    pairs.iter().map(|[first, other]| other - first).collect();
                let mean = |nth| {
                    pairs.iter().map(|pair: &[f64; 2]| pair[nth]).sum::<f64>() / pairs.len() as f64
                };
                ([mean(0), mean(1)], Interval::of(&differences, Level::USUAL)?)
            }
        };
        let percent = |value: f64| 100.0 * value / means[0].abs();
        Some(PairedRow {
            name: own.name(),
            unit: own.unit,
            means,
            change: (means[0] != 0.0).then(|| percent(difference.mean)),
            half_width: difference.half_width.map(percent).filter(|width| width.is_finite()),
        })
    });
    Paired { report, seeds: common.len(), rows: rows.collect() }
}
