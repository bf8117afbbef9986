//! The whole drive: the controller in hardware, the real firmware, flash in memory.

use super::body::{Body, Layout, CYCLE_PS};
use super::card::{Card, Surroundings};
use super::{Automation, Interface};
use crate::{tops, Random, Top};
use contract::{
    BadBlocks, CachePolicy, Completer, Configuration, DoorbellBuffers, Geometry, Grain, Medium,
    Pass, Policies,
};
use firmware::Firmware;
use host::Memory;
use machine::Device;

/// Cycles in which nothing may happen before the drive counts as quiet: longer than anything but a
/// time-out takes between two signs of life.
const QUIET_CYCLES: u64 = 400;

/// A drive behind a [`Card`]: firmware that works its registers.
pub trait CardDevice: Device<Memory = Memory> {
    /// The host interface, by the processor's registers. What the firmware does not expect confuses it.
    fn interface(&mut self) -> &mut Interface;

    /// One turn of the firmware; how it ended. It takes a few cycles.
    fn turn(&mut self) -> Pass;

    /// The controller and what hangs on it.
    fn card(&mut self) -> &mut Card {
        &mut self.interface().bus
    }

    /// Lets so many cycles go by, and a few more until the turn of the firmware is over.
    fn run(&mut self, cycles: u64) {
        let end = self.card().cycles() + cycles;
        while self.card().cycles() < end {
            self.turn();
        }
    }

    /// Goes on until nothing has happened for so many cycles, or so many are over.
    fn rest(&mut self, limit: u64, quiet: u64) {
        let start = self.card().cycles();
        let end = start.saturating_add(limit);
        let mut last = start;
        loop {
            let pass = self.turn();
            let card = self.card();
            let (under_way, now) = (card.under_way(), card.cycles());
            let is_busy = under_way.accesses > under_way.silent || !card.bar.is_idle();
            if pass == Pass::Busy || is_busy {
                last = now;
            }
            if now - last > quiet || now >= end {
                return;
            }
        }
    }
}

/// Who runs reads, writes, flushes and write zeroes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The firmware, as everything.
    Firmware,
    /// The hardware, between host and the drive's memory.
    Automated,
}

/// Which host interface stands in a drive, and who runs its commands.
pub struct Build {
    /// The top of the simulated hardware, one of [`crate::tops`].
    pub top: &'static Top,
    /// Bits of its buses.
    pub bits: u32,
    /// Queue pairs beside that of admin commands.
    pub io_queues: u32,
    /// Who runs commands.
    pub mode: Mode,
}

/// A drive under a host's driver.
pub struct NvmeDevice {
    firmware: Firmware,
    body: Body,
}

/// A drive so small that tests fill and overwrite it: two channels of two ways, 8 MiB of flash.
fn configuration(build: &Build) -> Configuration {
    let geometry = Geometry {
        channels: 2,
        ways: 2,
        blocks_per_way: 16,
        pages_per_block: 16,
        page_bytes: 8192,
    };
    Configuration {
        serial: 1,
        medium: Medium::Flash,
        command_set: contract::CommandSet::Block,
        zoning: None,
        flash_times: contract::FlashTimes::UNKNOWN,
        automation: contract::Automation::None,
        geometry,
        grain: Grain::Phases,
        joined_planes: 1,
        programming: contract::Programming::SINGLE,
        suspends: 0,
        read_unit_bytes: geometry.page_bytes,
        unit_bytes: geometry.page_bytes,
        logical_pages: 576,
        namespaces: 1,
        block_formats: [512, 4096, 0, 0],
        block_format: 0,
        buffer_entries: 32,
        cache: CachePolicy::WriteBack,
        policies: Policies::PUBLISHED,
        command_slots: 256,
        io_queues: build.io_queues,
        vectors: build.io_queues + 1,
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
        recovery: None,
        reserve: None,
    }
}

impl NvmeDevice {
    /// Powers a drive on.
    pub fn new(mode: Mode, around: Surroundings, random: &mut Random) -> Self {
        let build = Build { top: &tops::NVME_HOST_X8, bits: 256, io_queues: 16, mode };
        Self::of(&build, around, random)
    }

    /// The same with another host interface.
    pub fn of(build: &Build, around: Surroundings, random: &mut Random) -> Self {
        let config = configuration(build);
        let card = Card::new(build.top, build.bits, around, random);
        let block_bytes = config.block_formats[usize::from(config.block_format)];
        let bytes = u64::from(config.logical_pages) * u64::from(config.geometry.page_bytes);
        let layout = Layout::new(&config, bytes);
        let mut interface = Interface::new(card);
        assert_eq!(
            interface.sizes(),
            (config.command_slots, config.io_queues + 1, config.queue_entries),
            "tags, queue pairs and queue entries of the top"
        );
        if build.mode == Mode::Automated {
            interface.automate(Automation {
                blocks: bytes / u64::from(block_bytes),
                transfer_blocks: config.max_transfer_bytes / block_bytes,
                block_bytes,
                base: layout.namespace,
            });
        }
        let mut body = Body::new(interface, &config, layout);
        let firmware = Firmware::new(&config, &mut body);
        Self { firmware, body }
    }

    /// Where things are in the drive's memory.
    pub fn layout(&self) -> Layout {
        self.body.layout()
    }
}

impl CardDevice for NvmeDevice {
    fn interface(&mut self) -> &mut Interface {
        &mut self.body.interface
    }

    fn turn(&mut self) -> Pass {
        self.firmware.pass(&mut self.body);
        self.body.pass
    }
}

impl Device for NvmeDevice {
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
        self.body.interface.bus.cycles() * CYCLE_PS
    }
}
