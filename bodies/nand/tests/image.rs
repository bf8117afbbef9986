//! Chips in an image hold what chips in memory do, also when they are taken out of the file again.

use std::path::Path;
use std::sync::Arc;

use board::Board;
use contract::{Lpn, Lpns, Metadata, PageKind, UnitState};
use drive_image::{About, Access, Image};
use nand::{image_shape, Array, PageMut, PageRef, Payload, Prior, Stamp, Transferred, Work};
use proptest::prelude::*;

/// The first half of block 1 of each die was filled before, with so many mapping units a page.
#[derive(Clone, Copy)]
struct Half {
    units: u32,
}

impl Prior for Half {
    fn logical(&self, die: u32, row: u32) -> Option<Lpn> {
        let is_filled = (PAGES..PAGES + PAGES / 2).contains(&row);
        is_filled.then(|| Lpn(((row - PAGES) * 4 + die) * self.units))
    }
}

const PAGES: u32 = 8;
const BLOCKS: u32 = 4;
const BLOCK_BYTES: usize = 4096;
const PAYLOADS: [Payload; 2] =
    [Payload::Stamps { block_bytes: 4096 }, Payload::Bytes { block_bytes: 4096, seed: 1 }];

/// Of chips with so many planes that act together, each with a mapping unit of a page.
fn board(planes: u32) -> Board {
    let blocks = (32 * planes).to_string();
    let planes = planes.to_string();
    let overrides = [
        ("recovery.log_entries", "4"),
        ("errors.raw_bits_per_terabit", "0"),
        ("errors.raw_bits_per_terabit_per_kilocycle", "0"),
        ("errors.program_failures_per_billion", "100000000"),
        ("flash.pages_per_physical_block", "16"),
        ("flash.planes", &planes),
        ("channel.merging", "planes"),
        ("geometry.blocks_per_way", &blocks),
        ("flash.metadata_bytes", "68"),
    ];
    let overrides: Vec<_> = overrides.map(|(k, v)| (k.to_owned(), v.to_owned())).to_vec();
    Board::resolve("small", &overrides).expect("the board")
}

fn create(path: &Path, board: &Board, payload: Payload) -> Image {
    let about = About {
        board: board.clone(),
        seed: 1,
        serial: 5,
        payload: match payload {
            Payload::Stamps { .. } => drive_image::Payload::Stamp,
            Payload::Bytes { .. } => drive_image::Payload::Full,
        },
        block_bytes: 4096,
        shape: image_shape(board, payload, 0).unwrap(),
    };
    let image = Image::create(path, about).unwrap();
    image.seal().unwrap();
    image
}

/// What is done to a block of die 0 or 1.
#[derive(Clone, Debug)]
enum Step {
    Program {
        die: u32,
        block: u32,
        skip: u32,
        log: bool,
        value: u32,
    },
    Erase {
        die: u32,
        block: u32,
    },
    /// The power is cut in the middle of what each die did last, or before or after it.
    Cut {
        at: u64,
    },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..2u32, 0..BLOCKS, 0..2u32, any::<bool>(), 1..1000u32).prop_map(
            |(die, block, skip, log, value)| Step::Program { die, block, skip, log, value }
        ),
        2 => (0..2u32, 0..BLOCKS).prop_map(|(die, block)| Step::Erase { die, block }),
        1 => (0..4u64).prop_map(|at| Step::Cut { at }),
    ]
}

struct Chips {
    array: Array<Half>,
    payload: Payload,
    page_bytes: usize,
    /// Mapping units of a page.
    units: u32,
    /// Pages of each block that were programmed or left out, also if the power was cut before.
    used: [[u32; BLOCKS as usize]; 2],
}

impl Chips {
    fn new(array: Array<Half>, board: &Board, payload: Payload) -> Self {
        let page_bytes = board.firmware.geometry.page_bytes as usize;
        let units = board.firmware.units_per_page();
        Chips { array, payload, page_bytes, units, used: [[0; 4]; 2] }
    }

    /// The first row of a block that can be programmed, as its pages read.
    fn next(&mut self, die: u32, block: u32) -> u32 {
        let erased = self.erased();
        let used = |page: &u32| self.read(die, block * PAGES + page) != erased;
        let read = (0..PAGES).rev().find(used).map_or(0, |page| page + 1);
        read.max(self.used[die as usize][block as usize])
    }

    /// What each flash page of a page says, and all its data; of stamps also what a read of the log finds there.
    fn read(&mut self, die: u32, row: u32) -> (Vec<Transferred>, Vec<u8>) {
        let part_bytes = self.page_bytes / self.units as usize;
        let mut bytes = vec![0xa5; self.page_bytes];
        let mut stamps = vec![Stamp::CORRUPT; self.page_bytes / BLOCK_BYTES];
        let mut said = Vec::new();
        let data = bytes.chunks_mut(part_bytes).zip(stamps.chunks_mut(part_bytes / BLOCK_BYTES));
        for (offset, (bytes, stamps)) in (0..).step_by(part_bytes).zip(data) {
            let mut part = |into| {
                self.array.read_at(die, row, offset);
                self.array.transfer_part(die, row, (offset, into))
            };
            said.push(match self.payload {
                Payload::Stamps { .. } => {
                    part(PageMut::Stamps(stamps));
                    part(PageMut::Log(bytes))
                }
                Payload::Bytes { .. } => part(PageMut::Bytes(bytes)),
            });
        }
        if let Payload::Stamps { .. } = self.payload {
            bytes.extend(stamps.iter().flat_map(|stamp| stamp.to_bits().to_le_bytes()));
        }
        (said, bytes)
    }

