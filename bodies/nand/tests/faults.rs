//! Wrong bits, failures and bad blocks come as often as the board says, and alike in both payloads.

use super::chips::{board, lpn, Chips, Page, Striped, BLOCKS, BYTES, DIES, PAGES, STAMPS};
use contract::Lpn;
use nand::{Array, PageMut, Stamp, Transferred, Worked};

/// Data and parity bits of a page: 16 chunks of 256 bytes and one of 4, with 156 bits each.
const PAGE_BITS: f64 = (16 * (2048 + 156) + 32 + 156) as f64;

/// A sum of independent rare events lies within five standard deviations of its mean.
fn assert_near(found: f64, mean: f64, what: &str) {
    assert!((found - mean).abs() <= 5.0 * mean.sqrt() + 1.0, "{what}: {found}, expected {mean}");
}

#[test]
fn corrected_bits_follow_the_rate_and_the_cycles() {
    const READS: u32 = 20_000;
    let board = board(&[
        ("errors.raw_bits_per_terabit", "2000000"),
        ("errors.raw_bits_per_terabit_per_kilocycle", "100000000"),
    ]);
    let mut chips = Chips::new(&board, STAMPS, 3);
    for (cycles, rate) in [(0, 2e-6), (200, 2.2e-5)] {
        for _ in 0..cycles {
            chips.array.wipe(1, 2);
        }
        let row = 2 * PAGES;
        chips.program(1, row, &Page::regular(5, 2));
        let reads = (0..READS).map(|_| chips.read(1, row).0);
        let corrected: u32 = reads.map(|transferred| transferred.corrected_bits).sum();
        let mean = f64::from(READS) * PAGE_BITS * rate;
        assert_near(f64::from(corrected), mean, &format!("{cycles} cycles"));
    }
}

/// P(X > 13) for the wrong bits X of a chunk, Poisson with this mean.
fn beyond_correction(mean: f64) -> f64 {
    let mut share = (-mean).exp();
    let mut within = share;
    for count in 1..=13 {
        share *= mean / f64::from(count);
        within += share;
    }
    1.0 - within
}

#[test]
fn pages_are_uncorrectable_as_often_as_some_chunk_has_too_many_wrong_bits() {
    const READS: u32 = 20_000;
    let board = board(&[("errors.raw_bits_per_terabit", "3000000000")]);
    let mut chips = Chips::new(&board, STAMPS, 4);
    chips.program(0, 0, &Page::regular(1, 1));
    let mut lost = 0;
    for _ in 0..READS {
        lost += u32::from(chips.read(0, 0).0.uncorrectable);
    }
    let chunk = beyond_correction(2204.0 * 3e-3);
    let page = 1.0 - (1.0 - chunk).powi(16);
    assert_near(f64::from(lost), f64::from(READS) * page, "uncorrectable pages");
}

#[test]
fn wrong_blocks_of_an_uncorrectable_page_show() {
    let board = board(&[("errors.raw_bits_per_terabit", "20000000000")]);
    let page = Page::regular(9, 3);
    for payload in [STAMPS, BYTES] {
        let mut chips = Chips::new(&board, payload, 4);
        chips.program(0, 0, &page);
        let (transferred, stamps) = chips.read(0, 0);
        // 44 wrong bits a chunk of data, 7 in that of the metadata: here few enough to correct.
        assert_eq!(stamps, [Stamp::CORRUPT; 4]);
        assert_eq!(lpn(&transferred), page.spare);
        assert!(transferred.uncorrectable);
        assert_eq!(transferred.chunks_with_errors, 17);
        assert!(transferred.corrected_bits <= 13, "only the metadata");
    }
}

#[test]
fn each_read_level_leaves_its_share_of_the_wrong_bits() {
    // 12 wrong bits a chunk: nearly every page is lost at level 0, none with 3 a chunk.
    let rate = ("errors.raw_bits_per_terabit", "5500000000");
    for (percent, readable) in [("50", 2), ("25", 1), ("100", 8)] {
        let board = board(&[rate, ("errors.retry_percent", percent)]);
        let mut chips = Chips::new(&board, STAMPS, 3);
        chips.program(0, 0, &Page::regular(9, 3));
        let lost = [0, 1, 2, 7].map(|level| {
            chips.array.set_level(0, level);
            (0..50).filter(|_| chips.read(0, 0).0.uncorrectable).count()
        });
        for (level, lost) in [0, 1, 2, 7].into_iter().zip(lost) {
            match level < readable {
                true => assert!(lost > 0, "level {level}, {percent} %: {lost} of 50"),
                false => assert_eq!(lost, 0, "level {level}, {percent} %"),
            }
        }
    }
}

