//! Polls of the channels' status registers: most find nothing, so finding nothing is what is quick.

use contract::ChannelStatus;

use crate::channel::Channel;
use crate::timers::NEVER;

/// When a channel's status register reads otherwise.
#[derive(Clone, Copy, Debug)]
struct Watch {
    /// A way turns ready or responds, or the controller has room again.
    change: u64,
    /// The controller has room.
    room: u64,
}

/// What polls need to know of every channel, side by side.
#[derive(Debug)]
pub struct Poller {
    watches: [Watch; 64],
    /// The cost of one look, in picoseconds.
    look: u64,
    /// The channels of the last poll that found nothing, and those that were eager: another one like
    /// it finds nothing either until `until`. An eager channel gets room only by a change.
    polled: (u64, u64),
    looks: u64,
    until: u64,
}

impl Poller {
    /// A poller to which a look at a channel costs `look` picoseconds.
    pub fn new(look: u64) -> Self {
        let watches = [Watch { change: NEVER, room: 0 }; 64];
        Poller { watches, look, polled: (0, 0), looks: 0, until: 0 }
    }

    /// Takes in what was done to a channel.
    #[inline]
    pub fn note(&mut self, nth: usize, channel: &Channel) {
        self.watches[nth & 63] = Watch { change: channel.change(), room: channel.room() };
        self.until = 0;
    }

    /// Looks at the channels of `set`, lowest first, until one has news: a way turned ready or
    /// responded, or the controller accepts a request and the channel is in `eager`. Returns that
    /// one; it and those before it leave the set. `now` moves on by the cost of each look.
    #[inline]
    pub fn poll(
        &mut self,
        channels: &mut [Channel],
        (set, eager): (&mut u64, u64),
        now: &mut u64,
    ) -> Option<(u8, ChannelStatus)> {
        let all = *set;
        let end = *now + self.looks * self.look;
        if self.polled == (all, eager) && end < self.until {
            (*set, *now) = (0, end);
            return None;
        }
        let (mut first, mut looks) = (NEVER, 0);
        while *set != 0 {
            let nth = set.trailing_zeros() as usize & 63;
            *set &= *set - 1;
            (*now, looks) = (*now + self.look, looks + 1);
            let watch = self.watches[nth];
            let eager = eager >> nth & 1 != 0;
            if watch.change <= *now || eager && watch.room <= *now {
                let status = channels[nth].look(*now, eager);
                self.note(nth, &channels[nth]);
                if let Some(status) = status {
                    return Some((nth as u8, status));
                }
            }
            first = first.min(self.watches[nth].change);
        }
        (self.polled, self.looks, self.until) = ((all, eager), looks, first);
        None
    }

    /// The earliest time at which a channel of `set` reads otherwise than when it was looked at.
    pub fn change(&self, mut set: u64) -> u64 {
        let mut change = NEVER;
        while set != 0 {
            change = change.min(self.watches[set.trailing_zeros() as usize & 63].change);
            set &= set - 1;
        }
        change
    }
}
