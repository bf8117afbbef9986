//! Whoever watches a drive in hardware is told what its pins and ports show: turns on the buses, chips that are busy,
//! data on the link, commands. It is told the same as of a drive in virtual time.

use super::host_side::HostEnd;
use super::queue_heads::QueueHeads;
use crate::nvme::Card;
use crate::{BusPhase, Model, Peek, PhaseKind};
use contract::packet::RowFormat;
use contract::{CommandTag, DmaDirection, HostCommand, Module, Pass};
use driver::Note;
use machine::{CommandStep, DmaTransfer, FirmwareStep, FlashPhase, Observer, TimeSpan, Watched};
use nvme::command::Entry;
use nvme::io;
use nvme::register::{offset, Doorbell};
use std::collections::{BTreeMap, VecDeque};

/// A DMA request that has not ended: its command, its bytes, and when the firmware began to issue it.
type Moving = (CommandTag, u32, u64);

/// A direction of the host's DMA.
struct Direction {
    direction: DmaDirection,
    /// How many requests have ended since reset, as the hardware counts; and what that was last.
    ended: Peek,
    count: u64,
    /// When the last one ended.
    free_ps: u64,
    under_way: VecDeque<Moving>,
}

/// Bits of the hardware's counts of DMA requests.
const COUNT_BITS: u32 = 15;

/// Who watches, and what has to be known to tell.
pub struct Watcher<'o> {
    observer: Watched<'o>,
    rows: RowFormat,
    heads: QueueHeads,
    directions: [Direction; 2],
    /// Whether a tag came back in this cycle, as its completion is in host memory; and which.
    posted: (Peek, Peek),
    /// Commands that the hardware runs by itself: which way, bytes, and since when.
    by_itself: BTreeMap<u16, (DmaDirection, u32, u64)>,
    /// Commands of requests to flash channels, by channel, way and row. Of two at a row the later one counts.
    commands: BTreeMap<(u8, u8, u32), CommandTag>,
}

impl<'o> Watcher<'o> {
    /// Has an observer told of a drive of this model, these rows and so many I/O queues.
    pub fn new(observer: Watched<'o>, model: &Model, (rows, io_queues): (RowFormat, u32)) -> Self {
        let direction = |(direction, register)| Direction {
            direction,
            ended: Peek::named(model, register),
            count: 0,
            free_ps: 0,
            under_way: VecDeque::new(),
        };
        let directions = [
            (DmaDirection::FromHost, ".u_faults.from_host_q"),
            (DmaDirection::ToHost, ".u_faults.to_host_q"),
        ];
        let slots = [".u_slots.returned_q", ".u_slots.came_tag_q"];
        let [returned, tag] = slots.map(|register| Peek::named(model, register));
        Self {
            observer,
            rows,
            heads: QueueHeads::new(io_queues),
            directions: directions.map(direction),
            posted: (returned, tag),
            by_itself: BTreeMap::new(),
            commands: BTreeMap::new(),
        }
    }

    /// The host's jobs begin.
    pub fn jobs_begin(&mut self, now_ps: u64) {
        self.observer.jobs_begin(now_ps);
    }

    /// A cycle is over.
    pub fn cycle<E: HostEnd>(&mut self, now_ps: u64, card: &mut Card<E>) {
        for (channel, chips) in (0..).zip(&mut card.chips) {
            while let Some(phase) = chips.take_phase() {
                self.phase(channel, phase);
            }
        }
        let model = card.model();
        let (returned, tag) = &self.posted;
        if returned.value(model) == 1 {
            let tag = CommandTag(tag.value(model) as u16);
            self.observer.command(now_ps, CommandStep::Posted(tag));
        }
        for direction in &mut self.directions {
            direction.follow(now_ps, model, &mut *self.observer);
        }
    }

    fn phase(&mut self, channel: u8, phase: BusPhase) {
        let BusPhase { kind, way, operation, row, start, end } = phase;
        let command = self.commands.get(&(channel, way, row)).copied();
        let row = self.rows.contract_row(row);
        let span = TimeSpan { start: start.as_ps(), end: end.as_ps() };
        let told = FlashPhase { operation, channel, way, row, command, span };
        match kind {
            PhaseKind::Bus => self.observer.bus(told),
            PhaseKind::Chip => self.observer.chip(told),
            PhaseKind::Ready => self.observer.ready(told),
        }
    }

