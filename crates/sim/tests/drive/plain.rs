//! A plain host for tests: one admin and one I/O queue pair, every completion kept.

use std::collections::VecDeque;

use board::Board;
use nvme::admin::{AdminCommand, CreateCompletionQueue, CreateSubmissionQueue, Priority};
use nvme::command::{DataPointer, Entry, Header};
use nvme::completion::{CompletionEntry, ENTRY_BYTES};
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::register::{offset, AdminQueueAttributes, ControllerConfiguration, Doorbell};
use nvme::status::Status;
use sim::{Drive, Host, HostMemory, Options, PartTimes, Payload, Polling, Registers, Stamp, Wake};

/// Host memory from address 0 on.
pub struct Memory(pub Vec<u8>);

impl HostMemory for Memory {
    fn read(&mut self, address: u64, bytes: &mut [u8]) -> bool {
        let at = address as usize;
        let Some(from) = self.0.get(at..at.saturating_add(bytes.len())) else { return false };
        bytes.copy_from_slice(from);
        true
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        let at = address as usize;
        let Some(to) = self.0.get_mut(at..at.saturating_add(bytes.len())) else { return false };
        to.copy_from_slice(bytes);
        true
    }
}

const ENTRIES: u32 = 128;
/// Where data buffers begin.
pub const DATA: u64 = 0x10_0000;

struct Ring {
    submission: u64,
    completion: u64,
    tail: u32,
    head: u32,
}

/// The host.
pub struct PlainHost {
    pub memory: Memory,
    rings: [Ring; 2],
    /// Completions by queue, with the time at which the host saw them.
    pub seen: VecDeque<(u64, CompletionEntry)>,
    pub parts: Vec<PartTimes>,
    /// What it sends again whenever a command with the same identifier completes.
    pub again: Option<Again>,
}

/// A command that is sent again and again.
#[derive(Clone, Copy)]
pub struct Again {
    pub queue: usize,
    pub command: Entry,
    /// When it is sent no more.
    pub until: u64,
}

impl PlainHost {
    pub fn new() -> Self {
        let ring = |submission, completion| Ring { submission, completion, tail: 0, head: 0 };
        PlainHost {
            memory: Memory(vec![0; 16 << 20]),
            rings: [ring(0x1000, 0x4000), ring(0x8000, 0xc000)],
            seen: VecDeque::new(),
            parts: Vec::new(),
            again: None,
        }
    }

    /// Puts commands on a queue and rings its doorbell once.
    fn submit(&mut self, queue: usize, commands: &[Entry], registers: &mut Registers<'_>) {
        let ring = &mut self.rings[queue];
        for command in commands {
            let at = ring.submission + u64::from(ring.tail) * 64;
            ring.tail = (ring.tail + 1) % ENTRIES;
            assert!(self.memory.write(at, &command.to_bytes()));
        }
        registers.write32(Doorbell::SubmissionTail(queue as u16).offset(0), ring.tail);
    }

    fn reap(&mut self, now: u64, queue: usize, registers: &mut Registers<'_>) {
        let ring = &mut self.rings[queue];
        let before = ring.head;
        loop {
            let at = ring.completion + u64::from(ring.head % ENTRIES) * ENTRY_BYTES as u64;
            let mut bytes = [0; ENTRY_BYTES];
            assert!(self.memory.read(at, &mut bytes));
            let entry = CompletionEntry::parse(&bytes);
            let expected = ring.head / ENTRIES % 2 == 0;
            if (entry.phase == nvme::completion::Phase::One) != expected {
                break;
            }
            ring.head += 1;
            self.seen.push_back((now, entry));
        }
        if ring.head == before {
            return;
        }
        let doorbell = Doorbell::CompletionHead(queue as u16).offset(0);
        registers.write32(doorbell, ring.head % ENTRIES);
        let new = (ring.head - before) as usize;
        if let Some(again) = self.again.filter(|again| again.queue == queue && now < again.until) {
            let done = self.seen.iter().rev().take(new);
            let count = done.filter(|(_, entry)| entry.cid == again.command.cid()).count();
            self.submit(queue, &vec![again.command; count], registers);
        }
    }
}

impl Host for PlainHost {
    type Memory = Memory;

    fn memory(&mut self) -> &mut Memory {
        &mut self.memory
    }

    fn wake(&mut self, now: u64, wake: Wake, registers: &mut Registers<'_>) -> u64 {
        if let Wake::Interrupt(vector) = wake {
            self.reap(now, usize::from(vector), registers);
        }
        sim::NEVER
    }

    fn posted(&mut self, _queue: u16, _id: u16, parts: PartTimes) {
        self.parts.push(parts);
    }
}

/// A drive with one I/O queue pair, once it is started.
pub struct Bench {
    pub drive: Drive<PlainHost>,
    started: bool,
}

impl Bench {
    pub fn new(board: &Board, payload: Payload, polling: Polling) -> Self {
        let options = Options { payload, seed: 1, polling };
        let drive = Drive::new(board, options, PlainHost::new()).expect("a suitable board");
        Bench { drive, started: false }
    }

