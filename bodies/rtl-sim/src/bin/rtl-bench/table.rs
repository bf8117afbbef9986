//! Tables of figures, each beside its bound.

use serde_json::{json, Map, Value};
use std::fmt::Write;

/// What a figure is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A share, told in percent.
    Share,
    /// One figure divided by another.
    Ratio,
    Microseconds,
    /// Cycles of the clock.
    Cycles,
}

/// What no hardware can pass, worked out by hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    AtMost(f64),
    AtLeast(f64),
}

/// A figure that was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    pub value: f64,
    pub unit: Unit,
    pub bound: Bound,
    /// Its key in the report, if it has one of its own.
    pub key: Option<&'static str>,
}

/// What stands in a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Text(String),
    Figure(Figure),
}

/// A table; the first cell of a row is its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    pub title: String,
    /// What has to be known to read it.
    pub note: String,
    pub columns: Vec<String>,
    pub rows: Vec<Vec<Cell>>,
}

impl Figure {
    pub fn share(value: f64, most: f64) -> Self {
        Self { value, unit: Unit::Share, bound: Bound::AtMost(most), key: None }
    }

    pub fn ratio(value: f64, most: f64) -> Self {
        Self { value, unit: Unit::Ratio, bound: Bound::AtMost(most), key: None }
    }

    pub fn time(us: f64, least: f64) -> Self {
        Self { value: us, unit: Unit::Microseconds, bound: Bound::AtLeast(least), key: None }
    }

    pub fn cycles(cycles: f64, least: f64) -> Self {
        Self { value: cycles, unit: Unit::Cycles, bound: Bound::AtLeast(least), key: None }
    }

    pub fn key(self, key: &'static str) -> Self {
        Self { key: Some(key), ..self }
    }

    /// Whether it could have been measured. A run is cut where answers come, and the first one may be
    /// a little later in its turn than the last one: a thousandth.
    fn is_possible(&self) -> bool {
        match self.bound {
            Bound::AtMost(most) => self.value <= most * 1.001,
            Bound::AtLeast(least) => self.value >= least && self.value.is_finite(),
        }
    }

    fn text(&self) -> String {
        let show = |value| match self.unit {
            Unit::Share => format!("{:.2}", value * 100.0),
            Unit::Ratio => format!("{value:.2}"),
            Unit::Microseconds | Unit::Cycles => format!("{value:.1}"),
        };
        let unit = match self.unit {
            Unit::Share => " %",
            Unit::Ratio => "",
            Unit::Microseconds => " us",
            Unit::Cycles => " cycles",
        };
        let (sign, bound) = match self.bound {
            Bound::AtMost(most) => ("≤", most),
            Bound::AtLeast(least) => ("≥", least),
        };
        format!("{}{unit} ({sign} {})", show(self.value), show(bound))
    }
}

impl From<Figure> for Cell {
    fn from(figure: Figure) -> Self {
        Self::Figure(figure)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl Cell {
    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Figure(figure) => figure.text(),
        }
    }
}

impl Table {
    /// As Markdown, with columns that line up.
    pub fn markdown(&self) -> String {
        let rows: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(Cell::text).collect()).collect();
        let width = |column: usize| {
            let cells = rows.iter().map(|row| &row[column]).chain([&self.columns[column]]);
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut text = format!("### {}\n\n{}\n\n", self.title, self.note);
        let mut line = |cells: &[String]| {
            for (cell, width) in cells.iter().zip(&widths) {
                let _ = write!(text, "| {cell:width$} ");
            }
            text.push_str("|\n");
        };
        line(&self.columns);
        line(&widths.iter().map(|width| "-".repeat(*width)).collect::<Vec<_>>());
        rows.iter().for_each(|row| line(row));
        text
    }

    /// The figures that cannot be, a line each.
    pub fn impossible(&self) -> Vec<String> {
        let mut lines = vec![];
        for (name, column, figure) in self.figures() {
            if !figure.is_possible() {
                lines.push(format!("{}: {name}, {column}: found {}", self.title, figure.text()));
            }
        }
        lines
    }

    /// The figures that have a key.
    pub fn keyed(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        self.figures().filter_map(|(_, _, figure)| Some((figure.key?, figure.value)))
    }

    /// Every figure by row and column, with its bound.
    pub fn json(&self) -> Value {
        let mut rows = Map::new();
        for (name, column, figure) in self.figures() {
            let bound = match figure.bound {
                Bound::AtMost(most) => ("at_most", most),
                Bound::AtLeast(least) => ("at_least", least),
            };
            let unit = match figure.unit {
                Unit::Share | Unit::Ratio => "ratio",
                Unit::Microseconds => "us",
                Unit::Cycles => "cycles",
            };
            let entry = json!({ "value": figure.value, "unit": unit, bound.0: bound.1 });
            let row = rows.entry(name).or_insert_with(|| Value::Object(Map::new()));
            row[column] = entry;
        }
        Value::Object(rows)
    }

    fn figures(&self) -> impl Iterator<Item = (String, &str, &Figure)> + '_ {
        self.rows.iter().flat_map(|row| {
            row.iter().zip(&self.columns).filter_map(|(cell, column)| match cell {
                Cell::Figure(figure) => Some((row[0].text(), column.as_str(), figure)),
                Cell::Text(_) => None,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(figures: &[Figure]) -> Table {
        let row = |figure: &Figure| vec![Cell::from("row"), Cell::from(*figure)];
        Table {
            title: "title".to_owned(),
            note: "note".to_owned(),
            columns: vec![String::new(), "column".to_owned()],
            rows: figures.iter().map(row).collect(),
        }
    }

    #[test]
    fn what_passes_its_bound_is_told() {
        let possible =
            [Figure::share(0.98, 0.98), Figure::ratio(0.0, 5.0), Figure::time(120.0, 119.5)];
        assert_eq!(table(&possible).impossible(), Vec::<String>::new());
        let impossible = [
            (Figure::share(0.992, 0.99), "99.20 % (≤ 99.00)"),
            (Figure::ratio(5.1, 5.0), "5.10 (≤ 5.00)"),
            (Figure::ratio(f64::NAN, 5.0), "NaN (≤ 5.00)"),
            (Figure::time(119.0, 119.5), "119.0 us (≥ 119.5)"),
            (Figure::time(f64::INFINITY, 119.5), "inf us (≥ 119.5)"),
        ];
        for (figure, told) in impossible {
            let expected = format!("title: row, column: found {told}");
            assert_eq!(table(&[figure]).impossible(), [expected]);
        }
    }

    #[test]
    fn columns_line_up() {
        let text = table(&[Figure::share(0.5, 1.0)]).markdown();
        let lines: Vec<usize> = text.lines().skip(4).map(|line| line.chars().count()).collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(lines.iter().all(|length| *length == lines[0]), "{text}");
    }
}
