//! Runs with further seeds, until what is judged of them is known well enough.

use std::collections::BTreeSet;

use confidence::{Interval, Level};

use crate::error::{Fault, StudyError};
use crate::evaluate::Asked;
use crate::experiment::Bound;
use crate::measurement::Measurement;
use crate::outcome::{Evidence, Relation};
use crate::plan::{Plan, PlannedRun, Work};
use crate::runner::{run_all, Progress};

/// Intervals are to be this share of a tolerance at most.
const SHARE: f64 = 0.2;

/// The mean of at least one sample.
pub(crate) fn mean(samples: &[f64]) -> f64 {
    interval(samples).mean
}

/// Half of the interval of 95 % around the mean of several samples.
pub(crate) fn half_interval(samples: &[f64]) -> Option<f64> {
    interval(samples).half_width
}

fn interval(samples: &[f64]) -> Interval {
    Interval::of(samples, Level::USUAL).expect("a run has been done at least once")
}

/// Does the runs of a plan, each with at most so many seeds.
pub(crate) fn run(
    plan: &Plan<'_>,
    most: usize,
    (threads, progress): (usize, &mut dyn FnMut(Progress)),
) -> Result<Vec<Vec<Measurement>>, StudyError> {
    let first = run_all(&plan.runs, threads, progress)?;
    let mut measured: Vec<Vec<Measurement>> = first.into_iter().map(|one| vec![one]).collect();
    for seed in 1..most {
        let unsure = unsure(plan, &measured)?;
        if unsure.is_empty() {
            break;
        }
        let again: Vec<PlannedRun> =
            unsure.iter().map(|nth| with_seed(&plan.runs[*nth], seed as u64)).collect();
        let more = run_all(&again, threads, progress)?;
        unsure.into_iter().zip(more).for_each(|(nth, one)| measured[nth].push(one));
    }
    Ok(measured)
}

/// The same run, as another drive and another host do it.
fn with_seed(run: &PlannedRun, further: u64) -> PlannedRun {
    let mut run = run.clone();
    run.setup.seed += further;
    run
}

/// Runs that something judged stands on which is not known well enough yet.
fn unsure(plan: &Plan<'_>, measurements: &[Vec<Measurement>]) -> Result<Vec<usize>, StudyError> {
    let mut wanted = BTreeSet::new();
    for (nth, experiment) in plan.study.experiments.iter().enumerate() {
        let asked = Asked { plan, measurements, nth, experiment };
        asked.add_unsure(&mut wanted).map_err(|fault| plan.study.fault(fault))?;
    }
    // What a synthesis found, it finds again.
    wanted.retain(|nth| !matches!(plan.runs[*nth].work, Work::Area(_)));
    Ok(wanted.into_iter().collect())
}

impl Asked<'_> {
    fn add_unsure(&self, wanted: &mut BTreeSet<usize>) -> Result<(), Fault> {
        for value in &self.experiment.values {
            let samples = self.samples(value.point, value.metric)?;
            if is_unsure((&value.bound, value.evidence), &samples) {
                wanted.insert(self.run(value.point));
            }
        }
        for claim in &self.experiment.claims {
            if is_unsure((&claim.bound, claim.evidence), &self.samples_of(claim)?) {
                wanted.extend(claim.terms.values().map(|(point, _)| self.run(*point)));
            }
        }
        Ok(())
    }
}

/// Whether the mean of some samples is known too badly. Limits and aims have no tolerance to speak of.
fn is_unsure((bound, evidence): (&Bound, Evidence), samples: &[f64]) -> bool {
    let is_value = bound.relation == Relation::Equals && evidence != Evidence::Goal;
    let Some(tolerance) = bound.tolerance_percent.filter(|own| *own > 0.0 && is_value) else {
        return false;
    };
    let Some(half) = half_interval(samples) else { return true };
    let complement = bound.forms.complements(bound.published, bound.published);
    let smaller = complement.map_or(f64::INFINITY, |(published, _)| published.abs());
    half > SHARE * tolerance / 100.0 * bound.published.abs().min(smaller)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Forms;

    #[test]
    fn an_interval_is_that_of_student() {
        assert_eq!(half_interval(&[3.0]), None);
        assert_eq!(half_interval(&[3.0, 3.0]), Some(0.0));
        // A standard deviation of 1 over the root of 3, by 4.303.
        let half = half_interval(&[9.0, 10.0, 11.0]).unwrap();
        assert!((half - 2.484).abs() < 0.001, "{half}");
    }

    #[test]
    fn a_value_is_known_when_its_interval_is_a_fifth_of_its_tolerance() {
        let bound = |complement_of, tolerance| Bound {
            relation: Relation::Equals,
            published: 100.0,
            forms: Forms { complement_of, ..Forms::default() },
            tolerance_percent: tolerance,
        };
        let published =
            |bound: &Bound, samples: &[f64]| is_unsure((bound, Evidence::Published), samples);
        let plain = bound(None, Some(10.0));
        // Two samples that are 0.2 apart: 12.706 x 0.1 = 1.27 either way.
        assert!(published(&plain, &[100.0]));
        assert!(!published(&plain, &[100.0, 100.2]));
        assert!(published(&plain, &[100.0, 100.4]));
        // Of a complement of 50, 1 % is half as much.
        assert!(published(&bound(Some(150.0), Some(10.0)), &[100.0, 100.2]));
        assert!(!published(&bound(None, None), &[100.0]));
        assert!(!is_unsure((&plain, Evidence::Goal), &[100.0]));
        let limit = Bound { relation: Relation::AtMost, ..plain };
        assert!(!published(&limit, &[100.0]));
    }
}
