//! What a study prints and writes.
//!
//! [`table`] is for the terminal, [`fidelity`] for the documents; [`exhibits`] is the part of it that
//! needs no run. [`write`] makes the files: a `result.csv` a study, an SVG and a PNG a figure, and one
//! page over all studies. Nothing here runs or judges anything, and the same outcome gives the same
//! bytes.

mod error;
mod exhibits;
mod fidelity;
mod fidelity_claims;
mod fidelity_differences;
mod fidelity_glance;
mod fidelity_values;
mod files;
mod markdown;
mod page;
mod page_tables;
mod raster;
mod result_csv;
mod tally;
mod terminal;
mod verdict;
mod wording;

pub use error::OutputError;
pub use exhibits::exhibits;
pub use fidelity::fidelity;
pub use files::write;
pub use terminal::table;
pub use wording::{evidence, relation, role, status};
