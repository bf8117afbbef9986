//! Records what happens in a window of a run.

use std::collections::VecDeque;

use contract::{CommandTag, HostCommand, Module, Pass};
use machine::{CommandStep, DmaTransfer, FlashPhase, Observer, TimeSpan, NEVER};
use nvme::command::Entry;

use crate::calls::RowedCall;
use crate::leg::Path;
use crate::names;
use crate::trace::Trace;
use crate::track::Track;
use crate::window::Window;

/// Most slices that are recorded. What begins later is not in the trace.
const MOST_SLICES: usize = 1 << 21;

/// What else is known of a slice.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Detail {
    /// Nothing.
    None,
    /// Way and row of a flash phase.
    Flash { way: u8, row: u32 },
    /// Bytes of a DMA.
    Bytes(u32),
}

/// A span of time on a track.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slice {
    pub track: Track,
    pub name: &'static str,
    pub span: TimeSpan,
    /// Number of the command that it is for; none where there is no detail.
    pub command: Option<u32>,
    pub detail: Detail,
    /// Whether the critical path of the marked request goes through it.
    pub critical: bool,
}

/// A moment at which a command is at a slice of a track.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub command: u32,
    pub at: u64,
    pub track: Track,
}

/// A moment at which an operation of a command went on that had waited for its buffer entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Freed {
    pub command: u32,
    pub at: u64,
    /// Channel and way of what it waited for; none if that needed no chip.
    pub chip: Option<(u8, u8)>,
}

/// A command from submission to completion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Command {
    /// From 1, in the order of fetches since the first job began.
    pub number: u32,
    pub span: TimeSpan,
    pub tag: CommandTag,
    pub queue: u16,
    /// The entry, once the firmware has taken it.
    pub entry: Option<Entry>,
    /// Bytes moved by DMA.
    pub bytes: u64,
}

/// Records a window of a drive's run.
#[derive(Debug)]
pub struct Recorder {
    pub(crate) channels: u32,
    pub(crate) ways: u32,
    window: Window,
    /// When the first job began, and the window, in the drive's time.
    pub(crate) origin: u64,
    from: u64,
    pub(crate) until: u64,
    pub(crate) slices: Vec<Slice>,
    most: usize,
    pub(crate) steps: Vec<Step>,
    pub(crate) freed: Vec<Freed>,
    pub(crate) commands: Vec<Command>,
    fetched: u32,
    /// Commands under way, by tag.
    under_way: Vec<Option<Command>>,
    /// Tails that were rung and not reached by fetches, with their times, by queue.
    rung: Vec<VecDeque<(u32, u64)>>,
    /// The processor's work in the present turn of the main loop.
    turn: Vec<(Module, TimeSpan)>,
    /// Place of the firmware's last slice.
    last_work: Option<usize>,
    /// Place of each chip's last slice of what it does by itself, by channel and way; none if that was not recorded.
    last_of_chip: Vec<Option<usize>>,
    /// The critical path of the request that is marked, if one is.
    pub(crate) path: Option<Path>,
    /// System calls of the host's programs, where somebody knows them.
    pub(crate) calls: Vec<RowedCall>,
}

impl Recorder {
    /// A recorder of `window` for a drive of `channels` by `ways`.
    pub fn new(window: Window, channels: u32, ways: u32) -> Self {
        Recorder {
            channels,
            ways,
            window,
            origin: NEVER,
            from: NEVER,
            until: NEVER,
            slices: Vec::new(),
            most: MOST_SLICES,
            steps: Vec::new(),
            freed: Vec::new(),
            commands: Vec::new(),
            fetched: 0,
            under_way: Vec::new(),
            rung: Vec::new(),
            turn: Vec::new(),
            last_work: None,
            last_of_chip: vec![None; (channels * ways) as usize],
            path: None,
            calls: Vec::new(),
        }
    }

    /// A recorder of everything.
    pub fn of_all(channels: u32, ways: u32) -> Self {
        let window = Window::between(0, u64::MAX).expect("it holds time");
        Recorder::new(window, channels, ways)
    }

    /// What was recorded, as it is read from what [`Recorder::write`] writes.
    pub fn trace(&self) -> Trace {
        let mut text = Vec::new();
        self.write(&mut text).expect("memory takes what is written");
        Trace::read(&text[..]).expect("what was written can be read")
    }

