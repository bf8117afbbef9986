//! Requests that are named one by one, as a timing diagram has them.

use crate::flash_load::outcome::Kind;

/// Most requests of a sequence.
const MOST: usize = 64;

/// Requests in their order: what each does, and on which die (`way * channels + channel`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence {
    requests: Vec<(Kind, u32)>,
}

impl Sequence {
    pub(crate) const EXPECTED: &'static str =
        "1 to 64 requests such as P2 R0 E1: erase, program or read, and the number of the die";

    /// The requests that a text names.
    pub(crate) fn read(text: &str) -> Option<Sequence> {
        let request = |word: &str| {
            let kind = match word.get(..1)? {
                "E" => Kind::Erase,
                "P" => Kind::Program,
                "R" => Kind::Read,
                _ => return None,
            };
            Some((kind, word[1..].parse().ok()?))
        };
        let requests: Option<Vec<_>> = text.split_whitespace().map(request).collect();
        let requests = requests.filter(|all| (1..=MOST).contains(&all.len()))?;
        Some(Sequence { requests })
    }

    /// Each request with the index of its die.
    pub fn requests(&self) -> &[(Kind, u32)] {
        &self.requests
    }

    /// The highest number of a die.
    pub fn last_die(&self) -> u32 {
        self.requests.iter().map(|(_, die)| *die).max().expect("a sequence has requests")
    }
}
