//! Zoned drives as a whole, from the host's queues to the chips.

mod commands;
mod drives;
mod histories;
mod hostile;
mod lost;

pub use drives::small;
