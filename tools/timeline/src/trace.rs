//! Reads a trace: its tracks and the slices on them.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read};

use foreign::input;
use serde::Deserialize;
use serde_json::error::Category;

use crate::names;

/// Bytes of a file at most: some ten million operations.
const LARGEST_FILE: u64 = 1 << 30;

/// A trace as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Tracks in the order of their process and thread numbers.
    pub(crate) tracks: Vec<TraceTrack>,
    /// Where the critical path of a request goes, by index of the track, and when it comes there in picoseconds.
    pub(crate) path: Vec<(usize, f64)>,
}

/// A thread of the trace with its slices.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TraceTrack {
    pub process: String,
    pub name: String,
    pub slices: Vec<TraceSlice>,
}

/// A slice; times in picoseconds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TraceSlice {
    pub name: String,
    pub start_ps: f64,
    pub length_ps: f64,
    pub command: Option<u64>,
}

/// Why a trace cannot be read. One line each.
#[derive(Debug)]
pub enum TraceError {
    /// It cannot be read, or is too large for a trace.
    File(io::Error),
    /// It is not the JSON of trace events: what and where.
    Syntax(serde_json::Error),
    /// A slice has no time or no length, or one that is no time: its place among the events.
    Slice(usize),
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expected = "a trace that firmament run --timeline writes";
        match self {
            TraceError::File(error) => write!(f, "found {error}, expected {expected}"),
            TraceError::Syntax(error) => {
                let (line, column) = (error.line(), error.column());
                match error.classify() {
                    Category::Io => write!(f, "found {error}, expected {expected}"),
                    Category::Eof => write!(f, "line {line}: found its end, expected {expected}"),
                    Category::Syntax => {
                        write!(
                            f,
                            "line {line}, column {column}: found no JSON, expected {expected}"
                        )
                    }
                    Category::Data => {
                        write!(f, "line {line}: found JSON of something else, expected {expected}")
                    }
                }
            }
            TraceError::Slice(nth) => {
                write!(f, "traceEvents[{nth}]: found no ts and dur of a slice, expected {expected}")
            }
        }
    }
}

impl std::error::Error for TraceError {}

#[derive(Deserialize)]
struct File {
    #[serde(rename = "traceEvents")]
    events: Vec<Event>,
}

#[derive(Deserialize)]
struct Event {
    ph: String,
    #[serde(default)]
    name: String,
    ts: Option<f64>,
    dur: Option<f64>,
    #[serde(default)]
    pid: u64,
    #[serde(default)]
    tid: u64,
    #[serde(default)]
    args: Arguments,
}

#[derive(Default, Deserialize)]
struct Arguments {
    name: Option<String>,
    command: Option<u64>,
}

impl Trace {
    /// Reads a trace.
    ///
    /// # Errors
    /// When it is not the JSON of a trace.
    pub fn read(source: impl Read) -> Result<Self, TraceError> {
        let text = input::bytes_of(source, LARGEST_FILE).map_err(TraceError::File)?;
        let file: File = serde_json::from_slice(&text).map_err(TraceError::Syntax)?;
        let mut processes = BTreeMap::new();
        let mut tracks: BTreeMap<(u64, u64), TraceTrack> = BTreeMap::new();
        let mut path: Vec<((u64, u64), f64)> = Vec::new();
        for (nth, event) in file.events.into_iter().enumerate() {
            let place = (event.pid, event.tid);
            match (&*event.ph, &*event.name) {
                ("M", "process_name") => {
                    processes.insert(event.pid, event.args.name.unwrap_or_default());
                }
                ("M", "thread_name") => {
                    tracks.entry(place).or_default().name = event.args.name.unwrap_or_default();
                }
                ("X", _) => {
                    let slice = event.slice().ok_or(TraceError::Slice(nth))?;
                    tracks.entry(place).or_default().slices.push(slice);
                }
                ("s" | "t" | "f", names::CRITICAL_PATH) => {
                    path.push((place, picoseconds(event.ts).ok_or(TraceError::Slice(nth))?));
                }
                _ => {}
            }
        }
        for ((pid, _), track) in &mut tracks {
            track.process = processes.get(pid).cloned().unwrap_or_default();
        }
        let index = |place| tracks.keys().position(|own| *own == place);
        let path = path.into_iter().filter_map(|(place, at)| Some((index(place)?, at))).collect();
        Ok(Trace { path, tracks: tracks.into_values().collect() })
    }
}

