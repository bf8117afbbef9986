//! How well the figures of a run are known.

use serde::{Deserialize, Serialize};

/// What `--until=converged` found in the jobs of a stage, which run together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Precision {
    /// Number of the stage, from 0.
    pub stage: u32,
    /// Half width that intervals were to have, by their figure.
    pub error: f64,
    /// How often intervals hold the true figure.
    pub level: f64,
    /// Whether all figures came to be known so well, which ended the jobs; else something else ended them.
    pub converged: bool,
    /// Requests that the figures are of.
    pub requests: u64,
    /// Requests before them that were taken for warm-up; `None` if the run had not settled.
    pub warm_up_requests: Option<u64>,
    /// Sections of the run that intervals are made of; 0 if the run was too short for any.
    pub sections: u32,
    /// Figures of jobs and of the drive, each with its interval.
    pub figures: Vec<PreciseFigure>,
}

/// A figure with its interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PreciseFigure {
    /// The job; `None` where all of a stage count together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Direction of the requests; `None` for figures of the drive.
    pub direction: Option<String>,
    /// Name of the figure, such as `mean` or `waf`.
    pub figure: String,
    /// What it is counted in.
    pub unit: Unit,
    /// The figure.
    pub value: f64,
    /// Half of the interval; `None` if it is not known.
    pub half_width: Option<f64>,
    /// The figure with each seed, in the order of [`OverSeeds::seeds`]; empty where it is not of several seeds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<f64>,
    /// Whether it is known as well as was asked for; `None` where nothing was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_good: Option<bool>,
}

/// Units of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Nanoseconds.
    Ns,
    /// Requests a second.
    Iops,
    /// Bytes a second.
    BytesS,
    /// A number without a unit, such as a write amplification.
    Ratio,
}

/// What `--seeds` found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OverSeeds {
    /// The seeds. The rest of the report is of the first of them.
    pub seeds: Vec<u64>,
    /// How often intervals hold the true figure.
    pub level: f64,
    /// Means over the seeds.
    pub figures: Vec<PreciseFigure>,
}
