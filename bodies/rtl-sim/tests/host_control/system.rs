//! A controller between a host and a processor.

use crate::host_control::bar::{Access, Bar};
use crate::host_control::memory::HostMemory;
use crate::host_control::processor::{Event, Io, Processor, Queue};
use nvme::command::Entry;
use nvme::completion::CompletionEntry;
use nvme::register::{offset, AdminQueueAttributes, ControllerConfiguration, Doorbell};
use rtl_sim::{tops, Agent, Bench, Random};
use std::collections::VecDeque;

/// Parameters of the top.
pub const QUEUES: u64 = 5;
pub const TAGS: u64 = 32;
pub const TICK_CYCLES: u64 = 64;
/// The MSI-X table and its pending bits in BAR 0.
pub const MSIX_TABLE: u64 = 0x2000;
pub const MSIX_PENDING: u64 = 0x3000;
/// Host addresses: rings of 64 KiB each, and where messages go.
const RINGS: u64 = 0x12_3456_0000_0000;
const RING_BYTES: u64 = 0x1_0000;
pub const MESSAGES: u64 = 0xf000_0000_0000_0000;

/// Size of the namespace, and most blocks with data that the hardware moves.
pub const BLOCKS: u64 = 1 << 20;
pub const TRANSFER_BLOCKS: u64 = 256;

/// Longest wait for anything.
const PATIENCE: u64 = 40_000;

/// A queue pair as the host keeps it.
#[derive(Clone, Debug)]
pub struct Pair {
    pub id: u16,
    /// Places of the submission queue, and of the completion queue.
    pub entries: u64,
    pub completions: u64,
    pub tail: u64,
    pub head: u64,
    pub phase: bool,
}

/// All of it.
pub struct System {
    pub bench: Bench,
    pub bar: Bar,
    pub memory: HostMemory,
    pub processor: Processor,
    pub events: VecDeque<Event>,
    pub io: VecDeque<Io>,
}

/// Where the rings of a queue are.
pub fn submission_ring(id: u16) -> u64 {
    RINGS + 2 * u64::from(id) * RING_BYTES
}

pub fn completion_ring(id: u16) -> u64 {
    submission_ring(id) + RING_BYTES
}

impl System {
    pub fn new(random: &mut Random) -> Self {
        let mut bench = Bench::new(&tops::HOST_CONTROLLER);
        let bar = Bar::new(bench.model(), random);
        let memory = HostMemory::new(bench.model(), MESSAGES, random);
        let processor = Processor::new(bench.model(), random);
        for name in ["dma_quiet_i", "msix_enable_i"] {
            let port = bench.input(name);
            bench.set(port, 1);
        }
        let mut system =
            Self { bench, bar, memory, processor, events: VecDeque::new(), io: VecDeque::new() };
        system.map_rings();
        system
    }

    pub fn map_rings(&mut self) {
        self.memory.map(RINGS, 2 * QUEUES * RING_BYTES);
    }

    pub fn cycle(&mut self) {
        let mut agents: Vec<&mut dyn Agent> = vec![&mut self.bar, &mut self.memory];
        agents.extend(self.processor.agents());
        self.bench.cycle(&mut agents);
        self.events.extend(self.processor.take_events());
        self.io.extend(self.processor.take_io());
    }

    pub fn cycles(&mut self, count: u64) {
        (0..count).for_each(|_| self.cycle());
    }

    /// Goes on until something is so.
    pub fn until(&mut self, what: &str, mut done: impl FnMut(&mut Self) -> bool) {
        let start = self.bench.cycles();
        while !done(self) {
            self.cycle();
            assert!(self.bench.cycles() - start < PATIENCE, "stuck: {what}");
        }
    }

    /// Drives inputs for one cycle, the first of them a pulse.
    pub fn pulse(&mut self, name: &str, values: &[(&str, u64)]) {
        for &(name, value) in values {
            let port = self.bench.input(name);
            self.bench.set(port, value);
        }
        let port = self.bench.input(name);
        self.bench.set(port, 1);
        self.cycle();
        self.bench.set(port, 0);
    }

    pub fn set(&mut self, name: &str, value: u64) {
        let port = self.bench.input(name);
        self.bench.set(port, value);
    }

    /// An output as it is.
    pub fn get(&mut self, name: &str) -> u64 {
        let port = self.bench.output(name);
        self.bench.get(port)
    }

    /// Lets the hardware run what it can, in a namespace of `BLOCKS`.
    pub fn automate(&mut self) {
        self.set("blocks_i", BLOCKS);
        self.set("transfer_blocks_i", TRANSFER_BLOCKS);
        self.set("automated_i", 1);
    }

    // -- the host --

    pub fn write(&mut self, address: u64, dwords: &[u32]) {
        self.bar.push(Access::Write(address, dwords.to_vec()));
        self.until("a write of the BAR", |system| system.bar.is_idle());
    }

    pub fn read(&mut self, address: u64, dwords: usize) -> Vec<u32> {
        self.until("accesses of the BAR", |system| system.bar.is_idle());
        self.bar.push(Access::Read(address, dwords));
        self.until("a read of the BAR", |system| system.bar.is_idle());
        self.bar.take().expect("a read was done")
    }

    pub fn read32(&mut self, address: u64) -> u32 {
        self.read(address, 1)[0]
    }

