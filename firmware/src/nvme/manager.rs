//! The manager itself: takes events in, sends completions out.

use contract::{
    Automation, CommandTag, Completer, Completion, Configuration, Hardware, HostCommand, HostEvent,
    Work,
};
use nvme::command::Entry;
use nvme::log::ErrorEntry;
use nvme::status::{Fault, Status};

use super::backend::Storage;
use super::command::{Command, Commands, Job, Reply};
use super::identify::Identity;
use super::kept::control::Control;
use super::kept::events::Events;
use super::kept::features::Features;
use super::kept::format::Format;
use super::kept::lifecycle::Lifecycle;
use super::kept::logs::{Counters, ErrorLog};
use super::kept::placement::Placement;
use super::lifetime::Lifetime;
use super::ports::Ports;
use super::queues::Queues;

/// The NVMe manager of one controller. All memory is taken in [`Manager::new`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Manager {
    pub(super) commands: Commands,
    pub(super) queues: Queues,
    pub(super) features: Features,
    pub(super) errors: ErrorLog,
    pub(super) counters: Counters,
    /// What was before this power-on.
    pub(super) past: Lifetime,
    pub(super) events: Events,
    pub(super) control: Control,
    pub(super) format: Option<Format>,
    pub(super) placement: Placement,
    pub(super) lifecycle: Lifecycle,
    pub(super) identity: Identity,
    pub(super) max_transfer_bytes: u32,
    /// What the host interface can run by itself.
    pub(super) automation: Automation,
    /// Commands to be completed, without Asynchronous Event Requests, which have no time limit.
    pub(super) in_flight: u32,
}

impl Manager {
    /// A manager for a controller that is not enabled yet.
    pub fn new(config: &Configuration) -> Self {
        Manager {
            commands: Commands::new(config.command_slots),
            queues: Queues::new(config),
            features: Features::new(config),
            errors: ErrorLog::new(),
            counters: Counters::default(),
            past: Lifetime::NEW,
            events: Events::new(),
            control: Control::new(config.command_slots),
            format: None,
            placement: Placement::new(config),
            lifecycle: Lifecycle::new(config.command_slots),
            identity: Identity::new(config),
            max_transfer_bytes: config.max_transfer_bytes,
            automation: config.automation,
            in_flight: 0,
        }
    }

    /// Commands that were taken and not completed, without Asynchronous Event Requests.
    pub fn under_way(&self) -> u32 {
        self.in_flight
    }

    /// Takes an event from the host interface.
    pub fn handle<H: Hardware, S: Storage>(
        &mut self,
        event: HostEvent,
        hw: &mut H,
        storage: &mut S,
    ) {
        let ports = &mut Ports { hw, storage };
        match event {
            HostEvent::Command(command) => self.accept(ports, &command),
            HostEvent::Enable => self.enable(ports),
            HostEvent::Disable => self.disable(ports.hw),
            HostEvent::Shutdown => self.shut_down(ports.hw),
            HostEvent::DoorbellError(kind) => self.doorbell_error(ports.hw, kind),
            // Without power there is nobody to answer.
            HostEvent::None | HostEvent::PowerLoss => {}
        }
    }

    /// Takes what storage has finished and moves on what waits. Called once a turn of the main
    /// loop; returns whether anything changed.
    pub fn advance<H: Hardware, S: Storage>(&mut self, hw: &mut H, storage: &mut S) -> bool {
        let ports = &mut Ports { hw, storage };
        let mut changed = false;
        while let Some((tag, outcome)) = ports.storage.next_done() {
            self.storage_done(ports, tag, outcome);
            changed = true;
        }
        if ports.storage.wants_past() {
            self.tell_past(ports);
        }
        if self.has_background() {
            changed |= self.advance_background(ports);
        }
        changed
    }

    fn has_background(&self) -> bool {
        self.control.is_busy()
            || self.format.is_some()
            || self.queues.is_deleting()
            || self.lifecycle.is_changing()
    }

