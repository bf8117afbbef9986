//! Requests at random to an FTL over some drive, and a model that knows what may come of them.

use std::collections::BTreeMap;

use board::Board;
use machine::HostMemory;
use nvme::command::{DataPointer, Header};
use nvme::dataset::Range;
use nvme::io::{BlockRange, DatasetUse, IoCommand, UnitAccess};

use super::model::Model;
use super::rules::Random;
use super::*;
use crate::driver::NAMESPACE;
use crate::queue::{QueuePair, QueueShape};

pub const ENTRIES: u32 = 32;
const SLOTS: u64 = 16;
/// Most blocks of a request.
const MOST: u64 = 24;
pub const PAYLOAD: Payload = Payload::Bytes { block_bytes: 4096, seed: 1 };

/// Where a test has its queue and its data in host memory.
#[derive(Clone, Copy)]
pub struct Layout {
    pub jobs: QueuePair,
    data: u64,
    lists: u64,
}

impl Layout {
    /// Host memory that it takes.
    pub const BYTES: u64 = QueuePair::memory_bytes(ENTRIES) + SLOTS * (MOST + 1) * PAGE_BYTES;

    pub fn new(memory: &mut Memory) -> Self {
        let jobs = QueuePair::new(QueueShape { id: 1, entries: ENTRIES, stride: 0 }, memory);
        let data = memory.allocate(SLOTS * MOST * PAGE_BYTES);
        Layout { jobs, data, lists: memory.allocate(SLOTS * PAGE_BYTES) }
    }

    pub fn page(&self, slot: u16, nth: u64) -> u64 {
        self.data + (u64::from(slot) * MOST + nth) * PAGE_BYTES
    }
}

/// An FTL on a drive in some body.
pub trait Body {
    /// Now, the host's memory, and the FTL.
    fn host(&mut self) -> (u64, &mut Memory, &mut HostFtl);
    /// The next thing happens. False if nothing can.
    fn step(&mut self, random: &mut Random) -> bool;
    /// The power goes away, and comes back: another FTL finds what is there. Once more for each of `again`, which cuts the
    /// start short.
    fn cut(&mut self, random: &mut Random, again: u32);
    /// Where the test's memory is since the last start.
    fn layout(&self) -> Layout;
    /// Whether reads may fail.
    fn may_lose(&self) -> bool;
    /// What a durable block holds is on the flash.
    fn check_durable(&self, _values: &mut dyn Iterator<Item = u64>) {}
}

/// A request of the test.
#[derive(Clone)]
struct Asked {
    command: IoCommand,
    range: (u64, u64),
    /// The last change before it.
    changed: u64,
    /// Ranges of those that were under way then.
    beside: Vec<(u64, u64)>,
}

/// A test.
pub struct Rig<B> {
    pub body: B,
    pub layout: Layout,
    pub random: Random,
    pub model: Model,
    asked: BTreeMap<u16, Asked>,
    pub refused: u64,
    pub lost: u64,
}

impl<B: Body> Rig<B> {
    pub fn over(mut body: B, random: Random) -> Self {
        let blocks = body.host().2.front.blocks();
        let layout = body.layout();
        let model = Model::new(blocks);
        Rig { body, layout, random, model, asked: BTreeMap::new(), refused: 0, lost: 0 }
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
        let (layout, model) = (self.layout, &mut self.model);
        let (now, memory, ftl) = self.body.host();
        let list = layout.lists + u64::from(slot) * PAGE_BYTES;
        let blocks = range.1 - range.0;
        let changed = model.changed();
        let mut data = DataPointer { prp1: layout.page(slot, 0), prp2: 0 };
        match command {
            IoCommand::DatasetManagement { .. } => {
                let mut bytes = [0; 16];
                Range { attributes: 0, blocks: blocks as u32, start: range.0 }.emit(&mut bytes);
                assert!(memory.write(data.prp1, &bytes));
                (range.0..range.1).for_each(|lba| model.trim(lba));
            }
            _ if blocks == 2 => data.prp2 = layout.page(slot, 1),
            _ => {
                for nth in 1..blocks {
                    let page = layout.page(slot, nth).to_le_bytes();
                    assert!(memory.write(list + (nth - 1) * 8, &page));
                }
                data.prp2 = list;
            }
        }
        for nth in 0..blocks {
            let word = match command {
                IoCommand::Write(..) => model.write(range.0 + nth),
                IoCommand::Read(..) => u64::MAX,
                _ => continue,
            };
            // Both ends tell a block that is there in part.
            let page = memory.at_mut(layout.page(slot, nth), PAGE_BYTES as usize);
            page[..8].copy_from_slice(&word.to_le_bytes());
            page[4088..].copy_from_slice(&word.to_le_bytes());
        }
        let entry = command.emit(Header { cid: slot, nsid: NAMESPACE, data });
        self.layout.jobs.push(memory, &entry);
        ftl.rung(self.layout.jobs.ring_tail());
        ftl.take_rung(now, memory);
        let beside = self.asked.values().map(|own| own.range).collect();
        self.asked.insert(slot, Asked { command, range, changed, beside });
    }