    pub fn ring(&mut self, doorbell: Doorbell, value: u32) {
        self.write(doorbell.offset(0), &[value]);
    }

    /// Writes the admin queue registers and CC.
    pub fn start(&mut self, entries: u32, arbitration: u8) {
        let sizes = AdminQueueAttributes { submission: entries, completion: entries };
        let (submission, completion) = (submission_ring(0), completion_ring(0));
        self.write(offset::AQA, &[sizes.emit()]);
        self.write(offset::ASQ, &[submission as u32, (submission >> 32) as u32]);
        self.write(offset::ACQ, &[completion as u32, (completion >> 32) as u32]);
        self.write(offset::CC, &[ControllerConfiguration::started(arbitration).0]);
    }

    /// Brings the controller up, with an admin queue pair of so many entries.
    pub fn bring_up(&mut self, entries: u32, arbitration: u8) -> Pair {
        self.start(entries, arbitration);
        self.expect(Event::Enable);
        self.set_ready(1);
        self.until("CSTS.RDY", |system| system.read32(offset::CSTS) & 1 == 1);
        let entries = u64::from(entries);
        Pair { id: 0, entries, completions: entries, tail: 0, head: 0, phase: true }
    }

    /// Creates an I/O queue pair, whose queues are of one size.
    pub fn create_pair(&mut self, id: u16, entries: u64, class: u64) -> Pair {
        self.create_queues(id, [entries, entries], class)
    }

    /// Creates an I/O queue pair of so many submission and completion queue entries.
    pub fn create_queues(&mut self, id: u16, sizes: [u64; 2], class: u64) -> Pair {
        let [entries, completions] = sizes;
        let id64 = u64::from(id);
        let queue = |entries, base, choice| Queue { id: id64, entries, base, other: id64, choice };
        self.processor.create_completion_queue(queue(completions, completion_ring(id), 1));
        self.processor.create_submission_queue(queue(entries, submission_ring(id), class));
        self.settle();
        for entry in 0..completions {
            assert!(self.memory.put(completion_ring(id) + 16 * entry, &[0; 16]));
        }
        Pair { id, entries, completions, tail: 0, head: 0, phase: true }
    }

    /// Puts an entry at the tail of a queue, without ringing.
    pub fn push(&mut self, pair: &mut Pair, entry: &Entry) {
        let at = submission_ring(pair.id) + 64 * pair.tail;
        assert!(self.memory.put(at, &entry.to_bytes()), "the host has its ring");
        pair.tail = (pair.tail + 1) % pair.entries;
    }

    pub fn ring_tail(&mut self, pair: &Pair) {
        self.ring(Doorbell::SubmissionTail(pair.id), pair.tail as u32);
    }

    pub fn ring_head(&mut self, pair: &Pair) {
        self.ring(Doorbell::CompletionHead(pair.id), pair.head as u32);
    }

    /// Takes the next completion of a queue, without ringing.
    pub fn pop(&mut self, pair: &mut Pair) -> Option<CompletionEntry> {
        let at = completion_ring(pair.id) + 16 * pair.head;
        let bytes = self.memory.at(at, 16)?.try_into().expect("16 bytes");
        let entry = CompletionEntry::parse(&bytes);
        if (entry.phase == nvme::completion::Phase::One) != pair.phase {
            return None;
        }
        pair.head = (pair.head + 1) % pair.completions;
        pair.phase ^= pair.head == 0;
        Some(entry)
    }

    // -- the processor --

    pub fn set_ready(&mut self, ready: u64) {
        self.pulse("ready_valid_i", &[("ready_i", ready)]);
    }

    /// The next event is this one.
    pub fn expect(&mut self, event: Event) {
        self.until("an event", |system| !system.events.is_empty());
        assert_eq!(self.events.pop_front(), Some(event));
    }

    /// The next event is a command; its tag and queue.
    pub fn command(&mut self) -> (u64, u64) {
        self.until("a command", |system| !system.events.is_empty());
        match self.events.pop_front() {
            Some(Event::Command { tag, queue }) => (tag, queue),
            event => panic!("{event:?}, expected a command"),
        }
    }

    /// Reads a command's entry out of the store.
    pub fn entry(&mut self, tag: u64) -> Entry {
        let mut dwords = [0; 16];
        for half in 0..2 {
            self.set("store_valid_i", 1);
            self.set("store_tag_i", tag);
            self.set("store_half_i", half);
            let ready = self.bench.output("store_ready_o");
            self.until("the store", |system| system.bench.get(ready) == 1);
            self.cycle();
            self.set("store_valid_i", 0);
            for word in 0..4 {
                let port = self.bench.output("store_data_o").lane(word, 4);
                let value = self.bench.get(port);
                let at = half as usize * 8 + word as usize * 2;
                (dwords[at], dwords[at + 1]) = (value as u32, (value >> 32) as u32);
            }
        }
        Entry(dwords)
    }

    pub fn unread(&mut self, queue: u64) -> u64 {
        self.set("unread_queue_i", queue);
        self.get("unread_count_o")
    }

    /// Commands of a queue that the hardware runs.
    pub fn running(&mut self, queue: u64) -> u64 {
        self.set("unread_queue_i", queue);
        self.get("running_count_o")
    }

    /// Lets what was given take effect.
    pub fn settle(&mut self) {
        self.until("the processor", |system| system.processor.is_idle());
        self.cycles(30);
    }
}
