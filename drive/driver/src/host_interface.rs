//! Registers of the host interface.

use ::registers::host as map;
use ::registers::{Field, Register};
use alloc::vec::Vec;
use contract::{
    Coalescing, CommandTag, Completion, CompletionQueue, DmaDirection, DmaProgress, HostCommand,
    HostEvent, InterruptCoalescing, QueueWeights, SubmissionQueue,
};

use crate::{get, packed, Bus};

/// Pages of host memory that registers name.
const PAGE_BITS: u32 = 12;

/// A request to the DMA engine, with the address of the drive's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DmaOrder {
    /// The command.
    pub tag: CommandTag,
    /// Which way.
    pub direction: DmaDirection,
    /// What of the command names the host's end.
    pub pointer: Pointer,
    /// Byte from the start of the command's data.
    pub host_offset: u32,
    /// Bytes to move.
    pub length: u32,
    /// Bytes of the command's whole data.
    pub command_length: u32,
    /// Byte of the drive's memory.
    pub address: u64,
}

/// What of a command names the host's end of a DMA request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointer {
    /// Its PRPs.
    Data = 0,
    /// Dwords 10 and 11, of a command that names a list of blocks.
    Blocks = 1,
    /// Dwords 14 and 15, of one that names a second list.
    Destinations = 2,
}

/// What the hardware has to know to run commands by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Automation {
    /// Logical blocks of the namespace.
    pub blocks: u64,
    /// Most logical blocks of a read or write.
    pub transfer_blocks: u32,
    /// Bytes of a logical block.
    pub block_bytes: u32,
    /// Where logical block 0 is in the drive's memory.
    pub base: u64,
}

/// Commands of a submission queue that were fetched and are not done, as far as the hardware has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueCommands {
    /// Commands that went neither to the firmware nor to the hardware that runs commands without it.
    pub unread: u32,
    /// Commands that the hardware runs by itself and has not completed.
    pub running: u32,
}

/// What the hardware ran by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AutomatedCounts {
    /// Number of reads.
    pub reads: u64,
    /// Number of writes.
    pub writes: u64,
    /// Sectors of 512 bytes that reads moved.
    pub sectors_read: u64,
    /// Sectors that writes moved.
    pub sectors_written: u64,
    /// Cycles with any command under way, flushes and write zeroes among them.
    pub busy_cycles: u64,
}

/// Counters of the interface, as they were captured together. Their meaning is that of
/// [`registers::host::monitors`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Monitors {
    /// Cycles since reset.
    pub cycles: u64,
    /// Commands that were fetched.
    pub fetched: u64,
    /// Commands that were completed.
    pub completed: u64,
    /// Reads and writes that the hardware ran, and the cycles with any command of its own under way.
    pub automated: AutomatedCounts,
    /// Doorbell writes for no queue, or with a value that the queue cannot have.
    pub wrong_doorbells: u64,
    /// Interrupt messages.
    pub messages: u64,
    /// Most commands under way at once.
    pub most_outstanding: u64,
    /// Commands by their cycles from fetch to completion.
    pub latency: Vec<u64>,
}

/// The registers of the host interface, and what the driver has to remember of DMA requests.
pub struct HostInterface<B> {
    /// The way to its registers.
    pub bus: B,
    /// DMA requests of each direction that were issued, and that have ended, free-running.
    issued: [u32; 2],
    ended: [u32; 2],
    /// Dword 1 of completions, as its register has it.
    result_high: u32,
}

impl<B: Bus> HostInterface<B> {
    /// Takes a host interface over.
    ///
    /// # Panics
    /// If the registers are not those that this driver knows.
    pub fn new(bus: B) -> Self {
        let (issued, ended) = ([0; 2], [0; 2]);
        let mut interface = Self { bus, issued, ended, result_high: 0 };
        let identity = interface.read(map::identity::REGISTER);
        assert_eq!(identity, map::identity::REGISTER.reset, "identity of the registers");
        interface
    }

    /// Command tags and queue pairs, the admin pair among them, and entries of the largest queue.
    pub fn sizes(&mut self) -> (u32, u32, u32) {
        let (sizes, queues) = (self.read(map::sizes::REGISTER), self.read(map::queues::REGISTER));
        let largest = get(map::queues::LARGEST_SIZE, queues) + 1;
        (get(map::sizes::TAGS, sizes), get(map::queues::PAIRS, queues), largest)
    }

