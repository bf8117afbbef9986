//! The layers of a drive over flash: the FTL, the operations that it asks for, and the scheduler that does them.

use contract::{CachePolicy, CommandTag, Completer, Configuration, Hardware, Start};

use crate::ftl::{sizes, Ftl, Ports};
use crate::layers::{Border, Layers, OwnWork};
use crate::nvme::backend::{
    Health, IoCommand, IoOutcome, Keep, NoChunks, NoZones, Past, Placement, Protection,
    ReclaimEvent, Storage,
};
use crate::operations::{ControlTransfer, Station};
use crate::sched::{PhaseScheduler, Run, Scheduling};

/// A flash translation layer over flash; `S` is how operations get to the hardware.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct FlashLayers<S = PhaseScheduler> {
    pub(crate) ftl: Ftl,
    pub(crate) station: Station,
    pub(crate) scheduler: S,
    pub(crate) unit_bytes: u32,
    pub(crate) rated_cycles: u32,
    pub(crate) blocks: u64,
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
    pub(crate) fn new(config: &Configuration, hw: &mut impl Hardware, scheduler: S) -> Self {
        let g = config.geometry;
        FlashLayers {
            ftl: Ftl::new(config, hw),
            station: Station::of(config, sizes::operations_needed(config)),
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
    type Zones = NoZones;

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

    fn placement(&self) -> Option<Placement> {
        let handles = self.ftl.translator.handles()?;
        let blocks = &self.ftl.translator.blocks;
        let page = u64::from(self.ftl.page_bytes());
        let block = page * u64::from(blocks.superblock_pages() / blocks.planes());
        Some(Placement {
            handles: handles.count(),
            unit_blocks: u64::from(handles.unit_pages()) * page / u64::from(self.ftl.block_bytes()),
            media_bytes: (self.ftl.counters.programs + self.ftl.counters.moves) * page,
            erased_bytes: self.ftl.counters.erases * block,
        })
    }

    fn reclaim_unit_left(&self, handle: u8) -> u64 {
        let pages = self.ftl.translator.handles().map_or(0, |handles| handles.left(handle));
        u64::from(pages) * u64::from(self.ftl.page_bytes()) / u64::from(self.ftl.block_bytes())
    }

    fn renew_reclaim_unit(&mut self, handle: u8) {
        self.ftl.translator.renew_reclaim_unit(handle);
    }

    fn next_reclaim_event(&mut self) -> Option<ReclaimEvent> {
        self.ftl.translator.handles.as_mut()?.next_event()
    }

    fn submit(&mut self, _hw: &mut impl Hardware, command: IoCommand) -> Completer {
        self.scheduler.submit(&mut self.ftl, command)
    }

    fn abort(&mut self, tag: CommandTag) -> bool {
        self.scheduler.abort(&mut self.ftl, tag)
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
