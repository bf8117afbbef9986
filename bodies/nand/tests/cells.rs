//! Wrong bits that follow from the voltages of cells.

use super::chips::{board, Chips, Page, Striped, BLOCKS, BLOCK_BYTES, BYTES, STAMPS};
use board::Board;
use contract::Lpn;
use nand::{Array, PageMut, PageRef, Transferred};

/// Data and parity bits of a page: 16 chunks of 256 bytes and one of 24, with 156 bits each.
const PAGE_BITS: f64 = (16 * (2048 + 156) + 192 + 156) as f64;
const PAGE_BYTES: usize = BLOCKS * BLOCK_BYTES;
const PS_PER_HOUR: u64 = 3_600_000_000_000_000;

/// Voltages that the tests count on.
const VOLTAGES: [(&str, &str); 13] = [
    ("cells.erased_gap_mv", "2400"),
    ("cells.level_gap_mv", "1396"),
    ("cells.lower_page_mv", "2154"),
    ("cells.single_mv", "2800"),
    ("cells.erased_sigma_mv", "325"),
    ("cells.level_sigma_mv", "121"),
    ("cells.erased_reference_mv", "1523"),
    ("cells.level_reference_mv", "638"),
    ("cells.lower_page_reference_mv", "1570"),
    ("cells.single_reference_mv", "2040"),
    ("cells.widening_permille_per_kilocycle", "103"),
    ("cells.bit_line_coupling_per_million", "3600"),
    ("cells.word_line_coupling_per_million", "26400"),
];

/// A board of few errors but those of cells.
fn cells(changes: &[(&str, &str)]) -> Board {
    let model = [("errors.model", "cells"), ("flash.metadata_bytes", "24")];
    board(&[&model[..], &VOLTAGES, changes].concat())
}

/// Fills word lines of a block after so many cycles with random data, and counts the wrong bits of all reads but
/// those of the last word line.
fn count(chips: &mut Chips, (cycles, pages): (u32, u32), blocks: u32) -> (f64, f64) {
    let (mut wrong, mut reads) = (0, 0);
    for block in 0..blocks {
        for _ in 0..cycles {
            chips.array.wipe(block % 4, block / 4);
        }
        let row = |page| block / 4 * pages + page;
        for page in 0..pages {
            chips.program(block % 4, row(page), &Page::regular(block * pages + page, 2));
        }
        for page in 0..pages - 2 {
            let read = chips.read(block % 4, row(page)).0;
            assert!(!read.uncorrectable, "{cycles} cycles");
            wrong += read.corrected_bits;
            reads += 1;
        }
    }
    (f64::from(wrong), f64::from(reads))
}

fn assert_near(found: f64, mean: f64, what: &str) {
    assert!((found - mean).abs() <= 5.0 * mean.sqrt() + 1.0, "{what}: {found}, expected {mean}");
}

#[test]
fn one_pair_of_levels_without_neighbours_errs_as_worked_out_by_hand() {
    let board = cells(&[
        ("cells.single_mv", "1000"),
        ("cells.single_reference_mv", "600"),
        ("cells.erased_sigma_mv", "200"),
        ("cells.level_sigma_mv", "100"),
        ("cells.widening_permille_per_kilocycle", "100"),
        ("cells.bit_line_coupling_per_million", "0"),
        ("cells.word_line_coupling_per_million", "0"),
        ("cells.retention_per_million", "0"),
        ("cells.disturb_mv_per_million_reads", "0"),
    ]);
    // Fresh: 600 of 200 mV and 400 of 100 mV are 3 and 4 deviations. After 1,000 cycles: 2.727273 and 3.636364.
    for (cycles, erased, programmed) in
        [(0, 1.349_898e-3, 3.167_124e-5), (1000, 3.193e-3, 1.382e-4)]
    {
        let share = (erased + programmed) / 2.0;
        for payload in [BYTES, STAMPS] {
            let mut chips = Chips::new(&board, payload, 7);
            let (wrong, reads) = count(&mut chips, (cycles, 8), 32);
            let what = format!("{payload:?}, {cycles} cycles");
            assert_near(wrong, reads * PAGE_BITS * share, &what);
        }
    }
}

