//! What came out: every value, claim, summary and figure from what was measured.

use std::collections::BTreeMap;

use crate::error::{Fault, StudyError};
use crate::experiment::{Bound, Claim, Experiment, Plot, Statistic, Summary, TimelinePlot, Value};
use crate::grid::Point;
use crate::measurement::Measurement;
use crate::metric::Metric;
use crate::outcome::{
    Curve, ExperimentOutcome, Figure, Relation, Role, Row, RowKind, Status, StudyOutcome, Timeline,
};
use crate::plan::Plan;
use crate::runner::{run_all, Progress};

/// Unit of errors.
const PERCENT: &str = "%";

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
        let study = self.study;
        let measurements = run_all(&self.runs, threads, progress)?;
        let experiment = |(nth, experiment): (usize, &Experiment)| {
            let asked = Asked { plan: self, measurements: &measurements, nth, experiment };
            asked.outcome().map_err(|fault| study.fault(fault))
        };
        let experiments: Result<Vec<_>, StudyError> =
            study.experiments.iter().enumerate().map(experiment).collect();
        Ok(StudyOutcome {
            name: study.name.clone(),
            title: study.title.clone(),
            paper: study.paper.clone(),
            exhibits: study.exhibits.clone(),
            parameters: self.parameters.clone(),
            experiments: experiments?,
        })
    }
}

/// An experiment with what its points measured.
struct Asked<'a> {
    plan: &'a Plan<'a>,
    measurements: &'a [Measurement],
    nth: usize,
    experiment: &'a Experiment,
}

impl Asked<'_> {
    fn outcome(&self) -> Result<ExperimentOutcome, Fault> {
        let Experiment { id, title, place, .. } = self.experiment;
        let mut rows = Vec::new();
        for value in &self.experiment.values {
            rows.push(self.value(value)?);
        }
        let summaries: Vec<Row> =
            self.experiment.summaries.iter().map(|summary| summary_row(summary, &rows)).collect();
        for claim in &self.experiment.claims {
            rows.push(self.claim(claim)?);
        }
        rows.extend(summaries);
        let figures: Result<_, Fault> =
            self.experiment.figures.iter().map(|plot| self.figure(plot)).collect();
        Ok(ExperimentOutcome {
            id: id.clone(),
            title: title.clone(),
            place: place.clone(),
            rows,
            figures: figures?,
            timelines: self.experiment.timelines.iter().map(|plot| self.timeline(plot)).collect(),
        })
    }

    fn measured(&self, point: Point, metric: Metric) -> Result<f64, Fault> {
        let run = self.plan.run_of[&(self.nth, point)];
        let look = self.experiment.look(point);
        metric.of(&self.measurements[run], look).ok_or_else(|| {
            let name = self.experiment.name_of(point);
            let expected = "a job that does some of it after its ramp";
            Fault::new(name, format!("nothing to take {} of", metric.name()), expected)
        })
    }

    fn timeline(&self, plot: &TimelinePlot) -> Timeline {
        let panel = |(name, point): &(String, Point)| {
            let run = self.plan.run_of[&(self.nth, *point)];
            let trace = self.measurements[run].timeline.as_deref();
            (name.clone(), trace.expect("a run that is drawn was watched").clone())
        };
        let panels = plot.panels.iter().map(panel).collect();
        Timeline { id: plot.id.clone(), title: plot.title.clone(), panels }
    }

    fn value(&self, value: &Value) -> Result<Row, Fault> {
        let measured = self.measured(value.point, value.metric)?;
        Ok(value_row(value, Measured { experiment: self.experiment, value: measured }))
    }

    fn claim(&self, claim: &Claim) -> Result<Row, Fault> {
        let mut values = BTreeMap::new();
        for (name, (point, metric)) in &claim.terms {
            values.insert(name.clone(), self.measured(*point, *metric)?);
        }
        let measured = claim.expression.evaluate(&values);
        if !measured.is_finite() {
            let terms: Vec<String> = values.iter().map(|(n, v)| format!("{n} = {v}")).collect();
            let owner = format!("experiment {}, claim {}: value", self.experiment.id, claim.id);
            let found = format!("no number for {}", terms.join(", "));
            return Err(Fault::new(owner, found, "one"));
        }
        Ok(claim_row(claim, Measured { experiment: self.experiment, value: measured }))
    }

    fn figure(&self, plot: &Plot) -> Result<Figure, Fault> {
        let mut curves = Vec::new();
        for curve in &plot.curves {
            let mut measured = Vec::new();
            for (x, point) in &curve.points {
                measured.push((*x, self.measured(*point, plot.metric)?));
            }
            let (name, published) = (curve.name.clone(), curve.published.clone());
            curves.push(Curve { name, measured, published });
        }
        Ok(Figure {
            id: plot.id.clone(),
            title: plot.title.clone(),
            x: plot.x.clone(),
            x_label: plot.x_label.clone(),
            y_label: plot.y_label.clone(),
            curves,
        })
    }
}

/// What was measured for a value or a claim of an experiment.
#[derive(Clone, Copy)]
pub(crate) struct Measured<'a> {
    pub experiment: &'a Experiment,
    pub value: f64,
}

/// How a value stands beside what was measured for it.
pub(crate) fn value_row(value: &Value, measured: Measured<'_>) -> Row {
    let judged = judge(&value.bound, measured.value);
    Row {
        id: value.id.clone(),
        conditions: measured.experiment.grid.conditions(value.point),
        relation: value.bound.relation,
        published: value.bound.published,
        measured: measured.value,
        unit: value.unit.clone(),
        error_percent: judged.error_percent,
        tolerance_percent: value.bound.tolerance_percent,
        evidence: value.evidence,
        role: value.role,
        status: judged.status,
        reason: judged.reason(&value.reason),
        kind: RowKind::Value,
        said_of_each: None,
    }
}