#[test]
fn a_read_level_is_of_a_die_and_stays() {
    let board =
        board(&[("errors.raw_bits_per_terabit", "10000000000"), ("errors.retry_percent", "0")]);
    let mut chips = Chips::new(&board, STAMPS, 1);
    let page = Page::regular(2, 2);
    chips.program(0, 0, &page);
    chips.program(1, 0, &page);
    chips.array.set_level(0, 1);
    for row in 1..3 {
        chips.program(0, row, &page);
    }
    for row in 0..3 {
        assert_eq!(chips.read(0, row).0.corrected_bits, 0, "row {row}");
    }
    assert!(chips.read(1, 0).0.uncorrectable, "another die");
    chips.array.set_level(0, 0);
    assert!(chips.read(0, 0).0.uncorrectable, "level 0 again");
}

#[test]
fn an_erased_page_has_no_errors() {
    let board = board(&[("errors.raw_bits_per_terabit", "50000000000")]);
    for payload in [STAMPS, BYTES] {
        let mut chips = Chips::new(&board, payload, 4);
        for row in 0..PAGES {
            let (transferred, stamps) = chips.read(0, row);
            assert_eq!(stamps, Page::ERASED.stamps);
            let clean = Transferred {
                metadata: None,
                corrected_bits: 0,
                most_bits: 0,
                chunks_with_errors: 0,
                uncorrectable: false,
                erased: true,
            };
            assert_eq!(transferred, clean);
        }
    }
}

#[test]
fn a_second_transfer_of_the_register_gives_the_same() {
    let board = board(&[("errors.raw_bits_per_terabit", "3000000000")]);
    let mut chips = Chips::new(&board, STAMPS, 4);
    chips.program(0, 0, &Page::regular(1, 1));
    for _ in 0..100 {
        let first = chips.read(0, 0);
        let mut stamps = [Stamp::ZERO; 4];
        let second = chips.array.transfer(0, 0, PageMut::Stamps(&mut stamps));
        assert_eq!(first, (second, stamps));
    }
}

#[test]
fn failed_programs_come_at_their_rate_and_leave_the_page_undefined() {
    const PROGRAMS: u32 = 20_000;
    let board = board(&[("errors.program_failures_per_billion", "20000000")]);
    let mut chips = Chips::new(&board, STAMPS, 5);
    let page = Page::regular(3, 1);
    let mut failed = 0;
    for count in 0..PROGRAMS {
        let row = count % PAGES;
        if chips.program(2, row, &page).failed {
            failed += 1;
            for _ in 0..3 {
                let (transferred, stamps) = chips.read(2, row);
                assert!(transferred.uncorrectable);
                assert_eq!(lpn(&transferred), Lpn(u32::MAX));
                assert_eq!(stamps, [Stamp::CORRUPT; 4]);
            }
        } else {
            assert_eq!(chips.read(2, row).1, page.stamps);
        }
        if row == PAGES - 1 {
            assert!(!chips.array.erase(2, 0).failed);
        }
    }
    assert_near(f64::from(failed), f64::from(PROGRAMS) * 0.02, "failed programs");
}

#[test]
fn failed_erases_come_at_their_rate_and_leave_the_block_as_it_was() {
    const ERASES: u32 = 20_000;
    let board = board(&[("errors.erase_failures_per_billion", "20000000")]);
    let mut chips = Chips::new(&board, STAMPS, 5);
    chips.array.set_prior(Striped { rows: 2 * PAGES });
    let (mut failed, mut page) = (0, Page::regular(PAGES * DIES + 2, 1));
    for version in 2..ERASES + 2 {
        let cycles = chips.array.cycles(2, 1);
        if chips.array.erase(2, 1).failed {
            failed += 1;
            assert_eq!(chips.read(2, PAGES).1, page.stamps);
            assert_eq!(chips.array.cycles(2, 1), cycles);
        } else {
            assert_eq!(chips.read(2, PAGES).1, Page::ERASED.stamps);
            assert_eq!(chips.array.cycles(2, 1), cycles + 1);
            page = Page::regular(4, version);
            chips.program(2, PAGES, &page);
        }
    }
    assert_near(f64::from(failed), f64::from(ERASES) * 0.02, "failed erases");
}

#[test]
fn factory_bad_blocks_come_at_their_rate_and_by_seed() {
    let board = board::Board::resolve("cosmos-plus", &[]).unwrap();
    assert_eq!(board.errors.factory_bad_blocks_per_million, 2000);
    let bad = |seed| -> Vec<(u32, u32)> {
        let stamps = nand::Payload::Stamps { block_bytes: 4096 };
        let array = Array::<Striped>::new(&board, stamps, seed).unwrap();
        let all = (0..64).flat_map(|die| (0..8192).map(move |block| (die, block)));
        all.filter(|&(die, block)| array.factory_bad(die, block)).collect()
    };
    let (one, other) = (bad(1), bad(2));
    assert_near(one.len() as f64, 64.0 * 8192.0 * 0.002, "bad blocks");
    assert_eq!(one, bad(1));
    assert_ne!(one, other);
}

