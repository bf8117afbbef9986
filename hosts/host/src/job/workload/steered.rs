//! What a job keeps to beside its pace: latencies, least rates and its share in a flow.

use std::sync::Arc;

use report::JobError;

use super::super::depth_search::Late;
use super::super::flow::Flow;
use super::Workload;

impl Workload {
    /// Takes note that a request took longer than the latency to keep to. Returns whether nothing can
    /// be done about that: then the job is to fail.
    #[must_use]
    pub fn is_hopeless_after_late(&mut self) -> bool {
        self.holds.as_mut().is_some_and(|holds| holds.late() == Late::Hopeless)
    }

    /// The depth that a search for one has come to; none if the job searches for none.
    pub fn found_depth(&self) -> Option<u32> {
        self.holds.as_ref().and_then(|holds| holds.depth())
    }

    /// What ended the job before it was done.
    pub fn failure(&self) -> Option<&JobError> {
        self.holds.as_ref().and_then(|holds| holds.failure())
    }

    /// Shares the tokens of a flow with other jobs; to be called before the job starts.
    pub fn share_flow(&mut self, flow: Arc<Flow>) {
        if let Some(holds) = &mut self.holds {
            holds.share_flow(flow);
        }
    }

    /// Leaves its flow, if it is in one: the job is over.
    pub fn leave_flow(&mut self) {
        if let Some(holds) = &mut self.holds {
            holds.leave_flow();
        }
    }
}
