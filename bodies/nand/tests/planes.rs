//! Chips whose planes act together: a block of the firmware is a block of each plane, and so is a page.

use super::chips::{board, Striped, BLOCKS, BLOCK_BYTES, BYTES, PAYLOAD_SEED, STAMPS};
use board::Board;
use contract::{Duration, Lpn, Lpns, Metadata, UnitState};
use nand::{Array, PageMut, PageRef, Payload, Stamp, Work};

const DIE: u32 = 1;
const PLANES: u32 = 4;
/// Flash pages of a word line of all planes.
const TOGETHER: u32 = 12;

/// TLC in one go, four planes, four word lines a block, times that do not deviate; `together` says whether planes act together.
fn tlc(together: bool, more: &[(&str, &str)]) -> Board {
    let set = [
        ("flash.cell_mode", "tlc"),
        ("flash.cell_bits", "3"),
        ("flash.program", "one-shot"),
        ("flash.pages_per_physical_block", "12"),
        ("flash.metadata_bytes", "68"),
        ("flash.planes", "4"),
        ("channel.merging", if together { "planes" } else { "none" }),
        ("flash.t_read_lsb_us", "50"),
        ("flash.t_read_csb_us", "70"),
        ("flash.t_read_msb_us", "60"),
        ("flash.read_deviation_us", "0"),
        ("flash.program_deviation_us", "0"),
        ("flash.erase_deviation_us", "0"),
        ("flash.die_deviation_us", "0"),
        ("recovery.log_entries", "4"),
        ("geometry.blocks_per_way", "256"),
        ("ftl.spare_blocks_per_way", "32"),
        ("ftl.buffer_kib", "1024"),
    ];
    board(&[&set, more].concat())
}

fn array(board: &Board, payload: Payload) -> Array<Striped> {
    let mut array = Array::new(board, payload, 1).expect("legal chips");
    array.set_prior(Striped { rows: 0 });
    array
}

fn metadata(first: u32) -> Metadata {
    let lpns: Lpns = (first..first + TOGETHER).map(|lpn| (Lpn(lpn), UnitState::Kept)).collect();
    Metadata { lpns, ..Lpn(first).into() }
}

fn stamps(first: u32) -> Vec<Stamp> {
    let blocks = u64::from(TOGETHER) * BLOCKS as u64;
    (0..blocks).map(|nth| Stamp::new(u64::from(first) * BLOCKS as u64 + nth, 1)).collect()
}

