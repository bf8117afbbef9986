//! The control page: one data structure at a time goes through it to or from the host.

use contract::{Cause, CommandTag, DmaDirection, Hardware};
use nvme::admin::{EventAfterRead, LogPage};
use nvme::dataset::Range;
use nvme::status::Fault;

use super::backend::{IoOutcome, Storage};
use super::command::{Job, Page};
use super::io::failure;
use super::kept::control::Owner;
use super::manager::Manager;
use super::ports::Ports;
use crate::operations::ControlTransfer;

const PAGE_BYTES: u32 = 4096;

impl Manager {
    /// Lets a command have the page, at once or in its turn.
    pub(super) fn use_control(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        tag: CommandTag,
    ) {
        self.control.waiting.push_back(tag);
        self.start_next(ports);
    }

    /// Gives the page back if the command holds it.
    pub(super) fn release_control(&mut self, tag: CommandTag) {
        if self.control.owner == Owner::Holding(tag) {
            self.control.owner = Owner::None;
        }
    }

    /// Starts the next transfer if the page is free; returns whether it did.
    fn start_next(&mut self, ports: &mut Ports<impl Hardware, impl Storage>) -> bool {
        let held = self.format.as_ref().is_some_and(|format| format.holds_control());
        if self.control.owner != Owner::None || held {
            return false;
        }
        let Some(tag) = self.control.waiting.pop_front() else { return false };
        (self.control.sent, self.control.next_zone) = (0, 0);
        ports.hw.waited(tag, Cause::Order);
        self.move_page(ports, tag);
        true
    }

    /// Moves the page for a command, which has it.
    pub(super) fn move_page(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        tag: CommandTag,
    ) {
        let to_host = |length| ControlTransfer::whole(DmaDirection::ToHost, length);
        let transfer = match self.commands.get(tag).job {
            Job::Page(Page::Identify(inquiry)) => {
                self.identity.emit(inquiry, ports.storage, ports.hw.control_page());
                to_host(PAGE_BYTES)
            }
            Job::Page(Page::OfSet(inquiry, nsid)) => {
                self.emit_of_set(ports, inquiry, nsid);
                to_host(PAGE_BYTES)
            }
            Job::Page(Page::Zones(report)) => self.emit_report(ports, report),
            Job::Page(Page::Geometry) => {
                self.emit_geometry(ports);
                to_host(PAGE_BYTES)
            }
            Job::Page(Page::Log(log)) if log.page == LogPage::ChunkInformation => {
                self.emit_chunks(ports, log)
            }
            Job::Page(Page::Log(log)) => {
                self.emit_log(ports, log);
                ControlTransfer::first_page(log.length as u32)
            }
            Job::Page(Page::Handles { bytes }) => {
                self.emit_handles(ports);
                ControlTransfer::first_page(bytes)
            }
            Job::Page(Page::ToldEvents(asked)) => {
                self.emit_told(asked, ports.hw.control_page());
                to_host((u32::from(asked.most) * 2).next_multiple_of(4).max(4))
            }
            job @ (Job::Renew { .. } | Job::TellEvents { .. }) => {
                let length = Self::list_bytes(job).expect("a command with a list");
                ControlTransfer::whole(DmaDirection::FromHost, length)
            }
            Job::Dataset { ranges, .. } => {
                let length = u32::from(ranges) * Range::BYTES as u32;
                ControlTransfer::whole(DmaDirection::FromHost, length)
            }
            job => unreachable!("not a use of the control page: {job:?}"),
        };
        self.control.owner = Owner::Moving(tag);
        ports.storage.start_control(ports.hw, tag, transfer);
    }

    /// Looks at the transfer under way and starts the next; returns whether anything changed.
    pub(super) fn advance_control(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
    ) -> bool {
        let mut changed = false;
        if let Owner::Moving(tag) = self.control.owner {
            if let Some(outcome) = ports.storage.control_done() {
                self.moved(ports, tag, outcome);
                changed = true;
            }
        }
        changed | self.start_next(ports)
    }

    /// A transfer has ended.
    fn moved(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        tag: CommandTag,
        outcome: IoOutcome,
    ) {
        ports.hw.attend(Some(tag));
        self.control.owner = Owner::None;
        match self.commands.get(tag).job {
            Job::Dataset { .. }
                if outcome != IoOutcome::Success || self.lifecycle.is_resetting() =>
            {
                self.io_done(ports, tag, outcome);
            }
            Job::Dataset { .. } => {
                self.control.owner = Owner::Holding(tag);
                self.ranges_arrived(ports, tag);
            }
            job => {
                if let Some(status) = failure(outcome) {
                    self.fail(ports.hw, tag, Fault::whole(status));
                    return;
                }
                if !self.lifecycle.is_resetting() && self.sends_more(ports, (tag, job)) {
                    return;
                }
                if Self::list_bytes(job).is_some() {
                    if let Err(fault) = self.list_arrived(ports, tag) {
                        self.fail(ports.hw, tag, fault);
                        return;
                    }
                }
                let result = match job {
                    Job::Page(Page::ToldEvents(asked)) => asked.most.into(),
                    _ => 0,
                };
                self.succeed(ports.hw, tag, result);
                if let Job::Page(Page::Log(log)) = job {
                    if log.event == EventAfterRead::Cleared {
                        self.log_read(ports, log.page);
                    }
                }
            }
        }
    }

    /// Takes a command that a controller reset found waiting for the page.
    pub(super) fn drop_waiting(&mut self) -> Option<CommandTag> {
        self.control.waiting.pop_front()
    }
}
