//! Reading the values of a table, each to be compared with what is measured at its point.

use super::file::CompareFile;
use super::{bound, evidence, Source};
use crate::error::{Fault, StudyError};
use crate::experiment::{Bound, Experiment, Value};
use crate::grid::{Grid, Point, Selection};
use crate::metric::Metric;
use crate::outcome::{Evidence, Forms, Relation, Role};
use crate::published::{Asked, Told};

/// Reads the values of one column.
pub(super) fn read(
    source: &Source<'_>,
    experiment: &Experiment,
    written: &CompareFile,
    owner: &str,
) -> Result<Vec<Value>, StudyError> {
    let Experiment { id, grid, .. } = experiment;
    let terms = Terms::read(grid, written).map_err(|fault| source.fault(fault.below(owner)))?;
    let asked = Asked { grid, column: &written.column, at: &terms.at, key: "at" };
    let values = source.published(&written.file)?.values(&asked)?;
    let value = |(point, Told { value: published, to }): (Point, Told)| {
        let mut path = vec![id.as_str(), written.column.as_str()];
        path.extend(grid.names(point));
        Value {
            id: path.join("/"),
            point,
            metric: terms.metric,
            column: written.column.clone(),
            bound: Bound {
                relation: Relation::Equals,
                published,
                forms: Forms { to, complement_of: None },
                tolerance_percent: terms.tolerance_percent,
            },
            evidence: terms.evidence,
            unit: written.unit.clone(),
            role: terms.role(&grid.positions(point)),
            reason: written.reason.clone(),
        }
    };
    Ok(values.into_iter().map(value).collect())
}

/// What holds for all values of the column.
struct Terms {
    at: Selection,
    metric: Metric,
    tolerance_percent: Option<f64>,
    evidence: Evidence,
    fitted: Option<Selection>,
    given: Option<Selection>,
}

impl Terms {
    fn read(grid: &Grid, written: &CompareFile) -> Result<Terms, Fault> {
        let select = |key: &str, table: &Option<toml::Table>| {
            table.as_ref().map(|table| Selection::read(grid, key, table)).transpose()
        };
        Ok(Terms {
            at: Selection::read(grid, "at", &written.at)?,
            metric: Metric::named(&written.metric)?,
            tolerance_percent: bound::tolerance(written.tolerance_percent)?,
            evidence: evidence::read(&written.evidence, Relation::Equals)?,
            fitted: select("fitted", &written.fitted)?,
            given: select("given", &written.given)?,
        })
    }

    fn role(&self, positions: &[usize]) -> Role {
        let holds = |selection: &Option<Selection>| {
            selection.as_ref().is_some_and(|selection| selection.holds(positions))
        };
        match (holds(&self.given), holds(&self.fitted)) {
            (true, _) => Role::Given,
            (false, true) => Role::Fitted,
            (false, false) => Role::Predicted,
        }
    }
}
