//! What the chips of a channel hold, as the requests say, and what reading it should give.

use crate::page_path::golden::{Golden, Step, Verdict};
use contract::packet::Request;
use contract::Duration;
use ecc::BchParams;
use nand::onfi::{Chip, Config, Interface, Timing};
use rtl_sim::Random;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of a coded chunk of the default code on the bus.
pub const CODE_WORD: usize = 276;
/// Chunks of a page.
const CHUNKS: usize = 2;
/// Bytes of metadata behind the data of a page.
pub const METADATA_BYTES: usize = 24;
/// Entries of the buffer that programs take their data from. They never change.
pub const SOURCES: usize = 16;
/// Bytes of a buffer entry for pages of this code.
pub const fn entry_bytes(code: BchParams) -> usize {
    3 * code.chunk_bytes
}

/// A data interface at a clock.
#[derive(Clone, Copy, Debug)]
pub struct Speed {
    pub interface: Interface,
    pub timing: fn() -> Timing,
    pub period: Duration,
    pub row_cycles: usize,
}

/// Both interfaces, each at two clocks.
pub const SPEEDS: [Speed; 4] = [
    NV_DDR2_333,
    Speed {
        interface: Interface::Ddr,
        timing: Timing::nv_ddr2_mode_4,
        period: Duration::from_ns(10),
        row_cycles: 4,
    },
    SDR_50,
    Speed {
        interface: Interface::Sdr,
        timing: Timing::sdr_mode_3,
        period: Duration::from_ns(31),
        row_cycles: 4,
    },
];

/// 333 MT/s.
pub const NV_DDR2_333: Speed = Speed {
    interface: Interface::Ddr,
    timing: Timing::nv_ddr2_mode_6,
    period: Duration::from_ps(6_006),
    row_cycles: 3,
};

/// 50 MB/s.
pub const SDR_50: Speed = Speed {
    interface: Interface::Sdr,
    timing: Timing::sdr_mode_5,
    period: Duration::from_ns(10),
    row_cycles: 3,
};

/// Planes and LUNs of a chip.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub plane_bits: u32,
    pub luns: u32,
}

impl Shape {
    pub fn any(random: &mut Random) -> Self {
        Self { plane_bits: random.below(3) as u32, luns: 1 + random.below(2) as u32 }
    }

    /// A chip with short pages of this code that is quick, so that a test needs few cycles.
    pub fn chip(self, speed: Speed, code: BchParams, way: u64) -> Config {
        let mut config = Config::small(speed.interface, (speed.timing)());
        config.rows.page_bits = 4;
        config.rows.pages = 12;
        config.rows.block_bits = 5;
        config.rows.blocks = 32;
        config.rows.plane_bits = self.plane_bits;
        config.rows.luns = self.luns;
        config.rows.cycles = speed.row_cycles;
        config.data_bytes = CHUNKS * code.chunk_bytes;
        // Enough for metadata and the parity of three chunks with it.
        config.spare_bytes = 128 * (code.t as usize).div_ceil(13);
        config.seed = way;
        let times = &mut config.times;
        times.read = vec![Duration::from_ns(1_500), Duration::from_ns(2_500)];
        times.program = vec![Duration::from_ns(3_000), Duration::from_ns(6_000)];
        times.program_word_line = Duration::from_us(8);
        times.erase = Duration::from_us(5);
        times.read_cache = Duration::from_ns(300);
        times.program_cache = Duration::from_ns(300);
        times.read_plane = Duration::from_ns(200);
        times.program_plane = Duration::from_ns(200);
        times.erase_plane = Duration::from_ns(200);
        times.feature = Duration::from_ns(400);
        times.reset = Duration::from_us(1);
        config.deviations.read = Duration::from_ns(500);
        config.deviations.program = Duration::from_ns(1_000);
        config.identity.unique[0] = way as u8;
        config
    }
}

/// A page: its bytes, or unknown after a failed program.
type Page = Option<Vec<u8>>;

#[derive(Default)]
struct Way {
    /// Pages that are not erased.
    pages: BTreeMap<u32, Page>,
    /// Bits that are read wrong.
    flips: BTreeMap<u32, Vec<usize>>,
    failing_programs: BTreeSet<u32>,
    /// By first row of the block.
    failing_erases: BTreeSet<u32>,
    bad: BTreeSet<u32>,
    forgotten: BTreeSet<u32>,
    features: BTreeMap<(u8, u8), u32>,
}

/// The chips, and what programs take.
pub struct World {
    pub golden: Golden,
    pub config: Config,
    pub sources: Vec<Vec<u8>>,
    ways: Vec<Way>,
}

