//! What stands behind the PCI function, seen from the bus.

use std::time::Duration;

use contract::CommandSet;
use machine::BusMaster;

use crate::config_space::Identity;
use crate::interrupts::Interrupts;
use crate::layout::BarLayout;
use crate::link::Link;
use crate::memory::GuestMemory;

/// What a function reaches of the guest.
#[derive(Debug)]
pub struct Bus {
    /// Its memory.
    pub memory: GuestMemory,
    /// Its interrupts.
    pub interrupts: Interrupts,
}

impl Bus {
    /// A bus without a guest, for so many vectors.
    pub fn new(vectors: u32) -> Self {
        Bus { memory: GuestMemory::default(), interrupts: Interrupts::new(vectors) }
    }
}

/// When a function has to run again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// At once.
    None,
    /// When this has passed, or a message has come.
    For(Duration),
    /// When a message has come.
    UntilMessage,
}

/// A function: registers that are read and written, and time that goes by.
pub trait Function {
    /// Where its registers are.
    fn layout(&self) -> BarLayout;

    /// The numbers by which hosts find a driver for it: those of a drive of logical blocks, if it does not say otherwise.
    fn identity(&self) -> Identity {
        Identity::of(CommandSet::Block)
    }

    /// The link that it says it has.
    fn link(&self) -> Link;

    /// What it reaches of the guest.
    fn bus(&mut self) -> &mut Bus;

    /// Bus Master Enable was written: whether the function may access the guest's memory and interrupt it.
    fn set_bus_master(&mut self, master: BusMaster);

    /// Reads registers or doorbells from `offset` of BAR 0 on.
    fn read(&mut self, offset: u64, into: &mut [u8]);

    /// Writes registers or doorbells from `offset` of BAR 0 on.
    fn write(&mut self, offset: u64, from: &[u8]);

    /// Resets the function: registers, queues and interrupts. Data stay.
    fn reset(&mut self);

    /// Runs for a while.
    fn run(&mut self) -> Pause;

    /// Why it cannot go on, in a line.
    fn fault(&self) -> Option<String> {
        None
    }
}
