//! Data arrives, all of it and nothing else, before it is told.

use crate::host_dma::commands::{Allocator, Command, Shape, PAGE};
use crate::host_dma::rig::{
    Behaviours, Descriptor, Direction, Fault, Moved, Rig, Size, OF_TWO_CHANNELS,
};
use rtl_sim::axi::Memory;
use rtl_sim::{seed, Random};
use std::collections::VecDeque;

/// Tops, the usual one twice as often as others.
const SIZES: [Size; 4] = [Size::Narrow, Size::Narrow, Size::Wide, Size::Narrowest];

/// A descriptor under way.
struct Job {
    command: Command,
    descriptor: Descriptor,
    bytes: Vec<u8>,
}

impl Job {
    fn new(rig: &mut Rig, pages: &mut Allocator, random: &mut Random, tag: u64) -> Self {
        let command = Command::any(rig, pages, random, 48 << 10);
        let direction = [Direction::FromHost, Direction::ToHost][random.below(2) as usize];
        Self::of(rig, pages, random, (command, tag, direction))
    }

    /// Moves a part of a command, often all of it.
    fn of(
        rig: &mut Rig,
        pages: &mut Allocator,
        random: &mut Random,
        (command, tag, direction): (Command, u64, Direction),
    ) -> Self {
        let words = command.length / 4;
        let first = if random.percent(60) { 0 } else { random.below(words) };
        let count =
            if first == 0 && random.percent(70) { words } else { 1 + random.below(words - first) };
        let memory = pages.memory(random, count * 4);
        let descriptor = Descriptor {
            host_offset: first * 4,
            length: count * 4,
            ..command.descriptor(tag, direction, memory)
        };
        let bytes = random.bytes(count as usize * 4);
        rig.fill_memory(memory, &vec![0x55; bytes.len()]);
        match direction {
            Direction::ToHost => rig.fill_memory(memory, &bytes),
            Direction::FromHost => {
                let mut whole = random.bytes(command.length as usize);
                whole[first as usize * 4..][..bytes.len()].copy_from_slice(&bytes);
                command.fill(rig, &whole);
            }
        }
        Self { command, descriptor, bytes }
    }

    /// A descriptor that the host's memory has no part in, with any data pointer.
    fn inside(rig: &mut Rig, pages: &mut Allocator, random: &mut Random, tag: u64) -> Self {
        let source = [Moved::Zeros, Moved::Zeros, Moved::None][random.below(3) as usize];
        let direction = match source {
            Moved::Zeros => Direction::FromHost,
            _ => [Direction::FromHost, Direction::ToHost][random.below(2) as usize],
        };
        let longest = [64, 2048, 6000][random.below(3) as usize];
        let length = 4 * (1 + random.below(longest));
        let memory = pages.memory(random, length);
        rig.fill_memory(memory, &random.bytes(length as usize));
        let command = Command { prp1: random.next(), prp2: random.next(), length, pages: vec![] };
        let descriptor = Descriptor {
            source,
            host_offset: random.next() as u32 as u64,
            command_length: random.next() as u32 as u64,
            ..command.descriptor(tag, direction, memory)
        };
        let bytes = if source == Moved::Zeros { vec![0; length as usize] } else { Vec::new() };
        Self { command, descriptor, bytes }
    }

    fn check(&self, rig: &Rig) {
        let Descriptor { direction, host_offset, memory, .. } = self.descriptor;
        let length = self.bytes.len() as u64;
        let found = match direction {
            Direction::FromHost => rig.memory_bytes(memory, length),
            Direction::ToHost => self.command.bytes(rig, host_offset, length),
        };
        assert!(found == self.bytes, "{:?}", self.descriptor);
    }

    /// What memory should be in the end, from what it was.
    fn expect(&self, rig: &Rig, host: &mut Memory, memories: &mut [Memory]) {
        let Descriptor { direction, host_offset, memory, .. } = self.descriptor;
        for (nth, &byte) in (0..).zip(&self.bytes) {
            let (channel, inside) = rig.striped(memory + nth);
            assert!(match direction {
                Direction::ToHost => host.set(self.command.address(host_offset + nth), byte),
                Direction::FromHost => memories[channel].set(inside, byte),
            });
        }
    }
}

/// Runs jobs to their ends, which come in order for each direction.
fn run(rig: &mut Rig, jobs: Vec<Job>) {
    let mut host = rig.host.memory().clone();
    let mut memories: Vec<_> = rig.memories.iter().map(|m| m.memory().clone()).collect();
    let count = jobs.len();
    let mut waiting = [VecDeque::new(), VecDeque::new()];
    for job in jobs {
        job.expect(rig, &mut host, &mut memories);
        rig.push(&job.descriptor);
        waiting[job.descriptor.direction as usize].push_back(job);
    }
    for _ in 0..count {
        let done = rig.next_done(100_000);
        assert!(waiting.iter().map(VecDeque::len).sum::<usize>() == 1 || !rig.is_idle());
        let job = waiting[done.direction as usize].pop_front().expect("one was waiting");
        assert_eq!((done.tag, done.fault), (job.descriptor.tag, Fault::None));
        job.check(rig);
    }
    // What is on its way still, if anything.
    rig.run(50);
    assert!(rig.is_idle());
    assert!(*rig.host.memory() == host, "something else was written to the host");
    for (nth, (found, expected)) in rig.memories.iter().zip(&memories).enumerate() {
        assert!(found.memory() == expected, "something else was written to memory {nth}");
    }
}

