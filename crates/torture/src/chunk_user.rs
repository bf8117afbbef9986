//! What the chunks of an open-channel drive are to hold, and a host that does all it can with them and checks what comes.

use std::collections::BTreeMap;

use board::Board;
use nvme::open_channel::{ChunkState, VectorKind};
use nvme::status::Status;
use sim::Stamp;

use crate::chunk_host::{state_of, ChunkHost, Ended, SLOTS};
use crate::draw::Draw;
use crate::outcome::Outcome;
use crate::plan::Step;

/// Runs the steps of a plan for a host that places its data; `at` is told the number of each step before it is run.
///
/// # Panics
/// When a promise is broken, or an assertion of the drive fails.
pub fn run(board: &Board, steps: &[Step], mut at: impl FnMut(usize)) -> Outcome {
    let fails = board.errors.program_failures_per_billion > 0;
    let faults = if fails { Faults::Flash } else { Faults::None };
    let mut user = User::new(board, faults, 0);
    let mut outcome = Outcome::default();
    let mut pause_ps = 0;
    for (nth, step) in steps.iter().enumerate() {
        at(nth);
        match step {
            &Step::UseChunks { seed, commands, depth } => {
                user.draw = Draw(seed);
                user.use_drive(commands, depth);
                outcome.done += u64::from(commands);
            }
            // What is under way goes on until the power goes away.
            Step::Run { ps } => pause_ps = *ps,
            Step::CutPower { .. } => {
                user = user.cut_power(board, std::mem::take(&mut pause_ps));
                outcome.cuts += 1;
            }
            _ => {}
        }
        let cut_follows =
            matches!(steps.get(nth + 1), Some(Step::Run { .. } | Step::CutPower { .. }));
        if !cut_follows && !matches!(step, Step::Run { .. }) {
            user.check_all();
        }
    }
    at(steps.len());
    user.check_all();
    outcome.refused = u64::from(user.refused);
    outcome.bad_blocks = u64::from(user.offline);
    outcome
}

/// A chunk, as it is once all commands that were sent are done.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// Its state.
    pub state: ChunkState,
    /// What was written, from its first block on.
    pub data: Vec<Stamp>,
    /// How much of that the drive has said to be written.
    known: usize,
    /// What was written before a reset that the drive has not said to be done, and how much the drive has said of that.
    former: Option<(Vec<Stamp>, usize)>,
    /// Resets that were sent.
    resets: u32,
    /// Commands under way that change it.
    changes: u32,
}

/// A command under way.
#[derive(Clone, Debug)]
struct Sent {
    kind: VectorKind,
    /// The chunks that it changes, and how much of each is written by then.
    changes: Vec<(u32, usize)>,
    /// Resets of each that were sent before.
    resets: Vec<u32>,
    addresses: Vec<u64>,
    /// What is to be read.
    data: Vec<Stamp>,
    expected: (Status, u64),
}

/// What may go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Faults {
    /// Nothing: each command ends as it has to.
    None,
    /// Flash fails: a chunk has one change under way at most.
    Flash,
}

/// The host.
pub struct User {
    /// What sends the commands.
    pub host: ChunkHost,
    /// What the chunks are to hold.
    pub chunks: Vec<Chunk>,
    sent: BTreeMap<u16, Sent>,
    draw: Draw,
    version: u32,
    faults: Faults,
    /// Chunks closed early.
    pub closed: u32,
    /// Chunks gone offline.
    pub offline: u32,
    /// Commands that were refused as they had to be.
    pub refused: u32,
}

impl User {
    /// A host with a drive of its own, all of whose chunks are free.
    pub fn new(board: &Board, faults: Faults, seed: u64) -> Self {
        let mut host = ChunkHost::new(board);
        let fresh = |found: &nvme::open_channel::ChunkDescriptor| Chunk {
            state: state_of(found),
            data: Vec::new(),
            known: 0,
            former: None,
            resets: 0,
            changes: 0,
        };
        let chunks = host.descriptors().iter().map(fresh).collect();
        User {
            host,
            chunks,
            sent: BTreeMap::new(),
            draw: Draw(seed),
            version: 0,
            faults,
            closed: 0,
            offline: 0,
            refused: 0,
        }
    }

