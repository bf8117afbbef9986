//! The whole NVMe host interface between the driver that drives the simulated drive and the real
//! firmware: in both modes, with hosts that behave and hosts that do not.

mod automated;
mod buffers;
mod cosmos;
mod deletions;
mod doorbells;
mod host_resets;
mod joined;
mod mishaps;
mod posted;
mod refusals;
mod resets;
mod starting;
mod traffic;
mod whole;
mod world;
