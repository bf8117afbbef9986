//! The controller in hardware (`rtl/soc/ssd_top.sv`) as the firmware's body.
//!
//! [`Controller`] is [`contract::Hardware`] by register accesses over a [`Bus`]. It runs on a processor inside the
//! controller as well as beside a Verilated one; what differs is the bus.
#![no_std]

extern crate alloc;

mod body;
pub mod boot;
mod channel;
mod controller;
mod host_interface;
mod memory;
mod operations;
mod pages;
mod phases;
pub mod trace;

pub use body::{Controller, Setup};
pub use channel::ChannelWords;
pub use host_interface::{
    AutomatedCounts, Automation, DmaOrder, HostInterface, Monitors, Pointer, QueueCommands,
};
pub use memory::{Entries, Layout};

use contract::packet::Operation;
use contract::{CommandTag, DmaDirection, DmaProgress, HostCommand, Pass, Work};
use registers::{Field, Register};

/// The processor's way to registers and to the data buffer memory.
///
/// A register access is answered before the call returns. Addresses are those of `ssd_top`.
pub trait Bus {
    /// Reads a register.
    fn read(&mut self, address: u32) -> u32;
    /// Writes a register.
    fn write(&mut self, address: u32, value: u32);
    /// Reads bytes of the data buffer memory.
    fn load(&mut self, address: u64, into: &mut [u8]);
    /// Changes bytes of the data buffer memory.
    fn store(&mut self, address: u64, bytes: &[u8]);
    /// The firmware names work that it does, so many times. A processor takes the time that it takes; who
    /// stands in for one lets it pass here.
    fn work(&mut self, work: Work, times: u32) {
        let _ = (work, times);
    }
    /// A command goes on, for whoever wants to know where its time goes.
    fn note(&mut self, note: Note) {
        let _ = note;
    }
    /// A turn of the firmware's main loop ends.
    fn end_pass(&mut self, pass: Pass) {
        let _ = pass;
    }
}

/// What the firmware learns of a command, or does for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// It was taken from the host interface.
    Taken(HostCommand),
    /// A DMA request of it was issued, of so many bytes. Those of a direction end in their order.
    DmaIssued(CommandTag, DmaDirection, u32),
    /// So many DMA requests have ended since reset.
    DmaEnded(DmaProgress),
    /// A request of it, or of none, was handed to a flash channel, with this tag for this way.
    FlashIssued {
        /// Command that the request is for; none if the drive does it for itself.
        command: Option<CommandTag>,
        /// Number of the flash channel, from 0.
        channel: u8,
        /// Way of the channel, from 0.
        way: u8,
        /// Comes back in the response.
        tag: u8,
        /// What it is asked for.
        operation: Operation,
        /// Its row, as the chip counts.
        row: u32,
    },
    /// The response to it was taken; where the firmware schedules, of what the way does.
    FlashEnded {
        /// Number of the flash channel, from 0.
        channel: u8,
        /// Way of the channel, from 0.
        way: u8,
        /// As it was issued.
        tag: u8,
    },
    /// Its completion is posted.
    Completed(CommandTag),
    /// The controller is ready (CSTS.RDY).
    Ready,
}

/// Looks at a register that the hardware changes by itself, before it counts as stuck.
const PATIENCE: u32 = 1 << 16;

/// A register's value, of fields.
fn packed(fields: &[(Field, u32)]) -> u32 {
    let mut word = [0];
    fields.iter().for_each(|(field, value)| field.set(&mut word, *value));
    word[0]
}

/// A field of a register's value.
fn get(field: Field, value: u32) -> u32 {
    field.get(&[value])
}

/// Waits until a register says so, for as long as a host may hold it up: a host that stalls holds the memory and the DMA
/// engine until the hardware ends its accesses, one after the other.
fn outlast(bus: &mut impl Bus, base: u32, register: Register, done: impl Fn(u32) -> bool) {
    while !done(bus.read(base + register.offset)) {}
}

/// Waits until a register says so that no host can hold up.
///
/// # Panics
/// If it never does.
fn wait(bus: &mut impl Bus, what: &str, base: u32, register: Register, done: impl Fn(u32) -> bool) {
    let is_done = (0..PATIENCE).any(|_| done(bus.read(base + register.offset)));
    assert!(is_done, "stuck: {what}");
}
