//! The FTL over a drive that is made of rules.

use std::collections::BTreeSet;

use nvme::open_channel::Geometry;

use super::rig::{board, Body, Layout, Rig, ENTRIES, PAYLOAD};
use super::rules::{Faults, Random, Rules};
use super::*;
use crate::queue::{QueuePair, QueueShape};

/// A chunk that is bad from the start.
const BAD: (u32, u32) = (4, 2);

pub struct Ruled {
    memory: Memory,
    now: u64,
    pub ftl: HostFtl,
    pub drive: Rules,
    layout: Layout,
}

impl Ruled {
    pub fn rig(geometry: &Geometry, faults: Faults, seed: u64) -> Rig<Ruled> {
        let shape = Shape::new(geometry).expect("a shape");
        let mut memory = Memory::default();
        memory.reserve(QueuePair::memory_bytes(ENTRIES));
        let back = Self::back(&mut memory);
        let drive = Rules::new(shape, back, (faults, BAD));
        let found = Found::of(shape, |line, unit| (line, unit) != BAD, 11);
        let (ftl, layout) = Self::start(found, back, &mut memory);
        Rig::over(Ruled { memory, now: 0, ftl, drive, layout }, Random(seed))
    }

    fn back(memory: &mut Memory) -> QueuePair {
        QueuePair::new(QueueShape { id: 9, entries: ENTRIES, stride: 0 }, memory)
    }

    fn start(found: Found, back: QueuePair, memory: &mut Memory) -> (HostFtl, Layout) {
        memory.reserve(Layout::BYTES + found.memory_bytes(ENTRIES));
        let layout = Layout::new(memory);
        let front = &[layout.jobs];
        let start = Start { board: &board(), payload: PAYLOAD, front, stride: 0, back };
        (found.start(&start, memory).expect("an FTL"), layout)
    }

    /// Whether a job's block that the collector moved is in no list that is stored.
    fn has_moved(&self) -> bool {
        let ring = &self.ftl.ring;
        (self.ftl.journal.listed()..ring.head()).any(|position| {
            let own = ring.entry(ring.slot(position));
            own.origin == Origin::Collector && self.ftl.gaps.own(own.lba).is_none()
        })
    }

    /// What the flash holds.
    fn stored(&self) -> BTreeSet<u64> {
        let each = self.drive.shape.chunk_blocks;
        let is_there = |&place: &u32| {
            let chunk = &self.drive.chunks[(place / each) as usize];
            !chunk.is_offline && place % each < chunk.written
        };
        let places = (0..self.drive.shape.places() as u32).filter(is_there);
        places.map(|place| self.drive.stamp(place)).collect()
    }
}

impl Body for Ruled {
    fn host(&mut self) -> (u64, &mut Memory, &mut HostFtl) {
        (self.now, &mut self.memory, &mut self.ftl)
    }

    fn step(&mut self, random: &mut Random) -> bool {
        let next_ps = self.ftl.next_ps().min(self.drive.next_ps());
        let is_closing = self.ftl.is_closing && !self.ftl.is_idle();
        if next_ps == u64::MAX && !is_closing {
            return false;
        }
        self.now = self.now.max(if next_ps == u64::MAX { 0 } else { next_ps });
        let mut rings = Vec::new();
        let collected = self.ftl.counts.collected_lines;
        let mut port =
            Port { now: self.now, memory: &mut self.memory, ring: |ring| rings.push(ring) };
        if self.drive.next_ps() <= self.now {
            let (cid, times) = self.drive.end_one(self.now, port.memory);
            self.ftl.set_times(self.drive.pair.id(), cid, &times);
            self.ftl.receive(&mut port);
        }
        self.ftl.act(&mut port);
        let tail = self.drive.pair.ring_tail().offset;
        for ring in rings.into_iter().filter(|ring| ring.offset == tail) {
            self.drive.take((self.now, &mut self.memory), ring.value, random);
        }
        if self.ftl.counts.collected_lines != collected {
            names::check_kept(&self.ftl, &self.drive.lists());
            assert!(!self.has_moved(), "a line is free once all that was moved is in stored lists");
        }
        let next_ps = self.ftl.next_ps().min(self.drive.next_ps());
        let is_stuck = is_closing && next_ps == u64::MAX && !self.ftl.is_idle();
        assert!(!is_stuck, "an FTL that is closed goes on until it is idle");
        true
    }

    fn cut(&mut self, random: &mut Random, again: u32) {
        let shape = self.drive.shape;
        names::check(&self.drive.lists());
        for nth in (0..=again).rev() {
            self.memory = Memory::default();
            self.memory.reserve(QueuePair::memory_bytes(ENTRIES));
            let back = Self::back(&mut self.memory);
            self.drive.cut(back, random);
            self.drive.budget = (nth > 0).then(|| random.below(12));
            let chunks = self.drive.descriptors();
            let is_good = |line, unit| {
                chunks[shape.chunk_index(line, unit)].state != ChunkState::Offline as u8
            };
            let mut found = Found::of(shape, is_good, 11);
            let looked = found.look(&mut self.drive, &chunks);
            if nth == 0 {
                looked.expect("the drive is found again");
                (self.ftl, self.layout) = Self::start(found, back, &mut self.memory);
            }
        }
        self.drive.budget = None;
        names::check(&self.drive.lists());
    }

    fn layout(&self) -> Layout {
        self.layout
    }

    fn may_lose(&self) -> bool {
        self.drive.faults.reads > 0
    }

    fn check_durable(&self, values: &mut dyn Iterator<Item = u64>) {
        let stored = self.stored();
        values.for_each(|value| assert!(stored.contains(&value), "{value} is durable"));
    }
}
