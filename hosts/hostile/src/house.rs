//! A small drive, a host that is told what to do, and what must hold in the end.

use std::sync::OnceLock;

use board::Board;
use contract::DoorbellBuffers;
use machine::{
    BusMaster, Host, Payload, Polling, Registers, Stamp, Stopped, Unobserved, Wake, NEVER,
};
use nvme::admin::{AdminCommand, CreateCompletionQueue, CreateSubmissionQueue, Priority};
use nvme::command::{DataPointer, Entry, Header, ENTRY_BYTES};
use nvme::completion::{self, CompletionEntry, Phase};
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::register::{offset, AdminQueueAttributes, ControllerConfiguration, Doorbell};
use nvme::status::Status;
use sim::{Drive, Options};

use crate::memory::{Gate, Memory, BASE, PAGE};
#[cfg(test)]
use crate::planted;
#[cfg(test)]
use machine::CommandTimes;

/// Turns of the main loop after which a drive that has not come to rest hangs.
const MOST_TURNS: u32 = 200_000;
/// Entries of each queue that the host makes; a page holds them.
pub const ENTRIES: u32 = 16;
/// Queue pairs that the host makes, the admin queue included. Pair `n` is in pages `2n` and `2n + 1`.
pub const PAIRS: u16 = 3;
/// Pages for lists, and for data.
pub const LIST: u64 = BASE + 8 * PAGE;
/// Where data of commands lie in host memory.
pub const DATA: u64 = BASE + 16 * PAGE;
/// Bytes of a logical block.
pub const BLOCK: u64 = 4096;

/// A host that does nothing by itself.
#[derive(Debug)]
pub struct Puppet {
    /// What the controller can reach.
    pub memory: Memory,
}

impl Host for Puppet {
    type Memory = Memory;

    fn memory(&mut self) -> &mut Memory {
        &mut self.memory
    }

    fn wake(&mut self, _now: u64, _wake: Wake, _registers: &mut Registers<'_>) -> u64 {
        #[cfg(test)]
        if let Some(next) = planted::next_interrupt(_now) {
            return next;
        }
        NEVER
    }

    #[cfg(test)]
    fn posted(&mut self, _queue: u16, _id: u16, _times: &CommandTimes) {
        planted::at_completion(&mut self.memory);
    }
}

/// A drive that a hostile host works, whichever body it has.
pub trait Body {
    /// The host's memory.
    fn memory(&mut self) -> &mut Memory;
    /// Reads a register.
    fn read32(&mut self, at: u64) -> u32;
    /// Writes a register. While CC.EN is 0 no memory may be touched.
    fn write32(&mut self, at: u64, value: u32);
    /// Writes Bus Master Enable. While it is 0 no memory may be touched either.
    fn set_bus_master(&mut self, master: BusMaster);
    /// Runs at most so many turns of the firmware's main loop.
    fn run(&mut self, turns: u32);
    /// Runs until nothing is left to do. False if that takes more than so many turns.
    fn settle(&mut self, most_turns: u32) -> bool;
    /// Looks at doorbells in memory, as a server does, and returns which doorbells rang with which values. A body whose server does not
    /// finds none.
    fn look_at_doorbells(&mut self) -> Vec<(u64, u32)> {
        Vec::new()
    }
    /// Asks for messages about doorbells in memory, as a server does.
    fn ask_for_doorbells(&mut self) {}
}

impl Body for Drive<Puppet> {
    fn memory(&mut self) -> &mut Memory {
        &mut self.host_mut().memory
    }

    fn read32(&mut self, at: u64) -> u32 {
        self.registers(|_, registers| registers.read32(at))
    }

    fn write32(&mut self, at: u64, value: u32) {
        #[cfg(test)]
        planted::at_write(&mut self.host_mut().memory, (at, value));
        self.registers(|host, registers| {
            registers.write32(at, value);
            if at == offset::CC {
                let on = ControllerConfiguration(value).enabled();
                host.memory.gate = if on { Gate::Open } else { Gate::Shut };
            }
        });
    }

    fn set_bus_master(&mut self, master: BusMaster) {
        self.registers(|host, registers| {
            registers.set_bus_master(master);
            host.memory.master = master;
        });
    }

    fn run(&mut self, turns: u32) {
        let mut left = turns;
        Drive::run(self, |_| {
            left = left.saturating_sub(1);
            left == 0
        });
    }

    fn settle(&mut self, most_turns: u32) -> bool {
        let mut turns = 0;
        let stopped = Drive::run(self, |_| {
            turns += 1;
            turns == most_turns
        });
        stopped == Stopped::Quiet
    }

    fn look_at_doorbells(&mut self) -> Vec<(u64, u32)> {
        let mut rung = Vec::new();
        Drive::look_at_doorbells(self, |at, value| rung.push((at, value)));
        rung
    }

    fn ask_for_doorbells(&mut self) {
        Drive::ask_for_doorbells(self);
    }
}

/// Where the host stands in a queue pair.
#[derive(Clone, Copy, Debug, Default)]
struct Ring {
    tail: u32,
    /// Completions taken.
    head: u32,
}