    /// Blocks of a chunk.
    fn chunk_blocks(&self) -> usize {
        self.host.geometry.chunk_blocks as usize
    }

    /// One of a few chunks, so that they fill up and are reset; sometimes any.
    fn any_chunk(&mut self) -> u32 {
        let all = self.chunks.len() as u64;
        let among = if self.draw.below(8) == 0 { all } else { all.min(12) };
        // Spread over the ways.
        let nth = self.draw.below(among);
        (nth * 41 % all) as u32
    }

    fn is_busy(&self, chunk: u32) -> bool {
        self.faults == Faults::Flash && self.chunks[chunk as usize].changes > 0
    }

    fn address(&self, chunk: u32, block: usize) -> u64 {
        self.host.start(chunk) + block as u64
    }

    /// What a read of a block gives once all that was sent before is done.
    fn now(&self, chunk: u32, block: usize) -> Stamp {
        self.chunks[chunk as usize].data.get(block).copied().unwrap_or(Stamp::ZERO)
    }

    /// The next pages of one or two chunks, in turns.
    fn targets(&mut self) -> (Vec<u64>, Vec<(u32, usize)>) {
        let (mut lists, mut changes) = (Vec::new(), Vec::new());
        for _ in 0..1 + self.draw.below(2) {
            let chunk = self.any_chunk();
            let own = &self.chunks[chunk as usize];
            let takes = matches!(own.state, ChunkState::Free | ChunkState::Open);
            let is_known = changes.iter().any(|&(other, _)| other == chunk);
            if !takes || self.is_busy(chunk) || is_known {
                continue;
            }
            let first = own.data.len();
            let most = ((self.chunk_blocks() - first) / 4).min(8) as u64;
            let count = 4 * (1 + self.draw.below(most)) as usize;
            lists.push((first..first + count).map(|nth| self.address(chunk, nth)).collect());
            changes.push((chunk, first + count));
        }
        let mut list: Vec<u64> = Vec::new();
        let mut lists: Vec<std::vec::IntoIter<u64>> =
            lists.into_iter().map(|list: Vec<u64>| list.into_iter()).collect();
        while !lists.is_empty() {
            let nth = self.draw.below(lists.len() as u64) as usize;
            match lists[nth].next() {
                Some(address) => list.push(address),
                None => drop(lists.remove(nth)),
            }
        }
        (list, changes)
    }

    /// Notes what is written to some chunks.
    fn note(&mut self, addresses: &[u64], stamps: &[Stamp], changes: &[(u32, usize)]) {
        for (&address, &stamp) in addresses.iter().zip(stamps) {
            let whole = self.chunk_blocks() as u64;
            let holds = |chunk: u32| address.wrapping_sub(self.host.start(chunk)) < whole;
            let chunk = changes.iter().map(|&(chunk, _)| chunk).find(|&chunk| holds(chunk));
            let chunk = chunk.expect("a chunk that is written");
            self.chunks[chunk as usize].data.push(stamp);
        }
        for &(chunk, end) in changes {
            let whole = self.chunk_blocks();
            let own = &mut self.chunks[chunk as usize];
            assert_eq!(own.data.len(), end);
            own.state = if end == whole { ChunkState::Closed } else { ChunkState::Open };
            own.changes += 1;
        }
    }

    /// Sends a command, if there is one that can be.
    pub fn send(&mut self) {
        let Some(slot) = (0..SLOTS).find(|slot| !self.sent.contains_key(slot)) else { return };
        let sent = match self.draw.below(16) {
            0..=6 => self.send_write(slot),
            7..=10 => self.send_read(slot),
            11..=12 => self.send_copy(slot),
            13..=14 => self.send_reset(slot),
            _ => self.send_wrong(slot),
        };
        if let Some(mut sent) = sent {
            let resets = |&(chunk, _): &(u32, usize)| self.chunks[chunk as usize].resets;
            sent.resets = sent.changes.iter().map(resets).collect();
            self.sent.insert(slot, sent);
        }
    }

