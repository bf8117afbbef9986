//! What the zones of a drive are to hold, and a host that does all it can with them and checks what comes.

use std::collections::BTreeMap;

use board::Board;
use machine::Stamp;
use nvme::status::Status;
use nvme::zones::{Counted, Listed, Report, ZoneState};

use crate::draw::Draw;
use crate::outcome::Outcome;
use crate::placed_host::Ended;
use crate::plan::Step;
use crate::zone_host::{Told, ZoneHost, MOST_BLOCKS};

mod model;
mod sending;

pub use model::{Finished, Limits, Model, Version};

/// Runs the steps of a plan for a host of a zoned drive; `at` is told the number of each step before it is run.
///
/// # Panics
/// When a promise is broken, or an assertion of the drive fails.
pub fn run(board: &Board, steps: &[Step], mut at: impl FnMut(usize)) -> Outcome {
    let mut user = User::new(board, 0);
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
                outcome.bad_blocks += user.bad_blocks();
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
    outcome.bad_blocks += user.bad_blocks();
    outcome
}

/// What a command under way does, and what of it is to be true when it ends.
#[derive(Clone, Debug)]
enum Deed {
    /// A write or an append of so many blocks up to a block of a version of a zone; whether it is to be durable.
    Write { zone: u32, version: u32, end: usize, forced: bool },
    /// The stamps that each block may give.
    Read { blocks: Vec<[Stamp; 2]> },
    /// Blocks of each zone, by version, that are durable once it ends.
    Flush(Vec<(u32, u32, usize)>),
    /// Zones of which all versions before these are gone once it ends.
    Reset(Vec<(u32, u32)>),
    /// Zones that are finished, in these versions.
    Finish(Vec<(u32, u32)>),
    /// Nothing that lasts.
    Other,
}

/// A command under way.
#[derive(Clone, Debug)]
struct Sent {
    what: String,
    deed: Deed,
    expected: Status,
    /// What an append is to return.
    result: u64,
}

/// The host.
pub struct User {
    /// What sends the commands.
    pub host: ZoneHost,
    /// What the zones are to be.
    pub model: Model,
    sent: BTreeMap<u16, Sent>,
    draw: Draw,
    version: u32,
    /// Commands that were refused as they had to be.
    pub refused: u32,
}

impl User {
    /// A host with a drive of its own, all of whose zones are empty.
    pub fn new(board: &Board, seed: u64) -> Self {
        let mut host = ZoneHost::new(board);
        let capacity = host.capacity() as usize;
        let n = &host.namespace;
        let [open, active] = [n.most_open, n.most_active].map(|most| most as usize + 1);
        let model = Model::new(host.zones, capacity, Limits { open, active });
        User { host, model, sent: BTreeMap::new(), draw: Draw(seed), version: 0, refused: 0 }
    }

    /// Flash blocks that went bad.
    pub fn bad_blocks(&self) -> u64 {
        self.host.bench.drive.firmware().counters().bad_blocks
    }

    /// Takes what has ended.
    pub fn take(&mut self, ended: Ended) {
        let sent = self.sent.remove(&ended.slot).expect("a command under way");
        assert!(ended.status.is(sent.expected), "{}: {:?}", sent.what, ended.status);
        if !ended.status.is_success() {
            return;
        }
        assert_eq!(ended.result, sent.result, "{}", sent.what);
        match sent.deed {
            Deed::Write { zone, version, end, forced } => {
                self.model.acknowledge(zone, version, end, forced);
            }
            Deed::Read { blocks } => {
                let found = self.host.data(ended.slot, blocks.len());
                for (nth, (found, may)) in found.iter().zip(&blocks).enumerate() {
                    assert!(may.contains(found), "{}, block {nth}: {found:?} {may:?}", sent.what);
                }
            }
            Deed::Flush(zones) => {
                zones.into_iter().for_each(|(zone, version, end)| {
                    self.model.durable(zone, version, end);
                });
            }
            Deed::Reset(zones) => {
                zones.into_iter().for_each(|(zone, version)| self.model.forget(zone, version));
            }
            Deed::Finish(zones) => {
                zones.into_iter().for_each(|(zone, version)| self.model.sealed(zone, version));
            }
            Deed::Other => {}
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

    /// All zones as the drive reports them.
    fn told(&mut self) -> Vec<Told> {
        let bytes = 64 * (1 + u64::from(self.host.zones));
        let (listed, counted) = (Listed::All, Counted::Matching);
        let mut all = Vec::new();
        while all.len() < self.host.zones as usize {
            let start = self.host.start(all.len() as u32);
            let report = Report { start, bytes: bytes.min(8192), listed, counted };
            let (count, some) = self.host.report(report);
            assert_eq!(count as usize, self.host.zones as usize - all.len());
            all.extend(some);
        }
        all
    }

    /// Reads all zones, which hold what they are to.
    pub fn check_all(&mut self) {
        self.finish();
        let told = self.told();
        for (zone, told) in (0..).zip(&told) {
            let own = self.model.zone(zone).clone();
            assert_eq!(told.state, own.state, "zone {zone}");
            assert_eq!(told.start, self.host.start(zone));
            let written = own.now().data.len();
            if !matches!(own.state, ZoneState::Full | ZoneState::ReadOnly | ZoneState::Offline) {
                assert_eq!(told.pointer, told.start + written as u64, "zone {zone}");
            }
            if written > 0 || zone % 16 == 0 {
                let found = self.read_zone(zone);
                let mut expected = own.now().data.clone();
                expected.resize(found.len(), Stamp::ZERO);
                assert!(found == expected, "zone {zone}: {}", differing(&found, &expected));
            }
        }
    }

    /// What all blocks of a zone give, those behind its capacity as well.
    fn read_zone(&mut self, zone: u32) -> Vec<Stamp> {
        let mut all = Vec::new();
        let size = self.host.namespace.zone_blocks;
        while (all.len() as u64) < size {
            let blocks = (size - all.len() as u64).min(MOST_BLOCKS.into()) as u32;
            let (ended, some) = self.host.read(self.host.start(zone) + all.len() as u64, blocks);
            assert!(ended.status.is_success(), "zone {zone}: {:?}", ended.status);
            all.extend(some);
        }
        all
    }

    /// Lets a time pass, and then the power go away and come back. What the drive finds of each zone may be what was sent up to
    /// some command, and no less than what it has said to be durable.
    pub fn cut_power(mut self, board: &Board, after_ps: u64) -> Self {
        let due = self.host.bench.drive.now() + after_ps;
        self.host.bench.drive.run_to(due, |_| false);
        self.host.seen().into_iter().for_each(|ended| self.take(ended));
        self.sent.clear();
        self.host = self.host.cut_power(board);
        for (zone, told) in (0..).zip(self.told()) {
            let is_used = told.state != ZoneState::Empty || self.model.zone(zone).is_used();
            let mut found = if is_used { self.read_zone(zone) } else { Vec::new() };
            let written = match told.state {
                ZoneState::Full => None,
                _ => Some((told.pointer - told.start) as usize),
            };
            found.resize(self.host.namespace.zone_blocks as usize, Stamp::ZERO);
            self.model.find(zone, told.state, written, &found);
        }
        self
    }
}

/// The first place at which two lists differ.
fn differing(found: &[Stamp], expected: &[Stamp]) -> String {
    let mut pairs = found.iter().zip(expected).enumerate();
    match pairs.find(|(_, (found, expected))| found != expected) {
        Some((nth, (found, expected))) => {
            format!("block {nth} is {found:?}, expected {expected:?}")
        }
        None => "none differs".to_owned(),
    }
}
