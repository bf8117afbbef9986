//! What recovery makes of lists that are written by hand.

use super::*;
use crate::ftl::shape::tests::geometry;

/// Logical blocks that jobs have.
const BLOCKS: u64 = 700;
/// That of the block of gaps behind them, as a word of a list.
const GAPS: u32 = BLOCKS as u32 + 1;

/// A flash of which every block says that blocks 0 and 1 were deallocated.
struct Told;

impl Flash for Told {
    fn read(
        &mut self,
        addresses: &[u64],
        take: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), DriverError> {
        let mut block = [0; 4096];
        block[0] = 0b0101;
        (0..addresses.len()).for_each(|nth| take(nth, &block));
        Ok(())
    }

    fn fill(&mut self, _: &[u64]) -> Result<u64, DriverError> {
        unreachable!("nothing is filled up")
    }

    fn reset(&mut self, _: u64) -> Result<bool, DriverError> {
        unreachable!("nothing is reset")
    }
}

/// A unit of eight blocks: its position, its place, its first words.
type Unit<'a> = (u64, u32, &'a [u32]);

/// A list of some units.
fn list(number: u64, units: &[Unit<'_>]) -> List {
    let words = units.iter().flat_map(|&(position, place, words)| {
        let mut unit = vec![position as u32, (position >> 32) as u32, place];
        unit.extend_from_slice(words);
        unit.resize(3 + 8, 0);
        unit
    });
    let (place, end) = (1000 + 8 * number as u32, 1 << 40);
    List { place, number, end, blocks: BLOCKS, write_blocks: 8, words: words.collect() }
}

fn with<T>(act: impl FnOnce(&mut Looker<'_, Told>) -> T) -> T {
    let shape = Shape::new(&geometry()).expect("a shape");
    act(&mut Looker { flash: &mut Told, shape: &shape, chunks: &[] })
}

fn map(lists: &[List]) -> Map {
    with(|looker| looker.map(lists, BLOCKS)).expect("a map")
}

/// Where a block is, and whether it is found from there.
fn at(map: &Map, lba: u32) -> Where {
    let found = map.find(lba);
    if let Where::Flash(place) = found {
        assert_eq!(map.block_at(place), Some(lba), "place {place}");
    }
    found
}

/// What was newer than a block when its unit was named again may not be listed: then the block counts.
#[test]
fn a_unit_that_is_named_again_keeps_what_the_second_name_leaves_out() {
    let (first, again) = ((0, 64, &[1, 2, 3][..]), (0, 64, &[1, 0, 3][..]));
    for lists in [
        vec![list(0, &[first]), list(1, &[again])],
        vec![list(0, &[first]), list(1, &[again]), list(2, &[(0, 64, &[0, 0, 3])])],
        vec![list(0, &[first, (8, 72, &[9])]), list(1, &[again, (16, 80, &[10])])],
    ] {
        let map = map(&lists);
        assert_eq!([0, 1, 2].map(|lba| at(&map, lba)), [64, 65, 66].map(Where::Flash));
    }
}

/// A list may name a unit again behind one that names something newer.
#[test]
fn of_two_units_the_one_of_the_later_position_counts_whatever_list_names_it() {
    let lists = [
        list(0, &[(0, 64, &[1, 2])]),
        list(1, &[(1 << 32, 72, &[0, 0, 2])]),
        list(2, &[(0, 64, &[1, 2])]),
    ];
    let map = map(&lists);
    assert_eq!([0, 1].map(|lba| at(&map, lba)), [64, 74].map(Where::Flash));
    // What is valid no more is found from its place all the same, and told from its logical block.
    assert_eq!(map.block_at(65), Some(1));
}

/// A place that was written anew holds what was written last, or nothing.
#[test]
fn a_place_that_was_written_anew_holds_nothing_of_before() {
    let map = map(&[list(0, &[(0, 64, &[1, 2])]), list(1, &[(800, 64, &[0, 5])])]);
    assert_eq!((map.block_at(64), map.block_at(65)), (None, Some(4)));
}

/// A block of gaps speaks of what came before it, and of nothing behind. Of two such blocks the later one counts.
#[test]
fn blocks_of_gaps_count_at_their_position() {
    let gaps = (16, 80, &[GAPS][..]);
    let before = (8, 72, &[1, 2][..]);
    let behind = (24, 88, &[2][..]);
    for lists in [
        vec![list(0, &[before, gaps, behind])],
        vec![list(0, &[before, gaps]), list(1, &[behind]), list(2, &[before])],
        vec![list(0, &[(0, 64, &[GAPS]), before, gaps, behind])],
    ] {
        let map = map(&lists);
        assert_eq!([0, 1].map(|lba| at(&map, lba)), [Where::Nowhere, Where::Flash(88)]);
    }
    let within = map(&[list(0, &[(8, 72, &[1, GAPS, 2])])]);
    assert_eq!([0, 1].map(|lba| at(&within, lba)), [Where::Nowhere, Where::Flash(74)]);
}

/// Units of other lines that are named in a line are known, if anything of them is valid.
#[test]
fn units_that_are_named_in_another_line_are_known_by_it() {
    // Lists stand in line 10; lines have 96 places.
    let lists = [
        list(0, &[(0, 64, &[1, 2]), (8, 72, &[3]), (16, 976, &[4])]),
        list(1, &[(24, 80, &[3]), (32, 992, &[6])]),
    ];
    with(|looker| {
        let map = looker.map(&lists, BLOCKS).expect("a map");
        let recovered = Recovered { map, blocks: BLOCKS, past: Past::default() };
        let named = looker.elsewhere(&lists, Some(&recovered));
        let lines: Vec<_> = named.keys().copied().collect();
        assert_eq!(lines, [10]);
        let units: Vec<_> = named[&10].iter().map(|own| (own.position, own.place)).collect();
        assert_eq!(units, [(0, 64), (24, 80)], "of the unit at 72 nothing is valid");
        assert!(looker.elsewhere(&lists, None).is_empty());
        // A list may still name a place for what that held before it was written anew.
        let anew = [list(0, &[(0, 64, &[1])]), list(1, &[(800, 64, &[5])])];
        let map = looker.map(&anew, BLOCKS).expect("a map");
        let recovered = Recovered { map, blocks: BLOCKS, past: Past::default() };
        let named = looker.elsewhere(&anew, Some(&recovered));
        assert_eq!(named[&10].iter().map(|own| own.position).collect::<Vec<_>>(), [800]);
    });
}

/// A list of another drive, or of another start of it with other sizes, is refused.
#[test]
fn lists_that_name_what_the_drive_does_not_have_are_refused() {
    let good = list(0, &[(0, 64, &[1, 2])]);
    let check = |lists: &[List]| with(|looker| looker.check(lists)).is_ok();
    assert!(check(&[good.clone(), list(1, &[(8, 1912, &[GAPS])])]));
    for bad in [
        List { blocks: 0, ..good.clone() },
        List { blocks: 1920, ..good.clone() },
        List { write_blocks: 4, ..good.clone() },
        list(0, &[(0, 1913, &[1])]),
        list(0, &[(0, 64, &[GAPS + 1])]),
    ] {
        assert!(!check(std::slice::from_ref(&bad)), "{bad:?}");
    }
    assert!(!check(&[good.clone(), List { blocks: 701, ..good }]));
}

/// The next start goes on behind the newest list, with a number and with positions that none had.
#[test]
fn a_start_goes_on_behind_the_newest_list() {
    use super::super::journal::{put_place, Journal};

    let shape = Shape::new(&geometry()).expect("a shape");
    let mut emitted = Vec::new();
    let mut past = Past { position: 160, lists: 7, ..Past::default() };
    for _ in 0..2 {
        let mut journal = Journal::new(&shape, BLOCKS, past.clone());
        journal.add(64, (0..8).map(Some));
        let mut block = [0; 4096];
        journal.emit(0, &mut block);
        put_place(&mut block, 71);
        let list = List::parse(&block, 71).expect("a list");
        past = past_of(std::slice::from_ref(&list)).expect("a list was found");
        emitted.push((list.number, list.units().next().expect("a unit").0, list.end));
    }
    assert_eq!(emitted, [(7, 160, 168), (8, 168, 176)]);
    assert!(past_of(&[]).is_none());
}
