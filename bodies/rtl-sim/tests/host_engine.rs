//! The engine of commands that hardware runs, between a source of legal commands and a model of DMA: which
//! tasks a command becomes, and that it completes once, after the last of them, with the right status.

use nvme::status::Status;
use rtl_sim::{seed, tops, Agent, Bench, Pace, Random, Sink, Source, StreamPorts};
use std::collections::{BTreeMap, VecDeque};

const MEMORY_BASE: u64 = 0x12_3456_7000;
const PIECE_BYTES: u64 = 65_536;
/// Most commands under way: all tags.
const TAGS: u64 = 256;

const FLUSH: u64 = 0;
const READ: u64 = 2;
const WRITE_ZEROES: u64 = 3;
const MOVE_PRPS: u64 = 0;
const MOVE_ZEROS: u64 = 1;
const NO_FAULT: u64 = 0;
const FAULTS: u64 = 5;

/// The status of each `fm_host_pkg::dma_fault_e`.
fn status(fault: u64) -> u64 {
    let status = match fault {
        NO_FAULT => Status::SUCCESS,
        1 => Status::INVALID_PRP_OFFSET,
        _ => Status::DATA_TRANSFER_ERROR,
    };
    status.bits().into()
}

/// A command under way.
#[derive(Clone, Copy)]
struct Command {
    kind: u64,
    prps: [u64; 2],
    /// Where what is left begins, and how much that is.
    memory: u64,
    left: u64,
    tasks_out: u64,
    /// What it completes with, once that is known.
    fault: Option<u64>,
}

struct Scene {
    bench: Bench,
    io: Source,
    tasks: Sink,
    ended: Source,
    completions: Sink,
    shift: u64,
    free: Vec<u64>,
    commands: BTreeMap<u64, Command>,
    /// Reads and writes whose task has to come, in order.
    order: VecDeque<u64>,
    /// Tags of tasks by direction, the oldest first.
    lanes: [VecDeque<u64>; 2],
    completed: u64,
}

impl Scene {
    fn new(shift: u64, pace: &mut dyn FnMut() -> Pace) -> Self {
        let mut bench = Bench::new(&tops::HOST_ENGINE);
        for (name, value) in [("block_shift_i", shift), ("memory_base_i", MEMORY_BASE)] {
            let port = bench.input(name);
            bench.set(port, value);
        }
        let ports = |prefix, fields| StreamPorts { prefix, fields, lane: (0, 1) };
        let io = ["tag", "kind", "start", "blocks", "prp1", "prp2"];
        let task = [
            "tag",
            "direction",
            "source",
            "prp1",
            "prp2",
            "host_offset",
            "length",
            "command_length",
            "memory",
        ];
        let ended = ports("ended", &["tag", "direction", "fault"]);
        let completion = ports("completion", &["tag", "status", "result"]);
        Self {
            io: Source::new(bench.model(), ports("io", &io), pace()),
            tasks: Sink::new(bench.model(), ports("task", &task), pace()),
            ended: Source::new(bench.model(), ended, pace()),
            completions: Sink::new(bench.model(), completion, pace()),
            bench,
            shift,
            free: (0..TAGS).collect(),
            commands: BTreeMap::new(),
            order: VecDeque::new(),
            lanes: Default::default(),
            completed: 0,
        }
    }

    /// Gives a command, under a free tag.
    fn start(&mut self, kind: u64, start: u64, blocks: u64, random: &mut Random) {
        let tag = self.free.swap_remove(random.below(self.free.len() as u64) as usize);
        let prps = [random.next(), random.next()];
        self.io.push(vec![tag, kind, start, blocks, prps[0], prps[1]]);
        if kind != FLUSH && kind != WRITE_ZEROES {
            self.order.push_back(tag);
        }
        let command = Command {
            kind,
            prps,
            memory: MEMORY_BASE + (start << self.shift),
            left: blocks << self.shift,
            tasks_out: 0,
            fault: (kind == FLUSH).then_some(NO_FAULT),
        };
        assert!(self.commands.insert(tag, command).is_none());
    }

    /// A task is what its command needs next.
    fn check_task(&mut self, task: &[u64]) {
        let tag = task[0];
        let command = self.commands.get_mut(&tag).expect("a task of a command");
        let Command { kind, prps, memory, left, .. } = *command;
        let length = if kind == WRITE_ZEROES { left.min(PIECE_BYTES) } else { left };
        let direction = u64::from(kind == READ);
        assert_eq!([command.tasks_out, length.min(1)], [0, 1], "one at a time, and not empty");
        assert!(command.fault.is_none(), "none after a fault");
        assert_eq!((task[1], &task[5..]), (direction, &[0, length, length, memory][..]));
        match kind {
            WRITE_ZEROES => assert_eq!(task[2], MOVE_ZEROS),
            _ => {
                assert_eq!(task[2..5], [MOVE_PRPS, prps[0], prps[1]]);
                assert_eq!(self.order.pop_front(), Some(tag), "in order");
            }
        }
        command.memory += length;
        command.left -= length;
        command.tasks_out = 1;
        self.lanes[direction as usize].push_back(tag);
    }

