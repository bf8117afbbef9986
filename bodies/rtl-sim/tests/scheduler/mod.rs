//! The scheduler of a flash channel, at the level of steps: what goes to the bus, in which order,
//! and how requests end.

mod bus;
mod channel;
mod chip;
mod faults;
mod intake;
mod merging;
mod mixes;
mod models;
mod operation;
mod pending;
mod priorities;