    fn send_write(&mut self, slot: u16) -> Option<Sent> {
        let (addresses, changes) = self.targets();
        if addresses.is_empty() {
            return None;
        }
        self.version += 1;
        let stamps: Vec<_> =
            addresses.iter().map(|&address| Stamp::new(address, self.version)).collect();
        self.note(&addresses, &stamps, &changes);
        self.host.put_data(slot, &stamps);
        let entry = self.host.command((slot, VectorKind::Write), &addresses, &[]);
        self.host.submit(&[entry]);
        let expected = (Status::SUCCESS, 0);
        Some(Sent {
            resets: Vec::new(),
            kind: VectorKind::Write,
            changes,
            addresses,
            data: Vec::new(),
            expected,
        })
    }

    /// Blocks here and there, and what they hold.
    fn sources(&mut self, count: usize) -> (Vec<u64>, Vec<Stamp>) {
        let mut all = (Vec::new(), Vec::new());
        while all.0.len() < count {
            let chunk = self.any_chunk();
            if self.is_busy(chunk) {
                return (Vec::new(), Vec::new());
            }
            let first = self.draw.below(self.chunk_blocks() as u64) as usize;
            let run = 1 + self.draw.below(6) as usize;
            for block in first..(first + run).min(self.chunk_blocks()) {
                if all.0.len() < count {
                    all.0.push(self.address(chunk, block));
                    all.1.push(self.now(chunk, block));
                }
            }
        }
        all
    }

    fn send_read(&mut self, slot: u16) -> Option<Sent> {
        let count = 1 + self.draw.below(64) as usize;
        let (addresses, data) = self.sources(count);
        if addresses.is_empty() {
            return None;
        }
        self.host.put_data(slot, &vec![Stamp::CORRUPT; count]);
        let entry = self.host.command((slot, VectorKind::Read), &addresses, &[]);
        self.host.submit(&[entry]);
        let expected = (Status::SUCCESS, 0);
        Some(Sent {
            resets: Vec::new(),
            kind: VectorKind::Read,
            changes: Vec::new(),
            addresses,
            data,
            expected,
        })
    }

    fn send_copy(&mut self, slot: u16) -> Option<Sent> {
        let (addresses, changes) = self.targets();
        let (from, data) = self.sources(addresses.len());
        if addresses.is_empty() || from.is_empty() {
            return None;
        }
        self.note(&addresses, &data, &changes);
        let entry = self.host.command((slot, VectorKind::Copy), &from, &addresses);
        self.host.submit(&[entry]);
        let expected = (Status::SUCCESS, 0);
        Some(Sent {
            resets: Vec::new(),
            kind: VectorKind::Copy,
            changes,
            addresses,
            data: Vec::new(),
            expected,
        })
    }

    fn send_reset(&mut self, slot: u16) -> Option<Sent> {
        let closed = |own: &(u32, &Chunk)| own.1.state == ChunkState::Closed;
        let all: Vec<u32> = (0..).zip(&self.chunks).filter(closed).map(|(nth, _)| nth).collect();
        let all: Vec<u32> = all.into_iter().filter(|&chunk| !self.is_busy(chunk)).take(3).collect();
        if all.is_empty() {
            return None;
        }
        for &chunk in &all {
            let own = &mut self.chunks[chunk as usize];
            let data = std::mem::take(&mut own.data);
            // What it held when the drive last said so.
            own.former.get_or_insert((data, own.known));
            (own.state, own.known) = (ChunkState::Free, 0);
            own.changes += 1;
            own.resets += 1;
        }
        let addresses: Vec<u64> = all.iter().map(|&chunk| self.address(chunk, 0)).collect();
        let entry = self.host.command((slot, VectorKind::Reset), &addresses, &[]);
        self.host.submit(&[entry]);
        let changes = all.into_iter().map(|chunk| (chunk, 0)).collect();
        let expected = (Status::SUCCESS, 0);
        Some(Sent {
            resets: Vec::new(),
            kind: VectorKind::Reset,
            changes,
            addresses,
            data: Vec::new(),
            expected,
        })
    }

