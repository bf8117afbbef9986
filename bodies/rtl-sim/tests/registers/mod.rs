//! The registers of a channel, on AXI4-Lite.

mod map;
mod monitors;
mod setup;
mod windows;
