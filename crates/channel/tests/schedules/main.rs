//! Schedules of a channel with scripted chips, written down by hand or held to a rule.

mod merging;
mod models;
mod order;
mod priorities;
mod rig;
