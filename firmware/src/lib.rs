//! The firmware of the drive: NVMe manager, flash translation layer, low-level scheduler.
//!
//! One thread, one loop (Cosmos+ algorithm 1), written against [`contract::Hardware`] and nothing
//! else: it never knows which body it runs in. All memory is taken in [`Firmware::new`].
#![no_std]

extern crate alloc;

pub mod chunks;
pub mod cores;
pub mod ftl;
mod inspection;
mod large_tables;
pub mod memory;
pub mod nvme;
pub mod operations;
pub mod planted;
pub mod policies;
pub mod sched;
#[cfg(feature = "state")]
mod state;
mod told;

use core::ops::ControlFlow;

use contract::{
    CachePolicy, CommandSet, CommandTag, Completer, Configuration, Hardware, HostEvent, Medium,
    Pass, PhaseChannels, Start, Work,
};

use crate::chunks::{ChunkLayers, Chunks};
use crate::ftl::buffer::Buffer;
use crate::ftl::precondition::{Media, Precondition, Preconditioned};
use crate::ftl::{Ftl, Ports};
pub use crate::inspection::Inspection;
pub use crate::large_tables::LargeTables;
use crate::memory::MemoryLayers;
use crate::nvme::backend::{
    Health, IoCommand, IoOutcome, Keep, NoChunks, Past, Protection, Storage,
};
use crate::nvme::{Lifetime, Manager, PowerOff};
use crate::operations::{ControlTransfer, Station};
use crate::sched::{HandOverScheduler, PhaseScheduler, Run, Scheduling};
pub use crate::told::Told;
use sparse::Clones;

/// Events of one turn of the main loop that may end as soon as they are taken in.
const ENDED_AT_ONCE: u32 = 8;

/// The firmware of one drive; `L` is what lies below the NVMe manager. It is chosen once, with the type.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Firmware<L = FlashLayers> {
    manager: Manager,
    layers: L,
    power: Power,
}

/// Whether there is power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
enum Power {
    /// There is.
    On,
    /// A capacitor is what is left of it.
    Lost,
}

/// What lies below the NVMe manager, and its share of a turn of the main loop.
pub trait Layers<H: Hardware>: Storage {
    /// The layers of a drive that gets power now.
    fn power_on(config: &Configuration, start: Start, hw: &mut H) -> Self;

    /// Takes in what the host DMA engine finished. True when it did.
    fn check_dma(&mut self, hw: &mut H) -> bool;

    /// Works on what is under way, as much as a turn may. True when anything changed.
    fn advance(&mut self, hw: &mut H, own_work: OwnWork) -> bool;

    /// The power has gone away, and a capacitor is left. Nothing but [`Layers::save`] is called any more.
    fn lose_power(&mut self, hw: &mut H);

    /// Saves what would be lost, as much as a turn may. True when anything changed.
    fn save(&mut self, hw: &mut H) -> bool;
}

/// How commands come from the host side to the FTL, and back.
pub trait Border {
    /// The FTL takes a command in, or will; tells who completes it if nothing fails.
    fn submit(&mut self, ftl: &mut Ftl, command: IoCommand) -> Completer {
        ftl.submit(command)
    }

    /// Takes the next command that is done, as far as the host side knows.
    fn next_done(&mut self, ftl: &mut Ftl) -> Option<(CommandTag, IoOutcome)> {
        ftl.next_done()
    }

    /// Whether no command is between the two.
    fn is_clear(&self) -> bool {
        true
    }
}

impl Border for PhaseScheduler {}
impl Border for HandOverScheduler {}

/// Whether the layers may begin work that no command asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnWork {
    /// They may.
    Allowed,
    /// They are to come to rest.
    None,
}

/// A flash translation layer over flash; `S` is how operations get to the hardware.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct FlashLayers<S = PhaseScheduler> {
    ftl: Ftl,
    station: Station,
    scheduler: S,
    unit_bytes: u32,
    rated_cycles: u32,
    blocks: u64,
}

