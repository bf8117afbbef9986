//! Against vectors, and what memory copies take.

use super::*;
use proptest::prelude::*;

const COUNT: usize = 5 * PART + 7;

/// What is done to one of some tables that began as one.
#[derive(Clone, Debug)]
enum Step {
    Set(usize, usize, u32),
    Copy(usize),
    Share(usize),
    Unshare(usize),
    Drop(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let place = prop_oneof![0..COUNT, (0..9usize).prop_map(|nth| COUNT - 1 - nth * PART / 2)];
    prop_oneof![
        8 => (0..9usize, place, any::<u32>()).prop_map(|(of, at, to)| Step::Set(of, at, to)),
        2 => (0..9usize).prop_map(Step::Copy),
        1 => (0..9usize).prop_map(Step::Share),
        1 => (0..9usize).prop_map(Step::Unshare),
        1 => (0..9usize).prop_map(Step::Drop),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn copies_know_nothing_of_what_is_written_to_each_other(steps in prop::collection::vec(step(), 1..80)) {
        let mut all = alloc::vec![(Table::new(COUNT, 0u32), alloc::vec![0u32; COUNT])];
        for step in steps {
            let most = all.len();
            match step {
                Step::Set(of, at, to) => {
                    all[of % most].0[at] = to;
                    all[of % most].1[at] = to;
                }
                Step::Copy(of) => all.push(all[of % most].clone()),
                Step::Share(of) => all[of % most].0.share(),
                Step::Unshare(of) => all[of % most].0.unshare(),
                Step::Drop(of) if most > 1 => drop(all.remove(of % most)),
                Step::Drop(_) => {}
            }
        }
        for (table, flat) in &all {
            prop_assert_eq!(table.len(), COUNT);
            prop_assert!((0..COUNT).all(|at| table[at] == flat[at]));
            prop_assert!(table.iter().eq(flat));
            let end = COUNT - 1;
            prop_assert_eq!(table.slice(5 * PART..end), &flat[5 * PART..end]);
        }
    }

    #[test]
    fn parts_that_were_added_are_their_owners(steps in prop::collection::vec((0..4usize, 0..6usize, 1..9u32), 1..60)) {
        let first = Parts::new(3, alloc::vec![7u32; 6]);
        let mut all = alloc::vec![(first, alloc::vec![7u32; 6]); 3];
        for (what, of, value) in steps {
            let (table, flat) = &mut all[of % 3];
            match what {
                0 => {
                    table.push(value);
                    flat.resize(flat.len() + 3, value);
                }
                1 => {
                    let nth = value as usize % table.count();
                    table.part_mut(nth, 1..3).fill(value);
                    flat[nth * 3 + 1..nth * 3 + 3].fill(value);
                }
                2 => table.share(),
                _ => {
                    let copy = all[of % 3].clone();
                    all[value as usize % 3] = copy;
                }
            }
        }
        for (table, flat) in &all {
            prop_assert!(table.iter().flatten().eq(flat));
            prop_assert_eq!((table.len(), table.count()), (flat.len(), flat.len() / 3));
        }
    }
}

#[test]
fn a_copy_takes_the_parts_that_it_writes_to() {
    let mut table = Table::new(1 << 20, 0u32);
    table.share();
    let mut copy = table.clone();
    let index = 4 << 10;
    assert_eq!((table.own_bytes(), copy.own_bytes()), (index, index));
    for at in [5, 6, 900_000] {
        copy[at] = 1;
    }
    assert!(copy.own_bytes() <= index + 4 * 4 * PART, "{}", copy.own_bytes());
    assert_eq!((table[5], table.own_bytes()), (0, index));
    // Nobody else is left who could share.
    drop(table);
    copy.unshare();
    assert_eq!((copy[5], copy[7], copy.own_bytes()), (1, 0, 4 << 20));
}
