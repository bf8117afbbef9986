//! Preconditioning leaves the state that really writing the drive leaves: the same map, the same
//! blocks, the same data.

use std::ops::ControlFlow;

use board::Board;
use firmware::ftl::blocks::Stream;
use firmware::ftl::fill::Permutation;
use firmware::ftl::precondition::{Overwrites, Precondition};
use firmware::ftl::translate::Translator;
use machine::{Payload, Polling, Stamp};
use torture::bench::Bench;

const BLOCKS_A_PAGE: u64 = 4;

fn bench(overrides: &[(&str, &str)]) -> (Bench, u32) {
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|&(k, v)| (k.into(), v.into())).collect();
    let board = Board::resolve("small", &overrides).expect("the board");
    let pages = board.firmware.logical_pages;
    (Bench::new(&board, Payload::Stamps { block_bytes: 4096 }, Polling::Skip), pages)
}

/// Writes logical pages through the whole drive, one after the other.
fn write_pages(bench: &mut Bench, pages: impl Iterator<Item = u32>) {
    for page in pages {
        let lba = u64::from(page) * BLOCKS_A_PAGE;
        let stamps: Vec<Stamp> = (lba..lba + BLOCKS_A_PAGE).map(|lba| Stamp::new(lba, 1)).collect();
        bench.write(lba, &stamps);
        // A drive that collects ahead of need has the time for it.
        bench.drive.run(|_| false);
    }
}

fn assert_same_state(a: &Bench, b: &Bench, what: &str) {
    let (a, b) = (a.drive.firmware().translator(), b.drive.firmware().translator());
    for lpn in 0..a.map().pages() {
        let lpn = contract::Lpn(lpn);
        assert_eq!(a.map().lookup(lpn), b.map().lookup(lpn), "{what}: place of {lpn:?}");
    }
    assert_eq!(a.map().mapped(), b.map().mapped());
    for die in 0..4 {
        for stream in Stream::ALL {
            let open = [a, b].map(|t| t.blocks().open(die, stream));
            assert_eq!(open[0], open[1], "{what}: open block of way {die}");
        }
        let free = [a, b].map(|t| t.blocks().free_list(die).collect::<Vec<_>>());
        assert_eq!(free[0], free[1], "{what}: free blocks of way {die}");
        for block in 0..32 {
            let [a, b] = [a, b].map(Translator::blocks);
            let roles = [a, b].map(|blocks| blocks.role(die, block));
            assert_eq!(roles[0], roles[1], "{what}: block {block} of way {die}");
            // A drive with a log erases what it finds free once more, before it opens it.
            let [a, b] = [a, b].map(|blocks| blocks.erases_of(die, block));
            let most = if what.contains("recovery.log_entries") { a + 1 } else { a };
            assert!(
                (a..=most).contains(&b),
                "{what}: {a} and {b} erases of block {block} of way {die}"
            );
        }
        for superblock in 0..a.blocks().superblocks_per_way() {
            let [a, b] = [a, b]
                .map(|t| (t.blocks().valid(die, superblock), t.blocks().members(die, superblock)));
            assert_eq!(a, b, "{what}: superblock {superblock} of way {die}");
        }
    }
    assert_eq!(a.collected(), b.collected(), "{what}: collections");
}

fn assert_same_data(a: &mut Bench, b: &mut Bench, pages: u32) {
    for bench in [&mut *a, &mut *b] {
        bench.start_once();
    }
    for page in (0..u64::from(pages)).step_by(8) {
        let lba = page * BLOCKS_A_PAGE;
        let count = (u64::from(pages) * BLOCKS_A_PAGE - lba).min(32) as usize;
        let expected: Vec<Stamp> =
            (lba..lba + count as u64).map(|lba| Stamp::new(lba, 1)).collect();
        for (bench, what) in [(&mut *a, "preconditioned"), (&mut *b, "written")] {
            assert_eq!(bench.read(lba, count).expect("readable"), expected, "{what} at {lba}");
        }
    }
}

fn compare(state: Precondition, overrides: &[(&str, &str)]) {
    let through = [("ftl.cache", "write-through")];
    let on_demand = [("ftl.background_collection_pages", "0")];
    compare_on(state, &[&through, overrides].concat());
    compare_on(state, &[&through, &on_demand, overrides].concat());
}

