//! Which part of the drive has each command, as the firmware's register accesses tell.

use contract::packet::Operation;
use contract::{Cause, CommandTag, DmaDirection, DmaProgress, HostCommand, Part};
use driver::Note;
use machine::{CommandTimes, FlashTag};
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// A command that was taken and is not completed.
#[derive(Clone, Debug)]
struct Open {
    queue: u16,
    cid: u16,
    opcode: u8,
    times: CommandTimes,
    /// Since when the part has it that has it now.
    since: u64,
    /// DMA and flash requests of it that are under way.
    dma: u32,
    flash: u32,
}

impl Open {
    /// The part that has it: the host interface while data of it move, storage while a flash operation of it is under
    /// way, the firmware otherwise (Cosmos+ Table 7).
    fn part(&self) -> Part {
        match (self.dma, self.flash) {
            (0, 0) => Part::Firmware,
            (0, _) => Part::Storage,
            _ => Part::HostInterface,
        }
    }

    fn pass(&mut self, now: u64) {
        let part = self.part();
        self.times.inside.add(part, Cause::Untold, now - self.since);
        self.since = now;
    }
}

/// A command that was completed, and where its time went.
#[derive(Clone, Copy, Debug)]
pub struct Completed {
    /// Its submission queue.
    pub queue: u16,
    /// Its identifier.
    pub cid: u16,
    /// Where its time went, part by part.
    pub times: CommandTimes,
}

/// How long each part of the drive had a command, from when the firmware took it until it posted its completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartTimes {
    /// Its submission queue.
    pub queue: u16,
    /// Opcode of the command (dword 0, bits 7:0).
    pub opcode: u8,
    /// In the order of [`Part::ALL`], in picoseconds.
    pub parts_ps: [u64; 3],
}

/// The times of commands, in the order of their completions. Whoever asked for it sees it grow.
pub type PartLog = Rc<RefCell<Vec<PartTimes>>>;

/// All commands, by tag.
#[derive(Debug)]
pub struct Parts {
    /// What a doorbell takes to the controller, and an interrupt to the host, in picoseconds.
    latencies_ps: [u64; 2],
    open: BTreeMap<u16, Open>,
    /// Tags of DMA requests that have not ended, by direction, in their order; and how many have.
    dma: [VecDeque<CommandTag>; 2],
    ended: [u32; 2],
    /// Commands of the flash requests under way, by channel, way and tag.
    flash: BTreeMap<(u8, u8, u8), CommandTag>,
    /// Pages that each channel was asked to read and to program.
    pages: Vec<[u64; 2]>,
    /// When the controller was ready first, in picoseconds.
    pub ready_ps: Option<u64>,
    /// Who wants to know of each command.
    pub log: Option<PartLog>,
}

impl Parts {
    /// None, of a drive of so many channels.
    pub fn new(latencies_ps: [u64; 2], channels: u32) -> Self {
        Self {
            latencies_ps,
            open: BTreeMap::new(),
            dma: Default::default(),
            ended: [0; 2],
            flash: BTreeMap::new(),
            pages: vec![[0; 2]; channels as usize],
            ready_ps: None,
            log: None,
        }
    }

    /// Pages that a channel was asked to read and to program.
    pub fn pages(&self, channel: usize) -> [u64; 2] {
        self.pages[channel]
    }

    /// Commands that were taken and are not completed.
    pub fn commands(&self) -> u32 {
        self.open.len() as u32
    }

    /// Takes a note; tells of a command that it completes.
    pub fn take(&mut self, now: u64, note: Note) -> Option<Completed> {
        match note {
            Note::Taken(command) => {
                let open = self.opened(now, &command);
                self.open.insert(command.tag.0, open);
            }
            Note::DmaIssued(tag, direction, _) => {
                self.dma[direction as usize].push_back(tag);
                self.change(now, tag, |open| open.dma += 1);
            }
            Note::DmaEnded(DmaProgress { from_host, to_host, .. }) => {
                let directions = [DmaDirection::FromHost, DmaDirection::ToHost];
                for (direction, count) in directions.into_iter().zip([from_host, to_host]) {
                    self.dma_ended(now, direction, count);
                }
            }
            Note::FlashIssued { command, channel, way, tag, operation, .. } => {
                let [read, programmed] = &mut self.pages[usize::from(channel)];
                match operation {
                    Operation::Read | Operation::ReadTransfer => *read += 1,
                    Operation::Program | Operation::ProgramPage | Operation::ProgramPart => {
                        *programmed += 1
                    }
                    _ => {}
                }
                self.flash_begins(now, command, (channel, way, tag));
            }
            Note::FlashEnded { channel, way, tag } => {
                let command = self.flash.remove(&(channel, way, tag));
                self.flash_ended(now, command);
            }
            Note::Ready => {
                self.ready_ps.get_or_insert(now);
            }
            Note::Completed(tag) => {
                let mut open = self.open.remove(&tag.0)?;
                open.pass(now);
                open.times.posted_ps = now;
                if let Some(log) = &self.log {
                    let parts_ps = Part::ALL.map(|part| open.times.inside.of(part, Cause::Untold));
                    let Open { queue, opcode, .. } = open;
                    log.borrow_mut().push(PartTimes { queue, opcode, parts_ps });
                }
                return Some(Completed { queue: open.queue, cid: open.cid, times: open.times });
            }
        }
        None
    }

    fn opened(&self, now: u64, command: &HostCommand) -> Open {
        let HostCommand { queue, entry, .. } = *command;
        let times = CommandTimes {
            fetched_ps: now,
            posted_ps: 0,
            inside: Default::default(),
            latencies_ps: self.latencies_ps,
        };
        let (cid, opcode) = ((entry[0] >> 16) as u16, entry[0] as u8);
        Open { queue, cid, opcode, times, since: now, dma: 0, flash: 0 }
    }

    /// The host interface begins to run a command by itself, and has it until it is completed.
    pub fn runs_by_itself(&mut self, now: u64, command: &HostCommand) {
        let open = Open { dma: 1, ..self.opened(now, command) };
        self.open.insert(command.tag.0, open);
    }

    fn dma_ended(&mut self, now: u64, direction: DmaDirection, count: u32) {
        let nth = direction as usize;
        while self.ended[nth] != count {
            self.ended[nth] = self.ended[nth].wrapping_add(1);
            if let Some(tag) = self.dma[nth].pop_front() {
                self.change(now, tag, |open| open.dma = open.dma.saturating_sub(1));
            }
        }
    }

    /// A request is handed to a flash channel. One of the same tag before it has ended, though nobody asked.
    pub fn flash_begins(&mut self, now: u64, command: Option<CommandTag>, tag: FlashTag) {
        let before = match command {
            Some(command) => self.flash.insert(tag, command),
            None => self.flash.remove(&tag),
        };
        self.flash_ended(now, before);
        if let Some(command) = command {
            self.change(now, command, |open| open.flash += 1);
        }
    }

    fn flash_ended(&mut self, now: u64, command: Option<CommandTag>) {
        if let Some(command) = command {
            self.change(now, command, |open| open.flash = open.flash.saturating_sub(1));
        }
    }

    /// Something of a command begins or ends. A flash request may outlive its command.
    fn change(&mut self, now: u64, tag: CommandTag, change: impl FnOnce(&mut Open)) {
        if let Some(open) = self.open.get_mut(&tag.0) {
            open.pass(now);
            change(open);
        }
    }
}
