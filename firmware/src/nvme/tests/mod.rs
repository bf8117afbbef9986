//! The manager between a mock of the hardware and a mock of storage.

mod admin;
mod events;
mod features;
mod format;
mod io;
mod lifecycle;
mod logs;
pub(crate) mod mock;
mod namespaces;
mod placement;
mod queues;

use alloc::vec::Vec;
use contract::{CommandTag, Configuration, HostCommand, HostEvent};
use nvme::admin::{AdminCommand, CreateCompletionQueue, CreateSubmissionQueue, Priority};
use nvme::command::{DataPointer, Entry, Header};
use nvme::log::ErrorEntry;
use nvme::status::Status;

use super::backend::IoOutcome;
use super::Manager;
use mock::{configuration, Call, MockHardware, MockStorage};

/// A manager with its surroundings. Command identifiers are tags plus 1000.
struct Bench {
    manager: Manager,
    hw: MockHardware,
    storage: MockStorage,
}

/// The identifier that the bench gives a command.
fn cid_of(tag: CommandTag) -> u16 {
    tag.0 + 1000
}

impl Bench {
    /// An enabled controller with I/O queue pair 1.
    fn new() -> Self {
        Bench::with_namespaces(1)
    }

    /// The same of a drive with so many namespaces.
    fn with_namespaces(namespaces: u32) -> Self {
        Bench::of(Configuration { namespaces, ..configuration() })
    }

    /// The same of a drive with this configuration.
    fn of(config: Configuration) -> Self {
        let mut bench = Bench::disabled_of(&config);
        bench.event(HostEvent::Enable);
        bench.create_pair(1);
        bench.hw.calls.clear();
        bench
    }

    fn disabled(namespaces: u32) -> Self {
        Bench::disabled_of(&Configuration { namespaces, ..configuration() })
    }

    fn disabled_of(config: &Configuration) -> Self {
        Bench {
            manager: Manager::new(config),
            hw: MockHardware::new(config),
            storage: MockStorage::new(),
        }
    }

    fn create_pair(&mut self, id: u16) {
        let queue = CreateCompletionQueue { id, entries: 64, vector: Some(id) };
        self.expect(AdminCommand::CreateCompletionQueue(queue), Status::SUCCESS);
        let queue = CreateSubmissionQueue {
            id,
            entries: 64,
            priority: Priority::Urgent,
            completion_queue: id,
        };
        self.expect(AdminCommand::CreateSubmissionQueue(queue), Status::SUCCESS);
    }

    fn event(&mut self, event: HostEvent) {
        self.manager.handle(event, &mut self.hw, &mut self.storage);
    }

    /// One call of `advance`.
    fn turn(&mut self) -> bool {
        self.manager.advance(&mut self.hw, &mut self.storage)
    }

    /// Calls `advance` until nothing changes.
    fn settle(&mut self) {
        let mut turns = 0;
        while self.turn() {
            turns += 1;
            assert!(turns < 10_000, "the manager does not come to rest");
        }
    }

    /// Sends an entry under a free tag.
    fn send(&mut self, queue: u16, entry: Entry) -> CommandTag {
        let tag = self.hw.take_tag();
        self.hw.completions.retain(|completion| completion.tag != tag);
        let mut entry = entry.0;
        entry[0] = entry[0] & 0xffff | u32::from(cid_of(tag)) << 16;
        self.event(HostEvent::Command(HostCommand { tag, queue, entry }));
        tag
    }

    fn send_admin(&mut self, command: AdminCommand) -> CommandTag {
        self.send(0, command.emit(header(0)))
    }

    /// Status and dword 0 of a completed command; forgets the completion.
    fn take(&mut self, tag: CommandTag) -> Option<(Status, u32)> {
        let at = self.hw.completions.iter().position(|completion| completion.tag == tag)?;
        let completion = self.hw.completions.remove(at);
        Some((Status::from_bits(completion.status), completion.result as u32))
    }

    /// Sends an entry, lets control transfers succeed, and returns status and dword 0.
    fn finish(&mut self, queue: u16, entry: Entry) -> (Status, u32) {
        let tag = self.send(queue, entry);
        self.settle();
        if self.storage.control.is_some() {
            self.storage.end_control(IoOutcome::Success);
            self.settle();
        }
        self.take(tag).expect("the command did not complete")
    }

    /// Sends an admin command that has to end with `status`; returns dword 0.
    fn expect(&mut self, command: AdminCommand, status: Status) -> u32 {
        let (found, result) = self.finish(0, command.emit(header(0)));
        assert!(found.is(status), "{command:?}: {found:?}, not {status:?}");
        result
    }

    /// Sends an entry that has to fail, and to be in the error log with byte and bit.
    fn refuse(&mut self, queue: u16, entry: Entry, status: Status, at: (u8, u8)) {
        let (found, _) = self.finish(queue, entry);
        assert!(found.is(status), "{entry:x?}: {found:?}, not {status:?}");
        assert!(found.forbids_retry() && found.has_more(), "{entry:x?}: {found:?}");
        let logged = self.errors()[0];
        assert_eq!(logged.status(), found);
        assert_eq!((logged.queue, logged.nsid), (queue, entry.nsid()));
        let (byte, bit) = at;
        assert_eq!(logged.parameter, u16::from(bit) << 8 | u16::from(byte), "{entry:x?}");
    }

    /// The error log, latest first, as the host reads it.
    fn errors(&mut self) -> Vec<ErrorEntry> {
        let log = logs::whole(nvme::admin::LogPage::ErrorInformation, 4096);
        self.expect(AdminCommand::GetLogPage(log), Status::SUCCESS);
        let entries = self.hw.page.chunks_exact(64);
        entries
            .map(|bytes| ErrorEntry::parse(bytes.try_into().unwrap()))
            .take_while(|entry| entry.count > 0)
            .collect()
    }

    fn called(&self, call: Call) -> usize {
        self.hw.calls.iter().filter(|made| **made == call).count()
    }
}

fn header(nsid: u32) -> Header {
    Header { cid: 0, nsid, data: DataPointer { prp1: 0x10_0000, prp2: 0x20_0000 } }
}
