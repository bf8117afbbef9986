//! The parts of the interface together, with a processor that only does what the test says.

use crate::nvme_host::buffers::{Buffer, Pages, Shape, PAGE};
use ::registers::host::DmaFault;
use contract::{
    CommandTag, Completion, CompletionQueue, DmaDirection, DmaProgress, HostCommand, HostEvent,
    SubmissionQueue,
};
use nvme::command::{Entry, Header};
use nvme::completion::CompletionEntry;
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use nvme::register::{offset, AdminQueueAttributes, ControllerConfiguration, Doorbell};
use nvme::status::Status;
use rtl_sim::nvme::{Automation, Card, DmaOrder, Interface, Pointer, Surroundings};
use rtl_sim::{seed, tops, Random};

/// Entries of all queues, and the I/O queue pair.
const ENTRIES: u32 = 64;
const PAIR: u16 = 3;

/// The drive's memory: a stretch for the processor, then the namespace.
const NAMESPACE: u64 = 1 << 16;
const BLOCK: u64 = 512;
const BLOCKS: u64 = 1024;

/// Commands that the processor runs have this opcode, which nothing knows.
const OPCODE: u8 = 0xc5;

/// Longest wait, in looks.
const PATIENCE: u64 = 100_000;

struct Rig {
    interface: Interface,
    pages: Pages,
    /// Addresses of the submission and the completion queue, and how far each is: admin, I/O.
    queues: [Queue; 2],
    random: Random,
}

#[derive(Clone, Copy)]
struct Queue {
    id: u16,
    submission: u64,
    completion: u64,
    tail: u32,
    head: u32,
}

impl Rig {
    /// A controller that is enabled, with an admin and an I/O queue pair.
    fn new(around: Surroundings, random: &mut Random) -> Self {
        let mut card: Card = Card::new(&tops::NVME_HOST_X8, 256, around, random);
        card.map_memory(NAMESPACE + BLOCKS * BLOCK);
        let memory = card.host.memory_mut();
        memory.reserve(260 * PAGE);
        let queues = [0, PAIR].map(|id| Queue {
            id,
            submission: memory.allocate(PAGE),
            completion: memory.allocate(PAGE),
            tail: 0,
            head: 0,
        });
        let pages = Pages::new(256, memory, random);
        let mut rig =
            Self { interface: Interface::new(card), pages, queues, random: random.split() };
        rig.start();
        rig
    }

    fn start(&mut self) {
        let [admin, io] = self.queues;
        let sizes = AdminQueueAttributes { submission: ENTRIES, completion: ENTRIES };
        let card = &mut self.interface.bus;
        card.write_bar(offset::AQA, sizes.emit());
        for (register, address) in
            [(offset::ASQ, admin.submission), (offset::ACQ, admin.completion)]
        {
            card.write_bar(register, address as u32);
            card.write_bar(register + 4, (address >> 32) as u32);
        }
        card.write_bar(offset::CC, ControllerConfiguration::started(0).0);
        assert_eq!(self.event(), HostEvent::Enable);
        self.interface.set_ready(true);
        assert_eq!(self.interface.bus.read_bar(offset::CSTS) & 1, 1, "CSTS.RDY");
        self.interface.create_completion_queue(CompletionQueue {
            id: PAIR,
            entries: ENTRIES,
            base: io.completion,
            vector: None,
        });
        self.interface.create_submission_queue(SubmissionQueue {
            id: PAIR,
            entries: ENTRIES,
            base: io.submission,
            completion_queue: PAIR,
            priority: 0,
        });
    }

    fn event(&mut self) -> HostEvent {
        (0..PATIENCE)
            .map(|_| self.interface.event())
            .find(|event| *event != HostEvent::None)
            .expect("an event")
    }

    fn command(&mut self) -> HostCommand {
        match self.event() {
            HostEvent::Command(command) => command,
            event => panic!("{event:?}, expected a command"),
        }
    }