    /// The host wrote a register or a doorbell.
    pub fn written(&mut self, now_ps: u64, at: u64, value: u32) {
        if let Some(Doorbell::SubmissionTail(queue)) = Doorbell::at(at, 0) {
            self.observer.command(now_ps, CommandStep::Rung { queue, tail: value });
        } else if at == offset::AQA {
            self.heads.made(0, (value & 0xfff) + 1);
        } else if at == offset::CC && value & 1 == 0 {
            self.heads.reset();
            self.directions.iter_mut().for_each(|direction| direction.under_way.clear());
            self.by_itself.clear();
        }
    }

    /// The firmware noted something.
    pub fn noted(&mut self, now_ps: u64, note: &Note) {
        match *note {
            Note::Taken(ref command) => {
                let (tag, queue) = (command.tag, command.queue);
                if let Some(head) = self.heads.take(command) {
                    self.observer.command(now_ps, CommandStep::Fetched { tag, queue, head });
                }
                self.observer.command(now_ps, CommandStep::Taken(command));
                self.observer.firmware(now_ps, FirmwareStep::Taken(command));
            }
            Note::DmaIssued(tag, direction, bytes) => {
                let under_way = &mut self.directions[direction as usize].under_way;
                under_way.push_back((tag, bytes, now_ps));
                self.observer.firmware(now_ps, FirmwareStep::DmaIssued(tag, direction));
            }
            Note::FlashIssued { command, channel, way, tag, row, .. } => {
                let step = FirmwareStep::FlashIssued(command, (channel, way, tag));
                self.observer.firmware(now_ps, step);
                match command {
                    Some(tag) => self.commands.insert((channel, way, row), tag),
                    None => self.commands.remove(&(channel, way, row)),
                };
            }
            Note::FlashEnded { channel, way, tag } => {
                self.observer.firmware(now_ps, FirmwareStep::FlashEnded((channel, way, tag)));
            }
            Note::DmaEnded(progress) => {
                self.observer.firmware(now_ps, FirmwareStep::DmaEnded(progress));
            }
            Note::Completed(tag) => {
                self.observer.command(now_ps, CommandStep::Completed(tag));
                self.observer.firmware(now_ps, FirmwareStep::Completed(tag));
            }
            Note::Ready => {}
        }
    }

    /// The hardware begins to run a command by itself.
    pub fn runs_by_itself(&mut self, now_ps: u64, command: &HostCommand, bytes: u32) {
        let (tag, queue) = (command.tag, command.queue);
        if let Some(head) = self.heads.take(command) {
            self.observer.command(now_ps, CommandStep::Fetched { tag, queue, head });
        }
        self.observer.command(now_ps, CommandStep::Taken(command));
        let direction = match Entry(command.entry).opcode() {
            io::opcode::READ => DmaDirection::ToHost,
            io::opcode::WRITE => DmaDirection::FromHost,
            _ => return,
        };
        self.by_itself.insert(tag.0, (direction, bytes, now_ps));
    }

    /// Its data have moved, and its completion was given. A direction moves those of one command after the other.
    pub fn ran_by_itself(&mut self, now_ps: u64, command: CommandTag) {
        let Some((direction, bytes, since)) = self.by_itself.remove(&command.0) else { return };
        let free_ps = &mut self.directions[direction as usize].free_ps;
        let span = TimeSpan { start: since.max(*free_ps), end: now_ps };
        *free_ps = now_ps;
        self.observer.dma(DmaTransfer { command, direction, bytes, span });
    }

    /// The processor worked for a module.
    pub fn worked(&mut self, module: Module, (start, end): (u64, u64)) {
        self.observer.work(module, TimeSpan { start, end });
    }

    /// A turn of the main loop is over.
    pub fn passed(&mut self, pass: Pass) {
        self.observer.pass(pass);
    }
}

impl Direction {
    /// Tells of requests that have ended. One has the engine from when it is issued, or the one before it has ended.
    fn follow(&mut self, now_ps: u64, model: &Model, observer: &mut dyn Observer) {
        let count = self.ended.value(model);
        let more = count.wrapping_sub(self.count) & ((1 << COUNT_BITS) - 1);
        self.count = count;
        for _ in 0..more {
            let Some((command, bytes, issued)) = self.under_way.pop_front() else { return };
            let span = TimeSpan { start: issued.max(self.free_ps), end: now_ps };
            self.free_ps = now_ps;
            observer.dma(DmaTransfer { command, direction: self.direction, bytes, span });
        }
    }
}