impl Firmware {
    /// Firmware that schedules by itself, for a flash drive as it leaves the factory.
    pub fn new(config: &Configuration, hw: &mut impl PhaseChannels) -> Self {
        Firmware::scheduling(config, hw)
    }
}

impl<L: LargeTables> Firmware<L> {
    /// States what clones of this firmware are as to their large tables.
    pub fn set_clones(&mut self, are: Clones) {
        self.layers.set_clones(are);
    }
}

impl<L: Storage> Firmware<L> {
    /// States what the drive has been through before this power-on, for the SMART log.
    pub fn set_past(&mut self, past: Lifetime) {
        self.manager.set_past(past);
    }

    /// What of the SMART log is to be kept where it outlasts power, and how power would go away now.
    pub fn lifetime(&self, hw: &mut impl Hardware) -> (Lifetime, PowerOff) {
        (self.manager.lifetime(hw), self.manager.power_off())
    }

    /// One turn of the main loop.
    pub fn pass<H: Hardware>(&mut self, hw: &mut H)
    where
        L: Layers<H>,
    {
        let Firmware { manager, layers, power } = self;
        hw.work(Work::Loop);
        if *power == Power::Lost {
            let busy = layers.save(hw);
            return hw.end_pass(if busy { Pass::Busy } else { Pass::Idle });
        }
        let mut busy = layers.check_dma(hw);
        busy |= manager.advance(hw, layers);
        busy |= take_events(manager, layers, hw, power);
        if *power == Power::Lost {
            layers.lose_power(hw);
            return hw.end_pass(Pass::Busy);
        }
        let own_work = if manager.wants_rest() { OwnWork::None } else { OwnWork::Allowed };
        busy |= layers.advance(hw, own_work);
        hw.end_pass(if busy { Pass::Busy } else { Pass::Idle });
    }
}

impl Firmware<MemoryLayers> {
    /// Firmware for a drive without flash, whose memory holds zeroes.
    pub fn over_memory(config: &Configuration) -> Self {
        let power = Power::On;
        Firmware { manager: Manager::new(config), layers: MemoryLayers::new(config), power }
    }

    /// The drive's sizes for reports and tests: a drive over memory has no tables to look into.
    pub fn inspect(&self) -> Inspection<'_> {
        let (page_bytes, block_bytes) = (self.layers.unit_bytes(), self.layers.block_bytes());
        Inspection::of_none(page_bytes, block_bytes)
    }
}

impl<S> Firmware<ChunkLayers<S>> {
    /// The drive's tables and counters for reports and tests, whatever its scheduler.
    pub fn inspect(&self) -> Inspection<'_> {
        let (chunks, station) = self.layers.parts();
        let (page_bytes, block_bytes) = (station.page().length, chunks.block_bytes());
        Inspection {
            chunks: Some((chunks, station)),
            ..Inspection::of_none(page_bytes, block_bytes)
        }
    }
}

impl<S> Firmware<FlashLayers<S>> {
    /// Firmware for a flash drive as it leaves the factory.
    ///
    /// # Panics
    /// If the scheduler is not of the configuration's grain.
    pub fn scheduling<H: Hardware>(config: &Configuration, hw: &mut H) -> Self
    where
        S: Scheduling<H>,
    {
        let layers = FlashLayers::new(config, hw, S::new(config));
        Firmware { manager: Manager::new(config), layers, power: Power::On }
    }

    /// Brings a drive that has done nothing yet into a state, and its chips with it. Returns the
    /// overwrites done, unless `watch` broke it off, which leaves a drive of no use.
    pub fn precondition(
        &mut self,
        state: Precondition,
        media: &mut impl Media,
        watch: &mut impl FnMut(Preconditioned) -> ControlFlow<()>,
    ) -> ControlFlow<(), u64> {
        if state != Precondition::None {
            self.layers.ftl.take_table(|die, block| media.factory_bad(die, block));
        }
        let overwrites = self.layers.ftl.translator.precondition(state, media, watch)?;
        if state != Precondition::None {
            self.layers.ftl.establish_log(media);
        }
        ControlFlow::Continue(overwrites)
    }