    /// When recording ended for want of room, before the window did: picoseconds since the first
    /// job began.
    pub fn cut_short_ps(&self) -> Option<u64> {
        let cut = self.until < self.origin.saturating_add(self.window.end_ps());
        cut.then(|| self.until - self.origin)
    }

    /// Whether a span lies in the window, at least in part. What began before the jobs does not.
    fn wants(&self, span: TimeSpan) -> bool {
        span.start >= self.origin
            && span.end > self.from
            && span.start < self.until
            && span.end > span.start
    }

    fn put(&mut self, slice: Slice) {
        if self.slices.len() == self.most {
            // Other tracks may be ahead of this one: they are cut at the same time when written.
            self.until = self.until.min(slice.span.start.max(self.origin));
            return;
        }
        self.slices.push(slice);
    }

    /// What was recorded, without what turned out to lie outside the window.
    pub(crate) fn recorded(&self) -> impl Iterator<Item = &Slice> {
        let inside = |slice: &&Slice| slice.span.start < self.until.min(slice.span.end);
        self.slices.iter().filter(inside)
    }

    /// A chip's place among all.
    fn chip_number(&self, channel: u8, way: u8) -> usize {
        usize::from(channel) * self.ways as usize + usize::from(way)
    }

    /// Puts a slice that a command may be at.
    fn put_step(&mut self, slice: Slice) {
        if !self.wants(slice.span) {
            return;
        }
        if let Some(command) = slice.command {
            self.steps.push(Step { command, at: slice.span.start, track: slice.track });
        }
        self.put(slice);
    }

    /// A command is in the hands of the NVMe manager at `now`.
    fn at_manager(&mut self, now: u64, tag: CommandTag) {
        let Some(command) = self.number_of(tag) else { return };
        if now >= self.from && now < self.until {
            let track = Track::Firmware(Module::NvmeManager);
            self.steps.push(Step { command, at: now, track });
        }
    }

    fn command_of(&mut self, tag: CommandTag) -> Option<&mut Command> {
        self.under_way.get_mut(usize::from(tag.0))?.as_mut()
    }

    /// Whether some of a time since the first job began is in the window.
    pub(crate) fn shows(&self, span: TimeSpan) -> bool {
        self.origin <= span.start && span.start < self.until && self.from < span.end
    }

    fn number_of(&mut self, tag: CommandTag) -> Option<u32> {
        self.command_of(tag).map(|command| command.number)
    }

    fn tails(&mut self, queue: u16) -> &mut VecDeque<(u32, u64)> {
        let queue = usize::from(queue);
        if self.rung.len() <= queue {
            self.rung.resize(queue + 1, VecDeque::new());
        }
        &mut self.rung[queue]
    }

    /// When the entry before `head` was submitted: with the first tail rung at or behind it.
    fn submitted(&mut self, queue: u16, head: u32) -> Option<u64> {
        let tails = self.tails(queue);
        let &(tail, at) = tails.front()?;
        if tail == head {
            tails.pop_front();
        }
        Some(at)
    }

    fn fetch(&mut self, now: u64, tag: CommandTag, (queue, head): (u16, u32)) {
        let start = self.submitted(queue, head).unwrap_or(now);
        let slot = usize::from(tag.0);
        if self.under_way.len() <= slot {
            self.under_way.resize(slot + 1, None);
        }
        self.under_way[slot] = (start >= self.origin && start < self.until).then(|| {
            self.fetched += 1;
            let span = TimeSpan { start, end: now };
            Command { number: self.fetched, span, tag, queue, entry: None, bytes: 0 }
        });
    }

    fn take(&mut self, now: u64, taken: &HostCommand) {
        if let Some(command) = self.command_of(taken.tag) {
            command.entry = Some(Entry(taken.entry));
        }
        self.at_manager(now, taken.tag);
    }

    fn post(&mut self, now: u64, tag: CommandTag) {
        let Some(place) = self.under_way.get_mut(usize::from(tag.0)) else { return };
        let Some(mut command) = place.take() else { return };
        command.span.end = now;
        if now > self.from {
            self.commands.push(command);
        }
    }

