//! Reports of a run: fio's text and JSON, and a self-contained HTML page.
//!
//! The run engine fills a [`RunResult`] while it simulates; [`write_normal`], [`write_json`], [`write_terse`] and
//! [`write_html`] print it. All times are virtual and in picoseconds unless a name says otherwise.
//! Recording allocates nothing once a job has opened its directions.

mod depth;
mod direction;
mod drive;
mod fio_number;
mod html;
mod html_monitor;
mod html_tables;
mod json;
mod json_firmament;
mod latency;
mod latency_buckets;
mod moments;
mod normal;
mod normal_direction;
mod normal_drive;
pub mod palette;
mod percentiles;
mod plot;
mod plot_flash;
mod plot_latency;
mod plot_monitor;
mod plot_parts;
mod plot_throughput;
mod quantity;
mod rate;
mod result;
mod series;
mod steady_state;
mod template;
mod terse;

pub use contract::{Cause, Part, Split};
pub use depth::{BatchSizes, QueueDepths, BATCH_LABELS, DEPTH_LABELS};
pub use direction::Direction;
pub use drive::{DriveResult, ModuleTime, Pacing, Speed};
pub use html::write_html;
pub use json::{write_json, JsonForm};
pub use latency::{Latency, FIO_PERCENTILES, PERCENTILE_ERROR};
pub use moments::Moments;
pub use normal::write_normal;
pub use percentiles::{LatencyKind, Percentiles};
pub use rate::{RateStatistics, RateWindows, WINDOW_PS};
pub use result::{Completion, Cut, DirectionResult, JobError, JobResult, RunResult, Workload};
pub use series::{Bin, Series};
pub use steady_state::{SteadyCriterion, SteadyLimit, SteadyState};
pub use terse::{write_terse, TerseVersion};