    /// Takes the next event.
    pub fn event(&mut self) -> HostEvent {
        let word = self.read(map::host_event::REGISTER);
        if get(map::host_event::VALID, word) == 0 {
            return HostEvent::None;
        }
        let kind = map::Event::from_bits(get(map::host_event::KIND, word));
        let tag = get(map::host_event::TAG, word);
        match kind.expect("events are those of the registers' source") {
            map::Event::Disable => HostEvent::Disable,
            map::Event::Shutdown => HostEvent::Shutdown,
            map::Event::Enable => HostEvent::Enable,
            map::Event::Doorbell => HostEvent::DoorbellError(tag as u8),
            map::Event::Command => {
                let at = map::commands::OFFSET + tag * map::commands::ENTRY;
                let entry = core::array::from_fn(|n| self.bus.read(at + 4 * n as u32));
                let queue = get(map::host_event::ID, word) as u16;
                HostEvent::Command(HostCommand { tag: CommandTag(tag as u16), queue, entry })
            }
        }
    }

    /// Sets CSTS.RDY.
    pub fn set_ready(&mut self, ready: bool) {
        self.write(map::ready::REGISTER, &[(map::ready::READY, ready.into())]);
    }

    /// Sets CSTS.CFS.
    pub fn set_fatal(&mut self) {
        self.write(map::controller::REGISTER, &[(map::controller::FATAL, 1)]);
    }

    /// Sets CSTS.SHST to complete.
    pub fn shutdown_done(&mut self) {
        self.write(map::controller::REGISTER, &[(map::controller::SHUTDOWN_DONE, 1)]);
    }

    /// Creates a completion queue, with its vector if it has interrupts.
    pub fn create_completion_queue(&mut self, queue: CompletionQueue) {
        let vector = u32::from(queue.vector.unwrap_or(0));
        self.place_queue(queue.base, queue.entries, vector);
        self.configure(
            map::completion_queue::REGISTER,
            &[
                (map::completion_queue::ID, queue.id.into()),
                (map::completion_queue::INTERRUPTS, queue.vector.is_some().into()),
                (map::completion_queue::CREATE, 1),
            ],
        );
    }

    /// Creates a submission queue, from which the hardware fetches from then on.
    pub fn create_submission_queue(&mut self, queue: SubmissionQueue) {
        self.place_queue(queue.base, queue.entries, queue.completion_queue.into());
        self.configure(
            map::submission_queue::REGISTER,
            &[
                (map::submission_queue::ID, queue.id.into()),
                (map::submission_queue::PRIORITY_CLASS, queue.priority.into()),
                (map::submission_queue::CREATE, 1),
            ],
        );
    }

    /// Deletes a completion queue that no submission queue uses.
    pub fn delete_completion_queue(&mut self, id: u16) {
        let fields = [(map::completion_queue::ID, id.into())];
        self.configure(map::completion_queue::REGISTER, &fields);
    }

    /// Deletes a submission queue. [`HostInterface::queue_commands`] says which of its commands are under way.
    pub fn delete_submission_queue(&mut self, id: u16) {
        let fields = [(map::submission_queue::ID, id.into())];
        self.configure(map::submission_queue::REGISTER, &fields);
    }

    /// Sets arbitration.
    pub fn set_weights(&mut self, weights: QueueWeights) {
        let QueueWeights { burst, low, medium, high } = weights;
        self.write(
            map::weights::REGISTER,
            &[
                (map::weights::BURST, burst.into()),
                (map::weights::LOW_WEIGHT, low.into()),
                (map::weights::MEDIUM_WEIGHT, medium.into()),
                (map::weights::HIGH_WEIGHT, high.into()),
            ],
        );
    }

    /// Sets interrupt coalescing.
    pub fn set_coalescing(&mut self, coalescing: InterruptCoalescing) {
        let InterruptCoalescing { threshold, time } = coalescing;
        let fields = [
            (map::coalescing::THRESHOLD, threshold.into()),
            (map::coalescing::TIME_100US, time.into()),
        ];
        self.write(map::coalescing::REGISTER, &fields);
    }

