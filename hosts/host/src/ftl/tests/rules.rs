//! A drive that is made of rules, and asserts that its host keeps to them.

use std::collections::BTreeMap;

use contract::{Cause, Part, Split};
use machine::HostMemory;
use nvme::command::{DataPointer, Entry as Command64, ENTRY_BYTES};
use nvme::completion::{CompletionEntry, Phase};
use nvme::open_channel::{AddressList, ChunkDescriptor, ChunkState, VectorCommand, MOST_ADDRESSES};

use super::super::journal::List;
use super::super::recover::Flash;
use super::super::shape::{LineId, Unit};
use super::*;
use crate::driver::DriverError;
use crate::queue::QueuePair;

/// Pseudo-random numbers (xorshift).
pub struct Random(pub u64);

impl Random {
    /// A number below another.
    pub fn below(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }
}

/// How often a drive fails, of 1000 commands.
#[derive(Clone, Copy, Default)]
pub struct Faults {
    pub writes: u64,
    pub resets: u64,
    pub reads: u64,
}

#[derive(Clone, Copy, Default)]
pub struct Chunk {
    pub written: u32,
    is_closed: bool,
    /// It could not be reset. A power loss takes this back.
    pub is_offline: bool,
}

/// What of a command a power loss may take back.
#[derive(Clone, Copy)]
struct Undo {
    chunk: usize,
    before: Chunk,
    kind: VectorKind,
}

/// A command under way: when it was fetched, how it ends, and what may be taken back.
struct Running {
    fetched_ps: u64,
    status: Status,
    failed: u64,
    undo: Option<Undo>,
}

/// A drive that asserts what a host has to keep to.
pub struct Rules {
    pub shape: Shape,
    places: BTreeMap<u64, u32>,
    pub pair: QueuePair,
    head: u32,
    tail: u32,
    phase: Phase,
    pub chunks: Vec<Chunk>,
    /// What each place holds.
    data: Vec<u8>,
    /// Commands by the time at which they end.
    under_way: BTreeMap<(u64, u16), Running>,
    writing: Vec<Option<u16>>,
    pub faults: Faults,
    /// Commands so far by kind: reads, writes, resets.
    pub seen: [u64; 3],
    /// Writes and resets of a start after which the power goes away again.
    pub budget: Option<u64>,
    /// A chunk that is bad from the start.
    bad: usize,
}

impl Rules {
    /// A drive whose chunk of a line and a parallel unit is bad.
    pub fn new(shape: Shape, pair: QueuePair, (faults, bad): (Faults, (LineId, Unit))) -> Self {
        let places = (0..shape.places() as u32).map(|place| (shape.address(place), place));
        let chunks = shape.chunks() as usize;
        Rules {
            shape,
            places: places.collect(),
            pair,
            head: 0,
            tail: 0,
            phase: Phase::One,
            chunks: vec![Chunk::default(); chunks],
            data: vec![0; shape.places() as usize * PAGE_BYTES as usize],
            under_way: BTreeMap::new(),
            writing: vec![None; shape.units() as usize],
            faults,
            seen: [0; 3],
            budget: None,
            bad: (bad.0 * shape.units() + bad.1) as usize,
        }
    }

    /// The first word of a place.
    pub fn stamp(&self, place: u32) -> u64 {
        u64::from_le_bytes(*self.block(place).first_chunk().expect("a block"))
    }

    /// Lists that are stored: those of writes that have ended.
    pub fn lists(&self) -> Vec<List> {
        let mut stored: Vec<_> = self.chunks.iter().map(|chunk| chunk.written).collect();
        for Undo { chunk, before, kind } in self.under_way.values().filter_map(|own| own.undo) {
            if kind == VectorKind::Write {
                stored[chunk] = before.written;
            }
        }
        let Shape { chunk_blocks, write_blocks, .. } = self.shape;
        let ends = |stored: u32| (write_blocks..=stored).step_by(write_blocks as usize);
        let chunks = (0_u32..).zip(stored);
        let places = chunks.flat_map(|(chunk, stored)| {
            ends(stored).map(move |end| chunk * chunk_blocks + end - 1)
        });
        places.filter_map(|place| List::parse(self.block(place), place)).collect()
    }

    fn block(&self, place: u32) -> &[u8] {
        &self.data[place as usize * PAGE_BYTES as usize..][..PAGE_BYTES as usize]
    }

    fn put(&mut self, place: u32, block: &[u8]) {
        self.data[place as usize * PAGE_BYTES as usize..][..PAGE_BYTES as usize]
            .copy_from_slice(block);
    }

