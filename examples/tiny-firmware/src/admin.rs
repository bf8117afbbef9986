//! The controller as the host brings it up and down, and admin commands (NVMe 1.4 sections 5 and 7.6).

use contract::*;
use nvme::admin::{AdminCommand as Admin, IdentifyStructure as Structure};
use nvme::identify::{emit_active_namespaces, io_capability, text, Controller, Namespace};
use nvme::{command::Entry, dataset::Range, feature::Setting, register::VERSION, status::Status};

use crate::{io::NAMESPACE, Answer, Tiny};

const PAGE_BYTES: u32 = 4096;
const VENDOR: u16 = 0xf1de;
const NAME: &[u8] = b"nqn.2014-08.org.tiny-firmware";
/// What Abort answers: the command was not aborted.
const NOT_ABORTED: u32 = 1;

impl Tiny {
    /// Does what the host waits for, once no command is under way. True when there was anything.
    pub(crate) fn settle(&mut self, hw: &mut impl Hardware) -> bool {
        let is_quiet = self.jobs.iter().all(Option::is_none) && self.waiting.is_empty();
        let changes = self.is_ready != self.is_enabled;
        if !is_quiet || !self.control.is_empty() || !changes && !self.shuts_down {
            return false;
        }
        if changes {
            self.is_ready = self.is_enabled;
            hw.set_ready(self.is_ready);
        }
        if core::mem::take(&mut self.shuts_down) {
            hw.shutdown_done();
        }
        true
    }

    /// Takes an admin command. It trusts the host not to make a queue twice.
    pub(crate) fn admin(
        &mut self,
        hw: &mut impl Hardware,
        (tag, entry): (CommandTag, Entry),
    ) -> Answer {
        hw.work(Work::Admin);
        let (base, config) = (entry.data().prp1, &self.config);
        let (last, vectors) = (config.io_queues as u16, config.vectors as u16);
        let fits = |id, entries| id <= last && entries <= config.queue_entries && base % 4096 == 0;
        match Admin::parse(&entry).map_err(|fault| fault.status)? {
            Admin::CreateCompletionQueue(new)
                if fits(new.id, new.entries) && new.vector.is_none_or(|nth| nth < vectors) =>
            {
                let (id, entries, vector) = (new.id, new.entries, new.vector);
                hw.create_completion_queue(CompletionQueue { id, entries, base, vector });
            }
            Admin::CreateSubmissionQueue(new)
                if fits(new.id, new.entries) && new.completion_queue <= last =>
            {
                let (id, entries, completion_queue) = (new.id, new.entries, new.completion_queue);
                let priority = new.priority as u8;
                let queue = SubmissionQueue { id, entries, base, completion_queue, priority };
                hw.create_submission_queue(queue);
            }
            Admin::DeleteCompletionQueue { id } if id <= last => hw.delete_completion_queue(id),
            Admin::DeleteSubmissionQueue { id } if id <= last => {
                hw.delete_submission_queue(id);
            }
            Admin::SetFeatures(set) if matches!(set.setting, Setting::NumberOfQueues { .. }) => {
                let granted = Setting::NumberOfQueues { submission: last, completion: last };
                return Ok(Some(granted.dword()));
            }
            Admin::Identify(_) | Admin::GetLogPage(_) => {
                return self.use_control(hw, (tag, entry, 0))
            }
            Admin::Abort { .. } => return Ok(Some(NOT_ABORTED)),
            Admin::AsyncEventRequest => return Err(Status::ASYNC_EVENT_LIMIT_EXCEEDED),
            _ => return Err(Status::INVALID_FIELD),
        }
        Ok(Some(0))
    }

    /// Lets a command have the control page, now or in its turn: for a list of so many ranges, or for what it asks for.
    pub(crate) fn use_control(
        &mut self,
        hw: &mut impl Hardware,
        command: (CommandTag, Entry, u16),
    ) -> Answer {
        self.control.push_back(command);
        if self.control.len() == 1 {
            self.move_control(hw);
        }
        Ok(None)
    }

    fn move_control(&mut self, hw: &mut impl Hardware) {
        let Some(&(tag, entry, ranges)) = self.control.front() else { return };
        let (direction, length) = match ranges {
            0 => (DmaDirection::ToHost, self.fill_control(hw.control_page(), &entry)),
            _ => (DmaDirection::FromHost, u32::from(ranges) * Range::BYTES as u32),
        };
        self.start_move(hw, (tag, None), (direction, 0, length, length), DmaMemory::Control);
    }

    /// The control page was moved. It is the turn of the next command.
    pub(crate) fn control_moved(&mut self, hw: &mut impl Hardware, status: Status) {
        let Some((tag, _, ranges)) = self.control.pop_front() else { return };
        if status.is_success() {
            self.trim(hw, ranges);
        }
        self.complete(hw, tag, (status, 0));
        self.move_control(hw);
    }

    /// Writes what an admin command asks for; returns its length. What this drive knows nothing of is zero.
    fn fill_control(&self, page: &mut [u8; 4096], entry: &Entry) -> u32 {
        page.fill(0);
        match Admin::parse(entry) {
            Ok(Admin::Identify(Structure::Controller)) => self.controller().emit(page),
            Ok(Admin::Identify(Structure::Namespace)) if entry.nsid() == NAMESPACE => {
                let (size, mut own) = (self.blocks(), Namespace::zeroed());
                own.block_formats[0].block_size = self.block().ilog2() as u8;
                Namespace { size, capacity: size, in_use: size, ..own }.emit(page);
            }
            Ok(Admin::Identify(Structure::ActiveNamespaces)) => {
                emit_active_namespaces(&[NAMESPACE], entry.nsid(), page);
            }
            Ok(Admin::GetLogPage(log)) => return log.length.min(PAGE_BYTES.into()) as u32,
            _ => {}
        }
        PAGE_BYTES
    }

    fn controller(&self) -> Controller {
        let mut subsystem_name = [0; 256];
        subsystem_name[..NAME.len()].copy_from_slice(NAME);
        Controller {
            vendor: VENDOR,
            subsystem_vendor: VENDOR,
            serial: text("TINY-0001"),
            model: text("Tiny firmware"),
            firmware: text(env!("CARGO_PKG_VERSION")),
            max_transfer: (self.config.max_transfer_bytes / PAGE_BYTES).ilog2() as u8,
            version: VERSION,
            kind: 1,
            submission_entry: 0x66,
            completion_entry: 0x44,
            namespaces: 1,
            io_commands: io_capability::DATASET_MANAGEMENT,
            subsystem_name,
            ..Controller::zeroed()
        }
    }
}
