//! What channels that schedule by themselves have of each way.

use alloc::vec::Vec;
use contract::{Geometry, Location};

use crate::operations::{OpId, Station, Task};

/// What a way does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Doing {
    /// What it is given.
    Works,
    /// Something failed: what has not begun comes back.
    GivesBack,
    /// Everything has come back, and its chip, which hung, resets.
    Resets,
    /// Everything has come back. It goes on when the failed block is replaced.
    Halts,
}

/// How the chip of a way is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub enum Chip {
    /// As it should be.
    Works,
    /// It did not turn ready in time, and is to be reset.
    Hangs,
    /// Not even a reset brought it back.
    Dead,
}

/// What the firmware knows of a way whose channel schedules by itself.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Way {
    /// What it does.
    pub doing: Doing,
    /// How its chip is.
    pub chip: Chip,
    /// Reads that its channel has.
    pub reads: u32,
    /// The read that its channel has is at another level than the one before: nothing else is handed over.
    pub sets_level: bool,
    /// What its channel gives back next is not to be done any more.
    pub forgets: bool,
    /// Tags in use, a bit each.
    tags: u64,
}

/// All ways, by die index.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
pub struct Ways {
    ways: Vec<Way>,
    /// Operations that channels have, by die and tag.
    handed: Vec<Option<OpId>>,
    way_requests: u32,
    geometry: Geometry,
    /// Ways that may have something to hand over, a bit a way, by channel, and channels with such ways.
    eager: Vec<u64>,
    eager_channels: u64,
    /// Channel that is looked at next, and way of each.
    turn: u8,
    turns: Vec<u8>,
}

impl Way {
    /// Operations that its channel has.
    pub fn under_way(&self) -> u32 {
        self.tags.count_ones()
    }
}

impl Ways {
    /// Ways of which channels take so many operations each.
    pub fn new(geometry: Geometry, way_requests: u32) -> Self {
        let idle = Way {
            doing: Doing::Works,
            chip: Chip::Works,
            reads: 0,
            sets_level: false,
            forgets: false,
            tags: 0,
        };
        let (dies, channels) = (geometry.dies() as usize, geometry.channels as usize);
        Ways {
            ways: alloc::vec![idle; dies],
            handed: alloc::vec![None; dies * way_requests as usize],
            way_requests,
            geometry,
            eager: alloc::vec![0; channels],
            eager_channels: 0,
            turn: 0,
            turns: alloc::vec![0; channels],
        }
    }

    /// A way.
    pub fn of(&self, die: u32) -> &Way {
        &self.ways[die as usize]
    }

    /// A way, to be changed.
    pub fn of_mut(&mut self, die: u32) -> &mut Way {
        &mut self.ways[die as usize]
    }

    /// The index of a die.
    pub fn die(&self, channel: u8, way: u8) -> u32 {
        u32::from(way) * self.geometry.channels + u32::from(channel)
    }

    /// Where a row of a die is.
    pub fn location(&self, die: u32, row: u32) -> Location {
        let channels = self.geometry.channels;
        Location { channel: (die % channels) as u8, way: (die / channels) as u8, row }
    }

    /// An operation is handed over: its tag.
    pub fn begin(&mut self, die: u32, (id, task): (OpId, &Task)) -> u8 {
        let way = &mut self.ways[die as usize];
        let tag = way.tags.trailing_ones();
        assert!(tag < self.way_requests, "the channel has room for the way");
        way.tags |= 1 << tag;
        way.reads += u32::from(matches!(task, Task::Read { .. }));
        self.handed[(die * self.way_requests + tag) as usize] = Some(id);
        tag as u8
    }

    /// The operation with a tag is answered.
    pub fn end(&mut self, die: u32, tag: u8) -> OpId {
        let place = &mut self.handed[(die * self.way_requests) as usize + usize::from(tag)];
        let id = place.take().expect("what is answered was handed over");
        let way = &mut self.ways[die as usize];
        way.tags &= !(1 << tag);
        way.sets_level = false;
        id
    }

    /// Takes note of the ways whose first operation is new or was released, or that have more room.
    pub fn refresh(&mut self, station: &mut Station) {
        let mut channels = core::mem::take(&mut station.changed_channels);
        self.eager_channels |= channels;
        while channels != 0 {
            let nth = channels.trailing_zeros() as usize;
            channels &= channels - 1;
            self.eager[nth] |= core::mem::take(&mut station.changed[nth]);
        }
    }

    /// The next way that may have something to hand over. Channels take turns, and ways of a channel.
    pub fn next_eager(&mut self) -> Option<u32> {
        if self.eager_channels == 0 {
            return None;
        }
        let channel = from_turn(self.eager_channels, self.turn);
        self.turn = (channel + 1) & 63;
        let turn = &mut self.turns[usize::from(channel)];
        let way = from_turn(self.eager[usize::from(channel)], *turn);
        *turn = (way + 1) & 63;
        Some(self.die(channel, way))
    }

    /// A way has nothing to hand over until it is marked again.
    pub fn rest(&mut self, die: u32) {
        let Location { channel, way, .. } = self.location(die, 0);
        let eager = &mut self.eager[usize::from(channel)];
        *eager &= !(1 << way);
        self.eager_channels &= !(u64::from(*eager == 0) << channel);
    }
}

/// The lowest of a set from a turn on, or else of all.
fn from_turn(set: u64, turn: u8) -> u8 {
    let from = set >> turn << turn;
    (if from == 0 { set } else { from }).trailing_zeros() as u8
}
