//! What fio's `steadystate` watched for, and what it saw.

use serde::{Deserialize, Serialize};

/// The rate that has to settle, and what settling means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SteadyCriterion {
    /// No second's requests lie further from the mean than the limit (`iops`).
    Iops,
    /// The regression line through the seconds' requests is no steeper than the limit
    /// (`iops_slope`).
    IopsSlope,
    /// As [`SteadyCriterion::Iops`], with bytes (`bw`).
    Bandwidth,
    /// As [`SteadyCriterion::IopsSlope`], with bytes (`bw_slope`).
    BandwidthSlope,
}

impl SteadyCriterion {
    /// fio's name of it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Iops => "iops",
            Self::IopsSlope => "iops_slope",
            Self::Bandwidth => "bw",
            Self::BandwidthSlope => "bw_slope",
        }
    }

    /// Whether it is about the slope of the regression line.
    pub const fn is_slope(self) -> bool {
        matches!(self, Self::IopsSlope | Self::BandwidthSlope)
    }
}

/// How much may be left of deviation or slope.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SteadyLimit {
    /// In the unit of the rate: requests or bytes a second; for a slope, a second of it.
    Absolute(f64),
    /// In percent of the mean.
    PercentOfMean(f64),
}

/// Whether a job's rate settled, with the rates of its last window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SteadyState {
    /// What was watched.
    pub criterion: SteadyCriterion,
    /// How much deviation or slope was allowed.
    pub limit: SteadyLimit,
    /// Length of the window (`steadystate_duration`).
    pub duration_ps: u64,
    /// Time before the first rate that counts (`steadystate_ramp_time`).
    pub ramp_ps: u64,
    /// Whether the criterion was met, which ended the job.
    pub attained: bool,
    /// Requests a second of each interval of the window, the oldest first.
    pub iops: Vec<u64>,
    /// Bytes a second of the same intervals.
    pub bandwidth: Vec<u64>,
}

impl SteadyState {
    /// A window that holds nothing yet.
    pub fn new(criterion: SteadyCriterion, limit: SteadyLimit) -> Self {
        Self {
            criterion,
            limit,
            duration_ps: 0,
            ramp_ps: 0,
            attained: false,
            iops: Vec::new(),
            bandwidth: Vec::new(),
        }
    }

    /// The rates that the criterion is about.
    fn rates(&self) -> &[u64] {
        match self.criterion {
            SteadyCriterion::Iops | SteadyCriterion::IopsSlope => &self.iops,
            SteadyCriterion::Bandwidth | SteadyCriterion::BandwidthSlope => &self.bandwidth,
        }
    }

    /// Largest distance of a rate from the mean of all, 0 without rates.
    pub fn max_deviation(&self) -> f64 {
        let mean = mean(self.rates());
        self.rates().iter().map(|&rate| (rate as f64 - mean).abs()).fold(0.0, f64::max)
    }

    /// Slope of the least-squares line through the rates, by interval; 0 with fewer than two.
    pub fn slope(&self) -> f64 {
        let rates = self.rates();
        let middle = (rates.len() as f64 - 1.0) / 2.0;
        let mean = mean(rates);
        let (mut covariance, mut variance) = (0.0, 0.0);
        for (nth, &rate) in rates.iter().enumerate() {
            let distance = nth as f64 - middle;
            covariance += distance * (rate as f64 - mean);
            variance += distance * distance;
        }
        if variance > 0.0 {
            covariance / variance
        } else {
            0.0
        }
    }

    /// What the criterion found, in the unit of the limit; a slope has its sign.
    pub fn found(&self) -> f64 {
        let absolute = if self.criterion.is_slope() { self.slope() } else { self.max_deviation() };
        let mean = mean(self.rates());
        match self.limit {
            SteadyLimit::Absolute(_) => absolute,
            SteadyLimit::PercentOfMean(_) if mean > 0.0 => 100.0 * absolute / mean,
            SteadyLimit::PercentOfMean(_) => 0.0,
        }
    }

    /// Whether what was found lies within the limit. Whether the window is full is not asked.
    pub fn is_steady(&self) -> bool {
        let (SteadyLimit::Absolute(limit) | SteadyLimit::PercentOfMean(limit)) = self.limit;
        self.found().abs() <= limit
    }

    /// Mean of the requests a second, 0 without any.
    pub fn mean_iops(&self) -> f64 {
        mean(&self.iops)
    }

    /// Mean of the bytes a second, 0 without any.
    pub fn mean_bandwidth(&self) -> f64 {
        mean(&self.bandwidth)
    }
}

fn mean(rates: &[u64]) -> f64 {
    rates.iter().map(|&rate| rate as f64).sum::<f64>() / rates.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(criterion: SteadyCriterion, limit: SteadyLimit, iops: &[u64]) -> SteadyState {
        let bandwidth = iops.iter().map(|iops| iops * 4096).collect();
        SteadyState { iops: iops.to_vec(), bandwidth, ..SteadyState::new(criterion, limit) }
    }

    #[test]
    fn deviation_and_slope_are_those_of_the_rate_that_is_watched() {
        // fio 3.33 told 0.282721 % and 5.666667 of these three seconds.
        let percent = SteadyLimit::PercentOfMean(5.0);
        let seen = window(SteadyCriterion::Iops, percent, &[2001, 2010, 2002]);
        assert_eq!(format!("{:.6} {:.6}", seen.found(), seen.max_deviation()), "0.282721 5.666667");
        assert!(seen.is_steady());
        // And -4096 of 1,001 and 1,000 requests of 4 KiB.
        let limit = SteadyLimit::Absolute(1.0);
        let seen = window(SteadyCriterion::BandwidthSlope, limit, &[1001, 1000]);
        assert_eq!(seen.found(), -4096.0);
        assert!(!seen.is_steady(), "a slope is compared without its sign");
    }

    #[test]
    fn a_window_without_rates_has_neither() {
        for criterion in [SteadyCriterion::Iops, SteadyCriterion::IopsSlope] {
            let seen = window(criterion, SteadyLimit::PercentOfMean(1.0), &[]);
            assert_eq!((seen.found(), seen.mean_iops()), (0.0, 0.0));
        }
    }
}
