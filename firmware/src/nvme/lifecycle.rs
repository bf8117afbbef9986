//! Enable, disable (controller reset) and shutdown (NVMe 1.4 sections 7.3 and 7.6).

use contract::{CommandTag, Hardware};

use super::backend::{Durability, IoCommand, IoKind, Keep, NamespaceId, Storage};
use super::command::Job;
use super::lifetime::PowerOff;
use super::manager::{Manager, Ports};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
enum Phase {
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
enum Shutdown {
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
enum Flush {
    Idle,
    Running,
}

/// Where the controller stands between power-on and shutdown.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub(super) struct Lifecycle {
    phase: Phase,
    shutdown: Shutdown,
    flush: Flush,
    flush_tag: CommandTag,
    /// How power would go away now, as storage was told.
    noted: PowerOff,
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

impl Manager {
    /// CC.EN went to 1.
    pub(super) fn enable(&mut self, ports: &mut Ports<impl Hardware, impl Storage>) {
        match self.lifecycle.phase {
            Phase::Disabled | Phase::Starting => {}
            Phase::Disabling | Phase::Restarting => {
                self.lifecycle.phase = Phase::Restarting;
                return;
            }
            Phase::Ready => return,
        }
        if !ports.storage.is_ready() {
            self.lifecycle.phase = Phase::Starting;
            return;
        }
        self.queues.reset();
        self.features.reset(ports);
        self.events.reset();
        self.lifecycle.phase = Phase::Ready;
        self.lifecycle.shutdown = Shutdown::None;
        if let Some((kept, off)) = ports.storage.take_past() {
            self.past = kept.powered_on(off);
        }
        if self.lifecycle.noted != PowerOff::Sudden {
            self.note(ports, PowerOff::Sudden);
        }
        self.automate(ports);
        ports.hw.set_ready(true);
    }

    /// CC.EN went to 0: everything that is not in storage's hands is dropped at once.
    pub(super) fn disable(&mut self, hw: &mut impl Hardware) {
        self.lifecycle.phase = Phase::Disabling;
        self.lifecycle.shutdown = Shutdown::None;
        self.queues.reset();
        while let Some(tag) = self.events.drop_request() {
            self.drop_command(hw, tag);
        }
        while let Some(tag) = self.queues.drop_deletion() {
            self.drop_command(hw, tag);
        }
        while let Some(tag) = self.drop_waiting() {
            if let Job::Dataset { .. } = self.commands.get(tag).job {
                self.counters.io_ends(hw);
            }
            self.drop_command(hw, tag);
        }
        self.drop_format(hw);
    }

    /// CC.SHN asks for a shutdown.
    pub(super) fn shut_down(&mut self, hw: &mut impl Hardware) {
        match self.lifecycle.shutdown {
            Shutdown::None => {
                self.lifecycle.shutdown = Shutdown::Draining;
                self.stop_automation(hw);
            }
            Shutdown::Complete => hw.shutdown_done(),
            Shutdown::Draining | Shutdown::Flushing | Shutdown::Noting => {}
        }
    }

    /// Drives disable and shutdown; returns whether anything changed.
    pub(super) fn advance_lifecycle(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
    ) -> bool {
        if self.lifecycle.phase == Phase::Starting {
            let ready = ports.storage.is_ready();
            if ready {
                self.enable(ports);
            }
            return ready;
        }
        if self.lifecycle.shutdown == Shutdown::Noting && ports.storage.is_past_kept() {
            self.lifecycle.shutdown = Shutdown::Complete;
            ports.hw.shutdown_done();
            return true;
        }
        if self.in_flight > 0 || self.lifecycle.flush == Flush::Running {
            return false;
        }
        if self.lifecycle.is_resetting() {
            let restart = self.lifecycle.phase == Phase::Restarting;
            self.lifecycle.phase = Phase::Disabled;
            ports.hw.set_ready(false);
            if restart {
                self.enable(ports);
            }
            return true;
        }
        let draining = self.lifecycle.shutdown == Shutdown::Draining;
        if draining && !self.is_automation_busy(ports.hw) {
            self.lifecycle.shutdown = Shutdown::Flushing;
            self.lifecycle.flush = Flush::Running;
            let flush = IoCommand {
                tag: self.lifecycle.flush_tag,
                namespace: NamespaceId::ONLY,
                kind: IoKind::Flush,
                start: 0,
                blocks: 0,
                durability: Durability::Cached,
            };
            ports.storage.submit(ports.hw, flush);
            return true;
        }
        false
    }

    /// The shutdown's flush has ended. What flash could not take is lost whether or not the host
    /// waits any longer.
    pub(super) fn shutdown_flushed(&mut self, ports: &mut Ports<impl Hardware, impl Storage>) {
        self.lifecycle.flush = Flush::Idle;
        if self.lifecycle.shutdown == Shutdown::Flushing {
            self.lifecycle.shutdown = Shutdown::Noting;
            self.note(ports, PowerOff::AfterShutdown);
        }
    }

    /// Storage is to keep at once how power would go away now.
    fn note(&mut self, ports: &mut Ports<impl Hardware, impl Storage>, off: PowerOff) {
        self.lifecycle.noted = off;
        ports.storage.keep_past((self.lifetime(ports.hw), off), Keep::AtOnce);
    }

    /// Storage is to keep what has been by now, with what it keeps next.
    #[cold]
    pub(super) fn tell_past(&self, ports: &mut Ports<impl Hardware, impl Storage>) {
        let past = (self.lifetime(ports.hw), self.lifecycle.noted);
        ports.storage.keep_past(past, Keep::Later);
    }
}
