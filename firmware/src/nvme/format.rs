//! Format NVM (NVMe 1.4 section 5.23).

use contract::{CommandTag, Hardware};
use nvme::admin::{FormatNvm, SecureErase};
use nvme::status::{Fault, Status};

use super::backend::{Durability, IoCommand, IoKind, IoOutcome, Storage};
use super::command::{Answer, Job, Reply};
use super::io::failure;
use super::kept::format::{Format, Step};
use super::manager::Manager;
use super::ports::Ports;

impl Manager {
    /// Format NVM. All namespaces have one format, so that each is formatted with any of them (Identify Controller, FNA). Freeing every block
    /// serves a user data erase too: nothing freed can be read.
    pub(super) fn format(
        &mut self,
        hw: &mut impl Hardware,
        tag: CommandTag,
        (format, nsid): (FormatNvm, u32),
    ) -> Answer {
        self.identity.namespaces.check_or_all(nsid)?;
        let Some(block_bytes) = self.identity.block_bytes(format.format) else {
            return Err(Fault::at(Status::INVALID_FORMAT, 10, 0));
        };
        if format.protection != 0 {
            return Err(Fault::at(Status::INVALID_FORMAT, 10, 5));
        }
        if format.erase == SecureErase::Cryptographic {
            return Err(Fault::at(Status::INVALID_FIELD, 10, 9));
        }
        if self.format.is_some() {
            return Err(Fault::whole(Status::FORMAT_IN_PROGRESS));
        }
        self.commands.get_mut(tag).job = Job::Format;
        self.format = Some(Format { tag, block_bytes, step: Step::Drain });
        // From now on I/O commands come here, to be refused.
        self.stop_automation(hw);
        Ok(Reply::Later)
    }

    /// Drives a format; returns whether it moved on.
    pub(super) fn advance_format(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
    ) -> bool {
        let drained = match self.format {
            Some(Format { step: Step::Drain, .. }) => {
                self.counters.io_in_flight == 0 && !self.is_automation_busy(ports.hw)
            }
            _ => false,
        };
        let Some(format) = &mut self.format else { return false };
        match format.step {
            Step::Drain if drained => {
                format.step = Step::Flush;
                let flush = IoCommand {
                    tag: format.tag,
                    kind: IoKind::Flush,
                    start: 0,
                    blocks: 0,
                    durability: Durability::Cached,
                    handle: 0,
                };
                ports.storage.submit(ports.hw, flush);
                true
            }
            Step::Settle if ports.storage.is_quiet() => {
                format.step = Step::Erase { former_bytes: ports.storage.block_bytes() };
                ports.storage.format(format.block_bytes);
                true
            }
            Step::Erase { former_bytes } if ports.storage.is_quiet() => {
                let Format { tag, block_bytes, .. } = *format;
                self.format = None;
                self.automate(ports);
                self.succeed(ports.hw, tag, 0);
                if block_bytes != former_bytes {
                    self.namespaces_changed(ports.hw);
                }
                true
            }
            _ => false,
        }
    }

    /// The flush of a format has ended.
    pub(super) fn format_flushed(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        outcome: IoOutcome,
    ) {
        let Some(format) = &mut self.format else { return };
        let tag = format.tag;
        if self.lifecycle.is_resetting() {
            self.format = None;
            self.drop_command(ports.hw, tag);
        } else if let Some(status) = failure(outcome) {
            self.format = None;
            self.automate(ports);
            self.fail(ports.hw, tag, Fault::whole(status));
        } else {
            format.step = Step::Settle;
        }
    }

    /// Gives a format up on a controller reset, unless storage still holds its tag.
    pub(super) fn drop_format(&mut self, hw: &mut impl Hardware) {
        if let Some(format) = self.format.take_if(|format| format.step != Step::Flush) {
            self.drop_command(hw, format.tag);
        }
    }
}