    /// What an erased page reads as.
    fn erased(&self) -> (Vec<Transferred>, Vec<u8>) {
        let zeroes = match self.payload {
            Payload::Stamps { .. } => {
                self.page_bytes + self.page_bytes / BLOCK_BYTES * size_of::<u64>()
            }
            Payload::Bytes { .. } => self.page_bytes,
        };
        (vec![ERASED; self.units as usize], vec![0; zeroes])
    }

    fn program(&mut self, (die, row): (u32, u32), value: u32, log: bool) -> bool {
        // Those of values that no 3 divides follow each other.
        let first = value % 64 * self.units;
        let step = if value % 3 == 0 { 2 } else { 1 };
        let state = |nth| if value % 11 == nth { UnitState::Lost } else { UnitState::Kept };
        let lpns: Lpns = (0..self.units).map(|nth| (Lpn(first + nth * step), state(nth))).collect();
        let kind = if log { PageKind::Journal } else { PageKind::Data };
        let (epoch, sequence) = (value % 7, value.into());
        let metadata = Metadata { kind, epoch, sequence, lpns };
        let bytes: Vec<u8> =
            (0..self.page_bytes).map(|at| (at as u32 * value % 251) as u8).collect();
        // Those of odd values are at their places.
        let lba = |nth: u64| if value % 2 == 1 { u64::from(first) * 4 + nth } else { nth };
        let blocks = 0..(self.page_bytes / BLOCK_BYTES) as u64;
        let stamps: Vec<Stamp> = blocks.map(|nth| Stamp::new(lba(nth), value)).collect();
        let page = match (self.payload, log) {
            (_, true) => PageRef::Log(&bytes),
            (Payload::Stamps { .. }, false) => PageRef::Stamps(&stamps),
            (Payload::Bytes { .. }, false) => PageRef::Bytes(&bytes),
        };
        let worked = self.array.program(die, row, metadata, page);
        self.array.occupy(die, Work::Program { row }, (1, 3));
        worked.failed
    }

    fn act(&mut self, step: &Step) {
        match *step {
            Step::Program { die, block, skip, log, value } => {
                let page = self.next(die, block) + skip;
                if page < PAGES {
                    self.used[die as usize][block as usize] = page;
                    self.array.cut(10);
                    self.program((die, block * PAGES + page), value, log);
                }
            }
            Step::Erase { die, block } => {
                self.array.cut(10);
                self.used[die as usize][block as usize] = 0;
                self.array.erase(die, block);
                self.array.occupy(die, Work::Erase { block }, (1, 3));
            }
            Step::Cut { at } => self.array.cut(at),
        }
    }
}

const ERASED: Transferred = Transferred {
    metadata: None,
    corrected_bits: 0,
    most_bits: 0,
    chunks_with_errors: 0,
    uncorrectable: false,
    erased: true,
};

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn chips_in_an_image_hold_what_chips_in_memory_do(
        steps in prop::collection::vec(step(), 1..40),
        full: bool,
        planes in prop::sample::select(&[1, 2][..]),
    ) {
        let payload = PAYLOADS[usize::from(full)];
        let board = board(planes);
        assert_eq!(board.firmware.geometry.pages_per_block, PAGES);
        let units = board.firmware.units_per_page();
        assert_eq!(units, planes);
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("image");
        let image = Arc::new(create(&path, &board, payload));
        let open = |image| Array::kept(&board, (payload, 1), (image, Some(Half { units }))).unwrap();
        let mut array = Array::new(&board, payload, 1).unwrap();
        array.set_prior(Half { units });
        let mut memory = Chips::new(array, &board, payload);
        let mut file = Chips::new(open(image), &board, payload);
        for step in &steps {
            memory.act(step);
            file.act(step);
        }
        drop(file);
        let image = Arc::new(Image::open(&path, Access::Drive).unwrap());
        drive_image::check(&image, nand::is_aside).unwrap();
        let mut file = Chips::new(open(image), &board, payload);
        for die in 0..2 {
            for row in 0..BLOCKS * PAGES {
                prop_assert_eq!(memory.read(die, row), file.read(die, row), "row {}", row);
            }
            for block in 0..BLOCKS {
                let cycles = [&memory, &file].map(|chips| chips.array.cycles(die, block));
                prop_assert_eq!(cycles[0], cycles[1]);
            }
        }
    }
}

#[test]
fn damaged_data_of_a_page_read_as_an_error_and_are_found_by_a_check() {
    for payload in PAYLOADS {
        let board = board(1);
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("image");
        let image = Arc::new(create(&path, &board, payload));
        let array = Array::kept(&board, (payload, 1), (image, None)).unwrap();
        let mut chips = Chips::new(array, &board, payload);
        let row = (0..PAGES).find(|&row| !chips.program((0, row), 9, true)).expect("a program");
        let (sound, _) = chips.read(0, row);
        assert!(!sound[0].uncorrectable);
        // Somewhere in the middle of its data.
        let mut file = std::fs::read(&path).unwrap();
        let at = file.windows(64).rposition(|part| part.iter().all(|&byte| byte != 0)).unwrap();
        file[at] ^= 1;
        std::fs::write(&path, &file).unwrap();
        let (damaged, _) = chips.read(0, row);
        assert!(damaged[0].uncorrectable && damaged[0].metadata.is_none());
        drop(chips);
        let image = Image::open(&path, Access::Look).unwrap();
        let line = drive_image::check(&image, nand::is_aside).unwrap_err().to_string();
        let expected = format!("data of page {row}: found a wrong checksum");
        assert!(line.contains(&expected), "{line}");
    }
}
