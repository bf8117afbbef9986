//! The event kernel: the next time at which each actor of the body wants to act.
//!
//! A body in virtual time has few actors, each with at most one next event, because whatever is a
//! matter of time alone (a chip that turns ready, a DMA that ends) is worked out when it starts and
//! looked up when the firmware asks. So the queue is an array with its minimum, not a heap.

use borsh::{BorshDeserialize, BorshSerialize};
use machine::NEVER;

/// Who can act. The order decides between actors of the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Actor {
    /// A doorbell reaches the controller.
    Doorbell,
    /// The next submission queue entry is fetched.
    Fetch,
    /// A completion queue entry reaches host memory.
    Post,
    /// The time of an interrupt's coalescing runs out.
    Coalesce,
    /// An interrupt reaches the host.
    Interrupt,
    /// The host acts by itself.
    Host,
}

const ACTORS: [Actor; 6] =
    [Actor::Doorbell, Actor::Fetch, Actor::Post, Actor::Coalesce, Actor::Interrupt, Actor::Host];

/// The next event of every actor.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Timers {
    at: [u64; ACTORS.len()],
    next: u64,
}

impl Timers {
    /// Nothing to come.
    pub fn new() -> Self {
        Timers { at: [NEVER; ACTORS.len()], next: NEVER }
    }

    /// The earliest time at which anybody acts.
    #[inline]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// The earliest time at which anybody but the host acts.
    pub fn next_of_drive(&self) -> u64 {
        let [drive @ .., _host] = self.at;
        drive.into_iter().fold(NEVER, u64::min)
    }

    /// Sets when an actor acts next; [`NEVER`] for not at all.
    #[inline]
    pub fn set(&mut self, actor: Actor, at: u64) {
        self.at[actor as usize] = at;
        self.next = self.at.into_iter().fold(NEVER, u64::min);
    }

    /// When an actor acts next.
    pub fn of(&self, actor: Actor) -> u64 {
        self.at[actor as usize]
    }

    /// Takes the earliest event that is not later than `now`.
    #[inline]
    pub fn pop(&mut self, now: u64) -> Option<(u64, Actor)> {
        if self.next > now {
            return None;
        }
        let at = self.next;
        let actor = ACTORS.into_iter().find(|&actor| self.at[actor as usize] == at)?;
        self.set(actor, NEVER);
        Some((at, actor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_in_time_order_and_ties_in_actor_order() {
        let mut timers = Timers::new();
        timers.set(Actor::Host, 5);
        timers.set(Actor::Post, 5);
        timers.set(Actor::Fetch, 9);
        timers.set(Actor::Doorbell, 2);
        timers.set(Actor::Doorbell, NEVER);
        assert_eq!(timers.next_of_drive(), 5);
        timers.set(Actor::Post, NEVER);
        assert_eq!(timers.next_of_drive(), 9);
        timers.set(Actor::Post, 5);
        assert_eq!(timers.pop(4), None);
        assert_eq!(timers.pop(9), Some((5, Actor::Post)));
        assert_eq!(timers.pop(9), Some((5, Actor::Host)));
        assert_eq!(timers.pop(9), Some((9, Actor::Fetch)));
        assert_eq!(timers.pop(NEVER - 1), None);
    }
}
