//! Board files: what they say, what of it is refused, what it comes to.

mod errors;
mod planes;
mod policies;
mod power_loss;
mod resolve;
