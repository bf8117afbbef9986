//! Studies: what a paper measured, asked of a drive, and what came out beside it.
//!
//! A study is a folder with a `study.toml` and the published values as CSV; those of the repository
//! are built in. [`Study::load`] reads and checks a folder, [`Study::built_in`] one of those.
//! [`Plan`] finds the runs that a study takes and does them side by side, and [`output`] prints,
//! writes and draws the [`outcome`]. [`Study::calibrate`] fits parameters of boards. No study has
//! code of its own.
//!
//! What no fio job can measure has loads of its own: [`flash_load`] forwards requests to the channels of a board, and
//! [`cell_load`] puts patterns into worn blocks.

mod areas;
mod as_published;
mod calibrate;
pub mod cell_load;
mod course;
mod definition;
mod error;
mod evaluate;
mod experiment;
mod expression;
mod files;
pub mod flash_load;
mod grid;
mod loads;
mod measurement;
mod metric;
pub mod outcome;
pub mod output;
mod parameters;
mod plan;
mod published;
mod repeats;
mod runner;
mod samples;
mod setup;
mod spread;
mod study;

pub use calibrate::{Attempt, Calibration, CrossValidation, FittedParameter, Moved, Sensitivity};
pub use error::StudyError;
pub use files::built_in_names;
pub use plan::Plan;
pub use runner::Progress;
pub use study::{names, Study};