    /// Gives commands to a queue, with one doorbell.
    fn push(&mut self, queue: usize, entries: &[Entry]) {
        let Queue { id, submission, mut tail, .. } = self.queues[queue];
        for entry in entries {
            let at = submission + 64 * u64::from(tail);
            self.interface.bus.host.memory_mut().at_mut(at, 64).copy_from_slice(&entry.to_bytes());
            tail = (tail + 1) % ENTRIES;
        }
        self.queues[queue].tail = tail;
        self.interface.bus.write_bar(Doorbell::SubmissionTail(id).offset(0), tail);
    }

    /// The next completion of a queue. No test goes once around.
    fn completion(&mut self, queue: usize) -> CompletionEntry {
        let at = self.queues[queue].completion + 16 * u64::from(self.queues[queue].head);
        for _ in 0..PATIENCE {
            let bytes = self.interface.bus.host.memory().array::<16>(at);
            if bytes[14] & 1 == 1 {
                let entry = CompletionEntry::parse(bytes);
                self.queues[queue].head += 1;
                return entry;
            }
            self.interface.bus.cycle();
        }
        panic!("no completion in queue {queue}")
    }

    fn buffer(&mut self, length: u64) -> Buffer {
        let shape = Shape::any(&mut self.random, length);
        self.pages.buffer(shape, self.interface.bus.host.memory_mut())
    }

    /// A buffer that is filled, and what with.
    fn filled(&mut self, length: u64) -> (Buffer, Vec<u8>) {
        let buffer = self.buffer(length);
        let bytes = self.random.bytes(length as usize);
        buffer.fill(self.interface.bus.host.memory_mut(), &bytes);
        (buffer, bytes)
    }

    /// Waits until so many DMA requests have ended, without a fault.
    fn ended(&mut self, from_host: u32, to_host: u32) {
        let expected = DmaProgress { from_host, to_host, fault: false };
        let found = (0..PATIENCE)
            .map(|_| self.interface.dma_progress())
            .find(|progress| (progress.from_host, progress.to_host) == (from_host, to_host));
        assert_eq!(found, Some(expected));
    }
}

fn header(cid: u16, buffer: &Buffer) -> Header {
    Header { cid, nsid: 1, data: buffer.pointer }
}

/// Command by command: the entry, a part of its data in each direction, its completion.
#[test]
fn a_command_goes_through_the_registers() {
    seed::each(3, |random| {
        let around = Surroundings::any(random);
        let mut rig = Rig::new(around, random);
        for nth in 0..4 {
            let length = 4 * (1 + rig.random.below(5000));
            let (buffer, mut bytes) = rig.filled(length);
            let entry = Entry::new(OPCODE, header(nth, &buffer)).with(15, rig.random.next() as u32);
            rig.push(0, &[entry]);
            let command = rig.command();
            assert_eq!((command.queue, command.entry), (0, entry.0));

            // All of it to the drive, and a part of it back to another place of the command.
            let order = DmaOrder {
                tag: command.tag,
                direction: DmaDirection::FromHost,
                pointer: Pointer::Data,
                host_offset: 0,
                length: length as u32,
                command_length: length as u32,
                address: 4 * rig.random.below(1000),
            };
            rig.interface.issue_dma(order);
            let ended = u32::from(nth) + 1;
            rig.ended(ended, ended - 1);
            assert_eq!(rig.interface.bus.load(order.address, bytes.len()), bytes);
            let part = 4 * rig.random.below(length / 4 + 1);
            let back = DmaOrder {
                direction: DmaDirection::ToHost,
                host_offset: (length - part) as u32,
                length: part as u32,
                ..order
            };
            if part > 0 {
                rig.interface.issue_dma(back);
                bytes.copy_within(..part as usize, (length - part) as usize);
            } else {
                rig.interface.issue_dma(DmaOrder { direction: DmaDirection::ToHost, ..order });
            }
            rig.ended(ended, ended);
            assert!(buffer.bytes(rig.interface.bus.host.memory()) == bytes, "{nth}: data differs");

            let (status, result) = (Status::INVALID_FIELD, rig.random.next());
            let (tag, status_bits) = (command.tag, status.bits());
            let completion = Completion { tag, status: status_bits, result };
            rig.interface.complete(completion);
            let completion = rig.completion(0);
            assert_eq!((completion.cid, completion.submission_queue), (nth, 0));
            let told = u64::from(completion.result_high) << 32 | u64::from(completion.result);
            assert_eq!((completion.status, told), (status, result));
            assert_eq!(completion.submission_head, nth + 1);
            rig.pages.release(buffer);
        }
    });
}

