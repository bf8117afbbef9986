//! The points of an experiment: its axes, multiplied.

use toml::{Table, Value};

use crate::definition::scalar::{shown, text};
use crate::error::{one_of, Fault};
use crate::setup::Layer;

/// An axis: something that is varied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    /// Its name, such as `outstanding`.
    pub name: String,
    /// Its points, at least one.
    pub points: Vec<AxisPoint>,
}

/// A value that an axis takes: its name, and what it changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AxisPoint {
    /// Its name, such as `8` or `read`.
    pub name: String,
    /// What it changes.
    pub layer: Layer,
}

impl Axis {
    /// The point that `name` stands for: the same text, or the same number.
    pub fn position(&self, name: &str) -> Option<usize> {
        let number = |text: &str| text.parse::<f64>().ok();
        let same = |point: &AxisPoint| {
            point.name == name || number(name).is_some_and(|n| number(&point.name) == Some(n))
        };
        self.points.iter().position(same)
    }

    /// [`Axis::position`], or what is wrong at `key`.
    pub fn find(&self, key: &str, name: &str) -> Result<usize, Fault> {
        self.position(name).ok_or_else(|| {
            let names = one_of(self.points.iter().map(|point| point.name.as_str()));
            Fault::new(key, format!("{name:?}"), names)
        })
    }

    /// The numbers of all points, if they are numbers. Names such as `inf` are none.
    pub fn numbers(&self) -> Option<Vec<f64>> {
        let number = |text: &str| text.parse().ok().filter(|number: &f64| number.is_finite());
        self.points.iter().map(|point| number(&point.name)).collect()
    }

    /// What a point is called where its axis is not named beside it: a number alone says nothing.
    pub fn label(&self, position: usize) -> String {
        let point = &self.points[position].name;
        match self.numbers() {
            Some(_) => format!("{} {point}", self.name.replace('_', " ")),
            None => point.clone(),
        }
    }
}

/// A point of an experiment: its number among all, the last axis running fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Point(pub usize);

/// The axes of an experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    pub axes: Vec<Axis>,
}

impl Grid {
    /// Most points of one experiment.
    const MOST_POINTS: usize = 1_000_000;

    /// Checks names and size.
    pub fn new(axes: Vec<Axis>) -> Result<Grid, Fault> {
        let mut size = 1usize;
        for (nth, axis) in axes.iter().enumerate() {
            let key = format!("axis {}", axis.name);
            if axis.name.is_empty() || axis.name == "role" {
                let expected = "a name, other than role";
                return Err(Fault::new("axis: name", format!("{:?}", axis.name), expected));
            }
            if axes[..nth].iter().any(|other| other.name == axis.name) {
                return Err(Fault::new(key, "it twice", "another name for each axis"));
            }
            if axis.points.is_empty() {
                return Err(Fault::new(key, "no points", "at least one"));
            }
            for (nth, point) in axis.points.iter().enumerate() {
                if axis.position(&point.name) != Some(nth) {
                    let found = format!("the point {:?} twice", point.name);
                    return Err(Fault::new(key, found, "it once"));
                }
            }
            size = size.saturating_mul(axis.points.len());
        }
        if size > Self::MOST_POINTS {
            let expected = format!("at most {}", Self::MOST_POINTS);
            return Err(Fault::new("axis", format!("{size} points in all"), expected));
        }
        Ok(Grid { axes })
    }

    /// The position of a point on each axis.
    pub fn positions(&self, point: Point) -> Vec<usize> {
        let mut rest = point.0;
        let mut positions = vec![0; self.axes.len()];
        for (axis, position) in self.axes.iter().zip(&mut positions).rev() {
            *position = rest % axis.points.len();
            rest /= axis.points.len();
        }
        positions
    }

    /// The point at these positions.
    pub fn point(&self, positions: &[usize]) -> Point {
        let onward =
            |number, (axis, position): (&Axis, &usize)| number * axis.points.len() + position;
        Point(self.axes.iter().zip(positions).fold(0, onward))
    }

    /// Position of an axis among all.
    pub fn axis(&self, key: &str, name: &str) -> Result<usize, Fault> {
        let found = self.axes.iter().position(|axis| axis.name == name);
        found.ok_or_else(|| {
            let expected = one_of(self.axes.iter().map(|axis| axis.name.as_str()));
            Fault::new(key, format!("{name:?}"), format!("an axis: {expected}"))
        })
    }

