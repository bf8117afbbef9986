//! Block traces: reading them, telling what is in them, and making others that are like them.
//!
//! [`Trace::open`] finds out how a file is compressed and which [`Format`] it has; [`Reader`] then gives one
//! [`Record`] after another, in memory that does not depend on the length of the trace. What cannot be read is
//! counted and kept as [`Fault`]s, of which the first few have their line numbers. [`Statistics`] describes a trace,
//! [`Generator`] makes records with the same statistics, and [`Writer`] writes records in a format.
//!
//! Nothing here knows of drives: addresses are bytes of a volume, times are nanoseconds from the first record.

mod archive;
mod clock;
mod compression;
mod detect;
mod digits;
mod event;
mod fault;
mod fields;
mod format;
mod formats;
mod generate;
mod layout;
mod lines;
mod open;
mod opening;
mod order;
mod ordered;
mod page;
mod part;
mod processors;
mod random;
mod reader;
mod record;
mod regions;
mod source;
mod statistics;
mod summary;
mod survey;
mod text;
mod unit;
mod volumes;
mod write;

pub use compression::{Compression, Compressor};
pub use detect::Detected;
pub use event::Event;
pub use fault::{Fault, Faults, SHOWN_FAULTS};
pub use format::Format;
pub use generate::{Generator, GeneratorError};
pub use layout::Layout;
pub use open::{OpenError, Trace};
pub use opening::{Clocks, Opened, Opening};
pub use page::write_page;
pub use processors::expanded;
pub use reader::Reader;
pub use record::{Kind, Record, MAX_DATA_BYTES, MAX_SPAN_NS, UNKNOWN};
pub use regions::{Region, Regions};
pub use statistics::{Distribution, Statistics, Strictness, VolumeSum};
pub use summary::{Course, Gaps, Lengths};
pub use survey::Survey;
pub use text::write_text;
pub use unit::TimeUnit;
pub use volumes::Volumes;
pub use write::Writer;
