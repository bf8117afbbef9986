//! The drives of the three papers: chips, clock and pages.

use crate::rig::{pattern, Rig, BUFFER_ENTRIES};
use channel::BusSettings;
use contract::packet::{Coding, Model, Operation, Request};
use contract::Duration;
use nand::onfi::{Chip, Config, Errors, Interface, Parameter, RowLayout, Timing};
use rtl_sim::channel::{FullQueue, Policy, Setup};
use rtl_sim::{tops, ChipSettings, Pace, Paces, Random};

/// How large a run is.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Pages are smaller and arrays faster by this factor.
    pub shrink: u32,
    /// Measured requests are fewer by this factor.
    pub fewer: u64,
}

impl Effort {
    /// The papers' drives.
    pub const FULL: Self = Self { shrink: 1, fewer: 1 };
    /// For a test of the program: figures mean nothing, their ceilings hold.
    pub const QUICK: Self = Self { shrink: 64, fewer: 32 };

    /// So many requests, or what is left of them. Sixteen are two of what chips do at a time on all
    /// set-ups, so that ends of a run between such turns do not count as work.
    pub fn answers(self, full: u64) -> u64 {
        if self.fewer == 1 {
            full
        } else {
            (full / self.fewer).max(16)
        }
    }

    /// A time of an array.
    pub fn time(self, full: Duration) -> Duration {
        Duration::from_ps(full.as_ps() / u64::from(self.shrink))
    }
}

/// A drive with one channel.
#[derive(Clone, Debug)]
pub struct SetUp {
    pub ways: u8,
    pub period: Duration,
    pub chip: Config,
    /// Bytes of user data of a page, and what is done with them.
    pub length: u16,
    pub coding: Coding,
    /// Bytes of a page on the bus.
    pub bus_bytes: u64,
    pub policy: Policy,
    /// Blocks of each plane whose pages hold the pattern from the start.
    pub filled_blocks: u32,
    /// tPROG and tR of each page are drawn between these and those of `chip`.
    drawn: Option<Drawn>,
}

/// Shortest and longest times.
#[derive(Clone, Copy, Debug)]
struct Drawn {
    read: (Duration, Duration),
    program: (Duration, Duration),
}

const RAW: Coding = Coding { ecc: false, scrambler: false, metadata: false };
const CODED: Coding = Coding { ecc: true, scrambler: true, metadata: true };
/// Bytes of a chunk, and of it with its parity, on the bus.
const CHUNK: (u64, u64) = (256, 276);
/// Bytes of the metadata, and of their code word on the bus.
const METADATA: (u64, u64) = (24, 44);

impl SetUp {
    /// OCOWFC, slides "Experimental setup" and "Flash timing characteristics": 333 MT/s, 16 KB and
    /// spare, two planes, tR at most 115 us, tPROG 1,600 us, tBERS 3 ms.
    pub fn ocowfc(effort: Effort) -> Self {
        let words = (16_384 + 1_872) / 2 / effort.shrink as usize;
        let page = 2 * words;
        let mut chip = chip(Timing::nv_ddr2_mode_6(), Interface::Ddr, (page, 0), 1);
        chip.times.read = vec![effort.time(Duration::from_us(115))];
        chip.times.program = vec![effort.time(Duration::from_us(1_600))];
        chip.times.erase = effort.time(Duration::from_us(3_000));
        Self {
            ways: 4,
            period: Duration::from_ps(6_006),
            length: page as u16,
            coding: RAW,
            bus_bytes: page as u64,
            policy: policy(&chip),
            chip,
            filled_blocks: 1,
            drawn: None,
        }
    }

    /// Cosmos+, tables 5 and 6: 200 MT/s, 16 KB coded, SLC mode: tR 99 us, tPROG 486 us.
    pub fn cosmos_slc(effort: Effort) -> Self {
        let chunks = 64 / u64::from(effort.shrink);
        let bus_bytes = chunks * CHUNK.1 + METADATA.1;
        let data = (chunks * CHUNK.0) as usize;
        let spare = 1_620 / effort.shrink as usize + METADATA.1 as usize;
        let mut chip = chip(Timing::nv_ddr2_mode_4(), Interface::Ddr, (data, spare), 0);
        chip.times.read = vec![effort.time(Duration::from_us(99))];
        chip.times.program = vec![effort.time(Duration::from_us(486))];
        chip.times.erase = effort.time(Duration::from_us(5_000));
        // A wrong bit a chunk.
        chip.errors = Errors { wrong_bits_per_1000_pages: 1_000 * chunks as u32, ..chip.errors };
        Self {
            ways: 8,
            period: Duration::from_ps(10_000),
            length: data as u16,
            coding: CODED,
            bus_bytes,
            policy: policy(&chip),
            chip,
            filled_blocks: 0,
            drawn: None,
        }
    }

    /// The same in MLC mode: tR 58 and 90 us, tPROG 481 and 2,295 us, in turn.
    pub fn cosmos_mlc(effort: Effort) -> Self {
        let mut set_up = Self::cosmos_slc(effort);
        let times = |us: [u64; 2]| us.map(|us| effort.time(Duration::from_us(us))).to_vec();
        set_up.chip.times.read = times([58, 90]);
        set_up.chip.times.program = times([481, 2_295]);
        set_up
    }

