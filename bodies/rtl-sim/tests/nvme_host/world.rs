//! A host with queues on a drive.

use crate::nvme_host::buffers::{Buffer, Pages, Shape};
use host::{queues_memory_bytes, Driver, Identity, Memory, QueuePair, QueueRequest, NAMESPACE};
use nvme::admin::{AdminCommand, Priority};
use nvme::command::{Entry, Header};
use nvme::completion::CompletionEntry;
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::register::{offset, ControllerStatus, Doorbell};
use nvme::status::Status;
use rtl_sim::nvme::{CardDevice, Mode, NvmeDevice, Surroundings};
use rtl_sim::Random;

pub const BOTH: [Mode; 2] = [Mode::Firmware, Mode::Automated];

/// Pages that buffers are made of.
const PAGES: u64 = 1024;

/// Longest wait, in cycles.
const PATIENCE: u64 = 400_000;

/// The clock's period.
const CYCLE_PS: u64 = rtl_sim::nvme::CYCLE_PS;

pub struct World<D = NvmeDevice> {
    pub device: D,
    pub driver: Driver,
    pub identity: Identity,
    pub queues: Vec<QueuePair>,
    pub pages: Pages,
    pub random: Random,
    next_cid: u16,
}

impl World {
    /// A drive that is ready.
    pub fn new(mode: Mode, around: Surroundings, random: &mut Random) -> Self {
        Self::of(NvmeDevice::new(mode, around, random), random)
    }

    /// The same with everything prompt, and a queue pair of 16 entries.
    pub fn prompt(mode: Mode) -> Self {
        let mut world = Self::new(mode, Surroundings::prompt(), &mut Random::new(1));
        world.create_queue(16);
        world
    }

    /// The same with everything as it comes.
    pub fn any(mode: Mode, random: &mut Random) -> Self {
        let around = Surroundings::any(random);
        let mut world = Self::new(mode, around, random);
        world.create_queue(16);
        world
    }
}

impl<D: CardDevice> World<D> {
    /// A host before a drive, which is ready then.
    pub fn of(mut device: D, random: &mut Random) -> Self {
        let mut driver = Driver::start(&mut device).expect("it starts");
        let identity = driver.identify(&mut device).expect("it says what it is");
        device.memory().reserve(PAGES * crate::nvme_host::buffers::PAGE);
        let pages = Pages::new(PAGES, device.memory(), random);
        let random = random.split();
        Self { device, driver, identity, queues: Vec::new(), pages, random, next_cid: 0 }
    }

    pub fn memory(&mut self) -> &mut Memory {
        self.device.memory()
    }

    /// Creates the next queue pair.
    pub fn create_queue(&mut self, entries: u32) {
        let id = self.queues.len() as u16 + 1;
        self.memory().reserve(queues_memory_bytes(1, entries));
        let request = QueueRequest { id, entries, vector: id, priority: Priority::Medium };
        let pair = self.driver.create_queue(&mut self.device, request);
        self.queues.push(pair.expect("a queue pair is created"));
    }

    /// Resets the controller, brings it up again, and makes a queue pair.
    pub fn restart(&mut self) {
        self.driver = Driver::start(&mut self.device).expect("it starts again");
        self.queues.clear();
        self.create_queue(16);
    }

    pub fn status(&mut self) -> ControllerStatus {
        ControllerStatus::parse(self.device.read32(offset::CSTS))
    }

    /// Lets time go by until all is quiet.
    pub fn settle(&mut self) {
        self.device.settle(PATIENCE * CYCLE_PS);
    }

    /// Goes on until something is so.
    pub fn until(&mut self, what: &str, mut done: impl FnMut(&mut Self) -> bool) {
        let start = self.device.card().cycles();
        while !done(self) {
            self.device.turn();
            assert!(self.device.card().cycles() - start < PATIENCE, "stuck: {what}");
        }
    }

    // -- commands --

    /// A buffer of any shape.
    pub fn buffer(&mut self, length: u64) -> Buffer {
        let shape = Shape::any(&mut self.random, length);
        self.pages.buffer(shape, self.device.memory())
    }

    /// The header of a command for a buffer.
    pub fn header(&mut self, buffer: &Buffer) -> Header {
        Header { data: buffer.pointer, ..self.bare_header() }
    }