    /// Allows or forbids coalescing on a vector.
    pub fn set_vector_coalescing(&mut self, vector: u16, allowed: Coalescing) {
        let forbid = (allowed == Coalescing::Forbidden).into();
        let fields = [
            (map::vector_coalescing::VECTOR, vector.into()),
            (map::vector_coalescing::FORBID, forbid),
        ];
        self.write(map::vector_coalescing::REGISTER, &fields);
    }

    /// Hands a request to the DMA engine, once it has room.
    pub fn issue_dma(&mut self, order: DmaOrder) {
        crate::outlast(&mut self.bus, ::registers::map::HOST, map::status::REGISTER, |status| {
            get(map::status::DMA_ROOM, status) > 0
        });
        let words = [
            (map::dma_host_offset::REGISTER, order.host_offset),
            (map::dma_length::REGISTER, order.length),
            (map::dma_command_length::REGISTER, order.command_length),
            (map::dma_memory_low::REGISTER, order.address as u32),
            (map::dma_memory_high::REGISTER, (order.address >> 32) as u32),
        ];
        words.iter().for_each(|(register, word)| self.bus.write(register.offset, *word));
        let to_host = (order.direction == DmaDirection::ToHost).into();
        let fields = [
            (map::dma::TAG, order.tag.0.into()),
            (map::dma::TO_HOST, to_host),
            (map::dma::POINTER, order.pointer as u32),
        ];
        self.write(map::dma::REGISTER, &fields);
        let issued = &mut self.issued[order.direction as usize];
        *issued = issued.wrapping_add(1);
    }

    /// What the DMA engine has done.
    pub fn dma_progress(&mut self) -> DmaProgress {
        let word = self.read(map::dma_progress::REGISTER);
        let fields = [map::dma_progress::FROM_HOST, map::dma_progress::TO_HOST];
        for (ended, field) in self.ended.iter_mut().zip(fields) {
            // The register counts modulo a power of two.
            *ended = ended.wrapping_add(get(field, word).wrapping_sub(*ended) & field.max());
        }
        let [from_host, to_host] = self.ended;
        DmaProgress { from_host, to_host, fault: get(map::dma_progress::FAULT, word) == 1 }
    }

    /// Has the DMA engine bring something, and waits for it and for all from the host that was asked for before. Tells what
    /// the engine has done by then. The host decides how long that takes: the hardware ends what it does not answer, and
    /// what a reset of the host has made stale.
    pub fn bring(&mut self, order: DmaOrder) -> DmaProgress {
        self.issue_dma(order);
        let issued = self.issued[DmaDirection::FromHost as usize];
        loop {
            let progress = self.dma_progress();
            if progress.from_host == issued {
                return progress;
            }
        }
    }

    /// What was wrong with the DMA of a command since it was fetched.
    pub fn dma_fault(&mut self, tag: CommandTag) -> map::DmaFault {
        let at = map::faults::OFFSET + u32::from(tag.0) * map::faults::ENTRY;
        let word = self.bus.read(at);
        map::DmaFault::from_bits(get(map::faults::FAULT, word)).expect("a fault of the source")
    }

    /// Posts a completion, once there is room.
    pub fn complete(&mut self, completion: Completion) {
        self.wait("room for a completion", map::status::REGISTER, |status| {
            get(map::status::COMPLETION_ROOM, status) > 0
        });
        let Completion { tag, status, result } = completion;
        self.bus.write(map::completion_result::REGISTER.offset, result as u32);
        // Few completions have a dword 1.
        let high = (result >> 32) as u32;
        if high != self.result_high {
            self.bus.write(map::completion_result_high::REGISTER.offset, high);
            self.result_high = high;
        }
        let fields =
            [(map::completion::TAG, tag.0.into()), (map::completion::STATUS, status.into())];
        self.write(map::completion::REGISTER, &fields);
    }