#[test]
fn stamps_draw_as_many_wrong_bits_as_scrambled_bytes_have() {
    let modes = [
        ("slc", "2", 8, [900, 1000, 1100]),
        ("mlc", "2", 16, [350, 500, 600]),
        ("tlc", "4", 12, [300, 350, 400]),
    ];
    for (mode, bits, pages, worn) in modes {
        // Wider than a real cell is, so that few pages have many wrong bits, and in one condition for all reads.
        let board = cells(&[
            ("flash.cell_mode", mode),
            ("flash.cell_bits", bits),
            ("cells.widening_permille_per_kilocycle", "1000"),
            ("cells.disturb_mv_per_million_reads", "0"),
        ]);
        for cycles in worn {
            let [bytes, stamps] = [BYTES, STAMPS]
                .map(|payload| count(&mut Chips::new(&board, payload, 3), (cycles, pages), 32));
            assert!(bytes.0 > 400.0, "{mode}, {cycles} cycles: {} wrong bits say little", bytes.0);
            // Two counts of rare events. The scrambler's levels come alike to some hundredths only.
            let spread = 5.0 * (bytes.0 + stamps.0).sqrt() + 0.05 * stamps.0;
            let (bytes, stamps) = (bytes.0, stamps.0);
            assert!((bytes - stamps).abs() < spread, "{mode}, {cycles}: {bytes} and {stamps}");
        }
    }
}

/// MLC chips in a pattern that is not scrambled.
struct Patterned {
    array: Array<Striped>,
    board: Board,
}

impl Patterned {
    fn new(changes: &[(&str, &str)], seed: u64) -> Self {
        let mode = [("flash.cell_mode", "mlc"), ("ecc.scrambler", "off")];
        let board = cells(&[&mode[..], changes].concat());
        Self { array: Array::new(&board, BYTES, seed).expect("legal chips"), board }
    }

    /// Programs a word line with two bytes, the upper page first, of the first block of die 0.
    fn program(&mut self, word_line: u32, [upper, lower]: [u8; 2]) {
        for (page, byte) in [(2 * word_line, lower), (2 * word_line + 1, upper)] {
            let data = [byte; PAGE_BYTES];
            let worked = self.array.program(0, page, Lpn(page), PageRef::Bytes(&data));
            assert!(!worked.failed);
        }
    }

    fn read(&mut self, page: u32) -> (Transferred, Vec<u8>) {
        self.array.read(0, page);
        let mut data = vec![0; PAGE_BYTES];
        let read = self.array.transfer(0, page, PageMut::Bytes(&mut data));
        (read, data)
    }

    /// Wrong bits of an upper page, as they come when nothing can be corrected.
    fn wrong(&mut self, word_line: u32) -> u32 {
        self.read(2 * word_line + 1).0.corrected_bits
    }
}

const ERASED: [u8; 2] = [0xff, 0xff];
const FIRST: [u8; 2] = [0x00, 0xff];
const SECOND: [u8; 2] = [0x00, 0x00];

#[test]
fn the_next_word_line_raises_cells_by_what_its_own_rise_by() {
    // Erased cells of a worn block, which any rise turns over.
    let after = |next: Option<[u8; 2]>| {
        let mut chips = Patterned::new(&[("cells.erased_sigma_mv", "500")], 5);
        chips.program(0, ERASED);
        if let Some(next) = next {
            chips.program(1, next);
        }
        chips.wrong(0)
    };
    let [alone, erased, second, first] = [None, Some(ERASED), Some(SECOND), Some(FIRST)].map(after);
    assert!(alone > 10, "{alone} wrong bits say little");
    assert_eq!(alone, erased, "erased cells have not risen");
    // The second level comes from that of the lower page, the first from erased.
    assert!(alone < second && second < first, "{alone}, {second}, {first}");
}

