//! States of zones, as the host is told them (zoned command set 1.1 section 2.1.1.2, figure 4): which commands a zone takes, what it
//! becomes, and how many zones may be open and active.

use alloc::vec;
use alloc::vec::Vec;
use nvme::zones::{ZoneAction, ZoneState};

use crate::nvme::backend::IoOutcome;

use ZoneState::{Closed, Empty, ExplicitlyOpened, Full, ImplicitlyOpened, Offline, ReadOnly};

/// A zone, as the commands that were accepted leave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Zone {
    /// What can be done with it.
    pub state: ZoneState,
    /// Blocks that are written, from its start on: where the write pointer stands.
    pub written: u32,
    /// What the host may not know of its state.
    change: Change,
    /// When it was opened, counted over all zones.
    opened: u64,
}

/// Whether the state of a zone has changed otherwise than by a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
enum Change {
    /// It has not, or the host knows.
    None,
    /// It has, and no log has told of it.
    New,
    /// It has, and a log that is on its way to the host tells of it.
    Told,
}

/// What an accepted action asks to be done beyond the change of state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Nothing.
    None,
    /// The zone's data are to go.
    Erase,
    /// The place of its write pointer is to be kept where it is.
    Seal,
}

/// How many zones may be used at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Limits {
    /// Open ones (MOR).
    pub open: u32,
    /// Open and closed ones (MAR).
    pub active: u32,
}

/// All zones, and how many of them take resources.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct States {
    zones: Vec<Zone>,
    capacity: u32,
    limits: Limits,
    open: u32,
    active: u32,
    openings: u64,
    /// Blocks that are written in all zones.
    written: u64,
    /// A zone has changed otherwise than by a command since this was asked.
    has_news: bool,
}

impl States {
    /// So many empty zones, of which at most so many may be open and active.
    pub fn new(zones: u32, capacity: u32, limits: Limits) -> Self {
        let zone = Zone { state: Empty, written: 0, change: Change::None, opened: 0 };
        States {
            zones: vec![zone; zones as usize],
            capacity,
            limits,
            open: 0,
            active: 0,
            openings: 0,
            written: 0,
            has_news: false,
        }
    }

    /// One of them.
    pub fn of(&self, zone: u32) -> &Zone {
        &self.zones[zone as usize]
    }

    /// Blocks that are written in all zones.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Zones that take an open resource, and that take an active one.
    pub fn in_use(&self) -> (u32, u32) {
        (self.open, self.active)
    }

    /// Zones in a state.
    pub fn count(&self, state: ZoneState) -> u32 {
        self.zones.iter().filter(|zone| zone.state == state).count() as u32
    }

    fn set(&mut self, zone: u32, state: ZoneState) {
        let own = &mut self.zones[zone as usize];
        let was = core::mem::replace(&mut own.state, state);
        self.open = self.open + u32::from(state.is_open()) - u32::from(was.is_open());
        self.active = self.active + u32::from(state.is_active()) - u32::from(was.is_active());
        if state.is_open() && !was.is_open() {
            self.openings += 1;
            own.opened = self.openings;
        }
    }

    fn set_written(&mut self, zone: u32, written: u32) {
        let own = &mut self.zones[zone as usize];
        self.written = self.written + u64::from(written) - u64::from(own.written);
        own.written = written;
    }

    /// Makes a zone open. If no open resource is free, the zone that a write opened first is closed for it (section 2.1.1.3).
    ///
    /// # Errors
    /// Too Many Active Zones or Too Many Open Zones.
    fn open(&mut self, zone: u32, state: ZoneState) -> Result<(), IoOutcome> {
        let was = self.of(zone).state;
        if !was.is_active() && self.active >= self.limits.active {
            return Err(IoOutcome::TooManyActive);
        }
        if !was.is_open() && self.open >= self.limits.open {
            self.close_first()?;
        }
        self.set(zone, state);
        Ok(())
    }

