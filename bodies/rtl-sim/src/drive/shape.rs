//! From a board to a controller that is there, and chips for its pins.

use super::status_polls::{poll_cycles, status_poll, us};
use super::{over_memory, Processor};
use crate::axi::{Behaviour, Link};
use crate::nvme::Surroundings;
use crate::{ChipSettings, Pace, Top};
use ::registers::flash as registers;
use board::{Board, ErrorModel, Execution, Interface as BusInterface, Pairing};
use channel::BusSettings;
use contract::packet::{Model, PhaseFormat, RowFormat};
use contract::{
    Automation, CommandSet, Completer, Configuration, DoorbellBuffers, Duration, Geometry, Grain,
    Medium, OperationGrain,
};
use driver::{ChannelWords, Entries, Layout, Setup};
use firmware::ftl::buffer::Buffer;
use nand::onfi::{Chip, Config, Deviations, Errors, Interface, RowLayout, Times, Timing};

/// A controller of which there is a top. Models of it are there if the build was asked for them.
struct Shape {
    channels: u32,
    ways: u32,
    pages: Pages,
    top: &'static str,
    /// The same with a processor in it.
    with_processor: Option<&'static str>,
    /// `PollCycles` of the top: cycles between statuses of a way that is busy, or 0 where R/B# tells.
    poll_cycles: u64,
}

/// What the pages of a drive are, which decides how many bytes of metadata they have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pages {
    /// A mapping unit each.
    OfOneUnit,
    /// Up to four mapping units each, as where word lines are programmed at one go. The host may place its data.
    OfUnits,
}

/// Whole controllers. Each has queues and tags as [`QUEUES`] and [`TAGS`] say.
const SHAPES: [Shape; 6] = [
    Shape::of_pages(1, "ssd_1x1"),
    Shape { with_processor: Some("ssd_soc_small"), ..Shape::of_pages(2, "ssd_small") },
    Shape::of_pages(4, "ssd_4x4"),
    Shape::of_pages(8, "ssd_8x8"),
    Shape { pages: Pages::OfUnits, ..Shape::of_pages(2, "ssd_units") },
    Shape { poll_cycles: 60, ..Shape::of_pages(2, "ssd_polls") },
];

impl Shape {
    /// As many channels as each has ways, for pages of one mapping unit; no processor, and R/B# pins.
    const fn of_pages(size: u32, top: &'static str) -> Self {
        let pages = Pages::OfOneUnit;
        Shape { channels: size, ways: size, pages, top, with_processor: None, poll_cycles: 0 }
    }
}

impl Pages {
    fn of(config: &Configuration) -> Self {
        match (config.programming.flash_pages, config.command_set) {
            (1, CommandSet::Block) => Pages::OfOneUnit,
            _ => Pages::OfUnits,
        }
    }

    /// Bytes of metadata of a page, as the tops have them.
    const fn metadata_bytes(self) -> u32 {
        match self {
            Pages::OfOneUnit => 24,
            Pages::OfUnits => 36,
        }
    }
}

/// I/O queues, entries of the largest, and command tags.
const QUEUES: u32 = 16;
const LARGEST_QUEUE: u32 = 1024;
const TAGS: u32 = 256;

/// What the error correction of the models is made for.
const CHUNK_BYTES: u32 = 256;
const CORRECTABLE_BITS: u32 = 13;

/// Bytes of the longest flash page: a packet counts those of its data in 16 bits.
const MOST_PAGE_BYTES: u32 = 32_768;

/// The longest busy time that a way can be told, and the pause of data after which a channel gives up, in the units
/// of their registers.
const LONGEST_BUSY: u64 = 0xffff;
const DATA_TIMEOUT: u32 = 0xffff;

/// Cycles from a doorbell that arrives until the firmware can see the command, beyond the round trip on the link.
const FETCH_CYCLES: u64 = 28;

/// All that a drive is put together of.
pub struct Plan {
    /// The model.
    pub top: &'static Top,
    /// What is on the board.
    pub parts: Parts,
    /// Host and memory.
    pub around: Surroundings,
}

/// What is on a board, without what is around it.
pub struct Parts {
    /// What the firmware is told.
    pub config: Configuration,
    /// A cycle of the clock.
    pub period: Duration,
    /// A chip; each has a seed of its own on top.
    pub chip: Config,
    /// What the controller's registers are set to.
    pub setup: Setup,
}

