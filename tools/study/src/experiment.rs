//! An experiment as it is meant: checked, every name resolved.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::Fault;
use crate::expression::Expression;
use crate::grid::{Grid, Point, Selection};
use crate::metric::{Look, Metric};
use crate::outcome::{AxisScale, Evidence, Forms, Relation, Role};
use crate::setup::{Layer, Setup};

/// One table or figure of a paper.
#[derive(Clone, Debug)]
pub(crate) struct Experiment {
    pub id: String,
    pub title: String,
    pub place: String,
    pub grid: Grid,
    /// What holds for all points.
    pub base: Layer,
    /// What holds for some, over what their axes say.
    pub when: Vec<(Selection, Layer)>,
    pub values: Vec<Value>,
    pub claims: Vec<Claim>,
    pub summaries: Vec<Summary>,
    pub figures: Vec<Plot>,
    pub timelines: Vec<TimelinePlot>,
}

/// A published value at a point.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub id: String,
    pub point: Point,
    pub metric: Metric,
    /// Column of the file it stands in.
    pub column: String,
    pub bound: Bound,
    pub evidence: Evidence,
    pub unit: String,
    pub role: Role,
    pub reason: Option<String>,
}

/// What a measured value is held against.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bound {
    pub relation: Relation,
    pub published: f64,
    pub forms: Forms,
    /// None where the value is not judged.
    pub tolerance_percent: Option<f64>,
}

/// A statement about several points.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    pub id: String,
    pub says: String,
    /// What it says at all points at which it is made, if these are several.
    pub said_of_each: Option<String>,
    /// The names in the expression.
    pub terms: BTreeMap<String, (Point, Metric)>,
    pub expression: Expression,
    pub bound: Bound,
    pub evidence: Evidence,
    /// Fitted if an assumption was made so that it comes out; else as the values that it stands on.
    pub role: Role,
    pub unit: String,
    pub reason: Option<String>,
}

/// A statistic over the errors of values.
#[derive(Clone, Debug)]
pub(crate) struct Summary {
    pub id: String,
    pub says: String,
    /// Indices into the experiment's values, at least one.
    pub values: Vec<usize>,
    pub statistic: Statistic,
    pub bound: Bound,
    pub evidence: Evidence,
    pub reason: Option<String>,
}

/// What is made of several errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Statistic {
    /// Their mean, without signs.
    MeanAbsolute,
    /// The largest, without sign.
    MaxAbsolute,
}

/// A figure to draw.
#[derive(Clone, Debug)]
pub(crate) struct Plot {
    pub id: String,
    pub title: String,
    pub metric: Metric,
    pub x: AxisScale,
    pub x_label: String,
    pub y_label: String,
    pub curves: Vec<PlotCurve>,
}

/// A curve of a figure to draw.
#[derive(Clone, Debug)]
pub(crate) struct PlotCurve {
    pub name: String,
    /// x and the point that is measured there.
    pub points: Vec<(f64, Point)>,
    pub published: Vec<(f64, f64)>,
}

/// What channels and chips do when, to be drawn for several points, one below the other.
#[derive(Clone, Debug)]
pub(crate) struct TimelinePlot {
    pub id: String,
    pub title: String,
    /// The points, by name.
    pub panels: Vec<(String, Point)>,
}

impl Experiment {
    /// What is run at a point.
    pub fn setup(&self, point: Point) -> Result<Setup, Fault> {
        let positions = self.grid.positions(point);
        let mut layer = self.base.clone();
        for (axis, position) in self.grid.axes.iter().zip(&positions) {
            layer.lay(&axis.points[*position].layer);
        }
        for (_, upper) in self.when.iter().filter(|(selection, _)| selection.holds(&positions)) {
            layer.lay(upper);
        }
        layer.setup().map_err(|fault| fault.below(self.name_of(point)))
    }