/// What a fixed run on one die gives: times, failures, counts and data.
#[derive(Debug, PartialEq)]
enum Event {
    Worked(Worked),
    Read(Box<(Transferred, [Stamp; 4])>),
}

fn faulty() -> board::Board {
    board(&[
        ("errors.raw_bits_per_terabit", "3000000000"),
        ("errors.program_failures_per_billion", "50000000"),
        ("errors.erase_failures_per_billion", "50000000"),
    ])
}

/// Step `step` of the run: blocks in turn, each page programmed and read twice.
fn step(chips: &mut Chips, die: u32, step: u32, events: &mut Vec<Event>) {
    let row = step % (2 * PAGES);
    if row % PAGES == 0 && step >= 2 * PAGES {
        let erased = chips.array.erase(die, row / PAGES);
        events.push(Event::Worked(erased));
        if erased.failed {
            chips.array.wipe(die, row / PAGES);
        }
    }
    events.push(Event::Worked(chips.program(die, row, &Page::regular(row + die, step + 1))));
    for _ in 0..2 {
        let (transferred, stamps) = chips.read(die, row);
        events.push(Event::Read(Box::new((transferred, stamps))));
    }
}

#[test]
fn both_payloads_give_the_same_run() {
    let run = |payload| {
        let mut chips = Chips::new(&faulty(), payload, 6);
        let mut events = vec![];
        for count in 0..200 {
            step(&mut chips, 1, count, &mut events);
        }
        events
    };
    let (stamps, bytes) = (run(STAMPS), run(BYTES));
    let lost = |event: &&Event| matches!(event, Event::Read(read) if read.0.uncorrectable);
    assert!(stamps.iter().filter(lost).count() > 10);
    assert_eq!(stamps, bytes);
}

#[test]
fn a_die_does_the_same_whatever_the_others_do() {
    const STEPS: u32 = 300;
    let mut chips = Chips::new(&faulty(), STAMPS, 7);
    let mut one_by_one: [Vec<Event>; DIES as usize] = Default::default();
    for die in 0..DIES {
        for count in 0..STEPS {
            step(&mut chips, die, count, &mut one_by_one[die as usize]);
        }
    }
    let mut chips = Chips::new(&faulty(), STAMPS, 7);
    let mut interleaved: [Vec<Event>; DIES as usize] = Default::default();
    for count in 0..STEPS {
        for die in (0..DIES).rev() {
            step(&mut chips, die, count, &mut interleaved[die as usize]);
        }
    }
    assert_eq!(one_by_one, interleaved);
    let counts = |events: &Vec<Event>| -> Vec<u32> {
        let reads = events.iter().filter_map(|event| match event {
            Event::Read(read) => Some(read.0.corrected_bits),
            Event::Worked(_) => None,
        });
        reads.collect()
    };
    assert_ne!(counts(&interleaved[0]), counts(&interleaved[1]), "dies have their own faults");
}

/// The parts of a page come as the whole does, and only the part is lost that has the chunk.
#[test]
fn a_part_of_a_page_has_its_own_data_and_its_own_wrong_bits() {
    let board = board(&[("errors.raw_bits_per_terabit", "3000000000")]);
    for payload in [STAMPS, BYTES] {
        let mut chips = Chips::new(&board, payload, 4);
        let mut both = 0;
        for row in 0..PAGES {
            chips.program(1, row, &Page::regular(5 + row, 2));
        }
        for row in (0..PAGES).cycle().take(80) {
            let (whole, stamps) = chips.read(1, row);
            let parts: Vec<_> = (0..BLOCKS).map(|block| chips.part(1, row, block)).collect();
            for ((part, stamp), expected) in parts.iter().zip(stamps) {
                assert_eq!((*stamp, lpn(part)), (expected, Lpn(u32::MAX)));
                assert!(part.uncorrectable || expected != Stamp::CORRUPT);
            }
            let sum = |of: fn(&Transferred) -> u32| parts.iter().map(|(part, _)| of(part)).sum();
            let chunks: u32 = sum(|part| part.chunks_with_errors);
            let bits: u32 = sum(|part| part.corrected_bits);
            let lost: u32 = sum(|part| part.uncorrectable.into());
            // What is left is the metadata's.
            assert!((chunks..=chunks + 1).contains(&whole.chunks_with_errors));
            assert!((bits..=bits + 13).contains(&whole.corrected_bits));
            assert!(whole.uncorrectable || lost == 0);
            both += u32::from(lost > 0 && lost < BLOCKS as u32);
        }
        assert!(both > 3, "{both} pages had lost and good parts");
    }
}
