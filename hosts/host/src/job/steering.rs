//! What a job says of latencies and rates to keep to, and of its share in a flow.

use super::depth_search::{LatencyTarget, OnceFound};
use super::direction::{Direction, PerDirection};
use super::flow::FlowShare;
use super::least::{Least, LeastRates};
use super::units::PS_PER_SECOND;

/// What steers a job beside rates and pauses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Steering {
    /// Rates below which it ends with an error.
    pub least: Option<LeastRates>,
    /// Latencies to keep to.
    pub target: Option<LatencyTarget>,
    /// Its part in a flow.
    pub flow: Option<FlowShare>,
}

/// What was said of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct SteeringSettings {
    pub(super) least_bytes: PerDirection<Option<u64>>,
    pub(super) least_requests: PerDirection<Option<u64>>,
    pub(super) cycle_ps: u64,
    pub(super) target_ps: u64,
    pub(super) window_ps: u64,
    pub(super) percentile: f64,
    pub(super) found: OnceFound,
    pub(super) flow_id: u32,
    pub(super) weight: u32,
    pub(super) sleep_ps: u64,
}

impl Default for SteeringSettings {
    fn default() -> Self {
        SteeringSettings {
            least_bytes: PerDirection::default(),
            least_requests: PerDirection::default(),
            cycle_ps: PS_PER_SECOND,
            target_ps: 0,
            window_ps: 0,
            percentile: 100.0,
            found: OnceFound::End,
            flow_id: 0,
            weight: 0,
            sleep_ps: 0,
        }
    }
}

impl SteeringSettings {
    /// What of it is in force.
    pub(super) fn steering(&self) -> Steering {
        let least = |direction| {
            let bytes = self.least_bytes.of(direction).filter(|&bytes| bytes > 0);
            let requests = self.least_requests.of(direction).filter(|&requests| requests > 0);
            match (bytes, requests) {
                (Some(bytes), _) => Least::Bytes(bytes),
                (None, Some(requests)) => Least::Requests(requests),
                (None, None) => Least::Any,
            }
        };
        let rate = PerDirection {
            read: least(Direction::Read),
            write: least(Direction::Write),
            trim: least(Direction::Trim),
        };
        let target = LatencyTarget {
            target_ps: self.target_ps,
            window_ps: self.window_ps,
            percentile: self.percentile,
            found: self.found,
        };
        let flow = FlowShare { id: self.flow_id, weight: self.weight, sleep_ps: self.sleep_ps };
        Steering {
            least: (rate != PerDirection::default())
                .then_some(LeastRates { rate, cycle_ps: self.cycle_ps }),
            target: (self.target_ps > 0).then_some(target),
            flow: (self.weight > 0).then_some(flow),
        }
    }

    /// What contradicts something else: an option, and what it should have been.
    pub(super) fn contradiction(
        &self,
        most: [&PerDirection<Option<u64>>; 2],
    ) -> Option<(&'static str, String)> {
        let each = [Direction::Read, Direction::Write, Direction::Trim];
        let says = |rates: &PerDirection<Option<u64>>| {
            each.into_iter().any(|direction| rates.of(direction).unwrap_or(0) > 0)
        };
        if says(&self.least_bytes) && says(&self.least_requests) {
            let expected = "rate_min or rate_iops_min, not both".to_string();
            return Some(("rate_iops_min", expected));
        }
        let [bytes, requests] = most;
        let rows = [
            ("rate_min", "rate", &self.least_bytes, bytes),
            ("rate_iops_min", "rate_iops", &self.least_requests, requests),
        ];
        for (key, bound, least, most) in rows {
            for direction in each {
                let (least, most) = (least.of(direction).unwrap_or(0), *most.of(direction));
                if let Some(most) = most.filter(|&most| most > 0 && most < least) {
                    return Some((key, format!("at most the {most} of {bound}")));
                }
            }
        }
        None
    }
}
