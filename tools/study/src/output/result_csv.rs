//! `result.csv`: every row of a study, for other programs.

use super::tally::rows;
use super::wording::{evidence, relation, role, status};
use crate::outcome::{Row, StudyOutcome};
use chart::number::{exact, significant};
use std::io;

/// Heads of the columns, in their order.
const COLUMNS: [&str; 13] = [
    "id",
    "conditions",
    "published",
    "measured",
    "unit",
    "error_percent",
    "tolerance_percent",
    "evidence",
    "role",
    "status",
    "published_to",
    "complement_of",
    "interval",
];

/// Digits of what is measured or computed: to the picosecond for times below ten microseconds, and
/// few enough that the last bit of a sum is not seen.
const DIGITS: usize = 7;

/// The rows of `study` as CSV. A relation other than equality is told in `conditions`; a value that
/// could not be measured is `NaN`; a row that is not judged has no tolerance.
///
/// # Errors
/// The errors of a writer to memory: none in practice.
pub(super) fn result_csv(study: &StudyOutcome) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for row in rows(study) {
        writer.write_record([
            row.id.as_str(),
            &conditions(row),
            &significant(row.published, 9),
            &significant(row.measured, DIGITS),
            &row.unit,
            &significant(row.error_percent, DIGITS),
            &row.tolerance_percent.map_or(String::new(), exact),
            evidence(row.evidence),
            role(row.role),
            status(row.status),
            &row.forms.to.map_or(String::new(), exact),
            &row.forms.complement_of.map_or(String::new(), exact),
            &row.interval.map_or(String::new(), |half| significant(half, 3)),
        ])?;
    }
    writer.into_inner().map_err(|error| error.into_error())
}

/// The conditions and the relation, such as `8x8, at most`.
fn conditions(row: &Row) -> String {
    match relation(row.relation) {
        None => row.conditions.clone(),
        Some(word) if row.conditions.is_empty() => word.to_string(),
        Some(word) => format!("{}, {word}", row.conditions),
    }
}
