//! A host with queues in front of the hardware that runs its commands by itself.

use ::host::{queues_memory_bytes, BufferShape, Buffers, Memory, QueuePair, QueueShape, NAMESPACE};
use contract::{CompletionQueue, HostEvent, SubmissionQueue};
use nvme::command::{Entry, Header};
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::register::{offset, AdminQueueAttributes, ControllerConfiguration};
use rtl_sim::axi::{Behaviour, Link};
use rtl_sim::nvme::{Automation, Card, Interface, Surroundings};
use rtl_sim::{Random, Top};

const BLOCK: u64 = 512;
const ADMIN_ENTRIES: u32 = 2;
/// Entries of a ring for commands that wait in it: those, the one that stays free, and as many whose
/// heads the host has yet to tell.
const ENTRIES_OF_COMMAND: u32 = 2;
/// Where the MSI-X table is in BAR 0.
const MSIX_TABLE: u64 = 0x2000;
/// Bytes of the drive's memory: sequential commands come back to their start here.
const NAMESPACE_BYTES: u64 = 16 << 20;
/// Longest time without a completion, in cycles.
const PATIENCE: u64 = 100_000;

/// What commands do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Read,
    Write,
    Flush,
}

/// Where they do it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Each queue goes through its own part.
    Sequential,
    Random,
}

/// Commands of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    pub kind: Kind,
    pub bytes: u64,
    pub pattern: Pattern,
    /// Queue pairs, each with a thread of its own.
    pub queues: u16,
    /// Commands of a queue under way.
    pub depth: u32,
}

/// A controller and its link.
pub struct Setting {
    pub top: &'static Top,
    /// Width of its buses.
    pub bits: u32,
    /// The link, or nothing between host and controller.
    pub link: Option<Link>,
}

/// What was counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Count {
    pub cycles: u64,
    pub commands: u64,
}

struct Queue {
    pair: QueuePair,
    /// Next block of a sequential load.
    next: u64,
    is_tail_due: bool,
    is_head_due: bool,
}

/// A host and its drive.
pub struct Rig {
    interface: Interface,
    load: Load,
    queues: Vec<Queue>,
    buffers: Buffers,
    random: Random,
    /// Queue whose doorbells come next.
    turn: usize,
}

impl Rig {
    /// A drive that is ready, with empty queues.
    ///
    /// # Errors
    /// With a line, if it does not become so.
    pub fn new(setting: Setting, load: Load) -> Result<Self, String> {
        let mut random = Random::new(1);
        let host = setting.link.map_or_else(Behaviour::prompt, Behaviour::linked);
        let around = Surroundings { host, ..Surroundings::prompt() };
        let card = Card::new(setting.top, setting.bits, around, &mut random);
        let mut interface = Interface::new(card);
        interface.bus.map_memory(NAMESPACE_BYTES);
        interface.automate(Automation {
            blocks: NAMESPACE_BYTES / BLOCK,
            transfer_blocks: (load.bytes / BLOCK) as u32,
            block_bytes: BLOCK as u32,
            base: 0,
        });
        let shape = BufferShape {
            slots: u32::from(load.queues) * load.depth,
            bytes: load.bytes,
            stretch_bytes: load.bytes.next_power_of_two().max(::host::PAGE_BYTES),
        };
        let entries = load.depth * ENTRIES_OF_COMMAND + 1;
        let memory = interface.bus.host.memory_mut();
        let rings =
            queues_memory_bytes(load.queues, entries) + queues_memory_bytes(1, ADMIN_ENTRIES);
        memory.reserve(rings + shape.memory_bytes() as u64 + ::host::PAGE_BYTES);
        let buffers = Buffers::new(shape, memory);
        let mut rig = Self { interface, load, queues: Vec::new(), buffers, random, turn: 0 };
        rig.enable()?;
        (1..=load.queues).for_each(|id| rig.create_queue(id, entries));
        Ok(rig)
    }

    fn memory(&mut self) -> &mut Memory {
        self.interface.bus.host.memory_mut()
    }

    /// What driver and firmware do on the way to CSTS.RDY.
    fn enable(&mut self) -> Result<(), String> {
        let shape = QueueShape { id: 0, entries: ADMIN_ENTRIES, stride: 0 };
        let admin = QueuePair::new(shape, self.memory());
        let messages = self.memory().allocate(::host::PAGE_BYTES);
        let sizes = AdminQueueAttributes { submission: ADMIN_ENTRIES, completion: ADMIN_ENTRIES };
        let card = &mut self.interface.bus;
        card.write_bar(offset::AQA, sizes.emit());
        for (at, address) in
            [(offset::ASQ, admin.submission_address()), (offset::ACQ, admin.completion_address())]
        {
            card.write_bar(at, address as u32);
            card.write_bar(at + 4, (address >> 32) as u32);
        }
        for vector in 0..=self.load.queues {
            let words = [messages as u32, (messages >> 32) as u32, vector.into(), 0];
            for (at, word) in (MSIX_TABLE + 16 * u64::from(vector)..).step_by(4).zip(words) {
                card.write_bar(at, word);
            }
        }
        card.write_bar(offset::CC, ControllerConfiguration::started(0).0);
        match self.interface.event() {
            HostEvent::Enable => self.interface.set_ready(true),
            event => return Err(format!("found the event {event:?}, expected Enable")),
        }
        Ok(())
    }