    /// The header of a command without data.
    pub fn bare_header(&mut self) -> Header {
        self.next_cid = self.next_cid.wrapping_add(1);
        Header { cid: self.next_cid, nsid: NAMESPACE, ..Header::default() }
    }

    /// Hands a command to a queue, and does not wait.
    pub fn push(&mut self, queue: usize, entry: &Entry) {
        self.queues[queue].push(self.device.memory(), entry);
        let ring = self.queues[queue].ring_tail();
        self.device.card().bar.write(ring.offset, ring.value);
    }

    /// Takes the next completion of a queue.
    pub fn pop(&mut self, queue: usize) -> Option<CompletionEntry> {
        let completion = self.queues[queue].pop(self.device.memory())?;
        let ring = self.queues[queue].ring_head();
        self.device.card().bar.write(ring.offset, ring.value);
        Some(completion)
    }

    /// Runs a command on the first queue and waits for its end.
    pub fn io(&mut self, entry: &Entry) -> Status {
        self.push(0, entry);
        let mut completion = None;
        self.until("a completion", |world| {
            completion = world.pop(0);
            completion.is_some()
        });
        let completion = completion.expect("it is there");
        assert_eq!(completion.cid, entry.cid(), "{completion:?}");
        completion.status
    }

    /// Writes blocks and reads them back, with a flush between.
    pub fn works(&mut self) {
        for (start, blocks) in [(0, 1), (77, 24), (self.identity.blocks - 8, 8)] {
            let length = u64::from(blocks) * u64::from(self.identity.block_bytes);
            let range = BlockRange { start, blocks };
            let bytes = self.random.bytes(length as usize);
            let [from, to] = [(); 2].map(|()| self.buffer(length));
            from.fill(self.device.memory(), &bytes);
            let header = self.header(&from);
            let write = IoCommand::Write(range, UnitAccess::Normal).emit(header);
            let flush = IoCommand::Flush.emit(self.bare_header());
            let header = self.header(&to);
            let read = IoCommand::Read(range, UnitAccess::Normal).emit(header);
            for entry in [write, flush, read] {
                let status = self.io(&entry);
                assert!(status.is_success(), "{entry:x?}: {status}");
            }
            assert!(to.bytes(self.device.memory()) == bytes, "blocks from {start} differ");
            [from, to].into_iter().for_each(|buffer| self.pages.release(buffer));
        }
        assert_eq!(self.device.interface().dropped(), 0, "the firmware lost something");
    }

    // -- admin --

    /// Sends an admin command and does not wait; its identifier.
    pub fn send(&mut self, command: AdminCommand) -> u16 {
        self.driver.send(&mut self.device, command, Header::default())
    }

    /// Waits for the next completion of an admin command.
    pub fn receive(&mut self) -> CompletionEntry {
        let mut completion = None;
        self.until("a completion of the admin queue", |world| {
            completion = world.driver.receive(&mut world.device);
            completion.is_some()
        });
        completion.expect("it is there")
    }

    /// Rings any doorbell and waits for the write.
    pub fn ring(&mut self, doorbell: Doorbell, value: u32) {
        let stride = self.driver.capabilities().doorbell_stride;
        self.device.write32(doorbell.offset(stride), value);
    }

    /// All of host memory.
    pub fn snapshot(&mut self) -> Snapshot {
        let memory = self.memory();
        let addresses = memory.addresses();
        let length = (addresses.end - addresses.start) as usize;
        Snapshot { start: addresses.start, bytes: memory.at(addresses.start, length).to_vec() }
    }
}

/// Host memory as it was.
pub struct Snapshot {
    start: u64,
    bytes: Vec<u8>,
}

impl Snapshot {
    /// Nothing has changed since, but in these places.
    pub fn assert_kept<D: CardDevice>(&self, world: &mut World<D>, but: &[(u64, u64)]) {
        let now = world.memory().at(self.start, self.bytes.len());
        let changed = now.iter().zip(&self.bytes).enumerate().filter(|(_, (now, was))| now != was);
        for (nth, _) in changed {
            let at = self.start + nth as u64;
            let is_allowed = but.iter().any(|&(from, length)| (from..from + length).contains(&at));
            assert!(is_allowed, "a stray write at {at:#x}");
        }
    }
}
