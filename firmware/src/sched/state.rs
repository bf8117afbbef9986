//! State manager: what each way is doing (Cosmos+ figure 12).

use alloc::vec::Vec;
use contract::{FlashOperation, Geometry};

use super::priority::Class;
use super::reservation::Station;
use crate::operation::Kind;

/// The ways of a channel, a bit each. A way is in exactly one of the sets.
#[derive(Clone, Copy, Debug)]
pub struct ChannelState {
    /// Idle: nothing to do, or the first operation is not released.
    pub idle: u64,
    /// A phase waits to be issued, by priority class.
    pub waiting: [u64; Class::COUNT],
    /// Busy: a trigger, program or erase runs.
    pub busy: u64,
    /// Done or failed, as the answer to a status check will tell.
    pub checked: u64,
    /// A transfer runs.
    pub transferring: u64,
    /// Way that round robin looks at first, by class.
    pub turn: [u8; Class::COUNT],
    /// Ways that were not idle when the channel was last noted.
    noted: u32,
}

/// The state of all ways.
#[derive(Debug)]
pub struct States {
    pub(crate) channels: Vec<ChannelState>,
    /// Channels with a way that is not idle, a bit each.
    active: u64,
    /// Channels with a phase that waits to be issued, a bit each.
    eager: u64,
    /// Ways that are not idle.
    busy_ways: u32,
    all_ways: u64,
    channel_count: u32,
}

impl States {
    /// All idle.
    pub fn new(geometry: Geometry) -> Self {
        let all_ways = u64::MAX >> (64 - geometry.ways);
        let idle = ChannelState {
            idle: all_ways,
            waiting: [0; Class::COUNT],
            busy: 0,
            checked: 0,
            transferring: 0,
            turn: [0; Class::COUNT],
            noted: 0,
        };
        States {
            channels: alloc::vec![idle; geometry.channels as usize],
            active: 0,
            eager: 0,
            busy_ways: 0,
            all_ways,
            channel_count: geometry.channels,
        }
    }

    /// Channels with a way that is not idle, a bit each.
    pub fn active(&self) -> u64 {
        self.active
    }

    /// Channels with a phase that waits to be issued, a bit each.
    pub fn eager(&self) -> u64 {
        self.eager
    }

    /// Number of ways that are not idle.
    pub fn busy_ways(&self) -> u32 {
        self.busy_ways
    }

    /// Brings both sets and the number up to date after a change of a channel.
    pub fn note(&mut self, nth: u32) {
        let channel = &mut self.channels[nth as usize];
        let noted = (self.all_ways & !channel.idle).count_ones();
        self.busy_ways = self.busy_ways + noted - channel.noted;
        channel.noted = noted;
        let waiting = channel.waiting.iter().fold(0, |all, ways| all | ways) != 0;
        self.active = self.active & !(1 << nth) | u64::from(channel.idle != self.all_ways) << nth;
        self.eager = self.eager & !(1 << nth) | u64::from(waiting) << nth;
    }

    /// Lets idle ways begin whose first operation is new or was released.
    #[inline]
    pub fn refresh(&mut self, station: &mut Station) {
        let mut channels = core::mem::take(&mut station.changed_channels);
        while channels != 0 {
            let nth = channels.trailing_zeros();
            channels &= channels - 1;
            let mut changed = core::mem::take(&mut station.changed[nth as usize]);
            let channel = &mut self.channels[nth as usize];
            changed &= channel.idle;
            while changed != 0 {
                let way = changed.trailing_zeros();
                changed &= changed - 1;
                let Some(id) = station.first(way * self.channel_count + nth) else { continue };
                if station.pool.is_released(id) {
                    let phase = first_phase(station.pool[id].kind);
                    channel.idle &= !(1 << way);
                    channel.waiting[Class::of(phase) as usize] |= 1 << way;
                }
            }
            self.note(nth);
        }
    }
}

impl ChannelState {
    /// A phase was issued to a way: it is busy, or its answer is awaited.
    pub fn issued(&mut self, way: u32, operation: FlashOperation) {
        let bit = 1 << way;
        self.waiting[Class::of(operation) as usize] &= !bit;
        match operation {
            FlashOperation::StatusCheck => self.checked |= bit,
            FlashOperation::ReadTransfer => self.transferring |= bit,
            FlashOperation::ReadTrigger | FlashOperation::Program | FlashOperation::Erase => {
                self.busy |= bit;
            }
        }
    }

    /// A phase was not issued, and its operation is over: the way is idle.
    pub fn dropped(&mut self, way: u32, operation: FlashOperation) {
        self.waiting[Class::of(operation) as usize] &= !(1 << way);
        self.idle |= 1 << way;
    }

    /// The way's answer was taken: `next` is the phase that follows, or none when the operation is
    /// done and the way idle.
    pub fn answered(&mut self, way: u32, next: Option<FlashOperation>) {
        let bit = 1 << way;
        self.checked &= !bit;
        self.transferring &= !bit;
        match next {
            Some(operation) => self.waiting[Class::of(operation) as usize] |= bit,
            None => self.idle |= bit,
        }
    }
}

/// The phase that an operation begins with.
pub fn first_phase(kind: Kind) -> FlashOperation {
    match kind {
        Kind::Read => FlashOperation::ReadTrigger,
        Kind::Program => FlashOperation::Program,
        Kind::Erase => FlashOperation::Erase,
        other => unreachable!("{other:?} is not for a way"),
    }
}
