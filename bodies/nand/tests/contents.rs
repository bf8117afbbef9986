//! What was programmed is what is read, in both payloads.

use super::chips::{board, lpn, Chips, Page, Striped, BLOCKS, BYTES, DIES, PAGES, STAMPS};
use contract::Lpn;
use nand::{Payload, Prior, Stamp};
use proptest::prelude::*;

const BLOCKS_PER_DIE: u32 = 8;
const ROWS: u32 = BLOCKS_PER_DIE * PAGES;

#[derive(Clone, Debug)]
enum Step {
    /// Programs the page of a block after leaving some out, if the block has that many left.
    Program {
        die: u32,
        block: u32,
        skipped: u32,
        page: Page,
    },
    Hold {
        die: u32,
        block: u32,
        lpn: u32,
    },
    Erase {
        die: u32,
        block: u32,
    },
    Wipe {
        die: u32,
        block: u32,
    },
    Read {
        die: u32,
        row: u32,
    },
}

fn any_page() -> impl Strategy<Value = Page> {
    let regular = (0..80u32, 1..5u32).prop_map(|(lpn, version)| Page::regular(lpn, version));
    let holes = (regular.clone(), 0..BLOCKS, 0..BLOCKS).prop_map(|(mut page, one, other)| {
        page.stamps[one] = Stamp::ZERO;
        page.stamps[other] = Stamp::ZERO;
        page
    });
    let lost = regular.clone().prop_map(|page| Page { spare: Lpn(u32::MAX), ..page });
    let misdirected = (regular.clone(), 0..BLOCKS).prop_map(|(mut page, block)| {
        page.stamps.swap(block, (block + 1) % BLOCKS);
        page
    });
    prop_oneof![4 => regular, 2 => holes, 1 => lost, 1 => misdirected]
}

fn any_step() -> impl Strategy<Value = Step> {
    // Few blocks, so that they fill up and are erased with something in them.
    let place = (0..2u32, 1..4u32);
    prop_oneof![
        8 => (place.clone(), 0..10u32, any_page()).prop_map(|((die, block), skipped, page)| {
            Step::Program { die, block, skipped: skipped.saturating_sub(7), page }
        }),
        1 => (place.clone(), 0..80u32)
            .prop_map(|((die, block), lpn)| Step::Hold { die, block, lpn }),
        1 => place.clone().prop_map(|(die, block)| Step::Erase { die, block }),
        1 => place.prop_map(|(die, block)| Step::Wipe { die, block }),
        4 => (0..DIES, 0..ROWS).prop_map(|(die, row)| Step::Read { die, row }),
    ]
}

/// Contents as plain tables.
struct Model {
    pages: Vec<Page>,
    next: Vec<u32>,
    cycles: Vec<u32>,
}

impl Model {
    fn new(prior: Option<Striped>) -> Self {
        let place = |index: u32| (index / ROWS, index % ROWS);
        let page = |(die, row)| {
            prior.logical(die, row).map_or(Page::ERASED, |lpn| Page::regular(lpn.0, 1))
        };
        let filled = prior.map_or(0, |prior| prior.rows);
        let next = |block: u32| filled.saturating_sub(block % BLOCKS_PER_DIE * PAGES).min(PAGES);
        Self {
            pages: (0..DIES * ROWS).map(place).map(page).collect(),
            next: (0..DIES * BLOCKS_PER_DIE).map(next).collect(),
            cycles: vec![0; (DIES * BLOCKS_PER_DIE) as usize],
        }
    }

    fn page(&mut self, die: u32, row: u32) -> &mut Page {
        &mut self.pages[(die * ROWS + row) as usize]
    }

    /// Takes a free row of a block.
    fn take(&mut self, die: u32, block: u32, skipped: u32) -> Option<u32> {
        let next = &mut self.next[(die * BLOCKS_PER_DIE + block) as usize];
        let page = *next + skipped;
        (page < PAGES).then(|| {
            *next = page + 1;
            block * PAGES + page
        })
    }

    fn erase(&mut self, die: u32, block: u32) {
        for page in 0..PAGES {
            *self.page(die, block * PAGES + page) = Page::ERASED;
        }
        self.next[(die * BLOCKS_PER_DIE + block) as usize] = 0;
        self.cycles[(die * BLOCKS_PER_DIE + block) as usize] += 1;
    }
}

struct Trial {
    chips: Chips,
    model: Model,
}

