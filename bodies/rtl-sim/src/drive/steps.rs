//! The steps of the same jobs on both bodies, side by side, so that the first one that takes another time is found.
//!
//! A step is what the firmware learns or does at the registers, a turn of a bus, a chip's work, data that move, or a
//! completion in host memory. Both bodies run the same firmware, so they take the same steps until one time is so far off
//! that the firmware does something else.

use super::compare::{in_hardware, observed_in_virtual_time};
use super::{Processor, RtlDrive};
use board::Board;
use contract::{CommandTag, DmaDirection, FlashOperation, HostCommand};
use machine::{CommandStep, DmaTransfer, FirmwareStep, FlashPhase, FlashTag, Observer, Polling};
use nvme::io::opcode;
use std::collections::HashMap;

/// A step, told by things that have the same names in both bodies. Commands are numbered as they were taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A doorbell of a queue reached the controller.
    Rung(u16),
    /// The firmware has read a command.
    Taken(u32),
    /// It begins to hand over a DMA request.
    DmaIssued(u32, DmaDirection),
    /// Its data have moved; without a number, where it runs without firmware. In hardware this is when the controller counts it as ended.
    DmaMoved(u32, DmaDirection),
    /// The firmware has read that so many requests have ended, from the host and to it.
    DmaEnded(u32, u32),
    /// It begins to hand over a flash request.
    FlashIssued(FlashTag),
    /// A turn of a bus begins, of a channel and a way; and it ends.
    BusBegins(FlashOperation, u8, u8),
    /// The latter.
    BusEnds(FlashOperation, u8, u8),
    /// A chip is ready again.
    ChipEnds(FlashOperation, u8, u8),
    /// The firmware has the answer to a flash request.
    FlashEnded(FlashTag),
    /// It begins to post a completion.
    Completed(u32),
    /// The completion is in host memory.
    Posted(u32),
}

/// A step and when it was taken, in picoseconds.
pub type Timed = (u64, Step);

/// Writes steps down.
#[derive(Default)]
struct Steps {
    steps: Vec<Timed>,
    /// How long a transfer of no data has the bus. A shorter turn tells a chip to give data (00h), which is a turn of its own in
    /// hardware alone.
    least_transfer: u64,
    /// Numbers of commands by tag, and how many were taken.
    numbers: HashMap<u16, u32>,
    taken: u32,
    /// The first command of each kind that jobs measure, on an I/O queue: reads, trims, writes.
    firsts: [Option<u32>; 3],
    /// What was last read of ended DMA requests.
    ended: (u32, u32),
}

impl Steps {
    fn of(board: &Board) -> Self {
        Steps { least_transfer: board.channel.transfer_overhead.as_ps(), ..Self::default() }
    }

    fn add(&mut self, at: u64, step: Step) {
        self.steps.push((at, step));
    }

    fn number(&self, CommandTag(tag): CommandTag) -> u32 {
        self.numbers.get(&tag).copied().unwrap_or(u32::MAX)
    }

    fn take(&mut self, now: u64, command: &HostCommand) {
        self.numbers.insert(command.tag.0, self.taken);
        let kinds = [opcode::READ, opcode::DATASET_MANAGEMENT, opcode::WRITE];
        let kind = kinds.iter().position(|&kind| kind == command.entry[0] as u8);
        if let Some(kind) = kind.filter(|_| command.queue > 0) {
            self.firsts[kind].get_or_insert(self.taken);
        }
        self.add(now, Step::Taken(self.taken));
        self.taken += 1;
    }

    /// All in order of time from the last job's first command on, with times since then. A job's fill is written; so it
    /// begins with the first read, or trim, or, if there is none, with the first write. Where commands run without firmware,
    /// nobody tells of them, and all begins with the first doorbell of an I/O queue.
    fn of_last_job(mut self) -> Vec<Timed> {
        self.steps.sort_by_key(|&(at, _)| at);
        let first = self.firsts.into_iter().flatten().next();
        let is_first = |&&(_, step): &&Timed| match first {
            Some(first) => step == Step::Taken(first),
            None => matches!(step, Step::Rung(1..)),
        };
        let start = self.steps.iter().find(is_first).map_or(0, |&(at, _)| at);
        let of_job = self.steps.into_iter().filter(|&(at, _)| at >= start);
        of_job.map(|(at, step)| (at - start, step)).collect()
    }
}

