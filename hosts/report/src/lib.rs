//! Reports of a run: fio's text and JSON, and a self-contained HTML page.
//!
//! The run engine fills a [`RunResult`] while it simulates; [`write_normal`], [`write_json`], [`write_terse`] and
//! [`write_html`] print it, [`write_figures`] draws it for a notebook. All times are virtual and in picoseconds unless a name says otherwise.
//! Recording allocates nothing once a job has opened its directions.

#![recursion_limit = "256"]

mod amplification;
mod bins;
mod blocks;
mod chart_latency;
mod chart_time;
mod comparison;
mod cut;
mod decimal;
mod depth;
mod difference;
mod direction;
mod drive;
mod entry_waits;
mod fio_number;
mod guest_processor;
mod happenings;
mod host_ftl;
mod host_ftl_told;
mod html;
mod html_bars;
mod html_channels;
mod html_comparison;
mod html_handles;
mod html_monitor;
mod html_multiples;
mod html_over_time;
mod html_queues;
mod html_run;
mod html_section;
mod html_tables;
mod html_waits;
mod json;
mod json_firmament;
mod json_lines;
mod json_over_time;
mod json_values;
mod latency;
mod latency_buckets;
mod latency_map;
mod latency_search;
mod letters;
mod merged;
mod mixed;
mod moments;
mod normal;
mod normal_direction;
mod normal_drive;
mod normal_provenance;
mod notebook;
mod over_time;
mod paired;
mod palette;
mod percentiles;
mod plot_blocks;
mod plot_channels;
mod plot_flash;
mod plot_latencies;
mod precision;
mod precision_told;
mod provenance;
mod quantity;
mod queues;
mod queues_of_jobs;
mod rate;
mod reading;
mod result;
mod series;
mod split_record;
mod steady_state;
mod terse;
mod unified;
mod waits;
mod waits_told;

pub use amplification::{WriteMark, WriteWindow};
pub use blocks::{BlockCell, BlockKind, BlockMap, BlockSeen};
pub use comparison::{write_comparison, Compared, Comparison, Setting};
pub use contract::{Cause, Part, Split};
pub use cut::Cut;
pub use depth::{BatchSizes, QueueDepths, BATCH_LABELS, DEPTH_LABELS};
pub use difference::{first_difference, Difference};
pub use direction::Direction;
pub use drive::{
    ChannelResult, CoreResult, Counted, DriveResult, EraseCounts, HandleResult, MapUse, ModuleTime,
    Pacing, Speed,
};
pub use guest_processor::{GuestCosts, GuestProcessor};
pub use host_ftl::HostFtl;
pub use html::write_html;
pub use html_comparison::write_comparison_html;
pub use json::{write_json, JsonForm};
pub use latency::{Latency, FIO_PERCENTILES, PERCENTILE_ERROR};
pub use latency_search::LatencySearch;
pub use machine::{EntryWaits, LatencySteps};
pub use moments::Moments;
pub use normal::write_normal;
pub use notebook::write_figures;
pub use over_time::{AmplificationByCause, Look, OverTime, Room, Span};
pub use paired::{Paired, PairedRow};
pub use percentiles::{LatencyKind, Percentiles};
pub use precision::{OverSeeds, PreciseFigure, Precision, Unit};
pub use provenance::{
    BoardOrigin, FunctionOrigin, JobSource, Override, Provenance, SnapshotOrigin, TraceOrigin,
};
pub use queues::QueueResult;
pub use rate::{RateStatistics, RateWindows, WINDOW_PS};
pub use reading::{read_json, read_provenance, ReadError};
pub use result::{Completion, DirectionResult, JobError, JobResult, RunResult, Workload};
pub use series::{Bin, Series, Served};
pub use steady_state::{SteadyCriterion, SteadyLimit, SteadyState};
pub use terse::{write_terse, TerseVersion};
pub use unified::Unified;
pub use waits::{CallWaits, Waited, Waits};
