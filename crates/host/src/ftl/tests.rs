//! The FTL over a drive that is made of rules alone: what it may be asked, and when, and what it answers.

mod rules;

use std::collections::{BTreeMap, BTreeSet};

use board::Board;
use nvme::command::{DataPointer, Header};
use nvme::dataset::Range;
use nvme::io::{BlockRange, DatasetUse, IoCommand, UnitAccess};
use nvme::open_channel::Geometry;
use sim::HostMemory;

use super::shape::tests::geometry;
use super::*;
use crate::driver::NAMESPACE;
use crate::queue::{QueuePair, QueueShape};
use rules::{Faults, Random, Rules};

const ENTRIES: u32 = 32;
const SLOTS: u64 = 16;
/// Most blocks of a request.
const MOST: u64 = 24;

/// A request of the test.
#[derive(Clone)]
struct Asked {
    command: IoCommand,
    range: (u64, u64),
    /// The last block that was written before it.
    version: u64,
    /// Ranges of those that were under way then.
    beside: Vec<(u64, u64)>,
}

/// The FTL between a test and such a drive.
struct Rig {
    memory: Memory,
    now: u64,
    ftl: HostFtl,
    drive: Rules,
    jobs: QueuePair,
    data: u64,
    lists: u64,
    random: Random,
    /// What each block holds: 0 for nothing, and none if it may read as lost.
    model: Vec<Option<u64>>,
    blocks: u64,
    asked: BTreeMap<u16, Asked>,
    version: u64,
    /// The version of each block that was durable after the last flush, 0 for none.
    durable: Vec<u64>,
    refused: u64,
    lost: u64,
}

impl Rig {
    fn new(geometry: &Geometry, faults: Faults, seed: u64) -> Self {
        let board = Board::resolve("small", &[]).expect("a board");
        let shape = Shape::new(geometry).expect("a shape");
        let found = Found::of(shape, |line, unit| (line, unit) != (4, 2), 11);
        let blocks = found.blocks().expect("blocks");
        let mut memory = Memory::default();
        let rings = 2 * QueuePair::memory_bytes(ENTRIES);
        let data = SLOTS * MOST * PAGE_BYTES;
        memory.reserve(rings + found.memory_bytes(ENTRIES) + data + SLOTS * PAGE_BYTES);
        let [jobs, back] = [1, 9]
            .map(|id| QueuePair::new(QueueShape { id, entries: ENTRIES, stride: 0 }, &mut memory));
        let payload = Payload::Stamps { block_bytes: 4096 };
        let start = Start { board: &board, payload, front: &[jobs], stride: 0, back };
        let ftl = found.start(&start, &mut memory).expect("an FTL");
        Rig {
            now: 0,
            ftl,
            drive: Rules::new(shape, back, faults),
            jobs,
            data: memory.allocate(data),
            lists: memory.allocate(SLOTS * PAGE_BYTES),
            memory,
            random: Random(seed),
            model: vec![Some(0); blocks as usize],
            blocks,
            asked: BTreeMap::new(),
            version: 0,
            durable: vec![0; blocks as usize],
            refused: 0,
            lost: 0,
        }
    }

    fn page(&self, slot: u16, nth: u64) -> u64 {
        self.data + (u64::from(slot) * MOST + nth) * PAGE_BYTES
    }