fn compare_on(state: Precondition, overrides: &[(&str, &str)]) {
    let (mut at_once, pages) = bench(overrides);
    let overwrites = at_once.drive.precondition(state);
    let (mut written, _) = bench(overrides);
    written.start_once();
    match state {
        Precondition::None => {}
        Precondition::Sequential => write_pages(&mut written, 0..pages),
        Precondition::Random(seed) => {
            let order = Permutation::new(pages, seed);
            write_pages(&mut written, (0..pages).map(|rank| order.backward(rank)));
        }
        Precondition::Steady(seed) | Precondition::SteadyRun(seed) => {
            assert!(overwrites > 0);
            write_pages(&mut written, 0..pages);
            let order = Overwrites::new(pages, seed).take(overwrites as usize);
            write_pages(&mut written, order.map(|lpn| lpn.0));
        }
    }
    let what = format!("{state:?} {overrides:?}");
    assert_same_state(&at_once, &written, &what);
    if state != Precondition::None {
        assert_same_data(&mut at_once, &mut written, pages);
    }
}

#[test]
fn sequential() {
    compare(Precondition::Sequential, &[]);
    compare(Precondition::Sequential, &[("ftl.placement", "way-first")]);
    compare(Precondition::Sequential, &[("ftl.placement", "idle-first")]);
}

#[test]
fn sequential_where_no_formula_holds() {
    compare(Precondition::Sequential, &[("ftl.placement", "random")]);
}

#[test]
fn random() {
    compare(Precondition::Random(3), &[]);
    compare(Precondition::Random(4), &[("ftl.placement", "way-first")]);
}

#[test]
fn steady() {
    compare(Precondition::Steady(5), &[]);
    compare(Precondition::Steady(6), &[("ftl.placement", "random")]);
}

#[test]
fn steady_whatever_is_collected() {
    for (policy, seed) in [("cost-benefit", 11), ("d-choices", 12), ("random", 13)] {
        compare(Precondition::Steady(seed), &[("ftl.victim", policy)]);
    }
}

#[test]
fn steady_where_wear_is_levelled() {
    compare(Precondition::Steady(14), &[("ftl.wear_levelling", "dynamic")]);
    let level = [("ftl.wear_levelling", "static"), ("ftl.wear_spread", "2")];
    compare(Precondition::Steady(15), &level);
}

#[test]
fn steady_where_streams_are_apart() {
    compare(Precondition::Steady(16), &[("ftl.streams", "apart")]);
    compare(Precondition::Steady(19), &[("ftl.streams", "by-writes")]);
    let log = [("geometry.blocks_per_way", "48"), ("recovery.log_entries", "6")];
    compare(Precondition::Steady(17), &[&log[..], &[("ftl.streams", "apart")]].concat());
}

#[test]
fn with_factory_bad_blocks() {
    let bad = [("errors.factory_bad_blocks_per_million", "30000")];
    compare(Precondition::Sequential, &bad);
    compare(Precondition::Steady(7), &bad);
}

/// Pages of several mapping units are filled by as many at a time.
#[test]
fn of_small_mapping_units() {
    let units = [("ftl.mapping_unit_bytes", "4096"), ("flash.metadata_bytes", "36")];
    compare(Precondition::Sequential, &units);
    let way_first = [&units[..], &[("ftl.placement", "way-first")]].concat();
    compare(Precondition::Random(18), &way_first);
    let random = [&units[..], &[("ftl.placement", "random")]].concat();
    compare(Precondition::Sequential, &random);
}

/// Where channels join operations over planes, pages lie in superblocks.
#[test]
fn on_joined_planes() {
    let compare = |planes, state, more: &[(&str, &str)]| {
        let joined = [
            ("channel.scheduler", "controller"),
            ("channel.execution", "out-of-order"),
            ("channel.merging", "planes"),
            ("flash.planes", planes),
        ];
        compare(state, &[&joined, more].concat());
    };
    let bad = [("errors.factory_bad_blocks_per_million", "30000")];
    compare("2", Precondition::Sequential, &[]);
    compare("2", Precondition::Steady(8), &bad);
    compare("4", Precondition::Random(9), &bad);
    compare("4", Precondition::Steady(10), &[]);
}

/// Every 4,096 pages, from the first on; who watches may break it off there.
#[test]
fn who_watches_is_told_at_even_distances_and_may_break_it_off() {
    let set = [("geometry.blocks_per_way", "256")];
    let mut told = Vec::new();
    let (mut whole, pages) = bench(&set);
    let overwrites = whole.drive.precondition_watched(Precondition::Steady(1), &mut |progress| {
        told.push(progress.written);
        assert!(progress.written <= progress.most, "{progress:?}");
        ControlFlow::Continue(())
    });
    let ControlFlow::Continue(overwrites) = overwrites else { panic!("it came to its end") };
    let expected: Vec<u64> =
        (1..).map(|nth| nth * 4096).take_while(|written| *written <= overwrites).collect();
    assert!(expected.len() > 3, "{overwrites} overwrites of {pages} pages");
    assert_eq!(told, expected);
    let (mut cut, _) = bench(&set);
    let mut left = 2;
    let end = cut.drive.precondition_watched(Precondition::Steady(1), &mut |_| {
        left -= 1;
        if left == 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert_eq!((end, left), (ControlFlow::Break(()), 0));
}
