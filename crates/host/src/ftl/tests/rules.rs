//! A drive that is made of rules, and asserts that its host keeps to them.

use std::collections::BTreeMap;

use nvme::command::{DataPointer, Entry as Command64, ENTRY_BYTES};
use nvme::completion::{CompletionEntry, Phase};
use nvme::open_channel::{AddressList, VectorCommand};
use sim::HostMemory;

use super::super::*;
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

pub struct Chunk {
    pub written: u32,
    is_closed: bool,
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
    pub stamps: Vec<u64>,
    /// Commands by the time at which they end.
    under_way: BTreeMap<(u64, u16), (u64, Status, u64)>,
    writing: Vec<Option<u16>>,
    pub faults: Faults,
    /// Commands so far by kind: reads, writes, resets.
    pub seen: [u64; 3],
}

impl Rules {
    pub fn new(shape: Shape, pair: QueuePair, faults: Faults) -> Self {
        let places = (0..shape.places() as u32).map(|place| (shape.address(place), place));
        let chunks = shape.chunks() as usize;
        Rules {
            shape,
            places: places.collect(),
            pair,
            head: 0,
            tail: 0,
            phase: Phase::One,
            chunks: (0..chunks).map(|_| Chunk { written: 0, is_closed: false }).collect(),
            stamps: vec![0; shape.places() as usize],
            under_way: BTreeMap::new(),
            writing: vec![None; shape.units() as usize],
            faults,
            seen: [0; 3],
        }
    }

    /// Takes what stands in the queue up to a tail.
    pub fn take(&mut self, (now, memory): (u64, &mut Memory), tail: u32, random: &mut Random) {
        while self.head != tail {
            let at = self.pair.submission_address() + u64::from(self.head) * ENTRY_BYTES as u64;
            let entry = Command64::from_bytes(memory.array(at));
            self.head = (self.head + 1) % self.pair.entries();
            let (status, failed) = self.run(memory, &entry, random);
            let time = 100_000 + random.below(20_000_000);
            self.under_way.insert((now + time, entry.cid()), (now, status, failed));
        }
    }

    fn run(
        &mut self,
        memory: &mut Memory,
        entry: &Command64,
        random: &mut Random,
    ) -> (Status, u64) {
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
                    memory
                        .at_mut(to, 8)
                        .copy_from_slice(&self.stamps[place as usize].to_le_bytes());
                }
                match fails {
                    true => (Status::UNRECOVERED_READ, 1),
                    false => (Status::SUCCESS, 0),
                }
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
                for (nth, &place) in places.iter().take(good).enumerate() {
                    let own = &mut self.chunks[chunk];
                    assert_eq!((place / each) as usize, chunk);
                    assert_eq!((own.written, own.is_closed), (place % each, false));
                    own.written += 1;
                    own.is_closed = own.written == each;
                    self.stamps[place as usize] = word(memory, page(memory, nth));
                }
                if fails {
                    self.chunks[chunk].is_closed = true;
                    return (Status::CHUNK_EARLY_CLOSE, u64::MAX << good);
                }
                (Status::SUCCESS, 0)
            }
            VectorKind::Reset => {
                self.seen[2] += 1;
                for &place in &places {
                    let own = &mut self.chunks[(place / each) as usize];
                    assert!(
                        own.is_closed && place % each == 0,
                        "a chunk is reset when it is closed"
                    );
                    (own.written, own.is_closed) = (0, false);
                }
                match random.below(1000) < self.faults.resets {
                    true => (Status::OFFLINE_CHUNK, 1),
                    false => (Status::SUCCESS, 0),
                }
            }
            VectorKind::Copy => unreachable!("the FTL copies nothing in the drive"),
        }
    }

    pub fn next_ps(&self) -> u64 {
        self.under_way.first_key_value().map_or(u64::MAX, |(&(at, _), _)| at)
    }

    /// Ends the next command. Returns its identifier and its times.
    pub fn end_one(&mut self, now: u64, memory: &mut Memory) -> (u16, CommandTimes) {
        let ((_, cid), (fetched_ps, status, failed)) =
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
