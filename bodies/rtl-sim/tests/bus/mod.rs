//! The bus of a channel, with golden chips on its pins that hold it to protocol and timing.

mod commands;
mod host;
mod mixes;
mod operation;
mod overhead;
mod time_outs;
