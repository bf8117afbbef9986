//! How far it looks for a clean entry.

use contract::ReplacementPolicy;

use crate::ftl::replacement::tests::given_up;
use crate::ftl::replacement::tests::Use::{Read, Write};

#[test]
fn a_clean_page_goes_before_dirty_ones_that_are_older_as_far_as_the_window_reaches() {
    let uses = [Write(0), Write(1), Read(2), Read(3), Read(4), Read(5), Read(6)];
    let found = |window| given_up(ReplacementPolicy::CleanFirst.with([window]), &uses);
    assert_eq!(found(4), [2, 3, 4]);
    assert_eq!(found(3), [2, 3, 4]);
    assert_eq!(found(2), [0, 2, 3]);
    assert_eq!(found(1), [0, 1, 2]);
}

#[test]
fn the_oldest_goes_where_all_are_dirty() {
    let uses = [Write(0), Write(1), Write(2), Write(3), Write(4), Read(5)];
    assert_eq!(given_up(ReplacementPolicy::CleanFirst.with([64]), &uses), [0, 1]);
}
