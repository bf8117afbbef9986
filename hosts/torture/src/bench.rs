//! A plain host: an admin queue pair and some I/O queue pairs, every completion kept.

mod ring;
mod saved;
mod sending;

use std::collections::VecDeque;

use board::Board;
use machine::{
    BoardFirmware, CommandTimes, Host, HostMemory, Payload, Polling, Registers, Stamp, Stopped,
    Unobserved, Wake,
};
use nvme::admin::{AdminCommand, CreateCompletionQueue, CreateSubmissionQueue, Priority};
use nvme::command::{DataPointer, Entry, Header};
use nvme::completion::{CompletionEntry, Phase, ENTRY_BYTES};
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::register::{offset, AdminQueueAttributes, ControllerConfiguration, Doorbell};
use nvme::status::Status;
use sim::{Drive, Options, Software};

use self::ring::Ring;
pub use self::sending::Sending;

/// Host memory from address 0 on.
#[derive(Clone)]
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
/// A small part of what controllers wait for a chip.
const A_WHILE_PS: u64 = 500_000_000;
/// The most that a command may take, others of the host behind which it waits included.
const PATIENCE_PS: u64 = 4_000_000_000_000;
/// Where data buffers begin.
pub const DATA: u64 = 0x10_0000;
/// Queue pairs that a host can have, the admin queue included.
const PAIRS: usize = 5;

/// A host that does what a test tells, and keeps what the drive answers.
#[derive(Clone)]
pub struct PlainHost {
    /// Host memory, of which all is given to the controller.
    pub memory: Memory,
    rings: [Ring; PAIRS],
    /// Completions by queue, with the time at which the host saw them.
    pub seen: VecDeque<(u64, CompletionEntry)>,
    /// Where the time of each completed command went.
    pub times: Vec<CommandTimes>,
    /// What it sends again whenever a command with the same identifier completes.
    pub again: Option<Again>,
    /// What it is to do by itself.
    pub sending: Sending,
    /// When it wakes by itself.
    alarm: u64,
    /// Doorbells and rings are used as they should be, so that completions report heads that fit.
    pub orderly: bool,
}

/// A command that is sent again and again.
#[derive(Clone, Copy)]
pub struct Again {
    /// Identifier of the queue that the command goes to, 0 for the admin queue.
    pub queue: usize,
    /// The entry, with the same command identifier each time.
    pub command: Entry,
    /// When it is sent no more.
    pub until: u64,
}

impl PlainHost {
    /// A host whose memory is empty.
    fn new() -> Self {
        PlainHost::of(vec![0; 16 << 20])
    }

    fn of(memory: Vec<u8>) -> Self {
        PlainHost {
            memory: Memory(memory),
            rings: std::array::from_fn(|id| Ring::of(id, (ENTRIES, ENTRIES))),
            seen: VecDeque::new(),
            times: Vec::new(),
            again: None,
            sending: Sending::default(),
            alarm: machine::NEVER,
            orderly: true,
        }
    }

    /// Empties the rings of all queue pairs.
    fn start_rings(&mut self) {
        for id in 0..PAIRS {
            self.start_ring(id, (ENTRIES, ENTRIES));
        }
    }

    /// Empties a queue pair's rings.
    fn start_ring(&mut self, id: usize, entries: (u32, u32)) {
        let ring = Ring::of(id, entries);
        let bytes = entries.1 as usize * ENTRY_BYTES;
        self.memory.0[ring.completion as usize..][..bytes].fill(0);
        self.rings[id] = ring;
    }

    /// Puts commands on a queue and rings its doorbell once.
    fn submit(&mut self, queue: usize, commands: &[Entry], registers: &mut Registers<'_>) {
        let ring = &mut self.rings[queue];
        for command in commands {
            let at = ring.submission + u64::from(ring.tail) * 64;
            ring.tail = (ring.tail + 1) % ring.entries.0;
            assert!(self.memory.write(at, &command.to_bytes()));
        }
        registers.write32(Doorbell::SubmissionTail(queue as u16).offset(0), ring.tail);
    }

    /// The completion at a ring's head, if one was posted there.
    fn posted_at(&mut self, queue: usize, head: u32) -> Option<CompletionEntry> {
        let Ring { completion, entries: (_, entries), .. } = self.rings[queue];
        let mut bytes = [0; ENTRY_BYTES];
        let at = completion + u64::from(head % entries) * ENTRY_BYTES as u64;
        assert!(self.memory.read(at, &mut bytes));
        let entry = CompletionEntry::parse(&bytes);
        let expected = if head / entries % 2 == 0 { Phase::One } else { Phase::Zero };
        (entry.phase == expected).then_some(entry)
    }

    /// Completions that stand in a queue and were not taken.
    pub fn standing(&mut self, queue: usize) -> u32 {
        let head = self.rings[queue].head;
        (head..).take_while(|&at| self.posted_at(queue, at).is_some()).count() as u32
    }

