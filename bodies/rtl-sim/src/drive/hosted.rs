//! A host of whichever kind at the other end of the link, which acts in the drive's time: what it writes to registers arrives there
//! as its doorbells do.
//!
//! What it reads takes no time. CAP and VS never change, other registers hold what the host wrote last, and the status is that of
//! the moment at which the host was woken.

use super::host_side::{note_message, reads_messages, Acting, HostEnd, MESSAGES};
use super::parts::Completed;
use super::seat::Status;
use super::{BoardFirmware, Processor, RtlDrive};
use crate::axi::AddressSpace;
use board::Board;
use driver::Note;
use host::Ring;
use machine::{BusMaster, Host, HostMemory, Polling, RegisterPort, Registers, Wake, NEVER};
use nvme::register::offset;

/// The end of the registers that are not doorbells and that a host may read (NVMe 1.4 section 3.1), in words of 4 bytes.
const WORDS: usize = 0x40 / 4;

/// The host's end of the link; no host before one comes.
#[derive(Debug)]
pub struct Hosted<H> {
    host: Option<H>,
    messages: Vec<u16>,
    shown: Shown,
    rings: Vec<Ring>,
    /// When the host wants to act next, in picoseconds.
    due_ps: u64,
}

/// What the host sees of the function.
#[derive(Clone, Debug)]
struct Shown {
    registers: [u32; WORDS],
    master: BusMaster,
}

impl<H> Default for Hosted<H> {
    fn default() -> Self {
        let shown = Shown { registers: [0; WORDS], master: BusMaster::Enabled };
        Self { host: None, messages: Vec::new(), shown, rings: Vec::new(), due_ps: NEVER }
    }
}

/// The registers, while the host acts.
struct Port<'a> {
    shown: &'a mut Shown,
    rings: &'a mut Vec<Ring>,
}

impl RegisterPort for Port<'_> {
    fn read(&self, offset: u64) -> u32 {
        self.shown.registers.get((offset / 4) as usize).copied().unwrap_or(0)
    }

    fn write(&mut self, _now: u64, offset: u64, value: u32) {
        let is_kept = [offset::CC, offset::AQA].contains(&offset)
            || (offset::ASQ..offset::ACQ + 8).contains(&offset);
        if is_kept {
            self.shown.registers[(offset / 4) as usize] = value;
        }
        self.rings.push(Ring { offset, value });
    }

    fn set_bus_master(&mut self, _now: u64, master: BusMaster) {
        self.shown.master = master;
    }
}

impl<H: Host> AddressSpace for Hosted<H> {
    fn load(&mut self, address: u64, into: &mut [u8]) -> bool {
        let may = self.shown.master == BusMaster::Enabled;
        reads_messages(address, into)
            || may && self.host.as_mut().is_some_and(|host| host.memory().read(address, into))
    }

    fn store(&mut self, address: u64, bytes: &[u8]) -> bool {
        if address < MESSAGES {
            return self.shown.master == BusMaster::Enabled
                && self.host.as_mut().is_some_and(|host| host.memory().write(address, bytes));
        }
        note_message(&mut self.messages, bytes)
    }
}

impl<H: Host> HostEnd for Hosted<H> {
    fn messages(&mut self) -> &mut Vec<u16> {
        &mut self.messages
    }

    fn act(&mut self, now_ps: u64, wake: Wake, ring: impl FnMut(Ring)) -> u64 {
        let Self { host: Some(host), shown, rings, due_ps, .. } = self else { return NEVER };
        // The controller's clock goes in cycles, a host's need not: what it wants within one is done at its end.
        let now_ps = now_ps.min(*due_ps);
        let mut port = Port { shown, rings };
        *due_ps = host.wake(now_ps, wake, &mut Registers::new(&mut port, now_ps));
        rings.drain(..).for_each(ring);
        *due_ps
    }

    fn show_status(&mut self, csts: u32) {
        self.shown.registers[(offset::CSTS / 4) as usize] = csts;
    }

    fn noted(&mut self, _now_ps: u64, _note: &Note, done: Option<&Completed>) {
        if let (Some(host), Some(done)) = (&mut self.host, done) {
            host.posted(done.queue, done.cid, &done.times);
        }
    }
}

impl<H: Host> Acting for Hosted<H> {
    type Host = H;

    fn host(&self) -> &H {
        self.host.as_ref().expect("a drive is given its host when it has power")
    }

    fn host_mut(&mut self) -> &mut H {
        self.host.as_mut().expect("a drive is given its host when it has power")
    }
}

impl<H: Host> RtlDrive<'_, Hosted<H>, BoardFirmware> {
    /// Powers a new drive on, with this host.
    ///
    /// # Errors
    /// A line, when there is no hardware of that board.
    pub fn of_host(board: &Board, host: H, seed: u64) -> Result<Self, String> {
        let mut drive = Self::powered(board, (Processor::Beside, Polling::Skip), seed)?;
        let fixed =
            [offset::CAP, offset::CAP + 4, offset::VS].map(|at| (at, drive.read_register(at)));
        let seat = drive.seat();
        seat.status = Some(Status::of(seat.card.model()));
        let end = seat.card.host.memory_mut();
        for (at, value) in fixed {
            end.shown.registers[(at / 4) as usize] = value;
        }
        end.host = Some(host);
        Ok(drive)
    }
}
