//! Commands that the host interface runs by itself: when it may, and when those that it began are done.
//!
//! The firmware never sees them. So whoever waits until no command is under way asks the interface too.

use contract::{AutomatedNamespace, Automation, Hardware};

use super::backend::Storage;
use super::manager::Manager;
use super::ports::Ports;

impl Manager {
    /// Lets the host interface run what it can, for the drive's only namespace.
    pub(super) fn automate(&mut self, ports: &mut Ports<impl Hardware, impl Storage>) {
        // A format or a disable may end after a shutdown was asked for.
        let rests = self.lifecycle.is_shut_down() || self.lifecycle.is_resetting();
        if self.automation == Automation::None || rests {
            return;
        }
        ports.hw.automate(Some(AutomatedNamespace {
            id: 1,
            blocks: ports.storage.blocks(),
            block_bytes: ports.storage.block_bytes(),
            max_transfer_bytes: self.max_transfer_bytes,
        }));
    }

    /// Lets it begin no more: from now on the firmware decides on every command.
    pub(super) fn stop_automation(&mut self, hw: &mut impl Hardware) {
        if self.automation != Automation::None {
            hw.automate(None);
        }
    }

    /// Whether the host interface still runs commands.
    pub(super) fn is_automation_busy(&self, hw: &mut impl Hardware) -> bool {
        self.automation != Automation::None
            && self.queues.live().any(|queue| hw.automated_commands(queue) > 0)
    }
}