    fn reap(&mut self, now: u64, queue: usize, registers: &mut Registers<'_>) {
        let before = self.rings[queue].head;
        if !self.rings[queue].served {
            return;
        }
        while let Some(entry) = self.posted_at(queue, self.rings[queue].head) {
            self.rings[queue].head += 1;
            if self.orderly && self.rings[queue].live {
                self.check_head(&entry);
            }
            self.seen.push_back((now, entry));
        }
        let Ring { head, entries, .. } = self.rings[queue];
        if head == before {
            return;
        }
        let doorbell = Doorbell::CompletionHead(queue as u16).offset(0);
        registers.write32(doorbell, head % entries.1);
        let new = (head - before) as usize;
        if let Some(again) = self.again.filter(|again| again.queue == queue && now < again.until) {
            let done = self.seen.iter().rev().take(new);
            let count = done.filter(|(_, entry)| entry.cid == again.command.cid()).count();
            self.submit(queue, &vec![again.command; count], registers);
        }
    }

    /// The submission queue's head in a completion lies between the one reported before and the tail,
    /// and no more commands are complete than were fetched.
    fn check_head(&mut self, entry: &CompletionEntry) {
        let ring = &mut self.rings[usize::from(entry.submission_queue)];
        let (head, entries) = (u32::from(entry.submission_head), ring.entries.0);
        let distance = |to: u32| (to + entries - ring.fetched.0) % entries;
        let (step, most) = (distance(head), distance(ring.tail));
        assert!(head < entries && step <= most, "{entry:?}: the tail is {}", ring.tail);
        ring.fetched = (head, ring.fetched.1 + step);
        assert!(ring.head <= ring.fetched.1, "{entry:?}: completed and not fetched");
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
        let mut sending = std::mem::take(&mut self.sending);
        let planned =
            sending.follow(now, registers, |queue, command, to| self.submit(queue, &[command], to));
        self.sending = sending;
        match self.alarm > now {
            true => self.alarm.min(planned),
            false => planned,
        }
    }

    fn posted(&mut self, _queue: u16, _id: u16, times: &CommandTimes) {
        self.times.push(*times);
    }
}

/// Whether the host takes what stands in a completion queue.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Served {
    /// It does.
    Yes,
    /// It does not.
    No,
}

/// A drive with one I/O queue pair, once it is started; `F` is its firmware.
pub struct Bench<F = BoardFirmware> {
    /// The drive in the event-driven body, with its host.
    pub drive: Drive<PlainHost, Unobserved, F>,
    started: bool,
}

impl Bench {
    /// A drive of this board, its chips erased, before CC.EN is set.
    ///
    /// # Panics
    /// If the board is not suitable.
    pub fn new(board: &Board, payload: Payload, polling: Polling) -> Self {
        let options = Options { payload, seed: 1, polling };
        let drive = Drive::new(board, options, PlainHost::new()).expect("a suitable board");
        Bench { drive, started: false }
    }

    /// A host whose memory is empty, for a drive of one's own.
    pub fn host() -> PlainHost {
        PlainHost::new()
    }

    /// A second drive and host in the state of these; none if the drive is in an image.
    pub fn try_clone(&self) -> Option<Self> {
        Some(Bench { drive: self.drive.try_clone()?, started: self.started })
    }
}

impl<F: Software<Unobserved>> Bench<F> {
    /// The same of a drive that runs this firmware.
    ///
    /// # Panics
    /// If the board is not suitable.
    pub fn running(board: &Board, payload: Payload, polling: Polling) -> Self {
        let options = Options { payload, seed: 1, polling };
        let ends = (PlainHost::new(), Unobserved);
        let drive = Drive::observed(board, options, ends).expect("a suitable board");
        Bench { drive, started: false }
    }

    /// A capacitor is good for one chip that hangs when the power goes away: where more do, lets the drive reset them.
    pub fn let_chips_go(&mut self, board: &Board) {
        let is_protected = board.firmware.reserve.is_some();
        while is_protected && self.drive.hung_chips() > 1 {
            let due = self.drive.now() + A_WHILE_PS;
            if self.drive.run_to(due, |_| false) == Stopped::Quiet {
                return;
            }
        }
    }

    /// Cuts the power, and powers a drive on that has the same chips.
    pub fn cut_power(self, setup: (&Board, Payload)) -> Self {
        self.shelve(setup, 0)
    }

    /// Cuts the power, and powers a drive on so many hours later that has the same chips.
    pub fn shelve(self, setup: (&Board, Payload), hours: u64) -> Self {
        let (board, payload) = setup;
        let (mut chips, host, _) = self.drive.cut_power();
        chips.rest(hours);
        let options = Options { payload, seed: 1, polling: Polling::Skip };
        let mut host = PlainHost::of(host.memory.0);
        host.start_rings();
        let ends = (host, Unobserved);
        let drive = Drive::powered(board, (options, chips), ends).expect("a suitable board");
        Bench { drive, started: false }
    }

