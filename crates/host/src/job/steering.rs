//! What a job says of latencies and rates to keep to, and of its share in a flow.

use super::apply::Applied;
use super::depth_search::{LatencyTarget, OnceFound};
use super::flow::FlowShare;
use super::least::{Least, LeastRates};
use super::settings::Settings;
use super::spec::{Direction, PerDirection};
use super::units::{self, Reading, PS_PER_SECOND};

const PS_PER_MICROSECOND: u64 = PS_PER_SECOND / 1_000_000;
const PS_PER_MILLISECOND: u64 = PS_PER_SECOND / 1000;
/// fio's bound of `flow`.
const MAX_WEIGHT: u64 = 1000;

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
    least_bytes: PerDirection<Option<u64>>,
    least_requests: PerDirection<Option<u64>>,
    cycle_ps: u64,
    target_ps: u64,
    window_ps: u64,
    percentile: f64,
    found: OnceFound,
    flow_id: u32,
    weight: u32,
    sleep_ps: u64,
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

/// Reads a weight. As in fio, a negative one is what is left of 2^32.
fn weight(text: &str) -> Reading<u32> {
    let wrong = |_| format!("a whole number from -{MAX_WEIGHT} to {MAX_WEIGHT}");
    let weight = |digits| units::count(digits, 0, MAX_WEIGHT).map(|count| count as u32);
    match text.strip_prefix('-') {
        Some(digits) => weight(digits).map(u32::wrapping_neg),
        None => weight(text),
    }
    .map_err(wrong)
}

impl Settings {
    pub(super) fn apply_steering(&mut self, key: &str, value: &str) -> Reading<Applied> {
        let (base, steering) = (self.kb_base, &mut self.steering);
        let microseconds = |text| units::time_ps(text, PS_PER_MICROSECOND);
        let number = |most| units::count(value, 0, most);
        match key {
            "rate_min" => {
                steering.least_bytes = units::per_direction(value, |text| units::size(text, base))?;
            }
            "rate_iops_min" => {
                steering.least_requests =
                    units::per_direction(value, |text| units::count(text, 0, u64::MAX))?;
            }
            "rate_cycle" => {
                steering.cycle_ps = number(u64::from(u32::MAX))? * PS_PER_MILLISECOND;
            }
            "latency_target" => steering.target_ps = microseconds(value)?,
            "latency_window" => steering.window_ps = microseconds(value)?,
            "latency_percentile" => {
                let percent = value.parse::<f64>().ok().filter(|p| (0.0..=100.0).contains(p));
                steering.percentile = percent.ok_or("a number from 0 to 100")?;
            }
            "latency_run" => {
                steering.found =
                    if units::boolean(value)? { OnceFound::GoOn } else { OnceFound::End };
            }
            "flow" => steering.weight = weight(value)?,
            "flow_id" => steering.flow_id = number(u64::from(u32::MAX))? as u32,
            "flow_sleep" => {
                steering.sleep_ps = number(u64::from(u32::MAX))? * PS_PER_MICROSECOND;
            }
            _ => return Ok(Applied::NotASetting),
        }
        Ok(Applied::Yes)
    }
}
