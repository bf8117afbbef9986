//! Reading figures.

use super::file::FigureFile;
use super::{plain_name, Source};
use crate::error::{one_of, Fault, StudyError};
use crate::experiment::{Experiment, Plot, PlotCurve};
use crate::grid::{Axis, Grid, Point, Selection};
use crate::metric::Metric;
use crate::outcome::AxisScale;
use crate::published::Asked;

/// Reads a figure with the published values that it shows.
pub(super) fn read(
    source: &Source<'_>,
    experiment: &Experiment,
    written: &FigureFile,
    owner: &str,
) -> Result<Plot, StudyError> {
    let place = |fault: Fault| source.fault(fault.below(owner));
    let grid = &experiment.grid;
    let layout = Layout::read(grid, written).map_err(place)?;
    let metric = Metric::named(&written.y.metric).map_err(|fault| place(fault.below("y")))?;
    let mut curves = layout.curves(&metric.name()).map_err(place)?;
    if let Some(markers) = &written.published {
        let asked = Asked { grid, column: &markers.column, at: &layout.at, key: "at" };
        for (point, y) in source.published(&markers.file)?.values(&asked)? {
            let on_it = |curve: &&mut PlotCurve| curve.points.iter().any(|(_, at)| *at == point);
            let curve = curves.iter_mut().find(on_it);
            let curve = curve.expect("the curves of a figure run through all points at `at`");
            let x = layout.x_values[grid.positions(point)[layout.x]];
            curve.published.push((x, y.middle()));
        }
    }
    for curve in &mut curves {
        curve.published.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    let id = plain_name("id", &written.id).map_err(place)?;
    Ok(Plot {
        id,
        title: written.title.clone(),
        metric,
        x: layout.scale,
        x_label: written.x_label.clone().unwrap_or_else(|| written.x.replace('_', " ")),
        y_label: written.y.label.clone(),
        curves,
    })
}

/// Which axes run along x, and which make curves.
struct Layout<'a> {
    grid: &'a Grid,
    x: usize,
    series: Vec<usize>,
    at: Selection,
    scale: AxisScale,
    /// By position on the axis.
    x_values: Vec<f64>,
}

impl<'a> Layout<'a> {
    fn read(grid: &'a Grid, written: &FigureFile) -> Result<Self, Fault> {
        let x = grid.axis("x", &written.x)?;
        let series = written.series.iter().map(|name| grid.axis("series", name));
        let series = series.collect::<Result<Vec<_>, _>>()?;
        if series.contains(&x) {
            return Err(Fault::new("series", format!("{:?}", written.x), "axes other than x"));
        }
        if let Some(nth) = (0..series.len()).find(|nth| series[..*nth].contains(&series[*nth])) {
            let found = format!("{:?} twice", written.series[nth]);
            return Err(Fault::new("series", found, "each axis once"));
        }
        let at = Selection::read(grid, "at", &written.at)?;
        let (scale, x_values) = scale(&grid.axes[x], written.x_scale.as_deref())?;
        Ok(Layout { grid, x, series, at, scale, x_values })
    }

    /// A curve for each combination of points of the series; `alone` names the only one.
    fn curves(&self, alone: &str) -> Result<Vec<PlotCurve>, Fault> {
        let all = |axis: usize| (0..self.grid.axes[axis].points.len()).collect::<Vec<_>>();
        let meant = |axis: usize| self.at.on(axis).map_or_else(|| all(axis), <[usize]>::to_vec);
        let mut series = Selection::default();
        series.chosen.extend(self.series.iter().map(|axis| (*axis, meant(*axis))));
        let curve = |fixed: &Selection| {
            let name = |(axis, at): &(usize, Vec<usize>)| self.grid.axes[*axis].label(at[0]);
            let names: Vec<String> = fixed.chosen.iter().map(name).collect();
            let name = if names.is_empty() { alone.to_owned() } else { names.join(", ") };
            let mut points = Vec::new();
            for position in meant(self.x) {
                points.push((self.x_values[position], self.point(fixed, position)?));
            }
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            Ok(PlotCurve { name, points, published: Vec::new() })
        };
        series.each().iter().map(curve).collect()
    }

    /// The point of a curve at a position on the x axis.
    fn point(&self, fixed: &Selection, x: usize) -> Result<Point, Fault> {
        let position = |axis: usize| match fixed.on(axis) {
            _ if axis == self.x => Ok(x),
            Some(only) => Ok(only[0]),
            None => self.at.only(self.grid, "at", axis),
        };
        let positions: Result<Vec<_>, _> = (0..self.grid.axes.len()).map(position).collect();
        Ok(self.grid.point(&positions?))
    }
}

/// The scale of an axis, and x by position on it.
fn scale(axis: &Axis, written: Option<&str>) -> Result<(AxisScale, Vec<f64>), Fault> {
    let scale = match written {
        None | Some("linear") => AxisScale::Linear,
        Some("log2") => AxisScale::Log2,
        Some("log10") => AxisScale::Log10,
        Some(other) => {
            let names = one_of(["linear", "log2", "log10"]);
            return Err(Fault::new("x_scale", format!("{other:?}"), names));
        }
    };
    match axis.numbers() {
        Some(numbers) if scale == AxisScale::Linear || numbers.iter().all(|x| *x > 0.0) => {
            Ok((scale, numbers))
        }
        Some(_) => Err(Fault::new("x_scale", "an axis with 0 or less", "linear")),
        None if written.is_none() => {
            let names = axis.points.iter().map(|point| point.name.clone()).collect();
            Ok((AxisScale::Categories(names), (0..axis.points.len()).map(|n| n as f64).collect()))
        }
        None => Err(Fault::new("x_scale", "an axis of names", "no x_scale")),
    }
}
