//! What differs in `docs/fidelity.md`, or is far off within its tolerance, and why.

use super::fidelity_values::column;
use super::markdown::{bullet, code, escaped};
use super::verdict::Verdict;
use super::wording::{counted, error};
use crate::outcome::{ExperimentOutcome, Row, RowKind, StudyOutcome};

/// The rows that are to be explained, each with the reason that was found. Values of one column that
/// share a reason share a bullet.
pub(super) fn differences_text(study: &StudyOutcome) -> String {
    let bullets: String = study.experiments.iter().flat_map(differences).collect();
    match bullets.is_empty() {
        true => String::new(),
        false => format!("### What differs, and why\n\n{bullets}\n"),
    }
}

fn differences(experiment: &ExperimentOutcome) -> Vec<String> {
    let mut groups: Vec<Vec<&Row>> = Vec::new();
    for row in experiment.rows.iter().filter(|row| Verdict::is_to_be_explained(row)) {
        let alike = |other: &Row| {
            row.kind == RowKind::Value
                && other.kind == RowKind::Value
                && row.reason == other.reason
                && column(experiment, row) == column(experiment, other)
        };
        match groups.iter_mut().find(|group| alike(group[0])) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    let text = |group: &Vec<&Row>| {
        let reason = group[0].reason.as_deref();
        let reason = reason.map_or("no reason is known yet.".to_string(), escaped);
        bullet(&format!("{}: {reason}", subject(experiment, group)))
    };
    groups.iter().map(text).collect()
}

/// What a bullet is about: one row, or how many values of a column, and how far they are off.
fn subject(experiment: &ExperimentOutcome, group: &[&Row]) -> String {
    let count = |verdict| group.iter().filter(|row| Verdict::of(row) == verdict).count();
    let (within, partly) = (count(Verdict::Reproduced), count(Verdict::Partly));
    match group {
        [row] => format!("{} ({}, {})", code(&row.id), error(row), Verdict::of(row).word()),
        rows => {
            let mut by_error = rows.to_vec();
            by_error.sort_by(|a, b| a.error_percent.total_cmp(&b.error_percent));
            let (least, greatest) = (by_error[0], by_error[by_error.len() - 1]);
            let reproduced = match within {
                0 => String::new(),
                within => format!("{within} within the tolerance, "),
            };
            format!(
                "{} of {} in {} ({} to {}; {reproduced}{partly} partly, {} differ)",
                counted(rows.len(), "value"),
                code(column(experiment, rows[0])),
                code(&experiment.id),
                error(least),
                error(greatest),
                rows.len() - within - partly,
            )
        }
    }
}