fn bytes(first: u32) -> Vec<u8> {
    let mut bytes = vec![0; TOGETHER as usize * BLOCKS * BLOCK_BYTES];
    for (block, stamp) in bytes.chunks_mut(BLOCK_BYTES).zip(stamps(first)) {
        stamp.fill(PAYLOAD_SEED, block);
    }
    bytes
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

/// Bits that a read of a flash page corrects.
fn corrected(array: &mut Array<Striped>, row: u32, nth: u32) -> u32 {
    let mut out = vec![Stamp::ZERO; BLOCKS];
    array.read_at(DIE, row, nth * 4096);
    array.transfer_part(DIE, row, (nth * 4096, PageMut::Stamps(&mut out))).corrected_bits
}

#[test]
fn the_firmware_sees_one_plane_of_larger_blocks_and_pages() {
    let (apart, together) = (tlc(false, &[]), tlc(true, &[]));
    let (one, all) = (apart.firmware.geometry, together.firmware.geometry);
    assert_eq!((all.blocks_per_way, one.blocks_per_way), (64, 256));
    assert_eq!((all.pages_per_block, one.pages_per_block), (4, 4));
    assert_eq!((all.page_bytes, one.page_bytes), (12 * 4096, 3 * 4096));
    assert_eq!(together.firmware.flash_page_bytes(), 4096);
    assert_eq!(together.firmware.spare_blocks_per_way, 8);
    assert_eq!(together.capacity().flash_bytes, apart.capacity().flash_bytes);
}

/// One program takes as long as that of one plane; a read takes the time of its flash page's type. Planes come first, types then.
#[test]
fn planes_are_programmed_at_once_and_read_by_flash_pages() {
    let mut array = array(&tlc(true, &[]), STAMPS);
    let worked = array.program(DIE, 0, metadata(6), PageRef::Stamps(&stamps(6)));
    assert_eq!((worked.busy, worked.failed), (Duration::from_us(1600), false));
    for nth in 0..TOGETHER {
        let (busy, found, said) = read(&mut array, 0, nth);
        let us = [50, 70, 60][(nth / PLANES) as usize];
        assert_eq!(busy, Duration::from_us(us), "flash page {nth}");
        assert_eq!(found, stamps(6)[nth as usize * BLOCKS..][..BLOCKS]);
        assert_eq!(said.map(|said| said.lpns), (nth == 11).then(|| metadata(6).lpns), "{nth}");
    }
    assert_eq!(array.erase(DIE, 0).busy, Duration::from_us(5000), "one erase of all planes");
    for nth in 0..TOGETHER {
        assert_eq!(read(&mut array, 0, nth).1, [Stamp::ZERO; BLOCKS], "flash page {nth}");
    }
}

/// With pages that are programmed one by one, a page of the firmware is one of each plane, of one type.
#[test]
fn planes_of_chips_that_program_page_by_page_have_pages_of_one_type() {
    let pages = [
        ("flash.program", "page"),
        ("flash.t_program_lsb_us", "400"),
        ("flash.t_program_csb_us", "900"),
        ("flash.t_program_msb_us", "1700"),
    ];
    let board = tlc(true, &pages);
    assert_eq!(board.firmware.geometry.pages_per_block, 12);
    assert_eq!(board.firmware.geometry.page_bytes, 4 * 4096);
    let mut array = array(&board, STAMPS);
    for (row, (program, tr)) in (0..).zip([(400, 50), (900, 70), (1700, 60)]) {
        let lpns: Lpns = (0..PLANES).map(|lpn| (Lpn(lpn), UnitState::Kept)).collect();
        let metadata = Metadata { lpns, ..Lpn(0).into() };
        let page = &stamps(0)[..PLANES as usize * BLOCKS];
        let worked = array.program(DIE, row, metadata, PageRef::Stamps(page));
        assert_eq!(worked.busy, Duration::from_us(program), "row {row}");
        for nth in 0..PLANES {
            assert_eq!(read(&mut array, row, nth).0, Duration::from_us(tr), "row {row}");
        }
    }
}

/// The lowest bits of a block's number tell its plane.
#[test]
fn a_block_is_bad_where_that_of_any_plane_is() {
    let bad = [("errors.factory_bad_blocks_per_million", "15000")];
    let [apart, together] = [false, true].map(|how| array(&tlc(how, &bad), STAMPS));
    let (mut bad, mut good) = (0, 0);
    for (die, block) in (0..4).flat_map(|die| (0..64).map(move |block| (die, block))) {
        let of_planes = (0..PLANES).filter(|plane| apart.factory_bad(die, block * PLANES + plane));
        let any = of_planes.count() > 0;
        assert_eq!(together.factory_bad(die, block), any, "die {die}, block {block}");
        *(if any { &mut bad } else { &mut good }) += 1;
    }
    assert!(bad > 5 && good > 100, "{bad} of {}", bad + good);
}

/// Each of the planes may fail, so the four of them fail four times as often as one.
#[test]
fn a_program_or_an_erase_fails_where_that_of_any_plane_does() {
    let rate = [
        ("errors.program_failures_per_billion", "30000000"),
        ("errors.erase_failures_per_billion", "20000000"),
    ];
    let mut array = array(&tlc(true, &rate), STAMPS);
    let (mut programs, mut erases) = (0, 0);
    for _ in 0..500 {
        for row in 0..4 {
            programs +=
                u32::from(array.program(DIE, row, metadata(0), PageRef::Stamps(&stamps(0))).failed);
        }
        while array.erase(DIE, 0).failed {
            erases += 1;
        }
    }
    // 1 - 0.97^4 of 2,000, and odds of 1 - 0.98^4 of 500: within five standard deviations.
    assert!((177..=276).contains(&programs), "{programs} programs failed");
    assert!((10..=76).contains(&erases), "{erases} erases failed");
}

/// Reads of a plane's block disturb that block alone, and an erase ends it in all planes.
#[test]
fn a_plane_is_disturbed_by_its_own_reads_until_the_erase_of_all() {
    let rate = [("errors.disturb_bits_per_terabit_per_kiloread", "3000000000")];
    let mut array = array(&tlc(true, &rate), STAMPS);
    array.program(DIE, 0, metadata(0), PageRef::Stamps(&stamps(0)));
    for _ in 0..300 {
        read(&mut array, 0, 1);
    }
    // Some 300 x 3 x 10^-6 of 35,264 bits, whatever the type of the plane's page is.
    for nth in [1, 5, 9] {
        let bits: u32 = (0..8).map(|_| corrected(&mut array, 0, nth)).sum();
        assert!(bits > 120, "flash page {nth}: {bits} bits of 8 reads");
    }
    for nth in [0, 2, 3, 4, 6, 7, 8, 10, 11] {
        let bits: u32 = (0..2).map(|_| corrected(&mut array, 0, nth)).sum();
        assert!(bits < 10, "flash page {nth}: {bits} bits of 2 reads");
    }
    array.erase(DIE, 0);
    array.program(DIE, 0, metadata(0), PageRef::Stamps(&stamps(0)));
    for nth in 0..TOGETHER {
        let bits = corrected(&mut array, 0, nth);
        assert!(bits < 8, "flash page {nth}: {bits} bits behind the erase");
    }
}

/// Wrong bits by voltages are those of the page's type, and of the cells of its plane.
#[test]
fn cells_are_those_of_a_plane_and_bits_those_of_a_type() {
    let cells = [
        ("errors.model", "cells"),
        ("cells.word_line_coupling_per_million", "3000"),
        ("cells.level_sigma_mv", "190"),
        ("ecc.chunk_bytes", "1024"),
        ("ecc.correctable_bits", "60"),
        ("flash.spare_bytes", "1664"),
    ];
    let mut array = array(&tlc(true, &cells), BYTES);
    let page = bytes(0);
    for _ in 0..40 {
        array.wipe(DIE, 0);
    }
    array.program(DIE, 0, metadata(0), PageRef::Bytes(&page));
    array.program(DIE, 1, metadata(0), PageRef::Bytes(&page));
    let mut read = |nth: u32| {
        let mut out = vec![0; BLOCKS * BLOCK_BYTES];
        array.read_at(DIE, 0, nth * 4096);
        let into = PageMut::Bytes(&mut out);
        let read = array.transfer_part(DIE, 0, (nth * 4096, into));
        assert!(!read.uncorrectable, "flash page {nth}");
        assert_eq!(out, page[nth as usize * 4096..][..4096], "flash page {nth}");
        read.corrected_bits
    };
    let by_type: Vec<Vec<u32>> =
        (0..3).map(|of| (0..PLANES).map(|plane| read(of * PLANES + plane)).collect()).collect();
    println!("{by_type:?}");
    for of_type in &by_type {
        assert!(
            of_type.windows(2).any(|pair| pair[0] != pair[1]),
            "planes are of one cell: {by_type:?}"
        );
    }
    // CSB pages have twice the references of LSB pages.
    let sum = |nth: usize| by_type[nth].iter().sum::<u32>();
    assert!(sum(1) > sum(0), "{by_type:?}");
}

/// What is under way when the power goes away is gone in all planes.
#[test]
fn a_program_that_was_cut_off_is_gone_in_all_planes() {
    for (cut, is_there) in [(15, false), (25, true)] {
        let mut array = array(&tlc(true, &[]), STAMPS);
        array.program(DIE, 0, metadata(3), PageRef::Stamps(&stamps(3)));
        array.occupy(DIE, Work::Program { row: 0 }, (10, 20));
        array.cut(cut);
        for nth in 0..TOGETHER {
            let page = stamps(3)[nth as usize * BLOCKS..][..BLOCKS].to_vec();
            let expected = if is_there { page } else { vec![Stamp::CORRUPT; BLOCKS] };
            assert_eq!(read(&mut array, 0, nth).1, expected, "cut at {cut}, flash page {nth}");
        }
    }
}