    /// Asks for something, unless its range is in use.
    fn ask(&mut self, command: IoCommand, range: (u64, u64)) {
        let overlaps = |asked: &Asked| {
            let (start, end) = asked.range;
            range.0 < end && start < range.1
        };
        if self.asked.values().any(overlaps) {
            return;
        }
        let slot = (0..SLOTS as u16).find(|slot| !self.asked.contains_key(slot));
        let Some(slot) = slot else { return };
        let list = self.lists + u64::from(slot) * PAGE_BYTES;
        let blocks = range.1 - range.0;
        let mut data = DataPointer { prp1: self.page(slot, 0), prp2: 0 };
        match command {
            IoCommand::DatasetManagement { .. } => {
                let mut bytes = [0; 16];
                Range { attributes: 0, blocks: blocks as u32, start: range.0 }.emit(&mut bytes);
                assert!(self.memory.write(data.prp1, &bytes));
            }
            _ if blocks == 2 => data.prp2 = self.page(slot, 1),
            _ => {
                for nth in 1..blocks {
                    let page = self.page(slot, nth).to_le_bytes();
                    assert!(self.memory.write(list + (nth - 1) * 8, &page));
                }
                data.prp2 = list;
            }
        }
        for nth in 0..blocks {
            let page = self.page(slot, nth);
            let word = match command {
                IoCommand::Write(..) => {
                    self.version += 1;
                    self.model[(range.0 + nth) as usize] = Some(self.version);
                    self.version
                }
                IoCommand::Read(..) => u64::MAX,
                _ => continue,
            };
            assert!(self.memory.write(page, &word.to_le_bytes()));
        }
        let entry = command.emit(Header { cid: slot, nsid: NAMESPACE, data });
        self.jobs.push(&mut self.memory, &entry);
        self.ftl.rung(self.jobs.ring_tail());
        self.ftl.take_rung(self.now, &self.memory);
        let beside = self.asked.values().map(|own| own.range).collect();
        self.asked.insert(slot, Asked { command, range, version: self.version, beside });
    }

    /// Asks for something at random.
    fn ask_any(&mut self) {
        let blocks = 1 + self.random.below(MOST);
        // Most of it to a part of the drive, so that lines differ in what is valid.
        let most = if self.random.below(4) > 0 { self.blocks / 4 } else { self.blocks };
        let start = self.random.below(most - blocks);
        let range = BlockRange { start, blocks: blocks as u32 };
        let command = match self.random.below(40) {
            0 => return self.ask(IoCommand::Flush, (0, 0)),
            1 => {
                let purpose = DatasetUse::Deallocate;
                IoCommand::DatasetManagement { ranges: 1, purpose }
            }
            2 => IoCommand::Write(range, UnitAccess::Forced),
            3..12 => IoCommand::Read(range, UnitAccess::Normal),
            _ => IoCommand::Write(range, UnitAccess::Normal),
        };
        self.ask(command, (start, start + blocks));
    }

    /// Lets the next thing happen. False if nothing can.
    fn step(&mut self) -> bool {
        let next_ps = self.ftl.next_ps().min(self.drive.next_ps());
        if next_ps == u64::MAX {
            return false;
        }
        self.now = self.now.max(next_ps);
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
        let resets = self.drive.seen[2];
        for ring in rings.into_iter().filter(|ring| ring.offset == tail) {
            self.drive.take((self.now, &mut self.memory), ring.value, &mut self.random);
        }
        if self.ftl.counts.collected_lines != collected {
            let waiting = self.ftl.ring.waiting(Origin::Collector);
            assert_eq!(waiting, 0, "a line is free once all that was moved is stored");
        }
        if self.drive.seen[2] / 16 != resets / 16 {
            self.check_durable();
        }
        self.see();
        true
    }

