//! Least squares over bounded parameters, and which of them the data determine. Knows no drive.
//!
//! [`fit`] looks for the place of the least sum of squares. [`Knowledge::of`] tells from the slopes at that place which
//! parameters the data determine, which only together with others, and which not at all.

mod eigen;
mod fit;
mod knowledge;
mod linear;
mod starts;

pub use fit::{at, fit, Ended, Fitted, Place, Problem, Range};
pub use knowledge::{Combination, Knowledge, Known, Sureness};
pub use starts::{best, spread};
