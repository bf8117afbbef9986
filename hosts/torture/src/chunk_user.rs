//! What the chunks of an open-channel drive are to hold, and a host that does all it can with them and checks what comes.

use std::collections::BTreeMap;

use board::Board;
use machine::Stamp;
use nvme::open_channel::{ChunkState, VectorKind};
use nvme::status::Status;

use crate::chunk_host::{state_of, ChunkHost};
use crate::draw::Draw;
use crate::outcome::Outcome;
use crate::placed_host::Ended;
use crate::plan::Step;

mod sending;

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
    /// Free, open, closed or offline, as the drive has to tell.
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

    /// Logical blocks that each chunk has.
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

    /// Takes what has ended.
    pub fn take(&mut self, ended: Ended) {
        let sent = self.sent.remove(&ended.slot).expect("a command under way");
        for &(chunk, _) in &sent.changes {
            self.chunks[chunk as usize].changes -= 1;
        }
        if self.faults == Faults::Flash && !ended.status.is(sent.expected.0) {
            return self.take_failure(&sent, ended);
        }
        let found = (ended.status.is(sent.expected.0), ended.result);
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
        assert_ne!(ended.result, 0, "{:?}: {sent:?}", ended.status);
        let concerned = |address: u64| {
            let nth = sent.addresses.iter().position(|&own| own == address);
            nth.is_some_and(|nth| ended.result >> nth & 1 == 1)
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
