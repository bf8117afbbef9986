//! fio jobs: reading them, fitting them to a drive and generating their requests.
//!
//! [`parse_file`] and [`from_pairs`] read options into a [`JobFile`]; [`JobFile::resolve`] fits it to
//! a drive and yields one [`JobSpec`] a clone, in which nothing is left open; [`Workload`] turns a
//! spec into requests in virtual time.
//!
//! Every option of fio is in one of three classes. It is acted on; or it cannot change the result on
//! a raw virtual drive and is accepted; or it would change the result and is not modelled, which is
//! an error. What is no option of fio 3.33 is an error too, as in fio, and so is an I/O engine that
//! does something else than block I/O.
//!
//! Where a job can be seen to differ from fio's:
//! - Times are virtual, and the host's own work takes none of it.
//! - Random offsets come from other generators, so single offsets differ. Each block is visited once
//!   a pass if all requests have one length and alignment; with several lengths offsets are drawn
//!   with replacement, as fio does with its `lfsr` generator, where its map would cut requests short.
//! - A job that names no `ioengine` keeps `iodepth` requests in flight. In fio it would be `psync`, with
//!   one; such engines have one here as well where they are named.
//! - A job that names neither `filename` nor `directory` works on the drive itself, where fio makes a
//!   file for each clone. Files that are named lie one behind another.
//! - A job hands over all requests that it can at once, and takes all completions that there are,
//!   unless `iodepth_batch` or `iodepth_batch_complete_*` say otherwise. In fio both are 1.
//! - A sequential step of a random job (`rw=randread:8`, `percentage_random`) that would leave the
//!   range is random. fio goes on behind the range if the file does, or ends the job.
//! - `cmdprio_*` are checked and change nothing: a command of NVMe has no priority.
//! - All kinds of `verify` mean the same: what a pass wrote is read again, in the order it was written
//!   or, as in fio, by offset where a place may have been written twice, and file by file where several
//!   files were walked in order; not at all, but for `verify_backlog`, with `time_based`. The oracle checks the bytes of every read, verify or not. A job that only reads fails, with fio's error 84, where a block
//!   holds zeroes or damaged bytes; data of the preconditioning are as good as those of a job.
//! - A job ends with the first failure, though `continue_on_error` wants it to go on, and says so.
//! - A job that searches for a queue depth (`latency_target`) lets requests of a larger depth complete
//!   before it judges a smaller one. fio counts them, and one late request may cost it several steps.
//! - A job that is ahead of its flow (`flow`) goes on when another job of the flow has done something,
//!   and takes completions meanwhile. fio asks again and again, and takes none.
//! - Several files (`nrfiles`, `filename=a:b`) are parts of the drive, one behind another. Without a
//!   size each is an equal share of the drive.
//! - A log that is played back (`read_iolog`) goes to the drive with all its files, one behind another
//!   unless `replay_redirect` is given, and its ends are rounded outwards to blocks. Its trims are
//!   played back, which fio 3.33 leaves out with the line "bad ddir". Nothing but `iodepth`, batches,
//!   `runtime`, `startdelay` and what is said of playing back holds for such a job.
//! - `fill_device` cuts a `size` that is beyond the end of the drive.
//! - A flush does not wait for writes in flight, but nothing follows until it has completed, as with
//!   fio's `libaio`.

mod apply;
mod arithmetic;
mod blocksize;
mod checks;
mod compose;
mod coverage;
mod depth_search;
mod direction;
mod distribution;
mod engines;
mod entry;
mod error;
mod extent;
mod faults;
mod file_turns;
mod files;
mod flow;
mod handles;
mod history;
mod holds;
mod iolog;
mod least;
mod logging;
mod names;
mod options;
mod overlap;
mod overlaps;
mod pace;
mod pacing;
mod parse;
mod parts;
mod random;
mod reading;
mod reference;
mod request;
mod resolve;
mod sequence;
mod settings;
mod spec;
mod steering;
#[cfg(test)]
mod tests;
mod units;
mod values;
mod variables;
mod workload;
mod zoned;
mod zoned_settings;
mod zones;

pub use compose::{compose, lines, mark, Composition};
pub use depth_search::{LatencyTarget, OnceFound};
pub use direction::{Direction, PerDirection};
pub use error::{JobError, Place};
pub use extent::ByteRange;
pub use faults::{AfterFault, Faults, Proof};
pub use flow::{Flow, FlowShare};
pub use handles::{Handles, Selection};
pub use history::{AfterTrim, BackOrder, Backlog, GoingBack, TrimmedBack};
pub use least::{Least, LeastRates};
pub use logging::{
    LogClock, LogKind, LogNames, LogSharing, Logging, OffsetColumn, PriorityForm, WindowValue,
};
pub use names::{is_option, nearest_option};
pub use overlap::Overlap;
pub use pacing::{Pacing, PausesInRates, Rate, RateProcess, Think, ThinkCount};
pub use parse::{from_pairs, parse_file, JobFile};
pub use parts::{FileService, Parts, ServiceOrder};
pub use reference::{
    aliases_of, engines, honoured, ignored, only_engines, refused, KnownEngine, OptionGroup,
    RefusedOption,
};
pub use request::{Next, Request, RequestKind};
pub(crate) use sequence::clone_seed;
pub use spec::{
    Access, Batching, Distribution, DriveShape, EndFlush, Enough, Flushing, Grouping, JobSpec,
    Lengths, Load, Mix, Namespace, OnEnd, Passes, Report, RunRest, Seeding, Steadiness, Stepping,
    Stop, Timing, Verify, WeightedLength, Zone,
};
pub use steering::Steering;
pub use units::seconds_ps;
pub use variables::{expand, expand_pairs};
pub use workload::Workload;
pub use zoned::{ZoneLayout, Zoned};
