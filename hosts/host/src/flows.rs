//! Jobs that share tokens.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::job::{Flow, JobSpec};
use crate::worker::Worker;

/// Lets jobs with the same `flow_id` share tokens.
pub fn share_flows(specs: &[JobSpec], workers: &mut [Worker]) {
    let mut flows: BTreeMap<u32, Arc<Flow>> = BTreeMap::new();
    for (spec, worker) in specs.iter().zip(workers) {
        if let Some(share) = spec.steering.flow {
            worker.share_flow(flows.entry(share.id).or_default().clone());
        }
    }
}