    /// A write that is not the next, or a reset of a chunk that is not closed.
    fn send_wrong(&mut self, slot: u16) -> Option<Sent> {
        let chunk = self.any_chunk();
        if self.is_busy(chunk) {
            return None;
        }
        let own = &self.chunks[chunk as usize];
        let next = own.data.len();
        let is_reset = self.draw.below(2) == 0;
        let (kind, addresses, expected) = if is_reset && own.state != ChunkState::Closed {
            let status = match own.state {
                ChunkState::Offline => Status::OFFLINE_CHUNK,
                _ => Status::INVALID_RESET,
            };
            (VectorKind::Reset, vec![self.address(chunk, 0)], (status, 1))
        } else {
            let takes = matches!(own.state, ChunkState::Free | ChunkState::Open);
            let block = if takes { (next + 4) % self.chunk_blocks() } else { 0 };
            let addresses = (block..block + 4).map(|nth| self.address(chunk, nth)).collect();
            (VectorKind::Write, addresses, (Status::OUT_OF_ORDER_WRITE, 0b1111))
        };
        let entry = self.host.command((slot, kind), &addresses, &[]);
        self.host.submit(&[entry]);
        self.refused += 1;
        Some(Sent {
            resets: Vec::new(),
            kind,
            changes: Vec::new(),
            addresses,
            data: Vec::new(),
            expected,
        })
    }

    /// Takes what has ended.
    pub fn take(&mut self, ended: Ended) {
        let sent = self.sent.remove(&ended.slot).expect("a command under way");
        for &(chunk, _) in &sent.changes {
            self.chunks[chunk as usize].changes -= 1;
        }
        if self.faults == Faults::Flash && !ended.status.is(sent.expected.0) {
            return self.take_failure(&sent, ended);
        }
        let found = (ended.status.is(sent.expected.0), ended.failed);
        assert_eq!(found, (true, sent.expected.1), "{sent:?} ended with {:?}", ended.status);
        if sent.kind == VectorKind::Read {
            let found = self.host.data(ended.slot, sent.data.len());
            assert_eq!(found, sent.data, "read of {:?}", sent.addresses);
        }
        for (&(chunk, end), &resets) in sent.changes.iter().zip(&sent.resets) {
            let own = &mut self.chunks[chunk as usize];
            match (sent.kind, &mut own.former) {
                (VectorKind::Reset, former) if resets == own.resets => *former = None,
                (VectorKind::Reset, _) => {}
                _ if resets == own.resets => own.known = own.known.max(end),
                (_, Some((_, known))) if resets + 1 == own.resets => *known = end.max(*known),
                _ => {}
            }
        }
    }

    /// Flash failed: what the drive says of the chunks is what they are from then on.
    fn take_failure(&mut self, sent: &Sent, ended: Ended) {
        assert_ne!(ended.failed, 0, "{:?}: {sent:?}", ended.status);
        let concerned = |address: u64| {
            let nth = sent.addresses.iter().position(|&own| own == address);
            nth.is_some_and(|nth| ended.failed >> nth & 1 == 1)
        };
        for &(chunk, _) in &sent.changes {
            let (state, written) = self.host.state(chunk);
            let own = self.chunks[chunk as usize].clone();
            if sent.kind == VectorKind::Reset {
                let is_concerned = concerned(self.address(chunk, 0));
                assert_eq!(is_concerned, state == ChunkState::Offline);
                assert!(!is_concerned || ended.status.is(Status::OFFLINE_CHUNK));
                self.offline += u32::from(is_concerned);
            } else {
                let first_failed = (0..own.data.len())
                    .find(|&nth| concerned(self.address(chunk, nth)))
                    .unwrap_or(own.data.len());
                assert_eq!(written as usize, first_failed, "the writes before it are there");
                if first_failed < own.data.len() {
                    assert_eq!(state, ChunkState::Closed);
                    assert!(ended.status.is(Status::CHUNK_EARLY_CLOSE), "{:?}", ended.status);
                    self.closed += 1;
                }
            }
            let own = &mut self.chunks[chunk as usize];
            own.state = state;
            own.data.truncate(written as usize);
            (own.known, own.former) = (own.data.len(), None);
        }
    }

    /// Sends and takes, with so many commands under way at most.
    pub fn use_drive(&mut self, commands: u32, depth: usize) {
        for _ in 0..commands {
            self.send();
            while self.sent.len() >= depth {
                self.host.wait().into_iter().for_each(|ended| self.take(ended));
            }
        }
    }