    /// Closes the zone that a write opened first.
    ///
    /// # Errors
    /// Too Many Open Zones, if a write opened none of those that are open.
    fn close_first(&mut self) -> Result<(), IoOutcome> {
        let of_writes = (0..).zip(&self.zones).filter(|(_, own)| own.state == ImplicitlyOpened);
        let first = of_writes.min_by_key(|(_, own)| own.opened).map(|(nth, _)| nth);
        self.set(first.ok_or(IoOutcome::TooManyOpen)?, Closed);
        Ok(())
    }

    /// Accepts a write of blocks from one on, or behind the write pointer if none is named. Returns the first.
    ///
    /// # Errors
    /// The status that section 3.1 names: by the zone's state, for a write beyond its capacity, for one that does not begin at the write
    /// pointer, and for want of resources.
    pub fn accept_write(
        &mut self,
        zone: u32,
        block: Option<u64>,
        blocks: u32,
    ) -> Result<u32, IoOutcome> {
        let Zone { state, written, .. } = *self.of(zone);
        match state {
            Full => return Err(IoOutcome::ZoneFull),
            ReadOnly => return Err(IoOutcome::ZoneReadOnly),
            Offline => return Err(IoOutcome::ZoneOffline),
            Empty | ImplicitlyOpened | ExplicitlyOpened | Closed => {}
        }
        let first = block.unwrap_or(written.into());
        if first + u64::from(blocks) > self.capacity.into() {
            return Err(IoOutcome::ZoneBoundary);
        }
        if first != u64::from(written) {
            return Err(IoOutcome::ZoneInvalidWrite);
        }
        if !state.is_open() {
            self.open(zone, ImplicitlyOpened)?;
        }
        self.set_written(zone, written + blocks);
        if written + blocks == self.capacity {
            self.set(zone, Full);
        }
        Ok(written)
    }

    /// Accepts an action on one zone.
    ///
    /// # Errors
    /// Invalid Zone State Transition, or for want of resources.
    pub fn accept(&mut self, zone: u32, action: ZoneAction) -> Result<Deed, IoOutcome> {
        match (action, self.of(zone).state) {
            (ZoneAction::Open, Empty | ImplicitlyOpened | ExplicitlyOpened | Closed) => {
                self.open(zone, ExplicitlyOpened)?;
                Ok(Deed::None)
            }
            (ZoneAction::Close, ImplicitlyOpened | ExplicitlyOpened | Closed) => {
                self.set(zone, Closed);
                Ok(Deed::None)
            }
            (ZoneAction::Offline, Offline) => Ok(Deed::None),
            // One that is full is to be so after a power loss, too.
            (ZoneAction::Finish, Empty | ImplicitlyOpened | ExplicitlyOpened | Closed | Full) => {
                self.set(zone, Full);
                Ok(Deed::Seal)
            }
            (ZoneAction::Reset, Empty | ImplicitlyOpened | ExplicitlyOpened | Closed | Full) => {
                self.set(zone, Empty);
                self.set_written(zone, 0);
                Ok(Deed::Erase)
            }
            (ZoneAction::Offline, ReadOnly) => {
                self.set(zone, Offline);
                self.set_written(zone, 0);
                Ok(Deed::None)
            }
            _ => Err(IoOutcome::InvalidTransition),
        }
    }

    /// Whether an action on all zones is for a zone in this state (section 3.4.3, Select All).
    pub const fn is_for(action: ZoneAction, state: ZoneState) -> bool {
        match action {
            ZoneAction::Close => state.is_open(),
            ZoneAction::Open => matches!(state, Closed),
            ZoneAction::Finish => state.is_active(),
            ZoneAction::Reset => state.is_active() || matches!(state, Full),
            ZoneAction::Offline => matches!(state, ReadOnly),
        }
    }

