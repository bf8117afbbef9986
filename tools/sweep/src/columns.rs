//! Rows of a sweep as columns.

use crate::definition::Sweep;
use crate::figures::FIGURES;
use crate::grid::Point;
use crate::journal::Row;

/// A column of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column<'a> {
    /// Heading of the column.
    pub name: &'a str,
    /// A value for each row.
    pub values: Values<'a>,
    /// Whether there is a value in each row.
    pub is_required: bool,
}

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Values<'a> {
    /// Whole numbers.
    Integers(Vec<Option<i64>>),
    /// Numbers that may have a fraction.
    Numbers(Vec<Option<f64>>),
    /// Words, such as values of keys.
    Texts(Vec<Option<&'a str>>),
}

/// The table of rows: number of the point, seed, the keys that points differ in, checksum of the board, error, figures.
pub fn columns<'a>(sweep: &'a Sweep, rows: &'a [(Point, &'a Row)]) -> Vec<Column<'a>> {
    let integers = |of: fn(&Point) -> u64| {
        Values::Integers(rows.iter().map(|(point, _)| Some(of(point) as i64)).collect())
    };
    let required = |name, values| Column { name, values, is_required: true };
    let mut all = vec![
        required("point", integers(|point| point.number)),
        required("seed", integers(|point| point.seed)),
    ];
    for (nth, key) in sweep.keys().iter().enumerate() {
        let texts = rows.iter().map(|(point, _)| point.values[nth].as_deref());
        let values = match Kind::of(sweep, nth) {
            Kind::Integer => Values::Integers(texts.map(|value| value?.parse().ok()).collect()),
            Kind::Number => Values::Numbers(texts.map(|value| value?.parse().ok()).collect()),
            Kind::Text => Values::Texts(texts.collect()),
        };
        all.push(Column { name: key, values, is_required: false });
    }
    let boards = rows.iter().map(|(_, row)| Some(&*row.board));
    all.push(required("board_sha256", Values::Texts(boards.collect())));
    let errors = rows.iter().map(|(_, row)| row.error.as_deref());
    all.push(Column { name: "error", values: Values::Texts(errors.collect()), is_required: false });
    for (nth, name) in FIGURES.into_iter().enumerate() {
        let figures = rows.iter().map(|(_, row)| figures(row).nth(nth).flatten());
        let values = Values::Numbers(figures.collect());
        all.push(Column { name, values, is_required: false });
    }
    all
}

/// Those of a row, none of which is there after an error.
pub(crate) fn figures(row: &Row) -> impl Iterator<Item = Option<f64>> + '_ {
    (0..FIGURES.len()).map(|nth| row.figures.get(nth).copied().flatten())
}

/// What a key's column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Integer,
    Number,
    Text,
}

impl Kind {
    /// The narrowest that holds every value of a key.
    fn of(sweep: &Sweep, nth: usize) -> Kind {
        let all = |is: fn(&str) -> bool| sweep.grid.values(nth).all(is);
        if all(|value| value.parse::<i64>().is_ok()) {
            Kind::Integer
        } else if all(|value| value.parse::<f64>().is_ok_and(f64::is_finite)) {
            Kind::Number
        } else {
            Kind::Text
        }
    }
}