    /// Ozone, table 1 and section 5.1: 32 MB/s, 4 KB and spare, 128 pages a block, tR 56 to 62 us,
    /// tPROG 524 to 1,062 us, tBERS 2 ms. A byte takes two cycles of 64 MHz; that a sample at the end
    /// of the second one is in time, these chips hold data for a nanosecond longer than ONFI's 15.
    pub fn ozone(effort: Effort) -> Self {
        let page = (4_096 + 128) / effort.shrink as usize;
        let mut timing = Timing::sdr_mode_3();
        timing.set(Parameter::Rhoh, Duration::from_ns(16));
        let mut chip = chip(timing, Interface::Sdr, (page, 0), 0);
        chip.times.erase = effort.time(Duration::from_us(2_000));
        let range = |least, most| {
            (effort.time(Duration::from_us(least)), effort.time(Duration::from_us(most)))
        };
        Self {
            ways: 8,
            period: Duration::from_ps(15_625),
            length: page as u16,
            coding: RAW,
            bus_bytes: page as u64,
            policy: policy(&chip),
            chip,
            filled_blocks: 1,
            drawn: Some(Drawn { read: range(56, 62), program: range(524, 1_062) }),
        }
    }

    /// Cycles in which the bytes of a page move.
    pub fn page_cycles(&self) -> u64 {
        match self.chip.interface {
            Interface::Ddr => self.bus_bytes / 2,
            Interface::Sdr => self.bus_bytes * self.sdr_byte_cycles(),
        }
    }

    /// Cycles in which a word of data moves.
    pub fn word_cycles(&self) -> u64 {
        match self.chip.interface {
            Interface::Ddr => 1,
            Interface::Sdr => 2 * self.sdr_byte_cycles(),
        }
    }

    fn sdr_byte_cycles(&self) -> u64 {
        let cycle = self.chip.timing[Parameter::Rc].max(self.chip.timing[Parameter::Wc]);
        cycle.as_ps().div_ceil(self.period.as_ps())
    }

    /// The time that the bytes of a page take, in microseconds.
    pub fn page_us(&self) -> f64 {
        self.us(self.page_cycles() as f64)
    }

    /// Cycles as microseconds.
    pub fn us(&self, cycles: f64) -> f64 {
        cycles * self.period.as_ps() as f64 / 1e6
    }

    /// A request for a page.
    pub fn page(&self, operation: Operation, way: u8, row: u32) -> Request {
        Request {
            stream: way % 8,
            length: self.length,
            coding: self.coding,
            ..Request::new(operation, way, row)
        }
    }

    /// Pages of the chips' planes.
    pub fn rows(&self) -> RowLayout {
        self.chip.rows
    }

    /// The chip of a way, with its own times.
    pub fn chip_of(&self, way: u8) -> Config {
        let mut config = Config { seed: way.into(), ..self.chip.clone() };
        if let Some(drawn) = self.drawn {
            let mut random = Random::new(0x0a0a + u64::from(way));
            let mut draw = |(least, most): (Duration, Duration)| {
                let range = most.as_ps() - least.as_ps() + 1;
                Duration::from_ps(least.as_ps() + random.below(range))
            };
            let pages = config.rows.pages;
            config.times.read = (0..pages).map(|_| draw(drawn.read)).collect();
            config.times.program = (0..pages).map(|_| draw(drawn.program)).collect();
        }
        config
    }

    /// The channel with its chips.
    pub fn rig(&self) -> Rig {
        let page = pattern(usize::from(self.length));
        let chips = (0..self.ways).map(|way| {
            let config = self.chip_of(way);
            let rows = config.rows;
            let mut chip = Chip::new(config);
            let blocks = self.filled_blocks << rows.plane_bits;
            for block in 0..blocks {
                for index in 0..rows.pages {
                    chip.set_page(rows.row(0, block, index), &page);
                }
            }
            chip
        });
        let setup = Setup {
            top: &tops::FLASH_CORE_PINS,
            period: self.period,
            bus: BusSettings::of(&self.chip, self.period),
            policy: self.policy,
            buffer: (BUFFER_ENTRIES, usize::from(self.length) + METADATA.0 as usize),
            buffer_paces: Paces::ALWAYS,
            paces: (Pace::Always, Pace::Always),
            chips: chips.collect(),
        };
        Rig::new(setup, usize::from(self.length))
    }
}

/// What all chips have in common. Cache registers take a microsecond, as the array makes it.
fn chip(
    timing: Timing,
    interface: Interface,
    (data_bytes, spare_bytes): (usize, usize),
    plane_bits: u32,
) -> Config {
    let small = Config::small(interface, timing);
    Config {
        rows: RowLayout {
            page_bits: 7,
            pages: 128,
            block_bits: 6,
            blocks: 64,
            plane_bits,
            luns: 1,
            cycles: 3,
        },
        data_bytes,
        spare_bytes,
        word_line_pages: 1,
        ..small
    }
}

/// No merging, no F-RSVP, no time-out.
fn policy(chip: &Config) -> Policy {
    let rows = chip.rows;
    Policy {
        model: Model::OutOfOrder,
        merge_planes: false,
        merge_cache_read: false,
        merge_cache_program: false,
        jedec: false,
        plane_bits: rows.plane_bits as u8,
        plane_shift: rows.page_bits as u8,
        lun_shift: (rows.page_bits + rows.block_bits) as u8,
        halt_on_failure: false,
        full_queue: FullQueue::Waits,
        low_ways: 16,
        age: 0,
        busy_timeout: 0,
    }
}
