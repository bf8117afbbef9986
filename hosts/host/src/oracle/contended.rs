//! LBAs whose state does not fit in a word: several changes in flight, or doubt left by those that
//! overlapped or failed.

use borsh::{BorshDeserialize, BorshSerialize};

use super::word::{after, Base, Flight, Simple};
use super::{Change, Outcome};

/// A value that the LBA may hold, once written to the end (or given up).
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
struct Candidate {
    /// Version, 0 for zeroes.
    version: u32,
    /// When the change that brought it ended, by the clock of the entry.
    ended: u32,
}

#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
struct Flying {
    change: Change,
    /// Version, 0 for zeroes.
    version: u32,
    /// When it began, by the clock of the entry.
    began: u32,
}

/// The state of a contended LBA.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub(super) struct Contended {
    candidates: Vec<Candidate>,
    flying: Vec<Flying>,
    /// The last version given out.
    last: u32,
    clock: u32,
    /// When a change last began or ended, by the oracle's count of such events.
    pub(super) changed: u64,
}

/// In place of a version: whatever was there before the run.
pub(super) const ANYTHING: u32 = u32::MAX;

/// Ticket of a zero write that began while the state was simple.
pub(super) const FIRST_TICKET: u32 = 1;

impl Contended {
    /// The same for oracles of later runs, whose count of events begins anew.
    pub(super) fn at_rest(&self) -> Self {
        Contended { changed: 0, ..self.clone() }
    }

    /// The same state as a simple one.
    pub(super) fn from_simple(state: Simple) -> Self {
        let settled = |version| Candidate { version, ended: 0 };
        let candidates = match state.base {
            Base::Version => vec![settled(state.last)],
            Base::Zeroes => vec![settled(0)],
            Base::Either => vec![settled(state.last), settled(0)],
            Base::Unknown => vec![settled(ANYTHING)],
        };
        let flying = |change, version| vec![Flying { change, version, began: FIRST_TICKET }];
        let flying = match state.flight {
            Flight::None => Vec::new(),
            Flight::Write => flying(Change::Write, after(state.last)),
            Flight::Zeroes => flying(Change::Zeroes, 0),
            Flight::Deallocate => flying(Change::Deallocate, 0),
        };
        Contended { candidates, flying, last: state.given(), clock: FIRST_TICKET, changed: 0 }
    }

    /// The simple state that says the same, if there is one.
    pub(super) fn to_simple(&self) -> Option<Simple> {
        if !self.flying.is_empty() {
            return None;
        }
        let has = |version| self.candidates.iter().any(|c| c.version == version);
        let base = match (self.candidates.len(), has(self.last), has(0)) {
            (1, _, true) => Base::Zeroes,
            (1, true, false) => Base::Version,
            (2, true, true) if self.last != 0 => Base::Either,
            (1, false, false) if self.last == 0 && has(ANYTHING) => Base::Unknown,
            _ => return None,
        };
        Some(Simple { base, flight: Flight::None, last: self.last })
    }

    /// The last version given out.
    pub(super) fn last(&self) -> u32 {
        self.last
    }

    /// A change begins; returns what identifies it.
    pub(super) fn begin(&mut self, change: Change) -> u32 {
        self.clock += 1;
        let (version, ticket) = match change {
            Change::Write => {
                self.last = after(self.last);
                (self.last, self.last)
            }
            Change::Zeroes | Change::Deallocate => (0, self.clock),
        };
        self.flying.push(Flying { change, version, began: self.clock });
        ticket
    }

    /// The change with `ticket` ends. Of deallocations, any: all have the same effect.
    pub(super) fn end(&mut self, change: Change, ticket: u32, outcome: Outcome) {
        let same = |flying: &Flying| {
            flying.change == change
                && match change {
                    Change::Write => flying.version == ticket,
                    Change::Zeroes => flying.began == ticket,
                    Change::Deallocate => true,
                }
        };
        let nth = self.flying.iter().position(same).expect("a change that ends has begun");
        let Flying { version, began, .. } = self.flying.remove(nth);
        self.clock += 1;
        if outcome == Outcome::Done && change != Change::Deallocate {
            // What had ended before this change began is overwritten by it.
            self.candidates.retain(|candidate| candidate.ended > began);
        }
        let ended = self.clock;
        match self.candidates.iter_mut().find(|candidate| candidate.version == version) {
            Some(candidate) => candidate.ended = ended,
            None => self.candidates.push(Candidate { version, ended }),
        }
    }

    /// A read that nothing overlapped found `version`.
    pub(super) fn narrow(&mut self, version: u32) {
        if self.flying.is_empty() && self.candidates.iter().any(|c| c.version == version) {
            self.candidates.retain(|candidate| candidate.version == version);
        }
    }

    /// Whether nothing is in flight.
    pub(super) fn is_quiet(&self) -> bool {
        self.flying.is_empty()
    }

    /// All that a read may find at this moment.
    pub(super) fn versions(&self) -> impl Iterator<Item = u32> + '_ {
        let candidates = self.candidates.iter().map(|candidate| candidate.version);
        candidates.chain(self.flying.iter().map(|flying| flying.version))
    }
}
