//! The host's DMA and its ports: `rtl/host/host_dma.sv` with memory on all sides.

mod commands;
mod data;
mod faults;
mod queues;
mod rates;
mod rig;
mod rules;
mod stalls;