    /// Asks for something at random; one in so many requests is a flush.
    fn ask_any(&mut self, flushes: u64) {
        let all = self.model.blocks();
        let blocks = 1 + self.random.below(MOST);
        // Most of it to a part of the drive, so that lines differ in what is valid.
        let most = if self.random.below(4) > 0 { all / 4 } else { all };
        let start = self.random.below(most - blocks);
        let range = BlockRange { start, blocks: blocks as u32 };
        if self.random.below(flushes) == 0 {
            return self.ask(IoCommand::Flush, (0, 0));
        }
        let command = match self.random.below(40) {
            0..2 => {
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
        let goes_on = self.body.step(&mut self.random);
        self.see();
        goes_on
    }

    /// What a block of a request's memory holds.
    fn word(&mut self, cid: u16, nth: u64) -> u64 {
        let at = self.layout.page(cid, nth);
        let (_, memory, _) = self.body.host();
        let [first, last] = [at, at + 4088].map(|at| u64::from_le_bytes(*memory.array(at)));
        assert_eq!(first, last, "a block as a whole");
        first
    }

    /// Takes completions and checks them.
    fn see(&mut self) {
        loop {
            let (now, memory, ftl) = self.body.host();
            let Some((lane, cid, times)) = ftl.next_done(memory) else { return };
            assert_eq!(lane, 0);
            assert!(times.posted_ps <= now);
            assert_eq!(times.inside.total(), times.posted_ps - times.fetched_ps);
            let done = self.layout.jobs.pop(memory).expect("its completion is there");
            assert_eq!(done.cid, cid);
            let asked = self.asked.remove(&cid).expect("it was asked");
            self.judge(cid, &asked, done.status);
        }
    }

    fn judge(&mut self, cid: u16, asked: &Asked, status: Status) {
        let Asked { command, range: (start, end), changed, .. } = *asked;
        let blocks = start..end;
        match (command, status.is_success()) {
            (IoCommand::Read(..), true) => {
                for (nth, lba) in (0..).zip(blocks.clone()) {
                    let word = self.word(cid, nth);
                    let expected = self.model.now(lba);
                    let is_right = expected.is_none_or(|own| own == word);
                    assert!(is_right, "block {lba}: {word}, {expected:?}");
                }
            }
            (IoCommand::Read(..), false) => {
                assert!(self.body.may_lose() && status.is(Status::UNRECOVERED_READ), "{status}");
                self.lost += 1;
            }
            (IoCommand::DatasetManagement { .. }, true) => {
                blocks.clone().for_each(|lba| self.model.trimmed(lba));
            }
            (IoCommand::DatasetManagement { .. }, false) => {
                assert!(status.is(Status::WRITE_TO_READ_ONLY), "{status}");
                self.refused += 1;
            }
            (IoCommand::Write(..), false) => {
                assert!(status.is(Status::WRITE_TO_READ_ONLY), "{status}");
                blocks.clone().for_each(|lba| self.model.failed(lba));
                self.refused += 1;
            }
            (_, is_success) => assert!(is_success),
        }
        let is_forced = matches!(command, IoCommand::Write(_, UnitAccess::Forced));
        let mut durable = Vec::new();
        if is_forced && status.is_success() {
            let last = changed + end - start;
            durable.extend(blocks.filter_map(|lba| self.model.durable(lba, last)));
        }
        if command == IoCommand::Flush {
            // What was written before it, and by no request since that was or is under way.
            let others = self.asked.values().map(|own| own.range);
            let in_use: Vec<_> = others.chain(asked.beside.iter().copied()).collect();
            for lba in 0..self.model.blocks() {
                let is_used = in_use.iter().any(|&(start, end)| (start..end).contains(&lba));
                let is_lost = self.body.host().2.map.find(lba as u32) == Where::Lost;
                if !is_used && !is_lost {
                    durable.extend(self.model.durable(lba, changed));
                }
            }
        }
        self.body.check_durable(&mut durable.into_iter().filter(|&value| value > 0));
    }

    /// Counts what is valid of each line anew. The collector finds it by its place.
    fn check_lines(&mut self) {
        let (_, _, ftl) = self.body.host();
        let mut valid = vec![0; ftl.shape.lines as usize];
        for lba in 0..ftl.map.blocks() {
            let place = match ftl.map.find(lba as u32) {
                Where::Flash(place) => place,
                Where::Buffer(slot) => ftl.ring.entry(slot).place,
                Where::Nowhere | Where::Lost => continue,
            };
            if place != ring::NO_PLACE {
                valid[ftl.shape.line_of(place) as usize] += 1;
                assert_eq!(ftl.map.block_at(place), Some(lba as u32), "place {place}");
            }
        }
        for (line, valid) in (0..).zip(valid) {
            assert_eq!(ftl.lines.of(line).valid, valid, "line {line}");
        }
    }

    /// Reads all blocks; nothing else is under way. What they hold, none where a read failed.
    fn read_all(&mut self) -> Vec<Option<u64>> {
        let all = self.model.blocks();
        let mut found = Vec::new();
        for start in (0..all).step_by(MOST as usize) {
            let blocks = (all - start).min(MOST);
            let range = BlockRange { start, blocks: blocks as u32 };
            let (slot, lost) = (0, self.lost);
            self.ask(IoCommand::Read(range, UnitAccess::Normal), (start, start + blocks));
            while self.step() {}
            assert!(self.asked.is_empty(), "a read ended");
            for nth in 0..blocks {
                found.push((self.lost == lost).then(|| self.word(slot, nth)));
            }
        }
        found
    }

    /// Runs so many requests.
    pub fn work(&mut self, requests: u32, flushes: u64) {
        for nth in 0..requests {
            self.ask_any(flushes);
            for _ in 0..self.random.below(6) {
                self.step();
            }
            if nth % 512 == 0 {
                self.check_lines();
            }
        }
    }

    /// The power goes away amid all, and what is there afterwards is looked at.
    pub fn cut(&mut self) {
        let again = self.random.below(3) as u32;
        self.body.cut(&mut self.random, again);
        self.layout = self.body.layout();
        self.asked.clear();
        self.check_lines();
        assert_eq!(self.body.host().2.front.blocks(), self.model.blocks());
        let found = self.with_any(Self::read_all);
        let found: Vec<_> = found.into_iter().map(|value| value.expect("it can be read")).collect();
        self.model.settle(&found);
    }

    /// Does something while all blocks may hold anything.
    fn with_any<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> T {
        let (blocks, changed) = (self.model.blocks(), self.model.changed());
        let mut any = Model::new(blocks);
        (0..blocks).for_each(|lba| any.failed(lba));
        assert!(changed >= any.changed());
        let own = std::mem::replace(&mut self.model, any);
        let result = act(self);
        self.model = own;
        result
    }

    /// Lets everything end, and reads all blocks.
    pub fn end(&mut self) {
        while self.step() {}
        assert!(self.asked.is_empty(), "{} requests never ended", self.asked.len());
        self.read_all();
        self.check_lines();
        assert_eq!(self.body.host().2.broken(), None);
    }

    /// Runs so many requests, then lets everything end, and reads all blocks.
    pub fn run(&mut self, requests: u32) {
        self.work(requests, 40);
        self.end();
    }

    /// The drive is closed, and everything is durable.
    pub fn close(&mut self) {
        let (_, _, ftl) = self.body.host();
        ftl.close();
        while self.step() {}
        assert!(self.body.host().2.is_idle());
        let changed = self.model.changed();
        (0..self.model.blocks()).for_each(|lba| {
            self.model.durable(lba, changed);
        });
    }
}

/// The board that says what a host's work takes.
pub fn board() -> Board {
    Board::resolve("small", &[]).expect("a board")
}