    /// Takes completions and checks them.
    fn see(&mut self) {
        while let Some((lane, cid, times)) = self.ftl.next_done(&mut self.memory) {
            assert_eq!((lane, times.posted_ps), (0, self.now));
            assert_eq!(times.inside.total(), times.posted_ps - times.fetched_ps);
            let done = self.jobs.pop(&self.memory).expect("its completion is there");
            assert_eq!(done.cid, cid);
            let asked = self.asked.remove(&cid).expect("it was asked");
            let Asked { command, range: (start, end), .. } = asked;
            let blocks = start..end;
            match (command, done.status.is_success()) {
                (IoCommand::Read(..), true) => {
                    for (nth, lba) in (0..).zip(blocks) {
                        let word = u64::from_le_bytes(*self.memory.array(self.page(cid, nth)));
                        let expected = self.model[lba as usize];
                        assert!(
                            expected.is_none_or(|own| own == word),
                            "block {lba}: {word}, {expected:?}"
                        );
                    }
                }
                (IoCommand::Read(..), false) => {
                    let may_fail = self.drive.faults.reads > 0;
                    assert!(may_fail && done.status.is(Status::UNRECOVERED_READ));
                    self.lost += 1;
                }
                (IoCommand::DatasetManagement { .. }, true) => {
                    blocks.for_each(|lba| self.model[lba as usize] = Some(0));
                }
                (IoCommand::Write(..), false) => {
                    assert!(done.status.is(Status::WRITE_TO_READ_ONLY), "{}", done.status);
                    blocks.for_each(|lba| self.model[lba as usize] = None);
                    self.refused += 1;
                }
                (_, is_success) => assert!(is_success),
            }
            if matches!(command, IoCommand::Write(_, UnitAccess::Forced))
                && done.status.is_success()
            {
                let stored = self.stored();
                let held = self.model[start as usize..end as usize].iter().flatten();
                held.for_each(|version| assert!(stored.contains(version), "written with FUA"));
            }
            if command == IoCommand::Flush {
                self.flushed(&asked);
            }
        }
    }

    /// What the flash holds.
    fn stored(&self) -> BTreeSet<u64> {
        let each = self.drive.shape.chunk_blocks;
        let places = (0..self.drive.shape.places() as u32)
            .filter(|place| place % each < self.drive.chunks[(place / each) as usize].written);
        places.map(|place| self.drive.stamps[place as usize]).collect()
    }

    /// After a flush: what was written before it, and by no request since that was or is under way, is on the flash.
    fn flushed(&mut self, asked: &Asked) {
        let others = self.asked.values().map(|own| own.range);
        let in_use: Vec<_> = others.chain(asked.beside.iter().copied()).collect();
        let stored = self.stored();
        let mut durable = vec![0; self.model.len()];
        for (lba, &held) in (0..).zip(&self.model) {
            let is_used = in_use.iter().any(|&(start, end)| (start..end).contains(&lba));
            let is_before = held.is_some_and(|version| version > 0 && version <= asked.version);
            if is_before && !is_used && self.ftl.map.find(lba as u32) != Where::Lost {
                assert!(stored.contains(&held.unwrap_or(0)), "block {lba} was flushed");
                durable[lba as usize] = held.unwrap_or(0);
            }
        }
        self.durable = durable;
    }

    /// What a flush has made durable, and nothing was written over since, is on the flash though chunks were reset.
    fn check_durable(&self) {
        let stored = self.stored();
        for (lba, (&version, &held)) in self.durable.iter().zip(&self.model).enumerate() {
            let is_lost = self.ftl.map.find(lba as u32) == Where::Lost;
            let is_needed = version > 0 && held == Some(version) && !is_lost;
            assert!(!is_needed || stored.contains(&version), "block {lba} was durable");
        }
    }

    /// Counts what is valid of each line anew.
    fn check_lines(&self) {
        let mut valid = vec![0; self.ftl.shape.lines as usize];
        for lba in 0..self.blocks {
            let place = match self.ftl.map.find(lba as u32) {
                Where::Flash(place) => place,
                Where::Buffer(slot) => self.ftl.ring.entry(slot).place,
                Where::Nowhere | Where::Lost => continue,
            };
            if place != ring::NO_PLACE {
                valid[self.ftl.shape.line_of(place) as usize] += 1;
            }
        }
        for (line, valid) in (0..).zip(valid) {
            assert_eq!(self.ftl.lines.of(line).valid, valid, "line {line}");
        }
    }

