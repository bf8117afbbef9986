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
    /// When it was opened, counted over all zones.
    opened: u64,
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
}

impl States {
    /// So many empty zones, of which at most so many may be open and active.
    pub fn new(zones: u32, capacity: u32, limits: Limits) -> Self {
        let zone = Zone { state: Empty, written: 0, opened: 0 };
        States {
            zones: vec![zone; zones as usize],
            capacity,
            limits,
            open: 0,
            active: 0,
            openings: 0,
            written: 0,
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
            let of_writes = (0..).zip(&self.zones).filter(|(_, own)| own.state == ImplicitlyOpened);
            let first = of_writes.min_by_key(|(_, own)| own.opened).map(|(nth, _)| nth);
            let Some(first) = first else { return Err(IoOutcome::TooManyOpen) };
            self.set(first, Closed);
        }
        self.set(zone, state);
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
                self.take_offline(zone);
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
            let explicit = self.count(ExplicitlyOpened);
            if explicit + self.count(Closed) > self.limits.open {
                return Err(IoOutcome::TooManyOpen);
            }
        }
        // What was chosen before any zone changed: opening one may close another.
        for zone in 0..self.zones.len() as u32 {
            let state = self.of(zone).state;
            let is_kept = action == ZoneAction::Open && state == ImplicitlyOpened;
            if Self::is_for(action, state) && !is_kept {
                self.accept(zone, action)?;
            }
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

    /// A zone takes no more writes, and has lost what was written from a block on.
    pub fn take_read_only(&mut self, zone: u32, left: u32) {
        self.set(zone, ReadOnly);
        self.set_written(zone, self.of(zone).written.min(left));
    }

    /// A zone is of no use any more.
    pub fn take_offline(&mut self, zone: u32) {
        self.set(zone, Offline);
        self.set_written(zone, 0);
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
mod tests {
    use super::*;

    const CAPACITY: u32 = 8;

    fn states(open: u32, active: u32) -> States {
        States::new(6, CAPACITY, Limits { open, active })
    }

    /// Zone 0 in a state.
    fn in_state(state: ZoneState) -> States {
        let mut all = states(6, 6);
        match state {
            Empty => {}
            ImplicitlyOpened => drop(all.accept_write(0, Some(0), 3)),
            ExplicitlyOpened => drop(all.accept(0, ZoneAction::Open)),
            Closed => {
                all.accept_write(0, Some(0), 3).expect("it is empty");
                all.accept(0, ZoneAction::Close).expect("it is open");
            }
            Full => drop(all.accept_write(0, Some(0), CAPACITY)),
            ReadOnly => all.take_read_only(0, 0),
            Offline => all.take_offline(0),
        }
        assert_eq!(all.of(0).state, state);
        all
    }

    #[test]
    fn every_action_in_every_state_does_what_the_specification_says() {
        let refused = Err(IoOutcome::InvalidTransition);
        for (action, state, expected) in [
            (ZoneAction::Open, Empty, Ok(ExplicitlyOpened)),
            (ZoneAction::Open, ImplicitlyOpened, Ok(ExplicitlyOpened)),
            (ZoneAction::Open, ExplicitlyOpened, Ok(ExplicitlyOpened)),
            (ZoneAction::Open, Closed, Ok(ExplicitlyOpened)),
            (ZoneAction::Open, Full, refused),
            (ZoneAction::Open, ReadOnly, refused),
            (ZoneAction::Open, Offline, refused),
            (ZoneAction::Close, Empty, refused),
            (ZoneAction::Close, ImplicitlyOpened, Ok(Closed)),
            (ZoneAction::Close, ExplicitlyOpened, Ok(Closed)),
            (ZoneAction::Close, Closed, Ok(Closed)),
            (ZoneAction::Close, Full, refused),
            (ZoneAction::Close, ReadOnly, refused),
            (ZoneAction::Close, Offline, refused),
            (ZoneAction::Finish, Empty, Ok(Full)),
            (ZoneAction::Finish, ImplicitlyOpened, Ok(Full)),
            (ZoneAction::Finish, ExplicitlyOpened, Ok(Full)),
            (ZoneAction::Finish, Closed, Ok(Full)),
            (ZoneAction::Finish, Full, Ok(Full)),
            (ZoneAction::Finish, ReadOnly, refused),
            (ZoneAction::Finish, Offline, refused),
            (ZoneAction::Reset, Empty, Ok(Empty)),
            (ZoneAction::Reset, ImplicitlyOpened, Ok(Empty)),
            (ZoneAction::Reset, ExplicitlyOpened, Ok(Empty)),
            (ZoneAction::Reset, Closed, Ok(Empty)),
            (ZoneAction::Reset, Full, Ok(Empty)),
            (ZoneAction::Reset, ReadOnly, refused),
            (ZoneAction::Reset, Offline, refused),
            (ZoneAction::Offline, Empty, refused),
            (ZoneAction::Offline, ImplicitlyOpened, refused),
            (ZoneAction::Offline, ExplicitlyOpened, refused),
            (ZoneAction::Offline, Closed, refused),
            (ZoneAction::Offline, Full, refused),
            (ZoneAction::Offline, ReadOnly, Ok(Offline)),
            (ZoneAction::Offline, Offline, Ok(Offline)),
        ] {
            let mut all = in_state(state);
            let written = all.of(0).written;
            let found = all.accept(0, action).map(|_| all.of(0).state);
            assert_eq!(found, expected, "{action:?} of {state:?}");
            let gone = action == ZoneAction::Reset && found.is_ok();
            let expected = if gone { 0 } else { written };
            assert_eq!((all.of(0).written, all.written()), (expected, expected.into()));
            let state = all.of(0).state;
            let uses = (u32::from(state.is_open()), u32::from(state.is_active()));
            assert_eq!(all.in_use(), uses, "{action:?}");
        }
    }

    #[test]
    fn writes_are_refused_by_state_then_boundary_then_pointer() {
        for (state, block, blocks, expected) in [
            (Empty, Some(0), CAPACITY, Ok(0)),
            (Empty, Some(1), 1, Err(IoOutcome::ZoneInvalidWrite)),
            (Empty, Some(1), CAPACITY, Err(IoOutcome::ZoneBoundary)),
            (Empty, None, CAPACITY + 1, Err(IoOutcome::ZoneBoundary)),
            (Closed, Some(3), 1, Ok(3)),
            (Closed, None, 5, Ok(3)),
            (ImplicitlyOpened, Some(2), 1, Err(IoOutcome::ZoneInvalidWrite)),
            (ImplicitlyOpened, None, 6, Err(IoOutcome::ZoneBoundary)),
            (ExplicitlyOpened, None, 1, Ok(0)),
            (Full, Some(0), 1, Err(IoOutcome::ZoneFull)),
            (Full, None, 1, Err(IoOutcome::ZoneFull)),
            (ReadOnly, None, 1, Err(IoOutcome::ZoneReadOnly)),
            (Offline, None, 1, Err(IoOutcome::ZoneOffline)),
        ] {
            let mut all = in_state(state);
            let before = *all.of(0);
            let found = all.accept_write(0, block, blocks);
            assert_eq!(found, expected, "{state:?} {block:?} {blocks}");
            match found {
                Err(_) => assert_eq!(*all.of(0), before),
                Ok(first) => {
                    let full = first + blocks == CAPACITY;
                    let kept = if state == ExplicitlyOpened { state } else { ImplicitlyOpened };
                    assert_eq!(all.of(0).state, if full { Full } else { kept });
                    assert_eq!(all.of(0).written, first + blocks);
                }
            }
        }
    }

    #[test]
    fn resources_are_limited_and_what_a_write_opened_is_closed_for_another() {
        let mut all = states(2, 3);
        for zone in 0..3 {
            assert_eq!(all.accept_write(zone, None, 1), Ok(0));
        }
        let states = [0, 1, 2].map(|zone| all.of(zone).state);
        assert_eq!(states, [Closed, ImplicitlyOpened, ImplicitlyOpened]);
        assert_eq!(all.accept_write(3, None, 1), Err(IoOutcome::TooManyActive));
        assert_eq!(all.accept(3, ZoneAction::Open), Err(IoOutcome::TooManyActive));
        all.accept(0, ZoneAction::Open).expect("zone 1 is closed for it");
        all.accept(2, ZoneAction::Open).expect("it is open");
        assert_eq!(all.of(1).state, Closed);
        assert_eq!(all.accept_write(1, None, 1), Err(IoOutcome::TooManyOpen));
        assert_eq!(all.accept(1, ZoneAction::Open), Err(IoOutcome::TooManyOpen));
        assert_eq!(all.in_use(), (2, 3));
        all.accept(0, ZoneAction::Reset).expect("it is open");
        assert_eq!(all.accept_write(1, None, 1), Ok(1));
        assert_eq!(all.accept_write(3, None, 1), Ok(0), "zone 1 is closed for it");
        assert_eq!(all.of(1).state, Closed);
        assert_eq!(all.in_use(), (2, 3));
    }

    #[test]
    fn actions_on_all_zones_leave_others_alone() {
        let all_of = |action| {
            let mut all = states(4, 6);
            all.accept_write(1, None, 1).expect("it is empty");
            all.accept(2, ZoneAction::Open).expect("it is empty");
            all.accept_write(3, None, 2).expect("it is empty");
            all.accept(3, ZoneAction::Close).expect("it is open");
            all.accept_write(4, None, CAPACITY).expect("it is empty");
            all.take_read_only(5, 0);
            all.accept_all(action).expect("there is room");
            core::array::from_fn(|zone| all.of(zone as u32).state)
        };
        let expected = [
            (
                ZoneAction::Open,
                [Empty, ImplicitlyOpened, ExplicitlyOpened, ExplicitlyOpened, Full, ReadOnly],
            ),
            (ZoneAction::Close, [Empty, Closed, Closed, Closed, Full, ReadOnly]),
            (ZoneAction::Finish, [Empty, Full, Full, Full, Full, ReadOnly]),
            (ZoneAction::Reset, [Empty, Empty, Empty, Empty, Empty, ReadOnly]),
            (
                ZoneAction::Offline,
                [Empty, ImplicitlyOpened, ExplicitlyOpened, Closed, Full, Offline],
            ),
        ];
        for (action, states) in expected {
            assert_eq!(all_of(action), states, "{action:?}");
        }
        let mut all = states(1, 6);
        for zone in 0..3 {
            all.accept_write(zone, None, 1).expect("it is empty");
            all.accept(zone, ZoneAction::Close).expect("it is open");
        }
        assert_eq!(all.accept_all(ZoneAction::Open), Err(IoOutcome::TooManyOpen));
        assert_eq!(all.count(Closed), 3);
    }

    #[test]
    fn without_power_nothing_stays_open() {
        let mut all = states(4, 6);
        all.accept(0, ZoneAction::Open).expect("it is empty");
        all.accept_write(1, None, 1).expect("it is empty");
        all.close_all();
        assert_eq!([0, 1].map(|zone| all.of(zone).state), [Empty, Closed]);
        assert_eq!(all.in_use(), (0, 1));
        assert_eq!(all.accept_write(1, None, CAPACITY - 1), Ok(1));
        assert_eq!(all.of(1).state, Full);
    }
}
