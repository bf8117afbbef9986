//! Tables of values in `docs/fidelity.md`.

use super::markdown::{code, escaped, paragraph, Side, Table};
use super::tally::values;
use super::wording::{error, evidence, measured, published, role, status, tolerance};
use crate::outcome::{Evidence, ExperimentOutcome, Row, Status};

/// The values of `experiment`. Where several columns were compared at the same points there is a
/// line a point with a cell a column; else there is a line a value.
pub(super) fn values_text(experiment: &ExperimentOutcome) -> String {
    let values: Vec<_> = values(experiment).collect();
    let columns = columns(experiment, &values);
    match columns.len() {
        0 => String::new(),
        1 => line_a_value(&values),
        _ => line_a_point(experiment, &values, &columns),
    }
}

/// The column of the published file that `row` comes from: ids are `EXPERIMENT/COLUMN/POINT`.
pub(super) fn column<'a>(experiment: &ExperimentOutcome, row: &'a Row) -> &'a str {
    let id = row.id.strip_prefix(&experiment.id).and_then(|id| id.strip_prefix('/'));
    let id = id.unwrap_or(&row.id);
    id.split_once('/').map_or(id, |(column, _)| column)
}

/// The columns of `values` with their units, in the order in which they appear.
fn columns<'a>(experiment: &ExperimentOutcome, values: &[&'a Row]) -> Vec<(&'a str, &'a str)> {
    let mut columns = Vec::new();
    for row in values {
        let column = (column(experiment, row), row.unit.as_str());
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    columns
}

fn line_a_value(values: &[&Row]) -> String {
    let mut table = Table::new(&[
        ("conditions", Side::Left),
        ("published", Side::Right),
        ("measured", Side::Right),
        ("unit", Side::Left),
        ("error", Side::Right),
        ("tolerance", Side::Right),
        ("evidence", Side::Left),
        ("role", Side::Left),
        ("status", Side::Left),
    ]);
    for row in values {
        table.row([
            escaped(&row.conditions),
            escaped(&published(row)),
            measured(row),
            escaped(&row.unit),
            error(row),
            tolerance(row),
            evidence(row.evidence).to_string(),
            role(row.role).to_string(),
            emphasised(row.status),
        ]);
    }
    table.finished()
}

/// The word of `of`; bold where a reader ought to look.
fn emphasised(of: Status) -> String {
    match of {
        Status::Outside => format!("**{}**", status(of)),
        _ => status(of).to_string(),
    }
}

fn line_a_point(
    experiment: &ExperimentOutcome,
    values: &[&Row],
    columns: &[(&str, &str)],
) -> String {
    let titles: Vec<_> = columns
        .iter()
        .map(|(name, unit)| {
            let derived = values
                .iter()
                .filter(|row| column(experiment, row) == *name)
                .all(|row| row.evidence == Evidence::Derived);
            let mark = if derived { " (derived)" } else { "" };
            format!("{}, {}{mark}", code(name), escaped(unit))
        })
        .collect();
    let mut heads = vec![("conditions", Side::Left), ("role", Side::Left)];
    heads.extend(titles.iter().map(|title| (title.as_str(), Side::Right)));
    let mut table = Table::new(&heads);
    for point in points(values) {
        let cell = |wanted: &(&str, &str)| {
            let mut of_column = point
                .iter()
                .filter(|row| (column(experiment, row), row.unit.as_str()) == *wanted)
                .map(|row| short_value(row));
            of_column.next().unwrap_or_default()
        };
        table.row(
            [escaped(&point[0].conditions), roles(&point)]
                .into_iter()
                .chain(columns.iter().map(cell)),
        );
    }
    let note = "A cell is published → measured (error). Bold is outside its tolerance.";
    paragraph(&format!("{note}{}", tolerances(experiment, values, columns))) + &table.finished()
}

/// The values by their conditions, in the order in which these appear.
fn points<'a>(values: &[&'a Row]) -> Vec<Vec<&'a Row>> {
    let mut points: Vec<Vec<&Row>> = Vec::new();
    for row in values {
        match points.iter_mut().find(|point| point[0].conditions == row.conditions) {
            Some(point) => point.push(row),
            None => points.push(vec![row]),
        }
    }
    points
}

fn roles(point: &[&Row]) -> String {
    distinct(point.iter().map(|row| role(row.role).to_string())).join(", ")
}

fn short_value(row: &Row) -> String {
    let cell = format!("{} → {} ({})", escaped(&published(row)), measured(row), error(row));
    match row.status {
        Status::Outside => format!("**{cell}**"),
        _ => cell,
    }
}

/// A sentence that gives the tolerance, or those of each column where they differ.
fn tolerances(experiment: &ExperimentOutcome, values: &[&Row], columns: &[(&str, &str)]) -> String {
    let text = |row: &Row| match row.tolerance_percent {
        None => "none".to_string(),
        Some(_) => tolerance(row),
    };
    let all = distinct(values.iter().map(|row| text(row)));
    if let [one] = &all[..] {
        return format!(" Tolerance: {one}.");
    }
    let of_column = |(name, _): &(&str, &str)| {
        let rows = values.iter().filter(|row| column(experiment, row) == *name);
        format!("{} {}", code(name), distinct(rows.map(|row| text(row))).join(" or "))
    };
    let by_column: Vec<_> = columns.iter().map(of_column).collect();
    format!(" Tolerances: {}.", by_column.join(", "))
}

fn distinct(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut distinct = Vec::new();
    for text in texts {
        if !distinct.contains(&text) {
            distinct.push(text);
        }
    }
    distinct
}
