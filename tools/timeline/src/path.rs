//! The critical path of a request: what it went through, and what it waited for, each moment of its time once.
//!
//! The path is found from its end. What a request does last is followed by its completion; what it did before is the last of its
//! operations that was over by then. Time between two of its operations it waited: for its chip if another operation was
//! there, for the bus if others had it, for the firmware if that was at work. Where its buffer entry was not free, it waited for the
//! operation that had the entry: for the chip of that operation, and for what held the chip up.

use contract::Module;
use machine::TimeSpan;

use crate::around::{Request, Sight, Subject};
use crate::leg::{is_way, length, Leg, Path};
use crate::names;
use crate::recorder::{Command, Detail, Freed, Recorder, Slice};
use crate::track::Track;

/// A request whose critical path is marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked {
    /// Command and number in words, such as `read 17`.
    pub name: String,
    /// When the controller learned of it, in picoseconds from the start of the first job.
    pub start_ps: u64,
    /// When its completion was in the host's memory.
    pub end_ps: u64,
    /// What took most of its time, in words, and for how many picoseconds.
    pub longest: (String, u64),
}

impl Recorder {
    /// Marks the critical path of the request that a run was done again for. None if there is no such request.
    pub fn mark(&mut self, sight: &Sight) -> Option<Marked> {
        let path = match sight.subject {
            Subject::Nobody => None,
            Subject::Request(request) => {
                let within = |command: &&Command| self.is_within(command, request);
                let longest = self.of_jobs().filter(within).max_by_key(|one| length(one.span));
                longest.map(|command| self.path_of(command))
            }
            Subject::Behind(erase) => {
                let (start, end) = (self.origin + erase.start_ps, self.origin + erase.end_ps);
                let meets =
                    |command: &&Command| command.span.start < end && command.span.end > start;
                let paths = self.of_jobs().filter(meets).map(|command| self.path_of(command));
                let waits = |path: &Path| path.behind_own_work();
                paths.filter(|path| waits(path) > 0).max_by_key(waits)
            }
        }?;
        for slice in path.legs.iter().filter_map(|leg| leg.slice) {
            self.slices[slice].critical = true;
        }
        let marked = self.told(&path)?;
        self.path = Some(path);
        Some(marked)
    }

    /// Commands of jobs.
    fn of_jobs(&self) -> impl Iterator<Item = &Command> {
        self.commands.iter().filter(|command| command.queue != 0)
    }

    fn is_within(&self, command: &Command, Request { start_ps, end_ps }: Request) -> bool {
        let TimeSpan { start, end } = command.span;
        start >= self.origin + start_ps && end <= self.origin + end_ps
    }

    fn told(&self, path: &Path) -> Option<Marked> {
        let (first, last) = (path.legs.first()?, path.legs.last()?);
        let longest = path.legs.iter().max_by_key(|leg| length(leg.span))?;
        Some(Marked {
            name: path.name.clone(),
            start_ps: first.span.start - self.origin,
            end_ps: last.span.end - self.origin,
            longest: (longest.told(), length(longest.span)),
        })
    }

    /// The critical path of a command.
    fn path_of(&self, command: &Command) -> Path {
        let met = |nth: &usize| {
            let TimeSpan { start, end } = self.slices[*nth].span;
            start < command.span.end && end > command.span.start && start < end
        };
        let met: Vec<usize> = (0..self.slices.len()).filter(met).collect();
        let steps = || self.steps.iter().filter(|step| step.command == command.number);
        let manager = Track::Firmware(Module::NvmeManager);
        let at_manager = || steps().filter(|step| step.track == manager).map(|step| step.at);
        let taken = at_manager().min().unwrap_or(command.span.start);
        // With the last data, hardware may hand the completion over by itself.
        let own = |slice: &&Slice| slice.command == Some(command.number);
        let last_data =
            met.iter().map(|nth| &self.slices[*nth]).filter(own).map(|one| one.span.end);
        let last_data = last_data.filter(|end| *end <= command.span.end).max();
        let completed = at_manager().filter(|at| *at > taken).max().or(last_data);
        let completed = completed.map_or(taken, |completed| completed.max(taken));
        let of_command = |freed: &&Freed| freed.command == command.number;
        let freed = self.freed.iter().filter(of_command).copied().collect();
        let slices = &self.slices;
        let mut finder = Finder { slices, met, freed, command: command.number, legs: vec![] };
        finder.at_host(completed, command.span.end);
        finder.walk(taken, completed);
        finder.at_host(command.span.start, taken);
        let mut legs = finder.legs;
        legs.reverse();
        let opcode = command.entry.as_ref().map(|entry| entry.opcode());
        let kind = opcode.map_or("command", |opcode| names::of_command(command.queue, opcode));
        Path { command: command.number, name: format!("{kind} {}", command.number), legs }
    }
}

/// What a request waits for that is about to do its next operation.
#[derive(Clone, Copy)]
enum Wanted {
    Chip {
        channel: u8,
        way: u8,
    },
    Dma(Track),
    Firmware,
    /// Its buffer entry, which an operation on that chip had; none if the operation needed no chip.
    Entry {
        chip: Option<(u8, u8)>,
    },
}

/// Finds the legs of a command, the last one first.
struct Finder<'a> {
    slices: &'a [Slice],
    /// Places of slices that meet the command's time.
    met: Vec<usize>,
    /// When entries that its operations waited for came free.
    freed: Vec<Freed>,
    command: u32,
    legs: Vec<Leg>,
}

