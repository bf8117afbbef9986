//! Blocks of the hardware, each under a test bench of its own. One program: it is linked once.

mod arbiters;
mod bch;
mod bus;
mod channel;
mod crossings;
mod host_check;
mod host_control;
mod host_dma;
mod host_engine;
mod host_processor;
mod page;
mod page_path;
mod queues;
mod registers;
mod reorder_buffer;
mod rtl_bench;
mod scheduler;
mod scrambler;
mod sdram;
mod sources;
mod uart;
