//! The operation monitor (Cosmos+ section 4): a statistics table that every part of the drive feeds,
//! read on a side band, and written as JSON lines for whoever watches.
//!
//! Whoever runs a drive fills a [`Table`] when [`Sampler::due_ps`] has come and hands it to
//! [`Sampler::sample`]. The sampler writes what happened since the table before, an [`Interval`], as
//! one line, and keeps a [`History`] for reports. [`Reader`] takes the lines in again. The crate
//! knows no drive; `docs/spec/monitor.md` describes the lines.

mod header;
mod history;
mod interval;
mod period;
mod reader;
mod sampler;
mod table;

pub use header::{Header, KIND, VERSION};
pub use history::{History, MOST_INTERVALS};
pub use interval::{Interval, MeanLatency, Rates};
pub use period::Period;
pub use reader::{ReadError, Reader};
pub use sampler::Sampler;
pub use table::{Buffer, ChannelUse, Counts, Flash, Moved, Outstanding, Table};
