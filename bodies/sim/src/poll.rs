//! Polls of the channels' status registers: most find nothing, so finding nothing is what is quick.

use borsh::{BorshDeserialize, BorshSerialize};
use contract::ChannelStatus;
use machine::NEVER;

use crate::channel::Channel;
use crate::processor::LookCosts;

/// When a channel's status register reads otherwise.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
struct Watch {
    /// A way turns ready or responds, or the controller has room again.
    change: u64,
    /// The controller has room.
    room: u64,
    /// The cost of a look at it, in picoseconds.
    look: u64,
}

/// What polls need to know of every channel, side by side.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Poller {
    watches: [Watch; 64],
    /// The cost of one look, in picoseconds, and what comes on top of it.
    look: u64,
    costs: LookCosts,
    /// What a look takes besides, for each response that it finds in a window: to take the response, and to see whether another
    /// waits; and for one that is to a page that was read.
    taking: Option<[u64; 2]>,
    /// The channels of the last poll that found nothing, and those that were eager: another one like
    /// it finds nothing either until `until`. An eager channel gets room only by a change.
    polled: (u64, u64),
    /// What its looks took.
    took: u64,
    until: u64,
}

impl Poller {
    /// A poller to which a look at a channel costs `look` picoseconds.
    pub fn new(look: u64) -> Self {
        let watches = [Watch { change: NEVER, room: 0, look }; 64];
        let costs = LookCosts::default();
        Poller { watches, look, costs, taking: None, polled: (0, 0), took: 0, until: 0 }
    }

    /// The same, to which a look costs this more.
    pub fn with_costs(self, costs: LookCosts) -> Self {
        Poller { costs, ..self }
    }

    /// The same, of channels whose responses wait in a window, out of which a look takes them: this long each, and so much
    /// longer for one that is to a page that was read.
    pub fn taking(self, taking: Option<[u64; 2]>) -> Self {
        Poller { taking, ..self }
    }

    /// Takes in what was done to a channel.
    #[inline]
    pub fn note(&mut self, nth: usize, channel: &Channel) {
        let mut look = self.look;
        if self.costs != LookCosts::default() {
            look += channel.look_cost(self.costs);
        }
        self.watches[nth & 63] = Watch { change: channel.change(), room: channel.room(), look };
        self.until = 0;
    }

    /// Looks at the channels of `set`, lowest first, until one has news: a way turned ready or
    /// responded, or the controller has room and the channel is in `eager`. Returns that one; it and
    /// those before it leave the set. `now` moves on by the cost of each look.
    #[inline]
    pub fn poll(
        &mut self,
        channels: &mut [Channel],
        (set, eager): (&mut u64, u64),
        now: &mut u64,
    ) -> Option<(u8, ChannelStatus)> {
        let all = *set;
        let end = *now + self.took;
        if self.polled == (all, eager) && end < self.until {
            (*set, *now) = (0, end);
            return None;
        }
        let (mut first, start) = (NEVER, *now);
        while *set != 0 {
            let nth = set.trailing_zeros() as usize & 63;
            *set &= *set - 1;
            let watch = self.watches[nth];
            *now += watch.look;
            let eager = eager >> nth & 1 != 0;
            if watch.change <= *now || eager && watch.room <= *now {
                let mut status = channels[nth].look(*now, eager);
                if let (Some(status), Some(taking)) = (&mut status, self.taking) {
                    *status = channels[nth].empty_window(*status, taking, now);
                }
                self.note(nth, &channels[nth]);
                if let Some(status) = status {
                    return Some((nth as u8, status));
                }
            }
            first = first.min(self.watches[nth].change);
        }
        (self.polled, self.took, self.until) = ((all, eager), *now - start, first);
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

#[cfg(test)]
mod tests {
    use contract::FlashOutcome;

    use super::*;

    const LOOK: u64 = 7;
    const COSTS: LookCosts = LookCosts { list: 3, awaited: 2 };
    const WAYS: u32 = 4;
    const SUCCESS: FlashOutcome = FlashOutcome::Success { corrected_bits: 0, most_bits: 0 };

    /// Reads each status register, without knowing anything beforehand.
    fn look_at_each(
        channels: &mut [Channel],
        (set, eager): (&mut u64, u64),
        now: &mut u64,
    ) -> Option<(u8, ChannelStatus)> {
        while *set != 0 {
            let nth = set.trailing_zeros() as usize;
            *set &= *set - 1;
            *now += LOOK + channels[nth].look_cost(COSTS);
            if let Some(status) = channels[nth].look(*now, eager >> nth & 1 != 0) {
                return Some((nth as u8, status));
            }
        }
        None
    }

    /// What is known of the channels saves looks and changes nothing, however many requests a
    /// controller holds and a look issues.
    #[test]
    fn polls_find_what_looks_at_each_channel_find() {
        for depth in [1, 2, 4] {
            let mut state = u64::from(depth);
            let mut draw = |below: u64| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) % below
            };
            let make =
                || -> Vec<Channel> { (0..3).map(|_| Channel::new(WAYS, depth, 0)).collect() };
            let (mut known, mut unknown) = (make(), make());
            let mut poller = Poller::new(LOOK).with_costs(COSTS);
            let (mut now, mut found) = (0, 0);
            let mut polled = (7, 7);
            for step in 0..20_000 {
                // Mostly the same poll again, as an idle loop does it.
                if draw(4) == 0 {
                    polled = (draw(8), draw(8));
                }
                now += draw(5);
                let (mut set, mut other_set, mut other_now) = (polled.0, polled.0, now);
                let news = poller.poll(&mut known, (&mut set, polled.1), &mut now);
                let other = (&mut other_set, polled.1);
                let expected = look_at_each(&mut unknown, other, &mut other_now);
                assert_eq!(news, expected, "depth {depth} step {step}");
                assert_eq!((set, now), (other_set, other_now), "depth {depth} step {step}");
                let Some((nth, status)) = news else { continue };
                let nth = usize::from(nth);
                found += 1;
                for _ in 0..status.room.min(draw(4) as u32) {
                    let (way, bus, busy) = (draw(WAYS.into()) as u8, 1 + draw(90), draw(400));
                    let answers = draw(3) == 0;
                    for channel in [&mut known[nth], &mut unknown[nth]] {
                        let (start, end) = channel.take_bus(now, bus);
                        match answers {
                            true => channel.respond(way, end + busy, SUCCESS),
                            false => channel.work(way, (start, end + busy), false),
                        }
                    }
                    poller.note(nth, &known[nth]);
                }
            }
            assert!((2_000..18_000).contains(&found), "depth {depth}: {found} polls found news");
        }
    }
}
