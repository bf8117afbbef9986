//! What options say of latencies and rates to keep to, and of a share in a flow.

use super::super::depth_search::OnceFound;
use super::super::settings::Settings;
use super::super::units::{self, Reading, PS_PER_SECOND};
use super::Applied;

const PS_PER_MICROSECOND: u64 = PS_PER_SECOND / 1_000_000;
const PS_PER_MILLISECOND: u64 = PS_PER_SECOND / 1000;
/// fio's bound of `flow`.
const MAX_WEIGHT: u64 = 1000;

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
    pub(in super::super) fn apply_steering(&mut self, key: &str, value: &str) -> Reading<Applied> {
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
