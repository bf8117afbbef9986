//! What is drawn, and which of it is taken.

use contract::VictimPolicy;

use crate::ftl::victim::tests::choices;

#[test]
fn d_choices_takes_the_best_of_three_draws() {
    let invalid = [1, 2, 3, 4, 5, 6, 7, 0];
    let chosen = choices(VictimPolicy::DChoices, &invalid, 8_000);
    let share = |superblock| chosen.iter().filter(|&&one| one == superblock).count() as f64 / 8e3;
    // The nth best of eight is the best of three draws with the chance ((9 - n)^3 - (8 - n)^3) / 8^3, but for the one
    // without invalid pages, whose chance of 1 in 512 the others have.
    for (nth, superblock) in (1..8).zip([6, 5, 4, 3, 2, 1, 0]) {
        let cube = |n: i32| f64::from(n).powi(3);
        let expected = (cube(9 - nth) - cube(8 - nth)) / 511.0;
        let found = share(superblock);
        assert!((found - expected).abs() < 0.015, "{superblock}: {found}, expected {expected}");
    }
    assert_eq!(share(7), 0.0);
}