    /// The names of a point on the axes that have several points, such as `["read", "8"]`.
    pub fn names(&self, point: Point) -> Vec<&str> {
        self.varied(point).map(|(_, name)| name).collect()
    }

    /// What is special about a point, such as `op read, outstanding 8`.
    pub fn conditions(&self, point: Point) -> String {
        let parts: Vec<String> =
            self.varied(point).map(|(axis, name)| format!("{axis} {name}")).collect();
        parts.join(", ")
    }

    fn varied(&self, point: Point) -> impl Iterator<Item = (&str, &str)> {
        let positions = self.positions(point).into_iter();
        let several = |(axis, _): &(&Axis, usize)| axis.points.len() > 1;
        self.axes
            .iter()
            .zip(positions)
            .filter(several)
            .map(|(axis, at)| (axis.name.as_str(), axis.points[at].name.as_str()))
    }
}

/// Some points of some axes: what `at`, `where`, `fitted` and their like name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    /// By axis: the positions on it that are meant. Axes that are not named are free.
    pub chosen: Vec<(usize, Vec<usize>)>,
}

impl Selection {
    /// Reads `{ axis = value, axis = [values] }`; `key` is what the table is called.
    pub fn read(grid: &Grid, key: &str, table: &Table) -> Result<Selection, Fault> {
        let mut chosen = Vec::new();
        for (name, values) in table {
            let place = format!("{key}.{name}");
            let axis = grid.axis(key, name)?;
            let values = match values {
                Value::Array(list) => list.as_slice(),
                one => std::slice::from_ref(one),
            };
            if values.is_empty() {
                return Err(Fault::new(place, "[]", "at least one point"));
            }
            let position = |value: &Value| {
                let name = text(&place, value)?;
                grid.axes[axis].find(&place, &name).map_err(|f| Fault { found: shown(value), ..f })
            };
            let positions = values.iter().map(position).collect::<Result<Vec<_>, _>>()?;
            let twice = (0..positions.len()).find(|n| positions[..*n].contains(&positions[*n]));
            if let Some(nth) = twice {
                let found = format!("{} twice", shown(&values[nth]));
                return Err(Fault::new(place, found, "each point once"));
            }
            chosen.push((axis, positions));
        }
        chosen.sort();
        Ok(Selection { chosen })
    }

    /// Whether a point at these positions is meant.
    pub fn holds(&self, positions: &[usize]) -> bool {
        self.chosen.iter().all(|(axis, chosen)| chosen.contains(&positions[*axis]))
    }

    /// The positions that are meant on an axis, if it is named.
    pub fn on(&self, axis: usize) -> Option<&[usize]> {
        let (_, chosen) = self.chosen.iter().find(|(named, _)| *named == axis)?;
        Some(chosen)
    }

    /// The same with some axes fixed at one position each.
    pub fn fixed_at(&self, fixed: &Selection) -> Selection {
        let mut both = self.clone();
        both.chosen.extend(fixed.chosen.iter().cloned());
        both.chosen.sort();
        both
    }

    /// The one position that is meant on an axis: the only one named, or the only one there is.
    pub fn only(&self, grid: &Grid, key: &str, axis: usize) -> Result<usize, Fault> {
        let Axis { name, points } = &grid.axes[axis];
        let key = format!("{key}.{name}");
        match (self.on(axis), points.len()) {
            (Some([one]), _) => Ok(*one),
            (None, 1) => Ok(0),
            (Some(_), _) => Err(Fault::new(key, "several points", "one")),
            (None, _) => {
                let names = one_of(points.iter().map(|point| point.name.as_str()));
                Err(Fault::new(key, "nothing", names))
            }
        }
    }

    /// The one point that is meant.
    pub fn point(&self, grid: &Grid, key: &str) -> Result<Point, Fault> {
        let only = |axis| self.only(grid, key, axis);
        let positions: Result<Vec<_>, _> = (0..grid.axes.len()).map(only).collect();
        Ok(grid.point(&positions?))
    }

