//! Torture of a drive: rounds in which a random host uses a random drive, everything that can fail does, and an
//! oracle knows what each block may read as.
//!
//! A seed decides a round whole: the drive ([`drives`]), what the host does ([`plan`]) and what fails. A round that
//! breaks a promise is found by its seed again, and [`shrink`] takes out of it what it can do without.

mod atomic;
pub mod bench;
mod check;
pub mod chunk_host;
pub mod chunk_user;
pub mod draft;
pub mod draw;
pub mod drives;
mod extent;
mod extras;
pub mod faults;
pub mod file;
pub mod history;
mod namespaces;
mod no_drive;
pub mod outcome;
pub mod placed_host;
mod placing;
pub mod plan;
pub mod rounds;
pub mod shrink;
mod sizes;
mod slots;
mod small;
pub mod storm;
mod text;
pub mod violation;
pub mod zone_host;
pub mod zone_user;

pub use check::PlanError;
