//! Tests of the roles and lists of blocks.

use super::*;
use crate::ftl::log::page::BlockPlace;
use crate::nvme::tests::mock::configuration;
use crate::planted::{plant, Bug};

fn blocks(blocks_per_way: u32, planes: u32, spares: u32, bad: &[u32]) -> Blocks {
    let geometry =
        Geometry { channels: 1, ways: 1, blocks_per_way, pages_per_block: 4, page_bytes: 4096 };
    let config = Configuration {
        geometry,
        unit_bytes: geometry.page_bytes,
        joined_planes: planes,
        spare_blocks_per_way: spares,
        ..configuration()
    };
    Blocks::new(&config, |_, block| bad.contains(&block))
}

/// Collects the superblock with the most invalid pages, if any has one.
fn begin(blocks: &mut Blocks) -> Option<u32> {
    let most = blocks.most_invalid(0);
    let victim = if most > 0 { blocks.unchanged_longest(0, most) } else { None };
    victim.inspect(|&victim| blocks.begin_collection(0, victim))
}

fn small() -> Blocks {
    blocks(8, 1, 3, &[3])
}

#[test]
fn spares_are_the_last_good_blocks_and_bad_ones_are_left_out() {
    let blocks = small();
    assert_eq!(blocks.free_list(0).collect::<Vec<_>>(), [0, 1, 2, 4, 5]);
    assert_eq!((blocks.role(0, 7), blocks.role(0, 3)), (Role::Spare, Role::Bad));
    assert_eq!((blocks.free_count(0), blocks.spare_percent()), (5, 100));
}

/// Where a block is that was out of use, when so many of its pages are found to hold data.
fn found_again(held: u32) -> BlockPlace {
    let mut blocks = small();
    blocks.restore(0, 2, (BlockPlace::Bad, 0));
    let valid: Vec<u32> = (0..8).map(|block| if block == 2 { held } else { 0 }).collect();
    blocks.rebuild(&valid, &[]);
    blocks.place_of(0, 2)
}

/// The power went away before the newer copies of its pages were programmed.
#[test]
fn a_block_out_of_use_whose_pages_hold_data_again_is_one_that_failed() {
    assert_eq!(
        [0, 1, 4].map(found_again),
        [BlockPlace::Bad, BlockPlace::Failed, BlockPlace::Failed]
    );
    plant(Some(Bug::BadBlockStaysEmpty));
    let with_bug = found_again(1);
    plant(None);
    assert_eq!(with_bug, BlockPlace::Bad);
}

#[test]
fn the_victim_is_the_block_with_the_most_invalid_pages() {
    let mut blocks = small();
    for _ in 0..2 {
        blocks.open_next(0, Stream::Host);
        for _ in 0..4 {
            blocks.take_page((0, Stream::Host), 1);
        }
    }
    assert_eq!(begin(&mut blocks), None);
    blocks.invalidate(0, 0);
    assert_eq!(blocks.most_invalid(0), 1);
    blocks.invalidate(0, 1);
    blocks.invalidate(0, 1);
    assert_eq!(begin(&mut blocks), Some(1));
    assert_eq!((blocks.role(0, 1), blocks.left_in_victim(0)), (Role::Victim, Some(2)));
    assert_eq!(blocks.most_invalid(0), 1, "that of the other block");
    blocks.invalidate(0, 1);
    blocks.invalidate(0, 1);
    assert_eq!(blocks.reclaim(0), 1);
    assert_eq!((blocks.victim(0), begin(&mut blocks)), (None, Some(0)));
    assert_eq!(blocks.free_list(0).last(), Some(1));
    assert_eq!((blocks.erases_of(0, 1), blocks.erases()), (1, 1));
}

#[test]
fn a_spare_takes_over_role_and_list_of_a_bad_block() {
    let mut blocks = small();
    blocks.open_next(0, Stream::Host);
    blocks.take_page((0, Stream::Host), 1);
    blocks.take_page((0, Stream::Host), 1);
    assert_eq!(blocks.stand_in(0, 0, 1), Some(7));
    assert_eq!((blocks.open(0, Stream::Host), blocks.role(0, 0)), (Some((0, 2)), Role::Failed));
    assert_eq!((blocks.members(0, 0), blocks.valid(0, 0)), (&[7][..], 1));
    blocks.invalidate(0, 0);
    assert_eq!((blocks.role(0, 0), blocks.valid(0, 0)), (Role::Bad, 1));
    assert_eq!(blocks.stand_in(0, 2, 0), Some(6));
    assert_eq!(blocks.free_list(0).collect::<Vec<_>>(), [1, 4, 5, 6]);
    assert_eq!(blocks.stand_in(0, 1, 0), None);
    assert_eq!(blocks.spare_percent(), 0);
    // Without a stand-in a block takes no more data.
    assert_eq!(blocks.free_list(0).collect::<Vec<_>>(), [4, 5, 6]);
    assert_eq!(blocks.stand_in(0, 7, 1), None);
    assert_eq!((blocks.open(0, Stream::Host), blocks.role(0, 7)), (None, Role::Closed));
}

