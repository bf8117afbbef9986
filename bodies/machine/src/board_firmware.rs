//! The firmware that a board asks for, in whichever body.

use std::io::{self, Read, Write};

use borsh::{BorshDeserialize, BorshSerialize};
use contract::state::expect;
use contract::{
    CommandSet, Configuration, Cores, Firmware as _, Grain, Medium, OperationChannels,
    PhaseChannels, Start,
};
use firmware::chunks::ChunkLayers;
use firmware::cores::CoreSchedulers;
use firmware::ftl::victim::Chooser;
use firmware::memory::MemoryLayers;
use firmware::sched::{HandOverScheduler, PhaseScheduler};
use firmware::zones::ZoneLayers;
use firmware::{Firmware, FlashLayers, Inspection};
use sparse::Clones;

/// The firmware that a board asks for, by who schedules. Which one it is, is asked once a run and not once a turn where the
/// body can.
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
    /// The firmware does, and the namespace has zones.
    Zones(Firmware<ZoneLayers<PhaseScheduler>>),
    /// The channels do, and the namespace has zones.
    ZoneOperations(Firmware<ZoneLayers<HandOverScheduler>>),
    /// Nobody: there is no flash.
    Memory(Firmware<MemoryLayers>),
}

/// What is done with the firmware of a board, whoever schedules.
#[macro_export]
macro_rules! with_firmware {
    ($own:expr, $firmware:ident => $done:expr) => {
        match $own {
            $crate::BoardFirmware::Phases($firmware) => $done,
            $crate::BoardFirmware::Cores($firmware) => $done,
            $crate::BoardFirmware::Operations($firmware) => $done,
            $crate::BoardFirmware::Chunks($firmware) => $done,
            $crate::BoardFirmware::ChunkOperations($firmware) => $done,
            $crate::BoardFirmware::Zones($firmware) => $done,
            $crate::BoardFirmware::ZoneOperations($firmware) => $done,
            $crate::BoardFirmware::Memory($firmware) => $done,
        }
    };
}

impl BoardFirmware {
    /// The one of a board whose firmware has this configuration and these cores, in a body that gets power now.
    pub fn power_on<B: PhaseChannels + OperationChannels>(
        (config, cores): (&Configuration, Cores),
        start: Start,
        body: &mut B,
    ) -> Self {
        match (config.medium, config.command_set, config.grain) {
            (Medium::Flash, CommandSet::OpenChannel, Grain::Phases) => {
                Self::Chunks(Firmware::power_on(config, start, body))
            }
            (Medium::Flash, CommandSet::OpenChannel, Grain::Operations(_)) => {
                Self::ChunkOperations(Firmware::power_on(config, start, body))
            }
            (Medium::Flash, CommandSet::Zoned, Grain::Phases) => {
                Self::Zones(Firmware::power_on(config, start, body))
            }
            (Medium::Flash, CommandSet::Zoned, Grain::Operations(_)) => {
                Self::ZoneOperations(Firmware::power_on(config, start, body))
            }
            (Medium::Memory, ..) => Self::Memory(Firmware::power_on(config, start, body)),
            (Medium::Flash, CommandSet::Block, Grain::Phases) if cores.count > 1 => {
                Self::Cores(Firmware::on_cores(config, cores, body))
            }
            (Medium::Flash, CommandSet::Block, Grain::Phases) => {
                Self::Phases(Firmware::power_on(config, start, body))
            }
            (Medium::Flash, CommandSet::Block, Grain::Operations(_)) => {
                Self::Operations(Firmware::power_on(config, start, body))
            }
        }
    }

    /// One turn of the main loop of a firmware on one core.
    ///
    /// # Panics
    /// If it is on several: each has turns of its own.
    pub fn pass<B: PhaseChannels + OperationChannels>(&mut self, body: &mut B) {
        match self {
            Self::Phases(firmware) => firmware.pass(body),
            Self::Operations(firmware) => firmware.pass(body),
            Self::Chunks(firmware) => firmware.pass(body),
            Self::ChunkOperations(firmware) => firmware.pass(body),
            Self::Zones(firmware) => firmware.pass(body),
            Self::ZoneOperations(firmware) => firmware.pass(body),
            Self::Memory(firmware) => firmware.pass(body),
            Self::Cores(_) => unreachable!("each of several cores has turns of its own"),
        }
    }

    /// What is known of it.
    pub fn inspect(&self) -> Inspection<'_> {
        with_firmware!(self, firmware => firmware.inspect())
    }

    /// Another one in the same state. A derived `clone` would be compiled in each crate that calls it.
    pub fn copied(&self) -> Self {
        self.clone()
    }

    /// Has victims of collection be chosen by something outside of the firmware from now on, or by the board's policy, which
    /// begins anew. Firmware that collects nothing asks nobody.
    pub fn choose_victims(&mut self, by: Option<Box<dyn Chooser>>) {
        match self {
            Self::Phases(firmware) => firmware.choose_victims(by),
            Self::Cores(firmware) => firmware.choose_victims(by),
            Self::Operations(firmware) => firmware.choose_victims(by),
            Self::Chunks(_)
            | Self::ChunkOperations(_)
            | Self::Zones(_)
            | Self::ZoneOperations(_)
            | Self::Memory(_) => {}
        }
    }

    /// States what copies of it are as to tables that grow with the drive. Nothing that it does depends on it.
    pub fn set_clones(&mut self, are: Clones) {
        with_firmware!(self, firmware => firmware.set_clones(are));
    }

    /// Writes its state, and before it which one it is.
    ///
    /// # Errors
    /// The errors of the writer.
    pub fn put_state(&self, mut to: &mut dyn Write) -> io::Result<()> {
        self.kind().serialize(&mut to)?;
        with_firmware!(self, firmware => firmware.put_state(&mut to))
    }

    /// Brings one that was just powered on into a state that [`BoardFirmware::put_state`] has written.
    ///
    /// # Errors
    /// The errors of the reader, and when it is no state of such a firmware.
    pub fn take_state(&mut self, mut from: &mut dyn Read) -> io::Result<()> {
        let kind = u8::deserialize_reader(&mut from)?;
        expect(kind == self.kind(), "the firmware of another board")?;
        with_firmware!(self, firmware => firmware.take_state(&mut from))
    }

    /// Its number in a snapshot.
    pub fn kind(&self) -> u8 {
        match self {
            Self::Phases(_) => 0,
            Self::Cores(_) => 1,
            Self::Operations(_) => 2,
            Self::Chunks(_) => 3,
            Self::ChunkOperations(_) => 4,
            Self::Memory(_) => 5,
            Self::Zones(_) => 6,
            Self::ZoneOperations(_) => 7,
        }
    }

    /// Whether its map covers the flash: neither does that of a drive without flash, nor is there one where the host
    /// places its data.
    pub fn has_map(&self) -> bool {
        matches!(self, Self::Phases(_) | Self::Cores(_) | Self::Operations(_))
    }
}
