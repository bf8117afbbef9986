//! Decisions that a board leaves to a policy by its name, and what each policy can be told.
//!
//! A kind of decision is a folder: `mod.rs` has its trait, which answers one question, and each policy is a file beside
//! it. `drive/contract/src/policies.rs` has a row for each. Which one a drive has is an enum that is made when it
//! starts, so that asking it is a `match`.

use contract::PolicyKey;

use crate::{ftl, sched};

/// A kind of decision.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// What it is called.
    pub name: &'static str,
    /// The key by which boards name a policy.
    pub key: &'static str,
    /// What the keys of policies themselves begin with.
    pub prefix: &'static str,
    /// What boards call the policies.
    pub words: &'static [&'static str],
    /// Keys of each policy's own, in the same order.
    pub keys: &'static [&'static [PolicyKey]],
}

/// All kinds.
pub const KINDS: [Kind; 6] = [
    Kind {
        name: "placement",
        key: "ftl.placement",
        prefix: "ftl.placement_",
        words: contract::PlacementPolicy::WORDS,
        keys: ftl::placement::KEYS,
    },
    Kind {
        name: "victim",
        key: "ftl.victim",
        prefix: "ftl.victim_",
        words: contract::VictimPolicy::WORDS,
        keys: ftl::victim::KEYS,
    },
    Kind {
        name: "streams",
        key: "ftl.streams",
        prefix: "ftl.streams_",
        words: contract::StreamPolicy::WORDS,
        keys: ftl::streams::KEYS,
    },
    Kind {
        name: "wear",
        key: "ftl.wear_levelling",
        prefix: "ftl.wear_",
        words: contract::WearPolicy::WORDS,
        keys: ftl::wear::KEYS,
    },
    Kind {
        name: "replacement",
        key: "ftl.replacement",
        prefix: "ftl.replacement_",
        words: contract::ReplacementPolicy::WORDS,
        keys: ftl::replacement::KEYS,
    },
    Kind {
        name: "priority",
        key: "ftl.priority",
        prefix: "ftl.priority_",
        words: contract::PriorityPolicy::WORDS,
        keys: sched::priority::KEYS,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_one_name_are_the_same_and_defaults_are_allowed() {
        for kind in KINDS {
            assert_eq!(kind.words.len(), kind.keys.len(), "{}", kind.name);
            let all = || kind.keys.iter().copied().flatten();
            for key in all() {
                assert!(
                    (key.least..=key.most).contains(&key.default),
                    "{} {}",
                    kind.name,
                    key.name
                );
                for other in all().filter(|other| other.name == key.name) {
                    let ranges = [key, other].map(|key| (key.least, key.most, key.default));
                    assert_eq!(ranges[0], ranges[1], "{} {}", kind.name, key.name);
                }
            }
            for own in kind.keys {
                assert!(own.len() <= contract::MOST_SETTINGS, "{}", kind.name);
            }
        }
    }
}