    /// The power goes away: of what was under way any part may be there. Another host comes.
    pub fn cut(&mut self, pair: QueuePair, random: &mut Random) {
        for (_, running) in std::mem::take(&mut self.under_way) {
            let Some(Undo { chunk, before, kind }) = running.undo else { continue };
            let own = &mut self.chunks[chunk];
            match kind {
                VectorKind::Write => {
                    // Page by page, and the page that was torn closes the chunk.
                    let pages = u64::from((own.written - before.written) / 4);
                    let kept = before.written + 4 * random.below(pages + 1) as u32;
                    let is_torn = kept < own.written && random.below(2) == 0;
                    own.is_closed = is_torn || kept == own.written && own.is_closed;
                    own.written = kept;
                }
                _ if random.below(2) == 0 => *own = before,
                _ => {}
            }
        }
        for chunk in &mut self.chunks {
            chunk.is_closed |= chunk.is_offline;
            chunk.is_offline = false;
        }
        self.writing.fill(None);
        (self.pair, self.head, self.tail, self.phase) = (pair, 0, 0, Phase::One);
    }

    /// What it tells of its chunks.
    pub fn descriptors(&self) -> Vec<ChunkDescriptor> {
        let mut all = vec![ChunkDescriptor::zeroed(); self.chunks.len()];
        for line in 0..self.shape.lines {
            for unit in 0..self.shape.units() {
                let nth = (line * self.shape.units() + unit) as usize;
                let chunk = &self.chunks[nth];
                let state = match chunk {
                    _ if nth == self.bad => ChunkState::Offline,
                    Chunk { is_offline: true, .. } => ChunkState::Offline,
                    Chunk { is_closed: true, .. } => ChunkState::Closed,
                    Chunk { written: 0, .. } => ChunkState::Free,
                    _ => ChunkState::Open,
                };
                let own = &mut all[self.shape.chunk_index(line, unit)];
                (own.state, own.written) = (state as u8, chunk.written.into());
            }
        }
        all
    }

