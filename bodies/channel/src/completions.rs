//! Completions on their way to the reorder buffer.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::reorder::{Completion, Slot};

/// Most completions under way: pages in the decoder, and one of the scheduler.
const MOST: usize = 16;

/// Where a completion comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Source {
    /// A step that ended on the bus, or a request that ended without one.
    Step,
    /// A page that the buffer has.
    Page,
}

/// A request that has ended.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
pub struct Ended {
    /// The cycle in which its completion may be taken.
    pub at: u64,
    pub source: Source,
    pub slot: Slot,
    pub completion: Completion,
}

/// Those that are to come, the first one last.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Completions {
    entries: Vec<Ended>,
}

impl Completions {
    pub fn new() -> Self {
        Self { entries: Vec::with_capacity(MOST) }
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// When the first one comes, and from where.
    pub fn first(&self) -> Option<(u64, Source)> {
        self.entries.last().map(|ended| (ended.at, ended.source))
    }

    /// Takes the first one out.
    pub fn pop(&mut self) -> Ended {
        self.entries.pop().expect("a completion is there")
    }

    pub fn insert(&mut self, ended: Ended) {
        let place = self.entries.partition_point(|other| other.at > ended.at);
        self.entries.insert(place, ended);
    }
}
