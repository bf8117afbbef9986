//! "Did you mean": the known word that is nearest to a mistyped one.

/// The candidate nearest to `word` by edit distance, the first among equals. A candidate's last
/// dotted part counts as well, so that `ways` finds `geometry.ways`.
///
/// # Panics
/// When there are no candidates.
pub(crate) fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> &'a str {
    let distance = |candidate: &&str| {
        let last = candidate.rsplit('.').next().unwrap_or(candidate);
        edit_distance(word, candidate).min(edit_distance(word, last) + 1)
    };
    candidates.min_by_key(distance).expect("there is a candidate")
}

/// Insertions, deletions and replacements of characters that turn one word into the other.
fn edit_distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_worked_out_by_hand() {
        let cases = [("", "", 0), ("", "abc", 3), ("abc", "", 3), ("ways", "way", 1)];
        for (from, to, distance) in cases.into_iter().chain([("kitten", "sitting", 3)]) {
            assert_eq!(edit_distance(from, to), distance, "{from} to {to}");
        }
    }

    #[test]
    fn a_key_without_its_section_finds_the_key() {
        let known = ["flash.t_erase_us", "geometry.ways", "ftl.cache"];
        assert_eq!(nearest("ways", known.into_iter()), "geometry.ways");
        assert_eq!(nearest("flash.t_earse_us", known.into_iter()), "flash.t_erase_us");
    }
}
