//! CSV files of published values.

use std::path::PathBuf;

use crate::error::{one_of, Fault, StudyError};
use crate::files::{StudyFiles, Wanted};
use crate::grid::{Grid, Point, Selection};

const EXPECTED: &str = "a number, or a range such as 27~30";

/// No file of published values is larger than this.
const LARGEST_FILE: u64 = 4 << 20;

/// A CSV file with a heading: columns named after axes say at which point a row's values stand.
#[derive(Debug)]
pub(crate) struct Published {
    path: PathBuf,
    columns: Vec<String>,
    /// By row: its line in the file, and a field for each column.
    rows: Vec<(u64, Vec<String>)>,
}

/// What is asked of a file: a column of values at some points.
pub(crate) struct Asked<'a> {
    pub grid: &'a Grid,
    /// Column of the values.
    pub column: &'a str,
    /// Points of axes that the file does not name, or rows to leave out.
    pub at: &'a Selection,
    /// What `at` is called in errors.
    pub key: &'a str,
}

/// A value as a paper tells it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Told {
    pub value: f64,
    /// The upper end of a range.
    pub to: Option<f64>,
}

impl Told {
    /// Reads a number, or a range such as `27~30`.
    fn read(field: &str) -> Option<Told> {
        let number =
            |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        match field.split_once('~') {
            None => Some(Told { value: number(field)?, to: None }),
            Some((from, to)) => {
                let told = Told { value: number(from)?, to: Some(number(to)?) };
                (told.to > Some(told.value)).then_some(told)
            }
        }
    }

    /// Where a point for it is drawn.
    pub fn middle(self) -> f64 {
        self.to.map_or(self.value, |to| (self.value + to) / 2.0)
    }
}

impl Published {
    /// Reads `name` of a study's files.
    pub fn read(files: &StudyFiles, name: &str) -> Result<Published, StudyError> {
        let expected = "a CSV file of published values";
        let text = files.read(&Wanted { name, most: LARGEST_FILE, expected })?;
        Published::parse(files.path(name), &text)
    }

    pub fn parse(path: PathBuf, text: &str) -> Result<Published, StudyError> {
        let syntax = |error| StudyError::csv(&path, &error, "CSV with a field for each column");
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .comment(Some(b'#'))
            .from_reader(text.as_bytes());
        let columns: Vec<String> =
            reader.headers().map_err(syntax)?.iter().map(str::to_owned).collect();
        if columns.is_empty() {
            let fault = Fault::new("line 1", "nothing", "a line that names the columns");
            return Err(fault.in_file(&path));
        }
        if let Some(twice) = columns.iter().enumerate().find(|(n, c)| columns[..*n].contains(c)) {
            let fault = Fault::new("line 1", format!("the column {:?} twice", twice.1), "it once");
            return Err(fault.in_file(&path));
        }
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(syntax)?;
            let line = record.position().map_or(0, csv::Position::line);
            rows.push((line, record.iter().map(str::to_owned).collect()));
        }
        Ok(Published { path, columns, rows })
    }

    /// The values of a column with their points, in the order of the file. Empty fields are values
    /// that were not published.
    pub fn values(&self, asked: &Asked<'_>) -> Result<Vec<(Point, Told)>, StudyError> {
        let place = |fault: Fault| fault.in_file(&self.path);
        let column =
            self.columns.iter().position(|name| name == asked.column).ok_or_else(|| {
                let names = one_of(self.columns.iter().map(String::as_str));
                place(Fault::new("line 1", format!("no column {:?}", asked.column), names))
            })?;
        let axes = self.axes(asked)?;
        let mut values: Vec<(Point, Told)> = Vec::new();
        for (line, fields) in &self.rows {
            let line = format!("line {line}");
            let Some(point) = point(&axes, fields, asked)
                .map_err(|f| place(Fault { key: format!("{line}: {}", f.key), ..f }))?
            else {
                continue;
            };
            let field = fields[column].as_str();
            if field.is_empty() {
                continue;
            }
            let key = || format!("{line}: {}", asked.column);
            let value = Told::read(field)
                .ok_or_else(|| place(Fault::new(key(), format!("{field:?}"), EXPECTED)))?;
            if values.iter().any(|(other, _)| *other == point) {
                let found = format!("a second value at {}", asked.grid.conditions(point));
                return Err(place(Fault::new(key(), found, "one")));
            }
            values.push((point, value));
        }
        if values.is_empty() {
            return Err(place(Fault::new(asked.column, "no values", "at least one")));
        }
        Ok(values)
    }

    /// Where the position on each axis comes from.
    /// The number in `column` of the row whose field of another column is `at`.
    pub fn number(&self, at: (&str, &str), column: &str) -> Result<f64, Fault> {
        let place = |name: &str| {
            self.columns.iter().position(|known| known == name).ok_or_else(|| {
                let names = one_of(self.columns.iter().map(String::as_str));
                Fault::new("line 1", format!("no column {name:?}"), names)
            })
        };
        let (key, wanted) = (place(at.0)?, place(column)?);
        let fields = self.rows.iter().map(|(_, fields)| fields);
        let row = fields.clone().find(|fields| fields[key] == at.1).ok_or_else(|| {
            Fault::new(at.0, at.1, one_of(fields.map(|fields| fields[key].as_str())))
        })?;
        row[wanted].parse().map_err(|_| {
            let owner = format!("{column} of {} {}", at.0, at.1);
            Fault::new(owner, format!("{:?}", row[wanted]), "a number")
        })
    }

    fn axes(&self, asked: &Asked<'_>) -> Result<Vec<AxisSource>, StudyError> {
        let source = |(axis, named): (usize, &crate::grid::Axis)| match self
            .columns
            .iter()
            .position(|column| *column == named.name)
        {
            Some(column) => Ok(AxisSource::Column(column)),
            None => asked.at.only(asked.grid, asked.key, axis).map(AxisSource::Fixed),
        };
        let found: Result<Vec<_>, Fault> = asked.grid.axes.iter().enumerate().map(source).collect();
        found.map_err(|fault| {
            let expected = format!("{}, or a column {}", fault.expected, last_part(&fault.key));
            Fault { expected, ..fault }.in_file(&self.path)
        })
    }
}

