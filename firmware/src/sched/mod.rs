//! Low-level scheduler (Cosmos+ section 3.3.3): reservation station, state manager, status
//! checker, priority manager and issuer.

pub mod dma;
pub mod issue;
pub mod priority;
pub mod reservation;
pub mod state;
pub mod status;

use contract::{Configuration, Hardware};

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

    /// Looks at the hardware once, takes in what changed and issues what can be issued. True when
    /// anything changed.
    pub fn run(&mut self, hw: &mut impl Hardware, ftl: &mut Ftl, station: &mut Station) -> bool {
        let mut busy = self.dma.check(hw, ftl, station);
        busy |= self.dma.issue(hw, ftl, station);
        self.states.refresh(station);
        let mut active = self.states.active();
        while let Some((channel, status)) = hw.poll_channels(&mut active, self.states.eager()) {
            let channel = u32::from(channel);
            busy |= self.take_in(hw, ftl, station, (channel, status));
            if status.accepts {
                busy |= self.issue_one(hw, ftl, station, channel);
            }
            self.states.note(channel);
        }
        busy
    }
}
