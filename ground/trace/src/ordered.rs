//! Requests of several streams, or of one whose lines are not in the order of arrival, by their times.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::fault::Wrong;
use crate::order::Within;
use crate::record::Raw;
use crate::source::{Source, Taker};
use crate::volumes::Volumes;

/// Requests of a stream that wait where its lines stand in the order of completion: a request may stand so many lines
/// behind its place.
const WINDOW: usize = 1024;

/// Streams that are merged by time. Of each stream as many requests wait as it may be out of order; the earliest of all
/// comes next.
#[derive(Debug)]
pub(crate) struct Ordered {
    pub(crate) sources: Vec<Source>,
    waiting: BinaryHeap<Reverse<Waiting>>,
    /// Requests that each stream has waiting, until it ends.
    ahead: usize,
    has_begun: bool,
    /// Requests that were read.
    sequence: u64,
}

/// A request that waits: its time first, then its stream, then when it was read.
#[derive(Debug)]
struct Waiting {
    key: (u64, usize, u64),
    raw: Raw,
    volume: u32,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key.cmp(&other.key)
    }
}

/// Takes what can be ordered.
struct Holder<'a> {
    volumes: &'a mut Volumes,
}

impl Taker for Holder<'_> {
    type Taken = (Raw, u32);

    #[inline]
    fn take<'a>(&mut self, raw: &Raw, volume: &'a [u8]) -> Result<Option<(Raw, u32)>, Wrong<'a>> {
        Ok(self.volumes.chosen(volume)?.map(|number| (*raw, number)))
    }
}

impl Ordered {
    pub(crate) fn new(sources: Vec<Source>, within: Within) -> Self {
        let ahead = match within {
            Within::Arrival => 1,
            Within::Completion => WINDOW,
        };
        Ordered { sources, waiting: BinaryHeap::new(), ahead, has_begun: false, sequence: 0 }
    }

    /// The next request in the order of time; none at the end.
    pub(crate) fn next(&mut self, volumes: &mut Volumes) -> Option<(Raw, u32)> {
        if !self.has_begun {
            self.has_begun = true;
            for nth in 0..self.sources.len() {
                (0..self.ahead).for_each(|_| self.read(nth, volumes));
            }
        }
        let Reverse(Waiting { key: (_, nth, _), raw, volume }) = self.waiting.pop()?;
        self.read(nth, volumes);
        Some((raw, volume))
    }

    /// Lets the next request of a stream wait, if there is one.
    fn read(&mut self, nth: usize, volumes: &mut Volumes) {
        if let Some((raw, volume)) = self.sources[nth].next(&mut Holder { volumes }) {
            self.sequence += 1;
            let key = (raw.ticks, nth, self.sequence);
            self.waiting.push(Reverse(Waiting { key, raw, volume }));
        }
    }
}
