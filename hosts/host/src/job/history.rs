//! The writes of a job that are still to be read back, or trimmed, as a list.
//!
//! A job that reads back each pass at its end walks its own sequence again and keeps no list. One with
//! `verify_backlog` or `trim_backlog` goes back between its writes, one without a random map reads each
//! place once in rising order, and one on several files has several sequences: these keep a list, as fio does.

use std::collections::{BTreeMap, VecDeque};

use super::direction::Direction;
use super::extent::Extent;
use super::random::Prng;

/// How a job goes back to what it wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoingBack {
    /// In which order writes are read back.
    pub order: BackOrder,
    /// Writes after which the job reads back (`verify_backlog`).
    pub verify: Option<Backlog>,
    /// Writes that are trimmed again, and when (`trim_percentage`, `trim_backlog`).
    pub trim: Option<TrimmedBack>,
}

/// The order in which writes are read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackOrder {
    /// That of the writes.
    Written,
    /// By offset, and so file by file; a write takes the place of those that it overlaps.
    Rising,
}

/// When a job goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backlog {
    /// Whenever so many writes are listed, or a multiple of it; at least 1.
    pub writes: u64,
    /// Requests that it then makes; at least 1.
    pub batch: u64,
}

/// Which writes are trimmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrimmedBack {
    /// Of a hundred writes.
    pub percent: u8,
    /// When.
    pub backlog: Backlog,
    /// Whether they are read back all the same.
    pub after: AfterTrim,
}

/// What becomes of a write that was trimmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterTrim {
    /// It is not read back.
    Forgotten,
    /// It is (`trim_verify_zero`).
    ReadBack,
}

/// What is said of going back.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BackSettings {
    pub(super) verify_writes: u64,
    pub(super) verify_batch: u64,
    pub(super) trim_percent: u8,
    pub(super) trim_writes: u64,
    pub(super) trim_batch: u64,
    pub(super) trim_verify: bool,
}

impl BackSettings {
    /// How a job that verifies goes back; `order` is the one that it has without the settings.
    pub(super) fn going_back(&self, order: BackOrder) -> GoingBack {
        let backlog = |writes: u64, batch: u64| {
            (writes > 0)
                .then_some(Backlog { writes, batch: if batch > 0 { batch } else { writes } })
        };
        let trim = |backlog| TrimmedBack {
            percent: self.trim_percent,
            backlog,
            after: if self.trim_verify { AfterTrim::ReadBack } else { AfterTrim::Forgotten },
        };
        GoingBack {
            order,
            verify: backlog(self.verify_writes, self.verify_batch),
            trim: backlog(self.trim_writes, self.trim_batch)
                .filter(|_| self.trim_percent > 0)
                .map(trim),
        }
    }
}

/// The list, and when to go back to it.
#[derive(Clone, Debug)]
pub(super) struct History {
    rules: GoingBack,
    pending: Pending,
    /// Listed writes that are to be trimmed.
    trims: VecDeque<Extent>,
    /// Writes that have not completed: they are not gone back to.
    in_flight: Vec<Extent>,
    /// Requests left of a batch.
    verify_left: u64,
    trim_left: u64,
    /// Which way the last completed request went. A job that has completed none counts as reading.
    last: Direction,
    random: Prng,
}

#[derive(Clone, Debug)]
enum Pending {
    Written(VecDeque<Extent>),
    Rising(BTreeMap<u64, u64>),
}

/// A request that goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Back {
    Verify(Extent),
    Trim(Extent),
}

impl History {
    /// An empty list; `random` is for the choice of what is trimmed.
    pub(super) fn new(rules: GoingBack, random: Prng) -> Self {
        History {
            rules,
            pending: match rules.order {
                BackOrder::Written => Pending::Written(VecDeque::new()),
                BackOrder::Rising => Pending::Rising(BTreeMap::new()),
            },
            trims: VecDeque::new(),
            in_flight: Vec::new(),
            verify_left: 0,
            trim_left: 0,
            last: Direction::Read,
            random,
        }
    }

