//! Sweeps: one job on many drives, or many jobs on one, and a table of what came out.
//!
//! A file says which keys take which values ([`Sweep`]). Points are numbered, not kept: each is made of its number when its
//! turn comes ([`grid`]). They run on all cores ([`run`]). A row is a line of a journal as soon as it is known ([`journal`]),
//! so a sweep that was killed goes on where it was; tables and a page are written from the journal at the end ([`tables`], [`page`]).
//!
//! Who hands points out by himself, on other computers for example, has [`Worker`] run them and [`Journal::take`] take their
//! rows: they are the same.
//!
//! A row depends on nothing but the file, the job, and the version of the program: not on the number of threads, nor on
//! how often the sweep was interrupted.

mod columns;
mod definition;
mod error;
mod figures;
mod grid;
mod journal;
mod keys;
mod page;
mod page_pictures;
mod point;
mod run;
mod setups;
mod shard;
mod shared;
mod shown;
mod tables;

pub use columns::{columns, Column, Values};
pub use definition::{Source, Sweep};
pub use error::SweepError;
pub use figures::{Figures, FIGURES};
pub use grid::Point;
pub use journal::{Journal, Origin, Row};
pub use keys::check_keys;
pub use page::write_page;
pub use run::{run, Progress, Time, What, Worker};
pub use setups::Aims;
pub use shard::Shard;
pub use tables::{write, Tables};
