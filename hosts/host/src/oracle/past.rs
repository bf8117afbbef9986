//! What is known of a drive's data between runs: what the runs before have left.

use std::collections::BTreeMap;

use borsh::io::{Read, Result, Write};
use borsh::{BorshDeserialize, BorshSerialize};
use contract::state::{expect, strange};
use sparse::Words;

use super::contended::Contended;
use super::word::{Base, Known, Word};
use super::{Before, Oracle};

/// What is known of all LBAs of a drive while nothing is in flight. It is not changed: what a run knows beyond it, it keeps
/// for itself, so that any number of runs may begin from one.
#[derive(Clone, Debug)]
pub struct Past {
    /// What the drive held before anything that is known.
    pub(super) before: Before,
    /// LBAs of the drive.
    blocks: u64,
    /// Zero where an LBA is as before, or contended.
    words: Words,
    /// LBAs of which changes that overlapped or failed have left a doubt.
    pub(super) contended: BTreeMap<u64, Contended>,
}

impl Past {
    /// That of a drive with so many LBAs of which nothing is known but what it held before.
    pub fn new(before: Before, blocks: u64) -> Self {
        Past { before, blocks, words: Words::new(blocks), contended: BTreeMap::new() }
    }

    /// A word that is not contended.
    #[inline]
    pub(super) fn word(&self, lba: u64) -> Word {
        Word::from_bits(self.words.get(lba))
    }

    /// Adds what an oracle has learned. Nothing is in flight.
    pub(super) fn learn(&mut self, oracle: &Oracle) {
        let first = oracle.scope.first;
        oracle.words.each(|at, bits| {
            let (lba, word) = (first + at, Word::from_bits(bits));
            match word.known(Base::Zeroes) {
                Known::Simple(_) => {
                    self.contended.remove(&lba);
                    self.words.set(lba, bits);
                }
                Known::Contended(_) => {
                    self.contended.insert(lba, oracle.contended[&lba].at_rest());
                }
            }
        });
    }

    /// Writes it: what was there before, how many LBAs there are, then number and word of each LBA of which more is known,
    /// 2^64 - 1, and the contended ones.
    ///
    /// # Errors
    /// The errors of the writer.
    pub fn put(&self, to: &mut impl Write) -> Result<()> {
        self.before.serialize(to)?;
        self.blocks.serialize(to)?;
        let mut put = Ok(());
        self.words.each(|at, bits| {
            if put.is_ok() {
                put = (at, bits).serialize(to);
            }
        });
        put?;
        u64::MAX.serialize(to)?;
        self.contended.serialize(to)
    }

    /// Reads it, for a drive of `most` LBAs at most.
    ///
    /// # Errors
    /// The errors of the reader, and when it is none of such a drive, or something is in flight.
    pub fn take(most: u64, from: &mut impl Read) -> Result<Self> {
        let strange = || strange("an LBA that the drive does not have");
        let (before, blocks) = <(Before, u64)>::deserialize_reader(from)?;
        if blocks > most {
            return Err(strange());
        }
        let mut past = Past::new(before, blocks);
        loop {
            let at = u64::deserialize_reader(from)?;
            if at == u64::MAX {
                break;
            }
            let bits = u32::deserialize_reader(from)?;
            if at >= blocks {
                return Err(strange());
            }
            past.words.set(at, bits);
        }
        past.contended = BorshDeserialize::deserialize_reader(from)?;
        match past.contended.last_key_value() {
            Some((&lba, _)) if lba >= blocks => return Err(strange()),
            _ => {}
        }
        let quiet = past.contended.values().all(Contended::is_quiet);
        expect(quiet, "changes of LBAs of a drive at rest")?;
        Ok(past)
    }
}