    /// Runs so many requests, then lets everything end, and reads all blocks.
    fn run(&mut self, requests: u32) {
        for nth in 0..requests {
            self.ask_any();
            for _ in 0..self.random.below(6) {
                self.step();
            }
            if nth % 512 == 0 {
                self.check_lines();
            }
        }
        while self.step() {}
        assert!(self.asked.is_empty(), "{} requests never ended", self.asked.len());
        for start in (0..self.blocks).step_by(MOST as usize) {
            let blocks = (self.blocks - start).min(MOST);
            let range = BlockRange { start, blocks: blocks as u32 };
            self.ask(IoCommand::Read(range, UnitAccess::Normal), (start, start + blocks));
            while self.step() {}
            assert!(self.asked.is_empty());
        }
        self.check_lines();
        assert_eq!(self.ftl.broken(), None);
        self.ftl.close();
        self.ftl.act(&mut Port { now: self.now, memory: &mut self.memory, ring: |_| {} });
    }
}

#[test]
fn what_jobs_wrote_is_read_while_lines_are_collected() {
    for seed in 1..4 {
        let mut rig = Rig::new(&geometry(), Faults::default(), seed);
        rig.run(6000);
        let counts = rig.ftl.counts();
        assert!(counts.collected_lines > 20 && counts.resets > 100, "{counts:?}");
        assert!(counts.buffer_blocks > 100 && counts.flash_blocks > 1000, "{counts:?}");
        assert_eq!((rig.refused, rig.lost, counts.failed_writes), (0, 0, 0));
    }
}

#[test]
fn nothing_is_read_from_the_flash_before_the_drive_can() {
    for (blocks_before_read, seed) in [(4, 1), (8, 2), (12, 3)] {
        let geometry = Geometry { blocks_before_read, ..geometry() };
        for faults in [Faults::default(), Faults { writes: 20, ..Faults::default() }] {
            let mut rig = Rig::new(&geometry, faults, seed);
            rig.run(4000);
            assert!(rig.ftl.counts().collected_lines > 10);
        }
    }
}

#[test]
fn writes_that_fail_are_done_again_elsewhere() {
    for seed in 1..4 {
        let mut rig = Rig::new(&geometry(), Faults { writes: 30, ..Faults::default() }, seed);
        rig.run(6000);
        let counts = rig.ftl.counts();
        assert!(counts.failed_writes > 50, "{counts:?}");
        assert_eq!((rig.refused, rig.lost), (0, 0));
    }
}

#[test]
fn a_drive_whose_chunks_go_bad_is_read_only_in_the_end_and_keeps_its_data() {
    for seed in 1..4 {
        let mut rig = Rig::new(&geometry(), Faults { resets: 60, ..Faults::default() }, seed);
        rig.run(6000);
        assert!(rig.refused > 100 && rig.ftl.counts().bad_chunks > 10);
    }
}

#[test]
fn what_cannot_be_moved_reads_as_lost_until_it_is_written() {
    for seed in 1..4 {
        let mut rig = Rig::new(&geometry(), Faults { reads: 40, ..Faults::default() }, seed);
        rig.run(6000);
        assert!(rig.lost > 20 && rig.ftl.counts().lost_blocks > 0);
    }
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let mut rig = Rig::new(&geometry(), Faults::default(), 1);
    let blocks = rig.blocks;
    let beyond = IoCommand::Read(BlockRange { start: blocks, blocks: 1 }, UnitAccess::Normal);
    let compare = IoCommand::Compare(BlockRange { start: 0, blocks: 1 }, UnitAccess::Normal);
    for (command, status) in [(beyond, Status::LBA_OUT_OF_RANGE), (compare, Status::INVALID_OPCODE)]
    {
        let data = DataPointer { prp1: rig.page(0, 0), prp2: 0 };
        let entry = command.emit(Header { cid: 3, nsid: NAMESPACE, data });
        rig.jobs.push(&mut rig.memory, &entry);
        rig.ftl.rung(rig.jobs.ring_tail());
        rig.ftl.take_rung(rig.now, &rig.memory);
        rig.now = rig.ftl.next_ps();
        rig.ftl.act(&mut Port { now: rig.now, memory: &mut rig.memory, ring: |_| {} });
        rig.ftl.next_done(&mut rig.memory).expect("it is done");
        assert!(rig.jobs.pop(&rig.memory).expect("it is told").status.is(status));
    }
}
