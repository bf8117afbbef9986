//! The directions of a job as one.

use crate::direction::Direction;
use crate::result::{DirectionResult, JobResult};
use std::borrow::Cow;

impl JobResult {
    /// Its directions added up: latencies as of one stream, rates as of streams side by side.
    pub fn mixed(&self) -> Cow<'_, DirectionResult> {
        let mut active = Direction::ALL.iter().filter_map(|&direction| self.active(direction));
        let Some(first) = active.next() else { return Cow::Owned(DirectionResult::new(0)) };
        active.fold(Cow::Borrowed(first), |mut sum, more| {
            sum.to_mut().merge(more);
            sum
        })
    }
}