    /// What is looked at, at a point.
    pub fn look(&self, point: Point) -> Look {
        let positions = self.grid.positions(point);
        let layers = self.grid.axes.iter().zip(positions).map(|(axis, at)| &axis.points[at].layer);
        let number = |key: &str| layers.clone().find_map(|layer| layer.look.get(key)?.parse().ok());
        Look { percentile: number("percentile"), time_us: number("time_us") }
    }

    /// Experiment and conditions, for people.
    pub fn name_of(&self, point: Point) -> String {
        match self.grid.conditions(point) {
            none if none.is_empty() => format!("experiment {}", self.id),
            conditions => format!("experiment {}, {conditions}", self.id),
        }
    }

    /// What is measured at each point that something uses.
    pub fn uses(&self) -> BTreeMap<Point, BTreeSet<Metric>> {
        let mut uses: BTreeMap<Point, BTreeSet<Metric>> = BTreeMap::new();
        let values = self.values.iter().map(|value| (value.point, value.metric));
        let terms = self.claims.iter().flat_map(|claim| claim.terms.values().copied());
        let plotted = self.figures.iter().flat_map(|plot| {
            let points = plot.curves.iter().flat_map(|curve| &curve.points);
            points.map(|(_, point)| (*point, plot.metric))
        });
        for (point, metric) in values.chain(terms).chain(plotted) {
            uses.entry(point).or_default().insert(metric);
        }
        for (_, point) in self.timelines.iter().flat_map(|timeline| &timeline.panels) {
            uses.entry(*point).or_default();
        }
        uses
    }

    /// Looks whether an axis says what these metrics look at.
    pub fn check_look(&self, point: Point, metrics: &BTreeSet<Metric>) -> Result<(), Fault> {
        let Look { percentile, time_us } = self.look(point);
        for metric in metrics {
            let is_there = match metric.looked_at() {
                Some("percentile") => percentile.is_some_and(|own| (0.0..=100.0).contains(&own)),
                Some(_) => time_us.is_some_and(|own| own >= 0.0),
                None => true,
            };
            if let (false, Some(look)) = (is_there, metric.looked_at()) {
                let expected =
                    format!("an axis with look = \"{look}\" and values that it can have");
                let found = format!("{} without one", metric.name());
                return Err(Fault::new("metric", found, expected).below(self.name_of(point)));
            }
        }
        Ok(())
    }

    /// Whether a timeline shows a point.
    pub fn draws(&self, point: Point) -> bool {
        let panels = self.timelines.iter().flat_map(|timeline| &timeline.panels);
        panels.into_iter().any(|(_, at)| *at == point)
    }

    /// The part of the experiment that needs no other points than these.
    pub fn within(&self, selection: &Selection) -> Experiment {
        let inside = |point: &Point| selection.holds(&self.grid.positions(*point));
        let kept: Vec<usize> =
            (0..self.values.len()).filter(|nth| inside(&self.values[*nth].point)).collect();
        let new_index = |old: &usize| kept.binary_search(old).ok();
        let summary = |summary: &Summary| {
            let values: Option<Vec<usize>> = summary.values.iter().map(new_index).collect();
            Some(Summary { values: values?, ..summary.clone() })
        };
        let plot_is_inside = |plot: &&Plot| {
            plot.curves.iter().flat_map(|curve| &curve.points).all(|(_, point)| inside(point))
        };
        let timeline_is_inside =
            |timeline: &&TimelinePlot| timeline.panels.iter().all(|(_, point)| inside(point));
        let claim_is_inside = |claim: &&Claim| claim.terms.values().all(|(point, _)| inside(point));
        Experiment {
            values: kept.iter().map(|nth| self.values[*nth].clone()).collect(),
            claims: self.claims.iter().filter(claim_is_inside).cloned().collect(),
            summaries: self.summaries.iter().filter_map(summary).collect(),
            figures: self.figures.iter().filter(plot_is_inside).cloned().collect(),
            timelines: self.timelines.iter().filter(timeline_is_inside).cloned().collect(),
            ..self.clone()
        }
    }
}
