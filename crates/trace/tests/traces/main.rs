//! What the crate promises, at its border.

mod formats;
mod hostile;
mod open;
mod statistics;
