//! What came out: every value, claim, summary and figure from what was measured.

use std::collections::BTreeMap;

use crate::error::{Fault, StudyError};
use crate::experiment::{Bound, Claim, Experiment, Plot, Statistic, Summary, TimelinePlot, Value};
use crate::grid::Point;
use crate::measurement::Measurement;
use crate::metric::Metric;
use crate::outcome::{
    is_far_off, relative_error_percent, Curve, Evidence, ExperimentOutcome, Figure, Relation, Role,
    Row, RowKind, Status, StudyOutcome, Timeline,
};
use crate::plan::Plan;
use crate::samples::{half_interval, mean};

/// Unit of errors.
const PERCENT: &str = "%";

impl Plan<'_> {
    /// What comes of what was measured: by run, and by the seeds with which it was done.
    pub(crate) fn outcome(
        &self,
        measurements: &[Vec<Measurement>],
    ) -> Result<StudyOutcome, StudyError> {
        let study = self.study;
        let experiment = |(nth, experiment): (usize, &Experiment)| {
            let asked = Asked { plan: self, measurements, nth, experiment };
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
pub(crate) struct Asked<'a> {
    pub plan: &'a Plan<'a>,
    /// By run, and by the seeds with which it was done.
    pub measurements: &'a [Vec<Measurement>],
    pub nth: usize,
    pub experiment: &'a Experiment,
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

    /// The run of a point.
    pub fn run(&self, point: Point) -> usize {
        self.plan.run_of[&(self.nth, point)]
    }

    /// What was measured at a point, with each seed.
    pub fn samples(&self, point: Point, metric: Metric) -> Result<Vec<f64>, Fault> {
        let look = self.experiment.look(point);
        let of = |measurement| {
            metric.of(measurement, look).ok_or_else(|| {
                let name = self.experiment.name_of(point);
                let expected = "a job that does some of it after its ramp";
                Fault::new(name, format!("nothing to take {} of", metric.name()), expected)
            })
        };
        self.measurements[self.run(point)].iter().map(of).collect()
    }

    /// What a claim comes to with each seed that all of its runs were done with.
    pub fn samples_of(&self, claim: &Claim) -> Result<Vec<f64>, Fault> {
        let mut terms = BTreeMap::new();
        for (name, (point, metric)) in &claim.terms {
            terms.insert(name.clone(), self.samples(*point, *metric)?);
        }
        let seeds = terms.values().map(Vec::len).min().unwrap_or(1);
        (0..seeds).map(|seed| self.comes_to(claim, &terms, seed)).collect()
    }

    fn comes_to(
        &self,
        claim: &Claim,
        terms: &BTreeMap<String, Vec<f64>>,
        seed: usize,
    ) -> Result<f64, Fault> {
        let values = terms.iter().map(|(name, samples)| (name.clone(), samples[seed])).collect();
        let measured = claim.expression.evaluate(&values);
        if measured.is_finite() {
            return Ok(measured);
        }
        let terms: Vec<String> = values.iter().map(|(n, v)| format!("{n} = {v}")).collect();
        let owner = format!("experiment {}, claim {}: value", self.experiment.id, claim.id);
        Err(Fault::new(owner, format!("no number for {}", terms.join(", ")), "one"))
    }

    fn timeline(&self, plot: &TimelinePlot) -> Timeline {
        let panel = |(name, point): &(String, Point)| {
            let run = self.plan.run_of[&(self.nth, *point)];
            let trace = self.measurements[run][0].timeline.as_deref();
            (name.clone(), trace.expect("a run that is drawn was watched").clone())
        };
        let panels = plot.panels.iter().map(panel).collect();
        Timeline { id: plot.id.clone(), title: plot.title.clone(), panels }
    }

    fn value(&self, value: &Value) -> Result<Row, Fault> {
        let samples = self.samples(value.point, value.metric)?;
        Ok(value_row(value, Measured::of(self.experiment, &samples)))
    }

    fn claim(&self, claim: &Claim) -> Result<Row, Fault> {
        let samples = self.samples_of(claim)?;
        Ok(claim_row(claim, Measured::of(self.experiment, &samples)))
    }

    fn figure(&self, plot: &Plot) -> Result<Figure, Fault> {
        let mut curves = Vec::new();
        for curve in &plot.curves {
            let (mut measured, mut half_widths) = (Vec::new(), Vec::new());
            for (x, point) in &curve.points {
                let samples = self.samples(*point, plot.metric)?;
                measured.push((*x, mean(&samples)));
                half_widths.extend(half_interval(&samples).map(|half| (*x, half)));
            }
            let (name, published) = (curve.name.clone(), curve.published.clone());
            curves.push(Curve { name, measured, published, half_widths });
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
    /// Half of its interval, where there were several runs.
    pub interval: Option<f64>,
}

impl<'a> Measured<'a> {
    fn of(experiment: &'a Experiment, samples: &[f64]) -> Measured<'a> {
        Measured { experiment, value: mean(samples), interval: half_interval(samples) }
    }
}

/// How a value stands beside what was measured for it.
pub(crate) fn value_row(value: &Value, measured: Measured<'_>) -> Row {
    let judged = judge(&value.bound, measured.value);
    Row {
        id: value.id.clone(),
        conditions: measured.experiment.grid.conditions(value.point),
        relation: value.bound.relation,
        published: value.bound.published,
        forms: value.bound.forms,
        measured: measured.value,
        interval: measured.interval,
        unit: value.unit.clone(),
        error_percent: judged.error_percent,
        tolerance_percent: value.bound.tolerance_percent,
        evidence: value.evidence,
        role: value.role,
        status: judged.status,
        reason: judged.reason(&value.reason, value.evidence),
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
        forms: claim.bound.forms,
        measured: measured.value,
        interval: measured.interval,
        unit: claim.unit.clone(),
        error_percent: judged.error_percent,
        tolerance_percent: claim.bound.tolerance_percent,
        evidence: claim.evidence,
        role: role_of(claim, measured.experiment),
        status: judged.status,
        reason: judged.reason(&claim.reason, claim.evidence),
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
        forms: summary.bound.forms,
        measured,
        interval: None,
        unit: PERCENT.to_owned(),
        error_percent: judged.error_percent,
        tolerance_percent: summary.bound.tolerance_percent,
        evidence: summary.evidence,
        role,
        status: judged.status,
        reason: judged.reason(&summary.reason, summary.evidence),
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
    /// Reasons are of interest for what differs, and for what is far off within its tolerance.
    fn reason(&self, known: &Option<String>, evidence: Evidence) -> Option<String> {
        let is_far = is_far_off(evidence, self.error_percent);
        known.clone().filter(|_| is_far || self.status == Status::Outside)
    }
}

fn judge(bound: &Bound, measured: f64) -> Judged {
    let Bound { relation, forms, tolerance_percent, .. } = *bound;
    let published = forms.nearest(bound.published, measured);
    let holds = match relation {
        Relation::Equals => measured == published,
        Relation::AtMost => measured <= published,
        Relation::AtLeast => measured >= published,
        Relation::Above => measured > published,
        Relation::Below => measured < published,
    };
    let plain = relative_error_percent(measured, published);
    let other = forms.complements(published, measured);
    let other = other.map(|(published, measured)| relative_error_percent(measured, published));
    let error = other.filter(|other| other.abs() > plain.abs()).unwrap_or(plain);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Forms;

    /// Of 28 % that are kept where 72 % are lost, an error of a tenth is one of a quarter. A range has no error within.
    #[test]
    fn the_form_that_is_further_off_is_judged_and_ranges_as_ranges() {
        let complement = |of| Forms { complement_of: Some(of), ..Forms::default() };
        let range = Forms { to: Some(30.0), ..Forms::default() };
        for (published, forms, measured, error, status) in [
            (75.0, Forms::default(), 70.0, -6.667, Status::Within),
            (75.0, complement(100.0), 70.0, 20.0, Status::Outside),
            (20.0, complement(100.0), 18.0, -10.0, Status::Within),
            (1.5, complement(1.0), 1.25, -50.0, Status::Outside),
            (1.5, complement(1.0), 1.55, 10.0, Status::Within),
            (27.0, range, 29.0, 0.0, Status::Within),
            (27.0, range, 33.0, 10.0, Status::Within),
            (27.0, range, 24.0, -11.111, Status::Outside),
        ] {
            let (relation, tolerance_percent) = (Relation::Equals, Some(11.0));
            let judged = judge(&Bound { relation, published, forms, tolerance_percent }, measured);
            assert!((judged.error_percent - error).abs() < 0.001, "{published} {measured}");
            assert_eq!(judged.status, status, "{published} {measured}");
        }
    }

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
            let forms = Forms::default();
            let bound = Bound { relation, published, forms, tolerance_percent: tolerance };
            let judged = judge(&bound, measured);
            assert_eq!(judged.error_percent, error, "{relation:?} {published} {measured}");
            assert_eq!(judged.status, status, "{relation:?} {published} {measured}");
        }
    }
}
