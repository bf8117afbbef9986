//! What lists name, and what they have to name at any time.

use std::collections::{BTreeMap, BTreeSet};

use super::super::journal::List;
use super::super::lines::LineState;
use super::*;

/// Lists of all starts have numbers of their own, which grow with what they name. No two units have the same position, and
/// one that is named again is named for what it holds.
pub fn check(lists: &[List]) {
    let mut in_order: Vec<&List> = lists.iter().collect();
    in_order.sort_by_key(|list| list.number);
    for pair in in_order.windows(2) {
        let [(number, end), (next, next_end)] = [pair[0], pair[1]].map(|own| (own.number, own.end));
        assert!(number < next, "two lists have the number {number}");
        assert!(end <= next_end, "list {next} ends at {next_end}, list {number} at {end}");
    }
    let mut units = BTreeMap::<u64, (u32, Vec<u32>)>::new();
    for list in in_order {
        for (position, place, words) in list.units() {
            assert!(position < list.end, "list {} names {position} behind its end", list.number);
            let (first, held) = units.entry(position).or_insert((place, words.to_vec()));
            assert_eq!(*first, place, "places of position {position}");
            for (held, &word) in held.iter_mut().zip(words).filter(|(_, &word)| word > 0) {
                assert!(*held == 0 || *held == word, "position {position} holds {held} and {word}");
                *held = word;
            }
        }
    }
}

/// A line was given back: what is valid elsewhere and named by lists in lines that may be written over is also named
/// by lists that stay.
pub fn check_kept(ftl: &HostFtl, lists: &[List]) {
    let line_of = |place| ftl.lines.of(ftl.shape.line_of(place));
    let is_free = |place| matches!(line_of(place).state, LineState::Free | LineState::Next);
    let named = |list: &List| {
        let units = list.units().flat_map(|(_, place, words)| (place..).zip(words.to_vec()));
        units.filter_map(|(place, word)| Some((place, word.checked_sub(1)?))).collect::<Vec<_>>()
    };
    let (going, staying): (Vec<_>, Vec<_>) = lists.iter().partition(|list| is_free(list.place));
    let kept: BTreeSet<(u32, u32)> = staying.into_iter().flat_map(named).collect();
    for list in going {
        let opened = line_of(list.place).opened;
        for (place, lba) in named(list) {
            // Its line was not written anew since.
            let is_of_then = !is_free(place) && line_of(place).opened < opened;
            let is_valid = ftl.map.find(lba) == Where::Flash(place);
            assert!(
                !is_of_then || !is_valid || kept.contains(&(place, lba)),
                "block {lba} at {place} is named by list {} alone, whose line is free",
                list.number
            );
        }
    }
}