/// Lists that a command names beside its data: anywhere in a page and across its end, and one that is not in the host's
/// memory.
#[test]
fn lists_that_a_command_names_come_from_where_it_says() {
    seed::each(3, |random| {
        let around = Surroundings::any(random);
        let mut rig = Rig::new(around, random);
        let memory = rig.interface.bus.host.memory_mut();
        memory.reserve(4 * PAGE);
        let base = memory.allocate(4 * PAGE);
        let mut ended = 0;
        for nth in 0..12 {
            let (buffer, data) = rig.filled(4096);
            let bytes = 8 * (1 + rig.random.below(64));
            let lists = [0, 2 * PAGE].map(|page| {
                // Half of them go on in the next page.
                let begin = match nth % 2 {
                    0 => 4 * rig.random.below((PAGE - bytes) / 4),
                    _ => PAGE - 4 * (1 + rig.random.below(bytes / 4)),
                };
                let list = rig.random.bytes(bytes as usize);
                let at = base + page + begin;
                let memory = rig.interface.bus.host.memory_mut();
                memory.at_mut(at, list.len()).copy_from_slice(&list);
                (at, list)
            });
            let [first, second] =
                [&lists[0], &lists[1]].map(|(at, _)| [*at as u32, (*at >> 32) as u32]);
            let entry = Entry::new(OPCODE, header(nth, &buffer));
            let entry = entry.with(10, first[0]).with(11, first[1]);
            rig.push(0, &[entry.with(14, second[0]).with(15, second[1])]);
            let tag = rig.command().tag;
            let order = |pointer, length: u64, address| DmaOrder {
                tag,
                direction: DmaDirection::FromHost,
                pointer,
                host_offset: 0,
                length: length as u32,
                command_length: length as u32,
                address,
            };
            let progress = rig.interface.bring(order(Pointer::Blocks, bytes, 0));
            rig.interface.issue_dma(order(Pointer::Data, 4096, PAGE));
            let again = rig.interface.bring(order(Pointer::Destinations, bytes, 3 * PAGE));
            ended += 3;
            assert_eq!((progress.from_host, again.from_host), (ended - 2, ended));
            assert!(!again.fault);
            for (at, expected) in [(0, &lists[0].1), (PAGE, &data), (3 * PAGE, &lists[1].1)] {
                assert!(rig.interface.bus.load(at, expected.len()) == *expected, "{nth}, {at}");
            }
            rig.interface.complete(Completion { tag, status: 0, result: 0 });
            assert_eq!(rig.completion(0).cid, nth);
            rig.pages.release(buffer);
        }
        let (buffer, _) = rig.filled(4096);
        let entry =
            Entry::new(OPCODE, header(12, &buffer)).with(10, 0xffff_f000).with(11, u32::MAX);
        rig.push(0, &[entry]);
        let tag = rig.command().tag;
        let progress = rig.interface.bring(DmaOrder {
            tag,
            direction: DmaDirection::FromHost,
            pointer: Pointer::Blocks,
            host_offset: 0,
            length: 16,
            command_length: 16,
            address: 0,
        });
        assert!(progress.fault && rig.interface.dma_fault(tag) != DmaFault::None);
    });
}

