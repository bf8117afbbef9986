//! A study as text for the terminal.

use super::tally::{counts, errors, rows, score, statements, values};
use super::wording::{
    count_name, counted, error, evidence, measured, percent, published, role, status, tolerance,
};
use crate::outcome::{ExperimentOutcome, Row, Status, StudyOutcome};
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};

/// Widest line of prose, and of what a claim says.
const PROSE: usize = 100;
const SAYS: usize = 48;

/// The study as aligned text: by experiment its values, then its claims and summaries, then reasons
/// for what is outside; at the end the errors of fitted and predicted values apart, the verdicts by
/// kind of evidence, and the score, which counts published values only.
pub fn table(study: &StudyOutcome) -> String {
    let mut text = format!("{} ({})\n{}\n", study.title, study.name, filled(&study.paper, 0));
    for experiment in &study.experiments {
        text += &experiment_text(experiment);
    }
    text += &errors_text(study);
    text += &counts_text(study);
    let score = score(rows(study));
    text += &format!("\n{} within tolerance", of_values(score.within, score.judged()));
    if score.reported > 0 {
        text += &format!("; {} reported only", score.reported);
    }
    text + "\n"
}

fn experiment_text(experiment: &ExperimentOutcome) -> String {
    let mut text = format!("\n{}: {} ({})\n", experiment.id, experiment.title, experiment.place);
    let values: Vec<_> = values(experiment).collect();
    if !values.is_empty() {
        text += &row_table("conditions", &values);
    }
    let statements: Vec<_> = statements(experiment).collect();
    if !statements.is_empty() {
        text += &row_table("says", &statements);
    }
    text + &reasons_text(experiment)
}

/// Why rows differ; those with the same reason together.
fn reasons_text(experiment: &ExperimentOutcome) -> String {
    let mut reasons: Vec<(&str, &str, usize)> = Vec::new();
    for row in experiment.rows.iter().filter(|row| row.status == Status::Outside) {
        let Some(reason) = &row.reason else { continue };
        match reasons.iter_mut().find(|(known, ..)| known == reason) {
            Some((_, _, others)) => *others += 1,
            None => reasons.push((reason, &row.id, 0)),
        }
    }
    let text = |(reason, id, others): &(&str, &str, usize)| {
        let others = match others {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("  {}\n", filled(&format!("{id}{others}: {reason}"), 4))
    };
    reasons.iter().map(text).collect()
}

fn row_table(conditions: &str, rows: &[&Row]) -> String {
    let mut table = plain_table(
        &[
            "id",
            conditions,
            "published",
            "measured",
            "unit",
            "error",
            "tolerance",
            "evidence",
            "role",
            "status",
        ],
        &[2, 3, 5, 6],
    );
    for row in rows {
        table.add_row([
            row.id.clone(),
            textwrap::fill(&row.conditions, SAYS),
            published(row),
            measured(row),
            row.unit.clone(),
            error(row),
            tolerance(row),
            evidence(row.evidence).to_string(),
            role(row.role).to_string(),
            marked_status(row.status),
        ]);
    }
    indented(&table)
}

/// The word of `status`; what is outside catches the eye.
fn marked_status(of: Status) -> String {
    match of {
        Status::Outside => format!("{} !", status(of)),
        _ => status(of).to_string(),
    }
}

/// `3 of 4 published values`.
fn of_values(some: usize, all: usize) -> String {
    format!("{some} of {}", counted(all, "published value"))
}

/// The verdicts by kind of evidence.
fn counts_text(study: &StudyOutcome) -> String {
    let counts = counts(rows(study));
    if counts.is_empty() {
        return String::new();
    }
    let mut table =
        plain_table(&["evidence", "judged", "within", "outside", "reported"], &[1, 2, 3, 4]);
    for count in &counts {
        let verdicts = count.verdicts;
        let numbers = [verdicts.judged(), verdicts.within, verdicts.outside, verdicts.reported];
        table.add_row([count_name(count)].into_iter().chain(numbers.map(|n| n.to_string())));
    }
    format!("\nRows by kind of evidence\n{}", indented(&table))
}

fn errors_text(study: &StudyOutcome) -> String {
    let errors = errors(study);
    if errors.is_empty() {
        return String::new();
    }
    let heads = ["values", "evidence", "role", "number", "mean error", "largest", "outside"];
    let mut table = plain_table(&heads, &[3, 4, 5, 6]);
    for line in errors {
        table.add_row([
            line.scope.clone(),
            evidence(line.evidence).to_string(),
            role(line.role).to_string(),
            line.rows.to_string(),
            percent(line.mean_percent),
            percent(line.largest_percent),
            line.outside.to_string(),
        ]);
    }
    format!("\nAbsolute errors of values\n{}", indented(&table))
}

/// A table without lines, with the columns `numbers` to the right.
fn plain_table(heads: &[&str], numbers: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(heads);
    for column in table.column_iter_mut() {
        if numbers.contains(&column.index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

fn indented(table: &Table) -> String {
    table.lines().map(|line| format!(" {}\n", line.trim_end())).collect()
}

/// `text` in lines of [`PROSE`], all but the first indented.
fn filled(text: &str, indent: usize) -> String {
    let indent = " ".repeat(indent);
    textwrap::fill(text, textwrap::Options::new(PROSE).subsequent_indent(&indent))
}
