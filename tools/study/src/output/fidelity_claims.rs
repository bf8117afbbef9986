//! The table of claims in `docs/fidelity.md`.

use super::markdown::{escaped, Side, Table};
use super::tally::statements;
use super::verdict::Verdict;
use super::wording::{error, evidence, measured, published};
use crate::outcome::{ExperimentOutcome, Relation, Row, StudyOutcome};

/// The claims and summaries of `study`; nothing when there are none. A claim that is reproduced at
/// all of its points has one line.
pub(super) fn claims_text(study: &StudyOutcome) -> String {
    let lines: Vec<_> = study
        .experiments
        .iter()
        .flat_map(|experiment| lines(experiment).into_iter().map(move |line| (experiment, line)))
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&[
        ("place", Side::Left),
        ("claim", Side::Left),
        ("evidence", Side::Left),
        ("published", Side::Right),
        ("measured", Side::Right),
        ("error", Side::Right),
        ("verdict", Side::Left),
    ]);
    for (experiment, line) in lines {
        table.row([
            escaped(&experiment.place),
            escaped(&line.says()),
            evidence(line.first.evidence).to_string(),
            escaped(&with_unit(published(line.first), line.first)),
            escaped(&line.measured()),
            line.error(),
            emphasised(Verdict::of(line.first)),
        ]);
    }
    format!("### Claims\n\n{}", table.finished())
}

/// The lines for the claims and summaries of `experiment`.
fn lines(experiment: &ExperimentOutcome) -> Vec<Line<'_>> {
    let rows: Vec<&Row> = statements(experiment).collect();
    let mut lines = Vec::new();
    for claim in rows.chunk_by(|a, b| is_one_claim(a, b)) {
        match claim.iter().all(|row| Verdict::of(row) == Verdict::Reproduced) {
            true => lines.push(Line::of(claim)),
            false => lines.extend(claim.chunks(1).map(Line::of)),
        }
    }
    lines
}

/// Whether two rows are one claim at different points.
fn is_one_claim(a: &Row, b: &Row) -> bool {
    a.said_of_each.is_some() && a.id.split('/').next() == b.id.split('/').next()
}

/// A line of the table: one row, or all rows of a claim.
struct Line<'a> {
    first: &'a Row,
    rest: Vec<&'a Row>,
}

impl<'a> Line<'a> {
    /// # Panics
    /// When there are no rows.
    fn of(rows: &[&'a Row]) -> Self {
        Self { first: rows[0], rest: rows[1..].to_vec() }
    }

    fn says(&self) -> String {
        let amount = 1 + self.rest.len();
        match &self.first.said_of_each {
            Some(says) if amount > 1 => format!("{says} ({amount} of {amount})"),
            _ => self.first.conditions.clone(),
        }
    }

    fn measured(&self) -> String {
        let [least, greatest] = self.ends(|row| row.measured).map(measured);
        with_unit(range(least, greatest), self.first)
    }

    /// From the least to the greatest; of a bound, by how much it is missed at most.
    fn error(&self) -> String {
        let [least, greatest] = self.ends(|row| row.error_percent).map(error);
        match self.first.relation {
            Relation::Equals => range(least, greatest),
            _ => greatest,
        }
    }

    /// The rows of which `number` is least and greatest.
    fn ends(&self, number: impl Fn(&Row) -> f64) -> [&'a Row; 2] {
        let further = |sign: f64| {
            self.rest.iter().fold(self.first, |end, row| {
                match sign * number(row) > sign * number(end) {
                    true => row,
                    false => end,
                }
            })
        };
        [further(-1.0), further(1.0)]
    }
}

fn range(least: String, greatest: String) -> String {
    match least == greatest {
        true => least,
        false => format!("{least} to {greatest}"),
    }
}

/// `number` and the unit of `row`.
fn with_unit(number: String, row: &Row) -> String {
    match row.unit.is_empty() {
        true => number,
        false => format!("{number} {}", row.unit),
    }
}

/// The word of `verdict`; bold where a reader ought to look.
fn emphasised(verdict: Verdict) -> String {
    match verdict {
        Verdict::Differs => format!("**{}**", verdict.word()),
        _ => verdict.word().to_string(),
    }
}
