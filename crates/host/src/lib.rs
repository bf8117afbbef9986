//! The simulated host: NVMe driver, fio jobs and the oracle that checks data.
//!
//! [`run()`] does a whole run: it powers a drive on, brings it up through its registers and admin
//! commands, runs fio jobs over real submission queues in simulated host memory, checks every byte
//! that is read, and returns what the reports need.

mod device;
mod driver;
mod engine;
mod error;
pub mod job;
mod lane;
mod measure;
mod memory;
pub mod monitoring;
pub mod oracle;
mod payload;
mod prp;
mod queue;
mod run;
mod session;
mod statistics;
mod timers;
mod worker;

pub use driver::DriverError;
pub use engine::Totals;
pub use error::{DataError, RunError};
pub use run::{
    run, run_watched, PayloadForm, Preconditioning, Progress, RunRequest, Watchers, FIO_VERSION,
};
pub use statistics::Snapshot;
