//! Flash requests put straight to the channels of a board, without host and firmware.
//!
//! Papers on flash controllers measure them so: a generator forwards reads, programs and erases as long
//! as the controller takes them, and notes when each is answered (Ozone section 5.1). The channels are
//! those of [`channel`], set up as the board says; chips take the board's times and never fail.

mod chips;
mod load;
mod outcome;
mod run;
mod sequence;
mod stream;
mod watcher;

pub use load::{Load, LoadError, Mix, MOST_PAGE_BYTES, OPTIONS};
pub use outcome::{Answers, Kind, Outcome};
pub use run::run;
pub use sequence::Sequence;
pub use watcher::{ChipWork, Observed, Watcher};
