//! By what model a guest's processor takes time.

use serde::{Deserialize, Serialize};
use serde_json::{json, Value};
use std::fmt;

/// The model of a processor that takes virtual time for some events of a guest's kernel, and for nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuestProcessor {
    /// Nanoseconds of each look at a clock.
    pub clock_ns: u32,
    /// Nanoseconds of the events that were given a time; none where nothing else takes any.
    pub costs: Option<GuestCosts>,
}

/// Nanoseconds of events of a guest's kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuestCosts {
    /// A request is given to a driver.
    pub issue_ns: u32,
    /// A driver completes a request.
    pub complete_ns: u32,
    /// The processor goes from one task to another.
    pub switch_ns: u32,
    /// A task is woken.
    pub wake_ns: u32,
    /// Who gave these times: the board or the command line.
    pub stated_by: String,
}

impl GuestProcessor {
    /// Its place in the JSON report.
    pub(crate) fn json(&self) -> Value {
        let GuestProcessor { clock_ns, costs } = self;
        let costs = costs.as_ref().map(|costs| {
            json!({
                "issue_ns": costs.issue_ns,
                "complete_ns": costs.complete_ns,
                "switch_ns": costs.switch_ns,
                "wake_ns": costs.wake_ns,
                "stated_by": costs.stated_by,
            })
        });
        json!({ "clock_ns": clock_ns, "costs": costs })
    }
}

impl fmt::Display for GuestProcessor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Linux's processor takes {} ns for a look at a clock", self.clock_ns)?;
        match &self.costs {
            None => write!(f, " and no other time"),
            Some(GuestCosts { issue_ns, complete_ns, switch_ns, wake_ns, stated_by }) => write!(
                f,
                ", {issue_ns} ns for a request issued, {complete_ns} ns for a request completed, {switch_ns} ns for a switch of \
                 tasks, {wake_ns} ns for a task woken, as {stated_by} states"
            ),
        }
    }
}
