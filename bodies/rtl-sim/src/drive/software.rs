//! The firmware beside a controller in hardware: that which its board asks for, or another one.

use contract::{CommandSet, Configuration, Grain, Medium, Start};
use driver::Controller;
use firmware::chunks::ChunkLayers;
use firmware::memory::MemoryLayers;
use firmware::sched::{HandOverScheduler, PhaseScheduler};
use firmware::{Firmware, FlashLayers, Inspection};

use super::host_side::HostEnd;
use super::seat::Seat;

/// The controller, as the firmware sees it.
pub type Body<'o, E> = Controller<Seat<'o, E>>;

/// What is known of a drive from outside of its firmware.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// Pages read from chips and programmed.
    pub pages: (u64, u64),
    /// Bytes of a page.
    pub page_bytes: u32,
}

/// A firmware beside a controller. Whatever is [`contract::Firmware`] there is one, and so is the one of a board.
pub trait Software<'o, E: HostEnd>: Sized {
    /// The firmware of a drive that gets power now.
    fn power_on(config: &Configuration, body: &mut Body<'o, E>) -> Self;
    /// One turn of the main loop.
    fn pass(&mut self, body: &mut Body<'o, E>);
    /// What is known of it.
    fn inspect(&self, seen: Seen) -> Inspection<'_>;
}

impl<'o, E: HostEnd, F: contract::Firmware<Body<'o, E>>> Software<'o, E> for F {
    fn power_on(config: &Configuration, body: &mut Body<'o, E>) -> Self {
        F::power_on(config, Start::New, body)
    }

    fn pass(&mut self, body: &mut Body<'o, E>) {
        contract::Firmware::pass(self, body);
    }

    fn inspect(&self, Seen { pages, page_bytes }: Seen) -> Inspection<'_> {
        Inspection::of_another(pages, page_bytes, self.block_bytes())
    }
}

/// The firmware that a board asks for, by who schedules.
pub enum BoardFirmware {
    /// The firmware does.
    Phases(Firmware),
    /// The channels do.
    Operations(Firmware<FlashLayers<HandOverScheduler>>),
    /// The firmware does, and the host places its data.
    Chunks(Firmware<ChunkLayers<PhaseScheduler>>),
    /// The channels do, and the host places its data.
    ChunkOperations(Firmware<ChunkLayers<HandOverScheduler>>),
    /// Nobody: the medium is memory.
    Memory(Firmware<MemoryLayers>),
}

impl<'o, E: HostEnd> Software<'o, E> for BoardFirmware {
    fn power_on(config: &Configuration, body: &mut Body<'o, E>) -> Self {
        use contract::Firmware as Contract;
        match (config.medium, config.command_set, config.grain) {
            (Medium::Memory, ..) => Self::Memory(Firmware::over_memory(config)),
            (Medium::Flash, CommandSet::Block, Grain::Phases) => {
                Self::Phases(Firmware::new(config, body))
            }
            (Medium::Flash, CommandSet::Block, Grain::Operations(_)) => {
                Self::Operations(Firmware::scheduling(config, body))
            }
            (Medium::Flash, CommandSet::OpenChannel, Grain::Phases) => {
                Self::Chunks(Contract::power_on(config, Start::New, body))
            }
            (Medium::Flash, CommandSet::OpenChannel, Grain::Operations(_)) => {
                Self::ChunkOperations(Contract::power_on(config, Start::New, body))
            }
        }
    }

    fn pass(&mut self, body: &mut Body<'o, E>) {
        match self {
            Self::Phases(firmware) => firmware.pass(body),
            Self::Operations(firmware) => firmware.pass(body),
            Self::Chunks(firmware) => firmware.pass(body),
            Self::ChunkOperations(firmware) => firmware.pass(body),
            Self::Memory(firmware) => firmware.pass(body),
        }
    }

    fn inspect(&self, _seen: Seen) -> Inspection<'_> {
        match self {
            Self::Phases(firmware) => firmware.inspect(),
            Self::Operations(firmware) => firmware.inspect(),
            Self::Chunks(firmware) => firmware.inspect(),
            Self::ChunkOperations(firmware) => firmware.inspect(),
            Self::Memory(firmware) => firmware.inspect(),
        }
    }
}