/// Where the position on an axis comes from.
enum AxisSource {
    /// The same for all rows.
    Fixed(usize),
    /// From this column of the row.
    Column(usize),
}

/// The point of a row; none if it is not asked for.
fn point(
    axes: &[AxisSource],
    fields: &[String],
    asked: &Asked<'_>,
) -> Result<Option<Point>, Fault> {
    let mut positions = Vec::new();
    for (source, axis) in axes.iter().zip(&asked.grid.axes) {
        positions.push(match source {
            AxisSource::Fixed(position) => *position,
            AxisSource::Column(column) => axis.find(&axis.name, &fields[*column])?,
        });
    }
    Ok(asked.at.holds(&positions).then(|| asked.grid.point(&positions)))
}

fn last_part(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Axis, AxisPoint};
    use crate::setup::Layer;

    fn grid() -> Grid {
        let axis = |name: &str, points: &[&str]| {
            let point = |name: &&str| AxisPoint { name: (*name).into(), layer: Layer::default() };
            Axis { name: name.to_owned(), points: points.iter().map(point).collect() }
        };
        Grid::new(vec![axis("op", &["read", "write"]), axis("depth", &["1", "8"])]).unwrap()
    }

    fn values(text: &str, column: &str, at: &str) -> Result<Vec<(usize, f64)>, String> {
        let grid = grid();
        let at = Selection::read(&grid, "at", &at.parse().unwrap()).unwrap();
        let asked = Asked { grid: &grid, column, at: &at, key: "at" };
        let file = Published::parse(PathBuf::from("a.csv"), text);
        file.and_then(|file| file.values(&asked))
            .map(|values| {
                values.into_iter().map(|(point, told)| (point.0, told.middle())).collect()
            })
            .map_err(|error| error.to_string())
    }

    #[test]
    fn columns_named_after_axes_place_the_values() {
        let text = "# a comment\nop,depth,us,other\nread,8,2.5,\nwrite, 1 ,-3e1,x\nread,1,,\n";
        assert_eq!(values(text, "us", ""), Ok(vec![(1, 2.5), (2, -30.0)]));
        assert_eq!(values(text, "us", "op = \"read\""), Ok(vec![(1, 2.5)]));
        let range = "op,depth,us\nread,8,20~30\n";
        assert_eq!(values(range, "us", ""), Ok(vec![(1, 25.0)]));
        let without = "depth,us\n1,5\n8,6\n";
        assert_eq!(values(without, "us", "op = \"write\""), Ok(vec![(2, 5.0), (3, 6.0)]));
    }

    #[test]
    fn faults_are_named_with_file_line_and_column() {
        for (text, column, expected) in [
            (
                "op,depth,us\nread,1,1\n",
                "ms",
                "a.csv: line 1: found no column \"ms\", expected one of",
            ),
            (
                "depth,us\n1,1\n",
                "us",
                "a.csv: at.op: found nothing, expected one of read, write, or",
            ),
            (
                "op,depth,us\nread,2,1\n",
                "us",
                "a.csv: line 2: depth: found \"2\", expected one of 1, 8",
            ),
            ("op,depth,us\nread,1,x\n", "us", "a.csv: line 2: us: found \"x\", expected a number"),
            (
                "op,depth,us\nread,1,3~2\n",
                "us",
                "a.csv: line 2: us: found \"3~2\", expected a number",
            ),
            ("op,depth,us\nread,1,inf\n", "us", "a.csv: line 2: us: found \"inf\""),
            (
                "op,depth,us\nread,1,1\nread,1.0,2\n",
                "us",
                "a.csv: line 3: us: found a second value at op read, depth 1, expected one",
            ),
            ("op,depth,us\nread,1\n", "us", "a.csv: line 2: found a fault"),
            ("", "us", "a.csv: line 1: found nothing, expected a line that names the columns"),
            ("op,op,us\n", "us", "a.csv: line 1: found the column \"op\" twice"),
            ("op,depth,us\n", "us", "a.csv: us: found no values, expected at least one"),
        ] {
            let error = values(text, column, "").unwrap_err();
            assert!(error.starts_with(expected), "{error}\n{expected}");
        }
    }
}
