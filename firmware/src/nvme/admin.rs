//! Admin commands: each is decoded here and carried out by the part that it concerns.

use contract::{CommandTag, Hardware, Work};
use nvme::admin::AdminCommand;
use nvme::command::Entry;

use super::backend::Storage;
use super::command::{Answer, Job, Page, Reply};
use super::identify::check_namespace;
use super::io::check_pointer;
use super::manager::{Manager, Ports};

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
                check_namespace(structure, nsid)?;
                return self.send_page(ports, (tag, Job::Page(Page::Identify(structure))), entry);
            }
            AdminCommand::GetLogPage(log) => {
                let job = self.get_log_page(log, nsid)?;
                return self.send_page(ports, (tag, job), entry);
            }
            AdminCommand::SetFeatures { setting, retention } => {
                return self.set_feature(ports, (setting, retention), nsid);
            }
            AdminCommand::GetFeatures { feature, select, argument } => {
                return self.get_feature((feature, select), argument, nsid);
            }
            // Commands are too short-lived to be worth finding again.
            AdminCommand::Abort { .. } => return Ok(Reply::Now(NOT_ABORTED)),
            AdminCommand::AsyncEventRequest => {
                self.request_event(ports, tag)?;
                return Ok(Reply::Later);
            }
            AdminCommand::FormatNvm(format) => return self.format(tag, format, nsid),
        }
        Ok(Reply::Now(0))
    }

    fn send_page(
        &mut self,
        ports: &mut Ports<impl Hardware, impl Storage>,
        (tag, job): (CommandTag, Job),
        entry: &Entry,
    ) -> Answer {
        check_pointer(entry)?;
        self.commands.get_mut(tag).job = job;
        self.use_control(ports, tag);
        Ok(Reply::Later)
    }
}