impl Finder<'_> {
    fn at_host(&mut self, start: u64, end: u64) {
        self.put(Leg { what: names::AT_HOST, ..Leg::nowhere(start, end) });
    }

    fn put(&mut self, leg: Leg) {
        if leg.span.start < leg.span.end {
            self.legs.push(leg);
        }
    }

    /// From the completion that the firmware hands over back to the moment at which it took the command.
    fn walk(&mut self, taken: u64, completed: u64) {
        let (mut at, mut wanted) = (completed, Wanted::Firmware);
        while let Some(nth) = self.last_own(taken, at) {
            let slice = &self.slices[nth];
            self.wait(wanted, slice.span.end, at);
            let waits = slice.name == names::READY;
            let leg =
                Leg { what: slice.name, waits, ..Leg::nowhere(slice.span.start, slice.span.end) };
            self.put(Leg { track: Some(slice.track), slice: Some(nth), ..leg });
            wanted = match (slice.track, slice.detail) {
                (Track::Way { channel, way }, _)
                | (Track::Bus { channel }, Detail::Flash { way, .. }) => {
                    Wanted::Chip { channel, way }
                }
                (track @ Track::Dma(_), _) => Wanted::Dma(track),
                _ => Wanted::Firmware,
            };
            at = slice.span.start;
        }
        self.wait(wanted, taken, at);
    }

    /// The command's operation that was over last by then, and did not begin before `taken`.
    fn last_own(&self, taken: u64, at: u64) -> Option<usize> {
        let own = |nth: &usize| {
            let slice = &self.slices[*nth];
            let TimeSpan { start, end } = slice.span;
            slice.command == Some(self.command) && end <= at && start >= taken
        };
        let ends = |nth: &usize| (self.slices[*nth].span.end, self.slices[*nth].span.start);
        self.met.iter().copied().filter(own).max_by_key(ends)
    }

    /// What the command waited for from `start` to `end`: for its buffer entry until that came free, if it did.
    fn wait(&mut self, wanted: Wanted, start: u64, end: u64) {
        let within = |freed: &&Freed| freed.at > start && freed.at <= end;
        match self.freed.iter().filter(within).max_by_key(|freed| freed.at).copied() {
            None => self.wait_for_chip(wanted, start, end),
            Some(Freed { at, chip, .. }) => {
                self.wait_for_chip(wanted, at, end);
                self.wait_for_chip(Wanted::Entry { chip }, start, at);
            }
        }
    }

    /// What the chip did meanwhile, if it is for a chip that the command waited.
    fn wait_for_chip(&mut self, wanted: Wanted, start: u64, end: u64) {
        let chip = match wanted {
            Wanted::Chip { channel, way } => Some((channel, way)),
            Wanted::Entry { chip } => chip,
            Wanted::Dma(_) | Wanted::Firmware => None,
        };
        let Some((channel, way)) = chip else {
            return self.wait_for_rest(wanted, start, end);
        };
        let at_chip = |slice: &Slice| match (slice.track, slice.detail) {
            (Track::Way { channel: c, way: w }, _) => (c, w) == (channel, way),
            (Track::Bus { channel: c }, Detail::Flash { way: w, .. }) => (c, w) == (channel, way),
            _ => false,
        };
        // The chip's own work hides what the bus does for it.
        let is_other = |nth: &usize| {
            let slice = &self.slices[*nth];
            let TimeSpan { start: from, end: until } = slice.span;
            at_chip(slice) && slice.command != Some(self.command) && from < end && until > start
        };
        let mut others: Vec<usize> = self.met.iter().copied().filter(is_other).collect();
        let order = |nth: &usize| (self.slices[*nth].span.end, is_way(self.slices[*nth].track));
        others.sort_by_key(|nth| std::cmp::Reverse(order(nth)));
        let mut at = end;
        for nth in others {
            let slice = &self.slices[nth];
            let (from, until) = (slice.span.start.max(start), slice.span.end.min(at));
            if from >= until {
                continue;
            }
            self.wait_for_rest(wanted, until, at);
            let leg = Leg { what: slice.name, waits: true, ..Leg::nowhere(from, until) };
            let (track, behind) = (Some(slice.track), slice.command);
            self.put(Leg { track, behind, slice: Some(nth), ..leg });
            at = from;
        }
        self.wait_for_rest(wanted, start, at);
    }

    /// What it waited for while its chip did nothing: whoever was at work for most of the time.
    fn wait_for_rest(&mut self, wanted: Wanted, start: u64, end: u64) {
        if start >= end {
            return;
        }
        let busy = |is: &dyn Fn(Track) -> bool| {
            let met = self.met.iter().map(|nth| &self.slices[*nth]).filter(|slice| is(slice.track));
            let within = |slice: &Slice| {
                let until = slice.span.end.min(end);
                until.saturating_sub(slice.span.start.max(start))
            };
            2 * met.map(within).sum::<u64>() >= end - start
        };
        let bus = match wanted {
            Wanted::Chip { channel, .. } => Some(Track::Bus { channel }),
            Wanted::Dma(track) => Some(track),
            Wanted::Firmware => None,
            Wanted::Entry { chip } => chip.map(|(channel, _)| Track::Bus { channel }),
        };
        let leg = Leg::nowhere(start, end);
        let leg = match bus.filter(|bus| busy(&|track| track == *bus)) {
            Some(track @ Track::Bus { .. }) => {
                Leg { what: names::READY, track: Some(track), waits: true, ..leg }
            }
            Some(track) => Leg { track: Some(track), waits: true, ..leg },
            None if busy(&|track| matches!(track, Track::Firmware(_))) => {
                Leg { what: names::AT_FIRMWARE, ..leg }
            }
            None if matches!(wanted, Wanted::Entry { .. }) => {
                Leg { what: names::FOR_ENTRY, waits: true, ..leg }
            }
            None => Leg { waits: true, ..leg },
        };
        self.put(leg);
    }
}

#[cfg(test)]
#[path = "path_tests.rs"]
mod tests;
