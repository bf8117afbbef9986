//! Whether figures of reports differ by more than the user permits.

use recipe::Failure;
use report::Paired;

use crate::arguments::FailIf;

/// Checks the limits that the user has set.
///
/// # Errors
/// When no report has such a figure; and when one passes its limit by all of the interval.
pub fn check(limits: &[FailIf], names: &[String], paired: &[Paired]) -> Result<(), Failure> {
    let mut passed = Vec::new();
    for limit in limits {
        let all =
            paired.iter().flat_map(|paired| paired.rows.iter().map(|row| (paired.report, row)));
        let mut meant = all.filter(|(_, row)| limit.means(&row.name)).peekable();
        if meant.peek().is_none() {
            let all = paired.iter().flat_map(|paired| &paired.rows).map(|row| &*row.name);
            let mut known: Vec<&str> = all.collect();
            known.dedup();
            let expected =
                format!("words of a figure that both reports have: {}", known.join(", "));
            return Err(Failure::unexpected(
                "--fail-if",
                format!("\"{}\"", limit.figure),
                &expected,
            ));
        }
        passed.extend(meant.filter(|(_, row)| limit.is_passed(row)).map(|(report, row)| {
            format!(
                "{}: {} differs by {}, expected {}",
                names[report],
                row.name,
                row.difference(),
                limit.expected()
            )
        }));
    }
    match passed.is_empty() {
        true => Ok(()),
        false => Err(Failure::Different(passed.join("; "))),
    }
}
