//! Chips in an image hold what chips in memory do, also when they are taken out of the file again.

use std::path::Path;
use std::sync::Arc;

use board::Board;
use contract::{Lpn, Lpns, Metadata, PageKind};
use drive_image::{About, Access, Image};
use nand::{image_shape, Array, PageMut, PageRef, Payload, Prior, Stamp, Transferred, Work};
use proptest::prelude::*;

/// The first half of block 1 of each die was filled before.
#[derive(Clone, Copy)]
struct Half;

impl Prior for Half {
    fn logical(&self, die: u32, row: u32) -> Option<Lpn> {
        (PAGES..PAGES + PAGES / 2).contains(&row).then(|| Lpn((row - PAGES) * 4 + die))
    }
}

const PAGES: u32 = 8;
const BLOCKS: u32 = 4;
const PAYLOADS: [Payload; 2] =
    [Payload::Stamps { block_bytes: 4096 }, Payload::Bytes { block_bytes: 4096, seed: 1 }];

fn board() -> Board {
    let overrides = [
        ("recovery.log_entries", "4"),
        ("errors.raw_bits_per_terabit", "0"),
        ("errors.raw_bits_per_terabit_per_kilocycle", "0"),
        ("errors.program_failures_per_billion", "100000000"),
        ("flash.pages_per_physical_block", "16"),
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
    /// Pages of each block that were programmed or left out, also if the power was cut before.
    used: [[u32; BLOCKS as usize]; 2],
}

impl Chips {
    /// The first row of a block that can be programmed, as its pages read.
    fn next(&mut self, die: u32, block: u32) -> u32 {
        let used = |page: &u32| self.read(die, block * PAGES + page) != erased(self.payload);
        let read = (0..PAGES).rev().find(used).map_or(0, |page| page + 1);
        read.max(self.used[die as usize][block as usize])
    }

    fn read(&mut self, die: u32, row: u32) -> (Transferred, Vec<u8>) {
        self.array.read(die, row);
        match self.payload {
            Payload::Stamps { .. } => {
                let mut out = [Stamp::CORRUPT; 4];
                self.array.transfer(die, row, PageMut::Stamps(&mut out));
                let mut log = vec![0xa5; self.page_bytes];
                self.array.read(die, row);
                let read = self.array.transfer(die, row, PageMut::Log(&mut log));
                log.extend(out.iter().flat_map(|stamp| stamp.to_bits().to_le_bytes()));
                (read, log)
            }
            Payload::Bytes { .. } => {
                let mut out = vec![0xa5; self.page_bytes];
                (self.array.transfer(die, row, PageMut::Bytes(&mut out)), out)
            }
        }
    }

    fn program(&mut self, (die, row): (u32, u32), value: u32, log: bool) -> bool {
        let lpn = Lpn(value % 64);
        let kind = if log { PageKind::Journal } else { PageKind::Data };
        let (epoch, sequence) = (value % 7, value.into());
        let metadata = Metadata { kind, epoch, sequence, lpns: Lpns::one(lpn) };
        let bytes: Vec<u8> =
            (0..self.page_bytes).map(|at| (at as u32 * value % 251) as u8).collect();
        // Those of odd values are at their places.
        let lba = |nth: u64| if value % 2 == 1 { u64::from(lpn.0) * 4 + nth } else { nth };
        let stamps = [0, 1, 2, 3].map(|nth| Stamp::new(lba(nth), value));
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

fn erased(payload: Payload) -> (Transferred, Vec<u8>) {
    let board = board();
    let page_bytes = board.firmware.geometry.page_bytes as usize;
    let array = Array::new(&board, payload, 1).unwrap();
    Chips { array, payload, page_bytes, used: [[0; 4]; 2] }.read(0, 0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn chips_in_an_image_hold_what_chips_in_memory_do(
        steps in prop::collection::vec(step(), 1..40),
        full: bool,
    ) {
        let payload = PAYLOADS[usize::from(full)];
        let board = board();
        assert_eq!(board.firmware.geometry.pages_per_block, PAGES);
        let page_bytes = board.firmware.geometry.page_bytes as usize;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("image");
        let image = Arc::new(create(&path, &board, payload));
        let open = |image| Array::kept(&board, (payload, 1), (image, Some(Half))).unwrap();
        let mut array = Array::new(&board, payload, 1).unwrap();
        array.set_prior(Half);
        let mut memory = Chips { array, payload, page_bytes, used: [[0; 4]; 2] };
        let mut file = Chips { array: open(image), payload, page_bytes, used: [[0; 4]; 2] };
        for step in &steps {
            memory.act(step);
            file.act(step);
        }
        drop(file);
        let image = Arc::new(Image::open(&path, Access::Drive).unwrap());
        drive_image::check(&image, nand::is_aside).unwrap();
        let mut file = Chips { array: open(image), payload, page_bytes, used: [[0; 4]; 2] };
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
        let board = board();
        let page_bytes = board.firmware.geometry.page_bytes as usize;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("image");
        let image = Arc::new(create(&path, &board, payload));
        let array = Array::kept(&board, (payload, 1), (image, None)).unwrap();
        let mut chips = Chips { array, payload, page_bytes, used: [[0; 4]; 2] };
        let row = (0..PAGES).find(|&row| !chips.program((0, row), 9, true)).expect("a program");
        let (sound, _) = chips.read(0, row);
        assert!(!sound.uncorrectable);
        // Somewhere in the middle of its data.
        let mut file = std::fs::read(&path).unwrap();
        let at = file.windows(64).rposition(|part| part.iter().all(|&byte| byte != 0)).unwrap();
        file[at] ^= 1;
        std::fs::write(&path, &file).unwrap();
        let (damaged, _) = chips.read(0, row);
        assert!(damaged.uncorrectable && damaged.metadata.is_none());
        drop(chips);
        let image = Image::open(&path, Access::Look).unwrap();
        let line = drive_image::check(&image, nand::is_aside).unwrap_err().to_string();
        let expected = format!("data of page {row}: found a wrong checksum");
        assert!(line.contains(&expected), "{line}");
    }
}
