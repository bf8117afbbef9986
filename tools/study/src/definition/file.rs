//! The keys of `study.toml`, as they are written.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::{Table, Value};

/// `study.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StudyFile {
    pub title: String,
    pub paper: String,
    pub boards: Vec<String>,
    /// Words by which sources of the boards' values name the study's own paper.
    #[serde(default)]
    pub cited_as: Vec<String>,
    #[serde(default, rename = "experiment")]
    pub experiments: Vec<ExperimentFile>,
    #[serde(default)]
    pub quick: BTreeMap<String, Table>,
    pub calibrate: Option<CalibrateFile>,
    pub exhibits: Option<ExhibitsFile>,
}

/// `[exhibits]`: the file that tells of the paper's figures and tables, and how many there are.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExhibitsFile {
    pub file: String,
    /// By kind: the number of the paper's last.
    pub last: BTreeMap<String, u32>,
}

/// `[[experiment]]`: a drive and a load, what is varied, and what is compared or drawn.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExperimentFile {
    pub id: String,
    pub title: String,
    pub place: String,
    pub board: Option<String>,
    #[serde(default)]
    pub set: Table,
    #[serde(default)]
    pub job: Table,
    #[serde(default)]
    pub flash: Table,
    #[serde(default)]
    pub cells: Table,
    #[serde(default)]
    pub area: Table,
    #[serde(default)]
    pub before: Table,
    #[serde(default)]
    pub beside: Table,
    pub precondition: Option<String>,
    pub seed: Option<u64>,
    #[serde(default, rename = "axis")]
    pub axes: Vec<AxisFile>,
    #[serde(default)]
    pub when: Vec<WhenFile>,
    #[serde(default, rename = "compare")]
    pub compares: Vec<CompareFile>,
    #[serde(default, rename = "claim")]
    pub claims: Vec<ClaimFile>,
    #[serde(default, rename = "summary")]
    pub summaries: Vec<SummaryFile>,
    #[serde(default, rename = "figure")]
    pub figures: Vec<FigureFile>,
    #[serde(default, rename = "timeline")]
    pub timelines: Vec<TimelineFile>,
}

/// `[[experiment.axis]]`: either `points`, or `values` with `job`, `flash`, `cells`, `area`, `set` or `look`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AxisFile {
    pub name: String,
    #[serde(default)]
    pub points: Vec<PointFile>,
    #[serde(default)]
    pub values: Vec<Value>,
    pub job: Option<String>,
    pub flash: Option<String>,
    pub cells: Option<String>,
    pub area: Option<String>,
    pub set: Option<String>,
    pub look: Option<String>,
}

/// A point of an axis.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PointFile {
    pub is: Value,
    pub board: Option<String>,
    #[serde(default)]
    pub set: Table,
    #[serde(default)]
    pub job: Table,
    #[serde(default)]
    pub flash: Table,
    #[serde(default)]
    pub cells: Table,
    #[serde(default)]
    pub area: Table,
    #[serde(default)]
    pub before: Table,
    #[serde(default)]
    pub beside: Table,
    pub precondition: Option<String>,
    pub seed: Option<u64>,
}

/// `[[experiment.when]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WhenFile {
    #[serde(rename = "where")]
    pub at: Table,
    pub board: Option<String>,
    #[serde(default)]
    pub set: Table,
    #[serde(default)]
    pub job: Table,
    #[serde(default)]
    pub flash: Table,
    #[serde(default)]
    pub cells: Table,
    #[serde(default)]
    pub area: Table,
    #[serde(default)]
    pub before: Table,
    #[serde(default)]
    pub beside: Table,
    pub precondition: Option<String>,
    pub seed: Option<u64>,
}

/// `[[experiment.compare]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CompareFile {
    pub file: String,
    pub column: String,
    pub metric: String,
    pub unit: String,
    pub evidence: String,
    #[serde(default)]
    pub at: Table,
    pub tolerance_percent: Option<f64>,
    pub fitted: Option<Table>,
    pub given: Option<Table>,
    pub reason: Option<String>,
}

/// `[[experiment.claim]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClaimFile {
    pub id: String,
    pub says: String,
    pub evidence: String,
    #[serde(default)]
    pub each: Table,
    #[serde(rename = "let")]
    pub terms: BTreeMap<String, TermFile>,
    pub value: String,
    pub published: Option<f64>,
    pub published_to: Option<f64>,
    pub complement_of: Option<f64>,
    pub at_most: Option<f64>,
    pub at_least: Option<f64>,
    pub above: Option<f64>,
    pub below: Option<f64>,
    pub unit: String,
    pub tolerance_percent: Option<f64>,
    #[serde(default)]
    pub fitted: bool,
    pub reason: Option<String>,
}

/// A `let` of a claim.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TermFile {
    pub metric: String,
    #[serde(default)]
    pub at: Table,
}

/// `[[experiment.summary]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SummaryFile {
    pub id: String,
    pub says: String,
    pub evidence: String,
    pub of: Vec<String>,
    pub statistic: String,
    #[serde(default)]
    pub only: Table,
    pub published: Option<f64>,
    pub at_most: Option<f64>,
    pub at_least: Option<f64>,
    pub above: Option<f64>,
    pub below: Option<f64>,
    pub tolerance_percent: Option<f64>,
    pub reason: Option<String>,
}

/// `[[experiment.figure]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FigureFile {
    pub id: String,
    pub title: String,
    pub x: String,
    pub x_label: Option<String>,
    pub x_scale: Option<String>,
    pub y: OrdinateFile,
    #[serde(default)]
    pub series: Vec<String>,
    #[serde(default)]
    pub at: Table,
    pub published: Option<MarkersFile>,
}

/// The `y` of a figure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OrdinateFile {
    pub metric: String,
    pub label: String,
}

/// The `published` of a figure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MarkersFile {
    pub file: String,
    pub column: String,
}

/// `[[experiment.timeline]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TimelineFile {
    pub id: String,
    pub title: String,
    pub panels: String,
    #[serde(default)]
    pub at: Table,
}

/// `[calibrate]`: which experiment judges, and which parameters are sought.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CalibrateFile {
    pub experiment: String,
    /// Weights by column.
    pub columns: BTreeMap<String, f64>,
    pub max_rounds: u32,
    /// One if absent.
    pub starts: Option<u32>,
    #[serde(rename = "parameter")]
    pub parameters: Vec<ParameterFile>,
}

/// `[[calibrate.parameter]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ParameterFile {
    pub key: String,
    pub board: String,
    pub start: f64,
    pub low: f64,
    pub high: f64,
    pub step: f64,
}