/// The step that a request is to the path of pages.
pub fn step(request: &Request) -> Step {
    Step {
        operation: request.operation as u8,
        way: request.way,
        row: request.row,
        column: request.column,
        length: request.length.into(),
        buffer: request.buffer,
        plain: !request.coding.scrambler,
        bypass: !request.coding.ecc,
        metadata: request.coding.metadata,
        respond: true,
        slot: 0,
        tag: request.tag,
        irq: false,
        irq_on_error: false,
    }
}

impl World {
    /// Erased chips of a kind whose pages have this code, and random data.
    pub fn new(config: Config, code: BchParams, random: &mut Random) -> Self {
        Self {
            golden: Golden::new(Some(code), METADATA_BYTES),
            config,
            sources: (0..SOURCES).map(|_| random.bytes(entry_bytes(code))).collect(),
            ways: (0..8).map(|_| Way::default()).collect(),
        }
    }

    /// Bad blocks, blocks and pages that fail, and wrong bits, here and in the chips.
    pub fn harm(&mut self, chips: &mut [Chip], random: &mut Random) {
        let rows = self.config.rows;
        for (way, chip) in self.ways.iter_mut().zip(chips) {
            for _ in 0..3 {
                let [bad, failing] = [0; 2].map(|_| {
                    let lun = random.below(rows.luns.into()) as u32;
                    rows.row(lun, random.below(rows.blocks.into()) as u32, 0)
                });
                chip.spoil(bad);
                way.bad.insert(bad);
                chip.fail_erase(failing);
                way.failing_erases.insert(failing);
            }
            for row in (0..rows.luns).flat_map(|lun| {
                let of_block =
                    move |block| (0..rows.pages).map(move |page| rows.row(lun, block, page));
                (0..rows.blocks).flat_map(of_block)
            }) {
                if random.percent(5) {
                    chip.fail_program(row);
                    way.failing_programs.insert(row);
                }
                if random.percent(40) {
                    let bits = wrong_bits(&self.golden, random);
                    chip.flip(row, bits.clone());
                    way.flips.insert(row, bits);
                }
            }
        }
    }

    fn first_of_block(&self, row: u32) -> u32 {
        row >> self.config.rows.page_bits << self.config.rows.page_bits
    }

    /// The page of a block that may be programmed next.
    pub fn next_page(&self, way: u8, lun: u32, block: u32) -> u32 {
        let first = self.config.rows.row(lun, block, 0);
        let mut programmed = self.ways[usize::from(way)].pages.range(first..first + 16);
        programmed.next_back().map_or(0, |(row, _)| row - first + 1)
    }

    /// Whether programs of a page fail.
    pub fn program_fails(&self, way: u8, row: u32) -> bool {
        let of_way = &self.ways[usize::from(way)];
        of_way.failing_programs.contains(&row) || of_way.bad.contains(&self.first_of_block(row))
    }

    /// Whether erases of a block fail.
    pub fn erase_fails(&self, way: u8, row: u32) -> bool {
        let (of_way, first) = (&self.ways[usize::from(way)], self.first_of_block(row));
        of_way.failing_erases.contains(&first) || of_way.bad.contains(&first)
    }

    /// Writes a page down. Whether the program fails.
    pub fn program(&mut self, way: u8, row: u32, page: Vec<u8>) -> bool {
        let fails = self.program_fails(way, row);
        let way = &mut self.ways[usize::from(way)];
        way.pages.insert(row, (!fails).then_some(page));
        fails
    }

    /// Erases a block. Whether that fails; it is then as it was.
    pub fn erase(&mut self, way: u8, row: u32) -> bool {
        let first = self.first_of_block(row);
        let fails = self.erase_fails(way, row);
        let way = &mut self.ways[usize::from(way)];
        if !fails {
            way.pages.retain(|row, _| !(first..first + 16).contains(row));
        }
        fails
    }

    /// A page as the chip gives it, wrong bits and all, unless it is unknown.
    pub fn seen(&self, way: u8, row: u32) -> Page {
        let first = self.first_of_block(row);
        let way = &self.ways[usize::from(way)];
        let erased = if way.bad.contains(&first) { 0x00 } else { 0xff };
        let page = way.pages.get(&row).cloned();
        let mut page = page.unwrap_or_else(|| Some(vec![erased; self.config.page_bytes()]))?;
        for bit in way.flips.get(&row).into_iter().flatten() {
            page[bit / 8] ^= 1 << (bit % 8);
        }
        Some(page)
    }

    /// Puts the bytes that a request sends to its column into a page.
    pub fn load(&self, request: &Request, page: &mut [u8]) {
        let raw = self.raw(request);
        let column = usize::from(request.column);
        page[column..column + raw.len()].copy_from_slice(&raw);
    }