    /// Accepts an action on all zones in the states that it is for.
    ///
    /// # Errors
    /// Too Many Open Zones, if not all of them can be opened. Then none is.
    pub fn accept_all(&mut self, action: ZoneAction) -> Result<(), IoOutcome> {
        if action == ZoneAction::Open {
            return self.open_all();
        }
        for zone in 0..self.zones.len() as u32 {
            if Self::is_for(action, self.of(zone).state) {
                self.accept(zone, action)?;
            }
        }
        Ok(())
    }

    /// Opens all zones that are closed. Zones that writes opened are closed for them, and stay so.
    fn open_all(&mut self) -> Result<(), IoOutcome> {
        if self.count(ExplicitlyOpened) + self.count(Closed) > self.limits.open {
            return Err(IoOutcome::TooManyOpen);
        }
        for zone in 0..self.zones.len() as u32 {
            if Self::is_for(ZoneAction::Open, self.of(zone).state) {
                self.set(zone, ExplicitlyOpened);
            }
        }
        while self.open > self.limits.open {
            self.close_first()?;
        }
        Ok(())
    }

    /// Whether blocks can be read.
    ///
    /// # Errors
    /// Zone Is Offline.
    pub fn check_read(&self, zone: u32) -> Result<(), IoOutcome> {
        match self.of(zone).state {
            Offline => Err(IoOutcome::ZoneOffline),
            _ => Ok(()),
        }
    }

    /// A zone takes no more writes, and has lost what was written from a block on. One that is offline stays so.
    pub fn take_read_only(&mut self, zone: u32, left: u32) {
        if self.of(zone).state == Offline {
            return;
        }
        self.change(zone, ReadOnly);
        self.set_written(zone, self.of(zone).written.min(left));
    }

    /// A zone is of no use any more.
    pub fn take_offline(&mut self, zone: u32) {
        self.change(zone, Offline);
        self.set_written(zone, 0);
    }

    /// Another state, of which no command tells.
    fn change(&mut self, zone: u32, state: ZoneState) {
        if self.of(zone).state != state {
            self.set(zone, state);
            self.zones[zone as usize].change = Change::New;
            self.has_news = true;
        }
    }

    /// Whether a zone has changed otherwise than by a command since this was asked last.
    pub fn take_news(&mut self) -> bool {
        core::mem::take(&mut self.has_news)
    }

    /// Tells of the zones that have changed, in order.
    pub fn tell_changes(&mut self) -> impl Iterator<Item = u32> + '_ {
        let changed = (0..).zip(&mut self.zones).filter(|(_, own)| own.change != Change::None);
        changed.map(|(nth, own)| {
            own.change = Change::Told;
            nth
        })
    }

    /// The host knows of the changes that were told.
    pub fn forget_told(&mut self) {
        let told = self.zones.iter_mut().filter(|own| own.change == Change::Told);
        told.for_each(|own| own.change = Change::None);
    }

    /// The host asks for all zones anew.
    pub fn forget_changes(&mut self) {
        self.zones.iter_mut().for_each(|own| own.change = Change::None);
        self.has_news = false;
    }

    /// After the power was away or the controller was reset, no zone is open (section 2.1.1.2: to Closed, or to Empty if nothing is
    /// written).
    pub fn close_all(&mut self) {
        for zone in 0..self.zones.len() as u32 {
            let Zone { state, written, .. } = *self.of(zone);
            match (state, written) {
                (Closed | ImplicitlyOpened | ExplicitlyOpened, 0) => self.set(zone, Empty),
                (ImplicitlyOpened | ExplicitlyOpened, _) => self.set(zone, Closed),
                _ => {}
            }
        }
    }

    /// What was found of a zone after the power was away.
    pub fn found(&mut self, zone: u32, state: ZoneState, written: u32) {
        self.set(zone, state);
        self.set_written(zone, written);
    }
}

#[cfg(test)]
#[path = "states_tests.rs"]
mod tests;