    fn advance_background(&mut self, ports: &mut Ports<impl Hardware, impl Storage>) -> bool {
        let mut changed = self.advance_control(ports);
        changed |= self.advance_format(ports);
        while let Some(tag) = self.queues.next_deleted(ports.hw) {
            self.succeed(ports.hw, tag, 0);
            changed = true;
        }
        changed | self.advance_lifecycle(ports)
    }

    /// Whether storage is to begin nothing of its own: a format waits until it has come to rest, or
    /// the host has asked for a shutdown.
    pub fn wants_rest(&self) -> bool {
        self.format.as_ref().is_some_and(|format| format.holds_control())
            || self.lifecycle.is_shut_down()
    }

    /// A command was fetched.
    fn accept(&mut self, ports: &mut Ports<impl Hardware, impl Storage>, fetched: &HostCommand) {
        ports.hw.work(Work::Decode);
        let HostCommand { tag, queue, .. } = *fetched;
        let entry = Entry(fetched.entry);
        let (cid, nsid) = (entry.cid(), entry.nsid());
        let job = Job::Decode;
        self.commands.enter(tag, Command { queue, cid, nsid, start: 0, blocks: 0, job });
        self.queues.fetched(queue);
        self.in_flight += 1;
        if !self.lifecycle.is_ready() {
            self.drop_command(ports.hw, tag);
            return;
        }
        let answer = if self.lifecycle.is_shut_down() {
            Err(Fault::whole(Status::ABORTED_POWER_LOSS))
        } else if !self.queues.is_live(queue) {
            Err(Fault::whole(Status::ABORTED_SQ_DELETION))
        } else if queue == 0 {
            self.admin(ports, tag, &entry)
        } else {
            self.io(ports, tag, &entry)
        };
        match answer {
            Ok(Reply::Later) => {}
            Ok(Reply::Now(result)) => self.succeed(ports.hw, tag, result),
            Err(fault) => self.fail(ports.hw, tag, fault),
        }
    }

    /// Completes a command with success.
    pub(super) fn succeed(&mut self, hw: &mut impl Hardware, tag: CommandTag, result: u32) {
        let (status, result) = (Status::SUCCESS.bits(), result.into());
        self.complete(hw, Completion { tag, status, result });
    }

    /// Completes a command with an error, which the error log keeps unless a controller reset made
    /// it.
    pub(super) fn fail(&mut self, hw: &mut impl Hardware, tag: CommandTag, fault: Fault) {
        self.fail_for(hw, tag, (fault, 0));
    }

    /// The same of a command with a list of addresses, for those of a bit mask.
    pub(super) fn fail_for(
        &mut self,
        hw: &mut impl Hardware,
        tag: CommandTag,
        (fault, addresses): (Fault, u64),
    ) {
        if self.lifecycle.is_resetting() {
            self.drop_command(hw, tag);
            return;
        }
        let status = fault.status.more();
        let command = self.commands.get(tag);
        self.errors.record(ErrorEntry {
            queue: command.queue,
            cid: command.cid,
            status_field: ErrorEntry::status_field_of(status),
            parameter: fault.location.bits(),
            lba: command.start,
            nsid: command.nsid,
            ..ErrorEntry::zeroed()
        });
        self.complete(hw, Completion { tag, status: status.bits(), result: addresses });
    }

    /// Ends a command that a controller reset overtook; the interface drops the completion.
    pub(super) fn drop_command(&mut self, hw: &mut impl Hardware, tag: CommandTag) {
        let status = Status::ABORTED_SQ_DELETION.bits();
        self.complete(hw, Completion { tag, status, result: 0 });
    }

    /// A command is no longer one that is to be completed in time.
    #[inline]
    pub(super) fn leaves_flight(&mut self) {
        let left = self.in_flight.checked_sub(1);
        self.in_flight = left.expect("more commands completed than taken");
    }

    pub(super) fn complete(&mut self, hw: &mut impl Hardware, completion: Completion) {
        let command = self.commands.leave(completion.tag);
        self.queues.completed(command.queue);
        if command.job != Job::Event {
            self.leaves_flight();
        }
        let is_posted = matches!(command.job, Job::Storage(_, Completer::Interface))
            && completion.status == Status::SUCCESS.bits();
        if !is_posted {
            hw.work(Work::Complete);
            hw.complete(completion);
        }
    }
}