    fn flash(&mut self, track: Track, name: &'static str, phase: FlashPhase) {
        let command = phase.command.and_then(|tag| self.number_of(tag));
        let detail = Detail::Flash { way: phase.way, row: phase.row };
        self.put_step(Slice { track, name, span: phase.span, command, detail, critical: false });
    }
}

impl Observer for Recorder {
    fn jobs_begin(&mut self, now: u64) {
        self.origin = now;
        self.from = now.saturating_add(self.window.start_ps());
        self.until = now.saturating_add(self.window.end_ps());
        self.turn.clear();
    }

    fn work(&mut self, module: Module, span: TimeSpan) {
        if !self.wants(span) {
            return;
        }
        match self.turn.last_mut() {
            Some((last, before)) if *last == module && before.end == span.start => {
                before.end = span.end;
            }
            _ => self.turn.push((module, span)),
        }
    }

    fn pass(&mut self, pass: Pass) {
        let mut turn = std::mem::take(&mut self.turn);
        for (module, span) in turn.drain(..).filter(|_| pass == Pass::Busy) {
            let track = Track::Firmware(module);
            if let Some(last) = self.last_work.map(|nth| &mut self.slices[nth]) {
                if last.track == track && last.span.end == span.start {
                    last.span.end = span.end;
                    continue;
                }
            }
            self.last_work = Some(self.slices.len()).filter(|&nth| nth < self.most);
            let (name, detail) = (module.name(), Detail::None);
            self.put(Slice { track, name, span, command: None, detail, critical: false });
        }
        self.turn = turn;
    }

    fn bus(&mut self, phase: FlashPhase) {
        let track = Track::Bus { channel: phase.channel };
        self.flash(track, names::on_bus(phase.operation), phase);
    }

    fn chip(&mut self, phase: FlashPhase) {
        let FlashPhase { channel, way, .. } = phase;
        if let Some(name) = names::in_chip(phase.operation) {
            let nth = self.slices.len();
            self.flash(Track::Way { channel, way }, name, phase);
            let chip = self.chip_number(channel, way);
            self.last_of_chip[chip] = (self.slices.len() > nth).then_some(nth);
        }
    }

    fn chip_stops(&mut self, channel: u8, way: u8, at: u64) {
        let chip = self.chip_number(channel, way);
        let Some(nth) = self.last_of_chip[chip] else { return };
        let Slice { track, span, .. } = &mut self.slices[nth];
        span.end = span.end.min(at);
        if span.end > self.from.max(span.start) {
            return;
        }
        // It ends before the window, or before it began.
        let (track, begun) = (*track, span.start);
        span.end = begun;
        self.steps.retain(|step| (step.track, step.at) != (track, begun));
    }

    fn ready(&mut self, phase: FlashPhase) {
        let track = Track::Way { channel: phase.channel, way: phase.way };
        self.flash(track, names::READY, phase);
    }

    fn dma(&mut self, transfer: DmaTransfer) {
        let DmaTransfer { command: tag, direction, bytes, span } = transfer;
        let command = self.command_of(tag).map(|command| {
            command.bytes += u64::from(bytes);
            command.number
        });
        let (track, name) = (Track::Dma(direction), names::of_dma(direction));
        let detail = Detail::Bytes(bytes);
        self.put_step(Slice { track, name, span, command, detail, critical: false });
    }

    fn entry_freed(&mut self, now: u64, tag: CommandTag, chip: Option<(u8, u8)>) {
        let Some(command) = self.number_of(tag) else { return };
        if now >= self.from && now < self.until && self.freed.len() < self.most {
            self.freed.push(Freed { command, at: now, chip });
        }
    }

    fn command(&mut self, now: u64, step: CommandStep<'_>) {
        match step {
            CommandStep::Rung { queue, tail } => self.tails(queue).push_back((tail, now)),
            CommandStep::Fetched { tag, queue, head } => self.fetch(now, tag, (queue, head)),
            CommandStep::Taken(taken) => self.take(now, taken),
            CommandStep::Completed(tag) => self.at_manager(now, tag),
            CommandStep::Posted(tag) => self.post(now, tag),
        }
    }
}

#[cfg(test)]
#[path = "recorder_tests.rs"]
mod tests;
