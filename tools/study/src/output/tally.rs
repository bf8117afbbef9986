//! Counts of verdicts and statistics of errors, by kind of evidence.

use super::fidelity_values::column;
use crate::outcome::{
    Evidence, ExperimentOutcome, Relation, Role, Row, RowKind, Status, StudyOutcome,
};

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

/// The verdicts on the rows of one kind of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count {
    /// The kind.
    pub(super) evidence: Evidence,
    /// Of published values, what they tell of the model: those that the calibration used are
    /// counted apart. Of all other kinds nothing.
    pub(super) role: Option<Role>,
    /// How they ended.
    pub(super) verdicts: Verdicts,
}

/// The verdicts on `rows`, each row in one count; kinds without rows are left out.
pub(super) fn counts<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Vec<Count> {
    let rows: Vec<&Row> = rows.into_iter().collect();
    let roles = |evidence| match evidence {
        Evidence::Published => vec![Some(Role::Predicted), Some(Role::Fitted), Some(Role::Given)],
        _ => vec![None],
    };
    let count = |(evidence, role): (Evidence, Option<Role>)| {
        let mut of = rows
            .iter()
            .copied()
            .filter(|row| row.evidence == evidence && role.is_none_or(|role| role == row.role))
            .peekable();
        of.peek()?;
        Some(Count { evidence, role, verdicts: Verdicts::of(of) })
    };
    Evidence::ALL
        .into_iter()
        .flat_map(|evidence| roles(evidence).into_iter().map(move |role| (evidence, role)))
        .filter_map(count)
        .collect()
}

/// The study's score: the verdicts on published values, whatever their role.
pub(super) fn score<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Verdicts {
    Verdicts::of(rows.into_iter().filter(|row| row.evidence == Evidence::Published))
}

/// The absolute errors of the values of one column or of the claims of one experiment.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Errors {
    /// The experiment's name, and the column's if the values stand in one; `all` over all of them.
    pub(super) scope: String,
    /// What kind of evidence the values are.
    pub(super) evidence: Evidence,
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

/// The scope of the errors of all published values.
pub(super) const ALL: &str = "all";

/// The errors of published and of derived values, those that were fitted apart, by column; and at
/// the end those of all published ones. Other kinds of evidence have no error to speak of.
pub(super) fn errors(study: &StudyOutcome) -> Vec<Errors> {
    let mut groups: Vec<(String, Evidence, Vec<&Row>)> = Vec::new();
    let mut published = Vec::new();
    for experiment in &study.experiments {
        for row in experiment.rows.iter().filter(|row| has_error(row)) {
            let scope = match row.kind {
                RowKind::Value => format!("{} {}", experiment.id, column(experiment, row)),
                RowKind::Claim | RowKind::Summary => format!("{} claims", experiment.id),
            };
            match groups.iter_mut().find(|(s, e, _)| *s == scope && *e == row.evidence) {
                Some((.., rows)) => rows.push(row),
                None => groups.push((scope, row.evidence, vec![row])),
            }
            published.extend(Some(row).filter(|row| row.evidence == Evidence::Published));
        }
    }
    groups
        .into_iter()
        .chain([(ALL.to_owned(), Evidence::Published, published)])
        .flat_map(|group| [Role::Fitted, Role::Predicted].map(|role| errors_of(&group, role)))
        .flatten()
        .collect()
}

fn has_error(row: &Row) -> bool {
    row.relation == Relation::Equals
        && matches!(row.evidence, Evidence::Published | Evidence::Derived)
}

/// The errors of the rows of a group that have `role`; `None` when there are none.
fn errors_of(
    (scope, evidence, rows): &(String, Evidence, Vec<&Row>),
    role: Role,
) -> Option<Errors> {
    let rows: Vec<_> = rows
        .iter()
        .filter(|row| row.role == role)
        .map(|row| (row.error_percent.abs(), row.status))
        .collect();
    if rows.is_empty() {
        return None;
    }
    let sum: f64 = rows.iter().map(|(error, _)| error).sum();
    Some(Errors {
        scope: scope.clone(),
        evidence: *evidence,
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