impl Event {
    fn slice(self) -> Option<TraceSlice> {
        let (start_ps, length_ps) = (picoseconds(self.ts)?, picoseconds(self.dur)?);
        Some(TraceSlice { name: self.name, start_ps, length_ps, command: self.args.command })
    }
}

/// Picoseconds of microseconds; none of what is no time.
fn picoseconds(micros: Option<f64>) -> Option<f64> {
    let legal = 0.0..=u64::MAX as f64;
    Some((micros? * 1e6).round()).filter(|time| legal.contains(time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracks_have_their_names_and_slices() {
        let text = r#"{"displayTimeUnit":"ns","traceEvents":[
            {"ph":"M","pid":10,"name":"process_name","args":{"name":"channel 0"}},
            {"ph":"M","pid":10,"tid":2,"name":"thread_name","args":{"name":"way 0"}},
            {"ph":"X","pid":10,"tid":2,"ts":1.000001,"dur":2.5,"name":"tR","args":{"command":7}},
            {"ph":"s","pid":10,"tid":2,"ts":1.000001,"name":"command","id":7}
        ]}"#;
        let trace = Trace::read(text.as_bytes()).unwrap();
        let slices = vec![TraceSlice {
            name: "tR".to_owned(),
            start_ps: 1_000_001.0,
            length_ps: 2_500_000.0,
            command: Some(7),
        }];
        let (process, name) = ("channel 0".to_owned(), "way 0".to_owned());
        assert_eq!(trace.tracks, [TraceTrack { process, name, slices }]);
        assert_eq!(trace.path, []);
    }

    #[test]
    fn what_is_no_trace_is_told_in_a_line() {
        let rows = [
            ("", "found its end, expected a trace"),
            ("hello", "line 1, column 1: found no JSON, expected a trace"),
            ("{}", "line 1: found JSON of something else"),
            (r#"{"traceEvents":[{"ph":1}]}"#, "line 1: found JSON of something else"),
            (r#"{"traceEvents":[{"ph":"X","ts":1}]}"#, "traceEvents[0]: found no ts and dur"),
            (r#"{"traceEvents":[{"ph":"X","ts":-1,"dur":1}]}"#, "traceEvents[0]"),
            (r#"{"traceEvents":[{"ph":"X","ts":1,"dur":1e305}]}"#, "traceEvents[0]"),
        ];
        for (text, part) in rows {
            let line = Trace::read(text.as_bytes()).unwrap_err().to_string();
            assert!(line.contains(part) && !line.contains('\n'), "{text}: {line}");
        }
    }

    /// Traces with wrong bytes anywhere: each is a trace, or a line that tells why it is none.
    #[test]
    fn a_thousand_damaged_traces_are_told_in_a_line_or_read() {
        let slice = |nth: u64| {
            format!(
                r#"{{"ph":"X","pid":10,"tid":{},"ts":{nth}.000001,"dur":2.5,"name":"tR","args":{{"command":{nth}}}}}"#,
                nth % 3
            )
        };
        let names = r#"{"ph":"M","pid":10,"name":"process_name","args":{"name":"channel 0"}}"#;
        let slices: Vec<String> = (0..20).map(slice).collect();
        let whole = format!(r#"{{"traceEvents":[{names},{}]}}"#, slices.join(",")).into_bytes();
        assert!(Trace::read(&whole[..]).is_ok());
        let mut state = 20_261_128;
        let mut below = |end: usize| (random::next(&mut state) % end as u64) as usize;
        let (mut refused, mut read) = (0, 0);
        for case in 0..1_000 {
            let mut bytes = whole.clone();
            for _ in 0..1 + below(3) {
                if bytes.is_empty() {
                    break;
                }
                let at = below(bytes.len());
                match below(5) {
                    0 => bytes[at] ^= 1 << below(8),
                    1 => bytes[at] = b"0123456789eE-."[below(14)],
                    2 => bytes.truncate(at.max(1)),
                    3 => drop(bytes.splice(at..at, [b"[{\"9\x1b\n"[below(6)]; 200])),
                    _ => drop(bytes.drain(at..bytes.len().min(at + 40))),
                }
            }
            match Trace::read(&bytes[..]) {
                Ok(trace) => {
                    let slices: usize = trace.tracks.iter().map(|track| track.slices.len()).sum();
                    assert!(slices <= 20, "case {case}");
                    read += 1;
                }
                Err(error) => {
                    let line = error.to_string();
                    assert!(
                        !line.contains(['\n', '\x1b']) && line.len() < 400,
                        "case {case}: {line}"
                    );
                    refused += 1;
                }
            }
        }
        assert!(refused > 500 && read > 50, "{refused} {read}");
    }
}
