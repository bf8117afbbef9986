//! The simulated host: NVMe driver, fio jobs and the oracle that checks data.
//!
//! [`run()`] does a whole run: it powers a drive on, brings it up through its registers and admin
//! commands, runs fio jobs over real submission queues in simulated host memory, checks every byte
//! that is read, and returns what the reports need.
//!
//! The driver itself is public: [`Driver`] and [`QueuePair`] work on whatever implements [`machine::Device`], the
//! simulated drive or another.

mod advice;
mod contained;
mod control;
mod convergence;
mod disk;
mod drive_state;
mod driver;
mod engine;
#[cfg(test)]
mod engine_tests;
mod error;
mod error_number;
mod fio_host;
mod flows;
mod ftl;
pub mod job;
mod lane;
mod log;
mod looks;
mod measure;
mod memory;
pub mod monitoring;
mod nobody;
pub mod open_channel;
pub mod oracle;
mod payload;
mod power_on;
mod prepared;
pub mod program;
mod prp;
mod queue;
pub mod replay;
mod request;
mod run;
mod sampled;
mod session;
pub mod snapshot;
mod source;
mod statistics;
mod steady;
mod stop;
mod timers;
pub mod uart;
mod victims;
mod worker;
mod writes;
mod zone_book;

pub use contained::panic_is_contained;
pub use control::{check_blocks, prepare, Control};
pub use disk::Disk;
pub use drive_state::{PayloadForm, Preconditioning};
pub use driver::{
    queues_memory_bytes, Driver, DriverError, Identity, QueueRequest, ADMIN_ENTRIES, NAMESPACE,
};
pub use engine::Totals;
pub use error::{DataError, RunError};
pub use fio_host::FioHost;
pub use firmware::ftl::precondition::Preconditioned;
pub use ftl::Broken;
pub use log::{JobLogs, RequestColumns, RequestLog};
pub use looks::Looks;
pub use memory::{Memory, PAGE_BYTES};
pub use nobody::Nobody;
pub use power_on::{ImageFile, Known, PowerOn, Powered};
pub use prepared::{run_kept, Origin, Prepared};
pub use prp::{BufferShape, Buffers, MAX_STRETCH_BYTES};
pub use queue::{QueuePair, QueueShape, Ring};
pub use request::{Course, Progress, RunRequest};
pub use run::{run, run_powered, run_watched, Status, Watchers, FIO_VERSION};
pub use statistics::Snapshot;
pub use stop::{Stop, Stopped};
pub use victims::Victims;
