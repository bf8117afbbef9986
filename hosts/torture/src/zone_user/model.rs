//! What zones are, by the specification and by what was sent: states and resources, data, and what of it has to outlast the power.

use machine::Stamp;
use nvme::status::Status;
use nvme::zones::{ZoneAction, ZoneState};

use ZoneState::{Closed, Empty, ExplicitlyOpened, Full, ImplicitlyOpened, Offline, ReadOnly};

/// Whether a version of a zone was finished before it was full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finished {
    /// It was not.
    No,
    /// The command was sent.
    Asked,
    /// The drive has said so.
    Done,
}

/// What a zone holds between two resets.
#[derive(Clone, Debug)]
pub struct Version {
    /// Counted over the resets of the zone.
    pub number: u32,
    /// What was written, from its first block on.
    pub data: Vec<Stamp>,
    /// For each block whether its write was acknowledged.
    pub acknowledged: Vec<bool>,
    /// How much of it has to outlast the power.
    pub durable: usize,
    /// Whether it was finished.
    pub finished: Finished,
}

impl Version {
    fn new(number: u32) -> Self {
        let (data, acknowledged) = (Vec::new(), Vec::new());
        Version { number, data, acknowledged, durable: 0, finished: Finished::No }
    }

    /// The end of what was acknowledged.
    pub fn end(&self) -> usize {
        self.acknowledged.iter().rposition(|&own| own).map_or(0, |nth| nth + 1)
    }
}

/// What one of them is to be.
#[derive(Clone, Debug)]
pub struct Zone {
    /// As it is once all commands that were sent are done.
    pub state: ZoneState,
    /// What it holds, and before it what it may still hold until a reset is done.
    versions: Vec<Version>,
    opened: u64,
}

impl Zone {
    /// What it holds once all commands that were sent are done.
    pub fn now(&self) -> &Version {
        self.versions.last().expect("a zone has a version")
    }

    fn now_mut(&mut self) -> &mut Version {
        self.versions.last_mut().expect("a zone has a version")
    }

    /// Whether something was sent to it.
    pub fn is_used(&self) -> bool {
        self.versions.iter().any(|own| !own.data.is_empty())
    }
}

/// How many zones may be used at a time.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Open ones.
    pub open: usize,
    /// Open and closed ones.
    pub active: usize,
}

/// All zones.
#[derive(Clone, Debug)]
pub struct Model {
    zones: Vec<Zone>,
    /// Blocks of a zone that can be written.
    pub capacity: usize,
    limits: Limits,
    openings: u64,
}

impl Model {
    /// So many empty zones of a capacity, of which so many may be open and active.
    pub fn new(zones: u32, capacity: usize, limits: Limits) -> Self {
        let zone = Zone { state: Empty, versions: vec![Version::new(0)], opened: 0 };
        let zones = vec![zone; zones as usize];
        Model { zones, capacity, limits, openings: 0 }
    }

    /// One of them.
    pub fn zone(&self, zone: u32) -> &Zone {
        &self.zones[zone as usize]
    }

    /// Zones, by number.
    pub fn zones(&self) -> impl Iterator<Item = (u32, &Zone)> {
        (0..).zip(&self.zones)
    }

    fn set(&mut self, zone: u32, state: ZoneState) {
        let own = &mut self.zones[zone as usize];
        if state.is_open() && !own.state.is_open() {
            self.openings += 1;
            own.opened = self.openings;
        }
        own.state = state;
    }

    fn count(&self, is_meant: impl Fn(ZoneState) -> bool) -> usize {
        self.zones.iter().filter(|zone| is_meant(zone.state)).count()
    }

    fn open(&mut self, zone: u32, state: ZoneState) -> Result<(), Status> {
        let was = self.zone(zone).state;
        if !was.is_active() && self.count(ZoneState::is_active) >= self.limits.active {
            return Err(Status::TOO_MANY_ACTIVE_ZONES);
        }
        if !was.is_open() && self.count(ZoneState::is_open) >= self.limits.open {
            let implicit = self.zones().filter(|(_, own)| own.state == ImplicitlyOpened);
            let first = implicit.min_by_key(|(_, own)| own.opened).map(|(nth, _)| nth);
            self.set(first.ok_or(Status::TOO_MANY_OPEN_ZONES)?, Closed);
        }
        self.set(zone, state);
        Ok(())
    }

    /// Opens all zones that are closed. Of those that writes opened, the last ones stay open for which there is room.
    pub fn open_all(&mut self) -> Result<(), Status> {
        let in_state = |state| self.zones().filter(move |(_, own)| own.state == state);
        let closed: Vec<u32> = in_state(Closed).map(|(nth, _)| nth).collect();
        let mut by_writes: Vec<(u64, u32)> =
            in_state(ImplicitlyOpened).map(|(nth, own)| (own.opened, nth)).collect();
        let kept = self.count(|state| state == ExplicitlyOpened) + closed.len();
        let room = self.limits.open.checked_sub(kept).ok_or(Status::TOO_MANY_OPEN_ZONES)?;
        by_writes.sort_unstable();
        let gone = by_writes.len().saturating_sub(room);
        closed.into_iter().for_each(|zone| self.set(zone, ExplicitlyOpened));
        by_writes[..gone].iter().for_each(|&(_, zone)| self.set(zone, Closed));
        Ok(())
    }