    /// The bytes that a request sends.
    pub fn raw(&self, request: &Request) -> Vec<u8> {
        let step = step(request);
        let source = &self.sources[usize::from(request.buffer)];
        self.golden.raw(&step, &source[..self.golden.payload_bytes(&step)])
    }

    /// A page of ones.
    pub fn empty_page(&self) -> Vec<u8> {
        vec![0xff; self.config.page_bytes()]
    }

    /// Data and verdict of a request that reads these bytes of the bus.
    pub fn verdict(&self, request: &Request, page: &Page) -> Option<(Vec<u8>, Verdict)> {
        let page = page.as_ref()?;
        let step = step(request);
        let column = usize::from(request.column);
        let raw = &page[column..column + self.golden.bus_bytes(&step)];
        Some(self.golden.read(&step, raw))
    }

    /// Chunks that a request reads in which the decoder has to search, a bit each.
    pub fn dirty_chunks(&self, request: &Request) -> u64 {
        let Some(page) = self.seen(request.way, request.row) else { return 0 };
        let step = step(request);
        let column = usize::from(request.column);
        self.golden.dirty_chunks(&step, &page[column..column + self.golden.bus_bytes(&step)])
    }

    /// Nobody knows what is in the block of a row.
    pub fn forget(&mut self, way: u8, row: u32) {
        let first = self.first_of_block(row);
        self.ways[usize::from(way)].forgotten.insert(first);
    }

    /// Sets a feature; all LUNs if none is named.
    pub fn set_feature(&mut self, way: u8, lun: Option<u8>, address: u8, value: u32) {
        for at in 0..self.config.rows.luns as u8 {
            if lun.is_none_or(|lun| lun == at) {
                self.ways[usize::from(way)].features.insert((at, address), value);
            }
        }
    }

    pub fn feature(&self, way: u8, lun: u8, address: u8) -> u32 {
        self.ways[usize::from(way)].features.get(&(lun, address)).copied().unwrap_or(0)
    }

    /// Asserts that a chip holds what it should.
    pub fn assert_pages(&self, way: usize, chip: &Chip) {
        let rows = self.config.rows;
        for lun in 0..rows.luns {
            for block in 0..rows.blocks {
                if self.ways[way].forgotten.contains(&rows.row(lun, block, 0)) {
                    continue;
                }
                for page in 0..rows.pages {
                    let row = rows.row(lun, block, page);
                    let found = chip.page(row);
                    match self.ways[way].pages.get(&row) {
                        None => assert!(found.is_none(), "way {way} row {row:#x}: not erased"),
                        Some(None) => assert!(found.is_some(), "way {way} row {row:#x}: erased"),
                        Some(Some(expected)) => {
                            let Some(found) = found else {
                                panic!("way {way} row {row:#x}: erased")
                            };
                            let difference = difference(found, expected);
                            assert_eq!(difference, None, "way {way} row {row:#x}");
                        }
                    }
                }
            }
        }
    }
}

/// Where bytes differ from what was expected: the first place, how many, and what stands there.
pub fn difference(found: &[u8], expected: &[u8]) -> Option<String> {
    let differ = |(found, expected): (&u8, &u8)| found != expected;
    let pairs = || found.iter().zip(expected);
    let first = pairs().position(differ)?;
    let end = (first + 8).min(found.len().min(expected.len()));
    let [found, expected] = [found, expected].map(|bytes| &bytes[first..end]);
    let count = pairs().filter(|pair| differ(*pair)).count();
    Some(format!("{count} bytes from {first}: {found:02x?}, expected {expected:02x?}"))
}

/// Wrong bits of a page: few, just as many as can be corrected in a chunk, or more.
fn wrong_bits(golden: &Golden, random: &mut Random) -> Vec<usize> {
    let (code_word, t) = (golden.code_word_bytes(), u64::from(golden.bch.params().t));
    let mut bits = vec![];
    for chunk in 0..CHUNKS {
        let count = match random.below(6) {
            0 => t,
            1 => t + 1 + random.below(6),
            2 => 0,
            _ => random.below(t),
        };
        let chosen = random.choose(count as usize, code_word * 8);
        bits.extend(chosen.iter().map(|bit| chunk * code_word * 8 + usize::from(*bit)));
    }
    // Those of the metadata, in their last bytes and their parity.
    let count = random.below(8) as usize;
    let chosen = random.choose(count, METADATA_BYTES * 8);
    bits.extend(chosen.iter().map(|bit| (CHUNKS * code_word + 20) * 8 + usize::from(*bit)));
    bits
}
