//! The processor's block of the host interface with its monitor, on AXI4-Lite.

mod commands;
mod map;
mod monitors;
mod orders;
mod progress;
mod setup;
