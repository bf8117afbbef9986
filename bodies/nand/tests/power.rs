//! What chips hold when the power goes away in the middle of something.

use board::Board;
use contract::{Lpn, Lpns, Metadata, PageKind};
use nand::{Array, PageMut, PageRef, Payload, Prior, Stamp, Transferred, Work};

struct Nothing;

impl Prior for Nothing {
    fn logical(&self, _: u32, _: u32) -> Option<Lpn> {
        None
    }
}

const PAYLOADS: [Payload; 2] =
    [Payload::Stamps { block_bytes: 4096 }, Payload::Bytes { block_bytes: 4096, seed: 1 }];

/// A drive that keeps a log, without wrong bits.
fn array(payload: Payload) -> (Array<Nothing>, usize) {
    let overrides = [
        ("recovery.log_entries".to_owned(), "4".to_owned()),
        ("errors.raw_bits_per_terabit".to_owned(), "0".to_owned()),
        ("errors.raw_bits_per_terabit_per_kilocycle".to_owned(), "0".to_owned()),
    ];
    let board = Board::resolve("small", &overrides).expect("the board");
    let page_bytes = board.firmware.geometry.page_bytes as usize;
    (Array::new(&board, payload, 1).expect("a suitable board"), page_bytes)
}

fn metadata(lpn: u32, sequence: u64) -> Metadata {
    Metadata { kind: PageKind::Snapshot, epoch: 3, sequence, lpns: Lpns::one(Lpn(lpn)) }
}

/// Programs a page of the log, from `from` to `until`.
fn program(array: &mut Array<Nothing>, row: u32, bytes: &[u8], times: (u64, u64)) {
    let metadata = metadata(row, 100 + u64::from(row));
    assert!(!array.program(0, row, metadata, PageRef::Log(bytes)).failed);
    array.occupy(0, Work::Program { row }, times);
}

fn read(array: &mut Array<Nothing>, row: u32, bytes: usize) -> (Transferred, Vec<u8>) {
    let mut out = vec![0xa5; bytes];
    array.read(0, row);
    (array.transfer(0, row, PageMut::Log(&mut out)), out)
}

#[test]
fn a_program_is_done_cut_off_or_not_begun() {
    for payload in PAYLOADS {
        let (mut array, page) = array(payload);
        let bytes: Vec<u8> = (0..page).map(|at| (at * 7 % 251) as u8).collect();
        program(&mut array, 0, &bytes, (10, 20));
        program(&mut array, 1, &bytes, (20, 30));
        array.cut(25);
        let (done, found) = read(&mut array, 0, page);
        assert_eq!((done.metadata, done.uncorrectable), (Some(metadata(0, 100)), false));
        assert_eq!(found, bytes);
        let (torn, _) = read(&mut array, 1, page);
        assert_eq!((torn.metadata, torn.uncorrectable), (None, true));
        program(&mut array, 2, &bytes, (40, 50));
        array.cut(40);
        let (absent, found) = read(&mut array, 2, page);
        assert_eq!((absent.metadata, absent.uncorrectable), (None, false));
        assert!(found.iter().all(|&byte| byte == 0), "an erased page");
        program(&mut array, 3, &bytes, (60, 70));
        array.cut(70);
        assert_eq!(read(&mut array, 3, page).1, bytes, "the page behind it could be programmed");
        assert_eq!(read(&mut array, 2, page).0.metadata, None, "it was left out");
    }
}

/// A block that stands in for another begins with the page that failed there. Before that is programmed, all of it is erased.
#[test]
fn pages_left_out_for_a_program_that_had_not_begun_can_be_programmed() {
    for payload in PAYLOADS {
        let (mut array, page) = array(payload);
        let bytes = vec![7; page];
        program(&mut array, 3, &bytes, (10, 20));
        array.cut(10);
        program(&mut array, 1, &bytes, (30, 40));
        array.cut(40);
        assert_eq!(read(&mut array, 1, page).1, bytes);
        // Behind a page that is programmed, the block is erased from the next one on.
        program(&mut array, 5, &bytes, (50, 60));
        array.cut(50);
        program(&mut array, 2, &bytes, (70, 80));
        assert_eq!(read(&mut array, 2, page).1, bytes);
        assert_eq!(read(&mut array, 1, page).1, bytes);
    }
}

#[test]
fn a_block_whose_erase_is_cut_off_holds_nothing_until_it_is_erased() {
    for payload in PAYLOADS {
        let (mut array, page) = array(payload);
        let bytes = vec![9; page];
        program(&mut array, 0, &bytes, (10, 20));
        assert!(!array.erase(0, 0).failed);
        array.occupy(0, Work::Erase { block: 0 }, (30, 40));
        array.cut(39);
        for row in [0, 1] {
            assert!(read(&mut array, row, page).0.uncorrectable, "row {row}");
        }
        assert!(!array.erase(0, 0).failed);
        array.occupy(0, Work::Erase { block: 0 }, (50, 60));
        array.cut(60);
        assert_eq!(read(&mut array, 0, page).0.metadata, None);
        program(&mut array, 0, &bytes, (70, 80));
        assert_eq!(read(&mut array, 0, page).1, bytes);
    }
}

#[test]
fn data_come_with_their_metadata_where_a_log_is_kept() {
    let (mut array, page) = array(PAYLOADS[0]);
    let stamps: Vec<Stamp> = (0..page as u64 / 4096).map(|nth| Stamp::new(20 + nth, 3)).collect();
    let data = Metadata { kind: PageKind::Data, epoch: 3, sequence: 77, lpns: Lpns::one(Lpn(5)) };
    assert!(!array.program(0, 0, data, PageRef::Stamps(&stamps)).failed);
    assert_eq!(read(&mut array, 0, page).0.metadata, Some(data));
    let mut out = vec![Stamp::ZERO; stamps.len()];
    array.read(0, 0);
    assert_eq!(array.transfer(0, 0, PageMut::Stamps(&mut out)).metadata, Some(data));
    assert_eq!(out, stamps);
}
