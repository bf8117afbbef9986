//! Runs with further seeds, until what is judged of them is known well enough.

use std::collections::BTreeSet;

use crate::error::{Fault, StudyError};
use crate::evaluate::Asked;
use crate::experiment::Bound;
use crate::measurement::Measurement;
use crate::outcome::{Evidence, Relation, StudyOutcome};
use crate::plan::{Plan, PlannedRun, Work};
use crate::runner::{run_all_while, Progress};
use crate::samples::half_interval;

/// Intervals are to be this share of a tolerance at most.
const SHARE: f64 = 0.2;

impl Plan<'_> {
    /// Does all runs on `threads` threads and compares. The outcome does not depend on the number
    /// of threads; `progress` is told how far the runs are.
    ///
    /// # Errors
    /// When a run fails, or does nothing of what is to be measured.
    pub fn run(
        &self,
        threads: usize,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<StudyOutcome, StudyError> {
        self.repeated(1, threads, progress)
    }

    /// The same, with up to so many seeds for each run: one after the other, until all that is judged of the run is known to
    /// within a fifth of its tolerance.
    ///
    /// # Errors
    /// As [`Plan::run`].
    pub fn repeated(
        &self,
        most: usize,
        threads: usize,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<StudyOutcome, StudyError> {
        let mut go_on = |told| {
            progress(told);
            true
        };
        Ok(self.repeated_while(most, threads, &mut go_on)?.expect("nobody ended the study"))
    }

    /// The same, while `progress` says so; none if it has ended the study. What runs at this moment is still finished.
    ///
    /// # Errors
    /// As [`Plan::run`].
    pub fn repeated_while(
        &self,
        most: usize,
        threads: usize,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<Option<StudyOutcome>, StudyError> {
        let Some(first) = run_all_while(&self.runs, threads, progress)? else { return Ok(None) };
        let mut measured: Vec<Vec<Measurement>> = first.into_iter().map(|one| vec![one]).collect();
        for seed in 1..most {
            let unsure = unsure(self, &measured)?;
            if unsure.is_empty() {
                break;
            }
            let again: Vec<PlannedRun> =
                unsure.iter().map(|nth| with_seed(&self.runs[*nth], seed as u64)).collect();
            let Some(more) = run_all_while(&again, threads, progress)? else { return Ok(None) };
            unsure.into_iter().zip(more).for_each(|(nth, one)| measured[nth].push(one));
        }
        self.outcome(&measured).map(Some)
    }
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
            if is_unsure(&value.bound, value.evidence, &samples) {
                wanted.insert(self.run(value.point));
            }
        }
        for claim in &self.experiment.claims {
            if is_unsure(&claim.bound, claim.evidence, &self.samples_of(claim)?) {
                wanted.extend(claim.terms.values().map(|(point, _)| self.run(*point)));
            }
        }
        Ok(())
    }
}

/// Whether the mean of some samples is known too badly. Limits and aims have no tolerance to speak of.
fn is_unsure(bound: &Bound, evidence: Evidence, samples: &[f64]) -> bool {
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
    fn a_value_is_known_when_its_interval_is_a_fifth_of_its_tolerance() {
        let bound = |complement_of, tolerance| Bound {
            relation: Relation::Equals,
            published: 100.0,
            forms: Forms { complement_of, ..Forms::default() },
            tolerance_percent: tolerance,
        };
        let published =
            |bound: &Bound, samples: &[f64]| is_unsure(bound, Evidence::Published, samples);
        let plain = bound(None, Some(10.0));
        // Two samples that are 0.2 apart: 12.706 x 0.1 = 1.27 either way.
        assert!(published(&plain, &[100.0]));
        assert!(!published(&plain, &[100.0, 100.2]));
        assert!(published(&plain, &[100.0, 100.4]));
        // Of a complement of 50, 1 % is half as much.
        assert!(published(&bound(Some(150.0), Some(10.0)), &[100.0, 100.2]));
        assert!(!published(&bound(None, None), &[100.0]));
        assert!(!is_unsure(&plain, Evidence::Goal, &[100.0]));
        let limit = Bound { relation: Relation::AtMost, ..plain };
        assert!(!published(&limit, &[100.0]));
    }
}
