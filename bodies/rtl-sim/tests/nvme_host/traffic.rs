//! Reads, writes, flushes and write zeroes in any mixture, against a model of all bytes.

use crate::nvme_host::buffers::Buffer;
use crate::nvme_host::world::{World, BOTH};
use nvme::io::{BlockRange, IoCommand, UnitAccess};
use rtl_sim::nvme::{CardDevice, Mode, Surroundings};
use rtl_sim::{seed, Random};
use std::collections::BTreeMap;

/// What a command under way does.
enum Act {
    Read(Buffer),
    Write(Buffer),
    Other,
}

struct Pending {
    range: Option<BlockRange>,
    act: Act,
}

/// Cycles without an end of any command: a drive of one way may collect several blocks in the time of one.
const STUCK_CYCLES: u64 = 1_000_000;

/// Random commands on all queues.
pub struct Load<D> {
    pub world: World<D>,
    /// Every byte of the namespace.
    model: Vec<u8>,
    /// By queue and identifier.
    pending: BTreeMap<(usize, u16), Pending>,
    /// Completions since the head was rung, by queue.
    unrung: Vec<u32>,
    longest: u64,
}

impl<D: CardDevice> Load<D> {
    pub fn new(mut world: World<D>, random: &mut Random) -> Self {
        let queues = 1 + random.below(4);
        for _ in 0..queues {
            world.create_queue(2 + random.below(40) as u32);
        }
        let bytes = world.identity.blocks * u64::from(world.identity.block_bytes);
        let longest = [8, 40, 256][random.below(3) as usize];
        Self {
            model: vec![0; bytes as usize],
            pending: BTreeMap::new(),
            unrung: vec![0; queues as usize],
            longest,
            world,
        }
    }

    /// A range that no command under way touches.
    fn range(&mut self, longest: u64) -> Option<BlockRange> {
        let random = &mut self.world.random;
        let blocks = 1 + random.below(longest);
        // Near each other, so that they meet in pages and stripes.
        let span = if random.percent(70) { 600 } else { self.world.identity.blocks };
        let start = random.below(span.max(blocks + 1) - blocks);
        let is_apart = |other: &BlockRange| {
            start + blocks <= other.start || other.start + u64::from(other.blocks) <= start
        };
        let mut ranges = self.pending.values().filter_map(|pending| pending.range.as_ref());
        ranges.all(is_apart).then_some(BlockRange { start, blocks: blocks as u32 })
    }

    fn bytes_of(&self, range: BlockRange) -> std::ops::Range<usize> {
        let block = self.world.identity.block_bytes as usize;
        let start = range.start as usize * block;
        start..start + range.blocks as usize * block
    }

    /// Hands one command to a queue, if it has room and something to do is found.
    fn submit(&mut self, queue: usize) {
        let outstanding =
            self.pending.keys().filter(|(of, _)| *of == queue).count() as u32 + self.unrung[queue];
        if outstanding + 1 >= self.world.queues[queue].entries() {
            return;
        }
        let choice = self.world.random.below(10);
        let access = [UnitAccess::Normal, UnitAccess::Forced][self.world.random.below(2) as usize];
        let (header, command, pending) = match choice {
            0 => {
                let header = self.world.bare_header();
                (header, IoCommand::Flush, Pending { range: None, act: Act::Other })
            }
            1 => {
                let Some(range) = self.range(600) else { return };
                let place = self.bytes_of(range);
                self.model[place].fill(0);
                let header = self.world.bare_header();
                let command = IoCommand::WriteZeroes(range, access);
                (header, command, Pending { range: Some(range), act: Act::Other })
            }
            _ => {
                let Some(range) = self.range(self.longest) else { return };
                let place = self.bytes_of(range);
                if self.world.pages.left() < place.len() as u64 / 4096 + 6 {
                    return;
                }
                let buffer = self.world.buffer(place.len() as u64);
                let header = self.world.header(&buffer);
                if choice < 6 {
                    let bytes = self.world.random.bytes(place.len());
                    buffer.fill(self.world.memory(), &bytes);
                    self.model[place].copy_from_slice(&bytes);
                    let command = IoCommand::Write(range, access);
                    (header, command, Pending { range: Some(range), act: Act::Write(buffer) })
                } else {
                    buffer.fill(self.world.memory(), &vec![0xa5; place.len()]);
                    let command = IoCommand::Read(range, access);
                    (header, command, Pending { range: Some(range), act: Act::Read(buffer) })
                }
            }
        };
        self.world.push(queue, &command.emit(header));
        self.pending.insert((queue, header.cid), pending);
    }