    /// A write of blocks of a zone, or an append where no block is named. Returns the first.
    pub fn write(
        &mut self,
        zone: u32,
        block: Option<usize>,
        stamps: &[Stamp],
    ) -> Result<usize, Status> {
        let own = self.zone(zone);
        let (state, written) = (own.state, own.now().data.len());
        match state {
            Full => return Err(Status::ZONE_FULL),
            ReadOnly => return Err(Status::ZONE_READ_ONLY),
            Offline => return Err(Status::ZONE_OFFLINE),
            _ => {}
        }
        let first = block.unwrap_or(written);
        if first + stamps.len() > self.capacity {
            return Err(Status::ZONE_BOUNDARY);
        }
        if first != written {
            return Err(Status::ZONE_INVALID_WRITE);
        }
        if !state.is_open() {
            self.open(zone, ImplicitlyOpened)?;
        }
        let capacity = self.capacity;
        let now = self.zones[zone as usize].now_mut();
        now.data.extend_from_slice(stamps);
        now.acknowledged.resize(now.data.len(), false);
        if now.data.len() == capacity {
            self.set(zone, Full);
        }
        Ok(written)
    }

    /// An action on a zone.
    pub fn act(&mut self, zone: u32, action: ZoneAction) -> Result<(), Status> {
        match (action, self.zone(zone).state) {
            (ZoneAction::Open, Empty | ImplicitlyOpened | ExplicitlyOpened | Closed) => {
                self.open(zone, ExplicitlyOpened)
            }
            (ZoneAction::Close, ImplicitlyOpened | ExplicitlyOpened | Closed) => {
                self.set(zone, Closed);
                Ok(())
            }
            (ZoneAction::Finish, Full) => Ok(()),
            (ZoneAction::Finish, Empty | ImplicitlyOpened | ExplicitlyOpened | Closed) => {
                self.set(zone, Full);
                self.zones[zone as usize].now_mut().finished = Finished::Asked;
                Ok(())
            }
            (ZoneAction::Reset, Empty | ImplicitlyOpened | ExplicitlyOpened | Closed | Full) => {
                self.set(zone, Empty);
                let own = &mut self.zones[zone as usize];
                let number = own.now().number + 1;
                own.versions.push(Version::new(number));
                Ok(())
            }
            _ => Err(Status::INVALID_ZONE_TRANSITION),
        }
    }

    /// A write was acknowledged.
    pub fn acknowledge(&mut self, zone: u32, version: u32, end: usize, forced: bool) {
        if let Some(own) = self.version(zone, version) {
            // Blocks before may be on their way still.
            own.acknowledged[end - 1] = true;
            if forced {
                own.durable = own.durable.max(end);
            }
        }
    }

    fn version(&mut self, zone: u32, version: u32) -> Option<&mut Version> {
        self.zones[zone as usize].versions.iter_mut().find(|own| own.number == version)
    }

    /// A flush was acknowledged.
    pub fn durable(&mut self, zone: u32, version: u32, end: usize) {
        if let Some(own) = self.version(zone, version) {
            own.durable = own.durable.max(end);
        }
    }

    /// A reset was acknowledged: what was before this version is gone.
    pub fn forget(&mut self, zone: u32, version: u32) {
        self.zones[zone as usize].versions.retain(|own| own.number >= version);
    }

    /// A finish was acknowledged.
    pub fn sealed(&mut self, zone: u32, version: u32) {
        if let Some(own) = self.version(zone, version) {
            (own.finished, own.durable) = (Finished::Done, own.data.len());
        }
    }

    /// Checks what is found of a zone after a power loss: its state, the blocks before its write pointer if it has one, and what its blocks
    /// give.
    pub fn find(&mut self, zone: u32, state: ZoneState, written: Option<usize>, data: &[Stamp]) {
        let own = &self.zones[zone as usize];
        let is_newest = |version: &Version| version.number == own.now().number;
        let mut found = None;
        for version in own.versions.iter().rev() {
            found = self.matches(version, is_newest(version), state, written, data);
            let is_kept = version.durable > 0 || version.finished == Finished::Done;
            if found.is_some() || is_kept {
                break;
            }
        }
        let first = data.iter().zip(&own.now().data).position(|(a, b)| a != b);
        let Some(left) = found else {
            let lengths: Vec<_> = own
                .versions
                .iter()
                .map(|own| (own.number, own.data.len(), own.durable, own.finished))
                .collect();
            panic!("zone {zone} is {state:?} with {written:?}, block {first:?} differs; versions {lengths:?}");
        };
        let mut version = Version::new(own.now().number + 1);
        version.data = data[..left].to_vec();
        version.acknowledged = vec![true; left];
        version.durable = left;
        version.finished = match state {
            Full if left < self.capacity => Finished::Done,
            _ => Finished::No,
        };
        let own = &mut self.zones[zone as usize];
        (own.state, own.versions) = (state, vec![version]);
    }

    /// How much of a version is there, if what was found is a part of it.
    fn matches(
        &self,
        version: &Version,
        is_newest: bool,
        state: ZoneState,
        written: Option<usize>,
        data: &[Stamp],
    ) -> Option<usize> {
        let all = version.data.len();
        let left = written.unwrap_or(all);
        let expected = match left {
            _ if written.is_none() => Full,
            0 => Empty,
            left if left == self.capacity => Full,
            _ => Closed,
        };
        // Of what was being reset, any part may be gone.
        let least = if is_newest { version.durable } else { 0 };
        let is_sealed = is_newest && version.finished == Finished::Done;
        let is_full = all == self.capacity || version.finished != Finished::No;
        let may_be = match state {
            Full => is_full,
            _ => !is_sealed && expected == state,
        };
        let is_there = (least..=all).contains(&left) && data[..left] == version.data[..left];
        let is_clear = data[left.min(data.len())..].iter().all(|own| *own == Stamp::ZERO);
        (may_be && is_there && is_clear).then_some(left)
    }
}
