//! The control half of the host interface between a host that speaks AXI and a processor: registers,
//! queues, fetch, completions, interrupts.

mod arbitration;
mod automated;
mod bar;
mod commands;
mod interrupts;
mod latency;
mod memory;
mod processor;
mod registers;
mod resets;
mod system;
mod willing;
