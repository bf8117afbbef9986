//! A part of a sweep, which another computer runs the rest of.

use std::ops::Range;

/// Most parts of a sweep.
const MOST: u64 = 100_000;

/// One of so many parts, which together have each point once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 1.
    nth: u64,
    of: u64,
}

impl Shard {
    /// Reads `2/8`, the second of eight.
    ///
    /// # Errors
    /// What was expected.
    pub fn parse(text: &str) -> Result<Shard, String> {
        let numbers = text
            .split_once('/')
            .and_then(|(nth, of)| Some(Shard { nth: nth.parse().ok()?, of: of.parse().ok()? }));
        let is_one = |shard: &Shard| (1..=shard.of).contains(&shard.nth) && shard.of <= MOST;
        numbers
            .filter(is_one)
            .ok_or_else(|| format!("a part and how many there are, as 2/8, of at most {MOST}"))
    }

    /// Which of so many points in their order are its own: neighbours, since they share drives.
    pub(crate) fn of(self, points: u64) -> Range<usize> {
        let before =
            |nth: u64| (u128::from(points) * u128::from(nth) / u128::from(self.of)) as usize;
        before(self.nth - 1)..before(self.nth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_have_each_point_once() {
        for (points, of) in [(0, 3), (1, 3), (7, 3), (8, 8), (10_000_000, 7)] {
            let shards = (1..=of).map(|nth| Shard { nth, of }.of(points));
            let mut end = 0;
            for shard in shards {
                assert_eq!(shard.start, end);
                assert!(shard.len() as u64 <= points.div_ceil(of));
                end = shard.end;
            }
            assert_eq!(end as u64, points);
        }
    }

    #[test]
    fn what_is_no_shard_is_told() {
        assert_eq!(Shard::parse("2/8"), Ok(Shard { nth: 2, of: 8 }));
        for text in ["", "2", "0/3", "4/3", "1/0", "-1/3", "1/100001", "1/x"] {
            assert!(Shard::parse(text).unwrap_err().starts_with("a part and how many"), "{text}");
        }
    }
}