    /// Whether writes are trimmed again.
    pub(super) fn trims(&self) -> bool {
        self.rules.trim.is_some()
    }

    /// Listed writes.
    pub(super) fn len(&self) -> u64 {
        match &self.pending {
            Pending::Written(list) => list.len() as u64,
            Pending::Rising(tree) => tree.len() as u64,
        }
    }

    /// Lists a write that is issued.
    pub(super) fn write(&mut self, extent: Extent) {
        self.in_flight.push(extent);
        let is_trimmed = match &self.rules.trim {
            Some(trim) => self.random.below(100) < u64::from(trim.percent),
            None => false,
        };
        match &mut self.pending {
            Pending::Written(list) => list.push_back(extent),
            Pending::Rising(tree) => {
                while let Some(start) = overlapped(tree, extent) {
                    tree.remove(&start);
                    self.trims.retain(|trim| trim.offset_bytes != start);
                }
                tree.insert(extent.offset_bytes, extent.length_bytes);
            }
        }
        if is_trimmed {
            self.trims.push_back(extent);
        }
    }

    /// Takes note of a completion.
    pub(super) fn completed(&mut self, direction: Direction, extent: Extent) {
        self.last = direction;
        if direction == Direction::Write {
            if let Some(nth) = self.in_flight.iter().position(|write| *write == extent) {
                self.in_flight.remove(nth);
            }
        }
    }

    /// The request that goes before the job's next write, if there is one.
    pub(super) fn ask(&mut self) -> Option<Back> {
        let listed = self.len();
        if let (Some(verify), 1..) = (self.rules.verify, listed) {
            if self.verify_left == 0 && self.is_due(verify, listed) {
                self.verify_left = verify.batch;
            }
            if self.verify_left > 0 {
                if let Some(extent) = self.oldest() {
                    self.verify_left -= 1;
                    return Some(Back::Verify(extent));
                }
            }
        }
        let (Some(trim), false) = (self.rules.trim, self.trims.is_empty()) else { return None };
        if self.trim_left > 0 {
            self.trim_left -= 1;
        } else if self.is_due(trim.backlog, listed) {
            self.trim_left = trim.backlog.batch;
        } else {
            return None;
        }
        let extent = self.trims.pop_front()?;
        if trim.after == AfterTrim::Forgotten {
            self.forget(extent);
        }
        Some(Back::Trim(extent))
    }

    fn is_due(&self, backlog: Backlog, listed: u64) -> bool {
        listed % backlog.writes == 0 && self.last != Direction::Read
    }

    /// Whether writes wait to be trimmed.
    pub(super) fn owes_trims(&self) -> bool {
        !self.trims.is_empty()
    }

    /// The pass is over: what is left is read back, and nothing trimmed.
    pub(super) fn end_pass(&mut self) {
        self.trims.clear();
    }

    /// Takes the first of the list, unless it has not completed.
    pub(super) fn oldest(&mut self) -> Option<Extent> {
        let extent = match &self.pending {
            Pending::Written(list) => *list.front()?,
            Pending::Rising(tree) => {
                let (&offset_bytes, &length_bytes) = tree.first_key_value()?;
                Extent { offset_bytes, length_bytes }
            }
        };
        if self.in_flight.contains(&extent) {
            return None;
        }
        self.forget(extent);
        if let Some(nth) = self.trims.iter().position(|trim| *trim == extent) {
            self.trims.remove(nth);
        }
        Some(extent)
    }

    fn forget(&mut self, extent: Extent) {
        match &mut self.pending {
            Pending::Written(list) => {
                if let Some(nth) = list.iter().position(|listed| *listed == extent) {
                    list.remove(nth);
                }
            }
            Pending::Rising(tree) => {
                tree.remove(&extent.offset_bytes);
            }
        }
    }
}

/// The start of a listed stretch that shares bytes with `extent`.
fn overlapped(tree: &BTreeMap<u64, u64>, extent: Extent) -> Option<u64> {
    let end = extent.offset_bytes + extent.length_bytes;
    let (&start, &length) = tree.range(..end).next_back()?;
    (start + length > extent.offset_bytes).then_some(start)
}
