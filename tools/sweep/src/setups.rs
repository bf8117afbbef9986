//! Setups of a sweep, each over its seeds: the figures with their intervals, and which setups no other one beats.

use runs::confidence::{Interval, Level};

use crate::columns::figures;
use crate::figures::FIGURES;
use crate::grid::Point;
use crate::journal::Row;

/// A setup and what came out over its seeds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Setup {
    /// In the order of the sweep's keys.
    pub values: Vec<Option<String>>,
    /// Of each figure, in the order of [`FIGURES`].
    pub figures: Vec<Option<Interval>>,
    /// Why the first seed that has no figures has none.
    pub error: Option<String>,
}

impl Setup {
    /// The setups of rows that are sorted by point.
    pub fn of(rows: &[(Point, &Row)]) -> Vec<Setup> {
        let setup = |group: &[(Point, &Row)]| {
            let figure = |nth: usize| {
                let own = group.iter().filter_map(|(_, row)| figures(row).nth(nth)?);
                Interval::of(&own.collect::<Vec<f64>>(), Level::USUAL)
            };
            Setup {
                values: group[0].0.values.clone(),
                figures: (0..FIGURES.len()).map(figure).collect(),
                error: group.iter().find_map(|(_, row)| row.error.clone()),
            }
        };
        rows.chunk_by(|(a, _), (b, _)| a.setup == b.setup).map(setup).collect()
    }

    pub fn mean(&self, figure: usize) -> Option<f64> {
        self.figures[figure].map(|interval| interval.mean)
    }
}

/// A figure that is to be as high, or as low, as can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Aim {
    pub(crate) figure: usize,
    pub(crate) is_high: bool,
}

/// The aims of a sweep that somebody named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aims(pub(crate) Vec<Aim>);

impl Aims {
    /// Reads names of figures divided by commas.
    ///
    /// # Errors
    /// What is expected, when one is no figure of which more or less is better.
    pub fn parse(text: &str) -> Result<Aims, String> {
        let expected = || {
            let names = FIGURES.iter().copied().filter(|name| Aim::of_name(name).is_some());
            format!("some of {}, divided by commas", names.collect::<Vec<_>>().join(", "))
        };
        let aims = text.split(',').map(|name| Aim::of_name(name).ok_or_else(expected));
        aims.collect::<Result<_, _>>().map(Aims)
    }
}

/// Aims of a sweep that names none, as far as its points differ in them.
const USUAL: [&str; 5] =
    ["read_iops", "read_p99_us", "write_iops", "write_p99_us", "write_amplification"];

impl Aim {
    /// The aim that a figure's name stands for. None of figures of which nobody can say whether more is better.
    pub(crate) fn of_name(name: &str) -> Option<Aim> {
        let figure = FIGURES.iter().position(|own| *own == name)?;
        let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
        let is_high = ends(&["_iops", "_mb_s", "_hits_percent"]);
        (!ends(&["_busy_percent"])).then_some(Aim { figure, is_high })
    }

    /// Those that a page shows where nobody has named any.
    pub(crate) fn usual(setups: &[Setup]) -> Vec<Aim> {
        let differs = |aim: &Aim| differs(setups, aim.figure);
        USUAL.into_iter().filter_map(Aim::of_name).filter(differs).collect()
    }

    /// The figure, such that less is better.
    fn cost(self, setup: &Setup) -> Option<f64> {
        let mean = setup.mean(self.figure)?;
        Some(if self.is_high { -mean } else { mean })
    }
}

/// Whether setups differ in a figure.
pub(crate) fn differs(setups: &[Setup], figure: usize) -> bool {
    let mut means = setups.iter().filter_map(|setup| setup.mean(figure));
    let Some(first) = means.next() else { return false };
    means.any(|mean| mean != first)
}

/// Of each setup whether it is on the Pareto front: no other one is as good in all aims and better in one.
pub(crate) fn pareto(setups: &[Setup], aims: &[Aim]) -> Vec<bool> {
    let costs = |setup: &Setup| aims.iter().map(|aim| aim.cost(setup)).collect::<Option<Vec<_>>>();
    let mut known: Vec<(usize, Vec<f64>)> =
        setups.iter().enumerate().filter_map(|(nth, setup)| Some((nth, costs(setup)?))).collect();
    // Nobody is beaten by a setup that comes later.
    let order = |a: &[f64], b: &[f64]| {
        let unlike = a.iter().zip(b).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne());
        unlike.unwrap_or(std::cmp::Ordering::Equal)
    };
    known.sort_by(|(_, a), (_, b)| order(a, b));
    let mut on_front = vec![false; setups.len()];
    let mut front: Vec<Vec<f64>> = Vec::new();
    for (nth, costs) in known {
        let beats = |other: &Vec<f64>| {
            other.iter().zip(&costs).all(|(other, own)| other <= own) && *other != costs
        };
        if !front.iter().any(beats) {
            on_front[nth] = true;
            front.push(costs);
        }
    }
    on_front
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup(figures: &[(&str, f64)]) -> Setup {
        let mut all = vec![None; FIGURES.len()];
        for (name, value) in figures {
            let nth = Aim::of_name(name).unwrap().figure;
            all[nth] = Interval::of(&[*value], Level::USUAL);
        }
        Setup { values: vec![], figures: all, error: None }
    }

    #[test]
    fn a_setup_that_another_one_beats_is_not_on_the_front() {
        let of = |iops: f64, p99: f64| setup(&[("read_iops", iops), ("read_p99_us", p99)]);
        let setups =
            [of(10.0, 5.0), of(20.0, 9.0), of(20.0, 8.0), of(5.0, 5.0), of(10.0, 5.0), setup(&[])];
        let aims = Aim::usual(&setups);
        assert_eq!(aims.len(), 2);
        assert_eq!(pareto(&setups, &aims), [true, false, true, false, true, false]);
        let only = Aims::parse("read_iops").unwrap();
        assert_eq!(pareto(&setups, &only.0), [false, true, true, false, false, false]);
    }

    #[test]
    fn aims_are_figures_of_which_more_or_less_is_better() {
        let aims = Aims::parse("write_iops,erases,buffer_hits_percent").unwrap();
        assert_eq!(aims.0.iter().map(|aim| aim.is_high).collect::<Vec<_>>(), [true, false, true]);
        for text in ["", "write_iops,", "channel_busy_percent", "p99"] {
            let expected = Aims::parse(text).unwrap_err();
            assert!(expected.starts_with("some of read_iops,"), "{text}: {expected}");
        }
    }
}
