//! What the page of a sweep is made of.

use chart::number::{significant, NONE};
use runs::confidence::Interval;

use crate::figures::FIGURES;
use crate::setups::{differs, pareto, Aim, Aims, Setup};

/// Most setups that the table and the parallel axes show.
pub(crate) const MOST_SETUPS: usize = 2_000;

/// What a page is made of.
pub(crate) struct Shown<'a> {
    pub keys: &'a [String],
    pub setups: &'a [Setup],
    /// Keys that setups differ in.
    pub varied: Vec<usize>,
    /// Figures that setups differ in, aims first.
    pub figures: Vec<usize>,
    pub aims: Vec<Aim>,
    /// Of each setup whether no other one beats it.
    pub front: Vec<bool>,
}

impl<'a> Shown<'a> {
    pub fn new(keys: &'a [String], setups: &'a [Setup], aims: Option<&Aims>) -> Self {
        let aims = aims.map_or_else(|| Aim::usual(setups), |aims| aims.0.clone());
        let first: Vec<usize> = aims.iter().map(|aim| aim.figure).collect();
        let others = (0..FIGURES.len()).filter(|nth| !first.contains(nth));
        let figures = first.iter().copied().chain(others).filter(|nth| differs(setups, *nth));
        let varies =
            |nth: &usize| setups.iter().any(|own| own.values[*nth] != setups[0].values[*nth]);
        Shown {
            keys,
            setups,
            varied: (0..keys.len()).filter(varies).collect(),
            figures: figures.collect(),
            // A single aim has a best setup and no front.
            front: if aims.len() > 1 { pareto(setups, &aims) } else { vec![false; setups.len()] },
            aims,
        }
    }

    /// The value of a key in words.
    pub fn value(&self, setup: usize, key: usize) -> &str {
        self.setups[setup].values[key].as_deref().unwrap_or(NONE)
    }
}

/// A mean with half of its interval.
pub(crate) fn told(interval: Option<Interval>) -> String {
    let Some(Interval { mean, half_width }) = interval else { return NONE.to_owned() };
    let mean = significant(mean, 5);
    half_width.map_or(mean.clone(), |half| format!("{mean} ± {}", significant(half, 2)))
}
