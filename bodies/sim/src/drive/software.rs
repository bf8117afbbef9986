//! The firmware of a drive in virtual time: that which its board asks for, or another one.

use board::Board;
use contract::{BadBlocks, CommandSet, Configuration, Grain, Medium, Start};
use firmware::chunks::ChunkLayers;
use firmware::cores::CoreSchedulers;
use firmware::ftl::Ftl;
use firmware::memory::MemoryLayers;
use firmware::sched::{HandOverScheduler, PhaseScheduler};
use firmware::{Firmware, FlashLayers, Inspection};
use nand::Unsuitable;

use super::turns::{turn, turn_cores};
use super::Stopped;
use crate::body::Body;
use crate::host::Host;
use crate::observe::Observer;

/// A firmware in this body. Whatever is [`contract::Firmware`] in it is one, and so is the one of a board.
pub trait Software<H, O>: Sized {
    /// The firmware of a drive that gets power now.
    ///
    /// # Errors
    /// When the board has too many bad blocks for it.
    fn power_on(
        board: &Board,
        about: (&Configuration, Start),
        body: &mut Body<H, O>,
    ) -> Result<Self, Unsuitable>;

    /// Turns the main loop until the condition, looked at after each turn, holds, nothing can happen any more, or the
    /// body is due.
    fn run(&mut self, body: &mut Body<H, O>, until: impl FnMut(&H) -> bool) -> Stopped;

    /// One turn of the main loop while a capacitor is what is left of the power.
    fn turn_without_power(&mut self, body: &mut Body<H, O>);

    /// What is known of it.
    fn inspect(&self, body: &Body<H, O>) -> Inspection<'_>;
}

impl<H: Host, O: Observer, F: contract::Firmware<Body<H, O>>> Software<H, O> for F {
    fn power_on(
        _board: &Board,
        (config, start): (&Configuration, Start),
        body: &mut Body<H, O>,
    ) -> Result<Self, Unsuitable> {
        Ok(F::power_on(config, start, body))
    }

    fn run(&mut self, body: &mut Body<H, O>, until: impl FnMut(&H) -> bool) -> Stopped {
        turn(self, body, until)
    }

    fn turn_without_power(&mut self, body: &mut Body<H, O>) {
        self.pass(body);
    }

    fn inspect(&self, body: &Body<H, O>) -> Inspection<'_> {
        Inspection::of_another(body.pages_moved(), body.geometry.page_bytes, self.block_bytes())
    }
}

/// The firmware that a board asks for, by who schedules. Which one it is, is asked once a run and not once a turn.
#[derive(Clone)]
pub enum BoardFirmware {
    /// The firmware does.
    Phases(Firmware),
    /// It does, on several cores.
    Cores(Firmware<FlashLayers<CoreSchedulers>>),
    /// The channels do.
    Operations(Firmware<FlashLayers<HandOverScheduler>>),
    /// The firmware does, and the host places its data.
    Chunks(Firmware<ChunkLayers<PhaseScheduler>>),
    /// The channels do, and the host places its data.
    ChunkOperations(Firmware<ChunkLayers<HandOverScheduler>>),
    /// Nobody: there is no flash.
    Memory(Firmware<MemoryLayers>),
}

/// What is done with the firmware of a board, whoever schedules.
macro_rules! with_firmware {
    ($own:expr, $firmware:ident => $done:expr) => {
        match $own {
            BoardFirmware::Phases($firmware) => $done,
            BoardFirmware::Cores($firmware) => $done,
            BoardFirmware::Operations($firmware) => $done,
            BoardFirmware::Chunks($firmware) => $done,
            BoardFirmware::ChunkOperations($firmware) => $done,
            BoardFirmware::Memory($firmware) => $done,
        }
    };
}
pub(super) use with_firmware;

impl BoardFirmware {
    /// The one of a board.
    fn new<H: Host, O: Observer>(
        board: &Board,
        (config, start): (&Configuration, Start),
        body: &mut Body<H, O>,
    ) -> Self {
        use contract::Firmware as Contract;
        match (config.medium, config.command_set, config.grain) {
            (Medium::Flash, CommandSet::OpenChannel, Grain::Phases) => {
                Self::Chunks(Contract::power_on(config, start, body))
            }
            (Medium::Flash, CommandSet::OpenChannel, Grain::Operations(_)) => {
                Self::ChunkOperations(Contract::power_on(config, start, body))
            }
            (Medium::Memory, ..) => Self::Memory(Contract::power_on(config, start, body)),
            (Medium::Flash, CommandSet::Block, Grain::Phases) if board.cores.count > 1 => {
                Self::Cores(Firmware::on_cores(config, board.cores, body))
            }
            (Medium::Flash, CommandSet::Block, Grain::Phases) => {
                Self::Phases(Contract::power_on(config, start, body))
            }
            (Medium::Flash, CommandSet::Block, Grain::Operations(_)) => {
                Self::Operations(Contract::power_on(config, start, body))
            }
        }
    }

    /// Its number in a snapshot.
    pub(super) fn kind(&self) -> u8 {
        match self {
            Self::Phases(_) => 0,
            Self::Cores(_) => 1,
            Self::Operations(_) => 2,
            Self::Chunks(_) => 3,
            Self::ChunkOperations(_) => 4,
            Self::Memory(_) => 5,
        }
    }

    /// Whether its map covers the flash: neither does that of a drive without flash, nor is there one where the host
    /// places its data.
    fn has_map(&self) -> bool {
        matches!(self, Self::Phases(_) | Self::Cores(_) | Self::Operations(_))
    }
}

impl<H: Host, O: Observer> Software<H, O> for BoardFirmware {
    fn power_on(
        board: &Board,
        about: (&Configuration, Start),
        body: &mut Body<H, O>,
    ) -> Result<Self, Unsuitable> {
        let own = BoardFirmware::new(board, about, body);
        if !own.has_map() {
            return Ok(own);
        }
        let (config, _) = about;
        let room = match config.bad_blocks {
            BadBlocks::Table => {
                with_firmware!(&own, firmware => firmware.inspect().translator().room())
            }
            BadBlocks::Scan => Ftl::room(config, |die, block| body.array.factory_bad(die, block)),
        };
        let (found, needed) = (room, u64::from(board.firmware.logical_pages));
        if found < needed {
            return Err(Unsuitable::FactoryBad { board: board.name.clone(), found, needed });
        }
        Ok(own)
    }

    fn run(&mut self, body: &mut Body<H, O>, until: impl FnMut(&H) -> bool) -> Stopped {
        match self {
            Self::Phases(firmware) => turn(firmware, body, until),
            Self::Cores(firmware) => turn_cores(firmware, body, until),
            Self::Operations(firmware) => turn(firmware, body, until),
            Self::Chunks(firmware) => turn(firmware, body, until),
            Self::ChunkOperations(firmware) => turn(firmware, body, until),
            Self::Memory(firmware) => turn(firmware, body, until),
        }
    }

    fn turn_without_power(&mut self, body: &mut Body<H, O>) {
        match self {
            Self::Phases(firmware) => firmware.pass(body),
            Self::Operations(firmware) => firmware.pass(body),
            Self::Memory(firmware) => firmware.pass(body),
            Self::Cores(_) | Self::Chunks(_) | Self::ChunkOperations(_) => {
                unreachable!("such a board has no capacitor")
            }
        }
    }

    fn inspect(&self, _body: &Body<H, O>) -> Inspection<'_> {
        with_firmware!(self, firmware => firmware.inspect())
    }
}