    /// The drive's tables and counters for reports and tests, whatever its scheduler.
    pub fn inspect(&self) -> Inspection<'_> {
        let FlashLayers { ftl, station, .. } = &self.layers;
        let (page_bytes, block_bytes) = (station.flash_page_bytes(), ftl.block_bytes());
        Inspection { flash: Some((ftl, station)), ..Inspection::of_none(page_bytes, block_bytes) }
    }
}

/// Operations that wait or are under way at most in a drive of this configuration, and entries that its data buffer has
/// beside those for pages of a log.
pub fn sizes(config: &Configuration) -> (u32, u32) {
    match (config.medium, config.command_set) {
        (Medium::Memory, _) => {
            (MemoryLayers::operations_needed(config), MemoryLayers::entries_needed(config))
        }
        (Medium::Flash, CommandSet::Block) => {
            (Ftl::operations_needed(config), Buffer::entries_needed(config))
        }
        (Medium::Flash, CommandSet::OpenChannel) => {
            (Chunks::operations_needed(config), Chunks::entries_needed(config))
        }
    }
}

/// Takes in whatever has come, so that the scheduler sees all there is to choose from. True when
/// there was anything.
///
/// A command that stays under way keeps its slot, and the slots bound how many can come. One that
/// ends at once gives it back, and a host that sends such commands without end would keep the
/// firmware here: they are counted, and the others wait for the next turn.
fn take_events(
    manager: &mut Manager,
    layers: &mut impl Storage,
    hw: &mut impl Hardware,
    power: &mut Power,
) -> bool {
    let (mut busy, mut ended) = (false, 0);
    while ended < ENDED_AT_ONCE {
        let event = hw.host_event();
        if event == HostEvent::None {
            break;
        }
        if event == HostEvent::PowerLoss {
            *power = Power::Lost;
            return true;
        }
        let under_way = manager.under_way();
        manager.handle(event, hw, layers);
        ended += u32::from(manager.under_way() <= under_way);
        busy = true;
    }
    busy
}

impl<H: Hardware, L: Layers<H>> contract::Firmware<H> for Firmware<L> {
    fn power_on(config: &Configuration, start: Start, hw: &mut H) -> Self {
        let layers = L::power_on(config, start, hw);
        Firmware { manager: Manager::new(config), layers, power: Power::On }
    }

    #[inline]
    fn pass(&mut self, hw: &mut H) {
        Firmware::pass(self, hw);
    }

    fn block_bytes(&self) -> u32 {
        self.layers.block_bytes()
    }
}

impl<H: Hardware, S: Scheduling<H>> Layers<H> for FlashLayers<S> {
    fn power_on(config: &Configuration, _start: Start, hw: &mut H) -> Self {
        FlashLayers::new(config, hw, S::new(config))
    }

    fn check_dma(&mut self, hw: &mut H) -> bool {
        let FlashLayers { ftl, station, scheduler, .. } = self;
        let busy = scheduler.check_dma(hw, station);
        ftl.settle(&mut Ports { hw, station });
        busy
    }

    fn advance(&mut self, hw: &mut H, own_work: OwnWork) -> bool {
        let FlashLayers { ftl, station, .. } = self;
        let ports = &mut Ports { hw: &mut *hw, station };
        let mut busy = ftl.advance(ports);
        if own_work == OwnWork::Allowed {
            busy |= ftl.work_ahead(ports);
        }
        if !self.station.is_empty() {
            busy |= self.schedule(hw);
        }
        busy
    }

    fn lose_power(&mut self, hw: &mut H) {
        let FlashLayers { ftl, station, scheduler, .. } = self;
        ftl.settle(&mut Ports { hw, station });
        ftl.lose_power(&mut Ports { hw, station });
        scheduler.abandon(hw, station);
        ftl.forget_planned(&mut Ports { hw, station });
    }

    fn save(&mut self, hw: &mut H) -> bool {
        let FlashLayers { ftl, station, scheduler, .. } = self;
        let mut busy = ftl.save(&mut Ports { hw, station });
        loop {
            match scheduler.run(hw, station) {
                Run::News => {
                    // What has failed is still to be saved elsewhere.
                    ftl.settle_loss(&mut Ports { hw, station });
                    busy = true;
                }
                Run::Over(changed) => break busy |= changed,
            }
        }
        busy
    }
}

