//! The layers below the NVMe manager of a drive without a page map: one that places data, the operations, and how they get to the hardware.

use contract::{CachePolicy, CommandTag, Completer, Configuration, Hardware, Start, Work};

use super::{Placed, Ports};
use crate::layers::{Border, Layers, OwnWork};
use crate::nvme::backend::{Chunked, Health, IoCommand, IoOutcome, Storage, Zoned};
use crate::operations::{ControlTransfer, Ended, OpId, Station};
use crate::sched::{Run, Scheduling};

/// What places data: chunks or zones.
pub trait Layer: Sized {
    /// As of [`Storage::Chunks`].
    type Chunks: Chunked;
    /// As of [`Storage::Zones`].
    type Zones: Zoned;

    /// The layer of a drive that gets power now.
    fn power_on(config: &Configuration, start: Start, hw: &mut impl Hardware) -> Self;
    /// Operations that wait or are under way at most.
    fn operations_needed(config: &Configuration) -> u32;
    /// Commands that are under way, and what of the data buffer is free.
    fn placed(&self) -> &Placed;
    /// The same, to be changed.
    fn placed_mut(&mut self) -> &mut Placed;
    /// Whether the drive has found how far its flash is written.
    fn is_found(&self) -> bool;
    /// As of [`Storage::chunked`].
    fn chunked(&mut self) -> Option<&mut Self::Chunks> {
        None
    }
    /// As of [`Storage::zoned`].
    fn zoned(&mut self) -> Option<&mut Self::Zones> {
        None
    }
    /// As of [`Storage::blocks`].
    fn blocks(&self) -> u64;
    /// As of [`Storage::blocks_in_use`].
    fn blocks_in_use(&self) -> u64;
    /// Takes in a command of the NVM command set; tells who completes it if nothing fails.
    fn submit(&mut self, command: IoCommand) -> Completer;
    /// As of [`Storage::set_cache`].
    fn set_cache(&mut self, cache: CachePolicy);
    /// As of [`Storage::health`].
    fn health(&self) -> Health;
    /// Takes an operation that the scheduler has ended.
    fn ended(&mut self, ports: &mut Ports<'_, impl Hardware>, id: OpId, ended: Ended);
    /// The first operation of a way, a program or an erase, failed, and the way halts.
    fn halted(&mut self, ports: &mut Ports<'_, impl Hardware>, die: u32);
    /// Plans what waits, as much as a turn may. True when anything changed.
    fn plan(&mut self, ports: &mut Ports<'_, impl Hardware>) -> bool;
}

/// The layers below the NVMe manager; `L` places data, and `S` is how operations get to the hardware.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct PlacedLayers<L, S> {
    pub layer: L,
    pub station: Station,
    scheduler: S,
}

/// Takes what the scheduler has ended, and sees to the ways that halt.
fn settle(layer: &mut impl Layer, ports: &mut Ports<'_, impl Hardware>) {
    while ports.station.has_news() {
        while let Some((id, ended)) = ports.station.next_ended() {
            layer.ended(ports, id, ended);
        }
        while let Some(die) = ports.station.next_halted() {
            layer.halted(ports, die);
        }
    }
    while ports.station.next_dead().is_some() {}
}

impl<H: Hardware, L: Layer, S: Scheduling<H>> Layers<H> for PlacedLayers<L, S> {
    fn power_on(config: &Configuration, start: Start, hw: &mut H) -> Self {
        PlacedLayers {
            layer: L::power_on(config, start, hw),
            station: Station::of(config, L::operations_needed(config)),
            scheduler: S::new(config),
        }
    }

    fn check_dma(&mut self, hw: &mut H) -> bool {
        let PlacedLayers { layer, station, scheduler } = self;
        let busy = scheduler.check_dma(hw, station);
        settle(layer, &mut Ports { hw, station });
        busy
    }

    fn advance(&mut self, hw: &mut H, _own_work: OwnWork) -> bool {
        let PlacedLayers { layer, station, scheduler } = self;
        let busy = layer.plan(&mut Ports { hw: &mut *hw, station });
        if station.is_empty() {
            return busy;
        }
        loop {
            match scheduler.run(hw, station) {
                Run::News => settle(layer, &mut Ports { hw: &mut *hw, station }),
                Run::Over(changed) => return busy | changed,
            }
        }
    }

    /// These drives have no capacitor. What chunks acknowledged is in flash, and what zones acknowledged and did not flush is lost, as the
    /// volatile write cache of Identify says.
    fn lose_power(&mut self, _hw: &mut H) {}

    fn save(&mut self, _hw: &mut H) -> bool {
        false
    }
}

impl<L: Layer, S: Border> Storage for PlacedLayers<L, S> {
    type Chunks = L::Chunks;
    type Zones = L::Zones;

    fn chunked(&mut self) -> Option<&mut L::Chunks> {
        self.layer.chunked()
    }

    fn zoned(&mut self) -> Option<&mut L::Zones> {
        self.layer.zoned()
    }

    fn blocks(&self) -> u64 {
        self.layer.blocks()
    }

    fn blocks_in_use(&self) -> u64 {
        self.layer.blocks_in_use()
    }

    fn block_bytes(&self) -> u32 {
        self.layer.placed().block_bytes
    }

    fn unit_bytes(&self) -> u32 {
        self.station.page().length
    }

    fn submit(&mut self, hw: &mut impl Hardware, command: IoCommand) -> Completer {
        hw.work(Work::Translate);
        self.layer.submit(command)
    }

    fn next_done(&mut self) -> Option<(CommandTag, IoOutcome)> {
        self.layer.placed_mut().commands.next_done()
    }

    fn is_ready(&self) -> bool {
        self.layer.is_found()
    }

    fn is_quiet(&self) -> bool {
        self.layer.placed().commands.under_way() == 0 && self.station.is_empty()
    }

    fn format(&mut self, _block_bytes: u32) {
        unreachable!("a drive without a page map refuses to be formatted")
    }

    fn set_cache(&mut self, cache: CachePolicy) {
        self.layer.set_cache(cache);
    }

    fn start_control(
        &mut self,
        hw: &mut impl Hardware,
        tag: CommandTag,
        transfer: ControlTransfer,
    ) {
        let ports = &mut Ports { hw, station: &mut self.station };
        self.layer.placed_mut().start_control(ports, tag, transfer);
    }

    fn control_done(&mut self) -> Option<IoOutcome> {
        self.layer.placed_mut().control.take()
    }

    fn health(&self) -> Health {
        self.layer.health()
    }
}
