//! Commands that the hardware runs, beside those for the processor.

use crate::host_control::bar::Access;
use crate::host_control::commands::entry;
use crate::host_control::processor::{Event, Io};
use crate::host_control::system::{Pair, System, BLOCKS, QUEUES, TAGS, TRANSFER_BLOCKS};
use nvme::command::{DataPointer, Entry, Header};
use nvme::io::opcode;
use nvme::register::Doorbell;
use rtl_sim::{seed, Pace, Random};
use std::collections::{BTreeMap, VecDeque};

/// An entry that breaks no rule.
pub fn plain_entry(cid: u16, random: &mut Random) -> Entry {
    let opcodes = [opcode::FLUSH, opcode::WRITE, opcode::READ, opcode::WRITE_ZEROES];
    let code = opcodes[random.below(4) as usize];
    let data = DataPointer { prp1: random.next() & !3, prp2: random.next() };
    let blocks = 1 + random.below(TRANSFER_BLOCKS);
    let start = random.below(BLOCKS - blocks);
    Entry::new(code, Header { cid, nsid: 1, data })
        .with(10, start as u32)
        .with(11, (start >> 32) as u32)
        .with(12, blocks as u32 - 1)
}

/// What the hardware is given for it.
fn io_of(entry: &Entry, tag: u64) -> Io {
    let kind = match entry.opcode() {
        opcode::FLUSH => 0,
        opcode::WRITE => 1,
        opcode::READ => 2,
        _ => 3,
    };
    let DataPointer { prp1, prp2 } = entry.data();
    let start = u64::from(entry.dword(11)) << 32 | u64::from(entry.dword(10));
    Io { tag, kind, start, blocks: u64::from(entry.dword(12) & 0xffff) + 1, prp1, prp2 }
}

/// A queue pair, and its entries that did not come yet: those for the hardware, and the others.
struct Lane {
    pair: Pair,
    io: VecDeque<Entry>,
    other: VecDeque<Entry>,
    /// Status to come, by identifier.
    expected: BTreeMap<u16, u64>,
    next_cid: u16,
}

struct Scene {
    system: System,
    lanes: Vec<Lane>,
    /// Tags that are out, with the queue of those that the hardware has.
    live: BTreeMap<u64, Option<u64>>,
    /// Commands that came to the hardware, be it that it has not taken them, by queue.
    running: [u64; QUEUES as usize],
    /// Whether one waits for it.
    waits: bool,
    /// Commands to be completed: tag, queue, identifier.
    held: Vec<(u64, u64, u16)>,
    /// What was fetched under a tag.
    entries: BTreeMap<u64, Entry>,
    /// The half entry that the store is asked for, and how many it gave.
    reading: Option<(u64, u64)>,
    reads: u64,
    done: u64,
}

impl Scene {
    /// With queues of up to so many entries.
    fn new(most: u64, random: &mut Random) -> Self {
        let mut system = System::new(random);
        let pair = system.bring_up(8, 0);
        let lane = |pair| Lane {
            pair,
            io: VecDeque::new(),
            other: VecDeque::new(),
            expected: BTreeMap::new(),
            next_cid: 0,
        };
        let mut lanes = vec![lane(pair)];
        for id in 1..QUEUES as u16 {
            let entries = [4, 16, most][random.below(3) as usize];
            lanes.push(lane(system.create_pair(id, entries, 0)));
        }
        system.automate();
        Self {
            system,
            lanes,
            live: BTreeMap::new(),
            running: [0; QUEUES as usize],
            waits: false,
            held: Vec::new(),
            entries: BTreeMap::new(),
            reading: None,
            reads: 0,
            done: 0,
        }
    }

