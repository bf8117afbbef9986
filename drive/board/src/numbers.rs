//! Which numbers a key may hold, for those who look for the best one.

use crate::keys::{self, Kind, LARGEST_MB_S};

/// The numbers that a key may hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Numbers {
    /// Whole ones from the first to the second.
    Whole(u64, u64),
    /// Powers of two from the first to the second.
    PowersOfTwo(u64, u64),
    /// All from the first to the second.
    Decimal(f64, f64),
}

/// The numbers that a key may hold; none if it holds words or lists, or if boards have no such key.
pub fn numbers(key: &str) -> Option<Numbers> {
    match keys::all()[keys::index_of(key)?].kind {
        Kind::Count(least, most) => Some(Numbers::Whole(least, most)),
        Kind::Power(least, most) => Some(Numbers::PowersOfTwo(least, most)),
        Kind::Time(unit) | Kind::Latency(unit) => Some(Numbers::Decimal(0.0, unit.most())),
        Kind::Bandwidth => Some(Numbers::Decimal(1.0, LARGEST_MB_S)),
        Kind::Choice(_) | Kind::Sizes(_) | Kind::Lists => None,
    }
}

/// The known key that is nearest to a word.
pub fn nearest_key(word: &str) -> &'static str {
    crate::nearest::nearest(word, keys::all().iter().map(|key| key.path.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_that_a_leaf_takes() {
        assert_eq!(numbers("geometry.channels"), Some(Numbers::Whole(1, 64)));
        assert_eq!(numbers("geometry.page_bytes"), Some(Numbers::PowersOfTwo(4096, 65_536)));
        assert_eq!(numbers("flash.t_erase_us"), Some(Numbers::Decimal(0.0, 1e6)));
        assert_eq!(numbers("host.link_bandwidth_mb_s"), Some(Numbers::Decimal(1.0, 1e6)));
        assert_eq!((numbers("ftl.victim"), numbers("ftl.victum")), (None, None));
        assert_eq!(nearest_key("geometry.chanels"), "geometry.channels");
    }
}