/// What a controller has room for.
pub struct Limits {
    /// I/O queues.
    pub queues: u32,
    /// Entries of the largest.
    pub largest_queue: u32,
    /// Command tags.
    pub tags: u32,
    /// Where the data of its namespace may be.
    pub media: &'static [Medium],
}

/// The controllers of [`SHAPES`], and the one over memory.
const LIMITS: Limits = Limits {
    queues: QUEUES,
    largest_queue: LARGEST_QUEUE,
    tags: TAGS,
    media: &[Medium::Flash, Medium::Memory],
};

impl Plan {
    /// The hardware of a board.
    ///
    /// # Errors
    /// A line, when there is no such hardware.
    pub fn new(board: &Board, processor: Processor) -> Result<Self, String> {
        let name = match board.firmware.medium {
            Medium::Flash => top(board, processor)?,
            Medium::Memory => over_memory::top(board, processor)?,
        };
        // A board that no hardware has is told of before a model that this program lacks.
        let parts = Parts::new(board, &LIMITS)?;
        let top = Top::named(name).ok_or_else(|| lacking(board, name, processor))?;
        let around = around(board, parts.period);
        Ok(Self { top, parts, around })
    }
}

impl Parts {
    /// What hardware of a board has, if there is such hardware.
    ///
    /// # Errors
    /// A line, when there is none.
    pub fn new(board: &Board, limits: &Limits) -> Result<Self, String> {
        let config = configuration(board, limits);
        if board.cores.count > 1 {
            let found = format!("{} cores", board.cores.count);
            return Err(wrong(board, "processor.cores", found, "the one core"));
        }
        if !limits.media.contains(&config.medium) {
            return Err(wrong(board, "storage.medium", "memory".into(), "flash"));
        }
        // The hardware gives out all of its tags, and each is a slot of the firmware.
        all_fit(board, &[("nvme.command_slots", config.command_slots, limits.tags)])?;
        let (log, layout) = match config.medium {
            Medium::Flash => {
                flash_fits(board, &config)?;
                let log = Buffer::log_entries(&config);
                let entries = Entries {
                    short: log.start,
                    whole: log.len() as u32,
                    flash_pages: config.programming.flash_pages,
                    dies: config.geometry.dies(),
                };
                let metadata_bytes = Pages::of(&config).metadata_bytes();
                let layout = Layout::of(entries, config.flash_page_bytes(), metadata_bytes);
                (log, layout)
            }
            Medium::Memory => {
                all_fit(board, &over_memory::expected(board))?;
                (0..0, over_memory::layout(&config))
            }
        };
        let period = period(board);
        let chip = chip(board);
        let format = format(board);
        let setup = Setup {
            cycle_ps: period.as_ps(),
            layout,
            log_entries: (log.start, log.len() as u32),
            channels: words(board, &chip, period),
            format,
        };
        Ok(Self { config, period, chip, setup })
    }

    /// New chips for each channel. Each is as fast as the die of its number in virtual time, and draws the same times.
    pub fn chips(&self, seed: u64) -> Vec<Vec<Chip>> {
        let Geometry { channels, ways, .. } = self.config.geometry;
        let die = |die: u32| Chip::new(Config { seed, die, ..self.chip.clone() });
        (0..channels)
            .map(|channel| (0..ways).map(|way| die(way * channels + channel)).collect())
            .collect()
    }
}

/// A line on what a controller in hardware has otherwise.
fn wrong(board: &Board, key: &str, found: String, expected: &str) -> String {
    format!("{}: {key}: found {found}, expected {expected} of a controller in hardware", board.name)
}

/// Whether all keys are what they have to be.
fn all_fit(board: &Board, keys: &[(&str, u32, u32)]) -> Result<(), String> {
    match keys.iter().find(|(_, found, expected)| found != expected) {
        Some((key, found, expected)) => {
            Err(wrong(board, key, found.to_string(), &expected.to_string()))
        }
        None => Ok(()),
    }
}

