//! Responses in the order of their requests, for each stream by itself (Ozone 4.1).
//!
//! A drive has one of these for all its channels: a stream may have requests on any of them. The
//! channels reserve and complete places, the drive takes the responses.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::packet::{Interrupt, Outcome, Response};
use contract::Instant;

/// A place in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Slot {
    stream: u8,
    index: u16,
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Completion {
    /// What is answered; whether its interrupt is pending is the buffer's to say.
    pub response: Response,
    /// Who asked for an interrupt.
    pub interrupt: Interrupt,
    /// When it ended.
    pub at: Instant,
    /// The channel that ran it.
    pub channel: u8,
    /// Any number, as it was given.
    pub ticket: u32,
}

/// Places of all streams.
///
/// Contract: a place is reserved in the order of requests, and completed once, in any order. Responses
/// of a stream leave in the order of its reservations; streams do not wait for each other.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct ReorderBuffer {
    depth: u16,
    streams: Vec<Stream>,
    /// Places of stream `s` begin at `s * depth`.
    places: Vec<Option<Completion>>,
    /// Responses that may leave.
    due: usize,
    next_stream: usize,
}

/// Counts since the start; places are these modulo the depth.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
struct Stream {
    head: u64,
    tail: u64,
}

impl ReorderBuffer {
    /// `streams` streams of which each may have `depth` requests under way.
    pub fn new(streams: u8, depth: u16) -> Self {
        Self {
            depth,
            streams: vec![Stream::default(); usize::from(streams)],
            places: vec![None; usize::from(streams) * usize::from(depth)],
            due: 0,
            next_stream: 0,
        }
    }

    /// Whether a stream has room for a request.
    pub fn has_room(&self, stream: u8) -> bool {
        let Stream { head, tail } = self.streams[usize::from(stream)];
        tail - head < u64::from(self.depth)
    }

    /// The next place of a stream, if it has room.
    pub fn reserve(&mut self, stream: u8) -> Option<Slot> {
        if !self.has_room(stream) {
            return None;
        }
        let tail = &mut self.streams[usize::from(stream)].tail;
        let index = (*tail % u64::from(self.depth)) as u16;
        *tail += 1;
        Some(Slot { stream, index })
    }

    /// The request of a place has ended.
    ///
    /// # Panics
    /// If it had ended before.
    pub fn complete(&mut self, slot: Slot, completion: Completion) {
        let place = self.place(slot.stream, slot.index);
        let before = self.places[place].replace(completion);
        assert!(before.is_none(), "place {slot:?}: completed twice");
        let Stream { head, .. } = self.streams[usize::from(slot.stream)];
        if head % u64::from(self.depth) == u64::from(slot.index) {
            self.due += 1;
        }
    }

    /// A response that may leave, if there is one. Streams take turns.
    pub fn pop(&mut self) -> Option<Completion> {
        if self.due == 0 {
            return None;
        }
        let count = self.streams.len();
        let mut order = (0..count).map(|at| (self.next_stream + at) % count);
        let stream = order.find(|stream| self.head(*stream).is_some())?;
        self.next_stream = (stream + 1) % count;
        self.pop_of(stream as u8)
    }

    /// When the request completed whose response is the next one of a stream, if it did.
    pub fn due_since(&self, stream: u8) -> Option<Instant> {
        self.head(stream.into()).map(|completion| completion.at)
    }

    /// The next response of a stream, if it may leave.
    pub fn pop_of(&mut self, stream: u8) -> Option<Completion> {
        let stream = usize::from(stream);
        let place = self.head_place(stream);
        let mut completion = self.places[place].take()?;
        self.streams[stream].head += 1;
        self.due -= 1;
        self.due += usize::from(self.head(stream).is_some());
        completion.response.interrupt_pending = match completion.interrupt {
            Interrupt::Never => false,
            Interrupt::Always => true,
            Interrupt::OnError => completion.response.outcome != Outcome::Success,
        };
        Some(completion)
    }

    /// Whether a response may leave.
    pub fn is_due(&self) -> bool {
        self.due > 0
    }

    fn head(&self, stream: usize) -> Option<&Completion> {
        self.places[self.head_place(stream)].as_ref()
    }

    fn head_place(&self, stream: usize) -> usize {
        let head = self.streams[stream].head % u64::from(self.depth);
        self.place(stream as u8, head as u16)
    }

    fn place(&self, stream: u8, index: u16) -> usize {
        usize::from(stream) * usize::from(self.depth) + usize::from(index)
    }
}
