//! The oracle: every value that the order of writes permits a read to return.
//!
//! An LBA holds zeroes or a version; versions are given out one after another as writes begin.
//! - A read may return any value that was current or being written at some time between its begin
//!   and its end.
//! - Two changes in flight together may land in either order. One that ended before another began
//!   is overwritten by it, once that has ended well.
//! - A change that failed leaves old and new both possible.
//! - Deallocation leaves the old data or zeroes. NVMe 1.4 section 6.7.1.1 lets a drive keep what is
//!   no whole mapping unit of its own.
//! - When nothing is in flight, a read settles what was open.
//!
//! What is known of an LBA is a word of 32 bits, 0 as long as it was never written; a side table
//! holds the few LBAs for which a word is too small.

mod contended;
mod past;
#[cfg(test)]
mod tests;
mod word;
mod zeroings;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use borsh::{BorshDeserialize, BorshSerialize};
use machine::Stamp;
use sparse::Words;

pub use self::past::Past;

use self::contended::{Contended, ANYTHING, FIRST_TICKET};
use self::word::{given_between, Base, Flight, Known, Simple, Word};
use self::zeroings::{Moment, Zeroings};

/// What a host does to an LBA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Change {
    /// Writes the next version.
    Write,
    /// Writes zeroes.
    Zeroes,
    /// Deallocates the LBA, which leaves the old data or zeroes.
    Deallocate,
}

/// How a change ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As it should.
    Done,
    /// With an error.
    Failed,
}

/// A stretch of LBAs, and what the drive held before the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    /// First LBA that is watched.
    pub first: u64,
    /// LBAs that are watched.
    pub blocks: u64,
    /// What they hold at the start.
    pub before: Before,
}

/// What a drive held before the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Before {
    /// LBAs below this hold version 1, the others zeroes.
    Filled(u64),
    /// What somebody has written who has told nobody.
    Unknown,
}

/// A read in flight.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// Count of events in the side table when it began.
    events: u64,
    moment: Moment,
    /// Contended blocks: index in the read, and a version that was permitted when it began.
    extra: Vec<(u32, u32)>,
}

/// A block that the drive should not have returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// LBA that was read.
    pub lba: u64,
    /// Index of the block in the read.
    pub index: u32,
    /// What came; `None` for bytes that are no version of any LBA.
    pub found: Option<Stamp>,
    /// All that was permitted, in no order.
    pub permitted: Vec<Stamp>,
}

/// The state of all LBAs.
#[derive(Debug)]
pub struct Oracle {
    scope: Scope,
    /// What the runs before have left, where there were any.
    past: Option<Arc<Past>>,
    words: Words,
    contended: BTreeMap<u64, Contended>,
    zeroings: Zeroings,
    /// Changes that began or ended in the side table.
    events: u64,
}

impl Oracle {
    /// Everything as preconditioning left it. Memory is taken as LBAs are changed.
    pub fn new(scope: Scope) -> Self {
        Oracle {
            scope,
            past: None,
            words: Words::new(scope.blocks),
            contended: BTreeMap::new(),
            zeroings: Zeroings::new(),
            events: 0,
        }
    }

    /// Everything as the runs before have left it, of `blocks` LBAs from `first` on.
    pub fn after(past: Arc<Past>, (first, blocks): (u64, u64)) -> Self {
        let mut oracle = Oracle::new(Scope { first, blocks, before: past.before });
        for (&lba, state) in past.contended.range(first..first + blocks) {
            oracle.contended.insert(lba, state.clone());
            oracle.words.set(lba - first, Word::contended(0).bits());
        }
        oracle.past = Some(past);
        oracle
    }

    /// What is left for later runs on a drive of so many LBAs. Nothing is in flight.
    pub fn into_past(mut self, blocks: u64) -> Past {
        let past = self.past.take().map(Arc::unwrap_or_clone);
        let mut past = past.unwrap_or_else(|| Past::new(self.scope.before, blocks));
        past.learn(&self);
        past
    }

    /// A write of the blocks from `lba` on begins: gives each its version.
    pub fn begin_write(&mut self, lba: u64, versions: &mut [u32]) {
        for (lba, version) in (lba..).zip(versions) {
            *version = self.begin(lba, Change::Write);
        }
    }

    /// The write that was given `versions` ends.
    pub fn end_write(&mut self, lba: u64, versions: &[u32], outcome: Outcome) {
        for (lba, &version) in (lba..).zip(versions) {
            self.end(lba, (Change::Write, version), outcome);
        }
    }

    /// A write of zeroes begins: gives each block a ticket for its end.
    pub fn begin_zeroes(&mut self, lba: u64, tickets: &mut [u32]) {
        self.zeroings.note(lba, tickets.len() as u64);
        for (lba, ticket) in (lba..).zip(tickets) {
            *ticket = self.begin(lba, Change::Zeroes);
        }
    }

    /// The write of zeroes that was given `tickets` ends.
    pub fn end_zeroes(&mut self, lba: u64, tickets: &[u32], outcome: Outcome) {
        for (lba, &ticket) in (lba..).zip(tickets) {
            self.end(lba, (Change::Zeroes, ticket), outcome);
        }
    }