/// Whether the flash of a board is such that the hardware can work it.
fn flash_fits(board: &Board, config: &Configuration) -> Result<(), String> {
    if board.flash.fold.planes() > 1 {
        let found = format!("{} planes that act together", board.flash.fold.planes());
        return Err(wrong(board, "channel.merging", found, "none"));
    }
    if config.command_set == CommandSet::Zoned {
        return Err(wrong(board, "nvme.command_set", "zoned".into(), "block or open-channel"));
    }
    let flash_page = config.flash_page_bytes();
    if config.programming.passes > 1 {
        return Err(wrong(board, "flash.program", "two-pass".into(), "page or one-shot"));
    }
    // There a unit is a logical block, and each page has its blocks.
    if config.command_set == CommandSet::OpenChannel && flash_page != config.unit_bytes {
        let (found, expected) = (flash_page.to_string(), config.unit_bytes.to_string());
        let expected =
            format!("a logical block of {expected} bytes, as nvme.command_set is open-channel,");
        return Err(wrong(board, "geometry.page_bytes", found, &expected));
    }
    if flash_page > MOST_PAGE_BYTES {
        let expected = format!("at most {MOST_PAGE_BYTES}");
        return Err(wrong(board, "geometry.page_bytes", flash_page.to_string(), &expected));
    }
    let metadata_bytes = Pages::of(config).metadata_bytes();
    all_fit(
        board,
        &[
            ("flash.suspends", config.suspends.into(), 0),
            ("ecc.chunk_bytes", board.ecc.chunk_bytes, CHUNK_BYTES),
            ("ecc.correctable_bits", board.ecc.correctable_bits, CORRECTABLE_BITS),
            ("flash.metadata_bytes", board.ecc.metadata_bytes, metadata_bytes),
            ("flash.planes used together", config.joined_planes, 1),
            ("ftl.mapping_unit_bytes", config.unit_bytes, flash_page),
        ],
    )?;
    if board.flash.pairing != Pairing::Adjacent {
        return Err(wrong(board, "flash.pairing", "shifted".into(), "adjacent"));
    }
    let errors = &board.errors;
    if errors.disturb_bits_per_terabit_per_kiloread
        + errors.retention_bits_per_terabit_per_hour
        + errors.hangs_per_billion
        > 0
    {
        return Err(wrong(board, "errors", "read disturb, retention or hangs".into(), "none"));
    }
    if errors.model == ErrorModel::Cells {
        return Err(wrong(board, "errors.model", "cells".into(), "rates"));
    }
    if errors.factory_bad_blocks_per_million > 0 {
        let found = errors.factory_bad_blocks_per_million.to_string();
        return Err(wrong(board, "errors.factory_bad_blocks_per_million", found, "0"));
    }
    let page = board.ecc.code_words().page_bytes(flash_page);
    let room = flash_page + board.flash.spare_bytes;
    if page > room {
        let found = format!("{room} bytes a page");
        return Err(wrong(board, "flash.spare_bytes", found, &format!("at least {page}")));
    }
    Ok(())
}

/// The line that says that no model of a top is in this program.
fn lacking(board: &Board, top: &str, processor: Processor) -> String {
    if processor == Processor::Ibex {
        return format!("--processor ibex: found no model of {top}, expected the package of its core in target/rtl-venv (make rtl-tools)");
    }
    let (found, drives) = match board.firmware.medium {
        Medium::Flash if board.channel.status_poll > Duration::ZERO => {
            (status_poll(board), format!(" DRIVES={top}"))
        }
        Medium::Flash => (geometry(board), format!(" DRIVES={top}")),
        Medium::Memory => (format!("{}: storage.medium: found memory", board.name), String::new()),
    };
    format!("{found}, whose model is not in this program, expected it (make rtl-drive{drives})")
}

/// The beginning of a line about a board's channels and ways.
fn geometry(board: &Board) -> String {
    let Geometry { channels, ways, .. } = board.firmware.geometry;
    format!("{}: geometry: found {channels} x {ways} channels and ways", board.name)
}