    /// Waits for all that is under way.
    pub fn finish(&mut self) {
        while !self.sent.is_empty() {
            self.host.wait().into_iter().for_each(|ended| self.take(ended));
        }
    }

    /// Reads all chunks, which hold what they are to.
    pub fn check_all(&mut self) {
        self.finish();
        let found = self.host.descriptors();
        for chunk in 0..self.chunks.len() as u32 {
            let own = self.chunks[chunk as usize].clone();
            let found = &found[chunk as usize];
            assert_eq!(state_of(found), own.state, "chunk {chunk}");
            assert_eq!(found.written, own.data.len() as u64, "chunk {chunk}");
            let blocks: Vec<u64> =
                (0..self.chunk_blocks()).map(|nth| self.address(chunk, nth)).collect();
            if own.data.is_empty() && chunk % 16 != 0 {
                continue;
            }
            for (part, addresses) in blocks.chunks(64).enumerate() {
                let (ended, data) = self.host.read(addresses);
                assert!(ended.status.is_success(), "chunk {chunk}: {:?}", ended.status);
                for (nth, stamp) in data.into_iter().enumerate() {
                    let block = part * 64 + nth;
                    assert_eq!(stamp, self.now(chunk, block), "chunk {chunk}, block {block}");
                }
            }
        }
    }

    /// What so many blocks of a chunk hold.
    fn written(&mut self, chunk: u32, count: usize) -> Vec<Stamp> {
        let addresses: Vec<u64> = (0..count).map(|nth| self.address(chunk, nth)).collect();
        let read = |part: &[u64]| {
            let (ended, data) = self.host.read(part);
            assert!(ended.status.is_success(), "chunk {chunk}: {:?}", ended.status);
            data
        };
        addresses.chunks(64).flat_map(read).collect()
    }

    /// Lets a time pass, and then the power go away and come back. What the drive finds of each chunk may be what was sent
    /// up to some command, and no less than what it has said to be done.
    pub fn cut_power(mut self, board: &Board, after_ps: u64) -> Self {
        let due = self.host.bench.drive.now() + after_ps;
        self.host.bench.drive.run_to(due, |_| false);
        self.host.seen().into_iter().for_each(|ended| self.take(ended));
        self.sent.clear();
        self.host = self.host.cut_power(board);
        let found = self.host.descriptors();
        for (chunk, found) in (0..).zip(&found) {
            let written = found.written as usize;
            let data = self.written(chunk, written);
            let own = &mut self.chunks[chunk as usize];
            own.find(chunk, (state_of(found), &data), found.blocks as usize);
            (own.state, own.known, own.data) = (state_of(found), written, data);
            (own.former, own.changes) = (None, 0);
        }
        self
    }
}

impl Chunk {
    /// Checks what is found of it after a power loss, and what is there.
    fn find(&self, nth: u32, (state, data): (ChunkState, &[Stamp]), blocks: usize) {
        let what = format!("chunk {nth}: {state:?} with {}, {self:?}", data.len());
        if self.state == ChunkState::Offline || state == ChunkState::Offline {
            return assert_eq!(self.state, state, "{what}");
        }
        let is_of = |all: &[Stamp], known: usize| {
            (known..=all.len()).contains(&data.len()) && all[..data.len()] == *data
        };
        let (former, known) = self.former.clone().unwrap_or_default();
        let has_former = self.former.is_some();
        let is_erased = has_former && data.is_empty();
        let as_now = is_of(&self.data, self.known);
        assert!(as_now || is_erased || has_former && is_of(&former, known), "{what}");
        // What was being written or erased when the power went away keeps a chunk from being written on.
        let may_be_cut = self.changes > 0 && state == ChunkState::Closed;
        let expected = match data.len() {
            0 => ChunkState::Free,
            written if written == blocks => ChunkState::Closed,
            _ => ChunkState::Open,
        };
        // One that was closed before, by an earlier power loss, stays so.
        let was_closed = self.state == ChunkState::Closed && data.len() == self.data.len();
        let stays = was_closed && state == ChunkState::Closed;
        assert!(state == expected || may_be_cut || stays, "{what}");
    }
}
