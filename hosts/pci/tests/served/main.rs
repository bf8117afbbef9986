//! A drive that is served, from a client's side.
#![cfg(target_os = "linux")]

mod client;
mod conversation;
mod drive;
mod driver;
mod fuzz;
mod house;
mod open_channel;
mod stopped;
