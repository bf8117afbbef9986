//! Kinds of requests as the letters that Linux has for them (`RWBS`): `R` reads, `W` writes, `D` discards, `F` flushes, `N`
//! none of them, `B` a barrier (before Linux 2.6.37), `Z` commands of zones; `A`, `E`, `M`, `P` and `S` tell more of it.

use crate::record::Kind;

/// What letters stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Letters {
    /// A request.
    Kind(Kind),
    /// A command that is no request for data.
    Other,
    /// They are not such letters.
    Unknown,
}

/// What letters stand for. `is_empty` says that the request has no sectors: a flush or a barrier before nothing is a flush.
#[inline]
pub(crate) fn kind(letters: &[u8], is_empty: bool) -> Letters {
    let has = |letter| letters.contains(&letter);
    Letters::Kind(match (has(b'D'), has(b'R'), has(b'W'), has(b'F') || has(b'B')) {
        _ if has(b'Z') => return of_zones(letters),
        (true, ..) => Kind::Trim,
        (_, _, _, true) if is_empty => Kind::Flush,
        (_, true, ..) => Kind::Read,
        (_, _, true, _) => Kind::Write,
        _ if has(b'F') => Kind::Flush,
        _ if has(b'N') => return Letters::Other,
        _ => return Letters::Unknown,
    })
}

/// Commands of zones: `ZA` appends, and `WZ` writes zeroes; all others move write pointers only.
#[cold]
fn of_zones(letters: &[u8]) -> Letters {
    let is_write = letters.windows(2).any(|pair| pair == b"ZA" || pair == b"WZ");
    if is_write && !letters.contains(&b'R') {
        Letters::Kind(Kind::Write)
    } else {
        Letters::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_kinds() {
        for (letters, empty, full) in [
            ("R", Some(Kind::Read), Some(Kind::Read)),
            ("RAM", Some(Kind::Read), Some(Kind::Read)),
            ("WS", Some(Kind::Write), Some(Kind::Write)),
            ("FWFS", Some(Kind::Flush), Some(Kind::Write)),
            ("FWS", Some(Kind::Flush), Some(Kind::Write)),
            ("WBS", Some(Kind::Flush), Some(Kind::Write)),
            ("RB", Some(Kind::Flush), Some(Kind::Read)),
            ("FF", Some(Kind::Flush), Some(Kind::Flush)),
            ("FN", Some(Kind::Flush), Some(Kind::Flush)),
            ("F", Some(Kind::Flush), Some(Kind::Flush)),
            ("D", Some(Kind::Trim), Some(Kind::Trim)),
            ("DE", Some(Kind::Trim), Some(Kind::Trim)),
            ("ZA", Some(Kind::Write), Some(Kind::Write)),
            ("ZRA", None, None),
            ("ZF", None, None),
            ("N", None, None),
        ] {
            let of = |kind: Option<Kind>| kind.map_or(Letters::Other, Letters::Kind);
            assert_eq!(kind(letters.as_bytes(), true), of(empty), "{letters}");
            assert_eq!(kind(letters.as_bytes(), false), of(full), "{letters}");
        }
        assert_eq!(kind(b"S", false), Letters::Unknown);
    }
}
