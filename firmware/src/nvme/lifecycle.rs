//! Enable, disable (controller reset) and shutdown (NVMe 1.4 sections 7.3 and 7.6).

use contract::Hardware;

use super::backend::{Durability, IoCommand, IoKind, Keep, Storage, Zoned};
use super::command::Job;
use super::kept::lifecycle::{Flush, Phase, Shutdown};
use super::lifetime::PowerOff;
use super::manager::Manager;
use super::ports::Ports;

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
        self.placement.reset();
        self.lifecycle.phase = Phase::Ready;
        self.lifecycle.shutdown = Shutdown::None;
        if let Some((kept, off)) = ports.storage.take_past() {
            self.past = kept.powered_on(off);
        }
        if self.lifecycle.noted != PowerOff::Sudden {
            self.note(ports, PowerOff::Sudden);
        }
        self.automate(ports);
        if let Some(zones) = ports.storage.zoned() {
            zones.controller_starts();
        }
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
                kind: IoKind::Flush,
                start: 0,
                blocks: 0,
                durability: Durability::Cached,
                handle: 0,
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