/// The name of the top of a board's controller.
fn top(board: &Board, processor: Processor) -> Result<&'static str, String> {
    let Geometry { channels, ways, .. } = board.firmware.geometry;
    let name = |shape: &Shape| match processor {
        Processor::Beside => Some(shape.top),
        Processor::Ibex => shape.with_processor,
    };
    let pages = Pages::of(&board.firmware);
    if pages == Pages::OfUnits && processor == Processor::Ibex {
        let (key, found, expected) = match board.firmware.command_set {
            CommandSet::Block => ("flash.program", "whole word lines", "page"),
            CommandSet::OpenChannel => ("nvme.command_set", "open-channel", "block"),
            CommandSet::Zoned => ("nvme.command_set", "zoned", "block"),
        };
        let expected = format!("{expected}, with --processor ibex,");
        return Err(wrong(board, key, found.into(), &expected));
    }
    let is_there = |shape: &&Shape| name(shape).is_some() && shape.pages == pages;
    let there: Vec<&Shape> = SHAPES.iter().filter(is_there).collect();
    let has_size = |shape: &&&Shape| (shape.channels, shape.ways) == (channels, ways);
    let of_size: Vec<_> = there.iter().filter(has_size).collect();
    let polls = poll_cycles(board, period(board));
    if !of_size.is_empty() && of_size.iter().all(|shape| shape.poll_cycles != polls) {
        let times = of_size.iter().map(|shape| us(period(board).as_ps() * shape.poll_cycles));
        let expected = times.collect::<Vec<_>>().join(" or ");
        return Err(format!(
            "{}, expected {expected} of a controller in hardware",
            status_poll(board)
        ));
    }
    let shape = of_size.into_iter().find(|shape| shape.poll_cycles == polls);
    shape.and_then(|shape| name(shape)).ok_or_else(|| {
        let with_pins = there.iter().filter(|shape| shape.poll_cycles == 0);
        let shapes = with_pins.map(|shape| format!("{} x {}", shape.channels, shape.ways));
        let shapes = shapes.collect::<Vec<_>>().join(", ");
        let found = geometry(board);
        format!("{found}, expected those of a controller in hardware: {shapes}")
    })
}

/// What the firmware is told: the board's, as far as the hardware goes.
fn configuration(board: &Board, limits: &Limits) -> Configuration {
    let mut config = board.firmware.clone();
    if config.medium == Medium::Flash {
        config.automation = Automation::None;
    }
    config.completer = Completer::Firmware;
    config.doorbell_buffers = DoorbellBuffers::Absent;
    config.read_unit_bytes = config.flash_page_bytes();
    config.command_slots = config.command_slots.min(limits.tags);
    config.io_queues = config.io_queues.min(limits.queues);
    config.vectors = config.vectors.min(limits.queues + 1);
    config.queue_entries = config.queue_entries.min(limits.largest_queue);
    let format = format(board);
    if let Grain::Operations(grain) = config.grain {
        config.grain = Grain::Operations(OperationGrain { format, ..grain });
    }
    config
}

/// Pages that lie between two usable ones, and all of a block.
fn pages(board: &Board) -> (u32, u32) {
    let stride = board.flash.cell_bits / board.flash.cell_mode.bits();
    (stride, board.flash.pages_per_physical_block)
}

fn format(board: &Board) -> PhaseFormat {
    let (stride, all) = pages(board);
    let pages_per_block = board.firmware.geometry.pages_per_block;
    let block_shift = all.next_power_of_two().trailing_zeros() as u8;
    let flash_pages = board.firmware.programming.flash_pages;
    let page_stride = stride * flash_pages;
    PhaseFormat {
        page_bytes: board.firmware.flash_page_bytes() as u16,
        flash_pages: flash_pages as u8,
        rows: RowFormat { pages_per_block, page_stride, block_shift },
        code: board.ecc.code_words(),
    }
}

/// A cycle of the clock of a board's hardware. Of a drive over flash, a word of two bytes goes over the bus of a channel in
/// each.
pub fn period(board: &Board) -> Duration {
    match board.firmware.medium {
        Medium::Flash => board.channel.bus.time_of(2),
        Medium::Memory => board.automation.cycle,
    }
}