    /// Ends the oldest task of a direction.
    fn end(&mut self, direction: usize, fault: u64) {
        let Some(tag) = self.lanes[direction].pop_front() else { return };
        self.ended.push(vec![tag, direction as u64, fault]);
        let command = self.commands.get_mut(&tag).expect("a task of a command");
        command.tasks_out = 0;
        if fault != NO_FAULT || command.left == 0 {
            command.fault = Some(fault);
        }
    }

    fn cycle(&mut self) {
        let mut agents: [&mut dyn Agent; 4] =
            [&mut self.io, &mut self.tasks, &mut self.ended, &mut self.completions];
        self.bench.cycle(&mut agents);
        for task in self.tasks.take() {
            self.check_task(&task);
        }
        for completion in self.completions.take() {
            let command = self.commands.remove(&completion[0]).expect("it completes once");
            let fault = command.fault.expect("it completes after its tasks");
            assert_eq!(completion[1..], [status(fault), 0]);
            self.free.push(completion[0]);
            self.completed += 1;
        }
    }
}

#[test]
fn commands_become_tasks_and_complete_once_after_them() {
    seed::each(12, |random| {
        // Ends of tasks by kind, without and with a fault.
        let mut seen = [[0; 2]; 4];
        let shift = [9, 12][random.below(2) as usize];
        let mut scene = Scene::new(shift, &mut || Pace::any(random));
        let mut given = 0;
        let laziness = [1, 5, 40][random.below(3) as usize];
        while scene.completed < 300 {
            if given < 300 && !scene.free.is_empty() && random.percent(30) {
                let blocks = match random.below(8) {
                    0 => 1 + random.below(400),
                    _ => 1 + random.below(16),
                };
                scene.start(random.below(4), random.below(1 << 20), blocks, random);
                given += 1;
            }
            if scene.ended.is_empty() && random.below(laziness) == 0 {
                let direction = random.below(2) as usize;
                let fault = if random.percent(10) { random.below(FAULTS) } else { NO_FAULT };
                if let Some(tag) = scene.lanes[direction].front() {
                    let kind = scene.commands[tag].kind as usize;
                    seen[kind][usize::from(fault != NO_FAULT)] += 1;
                }
                scene.end(direction, fault);
            }
            scene.cycle();
            assert!(scene.bench.cycles() < 300_000, "stuck");
        }
        assert!(scene.commands.is_empty() && scene.order.is_empty());
        assert!(seen[1..].iter().flatten().all(|&count| count > 0), "{seen:?}");
    });
}

#[test]
fn the_largest_write_zeroes_is_cut_in_pieces_among_which_others_pass() {
    let random = &mut Random::new(1);
    let mut scene = Scene::new(12, &mut || Pace::Always);
    scene.start(WRITE_ZEROES, 5, 65_536, random);
    let pieces = (65_536 << 12) / PIECE_BYTES;
    let mut ends = 0;
    while scene.completed < 1 + pieces / 64 {
        if !scene.lanes[0].is_empty() && scene.ended.is_empty() {
            // A command each so many pieces, which completes long before the zeros.
            if ends % 64 == 0 && ends < pieces {
                scene.start(READ, 0, 1, random);
            }
            scene.end(0, NO_FAULT);
            ends += 1;
        }
        scene.end(1, NO_FAULT);
        scene.cycle();
        assert!(scene.bench.cycles() < 100_000, "stuck");
    }
    assert_eq!(ends, pieces);
    assert!(scene.commands.is_empty());
}

#[test]
fn write_zeroes_that_wait_hold_up_no_other_command() {
    seed::each(2, |random| {
        let mut scene = Scene::new(12, &mut || Pace::any(random));
        let zeros = TAGS - 2;
        for _ in 0..zeros {
            scene.start(WRITE_ZEROES, random.below(1 << 20), 1 + random.below(40), random);
        }
        scene.start(READ, 0, 1, random);
        scene.start(FLUSH, 0, 0, random);
        // No piece of zeros ends meanwhile.
        while scene.lanes[1].is_empty() || scene.completed == 0 {
            scene.cycle();
            assert!(scene.bench.cycles() < 100_000, "stuck behind write zeroes");
        }
        while !scene.commands.is_empty() {
            if scene.ended.is_empty() {
                scene.end(random.below(2) as usize, NO_FAULT);
            }
            scene.cycle();
            assert!(scene.bench.cycles() < 200_000, "stuck");
        }
        assert_eq!(scene.completed, TAGS);
    });
}

#[test]
fn all_tags_are_under_way_at_once_at_a_command_in_two_cycles() {
    let random = &mut Random::new(2);
    let mut scene = Scene::new(9, &mut || Pace::Always);
    for _ in 0..TAGS {
        scene.start(1 + random.below(2), random.below(1 << 30), 8, random);
    }
    while scene.lanes.iter().map(VecDeque::len).sum::<usize>() < TAGS as usize {
        scene.cycle();
    }
    // The first one takes one cycle more.
    assert!(scene.bench.cycles() <= 2 * TAGS + 2, "{} cycles", scene.bench.cycles());
    while scene.completed < TAGS {
        scene.end(random.below(2) as usize, NO_FAULT);
        scene.cycle();
    }
}