#[test]
fn data_arrives_whatever_the_sides_do() {
    seed::each(20, |random| {
        let size = SIZES[random.below(4) as usize];
        let mut rig = Rig::new(size, Behaviours::any(random), random);
        let mut pages = Allocator::new();
        let jobs = (0..12).map(|tag| Job::new(&mut rig, &mut pages, random, tag)).collect();
        run(&mut rig, jobs);
    });
}

#[test]
fn zeros_and_nothing_take_their_turns_among_data() {
    seed::each(12, |random| {
        let size = SIZES[random.below(4) as usize];
        let mut rig = Rig::new(size, Behaviours::any(random), random);
        let mut pages = Allocator::new();
        let jobs = (0..20).map(|tag| match random.below(5) {
            0 | 1 => Job::new(&mut rig, &mut pages, random, tag),
            _ => Job::inside(&mut rig, &mut pages, random, tag),
        });
        let jobs = jobs.collect();
        run(&mut rig, jobs);
    });
}

#[test]
fn zeros_meet_every_alignment_and_length_and_read_nothing() {
    for (size, beat) in [(Size::Narrowest, 8), (Size::Narrow, 32), (Size::Wide, 64)] {
        let mut random = Random::new(2);
        let mut rig = Rig::new(size, Behaviours::prompt(), &mut random);
        let mut pages = Allocator::new();
        let lanes = beat / 4;
        let before = rig.host.moved();
        let long = [PAGE - 4, PAGE, PAGE + 4, 3 * PAGE + 512];
        let lengths: Vec<u64> = (1..=2 * lanes).map(|words| 4 * words).chain(long).collect();
        for lane in 0..lanes {
            let mut jobs = Vec::new();
            for (tag, &length) in (0..).zip(&lengths) {
                let base = pages.memory(&mut random, length + 1024).next_multiple_of(beat);
                rig.fill_memory(base, &random.bytes(length as usize + 2 * beat as usize));
                let command = Command { prp1: 1, prp2: 1, length, pages: vec![] };
                let memory = base + 4 * lane;
                let whole = command.descriptor(tag, Direction::FromHost, memory);
                let descriptor = Descriptor { source: Moved::Zeros, ..whole };
                jobs.push(Job { command, descriptor, bytes: vec![0; length as usize] });
            }
            run(&mut rig, jobs);
        }
        assert_eq!(rig.host.moved(), before);
    }
}

#[test]
fn every_alignment_of_host_and_memory_is_joined() {
    for (size, beat) in [(Size::Narrowest, 8), (Size::Narrow, 32), (Size::Wide, 64)] {
        let mut random = Random::new(1);
        let mut rig = Rig::new(size, Behaviours::prompt(), &mut random);
        let mut pages = Allocator::new();
        let lanes = beat / 4;
        for case in 0..lanes * lanes {
            let direction = [Direction::FromHost, Direction::ToHost][case as usize % 2];
            // Beats before the end of a page, so that the second page continues at its start.
            let offset = PAGE - 3 * beat + case % lanes * 4;
            let shape = Shape { offset, length: 4 * (1 + case), list_slot: 0 };
            let command = Command::new(&mut rig, &mut pages, &mut random, shape);
            let base = pages.memory(&mut random, 2048).next_multiple_of(beat);
            let memory = base + case / lanes * 4;
            let bytes = random.bytes(shape.length as usize);
            rig.fill_memory(base, &[0; 1600]);
            match direction {
                Direction::FromHost => command.fill(&mut rig, &bytes),
                Direction::ToHost => rig.fill_memory(memory, &bytes),
            }
            let descriptor = command.descriptor(case, direction, memory);
            run(&mut rig, vec![Job { command, descriptor, bytes }]);
        }
    }
}

#[test]
fn long_lists_are_followed_from_page_to_page() {
    seed::each(3, |random| {
        let size = OF_TWO_CHANNELS[random.below(2) as usize];
        let mut rig = Rig::new(size, Behaviours::any(random), random);
        let mut pages = Allocator::new();
        let mut jobs = Vec::new();
        // 513 and more pages need a second page of the list.
        for tag in 0..3 {
            let shape = Shape {
                offset: 4 * random.below(1024),
                length: (514 + tag * 509) << 12,
                list_slot: tag * 3,
            };
            let command = Command::new(&mut rig, &mut pages, random, shape);
            let first = (500 + tag * 510 + random.below(9)) << 12;
            let memory = pages.memory(random, 40_000);
            let length = (command.length - first).min(36 << 10);
            let bytes = random.bytes(length as usize);
            rig.fill_memory(memory, &bytes);
            let descriptor = Descriptor {
                host_offset: first,
                length,
                ..command.descriptor(tag, Direction::ToHost, memory)
            };
            jobs.push(Job { command, descriptor, bytes });
        }
        run(&mut rig, jobs);
    });
}