impl<S> FlashLayers<S> {
    fn new(config: &Configuration, hw: &mut impl Hardware, scheduler: S) -> Self {
        let g = config.geometry;
        FlashLayers {
            ftl: Ftl::new(config, hw),
            station: Station::of(config, Ftl::operations_needed(config)),
            scheduler,
            unit_bytes: config.unit_bytes,
            rated_cycles: config.rated_cycles,
            blocks: u64::from(g.dies()) * u64::from(g.blocks_per_way),
        }
    }

    /// Lets the scheduler look at the hardware once, and the FTL take what has ended. True when
    /// anything changed.
    fn schedule<H: Hardware>(&mut self, hw: &mut H) -> bool
    where
        S: Scheduling<H>,
    {
        let FlashLayers { ftl, station, scheduler, .. } = self;
        loop {
            match scheduler.run(hw, station) {
                Run::News => ftl.settle(&mut Ports { hw, station }),
                Run::Over(busy) => return busy,
            }
        }
    }
}

impl<S: Border> Storage for FlashLayers<S> {
    type Chunks = NoChunks;

    fn chunked(&mut self) -> Option<&mut NoChunks> {
        None
    }

    fn blocks(&self) -> u64 {
        self.ftl.blocks()
    }

    fn blocks_in_use(&self) -> u64 {
        self.ftl.blocks_in_use()
    }

    fn block_bytes(&self) -> u32 {
        self.ftl.block_bytes()
    }

    fn unit_bytes(&self) -> u32 {
        self.unit_bytes
    }

    fn submit(&mut self, _hw: &mut impl Hardware, command: IoCommand) -> Completer {
        self.scheduler.submit(&mut self.ftl, command)
    }

    fn next_done(&mut self) -> Option<(CommandTag, IoOutcome)> {
        self.scheduler.next_done(&mut self.ftl)
    }

    fn is_ready(&self) -> bool {
        self.ftl.is_ready()
    }

    fn is_quiet(&self) -> bool {
        self.ftl.is_quiet() && self.station.is_empty() && self.scheduler.is_clear()
    }

    fn format(&mut self, block_bytes: u32) {
        self.ftl.format(block_bytes);
    }

    fn set_cache(&mut self, cache: CachePolicy) {
        self.ftl.set_cache(cache);
    }

    fn start_control(
        &mut self,
        hw: &mut impl Hardware,
        tag: CommandTag,
        transfer: ControlTransfer,
    ) {
        self.ftl.start_control(&mut Ports { hw, station: &mut self.station }, tag, transfer);
    }

    fn control_done(&mut self) -> Option<IoOutcome> {
        self.ftl.control_done()
    }

    fn take_past(&mut self) -> Option<Past> {
        self.ftl.log.as_mut()?.past.found.take()
    }

    fn wants_past(&self) -> bool {
        self.ftl.log.as_ref().is_some_and(|log| log.past.is_stale())
    }

    fn keep_past(&mut self, past: Past, keep: Keep) {
        if let Some(log) = &mut self.ftl.log {
            log.past.state(past, keep);
        }
    }

    fn is_past_kept(&self) -> bool {
        self.ftl.log.as_ref().is_none_or(|log| log.past.is_kept())
    }

    fn protection(&self) -> Protection {
        self.ftl.protection()
    }

    fn health(&self) -> Health {
        let blocks = &self.ftl.translator.blocks;
        let rated = self.blocks * u64::from(self.rated_cycles);
        Health {
            available_spare_percent: blocks.spare_percent(),
            percentage_used: (blocks.erases() * 100 / rated.max(1)).min(255) as u8,
            media_errors: self.ftl.counters.unreadable_pages + self.ftl.counters.lost_writes,
            read_only: self.ftl.is_read_only(),
            backup_failed: self.ftl.protection() == Protection::Failed,
        }
    }
}
