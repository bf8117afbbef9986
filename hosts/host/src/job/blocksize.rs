//! Request lengths: `bs`, `bsrange` and `bssplit`, from text to the resolved form, and their draw.

use super::direction::{Direction, PerDirection};
use super::random::Prng;
use super::spec::{Lengths, WeightedLength};
use super::units::Reading;

/// fio's default for `bs`.
const DEFAULT_BYTES: u64 = 4096;
/// Most entries that fio takes for one direction.
const MAX_SPLIT: usize = 64;

/// One `length/percentage` of a `bssplit`; without percentage it shares what the others leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SplitEntry {
    bytes: u64,
    percent: Option<u64>,
}

/// Request lengths and alignment.
#[derive(Clone, Debug, Default)]
pub(super) struct LengthSettings {
    pub(super) fixed: PerDirection<Option<u64>>,
    pub(super) range: PerDirection<Option<(u64, u64)>>,
    pub(super) split: PerDirection<Option<Vec<SplitEntry>>>,
    pub(super) align: PerDirection<Option<u64>>,
}

/// Reads the `bssplit` of one direction.
pub(super) fn read_split(
    text: &str,
    size: impl Fn(&str) -> Reading<u64>,
) -> Reading<Vec<SplitEntry>> {
    let wrong = || "bssplit entries such as 4k/50:64k/50".to_string();
    let mut list = Vec::new();
    for part in text.split(':') {
        let (bytes, percent) = part.split_once('/').unwrap_or((part, ""));
        let percent = match percent.trim() {
            "" => None,
            number => Some(number.parse().ok().filter(|&p| p <= 100).ok_or_else(wrong)?),
        };
        list.push(SplitEntry { bytes: size(bytes.trim())?, percent });
    }
    let given: u64 = list.iter().filter_map(|entry| entry.percent).sum();
    if given > 100 {
        return Err(format!("percentages of at most 100 in all, not {given}"));
    }
    if list.len() > MAX_SPLIT {
        return Err(format!("at most {MAX_SPLIT} lengths for a direction"));
    }
    Ok(list)
}

/// Turns percentages into weights. What is missing to 100 % goes evenly to the entries without
/// percentage or, as in fio, to the last one where each has its own.
fn weigh(list: &[SplitEntry]) -> Vec<WeightedLength> {
    let given: u64 = list.iter().filter_map(|entry| entry.percent).sum();
    let open = list.iter().filter(|entry| entry.percent.is_none()).count() as u64;
    let rest = 100 - given;
    let mut weights: Vec<WeightedLength> = list
        .iter()
        .map(|entry| {
            let weight = entry.percent.map_or(rest, |percent| percent * open.max(1));
            WeightedLength { bytes: entry.bytes, weight }
        })
        .collect();
    if open == 0 {
        if let Some(last) = weights.last_mut() {
            last.weight += rest;
        }
    }
    weights.retain(|entry| entry.weight > 0);
    weights
}

/// The lengths of one direction, and the option that decides them. `bssplit` goes before `bsrange`
/// and that before `bs`, as in fio.
pub(super) fn lengths(settings: &LengthSettings, direction: Direction) -> (Lengths, &'static str) {
    if let Some(list) = settings.split.of(direction) {
        let weights = weigh(list);
        let lengths = match weights.as_slice() {
            [one] => Lengths::Fixed(one.bytes),
            _ => Lengths::Split(weights),
        };
        return (lengths, "bssplit");
    }
    if let Some((min, max)) = *settings.range.of(direction) {
        // Lengths are multiples of the shortest, so the longest that occurs may be below `max`.
        let max = max / min * min;
        let lengths = if min == max { Lengths::Fixed(min) } else { Lengths::Range { min, max } };
        return (lengths, "bsrange");
    }
    (Lengths::Fixed(settings.fixed.of(direction).unwrap_or(DEFAULT_BYTES)), "bs")
}

impl Lengths {
    /// The next length in bytes.
    pub(super) fn draw(&self, random: &mut Prng) -> u64 {
        match self {
            Self::Fixed(bytes) => *bytes,
            Self::Range { min, max } => min * (1 + random.below(max / min)),
            Self::Split(list) => {
                let mut left = random.below(list.iter().map(|entry| entry.weight).sum());
                for entry in list {
                    match left.checked_sub(entry.weight) {
                        None => return entry.bytes,
                        Some(rest) => left = rest,
                    }
                }
                unreachable!("a draw below the sum of the weights falls into one of them")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::units::{self, KbBase};

    fn split(text: &str) -> Reading<Vec<(u64, u64)>> {
        let list = read_split(text, |t| units::size(t, KbBase::Traditional))?;
        Ok(weigh(&list).iter().map(|entry| (entry.bytes, entry.weight)).collect())
    }

    #[test]
    fn splits_share_out_a_hundred_percent() {
        assert_eq!(split("4k/10:64k/50:32k/40"), Ok(vec![(4096, 10), (65536, 50), (32768, 40)]));
        // 50 %, 25 %, 25 %.
        assert_eq!(split("4k/50:1k/:32k/"), Ok(vec![(4096, 100), (1024, 50), (32768, 50)]));
        assert_eq!(split("4k:8k"), Ok(vec![(4096, 100), (8192, 100)]));
        assert_eq!(split("4k/33:8k/33:16k/33"), Ok(vec![(4096, 33), (8192, 33), (16384, 34)]));
        assert_eq!(split("4k/100:8k/0"), Ok(vec![(4096, 100)]));
        assert_eq!(split("4k/60:8k/50"), Err("percentages of at most 100 in all, not 110".into()));
        assert_eq!(split("4k/x"), Err("bssplit entries such as 4k/50:64k/50".into()));
        assert_eq!(split("/50"), Err("a size such as 4096, 4k or 1m".into()));
    }

    #[test]
    fn draws_keep_to_the_weights() {
        let list =
            weigh(&read_split("4k/70:8k/30", |t| units::size(t, KbBase::Traditional)).unwrap());
        let lengths = Lengths::Split(list);
        let mut random = Prng::new(11, 0);
        let small = (0..10_000).filter(|_| lengths.draw(&mut random) == 4096).count();
        assert!((6800..7200).contains(&small), "{small} of 10000");

        let lengths = Lengths::Range { min: 4096, max: 16384 };
        let mut counts = [0_u32; 5];
        for _ in 0..10_000 {
            let bytes = lengths.draw(&mut random);
            assert_eq!(bytes % 4096, 0);
            counts[(bytes / 4096) as usize] += 1;
        }
        assert_eq!(counts[0], 0);
        assert!(counts[1..].iter().all(|c| (2300..2700).contains(c)), "{counts:?}");
    }
}
