//! The whole channel: requests, chips on the pins, a data buffer.

mod comparison;
mod cut_short;
#[allow(dead_code)]
mod lanes;
mod mishaps;
mod mixes;
mod monitors;
mod operations;
mod priorities;
mod rig;
mod scoreboard;
mod sequences;
mod time_outs;
mod twin;
mod word_lines;
mod world;
