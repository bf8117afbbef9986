//! What the chips refuse, and what boards cannot be modelled.

use super::chips::{board, lpn, Chips, Page, Striped, BLOCK_BYTES, PAGES, STAMPS};
use board::Board;
use contract::Lpn;
use nand::{Array, PageMut, PageRef, Payload};

const PAGE: fn() -> Page = || Page::regular(3, 1);

fn fresh() -> Chips {
    Chips::new(&board(&[]), STAMPS, 1)
}

fn filled(rows: u32) -> Chips {
    let mut chips = fresh();
    chips.array.set_prior(Striped { rows });
    chips
}

/// Chips with bad blocks.
fn flawed() -> Chips {
    Chips::new(&board(&[("errors.factory_bad_blocks_per_million", "120000")]), STAMPS, 3)
}

/// A bad block of die 0.
fn bad_block(chips: &Chips) -> u32 {
    (0..8).find(|&block| chips.array.factory_bad(0, block)).expect("this seed gives one")
}

macro_rules! refused {
    ($($name:ident: $expected:literal, $chips:expr => $run:expr;)*) => {$(
        #[test]
        #[should_panic(expected = $expected)]
        fn $name() {
            let mut chips = $chips;
            let run: fn(&mut Chips) = $run;
            run(&mut chips);
        }
    )*};
}

refused! {
    program_twice: "die 0, row 1: program of a page that is not erased", {
        let mut chips = fresh();
        chips.program(0, 1, &PAGE());
        chips
    } => |chips| { chips.program(0, 1, &PAGE()); };
    program_below_a_programmed_page: "die 0, row 1: program below a programmed page", {
        let mut chips = fresh();
        chips.program(0, 2, &PAGE());
        chips
    } => |chips| { chips.program(0, 1, &PAGE()); };
    program_of_a_prior_page: "die 2, row 9: program of a page that is not erased", filled(10)
        => |chips| { chips.program(2, 9, &PAGE()); };
    program_after_a_failed_program: "die 0, row 0: program of a page that is not erased", {
        let board = board(&[("errors.program_failures_per_billion", "1000000000")]);
        let mut chips = Chips::new(&board, STAMPS, 1);
        assert!(chips.program(0, 0, &PAGE()).failed);
        chips
    } => |chips| { chips.program(0, 0, &PAGE()); };
    program_after_a_failed_erase: "die 0, row 0: program of a page that is not erased", {
        let board = board(&[("errors.erase_failures_per_billion", "1000000000")]);
        let mut chips = Chips::new(&board, STAMPS, 1);
        chips.program(0, 0, &PAGE());
        assert!(chips.array.erase(0, 0).failed);
        chips
    } => |chips| { chips.program(0, 0, &PAGE()); };
    hold_on_a_prior_page: "die 2, row 9: program of a page that is not erased", filled(10)
        => |chips| chips.array.hold(2, 9, &[Lpn(1)]);
    hold_beyond_the_namespace: "not in the namespace", fresh()
        => |chips| chips.array.hold(0, 0, &[Lpn(u32::MAX)]);
    program_in_a_bad_block: "program in a block that is bad from the factory", flawed()
        => |chips| { chips.program(0, bad_block(chips) * PAGES, &PAGE()); };
    erase_of_a_bad_block: "erase of a block that is bad from the factory", flawed()
        => |chips| { chips.array.erase(0, bad_block(chips)); };
    wipe_of_a_bad_block: "erase of a block that is bad from the factory", flawed()
        => |chips| chips.array.wipe(0, bad_block(chips));
    row_out_of_range: "die 3: block 8 out of range", fresh()
        => |chips| { chips.array.read(3, 8 * PAGES); };
    die_out_of_range: "die 4 out of range", fresh()
        => |chips| { chips.array.read(4, 0); };
    block_out_of_range: "die 0: block 8 out of range", fresh()
        => |chips| { chips.array.erase(0, 8); };
    transfer_of_another_row: "die 1, row 5: transfer of a row that is not in the page register", {
        let mut chips = fresh();
        chips.array.read(1, 4);
        chips
    } => |chips| { chips.array.transfer(1, 5, PageMut::Stamps(&mut PAGE().stamps)); };
    transfer_after_a_program: "transfer of a row that is not in the page register", {
        let mut chips = fresh();
        chips.array.read(1, 4);
        chips.program(1, 8, &PAGE());
        chips
    } => |chips| { chips.array.transfer(1, 4, PageMut::Stamps(&mut PAGE().stamps)); };
    page_in_another_form: "a page not in the form of the payload", fresh()
        => |chips| { chips.array.program(0, 0, Lpn(0), PageRef::Bytes(&[0; 4096])); };
    page_of_another_size: "stamps of a page", fresh()
        => |chips| { chips.array.program(0, 0, Lpn(0), PageRef::Stamps(&PAGE().stamps[..3])); };
    prior_stated_twice: "stated once", filled(1)
        => |chips| chips.array.set_prior(Striped { rows: 1 });
}

#[test]
fn pages_may_be_left_out_upwards() {
    let mut chips = filled(PAGES + 2);
    for row in [PAGES + 3, PAGES + 5, 2 * PAGES + 7] {
        assert!(!chips.program(0, row, &PAGE()).failed);
        assert_eq!(chips.read(0, row).1, PAGE().stamps);
        assert_eq!(lpn(&chips.read(0, row - 1).0), Page::ERASED.spare);
    }
}

fn refusal(board: &Board, block_bytes: u32) -> String {
    let payload = Payload::Stamps { block_bytes };
    Array::<Striped>::new(board, payload, 1).err().map(|error| error.to_string()).unwrap()
}

#[test]
fn boards_that_do_not_suit_are_refused_with_one_line() {
    let sound = board(&[]);
    let wide = board(&[("ecc.chunk_bytes", "4096"), ("ecc.correctable_bits", "200")]);
    let block_bytes = BLOCK_BYTES as u32;
    for (board, block_bytes, expected) in [
        (
            &sound,
            3000,
            "small: namespace.block_bytes: found 3000, expected 16 or more that divide \
             geometry.page_bytes of 4096",
        ),
        (
            &sound,
            0,
            "small: namespace.block_bytes: found 0, expected 16 or more that divide \
             geometry.page_bytes of 4096",
        ),
        (
            &wide,
            block_bytes,
            "small: ecc: chunk_bytes, t: found 4096 and 200, which need 3192 parity bits, expected \
             at most 2560",
        ),
    ] {
        assert_eq!(refusal(board, block_bytes), expected);
    }
}

#[test]
fn more_blocks_than_stamps_have_lbas_for_are_refused() {
    let board = Board::resolve("cosmos-plus", &[]).unwrap();
    let blocks = u64::from(board.firmware.logical_pages) * (16384 / 16);
    let expected = format!(
        "cosmos-plus: namespace: found {blocks} logical blocks, expected at most 17179869184"
    );
    assert_eq!(refusal(&board, 16), expected);
}
