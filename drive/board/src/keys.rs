//! Keys of board files, as they are worked with: what a board file may hold, and what each leaf must look like.
//!
//! Reading, `--set`, printing, "did you mean" and the demand for sources all work from these keys. Each is a row of
//! `table.rs`. Keys that name a policy of the firmware, and
//! those that such a policy has of its own, come from the firmware's list of policies.

use std::sync::LazyLock;

use contract::Work;
use firmware::policies::{Kind as PolicyKind, KINDS};

use crate::kind::Case;
pub(crate) use crate::kind::{Kind, Nature, LARGEST_MB_S};
use crate::table::{Row, POLICIES, TABLE};

/// A key of a board file.
pub(crate) struct Key {
    /// Sections and name, joined by dots.
    pub path: String,
    /// What its leaf must look like.
    pub kind: Kind,
    /// Whether a shipped board must say where the value comes from.
    pub nature: Nature,
    /// If only some policies of the firmware have it, which.
    pub owner: Option<Owner>,
    /// What has to hold for it to count.
    pub when: &'static [Case],
    /// What it means, where a row says so.
    pub meaning: Option<&'static str>,
}

/// The policies that a key belongs to.
#[derive(Clone, Copy)]
pub(crate) struct Owner {
    /// Their kind.
    pub kind: &'static PolicyKind,
    /// The name of the key among theirs.
    pub name: &'static str,
    /// The value where a board states none.
    pub default: u64,
}

impl Owner {
    /// Whether the policy with this number is one of them.
    pub fn has(&self, policy: u64) -> bool {
        self.kind.keys[policy as usize].iter().any(|key| key.name == self.name)
    }

    /// Their names, as boards choose them.
    pub fn policies(&self) -> impl Iterator<Item = &'static str> + '_ {
        let names = self.kind.words.iter().enumerate();
        names.filter(|&(policy, _)| self.has(policy as u64)).map(|(_, &name)| name)
    }
}

/// Every key, in the order in which boards are printed.
pub(crate) fn all() -> &'static [Key] {
    static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
        let work = Work::ALL.iter().map(|&work| Key {
            path: work_path(work),
            kind: Kind::Count(0, 1_000_000_000),
            nature: Nature::Hardware,
            owner: None,
            when: &[],
            meaning: None,
        });
        let table = |&(path, kind, nature, when, meaning): &Row| Key {
            path: path.to_owned(),
            kind,
            nature,
            owner: None,
            when,
            meaning: Some(meaning),
        };
        let (before, behind) = TABLE.split_at(of_policies());
        let before = before.iter().map(table);
        let behind = behind.iter().map(table);
        before.chain(KINDS.iter().flat_map(keys_of_kind)).chain(behind).chain(work).collect()
    });
    &KEYS
}

/// The place of keys of policies in [`TABLE`]: the beginning of the section that all of them stand in.
fn of_policies() -> usize {
    TABLE.iter().position(|(path, ..)| path.starts_with("ftl.")).expect("there is an FTL")
}

/// The key that names a policy, and those of the policies.
fn keys_of_kind(kind: &'static PolicyKind) -> Vec<Key> {
    let row = POLICIES.iter().find(|(path, ..)| *path == kind.key);
    let names = Key {
        path: kind.key.to_owned(),
        kind: Kind::Choice(kind.words),
        nature: Nature::Policy,
        owner: None,
        when: row.map_or(&[], |&(_, when, _)| when),
        meaning: row.map(|&(.., meaning)| meaning),
    };
    let mut keys = vec![names];
    for key in kind.keys.iter().copied().flatten() {
        let path = format!("{}{}", kind.prefix, key.name);
        if keys.iter().all(|known| known.path != path) {
            let owner = Owner { kind, name: key.name, default: key.default };
            let kind = Kind::Count(key.least, key.most);
            let nature = Nature::Policy;
            keys.push(Key { path, kind, nature, owner: Some(owner), when: &[], meaning: None });
        }
    }
    keys
}

/// Key of the instructions of one kind of work.
pub(crate) fn work_path(work: Work) -> String {
    format!("work_instructions.{}", work.name())
}

/// Place of a key in [`all`].
pub(crate) fn index_of(path: &str) -> Option<usize> {
    static BY_PATH: LazyLock<Vec<usize>> = LazyLock::new(|| {
        let mut places: Vec<usize> = (0..all().len()).collect();
        places.sort_unstable_by_key(|&place| &all()[place].path);
        places
    });
    let found = BY_PATH.binary_search_by(|&place| all()[place].path.as_str().cmp(path)).ok()?;
    Some(BY_PATH[found])
}

#[cfg(test)]
mod tests {
    use super::Kind::{Bandwidth, Choice, Count, Latency, Lists, Power, Sizes, Time};
    use super::*;

    #[test]
    fn every_key_stands_once_and_its_unit_stands_at_its_end() {
        for (index, key) in all().iter().enumerate() {
            assert_eq!(index_of(&key.path), Some(index), "{} stands twice", key.path);
            let unit = match key.kind {
                Time(unit) | Latency(unit) => format!("_{}", unit.name()),
                Bandwidth => "_mb_s".to_owned(),
                Sizes(_) => "_bytes".to_owned(),
                Lists => "cores".to_owned(),
                Count(..) | Power(..) | Choice(_) => continue,
            };
            assert!(key.path.ends_with(&unit), "{} must end in {unit}", key.path);
        }
    }
}