    fn create_queue(&mut self, id: u16, entries: u32) {
        let shape = QueueShape { id, entries, stride: 0 };
        let pair = QueuePair::new(shape, self.memory());
        let vector = Some(id);
        let base = pair.completion_address();
        self.interface.create_completion_queue(CompletionQueue { id, entries, base, vector });
        let base = pair.submission_address();
        let queue = SubmissionQueue { id, entries, base, completion_queue: id, priority: 0 };
        self.interface.create_submission_queue(queue);
        let share = NAMESPACE_BYTES / BLOCK / u64::from(self.load.queues);
        let next = u64::from(id - 1) * share / self.blocks() * self.blocks();
        self.queues.push(Queue { pair, next, is_tail_due: false, is_head_due: false });
    }

    fn blocks(&self) -> u64 {
        self.load.bytes / BLOCK
    }

    fn entry(&mut self, queue: usize, slot: u16) -> Entry {
        let blocks = self.blocks();
        let commands = NAMESPACE_BYTES / self.load.bytes;
        let start = match self.load.pattern {
            Pattern::Random => self.random.below(commands) * blocks,
            Pattern::Sequential => {
                let next = &mut self.queues[queue].next;
                let start = *next;
                *next = (start + blocks) % (commands * blocks);
                start
            }
        };
        let range = BlockRange { start, blocks: blocks as u32 };
        let place = queue as u32 * self.load.depth + u32::from(slot);
        let data = self.buffers.pointer(place, 0, self.load.bytes);
        let header = Header { cid: slot, nsid: NAMESPACE, data };
        let command = match self.load.kind {
            Kind::Read => IoCommand::Read(range, UnitAccess::Normal),
            Kind::Write => IoCommand::Write(range, UnitAccess::Normal),
            Kind::Flush => IoCommand::Flush,
        };
        command.emit(header)
    }

    fn submit(&mut self, queue: usize, slot: u16) {
        let entry = self.entry(queue, slot);
        let Queue { pair, is_tail_due, .. } = &mut self.queues[queue];
        pair.push(self.interface.bus.host.memory_mut(), &entry);
        *is_tail_due = true;
    }

    /// Takes completions and sends a command for each.
    fn turn_around(&mut self) -> Result<u64, String> {
        let mut done = 0;
        for queue in 0..self.queues.len() {
            while let Some(completion) =
                self.queues[queue].pair.pop(self.interface.bus.host.memory())
            {
                if !completion.status.is_success() {
                    return Err(format!("found {}, expected success", completion.status));
                }
                done += 1;
                self.queues[queue].is_head_due = true;
                self.submit(queue, completion.cid);
            }
        }
        Ok(done)
    }

    /// Rings the doorbells of the next queue that has any due, when the last ones were taken.
    fn ring(&mut self) {
        let bar = &mut self.interface.bus.bar;
        if !bar.is_idle() {
            return;
        }
        let count = self.queues.len();
        let due = |queue: &Queue| queue.is_tail_due || queue.is_head_due;
        let order = (0..count).map(|nth| (self.turn + nth) % count);
        let Some(found) = order.into_iter().find(|&nth| due(&self.queues[nth])) else { return };
        let queue = &mut self.queues[found];
        if std::mem::take(&mut queue.is_tail_due) {
            let ring = queue.pair.ring_tail();
            bar.write(ring.offset, ring.value);
        }
        if std::mem::take(&mut queue.is_head_due) {
            let ring = queue.pair.ring_head();
            bar.write(ring.offset, ring.value);
        }
        self.turn = (found + 1) % count;
    }

    /// Fills the queues.
    pub fn fill(&mut self) {
        for queue in 0..self.queues.len() {
            (0..self.load.depth).for_each(|slot| self.submit(queue, slot as u16));
        }
    }

    /// Goes on until so many commands completed; what that took.
    ///
    /// # Errors
    /// With a line, if a command fails or none completes.
    pub fn advance(&mut self, commands: u64) -> Result<Count, String> {
        let start = self.interface.bus.cycles();
        let (mut done, mut last) = (0, start);
        while done < commands {
            let now = self.interface.bus.cycles();
            let completed = self.turn_around()?;
            done += completed;
            if completed > 0 {
                last = now;
            }
            if now - last > PATIENCE {
                return Err(format!("found no completion in {PATIENCE} cycles, expected one"));
            }
            self.ring();
            self.interface.bus.cycle();
        }
        Ok(Count { cycles: self.interface.bus.cycles() - start, commands: done })
    }

    /// Runs one command by itself; cycles from the doorbell's data to its completion in host memory.
    ///
    /// # Errors
    /// As [`Rig::advance`].
    pub fn single(&mut self) -> Result<u64, String> {
        let entry = self.entry(0, 0);
        let Self { interface, queues, .. } = self;
        let (card, pair) = (&mut interface.bus, &mut queues[0].pair);
        pair.push(card.host.memory_mut(), &entry);
        let ring = pair.ring_tail();
        card.bar.write(ring.offset, ring.value);
        let start = card.cycles();
        while card.cycles() - start < PATIENCE {
            card.cycle();
            if let Some(completion) = pair.pop(card.host.memory()) {
                if !completion.status.is_success() {
                    return Err(format!("found {}, expected success", completion.status));
                }
                let cycles = card.cycles() - card.bar.last_accepted();
                let ring = pair.ring_head();
                card.write_bar(ring.offset, ring.value);
                return Ok(cycles);
            }
        }
        Err(format!("found no completion in {PATIENCE} cycles, expected one"))
    }
}
