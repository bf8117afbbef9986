//! The firmware of the drive: NVMe manager, flash translation layer, low-level scheduler.
//!
//! One thread, one loop (Cosmos+ algorithm 1), written against [`contract::Hardware`] and nothing
//! else: it never knows which body it runs in. All memory is taken in [`Firmware::new`].
#![no_std]

extern crate alloc;

mod chosen_policy;
pub mod chunks;
pub mod cores;
mod flash_layers;
pub mod ftl;
mod inspection;
mod large_tables;
mod layers;
pub mod memory;
pub mod nvme;
pub mod operations;
mod placed;
pub mod planted;
pub mod policies;
pub mod sched;
#[cfg(feature = "state")]
mod state;
mod told;
pub mod zones;

use core::ops::ControlFlow;

use contract::{
    CommandSet, Configuration, Hardware, HostEvent, Medium, Pass, PhaseChannels, Start, Work,
};

use crate::chunks::{ChunkLayers, Chunks};
pub use crate::flash_layers::FlashLayers;
use crate::ftl::buffer::Buffer;
use crate::ftl::precondition::{Media, Precondition, Preconditioned};
use crate::ftl::sizes as ftl_sizes;
pub use crate::inspection::Inspection;
pub use crate::large_tables::LargeTables;
pub use crate::layers::{Border, Layers, OwnWork};
use crate::memory::MemoryLayers;
use crate::nvme::backend::Storage;
use crate::nvme::{Lifetime, Manager, PowerOff};
use crate::placed::layers::PlacedLayers;
use crate::sched::Scheduling;
pub use crate::told::Told;
use crate::zones::{ZoneLayers, Zones};
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
        let PlacedLayers { layer, station, .. } = &self.layers;
        let (page_bytes, block_bytes) = (station.page().length, layer.block_bytes());
        Inspection {
            chunks: Some((layer, station)),
            ..Inspection::of_none(page_bytes, block_bytes)
        }
    }
}

impl<S> Firmware<ZoneLayers<S>> {
    /// The drive's tables and counters for reports and tests, whatever its scheduler.
    pub fn inspect(&self) -> Inspection<'_> {
        let PlacedLayers { layer, station, .. } = &self.layers;
        let (page_bytes, block_bytes) = (station.page().length, layer.block_bytes());
        Inspection { zones: Some((layer, station)), ..Inspection::of_none(page_bytes, block_bytes) }
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

    /// Has victims of collection be chosen by something outside of the firmware, or by the board's policy, which begins anew.
    #[cfg(feature = "given-victims")]
    pub fn choose_victims(&mut self, by: Option<alloc::boxed::Box<dyn ftl::victim::Chooser>>) {
        self.layers.ftl.translator.choose_victims(by);
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
            (ftl_sizes::operations_needed(config), Buffer::entries_needed(config))
        }
        (Medium::Flash, CommandSet::OpenChannel) => {
            (Chunks::operations_needed(config), Chunks::entries_needed(config))
        }
        (Medium::Flash, CommandSet::Zoned) => {
            (Zones::operations_needed(config), Zones::entries_needed(config))
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