    /// Disables the controller and brings it up again.
    pub fn restart(&mut self) {
        self.drive.registers(|_, registers| registers.write32(offset::CC, 0));
        self.drive.run(|_| false);
        let off = self.drive.registers(|_, registers| registers.read32(offset::CSTS));
        // SHST may tell of a shutdown that was asked for before.
        assert_eq!(off & 1, 0, "CSTS.RDY after CC.EN was cleared");
        let host = self.drive.host_mut();
        host.seen.clear();
        for ring in &mut host.rings {
            (ring.tail, ring.head) = (0, 0);
            let queue = ring.completion as usize..ring.completion as usize + 0x800;
            host.memory.0[queue].fill(0);
        }
        self.started = false;
        self.start_once();
    }

    /// Brings the controller up, if it is not.
    pub fn start_once(&mut self) {
        if std::mem::replace(&mut self.started, true) {
            return;
        }
        self.drive.registers(|_, registers| {
            let sizes = AdminQueueAttributes { submission: ENTRIES, completion: ENTRIES };
            registers.write32(offset::AQA, sizes.emit());
            registers.write64(offset::ASQ, 0x1000);
            registers.write64(offset::ACQ, 0x4000);
            registers.write32(offset::CC, ControllerConfiguration::started(0).0);
        });
        self.drive.run(|_| false);
        let ready = self.drive.registers(|_, registers| registers.read32(offset::CSTS));
        assert_eq!(ready, 1, "CSTS after CC.EN");
        let completion = CreateCompletionQueue { id: 1, entries: ENTRIES, vector: Some(1) };
        self.admin(AdminCommand::CreateCompletionQueue(completion), 0xc000);
        let submission = CreateSubmissionQueue {
            id: 1,
            entries: ENTRIES,
            completion_queue: 1,
            priority: Priority::Urgent,
        };
        self.admin(AdminCommand::CreateSubmissionQueue(submission), 0x8000);
    }

    /// Runs an admin command to its end, which must be success.
    pub fn admin(&mut self, command: AdminCommand, prp1: u64) -> CompletionEntry {
        let header = Header { cid: 7, nsid: 0, data: DataPointer { prp1, prp2: 0 } };
        self.submit(0, &[command.emit(header)]);
        self.drive.run(|host| !host.seen.is_empty());
        let (_, entry) = self.drive.host_mut().seen.pop_front().expect("a completion");
        assert!(entry.status.is_success(), "{command:?}: {}", entry.status);
        entry
    }

    /// Writes stamps from `lba` on with one command, which must succeed.
    pub fn write(&mut self, lba: u64, stamps: &[Stamp]) {
        if let Err(status) = self.try_write(lba, stamps) {
            panic!("write of {lba}: {status}");
        }
    }

    /// Writes stamps from `lba` on with one command.
    pub fn try_write(&mut self, lba: u64, stamps: &[Stamp]) -> Result<(), Status> {
        let block = 4096;
        for (nth, stamp) in stamps.iter().enumerate() {
            let at = DATA + nth as u64 * block;
            assert!(self.drive.host_mut().memory.write(at, &stamp.to_bits().to_le_bytes()));
        }
        let range = BlockRange { start: lba, blocks: stamps.len() as u32 };
        let command = IoCommand::Write(range, UnitAccess::Normal).emit(self.data(stamps.len()));
        let done = self.io(&[command]);
        let status = done[0].1.status;
        status.is_success().then_some(()).ok_or(status)
    }

    /// Reads the stamps of `count` blocks, or the status that says why not.
    pub fn read(&mut self, lba: u64, count: usize) -> Result<Vec<Stamp>, Status> {
        let range = BlockRange { start: lba, blocks: count as u32 };
        let command = IoCommand::Read(range, UnitAccess::Normal).emit(self.data(count));
        let done = self.io(&[command]);
        if !done[0].1.status.is_success() {
            return Err(done[0].1.status);
        }
        let memory = &mut self.drive.host_mut().memory;
        let stamp = |nth| {
            let mut bytes = [0; 8];
            assert!(memory.read(DATA + nth as u64 * 4096, &mut bytes));
            Stamp::from_bits(u64::from_le_bytes(bytes))
        };
        Ok((0..count).map(stamp).collect())
    }

    /// Pointers to the data buffer, with a list where it takes more than two pages.
    fn data(&mut self, blocks: usize) -> Header {
        const LIST: u64 = 0x1_0000;
        let page = |nth: u64| DATA + nth * 4096;
        for nth in 1..blocks as u64 {
            let entry = page(nth).to_le_bytes();
            assert!(self.drive.host_mut().memory.write(LIST + (nth - 1) * 8, &entry));
        }
        let prp2 = match blocks {
            0 | 1 => 0,
            2 => page(1),
            _ => LIST,
        };
        Header { cid: 1, nsid: 1, data: DataPointer { prp1: DATA, prp2 } }
    }

    /// Puts commands on a queue and rings its doorbell once.
    pub fn submit(&mut self, queue: usize, commands: &[Entry]) {
        self.drive.registers(|host, registers| host.submit(queue, commands, registers));
    }

    /// Runs I/O commands to their end and returns their completions in the order seen.
    pub fn io(&mut self, commands: &[Entry]) -> Vec<(u64, CompletionEntry)> {
        self.submit(1, commands);
        self.drive.run(|host| host.seen.len() == commands.len());
        self.drive.host_mut().seen.drain(..).collect()
    }
}
