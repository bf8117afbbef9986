//! A virtual machine at the other end of the link: its memory, its interrupts, and what its commands took.

use super::host_side::{note_message, reads_messages, HostEnd, MESSAGES};
use super::parts::Completed;
use super::queue_heads::QueueHeads;
use crate::axi::AddressSpace;
use contract::{CommandTag, DmaDirection, HostCommand};
use driver::Note;
use host::Ring;
use machine::{BusMaster, CommandStep, DmaTransfer, HostMemory, Observer, TimeSpan, Wake, NEVER};
use nvme::command::Entry;
use nvme::io;
use pci::{Bus, Meter, Metered};
use std::cell::RefCell;
use std::rc::Rc;

/// What the drive's end of the link knows of a guest: its memory, its interrupts, its commands under way.
pub struct GuestEnd {
    /// Memory and interrupts.
    pub bus: Bus,
    /// What the guest's commands took.
    pub meter: Rc<RefCell<Meter>>,
    /// Whether the function may access memory.
    pub master: BusMaster,
    messages: Vec<u16>,
    heads: QueueHeads,
}

impl Default for GuestEnd {
    /// Nobody, and no vectors.
    fn default() -> Self {
        Self::new(0, (0, 0))
    }
}

impl GuestEnd {
    /// Nobody yet, for a drive of so many vectors, I/O queues and command slots.
    pub fn new(vectors: u32, (io_queues, slots): (u32, u32)) -> Self {
        Self {
            bus: Bus::new(vectors),
            meter: Rc::new(RefCell::new(Meter::new(io_queues, slots))),
            master: BusMaster::Disabled,
            messages: Vec::new(),
            heads: QueueHeads::new(io_queues),
        }
    }

    /// A submission queue was made, of so many entries.
    pub fn made_queue(&mut self, queue: usize, entries: u32) {
        self.heads.made(queue, entries);
    }

    /// A submission queue's doorbell was rung.
    pub fn rung(&mut self, now_ps: u64, queue: u16, tail: u32) {
        Metered(self.meter.clone()).command(now_ps, CommandStep::Rung { queue, tail });
    }

    /// The controller was disabled.
    pub fn reset(&mut self) {
        self.heads.reset();
        self.meter.borrow_mut().reset();
    }

    fn taken(&mut self, now_ps: u64, command: &HostCommand) {
        let HostCommand { tag, queue, entry } = *command;
        let Some(head) = self.heads.take(command) else { return };
        let mut meter = Metered(self.meter.clone());
        meter.command(now_ps, CommandStep::Fetched { tag, queue, head });
        meter.command(now_ps, CommandStep::Taken(command));
        let entry = Entry(entry);
        let direction = match entry.opcode() {
            io::opcode::READ => DmaDirection::ToHost,
            io::opcode::WRITE => DmaDirection::FromHost,
            _ => return,
        };
        if queue > 0 {
            let blocks = (entry.dword(12) & 0xffff) + 1;
            let bytes = blocks * self.meter.borrow().block_bytes;
            let span = TimeSpan { start: now_ps, end: now_ps };
            meter.dma(DmaTransfer { command: tag, direction, bytes, span });
        }
    }

    fn posted(&mut self, now_ps: u64, tag: CommandTag, done: &Completed) {
        self.meter.borrow_mut().note_times(&done.times);
        Metered(self.meter.clone()).command(now_ps, CommandStep::Posted(tag));
    }
}

impl AddressSpace for GuestEnd {
    fn load(&mut self, address: u64, into: &mut [u8]) -> bool {
        let may = self.master == BusMaster::Enabled;
        reads_messages(address, into) || may && self.bus.memory.read(address, into)
    }

    fn store(&mut self, address: u64, bytes: &[u8]) -> bool {
        if address < MESSAGES {
            return self.master == BusMaster::Enabled && self.bus.memory.write(address, bytes);
        }
        note_message(&mut self.messages, bytes)
    }
}

impl HostEnd for GuestEnd {
    fn messages(&mut self) -> &mut Vec<u16> {
        &mut self.messages
    }

    /// The guest acts in its own time: what it rings comes as accesses to registers.
    fn act(&mut self, _now_ps: u64, wake: Wake, _ring: impl FnMut(Ring)) -> u64 {
        if let Wake::Interrupt(vector) = wake {
            self.meter.borrow_mut().interrupted(None);
            self.bus.interrupts.raise(vector.into());
        }
        NEVER
    }

    fn noted(&mut self, now_ps: u64, note: &Note, done: Option<&Completed>) {
        match (note, done) {
            (Note::Taken(command), _) => self.taken(now_ps, command),
            (Note::Completed(tag), Some(done)) => self.posted(now_ps, *tag, done),
            _ => {}
        }
    }
}
