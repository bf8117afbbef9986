//! Admin commands: each is decoded here and carried out by the part that it concerns.

use contract::{CommandTag, DoorbellBuffers, Hardware, Work};
use nvme::admin::AdminCommand;
use nvme::command::Entry;
use nvme::status::{Fault, Status};

use super::backend::{IoOutcome, Storage};
use super::command::{Answer, Job, Page, Reply};
use super::identify::Inquiry;
use super::io::check_pointer;
use super::manager::Manager;
use super::ports::Ports;

/// Dword 0 of Abort: the command was not aborted.
const NOT_ABORTED: u32 = 1;

impl Manager {
    /// An admin command.
    pub(super) fn admin(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        tag: CommandTag,
        entry: &Entry,
    ) -> Answer {
        ports.hw.work(Work::Admin);
        let nsid = entry.nsid();
        let base = entry.data().prp1;
        if let Some(answer) = self.admin_of_kind(ports, tag, entry) {
            return answer;
        }
        match AdminCommand::parse(entry)? {
            AdminCommand::CreateCompletionQueue(queue) => {
                self.queues.create_completion(ports.hw, queue, base)?;
            }
            AdminCommand::CreateSubmissionQueue(queue) => {
                self.queues.create_submission(ports.hw, queue, base)?;
            }
            AdminCommand::DeleteCompletionQueue { id } => {
                self.queues.delete_completion(ports.hw, id)?;
            }
            AdminCommand::DeleteSubmissionQueue { id } => {
                self.queues.delete_submission(ports.hw, id, tag)?;
                self.commands.get_mut(tag).job = Job::DeleteQueue;
                return Ok(Reply::Later);
            }
            AdminCommand::Identify(structure) => {
                let inquiry = Inquiry { structure, nsid, group: entry.dword(11) as u16 };
                inquiry.check(&self.identity)?;
                self.commands.get_mut(tag).job = Job::Page(Page::Identify(inquiry));
                return self.send_page(ports, tag, entry);
            }
            AdminCommand::GetLogPage(log) => {
                self.check_log(ports.storage, log, nsid)?;
                self.commands.get_mut(tag).job = Job::Page(Page::Log(log));
                return self.send_page(ports, tag, entry);
            }
            AdminCommand::SetFeatures(set) => return self.set_feature(ports, set, nsid),
            AdminCommand::GetFeatures(get) => return self.get_feature(get, nsid),
            AdminCommand::Abort { queue, cid } => {
                let aborted = self.abort(ports, queue, cid);
                return Ok(Reply::Now(if aborted { 0 } else { NOT_ABORTED }));
            }
            AdminCommand::AsyncEventRequest => {
                self.request_event(ports, tag)?;
                return Ok(Reply::Later);
            }
            AdminCommand::DoorbellBufferConfig => match self.identity.doorbell_buffers {
                DoorbellBuffers::Absent => {
                    return Err(Fault::at(Status::INVALID_OPCODE, 0, 0));
                }
                DoorbellBuffers::Offered => {
                    ports.hw.set_doorbell_buffers(base, entry.data().prp2);
                }
            },
            AdminCommand::Geometry => {
                self.check_geometry(ports.storage, nsid)?;
                self.commands.get_mut(tag).job = Job::Page(Page::Geometry);
                return self.send_page(ports, tag, entry);
            }
            AdminCommand::FormatNvm(_)
                if ports.storage.chunked().is_some() || ports.storage.zoned().is_some() =>
            {
                return Err(Fault::at(Status::INVALID_OPCODE, 0, 0));
            }
            AdminCommand::FormatNvm(format) => return self.format(ports.hw, tag, (format, nsid)),
        }
        Ok(Reply::Now(0))
    }

    /// A command that drives of some kinds alone have; `None` where it is another one.
    #[inline]
    fn admin_of_kind(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        tag: CommandTag,
        entry: &Entry,
    ) -> Option<Answer> {
        match self.placement_admin(ports, tag, entry) {
            None => self.zone_admin(ports, tag, entry),
            answer => answer,
        }
    }

    /// Abort: a command of which nothing is under way and something is left to do is completed at once, before Abort is.
    /// So is an Asynchronous Event Request. What has begun, or waits to be given to storage, comes to its own end.
    fn abort(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        queue: u16,
        cid: u16,
    ) -> bool {
        let Some(tag) = self.commands.find(queue, cid) else { return false };
        match self.commands.get(tag).job {
            Job::Storage(..) | Job::Dataset { .. } => {
                let aborted = ports.storage.abort(tag);
                if aborted {
                    ports.hw.attend(Some(tag));
                    self.release_control(tag);
                    self.io_done(ports, tag, IoOutcome::Aborted);
                }
                aborted
            }
            Job::Event => {
                self.events.withdraw(tag);
                self.fail(ports.hw, tag, Fault::whole(Status::ABORT_REQUESTED));
                true
            }
            _ => false,
        }
    }

    /// Sends the page that the command's job describes.
    fn send_page(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        tag: CommandTag,
        entry: &Entry,
    ) -> Answer {
        check_pointer(entry)?;
        self.use_control(ports, tag);
        Ok(Reply::Later)
    }
}
