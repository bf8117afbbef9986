//! Chips that program word lines as a whole.

use super::chips::{board, Striped, BLOCKS, STAMPS};
use board::Board;
use contract::{Duration, Lpn, Lpns, Metadata, UnitState};
use nand::{Array, PageMut, PageRef, Stamp, Work};

const DIE: u32 = 1;

/// Cells of three bits, word lines in one go or in two passes, times that do not deviate.
fn tlc(program: &str) -> Board {
    board(&[
        ("flash.cell_mode", "tlc"),
        ("flash.cell_bits", "3"),
        ("flash.program", program),
        ("flash.pages_per_physical_block", "12"),
        ("flash.metadata_bytes", "32"),
        ("flash.t_read_lsb_us", "50"),
        ("flash.t_read_csb_us", "70"),
        ("flash.t_read_msb_us", "60"),
        ("flash.read_deviation_us", "0"),
        ("flash.program_deviation_us", "0"),
        ("flash.die_deviation_us", "0"),
        ("recovery.log_entries", "4"),
        ("geometry.blocks_per_way", "64"),
        ("ftl.buffer_kib", "1024"),
    ])
}

fn array(board: &Board) -> Array<Striped> {
    let mut array = Array::new(board, STAMPS, 1).expect("legal chips");
    array.set_prior(Striped { rows: 0 });
    array
}

fn metadata(first: u32) -> Metadata {
    let lpns: Lpns = (first..first + 3).map(|lpn| (Lpn(lpn), UnitState::Kept)).collect();
    Metadata { lpns, ..Lpn(first).into() }
}

fn stamps(first: u32) -> Vec<Stamp> {
    let blocks = 3 * BLOCKS as u64;
    (0..blocks).map(|nth| Stamp::new(u64::from(first) * BLOCKS as u64 + nth, 1)).collect()
}

/// Reads a flash page of a row: tR, what it holds, and whether metadata came with it.
fn read(
    array: &mut Array<Striped>,
    row: u32,
    nth: u32,
) -> (Duration, Vec<Stamp>, Option<Metadata>) {
    let mut out = vec![Stamp::ZERO; BLOCKS];
    let busy = array.read_at(DIE, row, nth * 4096);
    let read = array.transfer_part(DIE, row, (nth * 4096, PageMut::Stamps(&mut out)));
    (busy, out, read.metadata)
}

#[test]
fn a_word_line_is_programmed_at_once_and_read_by_its_pages() {
    let board = tlc("one-shot");
    assert_eq!(board.firmware.geometry.pages_per_block, 4);
    let mut array = array(&board);
    let worked = array.program(DIE, 0, metadata(6), PageRef::Stamps(&stamps(6)));
    assert_eq!((worked.busy, worked.failed), (Duration::from_us(1600), false));
    for (nth, us) in [50, 70, 60].into_iter().enumerate() {
        let (busy, found, said) = read(&mut array, 0, nth as u32);
        assert_eq!(busy, Duration::from_us(us));
        assert_eq!(found, stamps(6)[nth * BLOCKS..][..BLOCKS]);
        assert_eq!(said.map(|said| said.lpns), (nth == 2).then(|| metadata(6).lpns), "page {nth}");
    }
}

#[test]
fn between_two_passes_a_word_line_holds_nothing() {
    let mut array = array(&tlc("two-pass"));
    let page = stamps(9);
    let pass = |array: &mut Array<Striped>| {
        array.program(DIE, 0, metadata(9), PageRef::Stamps(&page)).busy
    };
    assert_eq!(pass(&mut array), Duration::from_us(1600));
    assert_eq!(read(&mut array, 0, 0).1, [Stamp::CORRUPT; BLOCKS]);
    assert_eq!(pass(&mut array), Duration::from_us(3200));
    assert_eq!(read(&mut array, 0, 0).1, page[..BLOCKS]);
    // The next row begins with its first pass.
    let next = array.program(DIE, 1, metadata(0), PageRef::Stamps(&stamps(0)));
    assert_eq!(next.busy, Duration::from_us(1600));
}

#[test]
fn a_first_pass_is_followed_by_the_second_of_the_same_row_alone() {
    let mut array = array(&tlc("two-pass"));
    // The second pass of row 0 never comes.
    array.program(DIE, 0, metadata(0), PageRef::Stamps(&stamps(0)));
    let next = array.program(DIE, 1, metadata(3), PageRef::Stamps(&stamps(3)));
    assert_eq!(next.busy, Duration::from_us(1600));
    assert_eq!(read(&mut array, 1, 0).1, [Stamp::CORRUPT; BLOCKS]);
}

#[test]
fn behind_an_erase_a_word_line_begins_with_its_first_pass() {
    let mut array = array(&tlc("two-pass"));
    array.program(DIE, 0, metadata(0), PageRef::Stamps(&stamps(0)));
    array.erase(DIE, 0);
    let again = array.program(DIE, 0, metadata(0), PageRef::Stamps(&stamps(0)));
    assert_eq!(again.busy, Duration::from_us(1600));
    assert_eq!(read(&mut array, 0, 0).1, [Stamp::CORRUPT; BLOCKS]);
}

#[test]
fn a_pass_that_was_cut_off_or_not_begun_leaves_nothing() {
    // When the power goes away: in the first pass, between the passes, before the second begins, in it, and behind it.
    for (cut, passes, is_there) in
        [(5, 1, false), (15, 1, false), (19, 2, false), (25, 2, false), (40, 2, true)]
    {
        let mut array = array(&tlc("two-pass"));
        let times = [(1, 10), (20, 30)];
        for time in &times[..passes] {
            array.program(DIE, 0, metadata(3), PageRef::Stamps(&stamps(3)));
            array.occupy(DIE, Work::Program { row: 0 }, *time);
        }
        array.cut(cut);
        let expected =
            if is_there { stamps(3)[..BLOCKS].to_vec() } else { vec![Stamp::CORRUPT; BLOCKS] };
        assert_eq!(read(&mut array, 0, 0).1, expected, "cut at {cut}");
    }
    // One whose first pass had not begun was never there.
    let mut array = array(&tlc("two-pass"));
    array.program(DIE, 0, metadata(3), PageRef::Stamps(&stamps(3)));
    array.occupy(DIE, Work::Program { row: 0 }, (10, 20));
    array.cut(5);
    assert_eq!(read(&mut array, 0, 0).1, [Stamp::ZERO; BLOCKS]);
}

#[test]
#[should_panic(expected = "transfer of another flash page")]
fn only_the_flash_page_that_was_read_is_in_the_register() {
    let mut array = array(&tlc("one-shot"));
    array.read_at(DIE, 0, 0);
    let mut out = [Stamp::ZERO; BLOCKS];
    array.transfer_part(DIE, 0, (4096, PageMut::Stamps(&mut out)));
}
