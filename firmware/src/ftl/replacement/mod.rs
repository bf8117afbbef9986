//! Which entry of the data buffer is given to another page next. Each policy is a file here and a row in
//! `drive/contract/src/policies.rs`; docs/extending.md walks through one.

use contract::{BufferId, Configuration, PolicyKey, Settings};

use super::buffer::Freshness;
use crate::chosen_policy::chosen_policy;

/// Judges the entries of the data buffer.
pub trait Policy: Sized {
    /// Keys of boards that are its own.
    const KEYS: &'static [PolicyKey] = &[];

    /// The policy of a drive, with the values of its keys.
    fn new(config: &Configuration, settings: &Settings) -> Self;

    /// Whether an entry is given to another page. Called when one is needed, with the oldest entry, and then with the
    /// others in their order until there is one.
    fn judge(&mut self, candidate: Candidate) -> Verdict;

    /// What becomes of the place of an entry in the order, whose page is read once more. One that is changed, or given
    /// to a page, is the newest in any case.
    fn read(&mut self, entry: BufferId) -> Place;
}

/// An entry that could be given to another page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Which one it is.
    pub entry: BufferId,
    /// Whether it has to be programmed before.
    pub freshness: Freshness,
    /// Entries that are older, and were left where they are.
    pub passed: u32,
}

/// What a policy decides of an entry that could be given away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is given away.
    Take,
    /// It becomes the newest one, and the one behind it is looked at.
    Renew,
    /// It stays where it is, and the one behind it is looked at.
    Pass,
    /// The oldest one is given away.
    TakeOldest,
}

/// Where an entry is in the order after it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// It is the newest one.
    Newest,
    /// It keeps its place.
    Kept,
}

macro_rules! dispatch_policies {
    ($($module:ident, $policy:ident, $word:literal, $what:literal;)*) => {
        chosen_policy! { replacement, ReplacementPolicy; $($module, $policy;)* }

        impl Chosen {
            /// As [`Policy::judge`].
            #[inline]
            pub fn judge(&mut self, candidate: Candidate) -> Verdict {
                match self {
                    $(Chosen::$policy(policy) => policy.judge(candidate),)*
                }
            }

            /// As [`Policy::read`].
            #[inline]
            pub fn read(&mut self, entry: BufferId) -> Place {
                match self {
                    $(Chosen::$policy(policy) => policy.read(entry),)*
                }
            }
        }
    };
}

contract::with_replacement_policies!(dispatch_policies);

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
