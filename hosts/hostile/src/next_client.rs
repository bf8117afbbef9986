//! The client that comes after a hostile one: a driver of few words, which has to be served.

use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use nvme::admin::{AdminCommand, CreateCompletionQueue, CreateSubmissionQueue, Priority};
use nvme::command::{DataPointer, Entry, Header};
use nvme::completion::{CompletionEntry, ENTRY_BYTES};
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::register::{offset, ControllerConfiguration, Doorbell};
use pci::{Device, NvmeFunction, Session};
use rustix::io::{pread, pwrite};

use crate::memory::PAGE;
use crate::vfio_user::{at, connect, frame, map, send, settle, words};

const BASE: u64 = 0x20_0000;
/// Pages of its memory.
pub const PAGES: u64 = 8;
const DATA: u64 = 4 * PAGE;
/// Entries of a queue, of which no more than one is in use at a time.
const ENTRIES: u32 = 16;

struct Next<'a> {
    device: &'a mut Device<NvmeFunction>,
    socket: UnixStream,
    session: Session,
    memory: &'a OwnedFd,
    /// Commands sent, by queue.
    sent: [u32; 2],
}

/// A block that is written is read back, by way of a file of [`PAGES`] pages.
///
/// # Panics
/// When anything goes wrong.
pub fn assert_served(device: &mut Device<NvmeFunction>, memory: &OwnedFd) {
    pwrite(memory, &[0; (PAGES * PAGE) as usize], 0).expect("its bytes");
    let (socket, session) = connect();
    let mut next = Next { device, socket, session, memory, sent: [0; 2] };
    next.start();
    let block: Vec<u8> = (0..PAGE).map(|nth| (nth * 7 % 251) as u8).collect();
    pwrite(next.memory, &block, DATA).expect("the client's own file");
    let range = BlockRange { start: 3, blocks: 1 };
    next.run(1, &to_data(IoCommand::Write(range, UnitAccess::Normal)));
    pwrite(next.memory, &[0xee; PAGE as usize], DATA).expect("the client's own file");
    next.run(1, &to_data(IoCommand::Read(range, UnitAccess::Normal)));
    let mut found = vec![0; PAGE as usize];
    assert_eq!(pread(next.memory, &mut found, DATA), Ok(found.len()));
    assert!(found == block, "what was written for the next client is not what it reads");
}

impl Next<'_> {
    /// Agrees upon a version, offers memory and brings the controller up.
    fn start(&mut self) {
        send(&self.socket, &frame(1, 0, &words(&[0x0001_0000])), &[]);
        let offer = frame(2, 0, &map(3, 0, (BASE, PAGES * PAGE)));
        send(&self.socket, &offer, &[self.memory.as_fd()]);
        let entries = ENTRIES - 1;
        // Memory space and bus master, then the admin queues, all of it on its way at once.
        let writes = [
            write(1, 4, &0x0006u16.to_le_bytes()),
            write(0, offset::AQA, &(entries << 16 | entries).to_le_bytes()),
            write(0, offset::ASQ, &BASE.to_le_bytes()),
            write(0, offset::ACQ, &(BASE + PAGE).to_le_bytes()),
            write(0, offset::CC, &ControllerConfiguration::started(0).0.to_le_bytes()),
        ];
        self.send(&writes.concat());
        let create = CreateCompletionQueue { id: 1, entries: ENTRIES, vector: Some(1) };
        self.create(AdminCommand::CreateCompletionQueue(create), 3);
        let (entries, priority) = (ENTRIES, Priority::Medium);
        let create = CreateSubmissionQueue { id: 1, entries, priority, completion_queue: 1 };
        self.create(AdminCommand::CreateSubmissionQueue(create), 2);
    }

    fn create(&mut self, command: AdminCommand, page: u64) {
        let data = DataPointer { prp1: BASE + page * PAGE, prp2: 0 };
        self.run(0, &command.emit(Header { cid: 9, nsid: 0, data }));
    }

    /// Sends messages, and lets the server take them and run. Answers stay in the socket, which has room for all.
    fn send(&mut self, frames: &[u8]) {
        send(&self.socket, frames, &[]);
        let taken = self.session.take(self.device);
        assert_eq!(taken, Ok(false), "the next client is served");
        settle(self.device);
    }

    /// Runs a command to its end, which must be success.
    fn run(&mut self, queue: u16, entry: &Entry) {
        let sent = self.sent[usize::from(queue)];
        let pair = u64::from(queue) * 2 * PAGE;
        let place = pair + u64::from(sent % ENTRIES) * 64;
        pwrite(self.memory, &entry.to_bytes(), place).expect("the client's own file");
        let tail = (sent + 1) % ENTRIES;
        self.send(&write(0, Doorbell::SubmissionTail(queue).offset(0), &tail.to_le_bytes()));
        let mut bytes = [0; ENTRY_BYTES];
        let place = pair + PAGE + u64::from(sent % ENTRIES) * ENTRY_BYTES as u64;
        assert_eq!(pread(self.memory, &mut bytes, place), Ok(bytes.len()));
        let done = CompletionEntry::parse(&bytes);
        assert!(done.cid == entry.cid() && done.status.is_success(), "{done:?}");
        self.sent[usize::from(queue)] += 1;
    }
}

/// The message that writes a part of a region.
fn write(region: u8, offset: u64, bytes: &[u8]) -> Vec<u8> {
    frame(10, 0, &[at(region, offset, bytes.len() as u32), bytes.to_vec()].concat())
}

fn to_data(command: IoCommand) -> Entry {
    command.emit(Header { cid: 2, nsid: 1, data: DataPointer { prp1: BASE + DATA, prp2: 0 } })
}