fn chip(board: &Board) -> Config {
    let (geometry, flash, errors) = (board.firmware.geometry, &board.flash, &board.errors);
    let (page_bytes, word_line_pages) =
        (board.firmware.flash_page_bytes(), board.firmware.programming.flash_pages);
    let (_, all) = pages(board);
    let (interface, timing) = match board.channel.timing.interface {
        BusInterface::Ddr => (Interface::Ddr, Timing::nv_ddr2_mode_4()),
        BusInterface::Sdr => (Interface::Sdr, Timing::sdr_mode_5()),
    };
    let small = Config::small(interface, timing);
    let bits = u64::from(board.ecc.code_words().page_bytes(page_bytes)) * 8;
    Config {
        rows: RowLayout {
            page_bits: all.next_power_of_two().trailing_zeros(),
            pages: all,
            block_bits: geometry.blocks_per_way.next_power_of_two().trailing_zeros(),
            blocks: geometry.blocks_per_way,
            plane_bits: 0,
            luns: 1,
            cycles: 3,
        },
        data_bytes: page_bytes as usize,
        spare_bytes: flash.spare_bytes as usize,
        word_line_pages,
        times: Times {
            read: flash.read_times().to_vec(),
            program: flash.program_times().to_vec(),
            program_word_line: flash.program_times()[0],
            program_plane: flash.t_plane_busy,
            erase: flash.t_erase,
            ..small.times.clone()
        },
        deviations: Deviations {
            read: flash.read_deviation,
            program: flash.program_deviation,
            erase: flash.erase_deviation,
            die: flash.die_deviation,
        },
        errors: Errors {
            wrong_bits_per_1000_pages: (errors.raw_bits_per_terabit * bits / 1_000_000_000) as u32,
            retry_percent: errors.retry_percent as u8,
            // A chip draws for each flash page of a word line.
            program_failures_per_billion: (errors.program_failures_per_billion
                / u64::from(word_line_pages)) as u32,
            erase_failures_per_billion: errors.erase_failures_per_billion as u32,
            factory_bad_per_million: 0,
        },
        ..small
    }
}

/// What the registers of each channel are set to.
fn words(board: &Board, chip: &Config, period: Duration) -> ChannelWords {
    let scheduling = &board.channel.scheduling;
    let (model, halts) = match (board.firmware.grain, scheduling.execution) {
        (Grain::Phases, _) => (Model::InOrder, 0),
        (Grain::Operations(_), Execution::Sequential) => (Model::Sequential, 1),
        (Grain::Operations(_), Execution::Decoupled) => (Model::Decoupled, 1),
        (Grain::Operations(_), Execution::InOrder) => (Model::InOrder, 1),
        (Grain::Operations(_), Execution::OutOfOrder) => (Model::OutOfOrder, 1),
    };
    let rows = &chip.rows;
    let scheduler = [
        (registers::scheduler::MODEL, model as u32),
        (registers::scheduler::HALT_ON_FAILURE, halts),
        (registers::scheduler::PLANE_SHIFT, rows.page_bits),
        (registers::scheduler::LUN_SHIFT, rows.page_bits + rows.block_bits),
        (registers::scheduler::LOW_WAYS, scheduling.low_priority_ways.min(16)),
        (registers::scheduler::AGE, scheduling.priority_age.min(7)),
    ];
    let busy = scheduling.busy_timeout.as_ps().div_ceil(256 * period.as_ps()).min(LONGEST_BUSY);
    let timeouts = [
        (registers::timeouts::BUSY_TIMEOUT, busy as u32),
        (registers::timeouts::DATA_TIMEOUT, DATA_TIMEOUT),
    ];
    BusSettings::of(chip, period).words(&scheduler, &timeouts)
}

/// The link as the board has it, and memory that answers after a few cycles.
fn around(board: &Board, period: Duration) -> Surroundings {
    let fetch = board.host.fetch_latency.as_ps() / period.as_ps();
    let bytes = 1_000_000;
    let cycles = board.host.link.time_of(bytes).as_ps().div_ceil(period.as_ps()).max(1);
    let link = Link {
        millibytes_a_cycle: bytes * 1000 / cycles,
        payload: 256,
        write_overhead: 0,
        completion_overhead: 0,
        round_trip: fetch.saturating_sub(FETCH_CYCLES).max(2),
    };
    let memory = || Behaviour { latency: 12..=12, ..Behaviour::prompt() };
    Surroundings {
        host: Behaviour::linked(link),
        memories: [memory(), memory()],
        bar: Pace::Always,
        bus: [(); 5].map(|()| Pace::Always),
    }
}