    /// Brings the controller up after power came back; returns how long the drive took to be ready, in
    /// picoseconds.
    pub fn wait_until_ready(&mut self) -> u64 {
        self.enable();
        let mut step = 1 << 20;
        while self.drive.registers(|_, registers| registers.read32(offset::CSTS)) & 1 == 0 {
            let due = self.drive.now() + step;
            self.drive.run_to(due, |_| false);
            step = 1 << 30;
        }
        self.drive.now()
    }

    /// Lets a time pass, whether there is something to do or not.
    pub fn sleep(&mut self, ps: u64) {
        let due = self.drive.now() + ps;
        self.drive.host_mut().alarm = due;
        self.drive.wake_host();
        self.drive.run_to(due, |_| false);
    }

    /// Enables the controller.
    pub fn enable(&mut self) {
        self.drive.registers(|_, registers| {
            let sizes = AdminQueueAttributes { submission: ENTRIES, completion: ENTRIES };
            registers.write32(offset::AQA, sizes.emit());
            registers.write64(offset::ASQ, 0x1000);
            registers.write64(offset::ACQ, 0x4000);
            registers.write32(offset::CC, ControllerConfiguration::started(0).0);
        });
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
        host.start_rings();
        self.started = false;
        self.start_once();
    }

    /// Brings the controller up, if it is not.
    pub fn start_once(&mut self) {
        if std::mem::replace(&mut self.started, true) {
            return;
        }
        self.enable();
        self.drive.run(|_| false);
        let ready = self.drive.registers(|_, registers| registers.read32(offset::CSTS));
        assert_eq!(ready, 1, "CSTS after CC.EN");
        // CAP.MQES counts from 0.
        let most = self.drive.registers(|_, registers| registers.read64(offset::CAP)) as u16;
        let entries = ENTRIES.min(u32::from(most) + 1);
        self.create_pair(1, (entries, entries));
    }

    /// Creates an I/O queue pair of so many submission and completion entries, with a vector of its own.
    pub fn create_pair(&mut self, id: u16, entries: (u32, u32)) {
        self.drive.host_mut().start_ring(usize::from(id), entries);
        let Ring { submission, completion, .. } = self.drive.host().rings[usize::from(id)];
        let create = CreateCompletionQueue { id, entries: entries.1, vector: Some(id) };
        self.admin(AdminCommand::CreateCompletionQueue(create), completion);
        let create = CreateSubmissionQueue {
            id,
            entries: entries.0,
            completion_queue: id,
            priority: Priority::Urgent,
        };
        self.admin(AdminCommand::CreateSubmissionQueue(create), submission);
    }

    /// Deletes an I/O queue pair, whatever is under way in it. Its completions are then in its queue.
    pub fn delete_pair(&mut self, id: u16) {
        self.drive.host_mut().rings[usize::from(id)].live = false;
        self.admin(AdminCommand::DeleteSubmissionQueue { id }, 0);
        self.admin(AdminCommand::DeleteCompletionQueue { id }, 0);
    }

    /// Says whether the host takes completions from a queue; if it does, it looks at once.
    pub fn serve(&mut self, queue: usize, served: Served) {
        let now = self.drive.now();
        self.drive.registers(|host, registers| {
            host.rings[queue].served = served == Served::Yes;
            host.reap(now, queue, registers);
        });
    }

    /// Runs an admin command to its end, which must be success.
    pub fn admin(&mut self, command: AdminCommand, prp1: u64) -> CompletionEntry {
        self.admin_for((command, 0), prp1)
    }

    /// Runs an admin command for a namespace to its end, which must be success.
    pub fn admin_for(
        &mut self,
        (command, nsid): (AdminCommand, u32),
        prp1: u64,
    ) -> CompletionEntry {
        let header = Header { cid: 7, nsid, data: DataPointer { prp1, prp2: 0 } };
        self.submit(0, &[command.emit(header)]);
        let of_admin = |(_, entry): &(u64, CompletionEntry)| entry.submission_queue == 0;
        self.drive.run(|host| host.seen.iter().any(of_admin));
        let seen = &mut self.drive.host_mut().seen;
        let at = seen.iter().position(of_admin).expect("a completion");
        let (_, entry) = seen.remove(at).expect("it is there");
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
    pub fn data(&mut self, blocks: usize) -> Header {
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

    /// Writes to a doorbell, counted from the submission queue's of the admin queue on.
    pub fn ring(&mut self, doorbell: u16, value: u32) {
        let at = Doorbell::SubmissionTail(0).offset(0) + 4 * u64::from(doorbell);
        self.drive.registers(|_, registers| registers.write32(at, value));
    }

    /// Runs I/O commands to their end and returns their completions in the order seen.
    pub fn io(&mut self, commands: &[Entry]) -> Vec<(u64, CompletionEntry)> {
        self.submit(1, commands);
        let due = self.drive.now() + PATIENCE_PS * commands.len() as u64;
        let stopped = self.drive.run_to(due, |host| host.seen.len() == commands.len());
        assert_ne!(stopped, Stopped::Due, "commands take more than 4 s each");
        assert_eq!(stopped, Stopped::Host, "the drive forgot a command");
        self.drive.host_mut().seen.drain(..).collect()
    }
}