/// A drive and its host.
pub struct House<B = Drive<Puppet>> {
    /// The drive, with its host.
    pub drive: B,
    /// Commands that the host has put on queues.
    pub placed: u64,
    rings: [Ring; PAIRS as usize],
}

/// The board of every house: four dies, few blocks, a small data buffer, doorbells in memory.
pub fn board() -> &'static Board {
    static BOARD: OnceLock<Board> = OnceLock::new();
    BOARD.get_or_init(|| {
        let small = [
            ("geometry.blocks_per_way", "8"),
            ("geometry.page_bytes", "8192"),
            ("flash.pages_per_physical_block", "16"),
            ("flash.spare_bytes", "832"),
            ("ecc.correctable_bits", "5"),
            ("ftl.buffer_kib", "128"),
            ("nvme.command_slots", "32"),
            ("nvme.queue_entries", "64"),
            ("nvme.max_transfer_kib", "64"),
        ];
        let set = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
        let mut board = Board::resolve("small", &small.map(set)).expect("the board");
        board.firmware.doorbell_buffers = DoorbellBuffers::Offered;
        board
    })
}

impl House {
    /// A drive at power-on, with stamps for data, that is built for this house.
    pub fn built() -> Self {
        House::of(board(), Payload::Stamps { block_bytes: BLOCK as u32 })
    }

    fn of(board: &Board, payload: Payload) -> Self {
        let options = Options { payload, seed: 1, polling: Polling::Skip };
        let host = Puppet { memory: Memory::new() };
        let drive = Drive::new(board, options, host).expect("the board's flash holds stamps");
        House { drive, placed: 0, rings: Default::default() }
    }

    /// The same with a controller that is up, and all queue pairs.
    pub fn built_running() -> Self {
        let mut house = House::built();
        house.start();
        house
    }

    /// The same, with real bytes, all of which go over the link.
    pub fn built_with_bytes(board: &Board) -> Self {
        let firmware = &board.firmware;
        let block_bytes = firmware.block_formats[usize::from(firmware.block_format)];
        let mut house = House::of(board, Payload::Bytes { block_bytes, seed: 1 });
        house.start();
        house
    }

    /// A house in the state of this one, whose host has this memory.
    pub fn copied(&self, mut memory: Memory) -> Self {
        memory.become_copy(&self.drive.host().memory);
        let copy = self.drive.copied(Puppet { memory }, Unobserved);
        let drive = copy.expect("the chips are in memory");
        House { drive, placed: self.placed, rings: self.rings }
    }

    /// What is left of a house that nobody needs any more.
    pub fn into_memory(self) -> Memory {
        self.drive.into_host().memory
    }
}

impl<B: Body> House<B> {
    /// A house of a drive at power-on.
    pub fn around(drive: B) -> Self {
        House { drive, placed: 0, rings: Default::default() }
    }

    /// The host's memory.
    pub fn memory(&mut self) -> &mut Memory {
        self.drive.memory()
    }

    /// A register's value.
    pub fn register(&mut self, at: u64) -> u32 {
        self.drive.read32(at)
    }

    /// Writes a register.
    pub fn write(&mut self, at: u64, value: u32) {
        self.drive.write32(at, value);
    }

    /// Writes Bus Master Enable.
    pub fn set_bus_master(&mut self, master: BusMaster) {
        self.drive.set_bus_master(master);
    }

    /// Runs some turns of the main loop.
    pub fn run(&mut self, turns: u32) {
        self.drive.run(turns);
    }

    /// Runs until nothing is left to do.
    ///
    /// # Panics
    /// When that takes too long.
    pub fn settle(&mut self) {
        assert!(self.drive.settle(MOST_TURNS), "the drive does not come to rest");
    }

    /// Puts a command on a queue of the host's, without a doorbell.
    pub fn place(&mut self, queue: u16, entry: &Entry) {
        let ring = &mut self.rings[usize::from(queue)];
        let at = submission(queue) + u64::from(ring.tail) * ENTRY_BYTES as u64;
        ring.tail = (ring.tail + 1) % ENTRIES;
        self.placed += 1;
        self.memory().put(at, &entry.to_bytes());
    }

    /// Rings a queue's tail as it is.
    pub fn ring(&mut self, queue: u16) {
        let tail = self.rings[usize::from(queue)].tail;
        self.write(Doorbell::SubmissionTail(queue).offset(0), tail);
    }

    /// Takes completions of a queue and rings its head.
    pub fn reap(&mut self, queue: u16) -> Vec<CompletionEntry> {
        let mut found = Vec::new();
        loop {
            let head = self.rings[usize::from(queue)].head;
            let at = submission(queue) + PAGE;
            let at = at + u64::from(head % ENTRIES) * completion::ENTRY_BYTES as u64;
            let bytes = self.memory().at(at, completion::ENTRY_BYTES);
            let entry = CompletionEntry::parse(bytes.try_into().expect("16 bytes"));
            let expected = if head / ENTRIES % 2 == 0 { Phase::One } else { Phase::Zero };
            if entry.phase != expected || found.len() as u32 == ENTRIES {
                break;
            }
            self.rings[usize::from(queue)].head += 1;
            found.push(entry);
        }
        if !found.is_empty() {
            let head = self.rings[usize::from(queue)].head % ENTRIES;
            self.write(Doorbell::CompletionHead(queue).offset(0), head);
        }
        found
    }

