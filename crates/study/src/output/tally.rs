//! Counts of verdicts and statistics of errors.

use crate::outcome::{ExperimentOutcome, Relation, Role, Row, RowKind, Status, StudyOutcome};

/// How many rows ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Verdicts {
    /// Rows that are within their tolerance, or whose relation holds.
    pub(super) within: usize,
    /// Rows that are not.
    pub(super) outside: usize,
    /// Rows that are not judged.
    pub(super) reported: usize,
}

impl Verdicts {
    /// The verdicts on `rows`.
    pub(super) fn of<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Self {
        let mut verdicts = Self::default();
        for row in rows {
            match row.status {
                Status::Within => verdicts.within += 1,
                Status::Outside => verdicts.outside += 1,
                Status::Reported => verdicts.reported += 1,
            }
        }
        verdicts
    }

    /// How many rows are judged.
    pub(super) fn judged(self) -> usize {
        self.within + self.outside
    }
}

/// All rows of `study`.
pub(super) fn rows(study: &StudyOutcome) -> impl Iterator<Item = &Row> {
    study.experiments.iter().flat_map(|experiment| &experiment.rows)
}

/// The rows of `experiment` that compare one published value with one measured.
pub(super) fn values(experiment: &ExperimentOutcome) -> impl Iterator<Item = &Row> {
    experiment.rows.iter().filter(|row| row.kind == RowKind::Value)
}

/// The claims and summaries of `experiment`.
pub(super) fn statements(experiment: &ExperimentOutcome) -> impl Iterator<Item = &Row> {
    experiment.rows.iter().filter(|row| row.kind != RowKind::Value)
}

/// The absolute errors of values of one role.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Errors<'a> {
    /// The experiment's name; `all` over all of them.
    pub(super) scope: &'a str,
    /// What the values tell of the model.
    pub(super) role: Role,
    /// How many values there are.
    pub(super) rows: usize,
    /// How many of them are outside their tolerance.
    pub(super) outside: usize,
    /// Mean of the absolute errors in percent, not finite where one of them is not.
    pub(super) mean_percent: f64,
    /// The largest absolute error in percent.
    pub(super) largest_percent: f64,
}

/// The errors of fitted and of predicted values apart, by experiment and then over all. Claims and
/// summaries are left out: they speak of values that are counted already.
pub(super) fn errors(study: &StudyOutcome) -> Vec<Errors<'_>> {
    let one_by_one = study
        .experiments
        .iter()
        .map(|experiment| (experiment.id.as_str(), values(experiment).collect::<Vec<_>>()));
    let all = ("all", study.experiments.iter().flat_map(values).collect());
    one_by_one
        .chain([all])
        .flat_map(|(scope, rows)| {
            [Role::Fitted, Role::Predicted].map(|role| errors_of(scope, role, &rows))
        })
        .flatten()
        .collect()
}

/// The errors of the values among `rows` that have `role`; `None` when there are none.
fn errors_of<'a>(scope: &'a str, role: Role, rows: &[&Row]) -> Option<Errors<'a>> {
    let rows: Vec<_> = rows
        .iter()
        .filter(|row| row.role == role && row.relation == Relation::Equals)
        .map(|row| (row.error_percent.abs(), row.status))
        .collect();
    if rows.is_empty() {
        return None;
    }
    let sum: f64 = rows.iter().map(|(error, _)| error).sum();
    Some(Errors {
        scope,
        role,
        rows: rows.len(),
        outside: rows.iter().filter(|(_, status)| *status == Status::Outside).count(),
        mean_percent: sum / rows.len() as f64,
        // Unlike `f64::max` this does not skip what is not a number.
        largest_percent: rows
            .iter()
            .map(|(error, _)| *error)
            .max_by(f64::total_cmp)
            .unwrap_or_default(),
    })
}