#[test]
fn the_same_cells_are_wrong_at_each_read_and_others_in_the_next_cycle() {
    let mut chips = Patterned::new(&[("cells.erased_sigma_mv", "700")], 5);
    chips.program(0, ERASED);
    let (lost, first) = chips.read(1);
    assert!(lost.uncorrectable, "{lost:?}");
    assert_eq!(chips.read(1).1, first);
    chips.array.wipe(0, 0);
    chips.program(0, ERASED);
    assert_ne!(chips.read(1).1, first);
    let mut other = Patterned::new(&[("cells.erased_sigma_mv", "700")], 6);
    other.program(0, ERASED);
    assert_ne!(other.read(1).1, first, "another seed");
    let mut same = Patterned::new(&[("cells.erased_sigma_mv", "700")], 5);
    same.program(0, ERASED);
    assert_eq!(same.read(1).1, first, "the same seed");
}

#[test]
fn charge_is_lost_with_time_and_read_levels_follow_it() {
    let mut chips = Patterned::new(&[("cells.retention_per_million", "9000")], 5);
    // The highest level: ones in the upper page, zeros in the lower.
    chips.program(0, [0xff, 0x00]);
    assert_eq!(chips.read(1).0.corrected_bits, 0, "fresh");
    chips.array.tell(2000 * PS_PER_HOUR);
    let lost = chips.read(1).0;
    assert!(lost.uncorrectable, "{lost:?}");
    let levels = 1..=chips.board.flash.read_levels;
    let readable = levels.filter(|&level| {
        chips.array.set_level(0, level);
        !chips.read(1).0.uncorrectable
    });
    assert!(readable.count() >= 3, "read retry brings the page back");
}

#[test]
fn reads_of_a_block_raise_its_erased_cells() {
    let mut chips = Patterned::new(
        &[("cells.disturb_mv_per_million_reads", "20000"), ("cells.erased_sigma_mv", "450")],
        5,
    );
    chips.program(0, ERASED);
    let before = chips.wrong(0);
    for _ in 0..10_000 {
        chips.array.read(0, 0);
    }
    let after = chips.wrong(0);
    // 200 mV of the 1,523 to the reference: 3.38 deviations become 2.94.
    assert!(before > 0 && after > 2 * before, "{before} before, {after} after");
}

#[test]
fn the_lower_page_alone_has_levels_of_its_own() {
    let mut chips = Patterned::new(&[("cells.widening_permille_per_kilocycle", "0")], 5);
    let data = [0x0f; PAGE_BYTES];
    assert!(!chips.array.program(0, 0, Lpn(0), PageRef::Bytes(&data)).failed);
    assert_eq!(chips.read(0).1, data);
    assert!(!chips.array.program(0, 1, Lpn(1), PageRef::Bytes(&[0x33; PAGE_BYTES])).failed);
    assert_eq!((chips.read(0).1, chips.read(1).1), (data.to_vec(), vec![0x33; PAGE_BYTES]));
}

#[test]
fn pages_of_the_prior_are_cells_too() {
    let board = cells(&[("cells.single_reference_mv", "1100")]);
    let mut chips = Chips::new(&board, BYTES, 3);
    chips.array.set_prior(Striped { rows: 8 });
    let wrong: u32 = (0..8).map(|row| chips.read(0, row).0.corrected_bits).sum();
    assert!(wrong > 20, "{wrong}");
}

#[test]
fn stamps_that_are_not_scrambled_tell_no_bits() {
    let board = cells(&[("ecc.scrambler", "off")]);
    let refused = Array::<Striped>::new(&board, STAMPS, 1).map(|_| ()).expect_err("nobody knows");
    let line = refused.to_string();
    assert!(
        line.starts_with("small: ecc.scrambler: found off, expected on, or real bytes"),
        "{line}"
    );
    assert!(Array::<Striped>::new(&board, BYTES, 1).is_ok());
}
