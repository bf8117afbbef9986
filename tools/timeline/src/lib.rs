//! What a drive did when: recorded from a run, as a trace for Perfetto, and as a picture.
//!
//! [`Recorder`] observes a drive and writes the trace event format that Perfetto and Chrome open.
//! [`Trace`] reads such a file, and [`Gantt`] draws its channels and ways as papers do.

mod chrome;
mod gantt;
mod look;
mod names;
mod recorder;
mod scale;
mod spans;
mod trace;
mod window;

pub use gantt::{Gantt, NothingToDraw, Panel};
pub use look::inks;
pub use recorder::Recorder;
pub use spans::Span;
pub use trace::{Trace, TraceError};
pub use window::{Window, WindowError};
