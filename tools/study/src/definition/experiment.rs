//! Reading an experiment.

use super::file::{AxisFile, ExperimentFile, PointFile};
use super::scalar::text;
use super::{claims, compares, figures, plain_name, summaries, timelines, Source};
use crate::error::{one_of, Fault, StudyError};
use crate::experiment::Experiment;
use crate::grid::{Axis, AxisPoint, Grid, Selection};
use crate::setup::{Layer, WrittenLayer};

/// What of a run may be looked at along an axis.
const LOOKS: [&str; 2] = ["percentile", "time_us"];

/// Reads an experiment with the published values that it compares.
pub(super) fn read(
    source: &Source<'_>,
    written: &ExperimentFile,
) -> Result<Experiment, StudyError> {
    let owner = format!("experiment {}", written.id);
    let place = |fault: Fault| source.fault(fault.below(&owner));
    let mut experiment = frame(written).map_err(place)?;
    for (nth, compare) in written.compares.iter().enumerate() {
        let owner = format!("{owner}, compare {} ({})", nth + 1, compare.column);
        experiment.values.extend(compares::read(source, &experiment, compare, &owner)?);
    }
    for claim in &written.claims {
        let owner = format!("{owner}, claim {}", claim.id);
        let claims = claims::read(&experiment, claim);
        experiment.claims.extend(claims.map_err(|fault| source.fault(fault.below(&owner)))?);
    }
    for summary in &written.summaries {
        let owner = format!("{owner}, summary {}", summary.id);
        let summary = summaries::read(&experiment, summary);
        experiment.summaries.push(summary.map_err(|fault| source.fault(fault.below(&owner)))?);
    }
    for figure in &written.figures {
        let owner = format!("{owner}, figure {}", figure.id);
        experiment.figures.push(figures::read(source, &experiment, figure, &owner)?);
    }
    for timeline in &written.timelines {
        let owner = format!("{owner}, timeline {}", timeline.id);
        let timeline = timelines::read(&experiment, timeline);
        experiment.timelines.push(timeline.map_err(|fault| source.fault(fault.below(&owner)))?);
    }
    Ok(experiment)
}

/// The experiment without what is compared and drawn.
fn frame(written: &ExperimentFile) -> Result<Experiment, Fault> {
    let axes = written.axes.iter().map(axis).collect::<Result<Vec<_>, _>>()?;
    let grid = Grid::new(axes)?;
    let base = Layer::read(WrittenLayer {
        board: &written.board,
        set: &written.set,
        job: &written.job,
        flash: &written.flash,
        cells: &written.cells,
        area: &written.area,
        before: &written.before,
        beside: &written.beside,
        precondition: &written.precondition,
        seed: written.seed,
    })?;
    let mut when = Vec::new();
    for (nth, upper) in written.when.iter().enumerate() {
        let owner = format!("when {}", nth + 1);
        let selection =
            Selection::read(&grid, "where", &upper.at).map_err(|fault| fault.below(&owner))?;
        let layer = Layer::read(WrittenLayer {
            board: &upper.board,
            set: &upper.set,
            job: &upper.job,
            flash: &upper.flash,
            cells: &upper.cells,
            area: &upper.area,
            before: &upper.before,
            beside: &upper.beside,
            precondition: &upper.precondition,
            seed: upper.seed,
        });
        when.push((selection, layer.map_err(|fault| fault.below(&owner))?));
    }
    Ok(Experiment {
        id: plain_name("id", &written.id)?,
        title: written.title.clone(),
        place: written.place.clone(),
        grid,
        base,
        when,
        values: Vec::new(),
        claims: Vec::new(),
        summaries: Vec::new(),
        figures: Vec::new(),
        timelines: Vec::new(),
    })
}

fn axis(written: &AxisFile) -> Result<Axis, Fault> {
    let points = match (&written.points[..], &written.values[..]) {
        ([], [_, ..]) => values(written),
        ([_, ..], []) if targets(written).is_empty() => written.points.iter().map(point).collect(),
        ([], []) => Err(Fault::new(
            "points",
            "nothing",
            "points, or values with job, flash, cells, area, set or look",
        )),
        _ => Err(Fault::new("points", "points and values", "one of both")),
    };
    let points = points.map_err(|fault| fault.below(format!("axis {}", written.name)))?;
    let axis = Axis { name: written.name.clone(), points };
    if written.look.is_some() && axis.numbers().is_none() {
        let fault = Fault::new("values", "names", "numbers, as look is there");
        return Err(fault.below(format!("axis {}", written.name)));
    }
    Ok(axis)
}

fn point(written: &PointFile) -> Result<AxisPoint, Fault> {
    let name = text("is", &written.is)?;
    let layer = Layer::read(WrittenLayer {
        board: &written.board,
        set: &written.set,
        job: &written.job,
        flash: &written.flash,
        cells: &written.cells,
        area: &written.area,
        before: &written.before,
        beside: &written.beside,
        precondition: &written.precondition,
        seed: written.seed,
    });
    Ok(AxisPoint { layer: layer.map_err(|fault| fault.below(&name))?, name })
}

/// What the values of an axis go to: a table of the layer, and a key in it.
fn targets(written: &AxisFile) -> Vec<(&'static str, &String)> {
    let named = [
        ("job", &written.job),
        ("flash", &written.flash),
        ("cells", &written.cells),
        ("area", &written.area),
        ("set", &written.set),
        ("look", &written.look),
    ];
    named.into_iter().filter_map(|(table, key)| Some((table, key.as_ref()?))).collect()
}

/// The points of the short form: each value goes to one option of fio or of a load, or to one
/// key of the board.
fn values(written: &AxisFile) -> Result<Vec<AxisPoint>, Fault> {
    let (table, key) = match targets(written)[..] {
        [("job", key)] if key == "name" => {
            return Err(Fault::new("job", "\"name\"", "another option of fio"));
        }
        [("look", key)] if !LOOKS.contains(&key.as_str()) => {
            return Err(Fault::new("look", format!("{key:?}"), one_of(LOOKS)));
        }
        [target] => target,
        [] => {
            return Err(Fault::new(
                "values",
                "none of job, flash, cells, area, set and look",
                "one of them",
            ))
        }
        _ => {
            return Err(Fault::new(
                "values",
                "several of job, flash, cells, area, set and look",
                "one of them",
            ))
        }
    };
    let point = |value| {
        let name = text("values", value)?;
        let options = [(key.clone(), name.clone())].into();
        let layer = match table {
            "job" => Layer { job: options, ..Layer::default() },
            "flash" => Layer { flash: options, ..Layer::default() },
            "cells" => Layer { cells: options, ..Layer::default() },
            "area" => Layer { area: options, ..Layer::default() },
            // The run is the same; something else of it is looked at.
            "look" => Layer { look: options, ..Layer::default() },
            _ => Layer { set: options, ..Layer::default() },
        };
        Ok(AxisPoint { layer, name })
    };
    written.values.iter().map(point).collect()
}
