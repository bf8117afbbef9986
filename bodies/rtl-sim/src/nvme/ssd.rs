//! The whole controller in hardware, with golden chips and the real firmware.

use super::card::{Card, Surroundings};
use super::CardDevice;
use crate::{tops, ChipSettings, Random, Top};
use ::registers::flash as registers;
use channel::BusSettings;
use contract::packet::{CodeWords, Model, PhaseFormat, RowFormat};
use contract::{
    BadBlocks, CachePolicy, Completer, Configuration, DoorbellBuffers, Duration, Geometry, Grain,
    Medium, OperationGrain, Pass, Policies, Recovery,
};
use driver::{Controller, HostInterface, Layout, Setup};
use firmware::ftl::buffer::Buffer;
use firmware::ftl::Counters;
use firmware::sched::{HandOverScheduler, PhaseScheduler, Scheduling};
use firmware::{Firmware, FlashLayers};
use host::Memory;
use machine::Device;
use nand::onfi::{Chip, Config, Interface, RowLayout, Timing};

/// A cycle of the controller: 100 MHz.
const PERIOD: Duration = Duration::from_ns(10);

/// Bytes of parity of a chunk, and of metadata, as the top has them.
const CHUNK_BYTES: u16 = 256;
const PARITY_BYTES: u16 = 20;
const METADATA_BYTES: u16 = 24;

/// Cycles in which nothing may happen before the drive counts as quiet: longer than an erase of its chips, and
/// than anything but a time-out takes between two signs of life.
const QUIET_CYCLES: u64 = 12_000;

/// Bytes of data of a page.
const PAGE_BYTES: u32 = 4096;

/// A drive made of the whole controller; `S` is who schedules.
pub struct Ssd<S> {
    firmware: Firmware<FlashLayers<S>>,
    body: Controller<Card>,
    /// How the channels are told to work.
    channels: (Grain, Model),
    setup: SsdSetup,
}

/// What a drive is made of.
pub struct SsdSetup {
    /// How everything around the controller behaves.
    pub around: Surroundings,
    /// What goes wrong in the chips by chance.
    pub errors: nand::onfi::Errors,
    /// Seed of the chips.
    pub seed: u64,
    /// Which controller it has.
    pub controller: SsdTop,
}

/// A whole controller, as a top has it.
#[derive(Clone, Copy, Debug)]
pub enum SsdTop {
    /// One clock, buses of 256 bits, two channels of two ways.
    OneClock,
    /// Host interface and channels have clocks of their own, with these cycles; buses of 128 bits, two channels of two ways.
    OwnClocks([Duration; 2]),
    /// The same, but the host interface has the controller's clock, and the first of these is that of the host's bridge, which may stop.
    Bridged([Duration; 2]),
    /// One clock, buses of 64 bits, a channel with one way.
    Narrow,
}

impl SsdTop {
    /// Channels, and the ways of each.
    fn shape(self) -> (u32, u32) {
        match self {
            Self::OneClock | Self::OwnClocks(_) | Self::Bridged(_) => (2, 2),
            Self::Narrow => (1, 1),
        }
    }
}

impl SsdSetup {
    /// A card without chips.
    fn card(&self, random: &mut Random) -> Card {
        let around = self.around.clone();
        match self.controller {
            SsdTop::OneClock => Card::new(&tops::SSD_SMALL, 256, around, random),
            SsdTop::OwnClocks(others) => {
                Card::with_clocks(&tops::SSD_CLOCKS, (PERIOD, others), 128, around, random)
            }
            SsdTop::Bridged(others) => {
                let top = Top::named("ssd_bridge").expect("RTL_TOPS has it");
                Card::with_clocks(top, (PERIOD, others), 128, around, random)
            }
            SsdTop::Narrow => {
                let top = Top::named("ssd_narrow").expect("RTL_TOPS has it");
                Card::new(top, 64, around, random)
            }
        }
    }

    /// A cycle of the channels' clock.
    fn flash_period(&self) -> Duration {
        match self.controller {
            SsdTop::OwnClocks([_, flash]) | SsdTop::Bridged([_, flash]) => flash,
            SsdTop::OneClock | SsdTop::Narrow => PERIOD,
        }
    }
}

/// The chip of a way: 16 blocks of 16 pages of 4 KiB, with times a tenth to a hundredth of real ones.
fn chip(setup: &SsdSetup, way: u32) -> Config {
    let small = Config::small(Interface::Ddr, Timing::nv_ddr2_mode_4());
    Config {
        rows: RowLayout {
            page_bits: 4,
            pages: 16,
            block_bits: 4,
            blocks: 16,
            plane_bits: 0,
            luns: 1,
            cycles: 3,
        },
        data_bytes: PAGE_BYTES as usize,
        spare_bytes: 512,
        word_line_pages: 1,
        errors: setup.errors,
        seed: setup.seed + u64::from(way),
        ..small
    }
}

fn format() -> PhaseFormat {
    PhaseFormat {
        page_bytes: PAGE_BYTES as u16,
        flash_pages: 1,
        rows: RowFormat::dense(16),
        code: CodeWords {
            chunk_bytes: CHUNK_BYTES,
            parity_bytes: PARITY_BYTES,
            metadata_bytes: METADATA_BYTES,
        },
    }
}

