//! Which core of the processor does what, and what cores tell each other.

use crate::{CommandTag, Geometry, OperationId};

/// Most cores that firmware is divided between.
pub const MOST_CORES: usize = 16;
/// Most channels of a drive.
const MOST_CHANNELS: usize = 64;

/// What each core does, by the core's number. Every job is one core's, and a core may have several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Cores {
    /// Number of cores, 1 to [`MOST_CORES`].
    pub count: u8,
    /// The core that serves the host: it takes commands, issues DMA and completes.
    pub host: u8,
    /// The core that runs the flash translation layer.
    pub ftl: u8,
    /// The core that schedules each channel.
    pub channels: [u8; MOST_CHANNELS],
}

impl Cores {
    /// One core that does all.
    pub const ONE: Cores = Cores { count: 1, host: 0, ftl: 0, channels: [0; MOST_CHANNELS] };

    /// Channels that a core schedules, a bit each.
    pub fn channels_of(&self, core: u8, geometry: Geometry) -> u64 {
        let own = |&channel: &u32| self.channels[channel as usize] == core;
        (0..geometry.channels).filter(own).fold(0, |set, channel| set | 1 << channel)
    }
}

/// What one core tells another. All cores use one memory: what a message is about stands there, and the time of the
/// message covers that the other core reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Message {
    /// From the host side to the FTL: a checked command is there.
    Command(CommandTag),
    /// From the FTL to the host side: all of a command is done.
    Done(CommandTag),
    /// From the FTL to the host side: nothing comes before a DMA any more.
    Move(OperationId),
    /// From the FTL to the scheduler of a channel: nothing but the queue of its way comes before an operation any more.
    Begin(OperationId),
    /// To the FTL: an operation has ended.
    Ended(OperationId),
    /// From the scheduler of a channel to the FTL: this way, by the index of its die, halts on an operation that failed.
    Halted(u32),
    /// From the FTL to the scheduler of a channel: it goes on.
    Resumed(u32),
}
