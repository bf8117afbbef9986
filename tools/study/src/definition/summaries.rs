//! Reading summaries: statistics over the errors of values.

use toml::Table;

use super::bound::{self, WrittenBound};
use super::file::SummaryFile;
use super::scalar::shown;
use super::{evidence, plain_name};
use crate::error::{one_of, Fault};
use crate::experiment::{Experiment, Statistic, Summary};
use crate::grid::Selection;
use crate::outcome::Role;

const STATISTICS: [(&str, Statistic); 2] = [
    ("mean_abs_error_percent", Statistic::MeanAbsolute),
    ("max_abs_error_percent", Statistic::MaxAbsolute),
];

const ROLES: [(&str, Role); 3] =
    [("given", Role::Given), ("fitted", Role::Fitted), ("predicted", Role::Predicted)];

/// Reads a summary over values that the experiment has.
pub(super) fn read(experiment: &Experiment, written: &SummaryFile) -> Result<Summary, Fault> {
    let statistic = named(&STATISTICS, &written.statistic).ok_or_else(|| {
        let names = one_of(STATISTICS.iter().map(|(name, _)| *name));
        Fault::new("statistic", format!("{:?}", written.statistic), names)
    })?;
    let columns: Vec<&str> = experiment.values.iter().map(|value| value.column.as_str()).collect();
    if let Some(strange) = written.of.iter().find(|column| !columns.contains(&column.as_str())) {
        let mut known = columns;
        known.dedup();
        let expected = format!("a column that is compared: {}", one_of(known));
        return Err(Fault::new("of", format!("{strange:?}"), expected));
    }
    let (role, points) = only(experiment, &written.only)?;
    let chosen = |nth: &usize| {
        let value = &experiment.values[*nth];
        written.of.contains(&value.column)
            && role.is_none_or(|role| role == value.role)
            && points.holds(&experiment.grid.positions(value.point))
    };
    let values: Vec<usize> = (0..experiment.values.len()).filter(chosen).collect();
    if values.is_empty() {
        return Err(Fault::new("only", "no value that is meant", "at least one"));
    }
    let bound = bound::read(&WrittenBound {
        published: written.published,
        published_to: None,
        complement_of: None,
        at_most: written.at_most,
        at_least: written.at_least,
        above: written.above,
        below: written.below,
        tolerance_percent: written.tolerance_percent,
    })?;
    Ok(Summary {
        id: plain_name("id", &written.id)?,
        says: written.says.clone(),
        values,
        statistic,
        evidence: evidence::read(&written.evidence, bound.relation)?,
        bound,
        reason: written.reason.clone(),
    })
}

/// The role and the points that `only` names.
fn only(experiment: &Experiment, table: &Table) -> Result<(Option<Role>, Selection), Fault> {
    let mut axes = table.clone();
    let role = match axes.remove("role") {
        None => None,
        Some(value) => {
            Some(value.as_str().and_then(|name| named(&ROLES, name)).ok_or_else(|| {
                Fault::new("only.role", shown(&value), one_of(ROLES.iter().map(|(name, _)| *name)))
            })?)
        }
    };
    Ok((role, Selection::read(&experiment.grid, "only", &axes)?))
}

fn named<T: Copy>(known: &[(&str, T)], name: &str) -> Option<T> {
    known.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}
