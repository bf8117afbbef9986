//! fio jobs: reading them, fitting them to a drive and generating their requests.
//!
//! [`parse_file`] and [`from_pairs`] read options into a [`JobFile`]; [`JobFile::resolve`] fits it to
//! a drive and yields one [`JobSpec`] a clone, in which nothing is left open; [`Workload`] turns a
//! spec into requests in virtual time.
//!
//! Every option of fio is in one of four classes. It is acted on; or it cannot change the result on
//! a raw virtual drive and is accepted; or it would change the result and is not modelled, which is
//! an error; or it is unknown, which is a warning.
//!
//! Where a job can be seen to differ from fio's:
//! - Times are virtual, and the host's own work takes none of it.
//! - Random offsets come from other generators, so single offsets differ. Each block is visited once
//!   a pass if all requests have one length and alignment; with several lengths offsets are drawn
//!   with replacement, as fio does with its `lfsr` generator, where its map would cut requests short.
//! - All kinds of `verify` mean the same: what a pass wrote is read again in the order it was
//!   written. The oracle checks the bytes of every read, verify or not.
//! - A flush does not wait for writes in flight, but nothing follows until it has completed, as with
//!   fio's `libaio`.

mod apply;
mod blocksize;
mod checks;
mod coverage;
mod distribution;
mod engines;
mod error;
mod logging;
mod names;
mod options;
mod pace;
mod parse;
mod random;
mod resolve;
mod sequence;
mod settings;
mod spec;
#[cfg(test)]
mod tests;
mod units;
mod values;
mod variables;
mod workload;
mod zones;

pub use error::{JobError, Place};
pub use logging::{
    LogClock, LogKind, LogNames, LogSharing, Logging, OffsetColumn, PriorityForm, WindowValue,
};
pub use names::{is_option, nearest_option};
pub use parse::{from_pairs, parse_file, JobFile};
pub use spec::{
    Access, Batching, ByteRange, Direction, Distribution, DriveShape, EndFlush, Flushing, Grouping,
    JobSpec, Lengths, Mix, OnEnd, Pacing, Passes, PerDirection, Rate, RateProcess, Report, RunRest,
    Seeding, Steadiness, Stepping, Stop, Think, Timing, Verify, WeightedLength, Zone,
};
pub use variables::{expand, expand_pairs};
pub use workload::{Next, Request, RequestKind, Workload};
