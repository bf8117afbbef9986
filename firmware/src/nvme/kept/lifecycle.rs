//! Where the controller stands between power-on and shutdown.

use contract::CommandTag;

use crate::nvme::lifetime::PowerOff;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(in crate::nvme) enum Phase {
    /// CSTS.RDY is 0.
    Disabled,
    /// As `Disabled`, and the host has enabled the controller, but storage is not ready yet.
    Starting,
    /// Commands are carried out.
    Ready,
    /// Commands fetched before a disable are still under way.
    Disabling,
    /// As `Disabling`, and the host has enabled the controller again.
    Restarting,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(in crate::nvme) enum Shutdown {
    /// Not asked for.
    None,
    /// Commands are still under way.
    Draining,
    /// Cached data is going to flash.
    Flushing,
    /// It is being noted that the drive was shut down.
    Noting,
    /// Done; only a reset leads out.
    Complete,
}

/// The flush that belongs to no command. A reset may overtake it, so that it outlives the shutdown
/// it was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(in crate::nvme) enum Flush {
    Idle,
    Running,
}

/// Where the controller stands between power-on and shutdown.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(in crate::nvme) struct Lifecycle {
    pub(in crate::nvme) phase: Phase,
    pub(in crate::nvme) shutdown: Shutdown,
    pub(in crate::nvme) flush: Flush,
    pub(in crate::nvme) flush_tag: CommandTag,
    /// How power would go away now, as storage was told.
    pub(in crate::nvme) noted: PowerOff,
}

impl Lifecycle {
    /// Not enabled yet. The shutdown's flush goes by the tag above the last of the interface.
    pub fn new(command_slots: u32) -> Self {
        let flush_tag = CommandTag(command_slots as u16);
        let (phase, shutdown) = (Phase::Disabled, Shutdown::None);
        let noted = PowerOff::AfterShutdown;
        Lifecycle { phase, shutdown, flush: Flush::Idle, flush_tag, noted }
    }

    /// Commands are carried out.
    pub fn is_ready(&self) -> bool {
        self.phase == Phase::Ready
    }

    /// Commands are refused because power may go away.
    pub fn is_shut_down(&self) -> bool {
        self.shutdown != Shutdown::None
    }

    /// Power may go away: all that the host was promised is where it stays.
    pub fn is_shutdown_complete(&self) -> bool {
        self.shutdown == Shutdown::Complete
    }

    /// A disable has come and is not done yet.
    pub fn is_resetting(&self) -> bool {
        matches!(self.phase, Phase::Disabling | Phase::Restarting)
    }

    /// A disable or a shutdown waits for commands, or an enable for storage.
    pub fn is_changing(&self) -> bool {
        let starting = self.phase == Phase::Starting;
        let going_down = matches!(self.shutdown, Shutdown::Draining | Shutdown::Noting);
        self.is_resetting() || starting || going_down
    }

    /// Tag of the flush that belongs to no command.
    pub fn flush_tag(&self) -> CommandTag {
        self.flush_tag
    }
}