    /// Takes what completed; how many did.
    fn reap(&mut self, queue: usize) -> u64 {
        let mut taken = 0;
        while let Some(completion) = self.world.queues[queue].pop(self.world.device.memory()) {
            taken += 1;
            self.unrung[queue] += 1;
            let pending = self.pending.remove(&(queue, completion.cid));
            let Pending { range, act } = pending.expect("a command completes once");
            assert!(completion.status.is_success(), "{range:?}: {}", completion.status);
            assert_eq!(completion.submission_queue, queue as u16 + 1);
            match act {
                Act::Read(buffer) => {
                    let range = range.expect("reads have one");
                    let expected = &self.model[self.bytes_of(range)];
                    let found = buffer.bytes(self.world.device.memory());
                    let differ = found.iter().zip(expected).position(|(a, b)| a != b);
                    assert_eq!(differ, None, "{range:?}");
                    self.world.pages.release(buffer);
                }
                Act::Write(buffer) => self.world.pages.release(buffer),
                Act::Other => {}
            }
        }
        if self.unrung[queue] > 0 && self.world.random.percent(30) {
            self.unrung[queue] = 0;
            let ring = self.world.queues[queue].ring_head();
            self.world.device.card().bar.write(ring.offset, ring.value);
        }
        taken
    }

    /// Every byte of the namespace, as it has to be.
    pub fn bytes(&self) -> &[u8] {
        &self.model
    }

    pub fn run(&mut self, commands: u64) {
        let (mut done, mut last) = (0, self.world.device.card().cycles());
        while done < commands {
            for queue in 0..self.world.queues.len() {
                if self.world.random.percent(20) {
                    self.submit(queue);
                }
                let reaped = self.reap(queue);
                done += reaped;
                if reaped > 0 {
                    last = self.world.device.card().cycles();
                }
            }
            self.world.device.turn();
            assert!(self.world.device.card().cycles() - last < STUCK_CYCLES, "stuck");
        }
        self.drain();
    }

    /// Flushes, and goes on with what becomes of the drive.
    pub fn power_cycle(mut self, become_of: impl FnOnce(D, &mut Random) -> D) -> Self {
        let flush = IoCommand::Flush.emit(self.world.bare_header());
        assert!(self.world.io(&flush).is_success());
        let World { device, mut random, .. } = self.world;
        let device = become_of(device, &mut random);
        let mut world = World::of(device, &mut random);
        world.create_queue(16);
        Self { world, pending: BTreeMap::new(), unrung: vec![0], ..self }
    }

    /// Reads all of the namespace.
    pub fn check_all(&mut self) {
        let blocks = 64;
        for start in (0..self.world.identity.blocks).step_by(blocks) {
            let range = BlockRange { start, blocks: blocks as u32 };
            let place = self.bytes_of(range);
            let buffer = self.world.buffer(place.len() as u64);
            let header = self.world.header(&buffer);
            let read = IoCommand::Read(range, UnitAccess::Normal).emit(header);
            let status = self.world.io(&read);
            assert!(status.is_success(), "{range:?}: {status}");
            let found = buffer.bytes(self.world.memory());
            assert!(found == self.model[place], "{range:?} differs");
            self.world.pages.release(buffer);
        }
    }

    /// Ends all commands that are under way.
    fn drain(&mut self) {
        let mut last = self.world.device.card().cycles();
        while !self.pending.is_empty() {
            for queue in 0..self.world.queues.len() {
                if self.reap(queue) > 0 {
                    last = self.world.device.card().cycles();
                }
            }
            self.world.device.turn();
            assert!(self.world.device.card().cycles() - last < 400_000, "stuck");
        }
    }
}

#[test]
fn every_byte_is_where_it_belongs() {
    for mode in BOTH {
        seed::each(2, |random| {
            let around = Surroundings::any(random);
            let mut load = Load::new(World::new(mode, around, random), random);
            load.run(120);
            if mode == Mode::Automated {
                // The drive's memory is the namespace, and holds nothing else.
                let at = load.world.device.layout().namespace;
                let found = load.world.device.card().load(at, load.model.len());
                let differ = found.iter().zip(&load.model).position(|(a, b)| a != b);
                assert_eq!(differ, None, "the drive's memory");
            }
            let monitors = load.world.device.interface().monitors();
            let by_hardware = monitors.automated.reads + monitors.automated.writes > 50;
            assert_eq!(by_hardware, mode == Mode::Automated);
            assert_eq!(load.world.device.interface().dropped(), 0);
        });
    }
}
