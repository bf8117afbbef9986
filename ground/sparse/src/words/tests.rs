//! Against a flat table, and what memory it takes.

use super::*;
use proptest::prelude::*;

/// Places that lie apart, side by side, and all over a group.
fn places() -> impl Strategy<Value = u64> {
    prop_oneof![
        0_u64..9000,
        (0_u64..40).prop_map(|at| 2048 + at),
        (0_u64..9).prop_map(|at| at * 1024 + 31)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn every_word_is_what_it_was_set_to_last(
        steps in prop::collection::vec((places(), prop_oneof![4 => any::<u32>(), 1 => Just(0)]), 1..600),
    ) {
        let (mut table, mut flat) = (Words::new(9000), alloc::vec![0; 9000]);
        for (place, value) in steps {
            table.set(place, value);
            flat[place as usize] = value;
            prop_assert_eq!(table.get(place), value);
        }
        for (place, &value) in (0..).zip(&flat) {
            prop_assert_eq!(table.get(place), value, "place {}", place);
        }
        let mut seen = alloc::vec::Vec::new();
        table.each(|place, value| seen.push((place, value)));
        let set: alloc::vec::Vec<_> = (0..).zip(flat.iter().copied()).filter(|&(_, value)| value != 0).collect();
        prop_assert_eq!(seen, set);
        let copy = table.clone();
        let mut shared = copy.clone();
        shared.share();
        let mut sibling = shared.clone();
        for (nth, place) in (0..9000).step_by(7).enumerate() {
            sibling.set(place, nth as u32 % 3);
        }
        for (place, &value) in (0..).zip(&flat) {
            prop_assert_eq!(shared.get(place), value, "place {}", place);
            let own = if place % 7 == 0 { place as u32 / 7 % 3 } else { value };
            prop_assert_eq!(sibling.get(place), own, "place {}", place);
        }
        let told = |table: &Words| {
            let mut seen = alloc::vec::Vec::new();
            table.each(|place, value| seen.push((place, value)));
            seen
        };
        let with_sibling = told(&sibling);
        drop(shared);
        sibling.unshare();
        prop_assert_eq!(&with_sibling, &told(&sibling));
        prop_assert!(with_sibling.iter().all(|&(place, value)| value != 0 && sibling.get(place) == value));
        table.clear();
        for (place, &value) in (0..).zip(&flat) {
            prop_assert_eq!((table.get(place), copy.get(place)), (0, value), "place {}", place);
        }
    }
}

#[test]
fn a_word_alone_takes_eight_bytes() {
    let mut table = Words::new(1 << 16);
    for stretch in 0..64 {
        table.set(stretch * 1024 + 31 * stretch % 1024, 1);
    }
    assert_eq!(table.pool_bytes(), 8 * 64 + 4);
}

/// Sets all words, and returns how many times the memory of a flat table that takes.
fn grown(count: u64, place: impl Fn(u64) -> u64) -> f64 {
    let mut table = Words::new(count);
    (0..count).for_each(|step| table.set(place(step), step as u32 + 1));
    assert!((0..count).all(|step| table.get(place(step)) == step as u32 + 1));
    table.pool_bytes() as f64 / (count as f64 * size_of::<u32>() as f64)
}

#[test]
fn a_table_that_was_set_all_over_takes_not_much_more_than_a_flat_one() {
    let count = 1 << 16;
    let in_order = grown(count, |step| step);
    assert!((1.0..1.1).contains(&in_order), "{in_order}");
    // Odd factors, and shifts that can be undone, keep places apart.
    let mixed = |step: u64| {
        let mixed = step.wrapping_mul(0x9E37_79B1) % count;
        let mixed = (mixed ^ mixed >> 7).wrapping_mul(0x85EB_CA6B) % count;
        (mixed ^ mixed >> 9).wrapping_mul(0xC2B2_AE35) % count
    };
    let at_random = grown(count, mixed);
    assert!((1.0..1.5).contains(&at_random), "{at_random}");
    // The most: all groups grow in step, and none can use what others have given back.
    let in_step = grown(count, |step| step * 40_503 % count);
    assert!((1.5..2.2).contains(&in_step), "{in_step}");
}

#[test]
fn zeroes_that_were_never_set_take_nothing() {
    let mut table = Words::new(5000);
    for place in 0..5000 {
        table.set(place, 0);
    }
    assert_eq!(table.pool_bytes(), 4);
}
