//! The trace event format that Chrome and Perfetto open, as JSON.
//!
//! Times are microseconds with six digits behind the point: the picosecond is kept. A track is a
//! thread of a process; `X` is a slice, `b` and `e` the ends of a command, `s`, `t` and `f` the
//! arrows along its steps. System calls of a host's programs have a track each program, and arrows of another name to the
//! commands that they waited for. A request that is marked has a track of its own, with what it did and waited for, and arrows of
//! another name.

use std::io::{self, Write};

use contract::{DmaDirection, Module};

use crate::call_rows::CallArrow;
use crate::calls::RowedCall;
use crate::leg::{Leg, Path};
use crate::names;
use crate::recorder::{Command, Detail, Recorder, Slice, Step};
use crate::track::Track;

/// Processes of the trace. Channels are numbered from the last on.
const COMMANDS: u32 = 1;
const HOST_DMA: u32 = 2;
const FIRMWARE: u32 = 3;
const CRITICAL: u32 = 4;
const PROGRAMS: u32 = 5;
const CHANNELS: u32 = 10;

/// Process and thread of a track.
fn place(track: Track) -> (u32, u32) {
    match track {
        Track::Dma(DmaDirection::FromHost) => (HOST_DMA, 1),
        Track::Dma(DmaDirection::ToHost) => (HOST_DMA, 2),
        Track::Firmware(module) => (FIRMWARE, module as u32 + 1),
        Track::Bus { channel } => (CHANNELS + u32::from(channel), 1),
        Track::Way { channel, way } => (CHANNELS + u32::from(channel), u32::from(way) + 2),
    }
}

/// Microseconds of picoseconds since `origin`.
struct Micros(u64);

impl std::fmt::Display for Micros {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}