impl Observer for Steps {
    fn bus(&mut self, FlashPhase { operation, channel, way, span, .. }: FlashPhase) {
        let length = span.end - span.start;
        if operation == FlashOperation::ReadTransfer && length < self.least_transfer {
            return;
        }
        self.add(span.start, Step::BusBegins(operation, channel, way));
        self.add(span.end, Step::BusEnds(operation, channel, way));
    }

    fn chip(&mut self, FlashPhase { operation, channel, way, span, .. }: FlashPhase) {
        self.add(span.end, Step::ChipEnds(operation, channel, way));
    }

    fn dma(&mut self, DmaTransfer { command, direction, span, .. }: DmaTransfer) {
        self.add(span.end, Step::DmaMoved(self.number(command), direction));
    }

    fn command(&mut self, now: u64, step: CommandStep<'_>) {
        match step {
            CommandStep::Rung { queue, .. } => self.add(now, Step::Rung(queue)),
            CommandStep::Posted(tag) => {
                self.add(now, Step::Posted(self.number(tag)));
                self.numbers.remove(&tag.0);
            }
            _ => {}
        }
    }

    fn firmware(&mut self, now: u64, step: FirmwareStep<'_>) {
        match step {
            FirmwareStep::Taken(command) => self.take(now, command),
            FirmwareStep::DmaIssued(tag, direction) => {
                self.add(now, Step::DmaIssued(self.number(tag), direction));
            }
            FirmwareStep::DmaEnded(progress) => {
                let ended = (progress.from_host, progress.to_host);
                if std::mem::replace(&mut self.ended, ended) != ended {
                    self.add(now, Step::DmaEnded(ended.0, ended.1));
                }
            }
            FirmwareStep::FlashIssued(_, tag) => self.add(now, Step::FlashIssued(tag)),
            FirmwareStep::FlashEnded(tag) => self.add(now, Step::FlashEnded(tag)),
            FirmwareStep::Completed(tag) => self.add(now, Step::Completed(self.number(tag))),
        }
    }
}

/// A step of both bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// What.
    pub step: Step,
    /// When the hardware took it, in microseconds since it took the first one that is compared.
    pub hardware: f64,
    /// The same of virtual time, if it took it at all.
    pub simulated: Option<f64>,
    /// The same of both, since the step before it of the hardware's.
    pub since: (f64, f64),
}

/// Steps of the last of some jobs on both bodies, in the order of the hardware's.
///
/// # Errors
/// A line, when there is no such hardware, or jobs and drive do not go together.
pub fn steps(board: &Board, jobs: &str, seed: u64) -> Result<Vec<Pair>, String> {
    let (mut hardware, mut simulated) = (Steps::of(board), Steps::of(board));
    let mut drive = RtlDrive::new(board, (Processor::Beside, Polling::Skip), seed)?;
    drive.watched_by(Box::new(&mut hardware as &mut dyn Observer));
    in_hardware(drive, board, jobs, seed)?;
    observed_in_virtual_time(board, jobs, (seed, &mut simulated))?;
    Ok(pairs(&hardware.of_last_job(), &simulated.of_last_job()))
}

/// The nth of a step is paired with the nth of the same step.
fn pairs(hardware: &[Timed], simulated: &[Timed]) -> Vec<Pair> {
    let mut times: HashMap<String, Vec<u64>> = HashMap::new();
    let name = |step: Step| format!("{step:?}");
    simulated.iter().for_each(|&(at, step)| times.entry(name(step)).or_default().push(at));
    let mut seen: HashMap<String, usize> = HashMap::new();
    let us = |ps: u64| ps as f64 / 1e6;
    let mut last = (0.0, 0.0);
    let pair = |&(at, step): &Timed| {
        let nth = seen.entry(name(step)).or_default();
        let simulated = times.get(&name(step)).and_then(|times| times.get(*nth));
        *nth += 1;
        let (hardware, simulated) = (us(at), simulated.map(|&at| us(at)));
        let now = (hardware, simulated.unwrap_or(last.1));
        let since = (now.0 - last.0, now.1 - last.1);
        last = now;
        Pair { step, hardware, simulated, since }
    };
    hardware.iter().map(pair).collect()
}