    /// Runs one command to its end.
    ///
    /// # Panics
    /// When it is not the one that completes.
    pub fn finish(&mut self, queue: u16, entry: &Entry) -> Status {
        let [status] = self.finish_all(queue, [entry]);
        status
    }

    /// Runs commands with different identifiers, side by side, to their ends.
    ///
    /// # Panics
    /// When others complete.
    fn finish_all<const N: usize>(&mut self, queue: u16, entries: [&Entry; N]) -> [Status; N] {
        entries.iter().for_each(|entry| self.place(queue, entry));
        self.ring(queue);
        self.settle();
        let found = self.reap(queue);
        assert_eq!(found.len(), N, "completions of {N} commands");
        entries.map(|entry| {
            let done = found.iter().find(|done| done.cid == entry.cid());
            let done = done.expect("a completion of each command");
            assert_eq!(done.submission_queue, queue);
            done.status
        })
    }

    /// What must hold whatever the host did: a reset leads to a drive that works.
    pub fn assert_recovers(&mut self) {
        self.settle();
        self.set_bus_master(BusMaster::Enabled);
        self.write(offset::CC, 0);
        self.settle();
        assert_eq!(self.register(offset::CSTS) & 0b11, 0, "CSTS after CC.EN was cleared");
        self.start();
        let blocks = [(0, 7), (5, 8), (77, 9)].map(|(lba, version)| Stamp::new(lba, version));
        let page = |nth: u64| DATA + nth * PAGE;
        for (nth, stamp) in (0..).zip(blocks) {
            self.memory().put(page(nth), &stamp.to_bits().to_le_bytes());
        }
        self.move_blocks(blocks, IoCommand::Write);
        (0..).zip(blocks).for_each(|(nth, _)| self.memory().put(page(nth), &[0xee; 8]));
        self.move_blocks(blocks, IoCommand::Read);
        for (nth, stamp) in (0..).zip(blocks) {
            let expected = stamp.to_bits().to_le_bytes();
            assert_eq!(self.memory().at(page(nth), 8), expected, "what was written after a reset");
        }
    }

    /// Writes or reads the block of each stamp, to or from a page of its own.
    fn move_blocks(
        &mut self,
        blocks: [Stamp; 3],
        command: fn(BlockRange, UnitAccess) -> IoCommand,
    ) {
        let mut nth = 0;
        let entries = blocks.map(|stamp| {
            let range = BlockRange { start: stamp.lba(), blocks: 1 };
            let data = DataPointer { prp1: DATA + nth * PAGE, prp2: 0 };
            let header = Header { cid: nth as u16, nsid: 1, data };
            nth += 1;
            command(range, UnitAccess::Forced).emit(header)
        });
        for status in self.finish_all(1, entries.each_ref()) {
            assert!(status.is_success(), "after a reset: {status}");
        }
    }

    /// Brings a disabled controller up, with all queue pairs.
    pub fn start(&mut self) {
        self.memory().clear();
        self.rings = Default::default();
        let sizes = AdminQueueAttributes { submission: ENTRIES, completion: ENTRIES };
        self.write(offset::AQA, sizes.emit());
        for (at, address) in [(offset::ASQ, submission(0)), (offset::ACQ, submission(0) + PAGE)] {
            self.write(at, address as u32);
            self.write(at + 4, (address >> 32) as u32);
        }
        self.write(offset::CC, ControllerConfiguration::started(0).0);
        self.settle();
        assert_eq!(self.register(offset::CSTS), 1, "CSTS after CC.EN was set");
        // The admin queue is worked off in order: a completion queue is there before its submission queues.
        let [one, two] = [1, 2].map(create_pair);
        for status in self.finish_all(0, [&one[0], &two[0], &one[1], &two[1]]) {
            assert!(status.is_success(), "a queue is created: {status}");
        }
    }
}

/// The commands that create the completion queue and the submission queue of a pair.
fn create_pair(id: u16) -> [Entry; 2] {
    let (entries, priority) = (ENTRIES, Priority::Medium);
    let completion = CreateCompletionQueue { id, entries, vector: Some(id) };
    let submission_queue = CreateSubmissionQueue { id, entries, priority, completion_queue: id };
    let header =
        |nth: u16, prp1| Header { cid: 2 * id + nth, nsid: 0, data: DataPointer { prp1, prp2: 0 } };
    [
        AdminCommand::CreateCompletionQueue(completion).emit(header(0, submission(id) + PAGE)),
        AdminCommand::CreateSubmissionQueue(submission_queue).emit(header(1, submission(id))),
    ]
}

/// Where a submission queue of the host's begins; its completion queue is in the page behind.
pub fn submission(queue: u16) -> u64 {
    BASE + u64::from(queue) * 2 * PAGE
}