    /// Fills a queue, if the host has seen all of the commands before.
    fn submit(&mut self, queue: usize, random: &mut Random) {
        let lane = &mut self.lanes[queue];
        if !(lane.io.is_empty() && lane.other.is_empty() && lane.expected.is_empty())
            || self.held.iter().any(|&(_, of, _)| of == queue as u64)
        {
            return;
        }
        for _ in 0..1 + random.below(lane.pair.entries - 1) {
            let plain = random.percent(60);
            lane.next_cid += 1;
            let cid = lane.next_cid;
            let entry = if plain { plain_entry(cid, random) } else { entry(cid, random) };
            let for_hardware = plain && queue != 0;
            if for_hardware { &mut lane.io } else { &mut lane.other }.push_back(entry);
            self.system.push(&mut lane.pair, &entry);
        }
        let Pair { id, tail, head, .. } = self.lanes[queue].pair;
        for (doorbell, value) in
            [(Doorbell::CompletionHead(id), head), (Doorbell::SubmissionTail(id), tail)]
        {
            self.system.bar.push(Access::Write(doorbell.offset(0), vec![value as u32]));
        }
    }

    /// One cycle, with all that must be so after it.
    fn cycle(&mut self, random: &mut Random) {
        let running = self.running;
        let read = self.start_read(random);
        self.system.cycle();
        if let Some((tag, half)) = read {
            self.check_read(tag, half);
        }
        // The tags, as the monitor is told.
        if self.system.get("fetched_valid_o") == 1 {
            let tag = self.system.get("fetched_tag_o");
            assert!(self.live.insert(tag, None).is_none(), "tag {tag} was taken twice");
        }
        if self.system.get("completed_valid_o") == 1 {
            let tag = self.system.get("completed_tag_o");
            let queue = self.live.remove(&tag).expect("a tag that was taken");
            if let Some(queue) = queue {
                self.running[queue as usize] -= 1;
            }
        }
        let tag = random.below(TAGS);
        self.system.set("dma_look_tag_i", tag);
        assert_eq!(self.system.get("look_ready_o"), 1);
        assert_eq!(self.system.get("dma_look_live_o") == 1, self.live.contains_key(&tag), "{tag}");
        // Counts follow a cycle after a command has come or has ended.
        let queue = random.below(QUEUES);
        assert_eq!(self.system.running(queue), running[queue as usize], "queue {queue}");
        while let Some(io) = self.system.io.pop_front() {
            self.takes_io(io);
            self.waits = false;
        }
        self.io_comes();
        while let Some(event) = self.system.events.pop_front() {
            let Event::Command { tag, queue } = event else { panic!("{event:?}") };
            let lane = &mut self.lanes[queue as usize];
            let entry = lane.other.pop_front().expect("one for the processor");
            self.held.push((tag, queue, entry.cid()));
            self.entries.insert(tag, entry);
        }
    }

    /// Asks the store for half an entry now and then; which one, if it is taken in this cycle.
    fn start_read(&mut self, random: &mut Random) -> Option<(u64, u64)> {
        if self.reading.is_none() && !self.held.is_empty() && random.percent(40) {
            let (tag, ..) = self.held[random.below(self.held.len() as u64) as usize];
            self.reading = Some((tag, random.below(2)));
        }
        self.system.set("store_valid_i", self.reading.is_some().into());
        let (tag, half) = self.reading?;
        self.system.set("store_tag_i", tag);
        self.system.set("store_half_i", half);
        self.reading.take_if(|_| self.system.get("store_ready_o") == 1)
    }

    fn check_read(&mut self, tag: u64, half: u64) {
        let port = self.system.bench.output("store_data_o");
        for word in 0..4 {
            let found = self.system.bench.get(port.lane(word, 4));
            let at = (8 * half + 2 * u64::from(word)) as usize;
            let [low, high] = [0, 1].map(|n| u64::from(self.entries[&tag].dword(at + n)));
            assert_eq!(found, high << 32 | low, "tag {tag}, dword {at}");
        }
        self.reads += 1;
    }

    /// The queue whose next command this is.
    fn queue_of(&self, io: &Io) -> usize {
        let is_next = |lane: &Lane| lane.io.front().is_some_and(|e| io_of(e, io.tag) == *io);
        self.lanes.iter().position(is_next).expect("the next of some queue")
    }