/// An event of the trace. Those of the same time stand in this order: an arrow binds to the slice
/// that began last.
#[derive(Clone, Copy)]
enum Event<'a> {
    Slice(&'a Slice),
    Begin(&'a Command),
    Arrow(&'a Step, Position),
    Leg(&'a Leg),
    PathArrow(Station, Position),
    Call(&'a RowedCall),
    CallArrow(CallArrow, Position),
    End(&'a Command),
}

/// Where a step stands among those of its command.
#[derive(Clone, Copy)]
enum Position {
    First,
    Between,
    Last,
}

impl Position {
    /// The letter of its event, and what ties the last one to the slice around it.
    fn phase(self) -> (&'static str, &'static str) {
        match self {
            Position::First => ("s", ""),
            Position::Between => ("t", ""),
            Position::Last => ("f", ",\"bp\":\"e\""),
        }
    }
}

impl Event<'_> {
    fn order(&self) -> (u64, u8) {
        match self {
            Event::Slice(slice) => (slice.span.start, 0),
            Event::Leg(leg) => (leg.span.start, 0),
            Event::Call(rowed) => (rowed.call.span.start, 0),
            Event::CallArrow(arrow, Position::First) => (arrow.from, 2),
            Event::CallArrow(arrow, _) => (arrow.to.at, 2),
            Event::PathArrow(station, _) => (station.at, 2),
            Event::Begin(command) => (command.span.start, 1),
            Event::Arrow(step, _) => (step.at, 2),
            Event::End(command) => (command.span.end, 3),
        }
    }
}

/// Points that arrows join, each with its place among them; none of a single one, as an arrow needs two ends.
fn positions<T>(points: &[T]) -> impl Iterator<Item = (&T, Position)> {
    let last = points.len().saturating_sub(1);
    let position = move |(nth, point)| match nth {
        0 => (point, Position::First),
        _ if nth == last => (point, Position::Last),
        _ => (point, Position::Between),
    };
    points.iter().filter(move |_| last > 0).enumerate().map(position)
}

/// A track that the path comes to, and when.
#[derive(Clone, Copy)]
struct Station {
    at: u64,
    track: Track,
}

impl Path {
    /// Where the path goes, and when it comes there: from the host through the firmware to bus and chip, and back.
    fn stations(&self) -> Vec<Station> {
        let manager = Track::Firmware(Module::NvmeManager);
        let mut stations = Vec::new();
        for leg in &self.legs {
            match leg.track {
                Some(track) => stations.push(Station { at: leg.span.start, track }),
                // The firmware takes the command, and hands its completion over.
                None if leg.what == names::AT_HOST && stations.is_empty() => {
                    stations.push(Station { at: leg.span.end, track: manager });
                }
                None if leg.what == names::AT_HOST => {
                    stations.push(Station { at: leg.span.start, track: manager });
                }
                None => {}
            }
        }
        stations
    }
}

impl Recorder {
    /// Writes the trace.
    ///
    /// # Errors
    /// The errors of `out`.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
        self.write_tracks(out)?;
        for event in self.events() {
            writeln!(out, ",")?;
            match event {
                Event::Slice(slice) => self.write_slice(slice, out)?,
                Event::Begin(command) => self.write_begin(command, out)?,
                Event::Arrow(step, position) => self.write_arrow(step, position, out)?,
                Event::End(command) => self.write_end(command, out)?,
                Event::Leg(leg) => self.write_leg(leg, out)?,
                Event::PathArrow(arrow, position) => self.write_path_arrow(arrow, position, out)?,
                Event::Call(rowed) => self.write_call(rowed, out)?,
                Event::CallArrow(arrow, position) => self.write_call_arrow(arrow, position, out)?,
            }
        }
        writeln!(out, "\n]}}")
    }

    /// All events in the order of their times.
    fn events(&self) -> Vec<Event<'_>> {
        let recorded = |at: u64| at < self.until;
        let mut events: Vec<Event<'_>> = self.recorded().map(Event::Slice).collect();
        for command in self.commands.iter().filter(|command| recorded(command.span.start)) {
            events.extend([Event::Begin(command), Event::End(command)]);
        }
        let mut steps: Vec<&Step> = self.steps.iter().filter(|step| recorded(step.at)).collect();
        steps.sort_by_key(|step| (step.command, step.at));
        for steps in steps.chunk_by(|a, b| a.command == b.command) {
            events.extend(positions(steps).map(|(step, position)| Event::Arrow(step, position)));
        }
        if let Some(path) = &self.path {
            events.extend(path.legs.iter().map(Event::Leg));
            let stations = path.stations();
            events.extend(positions(&stations).map(|(at, nth)| Event::PathArrow(*at, nth)));
        }
        events.extend(self.calls.iter().map(Event::Call));
        for arrow in self.call_arrows() {
            events
                .extend([Position::First, Position::Last].map(|end| Event::CallArrow(arrow, end)));
        }
        events.sort_by_key(Event::order);
        events
    }

    fn micros(&self, at: u64) -> Micros {
        Micros(at - self.origin)
    }

    /// Names of processes and threads, all of which are there, used or not.
    fn write_tracks(&self, out: &mut impl Write) -> io::Result<()> {
        write_process(COMMANDS, "commands", out)?;
        writeln!(out, ",")?;
        if let Some(path) = &self.path {
            write_process(CRITICAL, names::CRITICAL_PATH, out)?;
            write_thread_at((CRITICAL, 1), &path.name, out)?;
            writeln!(out, ",")?;
        }
        if !self.calls.is_empty() {
            write_process(PROGRAMS, names::PROGRAMS, out)?;
            for (row, name) in self.call_rows() {
                write_thread_at((PROGRAMS, row), &name, out)?;
            }
            writeln!(out, ",")?;
        }
        write_process(HOST_DMA, names::HOST_DMA, out)?;
        for direction in [DmaDirection::FromHost, DmaDirection::ToHost] {
            write_thread(Track::Dma(direction), names::of_dma(direction), out)?;
        }
        writeln!(out, ",")?;
        write_process(FIRMWARE, "firmware", out)?;
        for module in Module::ALL {
            write_thread(Track::Firmware(module), module.name(), out)?;
        }
        for channel in 0..self.channels {
            writeln!(out, ",")?;
            write_process(CHANNELS + channel, &format!("{} {channel}", names::CHANNEL), out)?;
            let channel = channel as u8;
            write_thread(Track::Bus { channel }, "bus", out)?;
            for way in 0..self.ways {
                let track = Track::Way { channel, way: way as u8 };
                write_thread(track, &format!("way {way}"), out)?;
            }
        }
        Ok(())
    }

    fn write_slice(&self, slice: &Slice, out: &mut impl Write) -> io::Result<()> {
        let (pid, tid) = place(slice.track);
        let (ts, dur) = (self.micros(slice.span.start), Micros(slice.span.end - slice.span.start));
        write!(
            out,
            "{{\"ph\":\"X\",\"pid\":{pid},\"tid\":{tid},\"ts\":{ts},\"dur\":{dur},\"name\":\"{}\"",
            slice.name
        )?;
        match slice.detail {
            Detail::None => {}
            Detail::Flash { way, row } => write!(out, ",\"args\":{{\"way\":{way},\"row\":{row}")?,
            Detail::Bytes(bytes) => write!(out, ",\"args\":{{\"bytes\":{bytes}")?,
        }
        if let Some(command) = slice.command {
            write!(out, ",\"command\":{command}")?;
        }
        if slice.critical && !matches!(slice.detail, Detail::None) {
            write!(out, ",\"critical\":true")?;
        }
        out.write_all(if matches!(slice.detail, Detail::None) { b"}" } else { b"}}" })
    }

    fn write_begin(&self, command: &Command, out: &mut impl Write) -> io::Result<()> {
        let Command { number, tag, queue, bytes, .. } = command;
        write_end_of("b", command, self.micros(command.span.start), out)?;
        write!(out, ",\"args\":{{\"command\":{number},\"tag\":{},\"queue\":{queue}", tag.0)?;
        if let Some(entry) = &command.entry {
            let opcode = entry.opcode();
            write!(out, ",\"cid\":{},\"opcode\":{opcode}", entry.cid())?;
            if names::has_range(*queue, opcode) {
                // NLB is one less than the number of blocks (NVMe 1.4 section 6).
                let blocks = (entry.dword(12) & 0xffff) + 1;
                write!(out, ",\"lba\":{},\"blocks\":{blocks}", entry.wide(10))?;
            }
        }
        write!(out, ",\"bytes\":{bytes}}}}}")
    }

    fn write_end(&self, command: &Command, out: &mut impl Write) -> io::Result<()> {
        write_end_of("e", command, self.micros(command.span.end), out)?;
        write!(out, "}}")
    }

    fn write_leg(&self, leg: &Leg, out: &mut impl Write) -> io::Result<()> {
        let (ts, dur) = (self.micros(leg.span.start), Micros(leg.span.end - leg.span.start));
        let (name, waits) = (leg.name(), leg.waits);
        write!(
            out,
            "{{\"ph\":\"X\",\"pid\":{CRITICAL},\"tid\":1,\"ts\":{ts},\"dur\":{dur},\
             \"name\":\"{name}\",\"args\":{{\"waits\":{waits}"
        )?;
        match leg.track {
            Some(Track::Bus { channel }) => write!(out, ",\"channel\":{channel}")?,
            Some(Track::Way { channel, way }) => {
                write!(out, ",\"channel\":{channel},\"way\":{way}")?;
            }
            _ => {}
        }
        if let Some(command) = leg.behind {
            write!(out, ",\"command\":{command}")?;
        }
        write!(out, "}}}}")
    }

    /// An arrow of the path: its name tells it from those of all commands.
    fn write_path_arrow(
        &self,
        station: Station,
        position: Position,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let (pid, tid) = place(station.track);
        let (ts, (phase, binding), name) =
            (self.micros(station.at), position.phase(), names::CRITICAL_PATH);
        write!(
            out,
            "{{\"ph\":\"{phase}\",\"cat\":\"{name}\",\"id\":1,\"pid\":{pid},\"tid\":{tid},\
             \"ts\":{ts},\"name\":\"{name}\"{binding}}}"
        )
    }

    /// A system call; its names are a guest's.
    fn write_call(&self, rowed: &RowedCall, out: &mut impl Write) -> io::Result<()> {
        let RowedCall { row, call } = rowed;
        let ts = self.micros(call.span.start);
        let dur = Micros(call.span.end - call.span.start);
        let [name, file] = [&call.call, &call.file].map(|text| quoted(text));
        let commands = call.posted_ps.len();
        write!(
            out,
            "{{\"ph\":\"X\",\"pid\":{PROGRAMS},\"tid\":{row},\"ts\":{ts},\"dur\":{dur},\"name\":{name},\
             \"args\":{{\"file\":{file},\"commands\":{commands}}}}}"
        )
    }

    fn write_call_arrow(
        &self,
        arrow: CallArrow,
        position: Position,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let CallArrow { id, row, from, to } = arrow;
        let (at, (pid, tid)) = match position {
            Position::First => (from, (PROGRAMS, row)),
            _ => (to.at, place(to.track)),
        };
        let (ts, (phase, binding), name) = (self.micros(at), position.phase(), names::CALL);
        write!(
            out,
            "{{\"ph\":\"{phase}\",\"cat\":\"{name}\",\"id\":{id},\"pid\":{pid},\"tid\":{tid},\
             \"ts\":{ts},\"name\":\"{name}\"{binding}}}"
        )
    }

    fn write_arrow(&self, step: &Step, position: Position, out: &mut impl Write) -> io::Result<()> {
        let (pid, tid) = place(step.track);
        let (ts, id) = (self.micros(step.at), step.command);
        let (phase, binding) = position.phase();
        write!(
            out,
            "{{\"ph\":\"{phase}\",\"cat\":\"flow\",\"id\":{id},\"pid\":{pid},\"tid\":{tid},\
             \"ts\":{ts},\"name\":\"command\"{binding}}}"
        )
    }
}

/// All that both ends of a command have, without the closing brace.
fn write_end_of(
    phase: &str,
    command: &Command,
    ts: Micros,
    out: &mut impl Write,
) -> io::Result<()> {
    let Command { number, queue, entry, .. } = command;
    let name = entry.as_ref().map_or("command", |e| names::of_command(*queue, e.opcode()));
    write!(
        out,
        "{{\"ph\":\"{phase}\",\"cat\":\"command\",\"id\":{number},\"pid\":{COMMANDS},\"tid\":1,\
         \"ts\":{ts},\"name\":\"{name}\""
    )
}

/// A text as JSON has it.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Name and rank of a process.
fn write_process(pid: u32, name: &str, out: &mut impl Write) -> io::Result<()> {
    write!(
        out,
        "{{\"ph\":\"M\",\"pid\":{pid},\"name\":\"process_name\",\"args\":{{\"name\":\"{name}\"}}}},\n\
         {{\"ph\":\"M\",\"pid\":{pid},\"name\":\"process_sort_index\",\
         \"args\":{{\"sort_index\":{pid}}}}}"
    )
}

/// Name and rank of a thread, behind a comma.
fn write_thread(track: Track, name: &str, out: &mut impl Write) -> io::Result<()> {
    write_thread_at(place(track), name, out)
}

fn write_thread_at(place: (u32, u32), name: &str, out: &mut impl Write) -> io::Result<()> {
    let ((pid, tid), name) = (place, quoted(name));
    write!(
        out,
        ",\n{{\"ph\":\"M\",\"pid\":{pid},\"tid\":{tid},\"name\":\"thread_name\",\
         \"args\":{{\"name\":{name}}}}},\n\
         {{\"ph\":\"M\",\"pid\":{pid},\"tid\":{tid},\"name\":\"thread_sort_index\",\
         \"args\":{{\"sort_index\":{tid}}}}}"
    )
}
