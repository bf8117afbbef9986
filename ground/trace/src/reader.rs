//! Reads a trace, one record after another.

use std::io::Read;

use crate::clock::Clock;
use crate::fault::{Faults, Wrong};
use crate::format::Format;
use crate::order::Within;
use crate::ordered::Ordered;
use crate::record::{Raw, Record, UNKNOWN};
use crate::source::{Source, Taker};
use crate::unit::TimeUnit;
use crate::volumes::Volumes;

/// A trace that is being read.
#[derive(Debug)]
pub struct Reader {
    streams: Streams,
    clock: Clock,
    volumes: Volumes,
    records: u64,
    /// What could not be read of several streams together.
    faults: Faults,
}

/// Where requests come from.
#[derive(Debug)]
enum Streams {
    /// One stream, in the order of arrival.
    One(Box<Source>),
    /// All others.
    Ordered(Box<Ordered>),
}

/// Makes records of requests.
struct Placer<'a> {
    clock: &'a mut Clock,
    volumes: &'a mut Volumes,
}

impl Taker for Placer<'_> {
    type Taken = Record;

    #[inline]
    fn take<'a>(&mut self, raw: &Raw, volume: &'a [u8]) -> Result<Option<Record>, Wrong<'a>> {
        match self.volumes.chosen(volume)? {
            Some(number) => place(raw, number, self.clock).map(Some),
            None => Ok(None),
        }
    }
}

impl Reader {
    /// Reads what comes out of `input`.
    pub fn new(input: Box<dyn Read>, format: Format) -> Self {
        Reader::of(vec![Source::new(input, format)], format)
    }

    /// Reads several streams of a format, in the order of time.
    pub(crate) fn of(mut sources: Vec<Source>, format: Format) -> Self {
        let within = format.within();
        let streams = match (sources.len(), within) {
            (1, Within::Arrival) => Streams::One(Box::new(sources.remove(0))),
            _ => Streams::Ordered(Box::new(Ordered::new(sources, within))),
        };
        Reader {
            streams,
            clock: Clock::new(format, None),
            volumes: Volumes::default(),
            records: 0,
            faults: Faults::default(),
        }
    }

    /// The same, with times of this unit, and of these volumes alone.
    pub(crate) fn choosing(
        self,
        format: Format,
        unit: Option<TimeUnit>,
        volumes: &[String],
    ) -> Self {
        let clock = Clock::new(format, unit);
        Reader { clock, volumes: Volumes::choosing(format, volumes), ..self }
    }

    /// The next record; none at the end. What cannot be read is passed over and counted.
    #[inline]
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Option<Record> {
        let Reader { streams, clock, volumes, .. } = self;
        let record = match streams {
            Streams::One(source) => source.next(&mut Placer { clock, volumes }),
            Streams::Ordered(_) => self.next_ordered(),
        };
        self.records += u64::from(record.is_some());
        record
    }

    fn next_ordered(&mut self) -> Option<Record> {
        let Reader { streams: Streams::Ordered(ordered), clock, volumes, faults, .. } = self else {
            return None;
        };
        loop {
            let next = ordered.next(volumes);
            let record = next.map(|(raw, volume)| place(&raw, volume, clock));
            match record {
                Some(Ok(record)) => return Some(record),
                Some(Err(wrong)) => faults.note(0, &wrong),
                None => return None,
            }
        }
    }

    fn sources(&self) -> &[Source] {
        match &self.streams {
            Streams::One(source) => std::slice::from_ref(source),
            Streams::Ordered(ordered) => &ordered.sources,
        }
    }

    /// Records so far.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Records so far that were read of each file or member, with those that could not be.
    pub fn parts(&self) -> Vec<(u64, u64)> {
        self.sources().iter().map(|source| (source.records, source.faults().count)).collect()
    }

    /// Lines or binary records so far.
    pub fn lines(&self) -> u64 {
        self.sources().iter().map(Source::lines).sum()
    }

    /// Whether all could be read so far.
    #[inline]
    pub(crate) fn is_good(&self) -> bool {
        match &self.streams {
            Streams::One(source) => source.faults().is_empty(),
            Streams::Ordered(_) => self.faults().is_empty(),
        }
    }

    /// What could not be read so far.
    pub fn faults(&self) -> Faults {
        let all = self.sources().iter().map(Source::named_faults);
        all.fold(self.faults.clone(), Faults::with)
    }

    /// The volumes so far.
    pub fn volumes(&self) -> &Volumes {
        &self.volumes
    }

    /// How many times were earlier than one before them, and by how many nanoseconds at most.
    pub fn back(&self) -> (u64, u64) {
        self.clock.back()
    }

    /// Whether the trace says when requests came. fio's version 2 need not.
    pub fn has_times(&self) -> bool {
        self.sources().iter().all(Source::has_times)
    }
}

/// Puts a request into time.
#[inline]
fn place<'a>(raw: &Raw, volume: u32, clock: &mut Clock) -> Result<Record, Wrong<'a>> {
    let Some(time_ns) = clock.read(raw.ticks) else {
        return Err(Wrong::new(
            "time",
            b"one that is too late",
            "one within 106 days of the first",
        ));
    };
    let Raw { response_ns, kind, offset, length, .. } = *raw;
    let response_ns = match response_ns {
        UNKNOWN => UNKNOWN,
        known => clock.response_ns(known),
    };
    Ok(Record { time_ns, response_ns, volume, kind, offset, length })
}