    /// Every way to fix each named axis at one of its chosen points, the last axis running fastest.
    pub fn each(&self) -> Vec<Selection> {
        let mut all = vec![Selection::default()];
        for (axis, chosen) in &self.chosen {
            let with = |before: &Selection, position: &usize| {
                let mut fixed = before.clone();
                fixed.chosen.push((*axis, vec![*position]));
                fixed
            };
            all = all.iter().flat_map(|before| chosen.iter().map(|p| with(before, p))).collect();
        }
        all
    }

    /// What is meant, such as `op read; outstanding 1, 8`; nothing if no axis is named.
    pub fn describe(&self, grid: &Grid) -> String {
        let axis = |(axis, chosen): &(usize, Vec<usize>)| {
            let Axis { name, points } = &grid.axes[*axis];
            let names: Vec<&str> = chosen.iter().map(|at| points[*at].name.as_str()).collect();
            format!("{name} {}", names.join(", "))
        };
        self.chosen.iter().map(axis).collect::<Vec<_>>().join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        let axis = |name: &str, points: &[&str]| Axis {
            name: name.to_owned(),
            points: points
                .iter()
                .map(|name| AxisPoint { name: (*name).to_owned(), layer: Layer::default() })
                .collect(),
        };
        Grid::new(vec![
            axis("op", &["read", "write"]),
            axis("mode", &["slc"]),
            axis("depth", &["1", "8", "64"]),
        ])
        .unwrap()
    }

    fn selection(text: &str) -> Result<Selection, Fault> {
        Selection::read(&grid(), "at", &text.parse().unwrap())
    }

    #[test]
    fn points_and_positions_are_each_other_s_inverse() {
        let grid = grid();
        for point in (0..6).map(Point) {
            assert_eq!(grid.point(&grid.positions(point)), point);
        }
        assert_eq!(grid.positions(Point(4)), [1, 0, 1]);
        assert_eq!(grid.conditions(Point(4)), "op write, depth 8");
        assert_eq!(grid.names(Point(4)), ["write", "8"]);
    }

    #[test]
    fn a_selection_fixes_one_point_where_each_axis_has_one() {
        let grid = grid();
        let at = selection("op = \"write\"\ndepth = 8.0").unwrap();
        assert_eq!(at.point(&grid, "at"), Ok(Point(4)));
        let fault = selection("op = \"write\"").unwrap().point(&grid, "at").unwrap_err();
        assert_eq!((fault.key.as_str(), fault.expected.as_str()), ("at.depth", "one of 1, 8, 64"));
        let fault = selection("op = \"write\"\ndepth = [1, 8]").unwrap().point(&grid, "at");
        assert_eq!(fault.unwrap_err().found, "several points");
    }

    #[test]
    fn unknown_axes_and_points_are_refused_by_their_key() {
        let fault = selection("opp = \"read\"").unwrap_err();
        assert_eq!(fault.expected, "an axis: one of op, mode, depth");
        let fault = selection("depth = [1, 7]").unwrap_err();
        assert_eq!((fault.key.as_str(), fault.found.as_str()), ("at.depth", "7"));
        let fault = selection("depth = [1, 8, 1.0]").unwrap_err();
        assert_eq!((fault.key.as_str(), fault.found.as_str()), ("at.depth", "1.0 twice"));
    }

    #[test]
    fn only_numbers_are_told_with_their_axis() {
        let axis = |names: [&str; 2]| Axis {
            name: "block_size".to_owned(),
            points: names
                .map(|name| AxisPoint { name: name.to_owned(), layer: Layer::default() })
                .into(),
        };
        assert_eq!(axis(["1", "8"]).label(1), "block size 8");
        assert_eq!(axis(["small", "8"]).label(1), "8");
        assert_eq!(axis(["inf", "8"]).label(0), "inf");
    }

    #[test]
    fn each_runs_through_all_combinations() {
        let each = selection("op = [\"read\", \"write\"]\ndepth = [1, 64]").unwrap().each();
        let described: Vec<String> = each.iter().map(|one| one.describe(&grid())).collect();
        let expected =
            ["op read; depth 1", "op read; depth 64", "op write; depth 1", "op write; depth 64"];
        assert_eq!(described, expected);
        assert_eq!(Selection::default().each(), [Selection::default()]);
    }
}
