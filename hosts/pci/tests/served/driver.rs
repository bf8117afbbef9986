//! An NVMe driver over a client: one admin and one I/O queue pair in guest memory.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use nvme::admin::{AdminCommand, CreateCompletionQueue, CreateSubmissionQueue, Priority};
use nvme::command::{DataPointer, Entry, Header};
use nvme::completion::{CompletionEntry, Phase};
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::register::{offset, AdminQueueAttributes, ControllerConfiguration, Doorbell};
use nvme::status::Status;
use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::fs::{fcntl_add_seals, ftruncate, memfd_create, MemfdFlags, SealFlags};
use rustix::io::{pread, pwrite};

use machine::BusMaster;

use super::client::{frame, halves, words, Client, REPLY};
use super::house::PATIENCE;

/// Guest memory begins here and is so long.
pub const BASE: u64 = 0x10_0000;
pub const BYTES: u64 = 64 * 4096;
/// Where data buffers begin, from the start of guest memory.
pub const DATA: u64 = 16 * 4096;
/// Doorbells in memory, and the event indexes.
const SHADOW: u64 = 8 * 4096;
const EVENTS: u64 = 9 * 4096;
const ENTRIES: u32 = 16;

/// Who holds the guest's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// A file that the server maps.
    Sealed,
    /// A file that the server reads and writes.
    Unsealed,
    /// The client, whom the server asks.
    Client,
}

/// A file as long as guest memory.
pub fn memory_file(holder: Holder) -> OwnedFd {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let file = memfd_create("guest", flags).unwrap();
    ftruncate(&file, BYTES).unwrap();
    if holder == Holder::Sealed {
        fcntl_add_seals(&file, SealFlags::SHRINK).unwrap();
    }
    file
}

struct Ring {
    submission: u64,
    completion: u64,
    tail: u32,
    head: u32,
}

/// A driver whose controller is up.
pub struct Driver {
    pub client: Client,
    pub memory: OwnedFd,
    holder: Holder,
    rings: [Ring; 2],
    irqs: [OwnedFd; 2],
    /// Whether doorbells of the I/O queue are rung in memory.
    buffered: bool,
    /// Messages sent for doorbells of the I/O queue.
    pub messages: u32,
}

