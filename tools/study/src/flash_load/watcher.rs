//! Who watches a load, and a watcher that tells an observer of drives.

use channel::{BusStep, NOBODY};
use contract::{CommandTag, FlashOperation, Instant};
use machine::{CommandStep, FlashPhase, Observer, TimeSpan};

/// Somebody who is told what the channels of a load do. Closures are told of turns on a bus.
pub trait Watcher {
    /// A request is forwarded. Its ticket is free for another once it is answered.
    fn forwarded(&mut self, ticket: u32, at: Instant) {
        let _ = (ticket, at);
    }

    /// A bus is taken.
    fn step(&mut self, channel: u8, step: BusStep) {
        let _ = (channel, step);
    }

    /// A chip works on a request by itself.
    fn chip(&mut self, channel: u8, work: ChipWork) {
        let _ = (channel, work);
    }

    /// A request is answered.
    fn answered(&mut self, ticket: u32, at: Instant) {
        let _ = (ticket, at);
    }
}

impl<F: FnMut(u8, BusStep)> Watcher for F {
    fn step(&mut self, channel: u8, step: BusStep) {
        self(channel, step);
    }
}

/// What a chip does by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChipWork {
    /// The phase that it follows: read trigger, program or erase.
    pub operation: FlashOperation,
    /// Way of the channel, from 0.
    pub way: u8,
    /// The row, as the chip counts.
    pub row: u32,
    /// The request.
    pub ticket: u32,
    /// From when on, and until when.
    pub span: TimeSpan,
}

/// Tells an observer of drives of a load: requests are commands of the first I/O queue, with their tickets as tags.
pub struct Observed<'a, O> {
    observer: &'a mut O,
    forwarded: u32,
    /// When the last work of each chip ends, by channel and way.
    ready: Vec<Vec<u64>>,
}

/// The queue that requests seem to come from.
const QUEUE: u16 = 1;

impl<'a, O: Observer> Observed<'a, O> {
    /// Tells `observer`; the load begins with power-on.
    pub fn new(observer: &'a mut O) -> Self {
        observer.jobs_begin(0);
        Observed { observer, forwarded: 0, ready: Vec::new() }
    }

    fn ready(&mut self, channel: u8, way: u8) -> &mut u64 {
        let (channel, way) = (usize::from(channel), usize::from(way));
        if self.ready.len() <= channel {
            self.ready.resize(channel + 1, Vec::new());
        }
        let ways = &mut self.ready[channel];
        if ways.len() <= way {
            ways.resize(way + 1, 0);
        }
        &mut ways[way]
    }
}

fn tag(ticket: u32) -> CommandTag {
    CommandTag(ticket as u16)
}

impl<O: Observer> Watcher for Observed<'_, O> {
    fn forwarded(&mut self, ticket: u32, at: Instant) {
        self.forwarded += 1;
        let (now, head) = (at.as_ps(), self.forwarded);
        self.observer.command(now, CommandStep::Rung { queue: QUEUE, tail: head });
        let fetched = CommandStep::Fetched { tag: tag(ticket), queue: QUEUE, head };
        self.observer.command(now, fetched);
    }

    fn step(&mut self, channel: u8, step: BusStep) {
        let BusStep { way, row, ticket, .. } = step;
        let Some(operation) = sim::controller::phase(step.operation) else { return };
        let (start, end) = (step.at.as_ps(), step.over.as_ps());
        let ready = *self.ready(channel, way);
        let phase = |start, end| {
            let command = (ticket != NOBODY).then(|| tag(ticket));
            let span = TimeSpan { start, end };
            FlashPhase { operation, channel, way, row, command, span }
        };
        if operation == FlashOperation::ReadTransfer && ready < start {
            self.observer.ready(phase(ready, start));
        }
        self.observer.bus(phase(start, end));
    }

    fn chip(&mut self, channel: u8, work: ChipWork) {
        let ChipWork { operation, way, row, ticket, span } = work;
        *self.ready(channel, way) = span.end;
        let command = Some(tag(ticket));
        self.observer.chip(FlashPhase { operation, channel, way, row, command, span });
    }

    fn answered(&mut self, ticket: u32, at: Instant) {
        self.observer.command(at.as_ps(), CommandStep::Posted(tag(ticket)));
    }
}
