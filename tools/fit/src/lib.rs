//! Makes a board from what fio measured on a real drive, and tells which keys the measurements determine.
//!
//! [`read`] takes fio's JSON reports in: each job is a measurement. [`fit`] runs the same jobs on a base board, changes the
//! chosen keys until the figures come out as measured ([`runs::least_squares`]), and looks at how much each key moves each figure. A
//! key that moves none, or only together with another, is told as such and stays as the base has it. [`Outcome`] writes the
//! table, the JSON and the board's file.
//!
//! The outcome depends on files, base, keys and seed alone: not on the number of threads.

mod analysis;
mod board_file;
mod error;
mod figure;
mod fio_report;
mod fitting;
mod json;
mod load;
mod measurement;
mod outcome;
mod parameter;
mod simulated;
mod table;

pub use error::FitError;
pub use figure::Figure;
pub use fio_report::{parse, read};
pub use fitting::{fit, Asked, Progress};
pub use measurement::{Going, Measurement, Observed};
pub use outcome::{Combined, FittedKey, Outcome, Row, Verdict};
pub use parameter::Wanted;
