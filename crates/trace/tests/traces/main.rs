//! What the crate promises, at its border.

mod formats;
mod generate;
mod hostile;
mod open;
mod statistics;
