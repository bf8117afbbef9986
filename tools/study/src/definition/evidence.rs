//! What kind of evidence a row is: the key `evidence` of comparisons, claims and summaries.

use crate::error::{one_of, Fault};
use crate::outcome::{Evidence, Relation};

const KINDS: [(&str, Evidence); 5] = [
    ("published", Evidence::Published),
    ("ordering", Evidence::Ordering),
    ("bound", Evidence::Bound),
    ("derived", Evidence::Derived),
    ("goal", Evidence::Goal),
];

/// Reads the kind of a row that is held against a value by `relation`.
///
/// A published value is met or not; an ordering or a bound holds or not. So the first needs
/// `published`, and the other two one of the limits.
pub(super) fn read(written: &str, relation: Relation) -> Result<Evidence, Fault> {
    let known = KINDS.iter().find(|(name, _)| *name == written);
    let (_, evidence) = known.ok_or_else(|| {
        let names = one_of(KINDS.iter().map(|(name, _)| *name));
        Fault::new("evidence", format!("{written:?}"), names)
    })?;
    let misfit = |what: &str, expected: &str| {
        Err(Fault::new("evidence", format!("{written:?} with {what}"), expected))
    };
    match (evidence, relation) {
        (Evidence::Published, Relation::Equals) => Ok(*evidence),
        (Evidence::Published, _) => misfit("a limit", "one of ordering, bound, derived, goal"),
        (Evidence::Ordering | Evidence::Bound, Relation::Equals) => {
            misfit("a published value", "one of published, derived, goal")
        }
        _ => Ok(*evidence),
    }
}