/// How a claim stands beside what it comes to.
pub(crate) fn claim_row(claim: &Claim, measured: Measured<'_>) -> Row {
    let judged = judge(&claim.bound, measured.value);
    Row {
        id: claim.id.clone(),
        conditions: claim.says.clone(),
        relation: claim.bound.relation,
        published: claim.bound.published,
        measured: measured.value,
        unit: claim.unit.clone(),
        error_percent: judged.error_percent,
        tolerance_percent: claim.bound.tolerance_percent,
        evidence: claim.evidence,
        role: role_of(claim, measured.experiment),
        status: judged.status,
        reason: judged.reason(&claim.reason),
        kind: RowKind::Claim,
        said_of_each: claim.said_of_each.clone(),
    }
}

/// A claim is a prediction unless a value that it stands on was fitted.
fn role_of(claim: &Claim, experiment: &Experiment) -> Role {
    if claim.role == Role::Fitted {
        return Role::Fitted;
    }
    let fitted = |value: &Value| value.role == Role::Fitted;
    let stands_on =
        |value: &Value| claim.terms.values().any(|term| *term == (value.point, value.metric));
    match experiment.values.iter().any(|value| fitted(value) && stands_on(value)) {
        true => Role::Fitted,
        false => Role::Predicted,
    }
}

/// The row of a summary; `rows` are those of the experiment's values.
pub(crate) fn summary_row(summary: &Summary, rows: &[Row]) -> Row {
    let of = || summary.values.iter().map(|nth| &rows[*nth]);
    let errors = of().map(|row| row.error_percent.abs());
    let measured = match summary.statistic {
        Statistic::MeanAbsolute => errors.sum::<f64>() / summary.values.len() as f64,
        Statistic::MaxAbsolute => errors.fold(0.0, f64::max),
    };
    let judged = judge(&summary.bound, measured);
    let all = |role| of().all(|row| row.role == role);
    let role = match (all(Role::Given), all(Role::Predicted)) {
        (true, _) => Role::Given,
        (_, true) => Role::Predicted,
        _ => Role::Fitted,
    };
    Row {
        id: summary.id.clone(),
        conditions: summary.says.clone(),
        relation: summary.bound.relation,
        published: summary.bound.published,
        measured,
        unit: PERCENT.to_owned(),
        error_percent: judged.error_percent,
        tolerance_percent: summary.bound.tolerance_percent,
        evidence: summary.evidence,
        role,
        status: judged.status,
        reason: judged.reason(&summary.reason),
        kind: RowKind::Summary,
        said_of_each: None,
    }
}

/// What is said of a measured value.
struct Judged {
    error_percent: f64,
    status: Status,
}

impl Judged {
    /// Reasons are of interest only for what differs.
    fn reason(&self, known: &Option<String>) -> Option<String> {
        known.clone().filter(|_| self.status == Status::Outside)
    }
}

fn judge(bound: &Bound, measured: f64) -> Judged {
    let Bound { relation, published, tolerance_percent } = *bound;
    let holds = match relation {
        Relation::Equals => measured == published,
        Relation::AtMost => measured <= published,
        Relation::AtLeast => measured >= published,
        Relation::Above => measured > published,
        Relation::Below => measured < published,
    };
    let error = relative_error_percent(measured, published);
    let error_percent = match relation {
        Relation::Equals => error,
        _ if holds => 0.0,
        _ => error.abs(),
    };
    let status = match tolerance_percent {
        None => Status::Reported,
        Some(_) if holds => Status::Within,
        // What is to lie above or below by nothing at all does not lie there.
        Some(percent) if percent > 0.0 && error_percent.abs() <= percent => Status::Within,
        Some(_) => Status::Outside,
    };
    Judged { error_percent, status }
}

/// Of 0, anything else is off by 100 %.
pub(crate) fn relative_error_percent(measured: f64, published: f64) -> f64 {
    match (measured - published, published) {
        (0.0, _) => 0.0,
        (difference, 0.0) => 100.0 * difference.signum(),
        (difference, _) => 100.0 * difference / published.abs(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_judged_by_relation_and_tolerance() {
        use Relation::{Above, AtLeast, AtMost, Below, Equals};
        use Status::{Outside, Reported, Within};
        for (relation, published, tolerance, measured, error, status) in [
            (Equals, 200.0, Some(10.0), 180.0, -10.0, Within),
            (Equals, 200.0, Some(10.0), 221.0, 10.5, Outside),
            (Equals, 200.0, None, 400.0, 100.0, Reported),
            (Equals, 0.0, Some(0.0), 0.0, 0.0, Within),
            (Equals, 0.0, Some(10.0), -2.0, -100.0, Outside),
            (Equals, -4.0, Some(10.0), -5.0, -25.0, Outside),
            (AtMost, 6.0, Some(0.0), 5.0, 0.0, Within),
            (AtMost, 6.0, Some(0.0), 6.0, 0.0, Within),
            (AtMost, 6.0, Some(0.0), 9.0, 50.0, Outside),
            (AtMost, 6.0, Some(50.0), 9.0, 50.0, Within),
            (AtLeast, 10.0, Some(0.0), 9.0, 10.0, Outside),
            (Above, 1.0, Some(0.0), 1.0, 0.0, Outside),
            (Above, 1.0, Some(0.0), 1.1, 0.0, Within),
            (Below, 1.0, Some(0.0), 1.5, 50.0, Outside),
        ] {
            let judged =
                judge(&Bound { relation, published, tolerance_percent: tolerance }, measured);
            assert_eq!(judged.error_percent, error, "{relation:?} {published} {measured}");
            assert_eq!(judged.status, status, "{relation:?} {published} {measured}");
        }
    }
}