#[test]
fn a_spare_that_stands_in_for_a_victim_is_collected_in_its_place() {
    for whole in [true, false] {
        let mut blocks = small();
        blocks.take_pages((0, Stream::Host), 4);
        blocks.invalidate(0, 0);
        assert_eq!(begin(&mut blocks), Some(0));
        blocks.collected_to(0, 2);
        let kept = u32::from(!whole);
        assert_eq!((blocks.stand_in(0, 0, kept), blocks.victim(0)), (Some(7), Some((0, 2))));
        let valid = 3 - kept;
        assert_eq!((blocks.role(0, 7), blocks.left_in_victim(0)), (Role::Victim, Some(valid)));
        for _ in 0..valid {
            blocks.invalidate(0, 7);
        }
        assert_eq!(blocks.reclaim(0), 0);
        assert_eq!(blocks.free_list(0).last(), Some(7));
    }
}

fn free(blocks: &Blocks) -> Vec<Vec<u32>> {
    let list: Vec<u32> = blocks.free_list(0).collect();
    list.chunks(blocks.planes() as usize).map(<[u32]>::to_vec).collect()
}

#[test]
fn superblocks_have_a_block_of_each_plane_and_of_one_number_while_there_are_such() {
    // Three spares are two of each plane. Block 2's partner stays whole and becomes a spare.
    let sound = blocks(16, 2, 3, &[2]);
    let expected = [[0, 1], [4, 5], [6, 7], [8, 9], [10, 11], [12, 13]];
    assert_eq!(free(&sound), expected);
    assert_eq!([3, 14, 15].map(|block| sound.role(0, block)), [Role::Spare; 3]);
    // With more bad blocks than spares, the blocks that are left go together.
    let poor = blocks(16, 2, 1, &[2, 5, 7]);
    assert_eq!(free(&poor), [[0, 1], [8, 9], [10, 11], [12, 13], [14, 15], [4, 3]]);
    assert_eq!((poor.role(0, 6), poor.spare_percent()), (Role::Spare, 100));
    assert_eq!((poor.superblock_pages(), poor.free_count(0)), (8, 6));
}

#[test]
fn pages_that_follow_each_other_are_in_one_row_of_all_planes() {
    let mut blocks = blocks(16, 4, 0, &[]);
    let rows: Vec<u32> = (0..6)
        .map(|_| {
            if blocks.left(0, Stream::Host) == 0 {
                blocks.open_next(0, Stream::Host);
            }
            blocks.take_page((0, Stream::Host), 1)
        })
        .collect();
    assert_eq!(rows, [0, 4, 8, 12, 1, 5]);
    assert_eq!(
        (blocks.open(0, Stream::Host), blocks.left_in_row(0, Stream::Host)),
        (Some((0, 6)), 2)
    );
}

#[test]
fn a_block_is_replaced_in_its_plane_only() {
    let mut blocks = blocks(16, 2, 4, &[]);
    blocks.take_pages((0, Stream::Host), 8);
    // Two pages of block 1 were programmed before one that failed, and one of them holds data still.
    blocks.invalidate(0, 1);
    assert_eq!(blocks.stand_in(0, 1, 1), Some(15));
    assert_eq!((blocks.members(0, 0), blocks.valid(0, 0)), (&[0, 15][..], 6));
    assert_eq!((blocks.row(0, 0, 4), blocks.row(0, 0, 5)), (2, 62));
    assert_eq!((blocks.role(0, 1), blocks.role(0, 15)), (Role::Failed, Role::Closed));
    blocks.invalidate(0, 1);
    assert_eq!((blocks.role(0, 1), blocks.valid(0, 0)), (Role::Bad, 6));
    // The pages that the failed block kept count as invalid.
    assert_eq!(blocks.most_invalid(0), 2);
    assert_eq!((begin(&mut blocks), blocks.left_in_victim(0)), (Some(0), Some(6)));
    (0..3).for_each(|_| blocks.invalidate(0, 0));
    (0..3).for_each(|_| blocks.invalidate(0, 15));
    assert_eq!(blocks.reclaim(0), 0);
    assert_eq!([0, 1, 15].map(|block| blocks.erases_of(0, block)), [1, 0, 1]);
    assert_eq!(blocks.erases(), 2);
    assert_eq!((blocks.stand_in(0, 15, 0), blocks.spare_percent()), (Some(13), 0));
    assert_eq!((blocks.stand_in(0, 13, 0), blocks.role(0, 0)), (None, Role::Bad));
    assert_eq!(free(&blocks), [[2, 3], [4, 5], [6, 7], [8, 9], [10, 11]]);
    assert_eq!(blocks.stand_in(0, 0, 0), None, "the other plane has spares, and no use for them");
}

/// What a drive knows from its log alone is what it knew when it was new, and since.
#[test]
fn spares_are_counted_from_those_of_the_new_drive_though_only_the_log_tells_of_them() {
    for planes in [1, 2] {
        let mut known = blocks(16, planes, 4, &[3]);
        let lost = known.members(0, 0)[0];
        known.stand_in(0, lost, 0).expect("a spare");
        let mut told = blocks(16, planes, 4, &(0..16).collect::<Vec<_>>());
        for block in 0..16 {
            told.restore(0, block, (known.place_of(0, block), 0));
        }
        told.rebuild(&[0; 16], &[]);
        assert!(known.spare_percent() < 100);
        assert_eq!(told.spare_percent(), known.spare_percent(), "{planes} planes");
    }
}
