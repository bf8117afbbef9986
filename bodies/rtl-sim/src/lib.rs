//! The hardware of `rtl/`, Verilated, under test benches written in Rust.
//!
//! The build script compiles models of the tops in `rtl/tops`; [`tops`] lists them.
//! A test makes a [`Bench`] of one, hangs [`Source`]s and [`Sink`]s on its streams, and compares
//! what comes out with a golden model. [`seed::each`] runs a test once a seed and says how to
//! replay a seed that fails.

#[cfg(feature = "trace")] // They are linked for the waveforms of the models alone.
use {libz_sys as _, lz4_sys as _};

pub mod axi;
mod axi_lite;
mod bench;
mod buffer;
mod bus_phases;
mod bus_settings;
pub mod channel;
mod channel_watch;
mod chips;
mod command_log;
pub mod coverage;
pub mod drive;

mod model;
pub mod nvme;
mod probe;
pub mod random;
mod registers;
pub mod sdram;
pub mod seed;
pub mod serial;
mod stream;
pub mod tops;

pub use axi_lite::{Access, AxiLite};
pub use bench::{Agent, Bench, ClockPort, Level};
pub use buffer::{DataBuffer, Paces};
pub use bus_phases::{BusPhase, PhaseKind, PhaseWatch};
pub use bus_settings::ChipSettings;
pub use chips::{ChipBus, Wiring};
pub use command_log::{BusTurn, CommandLog};
pub use model::{Input, Model, Output, Top};
pub use probe::Probe;
pub use random::Random;
pub use registers::{Clock, Peek, Watch};
pub use stream::{Pace, Sink, Source, StreamPorts};
