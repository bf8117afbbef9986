//! Schedules of a channel with scripted chips, written down by hand or held to a rule.

mod halts;
mod merging;
mod models;
mod order;
mod priorities;
mod rig;
mod shared_enable;
mod status_polls;
