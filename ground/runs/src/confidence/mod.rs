//! How well figures of a simulation are known: intervals, warm-up, and when a run has enough.
//!
//! A run is cut into batches of equally many requests ([`Batch`]). [`Collector`] fills them, doubles their size when there are
//! many, and says after some of them how well the figures that were [`Asked`] for are known by now ([`Verdict`]). Nothing here
//! knows a drive. Methods are those of published work, named where they are applied; `docs/convergence.md` has them together.

mod asked;
mod batch;
mod collector;
mod histogram;
mod interval;
mod pulses;
mod sections;
mod warm_up;

pub use asked::{Asked, Figure, Wrong};
pub use batch::{Batch, Written};
pub use collector::{Collector, Known, Observation, Verdict};
pub use histogram::Histogram;
pub use interval::{Interval, Level};
pub use sections::Sections;
pub use warm_up::warm_up;

/// Kinds of requests that are measured apart: reads, writes, trims.
pub const KINDS: usize = 3;
