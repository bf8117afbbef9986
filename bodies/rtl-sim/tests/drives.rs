//! Whole controllers and whole drives in hardware, with the firmware. One program: firmware and bodies are compiled for it once.

mod automated;
mod drive;
mod fpga;
mod hosted;
mod hostile;
mod nvme_host;
mod placed;
mod served;
mod software;
mod timelines;
mod word_lines;
