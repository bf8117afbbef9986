use super::*;

const GEOMETRY: Geometry = Geometry {
    channels: 8,
    ways: 8,
    blocks_per_way: 8192,
    pages_per_block: 128,
    page_bytes: 16384,
};

/// Fills the first half of block 0 of every die.
struct Half;

impl Prior for Half {
    fn logical(&self, die: u32, row: u32) -> Option<Lpn> {
        (row < 64).then_some(Lpn(row * 64 + die))
    }
}

fn half_filled(versions_per_page: usize) -> Blocks<Half> {
    let mut blocks = Blocks::new(GEOMETRY, (versions_per_page, 1), Kept::No);
    blocks.set_prior(Half);
    blocks
}

#[test]
fn a_terabyte_has_no_tables_until_it_is_programmed() {
    let mut blocks = half_filled(4);
    assert_eq!(GEOMETRY.pages(), 1 << 26);
    assert_eq!(blocks.tables.own_bytes(), 0);
    for page in 0..128 {
        blocks.program(blocks.place(0, 128 + page), NewContent::Aside);
    }
    assert_eq!(blocks.tables.len() * size_of::<u32>(), 128 * 20, "20 bytes a page");
    blocks.erase(1);
    blocks.program(blocks.place(0, 128), NewContent::Aside);
    assert_eq!(blocks.tables.len() * size_of::<u32>(), 128 * 20, "the table is used again");
}

/// Otherwise chips would need more memory with each power loss, and a snapshot would have more tables than blocks.
#[test]
fn the_table_of_a_block_whose_erase_was_cut_off_is_used_again() {
    let mut blocks = half_filled(4);
    blocks.program(blocks.place(0, 128), NewContent::Aside);
    for _ in 0..3 {
        blocks.tear_all(1);
        blocks.erase(1);
        blocks.program(blocks.place(0, 128), NewContent::Aside);
    }
    assert_eq!(blocks.tables.count(), 1);
    blocks.tear_all(1);
    blocks.program(blocks.place(0, 256), NewContent::Regular(Lpn(3)));
    assert_eq!(blocks.tables.count(), 1, "another block takes it");
    let (mut first, mut read) = (Vec::new(), half_filled(4));
    blocks.put_tables(&mut first).expect("memory takes it");
    let state = borsh::to_vec(&blocks.states).expect("memory takes it");
    read.states = borsh::from_slice(&state).expect("states");
    read.take_tables(&half_filled(4), &mut &first[..]).expect("as many tables as blocks");
}

#[test]
fn a_block_that_the_prior_filled_in_part_goes_on_where_it_ended() {
    let mut blocks = half_filled(4);
    let places = half_filled(4);
    let at = |row| places.place(3, row);
    assert_eq!(blocks.content(at(63)), Content::Fresh(Lpn(63 * 64 + 3)));
    assert_eq!(blocks.content(at(64)), Content::Erased);
    let versions = blocks.program(at(66), NewContent::Regular(Lpn(9)));
    versions.copy_from_slice(&[1, 2, 3, 4]);
    assert_eq!(blocks.content(at(63)), Content::Fresh(Lpn(63 * 64 + 3)));
    assert_eq!(blocks.content(at(65)), Content::Erased);
    assert_eq!(blocks.content(at(66)), Content::Versions(Lpn(9), &[1, 2, 3, 4]));
    assert_eq!(blocks.content(at(67)), Content::Erased);
    blocks.erase(at(66).block);
    assert!((0..128).all(|row| blocks.content(at(row)) == Content::Erased));
    blocks.program(at(1), NewContent::Aside);
    assert_eq!(blocks.content(at(0)), Content::Erased);
    assert_eq!(blocks.aside(at(0).block).collect::<Vec<_>>(), [1]);
}

#[test]
fn the_last_logical_page_with_a_code_keeps_its_number() {
    let mut blocks = half_filled(0);
    let at = blocks.place(0, 200);
    blocks.program(at, NewContent::Regular(Lpn(REGULAR_END - 1)));
    assert_eq!(blocks.content(at), Content::Fresh(Lpn(REGULAR_END - 1)));
}
