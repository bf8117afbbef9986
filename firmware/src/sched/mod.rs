//! Low-level scheduler (Cosmos+ section 3.3.3): reservation station, state manager, status
//! checker, priority manager and issuer.

pub mod dma;
pub mod issue;
pub mod priority;
pub mod reservation;
pub mod state;
pub mod status;

use contract::{Configuration, Hardware, Work};

use self::dma::DmaQueue;
use self::reservation::Station;
use self::state::States;
use crate::ftl::Ftl;

/// The scheduler, but for the reservation station that the FTL fills.
#[derive(Debug)]
pub struct Scheduler {
    pub(crate) states: States,
    pub(crate) dma: DmaQueue,
    read_retries: u32,
}

impl Scheduler {
    /// All ways idle.
    pub fn new(config: &Configuration) -> Self {
        Scheduler {
            states: States::new(config.geometry),
            dma: DmaQueue::new(config.dma_requests),
            read_retries: config.read_retries,
        }
    }

    /// Takes in what the host DMA engine finished. True when it did.
    pub fn check_dma(
        &mut self,
        hw: &mut impl Hardware,
        ftl: &mut Ftl,
        station: &mut Station,
    ) -> bool {
        self.dma.check(hw, ftl, station)
    }

    /// Looks at the channels once, takes in what changed and issues what can be issued. True when
    /// anything changed.
    pub fn run(&mut self, hw: &mut impl Hardware, ftl: &mut Ftl, station: &mut Station) -> bool {
        let mut busy = self.dma.issue(hw, ftl, station);
        hw.attend(None);
        self.states.refresh(station);
        hw.work_times(Work::Scan, self.states.busy_ways());
        let mut active = self.states.active();
        while let Some((channel, status)) = hw.poll_channels(&mut active, self.states.eager()) {
            let channel = u32::from(channel);
            busy |= self.take_in(hw, ftl, station, (channel, status));
            busy |= self.dma.issue(hw, ftl, station);
            // A way that came free may have an operation that goes before what waits already.
            self.states.refresh(station);
            for _ in 0..status.room {
                if !self.issue_one(hw, ftl, station, channel) {
                    break;
                }
                busy = true;
            }
            self.states.note(channel);
        }
        busy
    }
}