impl Trial {
    fn step(&mut self, step: &Step) {
        let Trial { chips, model } = self;
        match *step {
            Step::Program { die, block, skipped, ref page } => {
                if let Some(row) = model.take(die, block, skipped) {
                    assert!(!chips.program(die, row, page).failed);
                    *model.page(die, row) = *page;
                }
            }
            Step::Hold { die, block, lpn } => {
                if let Some(row) = model.take(die, block, 0) {
                    chips.array.hold(die, row, &[Lpn(lpn)]);
                    *model.page(die, row) = Page::regular(lpn, 1);
                }
            }
            Step::Erase { die, block } => {
                assert!(!chips.array.erase(die, block).failed);
                model.erase(die, block);
            }
            Step::Wipe { die, block } => {
                chips.array.wipe(die, block);
                model.erase(die, block);
            }
            Step::Read { die, row } => self.check(die, row),
        }
    }

    fn check(&mut self, die: u32, row: u32) {
        let (transferred, stamps) = self.chips.read(die, row);
        assert!(!transferred.uncorrectable);
        let found = Page { spare: lpn(&transferred), stamps };
        assert_eq!(found, *self.model.page(die, row), "die {die}, row {row}");
    }

    fn check_all(&mut self) {
        for die in 0..DIES {
            for row in 0..ROWS {
                self.check(die, row);
            }
            for block in 0..BLOCKS_PER_DIE {
                let expected = self.model.cycles[(die * BLOCKS_PER_DIE + block) as usize];
                assert_eq!(self.chips.array.cycles(die, block), expected);
            }
        }
    }
}

fn run(payload: Payload, prior: Option<Striped>, steps: &[Step]) {
    // Some two wrong bits a page, far from what a chunk can bear.
    let board = board(&[("errors.raw_bits_per_terabit", "50000000")]);
    let mut chips = Chips::new(&board, payload, 1);
    if let Some(prior) = prior {
        chips.array.set_prior(prior);
    }
    let mut trial = Trial { chips, model: Model::new(prior) };
    for step in steps {
        trial.step(step);
    }
    trial.check_all();
}

fn any_prior() -> impl Strategy<Value = Option<Striped>> {
    // Up to the middle of block 2.
    prop::option::of((0..20u32).prop_map(|rows| Striped { rows }))
}

proptest! {
    #[test]
    fn stamps_are_kept(prior in any_prior(), steps in prop::collection::vec(any_step(), 0..200)) {
        run(STAMPS, prior, &steps);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn bytes_are_kept(prior in any_prior(), steps in prop::collection::vec(any_step(), 0..80)) {
        run(BYTES, prior, &steps);
    }
}

#[test]
fn bytes_are_kept_without_scrambler_whatever_they_are() {
    let board = board(&[("ecc.scrambler", "off")]);
    let mut array = nand::Array::<Striped>::new(&board, BYTES, 1).unwrap();
    for (row, fill) in [(0, 0x00), (1, 0xff), (2, 0x55)] {
        let page = vec![fill; 4096];
        array.program(0, row, Lpn(u32::MAX), nand::PageRef::Bytes(&page));
        array.read(0, row);
        let mut read = vec![1; 4096];
        let transferred = array.transfer(0, row, nand::PageMut::Bytes(&mut read));
        assert_eq!((read, lpn(&transferred)), (page, Lpn(u32::MAX)));
    }
}

#[test]
fn a_prior_leaves_alone_what_was_programmed_before() {
    let mut chips = Chips::new(&board(&[]), STAMPS, 1);
    chips.array.hold(0, PAGES, &[Lpn(7)]);
    chips.array.wipe(1, 1);
    chips.array.set_prior(Striped { rows: ROWS });
    assert_eq!(chips.read(0, PAGES).1, Page::regular(7, 1).stamps);
    assert_eq!(lpn(&chips.read(0, PAGES + 1).0), Page::ERASED.spare);
    assert_eq!(lpn(&chips.read(1, PAGES).0), Page::ERASED.spare);
    assert_eq!(lpn(&chips.read(2, PAGES).0), Lpn(PAGES * DIES + 2));
}

#[test]
fn a_terabyte_is_there_at_once() {
    struct Everything;
    impl Prior for Everything {
        fn logical(&self, die: u32, row: u32) -> Option<Lpn> {
            Some(Lpn((row * 64 + die) % 1_000_000))
        }
    }
    let board = board::Board::resolve("cosmos-plus", &[]).unwrap();
    let stamps = Payload::Stamps { block_bytes: 4096 };
    let mut array = nand::Array::new(&board, stamps, 1).unwrap();
    array.set_prior(Everything);
    let last = board.firmware.geometry.rows_per_way() - 1;
    array.read(63, last);
    let mut page = [Stamp::ZERO; 4];
    let expected = (last * 64 + 63) % 1_000_000;
    let read = array.transfer(63, last, nand::PageMut::Stamps(&mut page));
    assert_eq!(lpn(&read), Lpn(expected));
    assert_eq!(page[3], Stamp::new(u64::from(expected) * 4 + 3, 1));
}