    /// Has the hardware run what it can by itself, from the next command on. None that it runs may be under way.
    pub fn automate(&mut self, automation: Automation) {
        self.stop_automation();
        let Automation { blocks, transfer_blocks, block_bytes, base } = automation;
        let words = [
            (map::transfer_blocks::REGISTER, transfer_blocks),
            (map::blocks_low::REGISTER, blocks as u32),
            (map::blocks_high::REGISTER, (blocks >> 32) as u32),
            (map::memory_base_low::REGISTER, base as u32),
            (map::memory_base_high::REGISTER, (base >> 32) as u32),
        ];
        words.iter().for_each(|(register, word)| self.bus.write(register.offset, *word));
        let shift = block_bytes.trailing_zeros();
        self.write(
            map::automation::REGISTER,
            &[(map::automation::ENABLE, 1), (map::automation::BLOCK_SHIFT, shift)],
        );
    }

    /// Has the hardware begin no command by itself any more. Those that it runs go on.
    pub fn stop_automation(&mut self) {
        // What runs still needs the size of a block.
        let word = self.read(map::automation::REGISTER);
        let word = word & !map::automation::ENABLE.mask();
        self.bus.write(map::automation::REGISTER.offset, word);
    }

    /// Commands of a submission queue that are under way in the hardware.
    pub fn queue_commands(&mut self, queue: u16) -> QueueCommands {
        self.write(map::counted_queue::REGISTER, &[(map::counted_queue::ID, queue.into())]);
        let counts = self.read(map::queue_commands::REGISTER);
        let [unread, running] = [map::queue_commands::UNREAD, map::queue_commands::RUNNING];
        QueueCommands { unread: get(unread, counts), running: get(running, counts) }
    }

    /// Captures the counters and reads them.
    pub fn monitors(&mut self) -> Monitors {
        self.write(map::monitor::REGISTER, &[(map::monitor::CAPTURE, 1)]);
        self.wait("a capture", map::monitor::REGISTER, |word| get(map::monitor::BUSY, word) == 0);
        let mut read = |at| {
            let [low, high] = [0, 4].map(|word| u64::from(self.bus.read(at + word)));
            high << 32 | low
        };
        Monitors {
            cycles: read(map::monitors::CYCLES),
            fetched: read(map::monitors::FETCHED),
            completed: read(map::monitors::COMPLETED),
            automated: AutomatedCounts {
                reads: read(map::monitors::AUTOMATED_READS),
                writes: read(map::monitors::AUTOMATED_WRITES),
                sectors_read: read(map::monitors::SECTORS_READ),
                sectors_written: read(map::monitors::SECTORS_WRITTEN),
                busy_cycles: read(map::monitors::AUTOMATED_BUSY),
            },
            wrong_doorbells: read(map::monitors::WRONG_DOORBELLS),
            messages: read(map::monitors::MESSAGES),
            most_outstanding: read(map::monitors::MOST_OUTSTANDING),
            latency: map::monitors::LATENCY.map(read).to_vec(),
        }
    }

    /// What was lost because it came without room, a bit each of the interrupt status.
    pub fn dropped(&mut self) -> u32 {
        let lost = map::interrupt_status::COMPLETION_DROPPED.mask()
            | map::interrupt_status::DMA_DROPPED.mask()
            | map::interrupt_status::QUEUE_DROPPED.mask();
        self.read(map::interrupt_status::REGISTER) & lost
    }

    fn place_queue(&mut self, base: u64, entries: u32, partner: u32) {
        let page = (base >> PAGE_BITS << PAGE_BITS) as u32;
        self.bus.write(map::queue_base_low::REGISTER.offset, page);
        self.bus.write(map::queue_base_high::REGISTER.offset, (base >> 32) as u32);
        let fields = [(map::queue_shape::SIZE, entries - 1), (map::queue_shape::PARTNER, partner)];
        self.write(map::queue_shape::REGISTER, &fields);
    }

    /// Creates or deletes a queue.
    fn configure(&mut self, register: Register, fields: &[(Field, u32)]) {
        self.write(register, fields);
        self.wait("a queue", map::status::REGISTER, |status| {
            get(map::status::QUEUE_BUSY, status) == 0
        });
    }

    fn wait(&mut self, what: &str, register: Register, done: impl Fn(u32) -> bool) {
        crate::wait(&mut self.bus, what, ::registers::map::HOST, register, done);
    }

    fn read(&mut self, register: Register) -> u32 {
        self.bus.read(register.offset)
    }

    fn write(&mut self, register: Register, fields: &[(Field, u32)]) {
        self.bus.write(register.offset, packed(fields));
    }
}
