//! A host that does nothing by itself: whoever holds the drive changes the host's memory and accesses registers.

use super::host_side::{note_message, reads_messages, HostEnd, MESSAGES};
use super::parts::Completed;
use super::{BoardFirmware, Processor, RtlDrive};
use crate::axi::AddressSpace;
use board::Board;
use driver::Note;
use host::Ring;
use machine::{BusMaster, HostMemory, Polling, Wake, NEVER};

/// The host, with memory of a kind of its own.
#[derive(Debug)]
pub struct StillHost<M> {
    memory: M,
    master: BusMaster,
    messages: Vec<u16>,
}

impl<M: Default> Default for StillHost<M> {
    fn default() -> Self {
        Self { memory: M::default(), master: BusMaster::Enabled, messages: Vec::new() }
    }
}

impl<M: HostMemory> AddressSpace for StillHost<M> {
    fn load(&mut self, address: u64, into: &mut [u8]) -> bool {
        let may = self.master == BusMaster::Enabled;
        reads_messages(address, into) || may && self.memory.read(address, into)
    }

    fn store(&mut self, address: u64, bytes: &[u8]) -> bool {
        if address < MESSAGES {
            return self.master == BusMaster::Enabled && self.memory.write(address, bytes);
        }
        note_message(&mut self.messages, bytes)
    }
}

impl<M: HostMemory + Default> HostEnd for StillHost<M> {
    fn messages(&mut self) -> &mut Vec<u16> {
        &mut self.messages
    }

    fn act(&mut self, _now_ps: u64, _wake: Wake, _ring: impl FnMut(Ring)) -> u64 {
        NEVER
    }

    fn noted(&mut self, _now_ps: u64, _note: &Note, _done: Option<&Completed>) {}
}

impl<M: HostMemory + Default> RtlDrive<'_, StillHost<M>, BoardFirmware> {
    /// Powers a new drive on, with a host that does nothing by itself. Idle cycles are skipped.
    ///
    /// # Errors
    /// A line, when there is no hardware of that board.
    pub fn with_still_host(board: &Board, seed: u64) -> Result<Self, String> {
        Self::powered(board, (Processor::Beside, Polling::Skip), seed)
    }

    /// The host's memory.
    pub fn host_memory(&mut self) -> &mut M {
        &mut self.seat().card.host.memory_mut().memory
    }

    /// Allows the function to access the host's memory, or forbids it: accesses are then answered by errors.
    pub fn set_bus_master(&mut self, master: BusMaster) {
        self.seat().card.host.memory_mut().master = master;
    }

    /// Reads a register of BAR 0, `offset` bytes from its start.
    pub fn read_bar(&mut self, offset: u64) -> u32 {
        self.read_register(offset)
    }

    /// Writes a register or a doorbell of BAR 0, `offset` bytes from its start.
    pub fn write_bar(&mut self, offset: u64, value: u32) {
        self.write_register(offset, value);
    }

    /// Runs at most so many turns of the firmware's main loop. False once nothing is to be done.
    pub fn run_turns(&mut self, most: u32) -> bool {
        for _ in 0..most {
            if self.is_quiet() {
                return false;
            }
            self.turn();
        }
        true
    }
}
