//! The whole controller in automated mode, with memory as the medium and the real firmware.

use super::card::{Card, Surroundings};
use super::ssd::{self, SsdTop};
use super::CardDevice;
use crate::{Random, Top};
use contract::packet::{CodeWords, PhaseFormat, RowFormat};
use contract::{
    AutomatedTraffic, Automation, Configuration, Geometry, Grain, Hardware, Medium, Pass,
};
use driver::{ChannelWords, Controller, HostInterface, Layout, Setup};
use firmware::memory::MemoryLayers;
use firmware::Firmware;
use host::Memory;
use machine::Device;

/// The top that is simulated, in which the hardware runs reads and writes.
const TOP: &str = "ssd_automated";

/// Bits of its buses.
const BUS_BITS: u32 = 256;

/// A cycle of the controller, in picoseconds: 100 MHz.
const CYCLE_PS: u64 = 10_000;

/// Cycles in which nothing may happen before the drive counts as quiet.
const QUIET_CYCLES: u64 = 400;

/// Bytes of a page of the medium.
const PAGE_BYTES: u32 = 4096;

/// A drive without flash, whose host interface runs what it can.
pub struct MemorySsd {
    firmware: Firmware<MemoryLayers>,
    body: Controller<Card>,
}

/// The drive as the firmware is told of it: 2 MiB of memory, and what [`super::Ssd`] has besides flash.
fn configuration() -> Configuration {
    Configuration {
        medium: Medium::Memory,
        command_set: contract::CommandSet::Block,
        zoning: None,
        flash_times: contract::FlashTimes::UNKNOWN,
        automation: Automation::ReadsAndWrites,
        geometry: Geometry {
            channels: 2,
            ways: 1,
            blocks_per_way: 1,
            pages_per_block: 1,
            page_bytes: PAGE_BYTES,
        },
        read_unit_bytes: PAGE_BYTES,
        unit_bytes: PAGE_BYTES,
        logical_pages: 512,
        read_retries: 0,
        spare_blocks_per_way: 0,
        recovery: None,
        ..ssd::configuration(Grain::Phases, SsdTop::OneClock)
    }
}

/// There is no flash, so nothing is asked of it.
fn setup(config: &Configuration) -> Setup {
    let code = CodeWords { chunk_bytes: 256, parity_bytes: 20, metadata_bytes: 24 };
    Setup {
        cycle_ps: CYCLE_PS,
        layout: Layout::new(MemoryLayers::entries_needed(config), PAGE_BYTES, 0),
        log_entries: (0, 0),
        channels: ChannelWords::default(),
        format: PhaseFormat {
            page_bytes: PAGE_BYTES as u16,
            flash_pages: 1,
            rows: RowFormat::dense(1),
            code,
        },
    }
}

impl MemorySsd {
    /// A drive, if the model of its controller was made.
    pub fn new(around: Surroundings, random: &mut Random) -> Option<Self> {
        let config = configuration();
        let setup = setup(&config);
        let mut card = Card::new(Top::named(TOP)?, BUS_BITS, around, random);
        card.map_memory(setup.layout.end);
        let body = Controller::new(card, &config, setup);
        Some(Self { firmware: Firmware::over_memory(&config), body })
    }

    /// What the hardware ran by itself.
    pub fn traffic(&mut self) -> AutomatedTraffic {
        self.body.automated_traffic()
    }

    /// Where things are in the drive's memory.
    pub fn layout(&self) -> Layout {
        self.body.layout()
    }
}

impl CardDevice for MemorySsd {
    fn interface(&mut self) -> &mut HostInterface<Card> {
        &mut self.body.host
    }

    fn turn(&mut self) -> Pass {
        self.firmware.pass(&mut self.body);
        self.card().pass
    }
}

impl Device for MemorySsd {
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
        self.rest(limit_ps / CYCLE_PS, QUIET_CYCLES);
    }

    fn now_ps(&self) -> u64 {
        self.body.host.bus.cycles() * CYCLE_PS
    }
}
