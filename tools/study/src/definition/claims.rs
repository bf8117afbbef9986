//! Reading claims: statements about several points.

use std::collections::BTreeMap;

use super::bound::{self, WrittenBound};
use super::file::ClaimFile;
use super::{evidence, plain_name};
use crate::error::Fault;
use crate::experiment::{Bound, Claim, Experiment};
use crate::expression::Expression;
use crate::grid::{Point, Selection};
use crate::metric::Metric;
use crate::outcome::{Evidence, Role};

/// Reads a claim; one for each combination of points that `each` names.
pub(super) fn read(experiment: &Experiment, written: &ClaimFile) -> Result<Vec<Claim>, Fault> {
    let id = plain_name("id", &written.id)?;
    let bound = bound::read(&WrittenBound {
        published: written.published,
        published_to: written.published_to,
        complement_of: written.complement_of,
        at_most: written.at_most,
        at_least: written.at_least,
        above: written.above,
        below: written.below,
        tolerance_percent: written.tolerance_percent,
    })?;
    let evidence = evidence::read(&written.evidence, bound.relation)?;
    let names = written.terms.keys().map(String::as_str);
    let expression = Expression::read(&written.value, names)?;
    let each = Selection::read(&experiment.grid, "each", &written.each)?;
    let reader = Reader { experiment, written, id, bound, evidence, expression };
    each.each().iter().map(|fixed| reader.claim(fixed)).collect()
}

/// What all claims of one text share.
struct Reader<'a> {
    experiment: &'a Experiment,
    written: &'a ClaimFile,
    id: String,
    bound: Bound,
    evidence: Evidence,
    expression: Expression,
}

impl Reader<'_> {
    /// The claim at one combination of points.
    fn claim(&self, fixed: &Selection) -> Result<Claim, Fault> {
        let grid = &self.experiment.grid;
        let name = |(axis, at): &(usize, Vec<usize>)| grid.axes[*axis].points[at[0]].name.as_str();
        let mut path = vec![self.id.as_str()];
        path.extend(fixed.chosen.iter().map(name));
        let says = &self.written.says;
        let (says, said_of_each) = match fixed.describe(grid).replace(';', ",") {
            all if all.is_empty() => (says.clone(), None),
            some => (format!("{says} ({some})"), Some(says.clone())),
        };
        Ok(Claim {
            id: path.join("/"),
            says,
            said_of_each,
            terms: self.terms(fixed)?,
            expression: self.expression.clone(),
            bound: self.bound,
            evidence: self.evidence,
            role: if self.written.fitted { Role::Fitted } else { Role::Predicted },
            unit: self.written.unit.clone(),
            reason: self.written.reason.clone(),
        })
    }

    fn terms(&self, fixed: &Selection) -> Result<BTreeMap<String, (Point, Metric)>, Fault> {
        let grid = &self.experiment.grid;
        let mut terms = BTreeMap::new();
        for (name, term) in &self.written.terms {
            let owner = format!("let.{name}");
            let metric = Metric::named(&term.metric).map_err(|fault| fault.below(&owner))?;
            let own = Selection::read(grid, "at", &term.at).map_err(|fault| fault.below(&owner))?;
            if let Some((axis, _)) = fixed.chosen.iter().find(|(axis, _)| own.on(*axis).is_some()) {
                let key = format!("at.{}", grid.axes[*axis].name);
                let fault = Fault::new(key, "a point", "nothing, as each runs through this axis");
                return Err(fault.below(&owner));
            }
            let at = own.fixed_at(fixed);
            let point = at.point(grid, "at").map_err(|fault| fault.below(&owner))?;
            terms.insert(name.clone(), (point, metric));
        }
        Ok(terms)
    }
}