    /// Counts a command that has come to the hardware.
    fn io_comes(&mut self) {
        let waited = std::mem::replace(&mut self.waits, self.system.get("io_valid_o") == 1);
        if self.waits && !waited {
            let [tag, kind, start] =
                ["io_tag_o", "io_kind_o", "io_start_o"].map(|port| self.system.get(port));
            let [blocks, prp1, prp2] =
                ["io_blocks_o", "io_prp1_o", "io_prp2_o"].map(|port| self.system.get(port));
            let queue = self.queue_of(&Io { tag, kind, start, blocks, prp1, prp2 });
            self.running[queue] += 1;
        }
    }

    /// The hardware is given the next command of some queue.
    fn takes_io(&mut self, io: Io) {
        let queue = self.queue_of(&io);
        let entry = self.lanes[queue].io.pop_front().expect("it is the next");
        let of = self.live.get_mut(&io.tag).expect("a tag that was taken");
        assert_eq!(of.replace(queue as u64), None);
        self.held.push((io.tag, queue as u64, entry.cid()));
        self.entries.insert(io.tag, entry);
    }

    fn complete_some(&mut self, random: &mut Random) {
        while !self.held.is_empty() && random.percent(50) {
            let nth = random.below(self.held.len() as u64) as usize;
            let (tag, queue, cid) = self.held.swap_remove(nth);
            let status = random.below(1 << 15);
            self.system.processor.complete(tag, status, 0);
            self.lanes[queue as usize].expected.insert(cid, status);
        }
    }

    fn reap(&mut self, queue: usize) {
        let lane = &mut self.lanes[queue];
        while let Some(entry) = self.system.pop(&mut lane.pair) {
            let status = lane.expected.remove(&entry.cid);
            assert_eq!(status, Some(entry.status.bits().into()));
            self.done += 1;
        }
    }
}

#[test]
fn each_command_goes_one_way_and_completes_once() {
    seed::each(6, |random| {
        let mut scene = Scene::new(64, random);
        while scene.done < 400 || !scene.live.is_empty() {
            for queue in 0..scene.lanes.len() {
                scene.reap(queue);
                if scene.done < 400 && random.percent(20) {
                    scene.submit(queue, random);
                }
            }
            if random.percent(10) {
                scene.complete_some(random);
            }
            scene.cycle(random);
            assert!(scene.system.bench.cycles() < 100_000, "stuck");
        }
        scene.cycle(random);
        assert!(scene.reads > 200, "{} reads of the store", scene.reads);
        for queue in 0..QUEUES {
            assert_eq!([scene.system.unread(queue), scene.system.running(queue)], [0, 0]);
        }
    });
}

#[test]
fn a_command_is_unread_or_running_until_it_completes() {
    seed::each(4, |random| {
        // No more than there are tags.
        let mut scene = Scene::new(16, random);
        scene.system.processor.set_pace(Pace::Never);
        scene.system.processor.set_io_pace(Pace::Never);
        for queue in 0..2 {
            scene.submit(queue, random);
        }
        (0..600).for_each(|_| scene.cycle(random));
        let count = |lane: &Lane| [lane.io.len() as u64, lane.other.len() as u64];
        let counts: Vec<_> = scene.lanes.iter().map(count).collect();
        // One waits for the hardware: it is still unread, and runs already.
        assert_eq!(scene.running.iter().sum::<u64>(), u64::from(scene.waits));
        for (queue, [io, other]) in (0..).zip(&counts) {
            let counts = [scene.system.unread(queue), scene.system.running(queue)];
            assert_eq!(counts, [io + other, scene.running[queue as usize]]);
        }
        scene.system.processor.set_pace(Pace::any(random));
        scene.system.processor.set_io_pace(Pace::any(random));
        (0..2_000).for_each(|_| scene.cycle(random));
        for (queue, [io, _]) in (0..).zip(&counts) {
            assert_eq!([scene.system.unread(queue), scene.system.running(queue)], [0, *io]);
        }
    });
}
