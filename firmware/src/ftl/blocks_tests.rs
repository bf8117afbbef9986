//! Tests of the roles and lists of blocks.

use super::*;

fn small() -> Blocks {
    let geometry =
        Geometry { channels: 1, ways: 1, blocks_per_way: 8, pages_per_block: 4, page_bytes: 4096 };
    Blocks::new(geometry, 3, |_, block| block == 3)
}

#[test]
fn spares_are_the_last_good_blocks_and_bad_ones_are_left_out() {
    let blocks = small();
    assert_eq!(blocks.free_list(0).collect::<Vec<_>>(), [0, 1, 2, 4, 5]);
    assert_eq!((blocks.role(0, 7), blocks.role(0, 3)), (Role::Spare, Role::Bad));
    assert_eq!((blocks.free_count(0), blocks.spare_percent()), (5, 100));
}

#[test]
fn the_victim_is_the_block_with_the_most_invalid_pages() {
    let mut blocks = small();
    for _ in 0..2 {
        blocks.open_next(0);
        for _ in 0..4 {
            blocks.take_page(0);
        }
    }
    assert_eq!(blocks.begin_collection(0), None);
    blocks.invalidate(0, 0);
    assert_eq!(blocks.most_invalid(0), 1);
    blocks.invalidate(0, 1);
    blocks.invalidate(0, 1);
    assert_eq!(blocks.begin_collection(0), Some(1));
    assert_eq!((blocks.role(0, 1), blocks.left_in_victim(0)), (Role::Victim, Some(2)));
    assert_eq!(blocks.most_invalid(0), 1, "that of the other block");
    blocks.invalidate(0, 1);
    blocks.invalidate(0, 1);
    assert_eq!(blocks.reclaim(0), 1);
    assert_eq!((blocks.victim(0), blocks.begin_collection(0)), (None, Some(0)));
    assert_eq!(blocks.free_list(0).last(), Some(1));
    assert_eq!((blocks.erases_of(0, 1), blocks.erases()), (1, 1));
}

#[test]
fn a_spare_takes_over_role_and_list_of_a_bad_block() {
    let mut blocks = small();
    blocks.open_next(0);
    blocks.take_page(0);
    blocks.take_page(0);
    assert_eq!(blocks.split(0, 0, 1), Some(7));
    assert_eq!((blocks.open(0), blocks.role(0, 0)), (Some((7, 2)), Role::Failed));
    assert_eq!((blocks.valid(0, 0), blocks.valid(0, 7)), (1, 1));
    blocks.invalidate(0, 0);
    assert_eq!(blocks.role(0, 0), Role::Bad);
    assert_eq!(blocks.replace(0, 2), Some(6));
    assert_eq!(blocks.free_list(0).collect::<Vec<_>>(), [1, 4, 5, 6]);
    assert_eq!(blocks.replace(0, 1), None);
    assert_eq!(blocks.spare_percent(), 0);
    // Without a stand-in a block takes no more data.
    assert_eq!(blocks.free_list(0).collect::<Vec<_>>(), [4, 5, 6]);
    assert_eq!(blocks.split(0, 7, 1), None);
    assert_eq!((blocks.open(0), blocks.role(0, 7)), (None, Role::Closed));
}

#[test]
fn a_spare_that_stands_in_for_a_victim_is_collected_in_its_place() {
    for whole in [true, false] {
        let mut blocks = small();
        blocks.take_pages(0, 4);
        blocks.invalidate(0, 0);
        assert_eq!(blocks.begin_collection(0), Some(0));
        blocks.collected_to(0, 2);
        let spare = if whole { blocks.replace(0, 0) } else { blocks.split(0, 0, 2) };
        assert_eq!((spare, blocks.victim(0)), (Some(7), Some((7, 2))));
        let valid = if whole { 3 } else { 2 };
        assert_eq!((blocks.role(0, 7), blocks.left_in_victim(0)), (Role::Victim, Some(valid)));
        for _ in 0..valid {
            blocks.invalidate(0, 7);
        }
        assert_eq!(blocks.reclaim(0), 7);
        assert_eq!(blocks.free_list(0).last(), Some(7));
    }
}