    /// Takes one of the writes and resets of a start.
    fn spend(&mut self) -> Result<(), DriverError> {
        match &mut self.budget {
            Some(0) => Err(DriverError::Silent { command: "cut off" }),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// The drive stores a block.
    fn store(&mut self, place: u32, block: &[u8]) {
        let each = self.shape.chunk_blocks;
        assert_ne!((place / each) as usize, self.bad);
        let own = &mut self.chunks[(place / each) as usize];
        assert_eq!((own.written, own.is_closed, own.is_offline), (place % each, false, false));
        own.written += 1;
        own.is_closed = own.written == each;
        self.put(place, block);
    }

    /// Takes what stands in the queue up to a tail.
    pub fn take(&mut self, (now, memory): (u64, &mut Memory), tail: u32, random: &mut Random) {
        while self.head != tail {
            let at = self.pair.submission_address() + u64::from(self.head) * ENTRY_BYTES as u64;
            let entry = Command64::from_bytes(memory.array(at));
            self.head = (self.head + 1) % self.pair.entries();
            let running = self.run((now, memory), &entry, random);
            let time = 100_000 + random.below(20_000_000);
            self.under_way.insert((now + time, entry.cid()), running);
        }
    }

    fn run(
        &mut self,
        (now, memory): (u64, &mut Memory),
        entry: &Command64,
        random: &mut Random,
    ) -> Running {
        let command = VectorCommand::parse(entry).expect("a vector command").expect("a right one");
        let word = |memory: &Memory, at| u64::from_le_bytes(*memory.array(at));
        let places: Vec<u32> = (0..u64::from(command.count))
            .map(|nth| match command.addresses {
                AddressList::Single(address) => address,
                AddressList::At(at) => word(memory, at + 8 * nth),
            })
            .map(|address| self.places[&address])
            .collect();
        let DataPointer { prp1, prp2 } = entry.data();
        let page = |memory: &Memory, nth: usize| match (nth, places.len()) {
            (0, _) => prp1,
            (_, 2) => prp2,
            _ => word(memory, prp2 + 8 * (nth as u64 - 1)),
        };
        let each = self.shape.chunk_blocks;
        match command.kind {
            VectorKind::Read => {
                self.seen[0] += 1;
                let fails = random.below(1000) < self.faults.reads;
                for (nth, &place) in places.iter().enumerate() {
                    let chunk = &self.chunks[(place / each) as usize];
                    let behind = chunk.written.checked_sub(place % each + 1);
                    let behind = behind.expect("nothing is read that is not written");
                    assert!(
                        chunk.is_closed || behind >= self.shape.blocks_before_read,
                        "{behind} blocks are written behind one that is read"
                    );
                    let to = page(memory, nth);
                    memory.at_mut(to, PAGE_BYTES as usize).copy_from_slice(self.block(place));
                }
                let status = if fails { Status::UNRECOVERED_READ } else { Status::SUCCESS };
                Running { fetched_ps: now, status, failed: fails.into(), undo: None }
            }
            VectorKind::Write => {
                self.seen[1] += 1;
                assert_eq!(places.len() as u32, self.shape.write_blocks);
                let unit = self.shape.unit_of(places[0]) as usize;
                let before = self.writing[unit].replace(entry.cid());
                assert_eq!(before, None, "two writes to a parallel unit");
                let chunk = (places[0] / each) as usize;
                let fails = random.below(1000) < self.faults.writes;
                let good = if fails { places.len() / 2 } else { places.len() };
                let undo = Undo { chunk, before: self.chunks[chunk], kind: command.kind };
                for (nth, &place) in places.iter().take(good).enumerate() {
                    assert_eq!((place / each) as usize, chunk);
                    self.store(place, memory.at(page(memory, nth), PAGE_BYTES as usize));
                }
                self.chunks[chunk].is_closed |= fails;
                let (status, failed) = match fails {
                    true => (Status::CHUNK_EARLY_CLOSE, u64::MAX << good),
                    false => (Status::SUCCESS, 0),
                };
                Running { fetched_ps: now, status, failed, undo: Some(undo) }
            }
            VectorKind::Reset => {
                self.seen[2] += 1;
                let chunk = (places[0] / each) as usize;
                let undo = Undo { chunk, before: self.chunks[chunk], kind: command.kind };
                assert_eq!(places[0] % each, 0);
                let fails = random.below(1000) < self.faults.resets;
                self.erase(chunk, fails);
                let status = if fails { Status::OFFLINE_CHUNK } else { Status::SUCCESS };
                Running { fetched_ps: now, status, failed: fails.into(), undo: Some(undo) }
            }
            VectorKind::Copy => unreachable!("the FTL copies nothing in the drive"),
        }
    }

    fn erase(&mut self, chunk: usize, fails: bool) {
        let own = &mut self.chunks[chunk];
        assert!(own.is_closed && !own.is_offline, "a chunk is reset when it is closed");
        match fails {
            true => own.is_offline = true,
            false => (own.written, own.is_closed) = (0, false),
        }
    }

    pub fn next_ps(&self) -> u64 {
        self.under_way.first_key_value().map_or(u64::MAX, |(&(at, _), _)| at)
    }

    /// Ends the next command. Returns its identifier and its times.
    pub fn end_one(&mut self, now: u64, memory: &mut Memory) -> (u16, CommandTimes) {
        let ((_, cid), Running { fetched_ps, status, failed, .. }) =
            self.under_way.pop_first().expect("one is under way");
        self.writing.iter_mut().filter(|own| **own == Some(cid)).for_each(|own| *own = None);
        let entry = CompletionEntry {
            result: failed as u32,
            result_high: (failed >> 32) as u32,
            submission_head: self.head as u16,
            submission_queue: self.pair.id(),
            cid,
            phase: self.phase,
            status,
        };
        assert!(
            memory.write(self.pair.completion_address() + u64::from(self.tail) * 16, &entry.emit())
        );
        self.tail = (self.tail + 1) % self.pair.entries();
        if self.tail == 0 {
            self.phase = self.phase.flipped();
        }
        let mut inside = Split::default();
        inside.add(Part::Storage, Cause::Flash, now - fetched_ps);
        (cid, CommandTimes { fetched_ps, posted_ps: now, inside, latencies_ps: [0, 0] })
    }
}

impl Flash for Rules {
    fn read(
        &mut self,
        addresses: &[u64],
        take: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), DriverError> {
        assert!((1..=MOST_ADDRESSES).contains(&addresses.len()));
        for (nth, address) in addresses.iter().enumerate() {
            let place = self.places[address];
            let chunk = &self.chunks[(place / self.shape.chunk_blocks) as usize];
            assert!(place % self.shape.chunk_blocks < chunk.written, "what is read is written");
            take(nth, self.block(place));
        }
        Ok(())
    }

    fn fill(&mut self, addresses: &[u64]) -> Result<u64, DriverError> {
        assert!((1..=MOST_ADDRESSES).contains(&addresses.len()));
        self.spend()?;
        for address in addresses {
            self.store(self.places[address], &[0; PAGE_BYTES as usize]);
        }
        Ok(0)
    }

    fn reset(&mut self, address: u64) -> Result<bool, DriverError> {
        self.spend()?;
        let place = self.places[&address];
        // Every 16th fails where some do.
        let fails = self.faults.resets > 0 && self.seen[2] % 16 == 0;
        self.seen[2] += 1;
        self.erase((place / self.shape.chunk_blocks) as usize, fails);
        Ok(!fails)
    }
}
