//! What a drive did when: recorded from a run, as a trace for Perfetto, and as a picture.
//!
//! [`Recorder`] observes a drive and writes the trace event format that Perfetto and Chrome open.
//! [`Trace`] reads such a file, and [`Gantt`] draws its channels and ways as papers do. [`Around`] chooses what to record of a run
//! that is over, to be recorded while the same run is done again.

mod around;
mod call_rows;
mod calls;
mod chrome;
mod gantt;
mod leg;
mod look;
mod names;
mod path;
mod recorder;
mod scale;
mod spans;
mod trace;
mod track;
mod window;

pub use around::{Around, AroundError, FirstErase, Request, Sight};
pub use calls::ProgramCall;
pub use gantt::{Gantt, NothingToDraw, Panel};
pub use look::inks;
pub use path::Marked;
pub use recorder::Recorder;
pub use spans::Span;
pub use trace::{Trace, TraceError};
pub use window::{Window, WindowError};
