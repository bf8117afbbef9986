//! Reading timelines.

use super::file::TimelineFile;
use super::plain_name;
use crate::error::Fault;
use crate::experiment::{Experiment, TimelinePlot};
use crate::grid::Selection;

/// Reads a timeline: a panel for each point of an axis.
pub(super) fn read(experiment: &Experiment, written: &TimelineFile) -> Result<TimelinePlot, Fault> {
    let grid = &experiment.grid;
    let axis = grid.axis("panels", &written.panels)?;
    let at = Selection::read(grid, "at", &written.at)?;
    if at.on(axis).is_some() {
        return Err(Fault::new("at", format!("{:?}", written.panels), "axes other than panels"));
    }
    let panel = |position: usize| {
        let fixed = Selection { chosen: vec![(axis, vec![position])] };
        Ok((grid.axes[axis].points[position].name.clone(), at.fixed_at(&fixed).point(grid, "at")?))
    };
    let panels: Result<Vec<_>, Fault> = (0..grid.axes[axis].points.len()).map(panel).collect();
    Ok(TimelinePlot {
        id: plain_name("id", &written.id)?,
        title: written.title.clone(),
        panels: panels?,
    })
}