/// Commands that the hardware runs, and requests of the processor between them: each ends where it came
/// from, and none keeps the others.
#[test]
fn the_hardware_and_the_processor_share_the_data_path() {
    seed::each(3, |random| {
        let around = Surroundings::any(random);
        let mut rig = Rig::new(around, random);
        rig.interface.automate(Automation {
            blocks: BLOCKS,
            transfer_blocks: 64,
            block_bytes: BLOCK as u32,
            base: NAMESPACE,
        });
        let range = |nth: u64| BlockRange { start: nth * 40, blocks: 40 };
        let length = 40 * BLOCK;

        // A command for the processor, held while the hardware runs writes.
        let (held, held_bytes) = rig.filled(PAGE);
        rig.push(0, &[Entry::new(OPCODE, header(99, &held))]);
        let tag = rig.command().tag;
        let written: Vec<_> = (0..4).map(|_| rig.filled(length)).collect();
        let writes: Vec<Entry> = (0..)
            .zip(&written)
            .map(|(nth, (buffer, _))| {
                let command = IoCommand::Write(range(nth), UnitAccess::Normal);
                command.emit(header(nth as u16, buffer))
            })
            .collect();
        rig.push(1, &writes);
        copy(&mut rig, tag, DmaDirection::FromHost, 8);
        rig.ended(8, 0);
        assert_eq!(rig.interface.bus.load(7 * PAGE, PAGE as usize), held_bytes);
        finish(&mut rig, 4);

        // Reads of them, while the processor writes to the host.
        let read: Vec<Buffer> = (0..4).map(|_| rig.buffer(length)).collect();
        let reads: Vec<Entry> = (0..)
            .zip(&read)
            .map(|(nth, buffer)| {
                let command = IoCommand::Read(range(nth), UnitAccess::Normal);
                command.emit(header(nth as u16, buffer))
            })
            .collect();
        rig.push(1, &reads);
        copy(&mut rig, tag, DmaDirection::ToHost, 8);
        rig.ended(8, 8);
        finish(&mut rig, 4);
        for (buffer, (_, bytes)) in read.iter().zip(&written) {
            assert!(buffer.bytes(rig.interface.bus.host.memory()) == *bytes, "blocks differ");
        }
        assert!(held.bytes(rig.interface.bus.host.memory()) == held_bytes, "a page differs");
        rig.interface.complete(Completion { tag, status: 0, result: 7 });
        let completion = rig.completion(0);
        assert_eq!(
            (completion.cid, completion.result, completion.status),
            (99, 7, Status::SUCCESS)
        );

        let monitors = rig.interface.monitors();
        assert_eq!((monitors.fetched, monitors.completed), (9, 9));
        assert_eq!((monitors.automated.reads, monitors.automated.writes), (4, 4));
        assert_eq!(rig.interface.dropped(), 0);
        // The processor was told of its own command alone.
        assert_eq!(rig.interface.event(), HostEvent::None);
    });
}

/// Moves the processor's command's page from or to so many pages of memory.
fn copy(rig: &mut Rig, tag: CommandTag, direction: DmaDirection, times: u64) {
    for nth in 0..times {
        rig.interface.issue_dma(DmaOrder {
            tag,
            direction,
            pointer: Pointer::Data,
            host_offset: 0,
            length: PAGE as u32,
            command_length: PAGE as u32,
            address: nth * PAGE,
        });
    }
}

/// Waits for so many I/O commands, in any order.
fn finish(rig: &mut Rig, count: u16) {
    let mut cids: Vec<u16> = (0..count)
        .map(|_| {
            let completion = rig.completion(1);
            assert!(completion.status.is_success(), "{completion:?}");
            completion.cid
        })
        .collect();
    cids.sort_unstable();
    assert_eq!(cids, (0..count).collect::<Vec<_>>());
}
