//! The table that `docs/fidelity.md` begins with.

use super::markdown::{escaped, paragraph, Side, Table};
use super::tally::rows;
use super::wording::percent;
use crate::outcome::{Evidence, Role, Row, StudyOutcome};
use chart::number::NONE;

/// Errors beyond which predicted values are counted, in percent.
const BEYOND: [f64; 2] = [5.0, 15.0];

const WHAT: &str = "\
How far to believe the model, in a line for each paper: how many numbers the paper gives that do not \
follow from one another, how many of them the model was fitted to, and how well it predicts the others. \
Errors are without their signs, and those of predicted values alone. Where a value can be told in two ways, as a ratio or as \
the gain beyond 1, they are of the harsher one; *as told* is the mean of the errors of the values as the paper tells them.";

/// A line for each study, over its published values; nothing without studies.
pub(super) fn at_a_glance(studies: &[StudyOutcome]) -> String {
    if studies.is_empty() {
        return String::new();
    }
    let [near, far] = BEYOND.map(|percent| format!("outside {percent} %"));
    let mut table = Table::new(&[
        ("paper", Side::Left),
        ("published values", Side::Right),
        ("fitted", Side::Right),
        ("predicted", Side::Right),
        ("mean error", Side::Right),
        ("as told", Side::Right),
        ("worst", Side::Right),
        (near.as_str(), Side::Right),
        (far.as_str(), Side::Right),
    ]);
    for study in studies {
        let published: Vec<&Row> =
            rows(study).filter(|row| row.evidence == Evidence::Published).collect();
        let of = |role| published.iter().filter(move |row| row.role == role);
        let errors: Vec<f64> = of(Role::Predicted).map(|row| row.error_percent.abs()).collect();
        let as_told = of(Role::Predicted).map(|row| row.error_as_told_percent().abs()).sum::<f64>();
        let shown = |statistic: f64| match errors.is_empty() {
            true => NONE.to_string(),
            false => percent(statistic),
        };
        let beyond = BEYOND
            .map(|most| errors.iter().filter(|error| error.is_nan() || **error > most).count());
        table.row([
            escaped(&study.title),
            published.len().to_string(),
            of(Role::Fitted).count().to_string(),
            errors.len().to_string(),
            shown(errors.iter().sum::<f64>() / errors.len() as f64),
            shown(as_told / errors.len() as f64),
            shown(errors.iter().copied().fold(0.0, f64::max)),
            beyond[0].to_string(),
            beyond[1].to_string(),
        ]);
    }
    paragraph(WHAT) + &table.finished()
}