impl Driver {
    /// Maps memory, connects interrupts and brings the controller up.
    pub fn start(mut client: Client, holder: Holder) -> Self {
        let memory = memory_file(holder);
        let file: Option<BorrowedFd<'_>> = match holder {
            Holder::Client => None,
            Holder::Sealed | Holder::Unsealed => Some(memory.as_fd()),
        };
        client.map(BASE, BYTES, file).unwrap();
        let irqs = [0, 1].map(|vector| client.connect_irq(vector));
        let ring = |submission, completion| Ring { submission, completion, tail: 0, head: 0 };
        let rings = [ring(0x1000, 0x2000), ring(0x3000, 0x4000)];
        let mut driver =
            Driver { client, memory, holder, rings, irqs, buffered: false, messages: 0 };
        driver.enable();
        driver
    }

    /// Writes the command register: memory space, and bus master or not.
    pub fn set_bus_master(&mut self, master: BusMaster) {
        let command: u16 = match master {
            BusMaster::Enabled => 0x0006,
            BusMaster::Disabled => 0x0002,
        };
        self.client.region_write(7, 0x04, &command.to_le_bytes()).unwrap();
    }

    fn enable(&mut self) {
        self.set_bus_master(BusMaster::Enabled);
        let sizes = AdminQueueAttributes { submission: ENTRIES, completion: ENTRIES };
        self.client.write32(offset::AQA as u32, sizes.emit());
        for (register, address) in [(offset::ASQ, 0x1000), (offset::ACQ, 0x2000)] {
            let bytes = (BASE + address as u64).to_le_bytes();
            self.client.region_write(0, register as u32, &bytes).unwrap();
        }
        self.client.write32(offset::CC as u32, ControllerConfiguration::started(0).0);
        self.wait_ready();
        let (entries, vector) = (ENTRIES, Some(1));
        let queue = CreateCompletionQueue { id: 1, entries, vector };
        self.admin(AdminCommand::CreateCompletionQueue(queue), 0x4000);
        let priority = Priority::Medium;
        let queue = CreateSubmissionQueue { id: 1, entries, priority, completion_queue: 1 };
        self.admin(AdminCommand::CreateSubmissionQueue(queue), 0x3000);
    }

    fn wait_ready(&mut self) {
        let end = Instant::now() + PATIENCE;
        while self.client.read32(offset::CSTS as u32) & 1 == 0 {
            assert!(Instant::now() < end, "CSTS.RDY");
        }
    }

    /// Runs an admin command with its data at an offset of guest memory; it must succeed.
    pub fn admin(&mut self, command: AdminCommand, data: u64) -> CompletionEntry {
        let header = Header { cid: 5, nsid: 0, data: pointer(data) };
        let done = self.run(0, &command.emit(header));
        assert!(done.status.is_success(), "{command:?}: {}", done.status);
        done
    }

    /// Moves the doorbells of the I/O queue into memory.
    pub fn buffer_doorbells(&mut self) {
        let data = DataPointer { prp1: BASE + SHADOW, prp2: BASE + EVENTS };
        let header = Header { cid: 6, nsid: 0, data };
        let done = self.run(0, &AdminCommand::DoorbellBufferConfig.emit(header));
        assert!(done.status.is_success(), "{}", done.status);
        self.buffered = true;
    }

    /// Writes bytes, at most a page, at a block.
    pub fn write(&mut self, start: u64, bytes: &[u8]) -> Status {
        pwrite(&self.memory, bytes, DATA).unwrap();
        let range = BlockRange { start, blocks: bytes.len().div_ceil(4096) as u32 };
        self.io(IoCommand::Write(range, UnitAccess::Normal))
    }

    /// Reads a page at a block.
    pub fn read(&mut self, start: u64) -> Vec<u8> {
        pwrite(&self.memory, &[0xee; 4096], DATA).unwrap();
        let status = self.io(IoCommand::Read(BlockRange { start, blocks: 1 }, UnitAccess::Normal));
        assert!(status.is_success(), "{status}");
        let mut bytes = vec![0; 4096];
        assert_eq!(pread(&self.memory, &mut bytes, DATA).unwrap(), 4096);
        bytes
    }

    /// Runs an I/O command with its data at [`DATA`].
    pub fn io(&mut self, command: IoCommand) -> Status {
        let header = Header { cid: 9, nsid: 1, data: pointer(DATA) };
        self.run(1, &command.emit(header)).status
    }

    /// Runs an I/O command that is there as an entry, with its data at [`DATA`].
    #[allow(dead_code)] // Not for tools/cli/tests/kills.
    pub fn entry(&mut self, emit: impl FnOnce(Header) -> Entry) -> CompletionEntry {
        let entry = emit(Header { cid: 9, nsid: 1, data: pointer(DATA) });
        self.run(1, &entry)
    }

    /// Runs an admin command for the namespace, as [`Driver::admin`].
    #[allow(dead_code)] // Not for tools/cli/tests/kills.
    pub fn admin_of_namespace(&mut self, command: AdminCommand, data: u64) -> CompletionEntry {
        let header = Header { cid: 5, nsid: 1, data: pointer(data) };
        self.run(0, &command.emit(header))
    }

    /// Sends a read of a block to [`DATA`].
    pub fn send_read(&mut self, start: u64) {
        let range = BlockRange { start, blocks: 1 };
        let header = Header { cid: 9, nsid: 1, data: pointer(DATA) };
        self.send(1, &IoCommand::Read(range, UnitAccess::Normal).emit(header));
    }

    /// Sends an I/O command with its data at an offset of guest memory.
    #[allow(dead_code)] // For tools/cli/tests/kills.
    pub fn submit(&mut self, command: IoCommand, (cid, data): (u16, u64)) {
        let header = Header { cid, nsid: 1, data: pointer(data) };
        self.send(1, &command.emit(header));
    }

    /// The next completion of an I/O command, if it has come. The drive is not told that it was taken.
    #[allow(dead_code)] // For tools/cli/tests/kills.
    pub fn next_completion(&mut self) -> Option<CompletionEntry> {
        let Ring { completion, head, .. } = self.rings[1];
        let mut bytes = [0; 16];
        pread(&self.memory, &mut bytes, completion + u64::from(head % ENTRIES) * 16).unwrap();
        let entry = CompletionEntry::parse(&bytes);
        if (entry.phase == Phase::One) != (head / ENTRIES % 2 == 0) {
            return None;
        }
        self.rings[1].head = head + 1;
        Some(entry)
    }

    /// Tells the drive which completions of I/O commands were taken, and waits for more.
    #[allow(dead_code)] // For tools/cli/tests/kills.
    pub fn wait_for_more(&mut self) {
        let head = self.rings[1].head;
        self.ring(Doorbell::CompletionHead(1), head % ENTRIES);
        self.wait_interrupt(1);
    }

    /// Waits for the I/O command that was sent.
    pub fn finish_io(&mut self) -> Status {
        self.finish(1).status
    }

    /// Whether an interrupt of the I/O queue waits to be taken.
    pub fn is_interrupted(&self) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut [PollFd::new(&self.irqs[1], PollFlags::IN)], Some(&now)).unwrap() > 0
    }

    /// Rings the doorbell with a message that is not answered, as QEMU does; or in memory, as Linux does.
    fn ring(&mut self, doorbell: Doorbell, value: u32) {
        let at = doorbell.offset(0);
        let io = at >= Doorbell::SubmissionTail(1).offset(0);
        if io && self.buffered {
            let in_page = at - offset::DOORBELLS;
            let mut old = [0; 4];
            pread(&self.memory, &mut old, SHADOW + in_page).unwrap();
            pwrite(&self.memory, &value.to_le_bytes(), SHADOW + in_page).unwrap();
            std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
            let mut event = [0; 4];
            pread(&self.memory, &mut event, EVENTS + in_page).unwrap();
            let [old, event] = [old, event].map(|bytes| u32::from_le_bytes(bytes) as u16);
            let new = value as u16;
            if new.wrapping_sub(event).wrapping_sub(1) >= new.wrapping_sub(old) {
                return;
            }
        }
        self.messages += u32::from(io);
        self.client.post(10, &words(&[at as u32, 0, 0, 4, value]));
    }

    /// Waits until the drive asks for a message with the next submission, since it goes to sleep.
    pub fn wait_asleep(&self) {
        let in_page = Doorbell::SubmissionTail(1).offset(0) - offset::DOORBELLS;
        let word = |at: u64| {
            let mut bytes = [0; 4];
            pread(&self.memory, &mut bytes, at + in_page).unwrap();
            bytes
        };
        let end = Instant::now() + PATIENCE;
        while word(EVENTS) != word(SHADOW) {
            assert!(Instant::now() < end, "the drive does not go to sleep");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn run(&mut self, queue: usize, command: &Entry) -> CompletionEntry {
        self.send(queue, command);
        self.finish(queue)
    }

    /// Puts a command on a queue and rings its doorbell.
    fn send(&mut self, queue: usize, command: &Entry) {
        let Ring { submission, tail, .. } = self.rings[queue];
        let at = submission + u64::from(tail) * 64;
        pwrite(&self.memory, &command.to_bytes(), at).unwrap();
        let tail = (tail + 1) % ENTRIES;
        self.rings[queue].tail = tail;
        self.ring(Doorbell::SubmissionTail(queue as u16), tail);
    }

    /// Waits for the completion of the command that was sent.
    fn finish(&mut self, queue: usize) -> CompletionEntry {
        self.wait_interrupt(queue);
        let Ring { completion, head, .. } = self.rings[queue];
        let mut bytes = [0; 16];
        pread(&self.memory, &mut bytes, completion + u64::from(head % ENTRIES) * 16).unwrap();
        let entry = CompletionEntry::parse(&bytes);
        assert_eq!(entry.phase == Phase::One, head / ENTRIES % 2 == 0, "phase of {head}");
        self.rings[queue].head = head + 1;
        self.ring(Doorbell::CompletionHead(queue as u16), (head + 1) % ENTRIES);
        entry
    }

    /// Waits for the queue's interrupt, and gives the server what it asks for meanwhile.
    fn wait_interrupt(&mut self, queue: usize) {
        loop {
            let timeout = Timespec { tv_sec: PATIENCE.as_secs() as i64, tv_nsec: 0 };
            let irq = PollFd::new(&self.irqs[queue], PollFlags::IN);
            let socket = PollFd::new(&self.client.socket, PollFlags::IN);
            let mut fds = [irq, socket];
            assert!(poll(&mut fds, Some(&timeout)).unwrap() > 0, "an interrupt");
            let [irq, socket] = fds.map(|fd| fd.revents().contains(PollFlags::IN));
            if socket {
                assert_eq!(self.holder, Holder::Client, "the server asks only where it has to");
                self.serve();
            } else if irq {
                rustix::io::read(&self.irqs[queue], &mut [0; 8]).unwrap();
                return;
            }
        }
    }

    /// Answers a read or a write of memory.
    fn serve(&mut self) {
        let asked = self.client.receive().expect("a command");
        let wide = |at: usize| u64::from_le_bytes(asked.payload[at..at + 8].try_into().unwrap());
        let (address, count) = (wide(0), wide(8));
        let at = address.checked_sub(BASE).expect("what was offered");
        assert!(at + count <= BYTES && count <= 65_536);
        let [a, b] = halves(address);
        let mut answer = words(&[a, b, count as u32, 0]);
        match asked.command {
            11 => {
                let mut bytes = vec![0; count as usize];
                pread(&self.memory, &mut bytes, at).unwrap();
                answer.extend_from_slice(&bytes);
            }
            12 => {
                pwrite(&self.memory, &asked.payload[16..], at).unwrap();
            }
            other => panic!("command {other}"),
        }
        let reply = frame((asked.id, asked.command), REPLY, &answer);
        self.client.send_raw(&reply, &[]).unwrap();
    }
}

fn pointer(at: u64) -> DataPointer {
    DataPointer { prp1: BASE + at, prp2: 0 }
}