    /// A deallocation begins.
    pub fn begin_deallocate(&mut self, lba: u64, blocks: u64) {
        self.zeroings.note(lba, blocks);
        for lba in lba..lba + blocks {
            self.begin(lba, Change::Deallocate);
        }
    }

    /// A deallocation ends, well or not: either may be anything between nothing and all.
    pub fn end_deallocate(&mut self, lba: u64, blocks: u64) {
        for lba in lba..lba + blocks {
            self.end(lba, (Change::Deallocate, 0), Outcome::Done);
        }
    }

    /// A read begins. `words` keeps what is known of each block until its end.
    #[inline]
    pub fn begin_read(&mut self, lba: u64, words: &mut [u32], watch: &mut Watch) {
        watch.events = self.events;
        watch.moment = self.zeroings.begin_read();
        watch.extra.clear();
        for (index, kept) in words.iter_mut().enumerate() {
            let lba = lba + index as u64;
            let word = self.word(lba);
            *kept = word.bits();
            if word.is_contended() {
                let state = &self.contended[&lba];
                *kept = Word::contended(state.last()).bits();
                watch.extra.extend(state.versions().map(|version| (index as u32, version)));
            }
        }
    }

    /// A read ends without data.
    pub fn abandon_read(&mut self, watch: &Watch) {
        self.zeroings.end_read(watch.moment);
    }

    /// A read ends; `found` gives what came for each block.
    ///
    /// # Errors
    /// The first block that holds what was not permitted.
    #[inline]
    pub fn end_read(
        &mut self,
        lba: u64,
        (words, watch): (&[u32], &Watch),
        mut found: impl FnMut(usize) -> Option<Stamp>,
    ) -> Result<(), Box<Mismatch>> {
        let mut result = Ok(());
        for (index, &word) in words.iter().enumerate() {
            let found = found(index);
            let block = Block { lba: lba + index as u64, index: index as u32, word };
            if !self.is_plain(block, found) {
                result = self.end_block(block, watch, found);
                if result.is_err() {
                    break;
                }
            }
        }
        self.zeroings.end_read(watch.moment);
        result
    }

    /// Whether a block was settled when the read began and is found so.
    #[inline]
    fn is_plain(&self, block: Block, found: Option<Stamp>) -> bool {
        match Word::from_bits(block.word).known(self.initial(block.lba)) {
            Known::Simple(Simple { base: Base::Version, flight: Flight::None, last }) => {
                found == Some(Stamp::new(block.lba, last))
            }
            Known::Simple(Simple { base: Base::Zeroes, flight: Flight::None, .. }) => {
                found == Some(Stamp::ZERO)
            }
            _ => false,
        }
    }

    #[cold]
    fn end_block(
        &mut self,
        block: Block,
        watch: &Watch,
        found: Option<Stamp>,
    ) -> Result<(), Box<Mismatch>> {
        if self.permits_anything(block, watch) {
            return Ok(());
        }
        let version = match found {
            Some(stamp) if stamp.is_zero() => Some(0),
            Some(stamp) if stamp.lba() == block.lba && stamp.version() != 0 => {
                Some(stamp.version())
            }
            _ => None,
        };
        match version {
            Some(version) if self.permits(block, watch, version) => {
                self.narrow(block, watch, version);
                Ok(())
            }
            _ => Err(Box::new(self.mismatch(block, watch, found))),
        }
    }

    /// Whether the read may find what was there before the run, of which nobody knows.
    fn permits_anything(&self, block: Block, watch: &Watch) -> bool {
        match Word::from_bits(block.word).known(self.initial(block.lba)) {
            Known::Simple(state) => state.base == Base::Unknown,
            Known::Contended(_) => watch.extra.contains(&(block.index, ANYTHING)),
        }
    }

    /// Whether the read may find `version`, 0 being zeroes.
    fn permits(&self, block: Block, watch: &Watch, version: u32) -> bool {
        let (before, given) = match Word::from_bits(block.word).known(self.initial(block.lba)) {
            Known::Simple(state) => (state.permits(version), state.given()),
            Known::Contended(given) => (watch.extra.contains(&(block.index, version)), given),
        };
        before
            || given_between(version, (given, self.given(block.lba)))
            || version == 0 && self.zeroings.any_since(watch.moment, block.lba)
    }

    /// Drops what a read ruled out that no change overlapped.
    fn narrow(&mut self, block: Block, watch: &Watch, version: u32) {
        if let Some(state) = self.contended.get_mut(&block.lba) {
            if state.is_quiet() && state.changed <= watch.events {
                state.narrow(version);
                self.settle(block.lba);
            }
            return;
        }
        let word = self.word(block.lba);
        let Known::Simple(state) = word.known(self.initial(block.lba)) else {
            return;
        };
        let open = state.base == Base::Either && state.flight == Flight::None;
        let untouched =
            word.bits() == block.word && !self.zeroings.any_since(watch.moment, block.lba);
        if open && untouched {
            let base = if version == 0 { Base::Zeroes } else { Base::Version };
            self.set(block.lba, Simple { base, ..state });
        }
    }

