//! What the crate promises, at its border.

mod archives;
mod cases;
mod formats;
mod generate;
mod hostile;
mod open;
mod statistics;