/// The drive as the firmware is told of it: 1 MiB of flash a way.
pub(super) fn configuration(grain: Grain, top: SsdTop) -> Configuration {
    let (channels, ways) = top.shape();
    let geometry = Geometry {
        channels,
        ways,
        blocks_per_way: 16,
        pages_per_block: 16,
        page_bytes: PAGE_BYTES,
    };
    Configuration {
        serial: 1,
        medium: Medium::Flash,
        command_set: contract::CommandSet::Block,
        zoning: None,
        flash_times: contract::FlashTimes::UNKNOWN,
        automation: contract::Automation::None,
        geometry,
        grain,
        joined_planes: 1,
        programming: contract::Programming::SINGLE,
        suspends: 0,
        read_unit_bytes: geometry.page_bytes,
        unit_bytes: geometry.page_bytes,
        logical_pages: 96 * channels * ways,
        namespaces: 1,
        block_formats: [512, 4096, 0, 0],
        block_format: 0,
        buffer_entries: 32,
        cache: CachePolicy::WriteBack,
        policies: Policies::PUBLISHED,
        command_slots: 256,
        io_queues: 16,
        vectors: 17,
        queue_entries: 1024,
        completer: Completer::Firmware,
        doorbell_buffers: DoorbellBuffers::Absent,
        max_transfer_bytes: 128 << 10,
        dma_requests: 16,
        clean_entries_kept: 0,
        free_pages_kept: 0,
        refresh: contract::Refresh::NONE,
        read_retries: 4,
        read_levels: 0,
        spare_blocks_per_way: 2,
        bad_blocks: BadBlocks::Table,
        rated_cycles: 3000,
        recovery: Some(Recovery {
            log_entries: 4,
            map_cache_parts: None,
            snapshots_per_journal_page: 2,
            log_blocks_per_way: 3,
        }),
        reserve: None,
    }
}

impl Ssd<PhaseScheduler> {
    /// A drive whose firmware schedules.
    pub fn of_phases(setup: SsdSetup, random: &mut Random) -> Self {
        Self::new(Grain::Phases, Model::InOrder, setup, random)
    }
}

impl Ssd<HandOverScheduler> {
    /// A drive whose channels schedule, out of order.
    pub fn of_operations(setup: SsdSetup, random: &mut Random) -> Self {
        let grain = OperationGrain { way_requests: 8, format: format() };
        Self::new(Grain::Operations(grain), Model::OutOfOrder, setup, random)
    }
}

impl<S: Scheduling<Controller<Card>>> Ssd<S> {
    fn new(grain: Grain, model: Model, setup: SsdSetup, random: &mut Random) -> Self {
        let (channels, ways) = setup.controller.shape();
        let chips: Vec<Vec<Chip>> = (0..channels)
            .map(|channel| {
                let way = |way| Chip::new(chip(&setup, channel * ways + way));
                (0..ways).map(way).collect()
            })
            .collect();
        let mut card = setup.card(random);
        card.hang_chips(chips, setup.flash_period());
        Self::power_on(card, (grain, model), setup)
    }

    /// The power of the controller goes away and comes back at once. Its chips keep theirs, and end what they do.
    pub fn power_cycle(mut self, random: &mut Random) -> Self {
        let mut card = self.setup.card(random);
        card.take_chips(self.card());
        Self::power_on(card, self.channels, self.setup)
    }

    /// Starts the firmware on a card with chips.
    fn power_on(mut card: Card, channels: (Grain, Model), setup: SsdSetup) -> Self {
        let (grain, model) = channels;
        let config = configuration(grain, setup.controller);
        let bus = BusSettings::of(&chip(&setup, 0), setup.flash_period());
        let scheduler = [
            (registers::scheduler::MODEL, model as u32),
            (registers::scheduler::HALT_ON_FAILURE, (model == Model::OutOfOrder).into()),
            (registers::scheduler::LUN_SHIFT, 8),
            (registers::scheduler::PLANE_SHIFT, 4),
            (registers::scheduler::LOW_WAYS, config.geometry.ways),
        ];
        let timeouts =
            [(registers::timeouts::BUSY_TIMEOUT, 1000), (registers::timeouts::DATA_TIMEOUT, 1000)];
        let log = Buffer::log_entries(&config);
        let layout = Layout::new(log.end, PAGE_BYTES, METADATA_BYTES.into());
        card.map_memory(layout.end);
        let registers = Setup {
            cycle_ps: PERIOD.as_ps(),
            layout,
            log_entries: (log.start, log.len() as u32),
            channels: bus.words(&scheduler, &timeouts),
            format: format(),
        };
        let mut body = Controller::new(card, &config, registers);
        let firmware = Firmware::scheduling(&config, &mut body);
        Self { firmware, body, channels, setup }
    }

    /// What the firmware counted.
    pub fn counters(&self) -> Counters {
        self.firmware.inspect().counters()
    }

    /// Where things are in the data buffer memory.
    pub fn layout(&self) -> Layout {
        self.body.layout()
    }
}

impl<S: Scheduling<Controller<Card>>> CardDevice for Ssd<S> {
    fn interface(&mut self) -> &mut HostInterface<Card> {
        &mut self.body.host
    }

    fn turn(&mut self) -> Pass {
        self.firmware.pass(&mut self.body);
        self.card().pass
    }
}

impl<S: Scheduling<Controller<Card>>> Device for Ssd<S> {
    type Memory = Memory;

    fn read32(&mut self, offset: u64) -> u32 {
        self.card().read_bar(offset)
    }

    fn write32(&mut self, offset: u64, value: u32) {
        self.card().write_bar(offset, value);
    }

    fn memory(&mut self) -> &mut Memory {
        self.card().host.memory_mut()
    }

    fn settle(&mut self, limit_ps: u64) {
        self.rest(limit_ps / PERIOD.as_ps(), QUIET_CYCLES);
    }

    fn now_ps(&self) -> u64 {
        self.body.host.bus.cycles() * PERIOD.as_ps()
    }
}