    #[cold]
    fn mismatch(&self, block: Block, watch: &Watch, found: Option<Stamp>) -> Mismatch {
        let mut versions: Vec<u32> = Vec::new();
        let (mut version, given) = match Word::from_bits(block.word).known(self.initial(block.lba))
        {
            Known::Simple(state) => (state.last, self.given(block.lba)),
            Known::Contended(last) => (last, self.given(block.lba)),
        };
        versions.extend(watch.extra.iter().filter(|e| e.0 == block.index).map(|e| e.1));
        versions.extend([0, version]);
        // Enough to show what is wrong.
        while version != given && versions.len() < 16 {
            version = word::after(version);
            versions.push(version);
        }
        versions.sort_unstable();
        versions.dedup();
        versions.retain(|&version| self.permits(block, watch, version));
        let permitted = versions.iter().map(|&version| stamp(block.lba, version)).collect();
        Mismatch { lba: block.lba, index: block.index, found, permitted }
    }

    /// A change of one block begins.
    #[inline]
    fn begin(&mut self, lba: u64, change: Change) -> u32 {
        let state = match self.word(lba).known(self.initial(lba)) {
            Known::Simple(state) if state.flight == Flight::None && state.base != Base::Unknown => {
                state
            }
            _ => return self.change_contended(lba, |state| state.begin(change)),
        };
        let (flight, ticket) = match change {
            Change::Write => (Flight::Write, word::after(state.last)),
            Change::Zeroes => (Flight::Zeroes, FIRST_TICKET),
            Change::Deallocate => (Flight::Deallocate, FIRST_TICKET),
        };
        self.set(lba, Simple { flight, ..state });
        ticket
    }

    /// A change of one block ends.
    #[inline]
    fn end(&mut self, lba: u64, (change, ticket): (Change, u32), outcome: Outcome) {
        let state = match (self.word(lba).known(self.initial(lba)), outcome) {
            (Known::Simple(state), Outcome::Done) => state,
            _ => {
                self.change_contended(lba, |state| state.end(change, ticket, outcome));
                self.settle(lba);
                return;
            }
        };
        let base = match (change, state.base) {
            (Change::Write, _) => Base::Version,
            (Change::Zeroes, _) => Base::Zeroes,
            (Change::Deallocate, Base::Version) => Base::Either,
            (Change::Deallocate, base) => base,
        };
        self.set(lba, Simple { base, flight: Flight::None, last: state.given() });
    }

    /// Changes the side table's state of an LBA, which is put there if need be.
    fn change_contended<T>(&mut self, lba: u64, act: impl FnOnce(&mut Contended) -> T) -> T {
        if let Known::Simple(state) = self.word(lba).known(self.initial(lba)) {
            self.contended.insert(lba, Contended::from_simple(state));
            self.words.set(lba - self.scope.first, Word::contended(0).bits());
        }
        self.events += 1;
        let state = self.contended.get_mut(&lba).expect("a contended word has its entry");
        state.changed = self.events;
        act(state)
    }

    /// Takes an LBA out of the side table if a word is enough for it again.
    fn settle(&mut self, lba: u64) {
        if let Some(state) = self.contended.get(&lba).and_then(Contended::to_simple) {
            self.contended.remove(&lba);
            self.set(lba, state);
        }
    }

    /// The last version given out for an LBA.
    fn given(&self, lba: u64) -> u32 {
        match self.word(lba).known(self.initial(lba)) {
            Known::Simple(state) => state.given(),
            Known::Contended(_) => self.contended[&lba].last(),
        }
    }

    #[inline]
    fn initial(&self, lba: u64) -> Base {
        match self.scope.before {
            Before::Filled(end) if lba < end => Base::Version,
            Before::Filled(_) => Base::Zeroes,
            Before::Unknown => Base::Unknown,
        }
    }

    #[inline]
    fn word(&self, lba: u64) -> Word {
        let own = Word::from_bits(self.words.get(lba - self.scope.first));
        match &self.past {
            Some(past) if own == Word::default() => past.word(lba),
            _ => own,
        }
    }

    #[inline]
    fn set(&mut self, lba: u64, state: Simple) {
        self.words.set(lba - self.scope.first, state.word().bits());
    }
}

/// A block of a read: what was known of it when the read began.
#[derive(Clone, Copy)]
struct Block {
    lba: u64,
    index: u32,
    word: u32,
}

/// What an LBA holds in a version, 0 being zeroes.
pub fn stamp(lba: u64, version: u32) -> Stamp {
    match version {
        0 => Stamp::ZERO,
        _ => Stamp::new(lba, version),
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "found {}, expected ", self.found.map_or("mangled bytes".into(), described))?;
        for (nth, &stamp) in self.permitted.iter().enumerate() {
            let joint = if nth > 0 { " or " } else { "" };
            write!(f, "{joint}{}", described(stamp))?;
        }
        Ok(())
    }
}

fn described(stamp: Stamp) -> String {
    match (stamp.is_zero(), stamp.version()) {
        (true, _) => "zeroes".to_string(),
        (false, 0) => "corrupt data".to_string(),
        (false, version) => format!("version {version} of LBA {}", stamp.lba()),
    }
}
